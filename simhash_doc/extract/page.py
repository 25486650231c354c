"""What of a web page is the document, and what is furniture round it.

Three questions, in this order. Does the meaning of an element in HTML, or its name, say that it is no part of the
text (`nav`, a cookie dialog, what is hidden)? Does it look like navigation: short texts, nearly all of them links, or
a small box with controls? Is it left over beside the one element that holds nearly all of the page's prose? Place,
order and style are never asked for, so another design round the same article leaves the same text.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

NEVER_TEXT = frozenset(
    "applet area audio base canvas col colgroup command datalist embed frame frameset head iframe input link map "
    "meta noframes noscript object optgroup option param progress script select source style svg template "
    "textarea title track video".split()
)
"""Elements whose content no reader reads as text."""

_CONTROLS = frozenset({"button", "input", "select", "textarea"})
_OUT = frozenset({"nav", "menu", "dialog", "search"})
_ROLES_OUT = frozenset(
    "alert alertdialog contentinfo dialog menu menubar menuitem navigation search searchbox status tablist toolbar "
    "tooltip".split()
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_FURNITURE = frozenset(
    "ad ads advert advertisement advertising adsense breadcrumb breadcrumbs byline catlinks comments consent cookie "
    "cookies disqus editsection footer gdpr headerlink login masthead menu menubar metadata modal nav navbar navbox "
    "navigation newsletter noprint outbrain pager pagination paywall popup printfooter promo recommended related "
    "rss share sharing sidebar signin signup skip social sponsor sponsored subscribe subscription taboola tags "
    "toolbar widget widgets".split()
)
"""Words in a class that name furniture."""

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
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_TEXT_BLOCKS = _HEADINGS | {
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
}
_CELLS = frozenset({"tr", "td", "th"})
_JUDGED_BY_LINKS = frozenset("ul ol dl table div section p td center header footer aside address".split()) | _HEADINGS
_BOXES = frozenset({"div", "section", "aside", "form", "fieldset"})
_REFERENCES = re.compile(
    r"\b(?:references?|bibliography|footnotes?|endnotes?|citations?|csl|reflist|notes)\b", re.IGNORECASE
)

_WRAPPER = 0.4
"""An element with more of the page's text is the document or round it, whatever it is called."""

_MAIN = 1 / 3
"""`main` and `article` are believed if they hold so much of the page's text."""

_NEARLY_ALL = 0.75
"""The share of the prose that the document's own element holds, where no element says that it is the document."""

_LINKED = 0.75
_LINK_CHARACTERS = 60
_BOX_CHARACTERS = 400
_LEFT_OVER_CHARACTERS = 300
_LEFT_OVER_LINKED = 0.1


def document(body: HtmlElement) -> tuple[HtmlElement, set[HtmlElement]]:
    """Return the element that holds the document, and the elements in it to leave out."""
    out = hidden(body)
    measure = _Measure(body, out)
    root = _declared_main(body, measure)
    out |= {e for e in measure.seen if e is not root and _named(e, root, measure)}
    measure = _Measure(root, out)
    out |= {e for e in measure.seen if e is not root and (_link_dense(e, root, measure) or _control_box(e, measure))}
    if root is body:
        out |= _left_over(body, _Measure(body, out))
    return root, out


def hidden(body: HtmlElement) -> set[HtmlElement]:
    """Return the elements that a browser does not show."""
    return {e for e in body.iter() if isinstance(e.tag, str) and _unseen(e)}


class _Measure:
    """Characters of text, white space aside, below every element that is not left out."""

    def __init__(self, root: HtmlElement, out: set[HtmlElement]) -> None:
        self.text: dict[HtmlElement, int] = {}
        self.linked: dict[HtmlElement, int] = {}
        self.links: dict[HtmlElement, int] = {}
        self.controls: dict[HtmlElement, int] = {}
        self.verbatim: dict[HtmlElement, int] = {}
        self.references: dict[HtmlElement, int] = {}
        self.seen: list[HtmlElement] = []
        stack = [root]
        while stack:
            element = stack.pop()
            self.seen.append(element)
            stack.extend(child for child in element if isinstance(child.tag, str) and child not in out)
        self.total = 0
        for element in reversed(self.seen):  # children come before their parents
            self._count(element)
        self.total = self.text[root]

    def _count(self, element: HtmlElement) -> None:
        tag = element.tag
        shown = tag not in NEVER_TEXT and not is_control(element)
        text = _characters(element.text) if shown else 0
        linked = links = verbatim = references = 0
        controls = int(tag in _CONTROLS and element.get("type") != "hidden" and not shown)
        for child in element:
            text += _characters(child.tail) if shown else 0
            if child in self.text:
                if shown:
                    text += self.text[child]
                    linked += self.linked[child]
                links += self.links[child]
                controls += self.controls[child]
                verbatim += self.verbatim[child]
                references += self.references[child]
        if tag == "a" and element.get("href"):
            linked, links = text, 1
        if tag in ("pre", "table", "figure", "math"):
            verbatim += 1
        if _REFERENCES.search(f"{element.get('class')} {element.get('id')}"):
            references += 1
        self.text[element], self.linked[element], self.links[element] = text, linked, links
        self.controls[element], self.verbatim[element], self.references[element] = controls, verbatim, references

    def density(self, element: HtmlElement) -> float:
        """Return the share of an element's text that is inside links, 0 to 1."""
        text = self.text[element]
        return self.linked[element] / text if text else 0.0

    def prose(self, element: HtmlElement) -> int:
        """Return the characters of text outside links."""
        return self.text[element] - self.linked[element]


