"""The blocks of text on a web page: what a browser shows as paragraphs, headings, cells and list items.

What a reader of the page does not see as text is left out. Formulas in TeX become text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from simhash_doc.extract.html.names import is_panel
from simhash_doc.extract.text_builder import TextBuilder

NEVER_TEXT = frozenset(
    "applet area audio base canvas col colgroup command datalist embed frame frameset head iframe input link map "
    "meta noframes noscript object optgroup option param progress script select source style svg template "
    "textarea title track video".split()
)
"""Elements whose content is never shown as text."""

BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search "
    "section summary table tbody td tfoot th thead tr ul xmp listing plaintext".split()
)
"""Elements that begin and end a block of text."""

HEADING_ANCHORS = frozenset({"headerlink", "anchor", "anchorjs-link", "permalink", "pilcrow"})
"""Classes of the permanent link of a heading, which is shown as a sign."""

EDIT_LINKS = frozenset({"mw-editsection", "editsection"})
"""Classes of the link with which readers edit a section."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_NESTED = 8
"""Elements in one another that are marked as hidden and shown nevertheless."""

_STRING = etree.XPath("string()", smart_strings=False)

_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MAY_BE_HIDDEN = (
    "descendant::*[@hidden or @aria-hidden or @style or "
    "contains(@class, 'hidden') or contains(@class, 'sr-only') or contains(@class, 'screen')]"
)
_CANDIDATES = etree.XPath(_MAY_BE_HIDDEN)
_COUNT_CANDIDATES = etree.XPath(f"count({_MAY_BE_HIDDEN})")
_HIDDEN_CLASSES = frozenset(
    {"hidden", "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader"}
)


def hidden_elements(body: HtmlElement) -> set[HtmlElement]:
    """Return the elements that a browser does not show (SD-EXTRACT-5).

    An element with most of the text of the page waits for a script that shows it, or is behind a dialog: it counts as
    shown. So does a panel that readers open, such as an accordion.
    """
    hidden = set()
    most = text_length(body) / 2
    measured = 0
    candidates = iter(_CANDIDATES(body))
    for element in candidates:
        if _is_hidden(element) and not is_panel(element):
            if measured > _NESTED or text_length(element) <= most:
                hidden.add(element)
                deque(islice(candidates, int(_COUNT_CANDIDATES(element))), maxlen=0)  # those inside
            else:
                measured += 1
    return hidden


def text_length(root: HtmlElement) -> int:
    """Return the number of characters of text, without white space, outside the descendants `NEVER_TEXT`."""
    total = characters(_STRING(root))
    nested = 0
    for element in root.iter(*NEVER_TEXT):
        if nested:
            nested -= 1
        elif element is not root:
            nested = sum(1 for _ in element.iter(*NEVER_TEXT)) - 1
            total -= characters(_STRING(element))
    return total


def characters(text: str | None) -> int:
    """Return the number of characters that are not white space."""
    return len("".join(text.split())) if text else 0


def is_button(element: HtmlElement) -> bool:
    """Return True if an element is a button.

    A button in a heading opens a section: its text is the heading. A button that was never closed holds the page.
    """
    if element.tag != "button":
        return False
    parent = element.getparent()
    if parent is not None and parent.tag in HEADINGS:
        return False
    return element.find(".//article") is None and element.find(".//main") is None and element.find(".//h1") is None


def _is_hidden(element: HtmlElement) -> bool:
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or _HIDDEN_STYLE.search(element.get("style", "")) is not None
        or not _HIDDEN_CLASSES.isdisjoint((element.get("class") or "").split())
    )


_MARKUP = re.compile(r"\\(?:begin|end|label|tag)\{[^{}]*\}|\\[a-zA-Z]+\*?|\\.|[{}_^$&]")
_OPENING = re.compile(r"\\[(\[]")
_CLOSING = {"\\(": "\\)", "\\[": "\\]"}
_LONGEST = {"\\(": 2000, "\\[": 4000}  # characters of a formula


def without_inline_tex(text: str) -> str:
    r"""Return a text with the formulas in it, \(...\) and \[...\], as they appear in print."""
    pieces: list[str] = []
    end = 0
    closings = dict.fromkeys(_CLOSING, 0)  # of each kind: the next one, or -1 if there is none
    for found in _OPENING.finditer(text):
        mark, first = found[0], found.end() + 1  # a formula has a character or more
        if found.start() < end:
            continue
        if 0 <= closings[mark] < first:
            closings[mark] = text.find(_CLOSING[mark], first)
        closing = closings[mark]
        if first <= closing <= found.end() + _LONGEST[mark]:
            pieces += text[end : found.start()], without_tex(text[found.start() : closing + 2])
            end = closing + 2
    return "".join([*pieces, text[end:]])


def without_tex(formula: str) -> str:
    """Return the letters and numbers of a TeX formula, as they appear in print."""
    return _MARKUP.sub(lambda found: "" if found[0] in "{}_^" else " ", formula)


_VERBATIM = frozenset({"pre", "xmp", "listing", "plaintext", "textarea"})
_ANNOTATIONS = frozenset({"rp", "rt", "rtc", "annotation", "annotation-xml"})
"""Ruby annotations and the source of formulas: they repeat text that is shown."""
_CONTROLS = frozenset({"button", "input", "select", "textarea"})
_PICTURES = frozenset({"img", "picture", "svg", "video", "iframe"})


