"""Variants of labelled pages whose document is untouched: boxes are added, names changed, elements wrapped.

A reader of a variant reads the same document, so its text should be the same. `EDITS` are the counterpart: they change
the document, and a reader should see that. Boxes have names, or hashed ones. Their prose is from other pages (donors).
The classifier is trained with some names and phrases (`TRAINED`), and judged with others (`JUDGED`).
"""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchmarks.extraction.phrases import HEADINGS, NAMES, NETWORKS, SECTIONS

Change = Callable[["_Draft"], bool]
"""Changes a page; returns False if the page has no place for the change."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """What boxes are called, and what they say.

    Attributes:
        names: for each role the names of its elements.
        consent, signup, rights: sentences of banners about consent, of boxes to subscribe, and of footers.
        misleading: names of elements that hold a document.
    """

    names: dict[str, list[str]]
    consent: tuple[str, ...]
    signup: tuple[str, ...]
    rights: tuple[str, ...]
    misleading: tuple[str, ...]


TRAINED = Phrases(
    NAMES,
    (
        "We use cookies and similar technologies to store information on your device and to show you advertising.",
        "Wir und unsere Partner verwenden Cookies, um Inhalte und Werbung zu personalisieren. Stimmen Sie zu?",
        "Avec nos partenaires, nous utilisons des cookies pour mesurer l'audience. Vous pouvez accepter ou refuser.",
        "Мы используем файлы cookie, чтобы сайт работал лучше. Вы соглашаетесь с этим.",
    ),
    (
        "Get our best stories in your inbox every Sunday.",
        "Sign up for the weekly letter of the editors. You can leave at any time.",
        "Abonnieren Sie unseren Newsletter, der jeden Freitag kommt.",
        "Подпишитесь на нашу рассылку и читайте новости первыми.",
    ),
    ("All rights reserved. Reproduction needs permission.", "© 2019 The publishers. Printed in the old mill.", ""),
    ("paywall-content", "share-body", "article-modal", "newsletter-text", "story-widget", "comment-text", "side-main"),
)
JUDGED = Phrases(
    {
        "consent": ["cookie-layer cmp-banner", "gdpr-notice", "cookie-consent-bar", "privacy-overlay consent"],
        "signup": ["newsletter-signup", "subscribe-form", "mc-signup", "email-newsletter"],
        "share": ["article-share", "social-bar", "share-tools", "sharing"],
        "related": ["related-links", "recommended-posts", "more-related", "related-content"],
        "advert": ["advert-box", "ad-container", "sponsored-content", "promo-unit"],
        "comments": ["comments-wrap", "responses-list", "comment-thread"],
        "author": ["author-profile", "byline-box", "post-author"],
        "nav": ["top-navigation", "breadcrumbs", "menu-bar"],
        "header": ["page-header masthead", "site-banner"],
        "footer": ["page-footer", "footer-inner", "bottom-footer"],
        "side": ["right-sidebar", "sidebar-column", "widget-rail"],
    },
    (
        "We and our partners keep information on your device, for example cookies. You can accept or refuse it.",
        "This site needs your consent before it shows advertising that fits you. Read our policy about cookies.",
    ),
    (
        "One letter each week with what our newsroom found. Subscribe with your email.",
        "Join forty thousand readers of our newsletter. No advertising, and you can unsubscribe at any time.",
    ),
    (
        "This paper is printed by Valley Press and entered under number 4471. Copies of any part need our consent.",
        "© 2024 Harbour Media. Terms and conditions apply to every part of this site.",
    ),
    ("paywall", "print-modal", "article-share", "premium-widget", "post-comments-body", "subscription-article"),
)


class _Draft:
    """A page that is changed.

    Attributes:
        parser: the page.
        paragraphs: the innermost elements with a text of the document.
        container: the innermost element that holds all of them.
        rng, phrases: where the parts of boxes come from.
        donors: sentences that are not in the document.
    """

    def __init__(self, page: str, text: str, rng: random.Random, phrases: Phrases, donors: Sequence[str]) -> None:
        self.rng, self.phrases, self.hashed = rng, phrases, False
        self.text = "".join(text.split())
        self.donors = [donor for donor in donors if "".join(donor.split()) not in self.text]
        self.parse(page)
        self.prefix = f"css-{rng.randrange(1 << 20):x}"

    def parse(self, page: str) -> None:
        """Set the page."""
        self.parser = LexborHTMLParser(page)
        self.paragraphs = list(_paragraphs(self.parser, self.text))
        self.container = _holder(self.paragraphs)

    def change(self, kind: str) -> bool:
        """Change the page by a kind of noise; return False if there is no place for it."""
        self.hashed = kind.endswith(HASHED)
        return bool(self.paragraphs) and (BOXES.get(kind.removesuffix(HASHED)) or OTHERS[kind])(self)

    def name(self, role: str) -> str:
        """Return the class of an element with a role, or one that says nothing."""
        if self.hashed:
            return f' class="{self.prefix}{len(role)}"'
        return f' class="{self.rng.choice(self.phrases.names[role])}"'

    def prose(self, length: int = 160) -> str:
        return html.escape(self.rng.choice(self.donors)[:length])

    def title(self) -> str:
        return " ".join(self.prose(70).split()[:8])

    def link(self, text: str) -> str:
        return f'<a href="/x{self.rng.randrange(9999)}">{text}</a>'

    def add(self, fragment: str, place: str) -> bool:
        """Add an element at the start or the end of the body, before, after or in the document, or at its end."""
        new = LexborHTMLParser(f"<!doctype html><body>{fragment}</body>").body
        body, node = self.parser.body, new and new.first_child
        if body is None or node is None or self.container is None:
            return False
        if place == "start":
            first = body.first_child
            (first.insert_before if first else body.insert_child)(node)
        elif place == "end" or self.container.tag in ("body", "html"):
            body.insert_child(node)
        elif place == "before":
            self.container.insert_before(node)
        elif place == "after":
            self.container.insert_after(node)
        elif place == "last":
            self.container.insert_child(node)
        else:
            inner = [one for one in self.paragraphs if one.tag == "p"]
            if len(inner) < 3:
                return False
            inner[self.rng.randrange(1, len(inner) - 1)].insert_after(node)
        return True


_LEAVES = "p, li, h1, h2, h3, h4, h5, h6, td, dd, dt, pre, blockquote, div"
_BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, td, dd, dt, pre, blockquote, div, ul, ol, table, section, article"
_LEAST = 30  # characters of a paragraph that is looked for


def _paragraphs(parser: LexborHTMLParser, text: str) -> Iterator[LexborNode]:
    for node in parser.css(_LEAVES):
        own = "".join((node.text() or "").split())
        if len(own) >= _LEAST and own in text and not any(one.mem_id != node.mem_id for one in node.css(_BLOCKS)):
            yield node


def _above(node: LexborNode) -> list[LexborNode]:
    """Return the elements around a node, the outermost first."""
    found = []
    parent = node.parent
    while parent is not None and parent.tag not in ("-document", "-undef"):
        found.append(parent)
        parent = parent.parent
    return found[::-1]


def _holder(nodes: list[LexborNode]) -> LexborNode | None:
    if not nodes:
        return None
    first, last = _above(nodes[0]), _above(nodes[-1])
    common = takewhile(lambda pair: pair[0].mem_id == pair[1].mem_id, zip(first, last, strict=False))
    return [node for node, _ in common][-1]


def _consent(draft: _Draft) -> str:
    heading = draft.rng.choice(["<h2>Your choice</h2>", "<h3>We value your privacy</h3>", ""])
    text = f"{heading}<p>{draft.rng.choice(draft.phrases.consent)}</p>"
    return f"<div{draft.name('consent')}>{text}<button>OK</button></div>"


def _signup(draft: _Draft) -> str:
    form = draft.rng.choice(["<form><input type=email><button>Send</button></form>", "<input><button>Go</button>"])
    heading = html.escape(draft.rng.choice(HEADINGS["signup"]))
    return f"<div{draft.name('signup')}><h3>{heading}</h3><p>{draft.rng.choice(draft.phrases.signup)}</p>{form}</div>"


def _share(draft: _Draft) -> str:
    links = "".join(f"<li>{draft.link(name)}</li>" for name in draft.rng.sample(NETWORKS, 4))
    return f"<div{draft.name('share')}><span>{draft.rng.choice(HEADINGS['share'])}</span><ul>{links}</ul></div>"


def _related(draft: _Draft) -> str:
    links = "".join(f"<li>{draft.link(draft.title())}</li>" for _ in range(draft.rng.randint(3, 7)))
    return f"<div{draft.name('related')}><h3>{draft.rng.choice(HEADINGS['related'])}</h3><ul>{links}</ul></div>"


def _cards(draft: _Draft) -> str:
    cards = "".join(
        f"<div{draft.name('related')}><img src=x><h4>{draft.link(draft.title())}</h4><p>{draft.prose()}</p></div>"
        for _ in range(draft.rng.randint(3, 8))
    )
    return f"<div{draft.name('related')}><h3>{draft.rng.choice(HEADINGS['related'])}</h3>{cards}</div>"


def _invitation(draft: _Draft) -> str:
    label = draft.rng.choice(["Read more:", "See also:", "Lesen Sie auch:", "Читайте также:"])
    return f"<p{draft.name('related')}>{label} {draft.link(draft.title())}</p>"


def _advert(draft: _Draft) -> str:
    label = draft.rng.choice(HEADINGS["advert"])
    return f"<div{draft.name('advert')}><small>{label}</small><p>{draft.title()}</p></div>"


def _comment(draft: _Draft) -> str:
    name = draft.title().split()[0]
    said = f"<b>{name}</b> <span>{draft.rng.randint(2, 28)} March 2021</span><p>{draft.prose(260)}</p>"
    return f"<div{draft.name('comments')}>{said}{draft.link('Reply')}</div>"


def _comments(draft: _Draft) -> str:
    inner = "".join(_comment(draft) for _ in range(draft.rng.randint(2, 5)))
    return f"<section{draft.name('comments')}><h3>{draft.rng.choice(HEADINGS['comments'])}</h3>{inner}</section>"


def _author(draft: _Draft) -> str:
    heading = draft.rng.choice(HEADINGS["author"])
    return f"<div{draft.name('author')}><h4>{heading}</h4><img src=a><p>{draft.prose(120)}</p></div>"


def _menu(draft: _Draft) -> str:
    links = " ".join(draft.link(name) for name in draft.rng.sample(SECTIONS, 7))
    return f"<div{draft.name('nav')}>{links}</div>"


def _header(draft: _Draft) -> str:
    tag = "div" if draft.hashed else draft.rng.choice(["header", "div"])
    return f"<{tag}{draft.name('header')}><div>{draft.link(draft.title()[:20])}</div>{_menu(draft)}</{tag}>"


def _footer(draft: _Draft, tag: str = "div") -> str:
    links = " ".join(draft.link(name) for name in ("Privacy", "Terms", "Imprint", "Jobs"))
    rights = draft.rng.choice(draft.phrases.rights)
    return f"<{tag}{draft.name('footer')}><p>{rights}</p>{links if draft.rng.random() < 0.6 else ''}</{tag}>"


def _side(draft: _Draft) -> str:
    return f"<div{draft.name('side')}>{_related(draft)}{_advert(draft)}</div>"


def _at(compose: Callable[[_Draft], str], *places: str) -> Change:
    return lambda draft: draft.add(compose(draft), draft.rng.choice(places))


def _nodes(draft: _Draft, selector: str = "*") -> list[LexborNode]:
    return draft.parser.body.css(selector) if draft.parser.body else []


def _misname(draft: _Draft) -> bool:
    if draft.container is None or draft.container.tag in ("body", "html"):
        return False
    attributes = draft.container.attrs
    old = attributes.get("class") if "class" in draft.container.attributes else ""
    attributes["class"] = f"{old or ''} {draft.rng.choice(draft.phrases.misleading)}".strip()
    return True


def _misname_paragraphs(draft: _Draft) -> bool:
    name = draft.rng.choice(draft.phrases.misleading)
    for node in draft.paragraphs[1:]:
        node.attrs["class"] = name
    return len(draft.paragraphs) > 1


def _hash(draft: _Draft) -> bool:
    """Replace each name in a class or an id, the same one by the same."""
    names: dict[str, str] = {}
    for node in _nodes(draft):
        for key in ("class", "id"):
            if value := node.attributes.get(key):
                words = (names.setdefault(word, f"x{draft.rng.randrange(1 << 24):x}") for word in value.split())
                node.attrs[key] = " ".join(words)
    return True


def _unlandmark(draft: _Draft) -> bool:
    found = False
    text = draft.parser.html or ""
    for tag in ("main", "article", "section", "aside", "header", "footer", "nav"):
        found |= f"<{tag}" in text
        text = text.replace(f"</{tag}>", "</div>").replace(f"<{tag} ", "<div ").replace(f"<{tag}>", "<div>")
    draft.parse(text)
    return found


def _wrap(nodes: Callable[[_Draft], list[LexborNode]]) -> Change:
    def change(draft: _Draft) -> bool:
        found = nodes(draft)
        for node in found:
            wrapper = LexborHTMLParser(f'<div class="{draft.prefix}w"></div>').body
            if wrapper is None or wrapper.first_child is None:
                return False
            node.insert_before(wrapper.first_child)
            if (new := node.prev) is not None:
                new.insert_child(node)
                node.decompose()
        return bool(found)

    return change


def _mark_up(draft: _Draft) -> bool:
    """Add attributes, a comment and a script, which no reader sees."""
    for number, node in enumerate(_nodes(draft)):
        if number % 3 == 0:
            node.attrs["data-v"] = str(number)
    return draft.add("<script>var x = 'a script';</script>", "start")


def _undeclare(draft: _Draft) -> bool:
    """Remove what the head declares about the page."""
    metas = draft.parser.css('meta[property^="og:"], script[type="application/ld+json"]')
    for node in metas:
        node.decompose()
    return bool(metas)


BOXES: dict[str, Change] = {
    "consent": _at(_consent, "start", "end"),
    "sign-up in the document": _at(_signup, "inside"),
    "sign-up after it": _at(_signup, "after", "last", "end"),
    "share": _at(_share, "before", "last", "after"),
    "share in the document": _at(_share, "inside"),
    "related links": _at(_related, "last", "after", "end"),
    "related links in the document": _at(_related, "inside"),
    "related cards": _at(_cards, "last", "after", "end"),
    "invitation": _at(_invitation, "inside"),
    "advert": _at(_advert, "inside", "before"),
    "comments": _at(_comments, "last", "after", "end"),
    "author": _at(_author, "last", "after"),
    "menu": _at(_menu, "start", "before"),
    "header": _at(_header, "start"),
    "footer": _at(_footer, "end"),
    "side": _at(_side, "before", "after"),
}
"""Boxes that are added, with names and with hashed names."""

OTHERS: dict[str, Change] = {
    "footer element": _at(lambda draft: _footer(draft, "footer"), "end"),
    "misleading class of the document": _misname,
    "misleading class of its paragraphs": _misname_paragraphs,
    "all names hashed": _hash,
    "landmarks become div": _unlandmark,
    "wrapper around each paragraph": _wrap(lambda draft: [one for one in draft.paragraphs if one.tag == "p"]),
    "wrapper around the document": _wrap(
        lambda draft: [draft.container] if draft.container and draft.container.tag not in ("body", "html") else []
    ),
    "attributes and scripts": _mark_up,
    "no declarations": _undeclare,
}
HASHED = ", hashed"
KINDS = tuple([f"{name}{ending}" for name in BOXES for ending in ("", HASHED)] + list(OTHERS))
"""The kinds of variants."""


def unchanged(page: str) -> str:
    """Return a page as it is written after parsing: variants differ from it in their change only."""
    return LexborHTMLParser(page).html or ""


def variant(
    page: str, text: str, kinds: Sequence[str], donors: Sequence[str], *, phrases: Phrases = JUDGED
) -> str | None:
    """Return a page with changes that leave its document untouched, or None if it has no place for them.

    Args:
        page: the page, decoded.
        text: the text of its document.
        kinds: some of `KINDS`.
        donors: sentences of other documents, for teasers and comments.
        phrases: names and phrases of boxes.
    """
    draft = _Draft(page, text, random.Random(f"{kinds} {page}"), phrases, donors)
    return draft.parser.html if sum(map(draft.change, kinds)) else None


def _replace(draft: _Draft, text: str, place: int) -> bool:
    if not draft.paragraphs:
        return False
    node = draft.paragraphs[place]
    new = LexborHTMLParser(f"<p>{text}</p>").body
    if new is None or new.first_child is None:
        return False
    node.insert_after(new.first_child)
    return True


EDITS: dict[str, Callable[[_Draft], bool]] = {
    "a sentence added": lambda draft: _replace(draft, draft.prose(200), len(draft.paragraphs) // 2),
    "a paragraph removed": lambda draft: _remove(draft),
}


def _remove(draft: _Draft) -> bool:
    if len(draft.paragraphs) < 3:
        return False
    draft.paragraphs[len(draft.paragraphs) // 2].decompose()
    return True


def edited(page: str, text: str, kind: str, donors: Sequence[str]) -> str | None:
    """Return a page whose document is changed by one of `EDITS`, or None if it is too short."""
    draft = _Draft(page, text, random.Random(f"{kind} {page}"), JUDGED, donors)
    return draft.parser.html if EDITS[kind](draft) else None
