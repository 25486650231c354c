"""Small pages composed for training: an excerpt of a document with boilerplate around and in it, in random designs.

Real pages for training are large. Without small ones, the classifier is unsure about pages of a few hundred words.
The texts of the boilerplate are blocks of real pages that do not belong to their documents.
"""

from __future__ import annotations

import html
import random
import re
from collections.abc import Iterator

from benchmarks.extraction.examples import Example, written_example
from benchmarks.extraction.phrases import CONSENT, HEADINGS, LEGAL, MONTHS, NAMES, NETWORKS, RIGHTS, SECTIONS, SUBJECTS

_LEAST_BLOCKS = 6
_PROSE = frozenset({"article", "documentation", "corpus"})
"""Types of pages with documents that are long enough."""
_TAG = re.compile("<[^>]*>")


def composed_examples(pages: list[Example], number: int, weight: float, seed: int) -> Iterator[Example]:
    """Yield examples of pages composed from other examples. Each belongs to the site of the article in it."""
    rng = random.Random(seed)
    unused = [text for page in pages for text, share in zip(page.page.texts, page.matched, strict=True) if share < 0.1]
    snippets = [text for text in unused if 60 < len(text) < 400]
    titles = [text for text in unused if 15 < len(text) < 70]
    sources = [page for page in pages if page.labelled.type in _PROSE and page.labels.sum() > _LEAST_BLOCKS]
    for _ in range(number):
        source = rng.choice(sources)
        title, article = excerpt(source, rng)
        if len(article) < 2:
            continue
        page = _Composer(rng, snippets, titles).page(title, article)
        text = html.unescape(" ".join([title, *(_TAG.sub(" ", part) for part in article)]))
        if example := written_example(page, text, source.labelled.site, weight):
            yield example


