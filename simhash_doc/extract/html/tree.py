"""Parses web pages into the tree that browsers build (HTML Standard), written as lists in document order.

The tree holds the documents that are inside a page: the content of declared components, and that for no scripts.
Two limits keep the parser linear: it compares each attribute with all others of its element, and many tags with all
open elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode

from simhash_doc.extract.base import LimitExceededError
from simhash_doc.extract.detect import decode
from simhash_doc.extract.xml import parse_strictly

Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

TEXT = ""
"""The tag of a node of text."""

NEVER_TEXT = frozenset(
    "applet area audio base canvas col colgroup command datalist embed frame frameset head iframe input link map "
    "meta noframes noscript object optgroup option param progress script select source style svg template "
    "textarea title track video".split()
)
"""Elements whose content is never shown as text."""

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_NO_ATTRIBUTES: dict[str, str] = {}


@dataclass(slots=True)
class Tree:
    """The nodes of a page. Node 0 is the root; the descendants of node n are n + 1 to ends[n] - 1.

    Attributes:
        tags: the tag of each element in lower case, or `TEXT`.
        attributes: the attributes of each element.
        texts: the characters of each node of text, otherwise "".
        parents: the parent of each node; 0 for the root.
        ends: for each node the node after its last descendant. `finish` computes it.
        codes: for each node the position of its tag in `names`. `finish` computes it.
        names: the different tags.
        body: the element that is shown: `body`, or else the root.
    """

    tags: list[str] = field(default_factory=list)
    attributes: list[dict[str, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    ends: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    codes: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    names: list[str] = field(default_factory=list)
    body: int = 0
    _characters: Integers | None = None

    def add(self, parent: int, tag: str, attributes: dict[str, str] = _NO_ATTRIBUTES, text: str = "") -> int:
        """Append a node, and return its number. Nodes are added in document order."""
        self.tags.append(tag)
        self.attributes.append(attributes)
        self.texts.append(text)
        self.parents.append(parent)
        return len(self.parents) - 1

    def finish(self) -> Tree:
        """Compute the other attributes from the first four, and return the tree."""
        self._characters = None
        sizes = [1] * len(self.parents)
        for number in range(len(sizes) - 1, 0, -1):
            sizes[self.parents[number]] += sizes[number]
        self.ends = np.arange(len(sizes)) + np.array(sizes, dtype=np.int64)
        self.names = list(dict.fromkeys(self.tags))
        codes = {tag: code for code, tag in enumerate(self.names)}
        self.codes = np.fromiter(map(codes.__getitem__, self.tags), dtype=np.int64, count=len(self.tags))
        self.body = self.tags.index("body") if "body" in self.tags else 0
        return self

    def having(self, tags: Set[str]) -> Bools:
        """Return for each node whether it has one of the tags."""
        wanted = np.array([tag in tags for tag in self.names], dtype=bool)
        result: Bools = wanted[self.codes]
        return result

    def children(self, number: int) -> Iterator[int]:
        """Yield the children of a node."""
        child, end = number + 1, int(self.ends[number])
        while child < end:
            yield child
            child = int(self.ends[child])

    def nesting(self, nodes: Integers) -> Integers:
        """Return for each node how many of some nodes hold it or are it."""
        steps = np.zeros(len(self.ends) + 1, dtype=np.int64)
        np.add.at(steps, nodes, 1)
        np.subtract.at(steps, self.ends[nodes], 1)
        return np.cumsum(steps[:-1])

    def within(self, chosen: Bools) -> Bools:
        """Return for each node whether a chosen node holds it or is it."""
        return self.nesting(np.flatnonzero(chosen)) > 0

    def sums(self, values: npt.NDArray[np.generic]) -> Integers:
        """Return for each node the sum of the values of it and its descendants."""
        sums = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
        result: Integers = sums[self.ends] - sums[:-1]
        return result

    def characters(self) -> Integers:
        """Return for each node of text its characters without white space; 0 for those never shown."""
        if self._characters is None:
            never = self.within(self.having(NEVER_TEXT))
            counts = [0] * len(self.tags)
            for number in np.flatnonzero(self.having({TEXT}) & ~never).tolist():
                counts[number] = len("".join(self.texts[number].split()))
            self._characters = np.array(counts, dtype=np.int64)
        return self._characters

    def string(self, number: int) -> str:
        """Return the characters of all text in a node."""
        return "".join(self.texts[number : int(self.ends[number])])

    def with_frames(self, frames: dict[int, Tree]) -> Tree:
        """Return a tree with the bodies of other trees before the elements that are their frames."""
        result = Tree()
        numbers: list[int] = []
        for number, tag in enumerate(self.tags):
            parent = numbers[self.parents[number]] if number else 0
            if number in frames:
                result._add_tree(parent, frames[number])
            tag = "div" if tag == "frameset" else tag
            numbers.append(result.add(parent, tag, self.attributes[number], self.texts[number]))
        return result.finish()

    def _add_tree(self, parent: int, tree: Tree) -> None:
        offset = len(self.tags) - tree.body
        for number in range(tree.body, int(tree.ends[tree.body])):
            is_body = number == tree.body
            above = parent if is_body else tree.parents[number] + offset
            self.add(above, "div" if is_body else tree.tags[number], tree.attributes[number], tree.texts[number])


def parse_page(data: bytes, *, declared: str | None = None) -> Tree:
    """Return the tree of a page: XHTML if it says so and is well-formed, otherwise HTML.

    Args:
        data: the page.
        declared: label of the encoding that the transport declares.

    Raises:
        LimitExceededError: an element has too many attributes, or elements are nested too deeply for the size.
    """
    text, _ = decode(data, declared=declared, markup=True)
    xhtml = bool(_DECLARATION.search(text)) or 'xmlns="http://www.w3.org/1999/xhtml"' in text[:4096]
    text = _DECLARATION.sub("", text, count=1)
    check_attributes(text, xhtml=xhtml)
    if xhtml and (root := parse_strictly(text)) is not None:
        return _xhtml_tree(root)
    check_nesting(text)
    source = text.encode("utf-8", "replace")
    tree = _html_tree(source)
    notes = np.flatnonzero(tree.having({"noscript"})).tolist()
    noted = sum(len(_MARKUP.sub("", tree.string(number))) for number in notes)
    if noted < max(_LEAST, int(tree.characters().sum())):
        return tree
    shown = _html_tree(source, scripting=False)
    return shown if _show_noscript(shown) else tree


_MARKUP = re.compile(r"<[^>]*>|\s+")
_LEAST = 200
"""Characters of text in `noscript` that are more than a note to enable scripts."""


def _show_noscript(tree: Tree) -> bool:
    """Turn each `noscript` into an element that is shown, if most of the text of the page is in them."""
    notes = [number for number, tag in enumerate(tree.tags) if tag == "noscript"]
    total = int(tree.characters().sum())
    for number in notes:
        tree.tags[number] = "div"
    tree.finish()
    hidden = int(tree.characters().sum()) - total
    return hidden >= _LEAST and hidden > total


def _xhtml_tree(root: etree._Element) -> Tree:
    tree = Tree()
    numbers: dict[etree._Element, int] = {}
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        parent = element.getparent()
        above = 0 if parent is None else numbers[parent]
        if event == "end":
            if element.tail and parent is not None:
                tree.add(above, TEXT, text=element.tail)
            continue
        tag = element.tag if isinstance(element.tag, str) else "template"
        numbers[element] = number = tree.add(above, tag.rpartition("}")[2].lower(), dict(element.attrib))
        if element.text:
            tree.add(number, TEXT, text=element.text)
    return tree.finish()


_SHADOW_ATTRIBUTES = ("shadowrootmode", "shadowroot", "shadowmode")
_WITHOUT_EVENTS = 1  # LexborDocumentOptions.WO_EVENTS: an option that is chosen is not copied


def _html_tree(source: bytes, *, scripting: bool = True) -> Tree:
    """Return the tree of HTML, with the content of the components that a browser shows."""
    parser = LexborHTMLParser(source, options=_WITHOUT_EVENTS, scripting=scripting)
    tree = Tree()
    if parser.root is None:
        return tree
    contents = {}
    if b"<template" in source or b"<TEMPLATE" in source:
        _show_streamed(parser)
        contents = {found.parent.mem_id: found for found in parser.template_fragments() if found.parent}
    numbers: dict[int, int] = {}
    nodes = [parser.root.traverse(include_text=True)]
    while nodes:
        for node in nodes[-1]:
            tag = node.tag
            parent = numbers.get(node.parent.mem_id) if numbers else 0  # type: ignore[union-attr]
            if parent is None or tag is None:
                continue  # inside a picture
            if tag == "-text":
                tree.add(parent, TEXT, _NO_ATTRIBUTES, node.text_content or "")
                continue
            if tag[0] == "-":
                continue
            values = node.attributes
            attributes = {name: value or "" for name, value in values.items()} if values else _NO_ATTRIBUTES
            content = contents.get(node.mem_id) if tag == "template" else None
            if content is not None and not attributes.keys().isdisjoint(_SHADOW_ATTRIBUTES):
                numbers[content.mem_id] = tree.add(parent, "div", attributes)
                contents |= {found.parent.mem_id: found for found in content.template_fragments() if found.parent}
                nodes.append(content.traverse(include_text=True))
                break
            number = tree.add(parent, tag, attributes)
            if tag != "svg":
                numbers[node.mem_id] = number
        else:
            nodes.pop()
    return tree.finish()


def _show_streamed(parser: LexborHTMLParser) -> None:
    """Move the parts of a page that React sends late to their templates, as its script does."""
    late = {node.id: node for node in parser.css("div[hidden][id^='S:']")}
    for template in parser.css("template[id^='B:']"):
        content = late.pop(f"S:{(template.id or '')[2:]}", None)
        if content is not None and not _holds(content, template):
            del content.attrs["hidden"]
            template.insert_after(content, move=True)
    for content in late.values():
        del content.attrs["hidden"]


def _holds(ancestor: LexborNode, node: LexborNode) -> bool:
    above: LexborNode | None = node
    while above is not None:
        if above.mem_id == ancestor.mem_id:
            return True
        above = above.parent
    return False


MOST_WORK = 500_000_000
"""Comparisons of tags with open elements that a page may need: some seconds."""

_NAMES = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_NOT_NESTED = frozenset(
    "area base br col dd dt embed hr img input li link meta optgroup option p param rp rt source tbody td tfoot th "
    "thead tr track wbr".split()
)
"""Elements that have no end tag, or that the parser ends at the next one of their kind."""


def check_nesting(text: str) -> None:
    """Reject a page whose elements are nested so deeply that the parser would take minutes.

    Raises:
        LimitExceededError: the tags of the page, each times the elements open there, are more than `MOST_WORK`.
    """
    if text.count("<") ** 2 <= 2 * MOST_WORK:
        return
    opened: dict[str, int] = {}
    depth = work = 0
    for found in _NAMES.finditer(text):
        name = found[2].lower()
        if name not in _NOT_NESTED:
            count = opened.get(name, 0)
            step = 1 if not found[1] else -1 if count else 0
            opened[name] = count + step
            depth += step
        work += depth
        if work > MOST_WORK:
            raise LimitExceededError(f"elements are nested too deeply: {depth:,} are open")


MOST_ATTRIBUTES = 5000
_SHORTEST = 2 * MOST_ATTRIBUTES  # characters of a tag with more
_TAG = re.compile(r"""<([a-zA-Z](?:[^<>"'\s/]*+))(?:[^<>"']++|"[^"]*+"|'[^']*+')*+|<!--""")
_QUOTED = re.compile(r""""[^"]*+"|'[^']*+'""")
_ENDS = {
    name: re.compile(rf"</{name}\b", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
"""Elements whose content is characters, and how it ends."""

_CODE = frozenset({"script", "style"})


def check_attributes(text: str, *, xhtml: bool = False) -> None:
    """Reject a page with an element that has too many attributes.

    Args:
        text: the page.
        xhtml: the page may be parsed as XML, in which scripts are not special.

    Raises:
        LimitExceededError: an element has more than `MOST_ATTRIBUTES`.
    """
    if len(text) < _SHORTEST:
        return
    for tag in _TAG.finditer(text) if xhtml else _tags(text):
        if tag.end() - tag.start() > _SHORTEST and len(_QUOTED.sub(" ", tag[0]).split()) > MOST_ATTRIBUTES:
            raise LimitExceededError(f"an element has more than {MOST_ATTRIBUTES:,} attributes")


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Yield what may be a tag. Scripts and styles are skipped, except inside comments and the like.

    Parsers disagree on where a comment ends, so nothing is skipped in one.
    """
    position = 0
    while tag := _TAG.search(text, position):
        yield tag
        position = tag.end()
        name = (tag[1] or "").lower()
        if tag[0] == "<!--":
            end = text.find("-->", position)
        elif name in _ENDS and not tag[0].endswith("/"):
            closing = _ENDS[name].search(text, position)
            end = closing.start() if closing else -1
        else:
            continue
        end = len(text) if end < 0 else end
        if name not in _CODE:
            yield from _TAG.finditer(text, position, end)
        position = end
