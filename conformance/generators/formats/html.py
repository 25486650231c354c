"""Web pages: one article in three designs that share nothing except the article, and a plain page in XHTML."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from html import escape
from itertools import groupby

from generators.formats import work
from generators.formats.work import Part, Span, Work, Written, around

_RIGHT_TO_LEFT = ("ar",)


def inline(spans: Iterable[Span]) -> str:
    """Return inline text in HTML."""
    return work.inline(
        spans,
        partial(escape, quote=False),
        emphasis=lambda text, span: f"<em>{text}</em>",
        link=lambda text, span: f'<a href="{escape(span.target)}">{text}</a>',
        mark=lambda text, span: f'<sup><a href="#note-{text}">{text}</a></sup>',
    )


_FORMS = {
    "title": "<h1>{}</h1>",
    "heading": "<h2>{}</h2>",
    "caption": '<figure><img src="figure.png" alt="" /><figcaption>{}</figcaption></figure>',
    "quote": "<blockquote><p>{}</p></blockquote>",
    "code": "<pre><code>{}</code></pre>",
    "paragraph": "<p>{}</p>",
}


def body(parts: Iterable[Part], *, drop_cap: bool = False) -> str:
    """Return an article in HTML that is also well-formed XML.

    With `drop_cap`, the first letter of the first paragraph is a separate element, as in some designs.
    """
    out: list[str] = []
    for role, group in groupby(parts, key=lambda part: part.role):
        if role in ("item", "footnote", "reference"):
            tag, note = "ul" if role == "item" else "ol", ' id="note-{}"' if role == "footnote" else ""
            items = (f"<li{note.format(n)}>{inline(part.spans)}</li>\n" for n, part in enumerate(group, 1))
            out.append(f'<{tag} class="{role}s">\n{"".join(items)}</{tag}>')
            continue
        for part in group:
            text = inline(part.spans)
            if role == "paragraph" and drop_cap:
                drop_cap, text = False, f'<span class="cap">{text[0]}</span>{text[1:]}'
            out.append(table(part) if role == "table" else _FORMS[role].format(text))
    return "\n".join(out)


def table(part: Part) -> str:
    """Return a table in HTML, without white space between its cells."""
    head, *rows = part.rows
    lines = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return f"<table><caption>{inline(part.spans)}</caption>" + "".join(lines) + "</table>"


def _list(texts: Iterable[str], kind: str) -> str:
    return (
        f'<ul class="{kind}">'
        + "".join(f'<li><a href="/{n}">{text}</a></li>' for n, text in enumerate(texts))
        + "</ul>"
    )


_SECTIONS = ("Home", "Harbour news", "Tides and weather", "Classified ads", "Recipes", "Sport results", "About us")
_POPULAR = (
    "Seven walks with a view of the lighthouse",
    "Why your sourdough refuses to rise",
    "Council postpones vote on parking fees again",
    "Quiz: how well do you know your neighbours",
    "Obituaries and anniversaries of the week",
)
_LEGAL = (
    "Imprint. Terms of service. Privacy policy. Advertising rates. All rights reserved by the publishing cooperative."
)
_COOKIES = (
    "We value your privacy. We and our partners store cookies on your device to personalise content and measure "
    "audiences. Accept all. Reject all. Manage preferences."
)
_SUBSCRIBE = "Subscribe to our newsletter and never miss a story. Enter your email address. Sign up now."
_SCRIPT = "window.dataLayer = window.dataLayer || []; function track(eventName) { dataLayer.push({event: eventName}); }"
_STYLE = "body { margin: auto; max-width: 60em; font-family: serif } .cap { float: left; font-size: 300% }"


def document(work: Work, head: str, content: str, encoding: str = "utf-8", declared: str | None = None) -> bytes:
    """Return a page of a work with elements in its head, and content in its body."""
    direction = ' dir="rtl"' if work.language in _RIGHT_TO_LEFT else ""
    page = (
        f'<!DOCTYPE html>\n<html lang="{work.language}"{direction}>\n<head>\n<meta charset="{declared or encoding}">\n'
        f"<title>{escape(work.title)} | {escape(work.site)}</title>\n{head}\n</head>\n<body>\n{content}\n</body>\n</html>\n"
    )
    return page.encode(encoding, "xmlcharrefreplace")


def plain_page(work: Work, encoding: str = "utf-8", declared: str | None = None) -> Written:
    """Return a page with only the article. It declares its encoding `encoding`, or the wrong encoding `declared`."""
    return Written(document(work, "", f"<article>\n{body(work.parts)}\n</article>", encoding, declared))


def damaged(page: Written) -> Written:
    """Return a page with a byte that no encoding of it has at the ends of three paragraphs."""
    return Written(
        page.content.replace(b"</p>", b" \xff</p>", 3), (*page.around, around("ill-formed sequence", "\ufffd"))
    )


def page_one(work: Work) -> Written:
    """Return the page of a newspaper: navigation, sidebar, cookie banner, footer."""
    head = (
        f'<style>{_STYLE}</style>\n<script>{_SCRIPT}</script>\n<meta name="description" content="News from the coast">'
    )
    content = f"""<div class="cookie-banner" role="dialog"><p>{_COOKIES}</p></div>