class _Composer:
    """Composes one page. A third of the designs have generated names, half have landmarks, a fifth no links."""

    def __init__(self, rng: random.Random, snippets: list[str], titles: list[str]) -> None:
        self._rng, self._snippets, self._titles = rng, snippets, titles
        self._anonymous = rng.random() < 0.3
        self._landmarks = rng.random() < 0.5
        self._scripted = rng.random() < 0.2  # links that only a script follows

    def page(self, title: str, article: list[str]) -> str:
        heading = f"<h1>{html.escape(title)}</h1>"
        if self._chance(0.2):
            return f"<!doctype html><title>{html.escape(title)}</title>{heading}{''.join(article)}"
        if self._chance(0.12):
            return f"<!doctype html><title>{html.escape(title)}</title>{self._main(heading, article)}"
        parts = [self._header() if self._chance(0.8) else self._nav(), self._main(heading, article)]
        if self._chance(0.6):
            parts.insert(self._rng.choice([1, 2]), self._side())
        if self._chance(0.3):
            parts.append(self._related())
        while self._chance(0.35):
            parts.insert(self._rng.choice([1, len(parts), len(parts)]), self._deck())
        if self._chance(0.3):
            parts.insert(self._rng.choice([0, len(parts)]), self._consent())
        if self._chance(0.8):
            parts.append(self._footer())
        body = "".join(parts)
        if self._chance(0.12):
            body = f"<table><tr>{''.join(f'<td>{part}</td>' for part in parts)}</tr></table>"
        elif self._chance(0.5):
            body = f"<div{self._name('main')}>{body}</div>"
        ending = self._rng.choice(["", " - ", "  |  "]) + self._title()[:20]
        return (
            f"<!doctype html><html><head><title>{html.escape(title)}{ending}</title></head><body>{body}</body></html>"
        )

    def _main(self, heading: str, article: list[str]) -> str:
        article = list(article)
        inside = (self._advert, self._signup, self._related, self._share, self._remark)
        for compose in self._rng.sample(inside, self._rng.choice([0, 1, 2, 3])):
            article.insert(self._rng.randint(1, len(article)), compose())
        if self._chance(0.15):
            article.insert(self._rng.randint(1, len(article)), self._jumps())
        if self._chance(0.3):
            heading = f"<header>{heading}</header>" if self._landmarks else f'<div class="title">{heading}</div>'
        if self._chance(0.4):
            heading = heading + self._share() if self._chance(0.5) else self._nav() + heading
        text = "".join(article)
        if self._chance(0.6):
            text = f"<div{self._name('body')}>{text}</div>"
        below = (self._share, self._author, self._meta, self._related, self._comments, self._edit, self._next)
        inner = heading + text + "".join(compose() for compose in below if self._chance(0.3))
        if not self._landmarks:
            return self._box("main", inner)
        inner = f"<article>{inner}</article>"
        return f"<main>{inner}</main>" if self._chance(0.6) else inner

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _name(self, role: str) -> str:
        if self._anonymous or self._chance(0.12):
            return f' class="c{self._rng.randrange(10**6):x}"'
        if self._chance(0.08):
            return ""
        name = self._rng.choice(NAMES[role])
        if self._chance(0.2):
            return f' id="{name}"'
        if self._chance(0.6):
            return f' class="{name}"'
        return f' class="{self._rng.choice(["x", "js", "u"])}-{name} {self._rng.choice(["wrap", "block", "inner"])}"'

    def _box(self, role: str, inner: str) -> str:
        tag = self._rng.choice(["div", "section", "div"])
        return f"<{tag}{self._name(role)}>{inner}</{tag}>"

    def _landmark(self, tag: str, role: str, inner: str) -> str:
        return f"<{tag}>{inner}</{tag}>" if self._landmarks and self._chance(0.8) else self._box(role, inner)

    def _link(self, text: str) -> str:
        if self._scripted:
            return f"<span>{html.escape(text)}</span>"
        return f'<a href="/{self._rng.randrange(999)}">{html.escape(text)}</a>'

    def _links(self, names: list[str], least: int, most: int) -> str:
        links = [self._link(name) for name in self._rng.sample(names, self._rng.randint(least, most))]
        if self._chance(0.4):
            return " ".join(links)
        return f"<ul>{''.join(f'<li>{link}</li>' for link in links)}</ul>"

    def _text(self, length: int = 400) -> str:
        return html.escape(self._rng.choice(self._snippets)[:length])

    def _title(self) -> str:
        return html.escape(self._rng.choice(self._titles))

    def _heading(self, role: str) -> str:
        text, level = self._rng.choice(HEADINGS[role]), self._rng.choice([2, 3, 4])
        return self._rng.choice([f"<h{level}>{text}</h{level}>"] * 3 + [f"<p><b>{text}</b></p>", f"<div>{text}</div>"])

    def _share(self) -> str:
        return self._box("share", (self._heading("share") if self._chance(0.6) else "") + self._links(NETWORKS, 2, 5))

    def _related(self) -> str:
        kind = self._rng.choice(["list", "cards", "articles"])
        parts = []
        for _ in range(self._rng.randint(2, 6)):
            link = self._link(self._title())
            if kind == "list":
                parts.append(f"<li>{link}</li>")
            elif kind == "cards":
                parts.append(f"<div{self._name('related')}><img src=x>{link}<p>{self._text(120)}</p></div>")
            else:
                parts.append(f"<article><h3>{link}</h3><p>{self._text(160)}</p></article>")
        inner = "".join(parts)
        return self._box("related", self._heading("related") + (f"<ul>{inner}</ul>" if kind == "list" else inner))

    def _deck(self) -> str:
        """Return many teasers of other documents, all of one shape: a headline, often with a sentence and a date."""
        tag, level = self._rng.choice(["div", "li", "article", "section", "a"]), self._rng.choice([2, 3, 3, 4])
        name, role = self._name("related"), self._rng.choice(["related", "related", "next", "main"])
        pictures, blurbs, dates, headings = (self._chance(share) for share in (0.6, 0.75, 0.5, 0.7))
        length = self._rng.choice([90, 150, 250, 400])
        teasers = []
        for _ in range(self._rng.randint(3, 20)):
            title = self._title() if tag == "a" else self._link(self._title())
            inner = "<img src=x>" if pictures else ""
            inner += f"<h{level}>{title}</h{level}>" if headings else f"<div>{title}</div>"
            inner += f"<p>{self._text(length)}</p>" if blurbs else ""
            if dates:
                day = f"{self._rng.randint(1, 28)} {self._rng.choice(MONTHS)} {self._rng.randint(2008, 2025)}"
                inner += self._rng.choice(
                    [f"<time>{day}</time>", f"<span>{day}</span>", f"<p>By {self._title()[:14]}, {day}</p>"]
                )
            address = f' href="/{self._rng.randrange(999)}"' if tag == "a" else ""
            teasers.append(f"<{tag}{address}{name}>{inner}</{tag}>")
        heading = self._heading("related") if self._chance(0.6) else ""
        inner = "".join(teasers)
        return self._box(role, heading + (f"<ul>{inner}</ul>" if tag == "li" else inner))

    def _remark(self) -> str:
        """Return a box of a few words."""
        role = self._rng.choice(["share", "related", "advert", "signup", "consent", "comments", "meta"])
        text = self._title() if self._chance(0.5) else self._rng.choice(SECTIONS)
        return self._box(role, text if self._chance(0.5) else f"<p>{text}</p>")

    def _jumps(self) -> str:
        """Return a list of links without a name or a heading."""
        names = self._rng.sample(SECTIONS, self._rng.randint(2, 4))
        return f"<ul>{''.join(f'<li><a href=/{name}>{name}</a></li>' for name in names)}</ul>"

    def _next(self) -> str:
        """Return the beginning of another document, which follows below."""
        label = self._rng.choice(["", f"<p>{self._rng.choice(HEADINGS['next'])}</p>", self._heading("next")])
        level = self._rng.choice([2, 3])
        title = self._link(self._title()) if self._chance(0.7) else self._title()
        text = "".join(f"<p>{self._text()}</p>" for _ in range(self._rng.randint(1, 4)))
        return self._box("next", f"{label}<h{level}>{title}</h{level}>{text}")

    def _advert(self) -> str:
        label = self._rng.choice(HEADINGS["advert"]) + self._rng.choice([". ", ": ", "</p><p>"])
        return self._box("advert", f"<p>{label}{self._text(140)}</p>")

    def _signup(self) -> str:
        form = (
            "<input type=email><button>OK</button>",
            "<form><input><button>Go</button></form>",
            self._link("Subscribe"),
        )
        return self._box("signup", f"{self._heading('signup')}<p>{self._text(110)}</p>{self._rng.choice(form)}")

    def _consent(self) -> str:
        heading = "<h2>We value your privacy</h2>" if self._chance(0.5) else ""
        text = f"<p>{self._rng.choice(CONSENT)}{self._text()}</p>"
        return self._box("consent", f"{heading}{text}<button>Accept</button><button>Reject</button>")

    def _comments(self) -> str:
        tag = self._rng.choice(["li", "div"])
        parts = []
        for _ in range(self._rng.randint(2, 7)):
            said = self._rng.choice(["says:", "· 2 days ago", "</p><p>", "on March 3"])
            reply = self._link("Reply") if self._chance(0.6) else ""
            name = self._title().split()[0]
            parts.append(f"<{tag}{self._name('comments')}><b>{name}</b> {said} <p>{self._text()}</p>{reply}</{tag}>")
        inner = f"<ol>{''.join(parts)}</ol>" if tag == "li" else "".join(parts)
        form = "<form><textarea></textarea><input><button>Post</button></form>" if self._chance(0.5) else ""
        return self._box("comments", self._heading("comments") + inner + form)

    def _author(self) -> str:
        heading = self._heading("author") if self._chance(0.6) else ""
        return self._box("author", f"{heading}<img src=a><p>{self._text(200)}</p>")

    def _nav(self) -> str:
        return self._landmark("nav", "nav", self._links(SECTIONS, 3, 9))

    def _header(self) -> str:
        return self._landmark("header", "header", self._box("header", self._link(self._title()[:20])) + self._nav())

    def _footer(self) -> str:
        rights = f"<p>© 2024 {self._title()[:25]}. {self._rng.choice(RIGHTS)}</p>"
        return self._landmark("footer", "footer", self._links(LEGAL, 2, 6) + rights)

    def _side(self) -> str:
        parts = (self._related, self._signup, self._author, self._advert)
        return self._landmark(
            "aside", "side", "".join(self._rng.choice(parts)() for _ in range(self._rng.randint(1, 3)))
        )

    def _meta(self) -> str:
        label = self._rng.choice(["Filed under ", "Tags: ", "Posted in "])
        return self._box("meta", label + ", ".join(map(self._link, self._rng.sample(SECTIONS, 2))))

    def _edit(self) -> str:
        first = self._rng.choice(["Edit this page", f"Previous: {self._title()[:30]}", "Report a mistake"])
        return self._box("edit", f"{self._link(first)} {self._link(f'Next: {self._title()[:30]}')}")


