"""Boilerplate: what sites add to an article, class by class, in three designs and four languages."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path

from generators.formats.html import body, document
from generators.formats.work import Work, Written, around

# The texts of boilerplate, by language and class. They were written for this suite.
TEXTS: dict[str, dict[str, list[str]]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
DESIGNS = 3


def page(work: Work, kind: str, design: int) -> Written:
    """Return a page with an article and one class of boilerplate.

    Args:
        work: the article.
        kind: a key of `KINDS`.
        design: number of the design: landmarks, plain divisions, or a grid of components.
    """
    texts = TEXTS[work.language]
    role, names, write = KINDS[kind]
    box = write(texts[kind], names[design])
    parts = body(work.parts)
    if kind == "teaser":
        middle = parts.index("<p>", len(parts) // 2)
        parts = f"{parts[:middle]}{box}\n{parts[middle:]}"
    elif kind in ("share", "author") and design != 1:
        title = parts.index("</h1>") + len("</h1>")
        parts = f"{parts[:title]}\n{box}{parts[title:]}"
    elif kind != "consent":
        parts = f"{parts}\n{box}"
    content = _SHELLS[design](parts, texts["menu"], texts["legal"][0])
    if kind == "consent":
        content = f"{box}\n{content}" if design else f"{content}\n{box}"
    return Written(
        document(work, "", content),
        (
            around(role, "\n".join(texts[kind])),
            around("navigation", "\n".join(texts["menu"])),
            around("footer", texts["legal"][0]),
        ),
    )


def _links(texts: list[str]) -> str:
    return "".join(f'<li><a href="/{number}">{escape(text)}</a></li>' for number, text in enumerate(texts))


def _with_landmarks(article: str, menu: list[str], legal: str) -> str:
    return f"""<header><nav><ul>{_links(menu)}</ul></nav></header>
<main><article>
{article}
</article></main>
<footer><p>{escape(legal)}</p></footer>"""


def _with_divisions(article: str, menu: list[str], legal: str) -> str:
    return f"""<div id="page"><div id="header"><ul class="main-menu">{_links(menu)}</ul></div>
<div id="content" class="post"><div class="entry-content">
{article}
</div></div>
<div id="footer" class="site-footer"><p>{escape(legal)}</p></div></div>"""


def _with_components(article: str, menu: list[str], legal: str) -> str:
    links = "".join(f'<a class="k3-l" href="/{number}">{escape(text)}</a>' for number, text in enumerate(menu))
    return f"""<div class="k1"><div class="k2 top-bar">{links}</div>
<div class="k4"><div class="k5">
{article}
</div></div>
<div class="k6 page-footer"><span>{escape(legal)}</span></div></div>"""


_SHELLS = (_with_landmarks, _with_divisions, _with_components)


def _comments(lines: list[str], name: str) -> str:
    items = "".join(f'<li class="comment"><p>{escape(line)}</p></li>' for line in lines[1:])
    return f'<section class="{name}"><h3>{escape(lines[0])}</h3><ol>{items}</ol></section>'


def _related(lines: list[str], name: str) -> str:
    cards = "".join(
        f'<div class="card"><img src="/{number}.jpg" alt=""><a href="/{number}">{escape(title)}</a><p>{escape(text)}</p></div>'
        for number, (title, text) in enumerate(zip(lines[1::2], lines[2::2], strict=True))
    )
    return f'<div class="{name}"><h3>{escape(lines[0])}</h3>{cards}</div>'


def _newsletter(lines: list[str], name: str) -> str:
    heading, text, button = map(escape, lines)
    return (
        f'<div class="{name}"><h4>{heading}</h4><p>{text}</p>'
        f'<form><input type="email" name="address"><button>{button}</button></form></div>'
    )


def _next_article(lines: list[str], name: str) -> str:
    text = "".join(f"<p>{escape(line)}</p>" for line in lines[2:])
    return (
        f'<div class="{name}"><p class="label">{escape(lines[0])}</p>'
        f'<h2><a href="/next">{escape(lines[1])}</a></h2>{text}</div>'
    )


def _consent(lines: list[str], name: str) -> str:
    heading, text, *buttons = map(escape, lines)
    return (
        f'<div class="{name}" role="dialog"><h2>{heading}</h2><p>{text}</p>'
        + "".join(f"<button>{button}</button>" for button in buttons)
        + "</div>"
    )


def _share(lines: list[str], name: str) -> str:
    return f'<div class="{name}"><span>{escape(lines[0])}</span><ul>{_links(lines[1:])}</ul></div>'


def _author(lines: list[str], name: str) -> str:
    heading, text = map(escape, lines)
    return f'<div class="{name}"><img src="/face.jpg" alt=""><h4>{heading}</h4><p>{text}</p></div>'


def _teaser(lines: list[str], name: str) -> str:
    label, title = map(escape, lines)
    return f'<aside class="{name}"><strong>{label}</strong> <a href="/other">{title}</a></aside>'


# By class: the role of what an extractor has to leave out, the names of its element in each design, and its writer.
KINDS: dict[str, tuple[str, tuple[str, ...], Callable[[list[str], str], str]]] = {
    "comments": ("comments", ("comments-area", "reader-responses", "discussion comments"), _comments),
    "related": ("sidebar", ("related-articles", "recommended", "more-stories"), _related),
    "newsletter": ("sidebar", ("newsletter-signup", "subscribe-box", "newsletter"), _newsletter),
    "next-article": ("sidebar", ("next-article related", "recommended-next", "more-articles"), _next_article),
    "consent": ("banner", ("cookie-consent", "consent-layer", "cookie-notice"), _consent),
    "share": ("sidebar", ("share-bar", "social-share", "sharing"), _share),
    "author": ("sidebar", ("author-box", "byline author", "author-bio"), _author),
    "teaser": ("sidebar", ("related-inline", "promo-teaser", "recommended-inline"), _teaser),
}