def is_control(element: HtmlElement) -> bool:
    """Whether an element is a button. The buttons that open a section are its heading."""
    if element.tag != "button":
        return False
    parent = element.getparent()
    return parent is None or parent.tag not in _HEADINGS


def _characters(text: str | None) -> int:
    return len("".join(text.split())) if text else 0


def _unseen(element: HtmlElement) -> bool:
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or bool(_HIDDEN.search(element.get("style", "")))
        or not _UNSEEN.isdisjoint((element.get("class") or "").split())
    )


def _declared_main(body: HtmlElement, measure: _Measure) -> HtmlElement:
    """Return the element that says it is the document and holds a good part of the text; else the body."""
    for tag in ("main", "article"):
        found = [e for e in measure.seen if e.tag == tag or e.get("role") == tag]
        if found:
            largest: HtmlElement = max(found, key=lambda e: measure.text[e])
            if measure.text[largest] > _MAIN * measure.total:
                return largest
    return body


def _named(element: HtmlElement, root: HtmlElement, measure: _Measure) -> bool:
    """Whether an element's tag, role, class or id says that it is furniture."""
    if element.tag in ("body", "main", "article", "html") or measure.text[element] > _WRAPPER * measure.total:
        return False
    role = element.get("role")
    if element.tag == "header" or role == "banner":
        return not (_holds(element, "h1", measure) and measure.density(element) < 0.5)
    if element.tag == "aside" or role == "complementary":
        return root.tag in ("body", "html") or measure.density(element) > 0.5
    if element.tag == "footer":
        return element.getparent().tag not in ("blockquote", "figure")
    if element.tag in _OUT or role in _ROLES_OUT:
        return True
    if element.tag in _INLINE:
        return not _INLINE_FURNITURE.isdisjoint((element.get("class") or "").split())
    if not _FURNITURE.isdisjoint(word.lower() for word in _WORD.findall(element.get("class") or "")):
        return True
    return element.tag not in _TEXT_BLOCKS and bool(_FURNITURE_ID.fullmatch(element.get("id") or ""))


def _holds(element: HtmlElement, tag: str, measure: _Measure) -> bool:
    return any(measure.text.get(found) for found in element.iter(tag))


def _link_dense(element: HtmlElement, root: HtmlElement, measure: _Measure) -> bool:
    """Whether an element is a list of links, and no list of references."""
    links = measure.links[element]
    if element.tag not in _JUDGED_BY_LINKS or not links:
        return False
    if measure.density(element) < _LINKED or measure.text[element] > _LINK_CHARACTERS * links:
        return False
    if links < 3 and element.tag not in ("ul", "ol", "div", "section"):
        return False
    if measure.references[element]:
        return False
    while element is not root:
        element = element.getparent()
        if _REFERENCES.search(f"{element.get('class')} {element.get('id')}"):
            return False
    return True


def _control_box(element: HtmlElement, measure: _Measure) -> bool:
    """Whether an element is a small box with controls, such as a form to subscribe to something."""
    return (
        element.tag in _BOXES
        and measure.controls[element] > 0
        and measure.text[element] < min(_BOX_CHARACTERS, _WRAPPER * measure.total)
        and not measure.verbatim[element]
        and not _holds(element, "h1", measure)
    )


def _left_over(body: HtmlElement, measure: _Measure) -> set[HtmlElement]:
    """Return what stands beside the element that holds nearly all prose, and is neither prose itself nor the title."""
    out: set[HtmlElement] = set()
    element = body
    while True:
        children = [child for child in element if child in measure.text]
        largest = max(children, key=measure.prose, default=None)
        if largest is None or measure.prose(largest) < _NEARLY_ALL * measure.prose(body):
            return out
        if largest.tag in _TEXT_BLOCKS - _CELLS or any(
            _alike(child, largest) for child in children if measure.prose(child)
        ):
            return out
        for child in children:
            if child is not largest and child.tag not in _TEXT_BLOCKS - _CELLS and not _document_like(child, measure):
                out.add(child)
        element = largest


def _alike(element: HtmlElement, largest: HtmlElement) -> bool:
    """Whether two elements are of one kind, such as the sections of one document."""
    if element is largest or element.tag in _CELLS:  # one cell that holds nearly all prose is a page's layout
        return False
    return (element.tag, element.get("class")) == (largest.tag, largest.get("class"))


def _document_like(element: HtmlElement, measure: _Measure) -> bool:
    if _holds(element, "h1", measure):
        return True
    return (
        measure.prose(element) >= _LEFT_OVER_CHARACTERS
        and measure.density(element) <= _LEFT_OVER_LINKED
        and not measure.controls[element]
    )