@dataclass(slots=True)
class Page:
    """The shown elements of a page in document order, and its blocks of text.

    An element is identified by its position in `elements`, a block by its position in `texts`.

    Attributes:
        elements: the elements.
        parents: for each element its parent; 0 for the root, which is element 0.
        paths: for each element a number for the tags and classes from the root to it.
        first: for each element its first block.
        last: for each element the block after its last one.
        controls: for each element the number of form controls in it.
        pictures: for each element the number of pictures in it.
        texts: the text of each block.
        owners: for each block the innermost block element that holds its start.
        links: for each block the number of links in it.
        linked: for each block the number of characters inside links, without white space.
    """

    elements: list[HtmlElement] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    paths: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    controls: list[int] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)

    def block_paths(self) -> list[int]:
        """Return for each block the path of its owner."""
        return [self.paths[owner] for owner in self.owners]


def read_blocks(root: HtmlElement, excluded: Collection[HtmlElement] = ()) -> Page:
    """Return the blocks of a tree as a browser shows it, without the elements `excluded` (SD-EXTRACT-8)."""
    return _Walk(root, excluded).page


class _Walk:
    def __init__(self, root: HtmlElement, excluded: Collection[HtmlElement]) -> None:
        self.page = Page()
        self._builder = TextBuilder()
        self._open: list[int] = []
        self._numbers: dict[tuple[int, str, str], int] = {}
        self._block_elements: list[int] = []
        self._anchors = self._links = self._linked = self._controls = self._pictures = 0
        self._owner: int | None = None
        for element in root.iter("span", "div"):
            if "math" in (element.get("class") or "").split() and len(element) == 0 and element.text:
                element.text = without_tex(element.text)
        walk = etree.iterwalk(root, events=("start", "end"))
        skipped = False
        for event, element in walk:
            tag = element.tag if isinstance(element.tag, str) else ""
            if event == "start":
                skipped = element in excluded or _is_never_text(element, tag)
                if skipped:
                    walk.skip_subtree()
                    self._skip(element, tag)
                else:
                    self._start(element, tag)
            else:
                if skipped:
                    skipped = False
                    if tag in BLOCKS:
                        self._end_block()
                else:
                    self._end(element, tag)
                if element is not root:
                    self._add(element.tail)
        self._end_block()
        self.page.texts = self._builder.blocks

    def _skip(self, element: HtmlElement, tag: str) -> None:
        self._controls += tag in _CONTROLS and element.get("type") != "hidden"
        self._pictures += tag in _PICTURES
        if tag in BLOCKS:
            self._end_block()
        elif tag and tag not in NEVER_TEXT and tag not in _ANNOTATIONS:
            self._builder.add(" ")

    def _start(self, element: HtmlElement, tag: str) -> None:
        page = self.page
        if tag in BLOCKS or not self._open:
            self._end_block()
            self._block_elements.append(len(page.elements))
        self._pictures += tag in _PICTURES
        parent = self._open[-1] if self._open else 0
        page.parents.append(parent)
        key = (page.paths[parent] if page.paths else -1, tag, element.get("class") or "")
        page.paths.append(self._numbers.setdefault(key, len(self._numbers)))
        self._open.append(len(page.elements))
        page.elements.append(element)
        page.first.append(self._builder.count)
        page.last.append(0)
        page.controls.append(self._controls)
        page.pictures.append(self._pictures)
        if tag in _VERBATIM:
            self._builder.begin_verbatim()
        elif tag == "br":
            self._builder.add("\n")
        elif tag == "sup" and element.find(".//a") is not None:
            self._builder.add(" ")  # the number of a note is not part of the word before it (SD-EXTRACT-4)
        elif tag == "a" and element.get("href"):
            self._anchors += 1
            self._links += 1
        self._add(element.text)

    def _end(self, element: HtmlElement, tag: str) -> None:
        page = self.page
        number = self._open.pop()
        if tag in _VERBATIM:
            self._end_block()
            self._builder.end_verbatim()
        elif tag in BLOCKS or not self._open:
            self._end_block()
        elif tag == "sup" and element.find(".//a") is not None:
            self._builder.add(" ")
        elif tag == "a" and element.get("href"):
            self._anchors -= 1
        if self._block_elements[-1] == number:
            self._block_elements.pop()
        page.last[number] = self._builder.count
        page.controls[number] = self._controls - page.controls[number]
        page.pictures[number] = self._pictures - page.pictures[number]

    def _add(self, text: str | None) -> None:
        if not text:
            return
        self._builder.add(text)
        if not text.isspace():
            if self._owner is None:
                self._owner = self._block_elements[-1]
                self._links = 1 if self._anchors else 0
            if self._anchors:
                self._linked += len("".join(text.split()))

    def _end_block(self) -> None:
        if self._builder.end_block():
            page = self.page
            page.owners.append(self._owner if self._owner is not None else self._block_elements[-1])
            page.links.append(self._links)
            page.linked.append(self._linked)
        self._owner = None
        self._links = 1 if self._anchors else 0
        self._linked = 0


def _is_never_text(element: HtmlElement, tag: str) -> bool:
    return not tag or tag in NEVER_TEXT or tag in _ANNOTATIONS or is_button(element) or _is_mark(element, tag)


def _is_mark(element: HtmlElement, tag: str) -> bool:
    """Return True if an inline element is a control of a heading, such as a permanent link or a link to edit."""
    if tag not in ("a", "span", "sup"):
        return False
    classes = (element.get("class") or "").split()
    if not EDIT_LINKS.isdisjoint(classes):
        return True
    return not HEADING_ANCHORS.isdisjoint(classes) and not any(map(str.isalnum, element.text_content()))