<header class="site-header"><p class="logo">{escape(work.site)}</p><nav>{_list(_SECTIONS, "menu")}</nav></header>
<main><article>
{body(work.parts)}
</article></main>
<aside class="sidebar"><h3>Most read</h3>{_list(_POPULAR, "popular")}<p>{_SUBSCRIBE}</p></aside>
<footer class="site-footer"><p>{_LEGAL}</p></footer>"""
    return Written(
        document(work, head, content),
        (
            around("banner", _COOKIES),
            around("navigation", "\n".join((work.site, *_SECTIONS))),
            around("sidebar", "\n".join(("Most read", *_POPULAR, _SUBSCRIBE))),
            around("footer", _LEGAL),
            around("script", _SCRIPT),
            around("style", _STYLE),
        ),
    )


_TOPICS = ("Start", "Culture", "Crafts", "Nature", "Interviews", "Podcast", "Shop", "Membership", "Log in", "Search")
_RELATED = (
    "Read next: the baker who measured time in loaves",
    "Read next: three bridges and the quarrel between them",
    "Read next: what the archive smells like",
)
_SHARE = "Share on social media. Copy link. Print this page. Save for later. Report a mistake."
_COMMENTS = (
    "Great read, thank you! My grandmother always told us something similar but nobody believed her.",
    "Does anyone know whether there is a recording of this? I would gladly pay for the shipping.",
    "First comment here after lurking for years. More of this and fewer quizzes please.",
)
_CONTACT = "Editorial office, open on weekdays. Telephone on request. Made with patience and free software."
_DATA = '{"@context": "https://schema.org", "@type": "NewsArticle", "publisher": {"name": "Example Media Holding"}}'


def page_two(work: Work) -> Written:
    """Return the page of a magazine: side menu, share buttons, comments of readers, related articles."""
    head = f'<script type="application/ld+json">{_DATA}</script>\n<link rel="stylesheet" href="/magazine.css">'
    comments = "".join(f'<li class="comment"><p>{escape(text)}</p></li>' for text in _COMMENTS)
    content = f"""<div id="sidebar-menu" class="nav navigation" role="navigation">{_list(_TOPICS, "topics")}</div>
<div id="content"><div class="post">
{body(work.parts)}
</div>
<div class="share-buttons">{escape(_SHARE)}</div>
</div>
<section id="comments" class="comments"><h3>Comments</h3><ol>{comments}</ol></section>
<div class="related related-posts">{_list(_RELATED, "related")}</div>
<div id="footer" class="footer">{_CONTACT}</div>"""
    return Written(
        document(work, head, content),
        (
            around("navigation", "\n".join(_TOPICS)),
            around("sidebar", "\n".join((_SHARE, *_RELATED))),
            around("comments", "\n".join(("Comments", *_COMMENTS))),
            around("footer", _CONTACT),
            around("script", _DATA),
        ),
    )


_CRUMBS = ("You are here", "Library", "Collections", "Essays", "Current item")
_NOTICE = "Scheduled maintenance: this site will be unavailable on Sunday morning between three and five o'clock."
_HOURS = "Opening hours. Reading room. Borrowing rules. Lost property. Accessibility statement. Staff directory."
_HIDDEN = "Your browser does not support embedded audio. Please enable JavaScript to listen to this item."


def page_three(work: Work) -> Written:
    """Return the page of a library: breadcrumbs, a notice, a drop cap."""
    content = f"""<div class="notice alert" role="alert">{escape(_NOTICE)}</div>
<nav class="breadcrumb" aria-label="breadcrumb">{_list(_CRUMBS, "crumbs")}</nav>
<div class="page"><div class="main-content" role="main">
<!-- generated by the content management system, template essay-wide, do not edit by hand -->
{body(work.parts, drop_cap=True)}
</div></div>
<noscript>{_HIDDEN}</noscript>
<footer><p>{_HOURS}</p></footer>"""
    return Written(
        document(work, '<meta name="keywords" content="essay, library, heritage">', content),
        (
            around("banner", _NOTICE),
            around("navigation", "\n".join(_CRUMBS)),
            around("footer", _HOURS),
            around("comments", "generated by the content management system, template essay-wide, do not edit by hand"),
            around("script", _HIDDEN),
        ),
    )


def xhtml(work: Work, parts: Iterable[Part] | None = None) -> Written:
    """Return a page in XHTML with only the article, or only the given parts of it."""
    page = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="{work.language}">\n'
        f"<head><title>{escape(work.title)}</title></head>\n<body>\n"
        f"{body(work.parts if parts is None else parts)}\n</body>\n</html>\n"
    )
    return Written(page.encode("utf-8"))
