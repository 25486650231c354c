"""The tree of a web page: what of it is the document, and what is furniture round it.

Two questions are asked of every element: does its meaning in HTML say that it is no part of the text (`nav`, a
cookie dialog, a hidden element), and if its meaning says nothing, does it look like navigation (short texts, nearly all
of them links)? Elements are never judged by their place on the page, so another design round the same article
leaves the same text.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

NEVER_TEXT = frozenset(
    "applet area audio base button canvas col colgroup command datalist dialog embed frame frameset head iframe input "
    "link map menu meta nav noframes noscript object optgroup option param progress script select source style svg "
    "template textarea title track video".split()
)
"""Elements whose content no reader reads as the document."""

_ROLES_OUT = frozenset(
    "alert alertdialog banner complementary contentinfo dialog menu menubar menuitem navigation search searchbox "
    "status tablist toolbar tooltip".split()
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_FURNITURE = frozenset(
    "ad ads advert advertisement advertising adsense breadcrumb breadcrumbs byline catlinks comments consent cookie "
    "cookies disqus editsection footer gdpr headerlink login masthead menu menubar metadata modal nav navbar navbox "
    "navigation newsletter noprint outbrain pager pagination paywall popup printfooter promo recommended related "
    "rss share sharing sidebar signin signup skip social sponsor sponsored subscribe subscription taboola tags "
    "toolbar widget widgets".split()
)
"""Words in a class or an id that name furniture."""

_FURNITURE_ID = re.compile(
    r"(?:site|page|main|global|top|bottom|left|right|mobile|primary|secondary|social|user|language)?[-_]?"
    r"(?:ads?|breadcrumbs?|catlinks|colophon|comments|disqus_thread|footer|masthead|menu|nav|navbar|navigation|newsletter|"
    r"pagination|related|share|side-?bar|toolbar|respond|reply)"
    r"|(?:cookies?|consent|gdpr|onetrust|cookiebot|cybotcookiebot|didomi|usercentrics|qc-cmp|sp_message)"
    r"[-_]?(?:banner|bar|notice|popup|modal|dialog|consent|message|overlay|container|law-info-bar|sdk|host|root).*",
    re.IGNORECASE,
)
"""Whole ids that name furniture. An id is often the slug of a heading, so words in it prove nothing."""

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_UNSEEN = frozenset({"hidden", "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader"})
_INLINE = frozenset(
    "a abbr b bdi bdo cite code del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var".split()
)
_INLINE_FURNITURE = frozenset(
    {"headerlink", "anchor", "anchorjs-link", "mw-editsection", "editsection", "permalink", "pilcrow"}
)
_TEXT_BLOCKS = frozenset(
    {
        "p",
        "li",
        "dt",
        "dd",
        "td",
        "th",
        "tr",
        "pre",
        "blockquote",
        "figure",
        "figcaption",
        "caption",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    }
)
_SPACE = re.compile(r"\s+")
_BLOCKS_JUDGED = frozenset("ul ol dl table div section p td center header footer aside address h2 h3 h4 h5 h6".split())
_REFERENCES = re.compile(
    r"\b(?:references?|bibliography|footnotes?|endnotes?|citations?|csl|reflist|notes)\b", re.IGNORECASE
)


def prune(body: HtmlElement) -> HtmlElement:
    """Take the furniture out of a page's tree, in place, and return the element that holds the document."""
    _drop([e for e in body.iter() if not isinstance(e.tag, str) or e.tag in NEVER_TEXT or _unseen(e)], body)
    total = _length(body)
    root = _main(body, total)
    measure = _Measure(root)
    _drop([e for e in root.iter() if e is not root and _named_furniture(e, root, measure, total)], root)
    measure = _Measure(root)
    _drop([e for e in root.iter() if e is not root and _link_dense(e, root, measure)], root)
    return root


class _Measure:
    """Characters of text, and of text inside links, below every element: shape (elements,), counted once."""

    def __init__(self, root: HtmlElement) -> None:
        self.text: dict[HtmlElement, int] = {}
        self.linked: dict[HtmlElement, int] = {}
        self.links: dict[HtmlElement, int] = {}
        elements = list(root.iter())
        for element in reversed(elements):  # children come before their parents
            text = _count(element.text)
            linked = links = 0
            for child in element:
                text += self.text.get(child, 0) + _count(child.tail)
                linked += self.linked.get(child, 0)
                links += self.links.get(child, 0)
            if element.tag == "a" and element.get("href"):
                linked, links = text, 1
            self.text[element], self.linked[element], self.links[element] = text, linked, links

    def density(self, element: HtmlElement) -> float:
        """Return the share of an element's text that is inside links, 0 to 1."""
        text = self.text[element]
        return self.linked[element] / text if text else 0.0


def _count(text: str | None) -> int:
    return len(_SPACE.sub("", text)) if text else 0


def _length(element: HtmlElement) -> int:
    return sum(_count(text) for text in element.itertext())


def _drop(elements: list[HtmlElement], root: HtmlElement) -> None:
    for element in elements:
        parent = element.getparent()
        if parent is None or element is root:
            continue
        tail = element.tail
        previous = element.getprevious()
        gap = " " if element.tag in ("sup", "span", "a", "button") else "\n"
        if previous is None:
            parent.text = (parent.text or "") + gap + (tail or "")
        else:
            previous.tail = (previous.tail or "") + gap + (tail or "")
        parent.remove(element)


def _unseen(element: HtmlElement) -> bool:
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or bool(_HIDDEN.search(element.get("style", "")))
        or not _UNSEEN.isdisjoint((element.get("class") or "").split())
    )


def _main(body: HtmlElement, total: int) -> HtmlElement:
    """Return the one element that says it is the document and holds a good part of the text; else the body."""
    for path in (".//main | .//*[@role='main']", ".//article | .//*[@role='article']"):
        found = [(_length(e), e) for e in body.xpath(path)]
        if found:
            length, element = max(found, key=lambda pair: pair[0])
            if 3 * length >= total:
                return element
    return body


def _words(value: str | None) -> set[str]:
    return {word.lower() for word in _WORD.findall(value)} if value else set()


def _named_furniture(element: HtmlElement, root: HtmlElement, measure: _Measure, total: int) -> bool:
    if element.tag in ("body", "main", "article", "html"):
        return False
    if measure.text[element] * 5 > total * 2:  # a wrapper round the document, whatever it is called
        return False
    role = element.get("role")
    if element.tag == "header" or role == "banner":
        return not (element.xpath(".//h1") and measure.density(element) < 0.5)
    if element.tag == "aside" or role == "complementary":
        return root.tag in ("body", "html") or measure.density(element) > 0.5
    if element.tag == "footer":
        return element.getparent().tag not in ("blockquote", "figure")
    if role in _ROLES_OUT:
        return True
    if element.tag in _INLINE:
        return not _INLINE_FURNITURE.isdisjoint((element.get("class") or "").split())
    if not _FURNITURE.isdisjoint(_words(element.get("class"))):
        return True
    return element.tag not in _TEXT_BLOCKS and bool(_FURNITURE_ID.fullmatch(element.get("id") or ""))


def _link_dense(element: HtmlElement, root: HtmlElement, measure: _Measure) -> bool:
    if element.tag not in _BLOCKS_JUDGED:
        return False
    links = measure.links[element]
    if not links or measure.density(element) < 0.75 or measure.text[element] / links > 60:
        return False
    if links < 3 and element.tag not in ("ul", "ol", "div", "section"):
        return False
    while element is not None and element is not root:
        if _REFERENCES.search(f"{element.get('class')} {element.get('id')}"):
            return False
        element = element.getparent()
    return True