_LENGTHS = (120, 200, 300, 450, 700)  # words of an excerpt


def excerpt(source: Example, rng: random.Random) -> tuple[str, list[str]]:
    """Return a title, and the first part of a document as elements."""
    want = rng.choice(_LENGTHS)
    page = source.page
    tags = [page.tree.tags[node] for node in page.elements[page.owners].tolist()]
    kept = [(text, tag) for text, tag, label in zip(page.texts, tags, source.labels, strict=True) if label]
    article: list[str] = []
    items: list[str] = []
    words = 0
    for raw, tag in kept[1:]:
        text = html.escape(raw[:1500])
        words += max(len(text.split()), len(text) // 12)
        if tag == "li":
            items.append(f"<li>{text}</li>")
            continue
        if items:
            article.append(_list(items, rng))
            items = []
        article.append(_element(text, tag, rng))
        if words > want and len(article) > 2:
            break
    if items:
        article.append(_list(items, rng))
    if rng.random() < 0.4:
        place = rng.choice([len(article), rng.randint(1, len(article))])
        article.insert(place, _misleading_section(kept[-1][0], rng))
    return kept[0][0][:150], article


def _list(items: list[str], rng: random.Random) -> str:
    inner = "".join(items)
    return f"<ul>{inner}</ul>" if rng.random() < 0.8 else f'<ol class="references">{inner}</ol>'


def _element(text: str, tag: str, rng: random.Random) -> str:
    if tag in ("h1", "h2", "h3", "h4"):
        level = max(2, int(tag[1]))
        return f"<h{level}>{text}</h{level}>"
    if tag == "pre":
        return f"<pre>{text}</pre>"
    if rng.random() < 0.12:
        return f"<p>{text}</p>{_small_part(text, rng)}"
    if tag in ("td", "th"):
        row = f"<tr><th>{text}</th><td>{rng.randrange(999)}</td></tr>"
        return f"<table>{row}<tr><td>{text[:30]}</td><td>{rng.randrange(99)}</td></tr></table>"
    if tag == "figcaption" or (len(text) < 200 and rng.random() < 0.05):
        return f"<figure><img src=x><figcaption>{text}</figcaption></figure>"
    return f"<blockquote><p>{text}</p></blockquote>" if rng.random() < 0.05 else f"<p>{text}</p>"


def _small_part(text: str, rng: random.Random) -> str:
    """Return a part of a few words, such as a small table, that resembles boilerplate."""
    words = text.split()[: rng.randint(3, 12)]
    first, rest = " ".join(words[:2]), " ".join(words[2:])
    part = rng.choice(
        [
            f"<table><tr><th>{first}</th><td>{rest}</td></tr><tr><td>{len(rest)}</td></tr></table>",
            f"<blockquote><p>{rest}</p><footer>{first}</footer></blockquote>",
            f"<section><h2>{first}</h2><p>{rest}.</p></section>",
            f"<h3>{first}</h3><p>{rest}.</p>",
            f"<dl><dt>{first}</dt><dd>{rest}</dd></dl>",
            f"<ul><li>{first}</li><li>{rest}</li></ul>",
            f"<p>{rest}</p>",
        ]
    )
    return f'<div class="x">{part}</div>' if rng.random() < 0.4 else part


def _misleading_section(text: str, rng: random.Random) -> str:
    """Return a section of a document whose heading reads like that of boilerplate."""
    heading = rng.choice(SUBJECTS)
    body = f"<p>{html.escape(text[: rng.choice([30, 60, 200, 400])])}</p>" * rng.choice([1, 1, 2])
    slug = heading.lower().replace(" ", "-")
    return rng.choice(
        [
            f"<h2>{heading}</h2>{body}",
            f'<h3 id="{slug}">{heading}</h3>{body}',
            f'<section id="{slug}"><h2>{heading}</h2>{body}</section>',
            f'<div id="s-{slug}"><h3>{heading}</h3>{body}</div>',
        ]
    )
