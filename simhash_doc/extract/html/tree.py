"""Parses web pages into the tree that browsers build (HTML Standard), written as lists in document order.

The tree holds the documents that are inside a page: the content of declared components, and that for no scripts.
Two limits keep the parser linear: it compares each attribute with all others of its element, and many tags with all
open elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from html import escape
from itertools import islice
from sys import intern

import numpy as np
import numpy.typing as npt
from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode

from simhash_doc.extract.base import LimitExceededError
from simhash_doc.extract.encoding import decode
from simhash_doc.extract.xml import DECLARATION, parse_strictly

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

_NO_ATTRIBUTES: dict[str, str] = {}

Node = tuple[int, str, dict[str, str], str]
"""The number of the parent, 0 for the root; the tag in lower case, or `TEXT`; the attributes; the characters of a node
of text, otherwise ""."""


class Tree:
    """The nodes of a page in document order. Node 0 is the root; the descendants of node n are n + 1 to ends[n] - 1.

    Attributes:
        parents: the parent of each node.
        tags: the tag of each.
        attributes: the attributes of each.
        texts: the characters of each.
        ends: for each node the node after its last descendant.
        names: the different tags.
        codes: for each node the position of its tag in `names`.
        body: the element that is shown: `body`, or else the root.
    """

    def __init__(self, parents: list[int], tags: list[str], attributes: list[dict[str, str]], texts: list[str]) -> None:
        self.parents, self.tags, self.attributes, self.texts = parents, tags, attributes, texts
        sizes = [1] * len(tags)
        for number in range(len(sizes) - 1, 0, -1):
            sizes[parents[number]] += sizes[number]
        self.ends: Integers = np.arange(len(sizes)) + np.array(sizes, dtype=np.int64)
        self.names = list(dict.fromkeys(tags))
        codes = {tag: code for code, tag in enumerate(self.names)}
        self.codes: Integers = np.fromiter(map(codes.__getitem__, tags), dtype=np.int64, count=len(sizes))
        self.body = tags.index("body") if "body" in codes else 0

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Tree:
        """Return the tree with these nodes."""
        parents, tags, attributes, texts = map(list, zip(*nodes, strict=True))
        return cls(parents, tags, attributes, texts)

    def having(self, tags: Set[str]) -> Bools:
        """Return for each node whether it has one of the tags."""
        wanted = np.array([tag in tags for tag in self.names], dtype=bool)
        result: Bools = wanted[self.codes]
        return result

    def numbered(self, *tags: str) -> list[int]:
        """Return the nodes that have one of the tags."""
        numbers: list[int] = np.flatnonzero(self.having(frozenset(tags))).tolist()
        return numbers

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

    @cached_property
    def characters(self) -> Integers:
        """For each node of text its characters without white space; 0 for those never shown."""
        counts = np.zeros(len(self.tags), dtype=np.int64)
        numbers = np.flatnonzero(self.having({TEXT}) & ~self.within(self.having(NEVER_TEXT)))
        counts[numbers] = [len("".join(self.texts[number].split())) for number in numbers.tolist()]
        return counts

    def string(self, number: int) -> str:
        """Return the characters of all text in a node."""
        return "".join(self.texts[number : int(self.ends[number])])

    def with_frames(self, frames: dict[int, Tree]) -> Tree:
        """Return a tree with the bodies of other trees before the elements that are their frames."""
        nodes: list[Node] = []
        numbers: list[int] = []
        for number, (parent, tag, attributes, text) in enumerate(self.as_nodes()):
            above = numbers[parent] if number else 0
            if number in frames:
                nodes += frames[number]._body_below(above, len(nodes))
            numbers.append(len(nodes))
            nodes.append((above, "div" if tag == "frameset" else tag, attributes, text))
        return Tree.of(nodes)

    def as_nodes(self) -> Iterator[Node]:
        """Return the nodes in document order."""
        return zip(self.parents, self.tags, self.attributes, self.texts, strict=True)

    def _body_below(self, above: int, first: int) -> Iterator[Node]:
        """Yield the nodes of the body, as an element that has the number `first` and is in the element `above`."""
        yield above, "div", self.attributes[self.body], ""
        for parent, tag, values, text in islice(self.as_nodes(), self.body + 1, int(self.ends[self.body])):
            yield parent - self.body + first, tag, values, text


def parse_page(data: bytes, *, declared: str | None = None) -> Tree:
    """Return the tree of a page: XHTML if it says so and is well-formed, otherwise HTML.

    Args:
        data: the page.
        declared: label of the encoding that the transport declares.

    Raises:
        LimitExceededError: an element has too many attributes, or elements are nested too deeply for the size.
    """
    text, _ = decode(data, declared=declared, markup=True)
    xhtml = bool(DECLARATION.search(text)) or 'xmlns="http://www.w3.org/1999/xhtml"' in text[:4096]
    text = DECLARATION.sub("", text, count=1)
    check_attributes(text)
    if xhtml and (root := parse_strictly(text)) is not None:
        tree = _xhtml_tree(root)
        return _with_noscript(tree, tree)
    check_nesting(text)
    source = text.encode("utf-8", "replace")
    del text  # with a single emoji, it takes four bytes a character
    tree = _html_tree(source)
    noted = sum(len(_MARKUP.sub("", tree.string(number))) for number in tree.numbered("noscript"))
    if noted < max(_LEAST, int(tree.characters.sum())):
        return tree
    return _with_noscript(tree, _html_tree(source, scripting=False))


def _with_noscript(tree: Tree, without: Tree) -> Tree:
    """Return a page with the content of `noscript`, if that is most of its text: then its other text stands in for it.

    Args:
        tree: the page as a browser with scripts reads it.
        without: the page as a browser without scripts reads it.
    """
    without = _unescaped(without)
    tags = ["div" if tag == "noscript" else tag for tag in without.tags]
    shown = Tree(without.parents, tags, without.attributes, without.texts)
    total = int(without.characters.sum())
    gained = int(shown.characters.sum()) - total
    return shown if gained >= _LEAST and gained > total else tree


_ELEMENT = re.compile(r"<(?:p|div|h[1-6]|ul|ol|br|section|article)\b", re.IGNORECASE)


def _unescaped(tree: Tree) -> Tree:
    """Return a page with the markup that is the text of a `noscript` as elements."""
    inner: dict[int, Tree] = {}
    for number in tree.numbered("noscript"):
        content = tree.string(number)
        if _ELEMENT.search(content) and set(tree.tags[number + 1 : int(tree.ends[number])]) == {TEXT}:
            check_attributes(content)
            check_nesting(content)
            inner[number] = _html_tree(content.encode("utf-8", "replace"), scripting=False)
    nodes: list[Node] = []
    numbers: list[int] = []
    end = 0
    for number, (parent, tag, attributes, text) in enumerate(tree.as_nodes() if inner else ()):
        numbers.append(len(nodes))
        if number >= end:
            nodes.append((numbers[parent], tag, attributes, text))
        if number in inner:
            nodes += inner[number]._body_below(len(nodes) - 1, len(nodes))
            end = int(tree.ends[number])
    return Tree.of(nodes) if inner else tree


_VOID = frozenset(
    "area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr".split()
)
_SELF_CLOSING = re.compile(r"""<([A-Za-z][\w.:-]*+)((?:"[^"<]*+"|'[^'<]*+'|[^"'<>/]|/(?!>))*+)/>""")


def parse_chapter(text: str) -> Tree:
    """Return the tree of a chapter of a book, which is XML: as HTML only if it is not well-formed.

    Then elements such as `<title/>`, which HTML would open, are closed as in XML. No script runs in a book.

    Raises:
        LimitExceededError: an element has too many attributes, or elements are nested too deeply for the size.
    """
    text = DECLARATION.sub("", text.lstrip("\ufeff \t\r\n"), count=1)
    check_attributes(text)
    root = parse_strictly(text.lstrip())
    if root is not None:
        return _xhtml_tree(root)
    first, *sections = text.split("<![CDATA[")
    pieces = [first]
    for section in sections:
        characters, end, rest = section.partition("]]>")
        pieces += [escape(characters, quote=False), rest] if end else ["<![CDATA[", characters]
    text = _SELF_CLOSING.sub(_expanded, "".join(pieces))
    check_nesting(text)
    return _html_tree(text.encode("utf-8", "replace"), scripting=False, graphics=True)


def _expanded(found: re.Match[str]) -> str:
    return found[0] if found[1].lower() in _VOID else f"<{found[1]}{found[2]}></{found[1]}>"


_MARKUP = re.compile(r"<[^>]*>|\s+")
_LEAST = 200
"""Characters of text in `noscript` that are more than a note to enable scripts."""


def _xhtml_tree(root: etree._Element) -> Tree:
    nodes: list[Node] = []
    names: dict[object, str] = {}
    opened: list[tuple[Iterator[etree._Element], int, str | None]]
    opened = [(iter((root,)), 0, None)]  # what is left of its children, its number, its tail
    while opened:
        children, parent, tail = opened[-1]
        for element in children:
            tag = element.tag
            if (name := names.get(tag)) is None:
                name = names[tag] = tag.rpartition("}")[2].lower() if isinstance(tag, str) else "template"
            number = len(nodes)
            nodes.append((parent, name, dict(values) if (values := element.items()) else _NO_ATTRIBUTES, ""))
            if text := element.text:
                nodes.append((number, TEXT, _NO_ATTRIBUTES, text))
            if len(element):
                opened.append((iter(element), number, element.tail))
                break
            if (text := element.tail) and element is not root:
                nodes.append((parent, TEXT, _NO_ATTRIBUTES, text))
        else:
            opened.pop()
            if tail and len(opened) > 1:
                nodes.append((opened[-1][1], TEXT, _NO_ATTRIBUTES, tail))
    return Tree.of(nodes)


_SHADOW_ATTRIBUTES = ("shadowrootmode", "shadowroot", "shadowmode")
_WITHOUT_EVENTS = 1  # LexborDocumentOptions.WO_EVENTS: an option that is chosen is not copied


def _html_tree(source: bytes, *, scripting: bool = True, graphics: bool = False) -> Tree:
    """Return the tree of HTML, with the content of the components that a browser shows; `graphics` adds that of SVG."""
    parser = LexborHTMLParser(source, options=_WITHOUT_EVENTS, scripting=scripting)
    contents: dict[int | None, LexborNode] = {}
    if b"<template" in source or b"<TEMPLATE" in source:
        _show_streamed(parser)
        contents = {found.parent.mem_id: found for found in parser.template_fragments() if found.parent}
    parents: list[int] = []
    tags: list[str] = []
    attributes: list[dict[str, str]] = []
    texts: list[str] = []
    single: dict[tuple[str, str | None], dict[str, str | None]] = {}  # the attributes of elements that have only one
    opened: list[tuple[LexborNode, int]] = []  # the elements around the node, each with the number of its parent
    node, parent = parser.root, 0
    while node is not None:
        tag = node.tag
        child = None
        if tag == "-text":
            parents.append(parent)
            tags.append(TEXT)
            attributes.append(_NO_ATTRIBUTES)
            texts.append(node.text_content or "")
        elif tag and tag[0] != "-":
            values = node.attributes
            if values and None in values.values():
                values |= {name: "" for name, value in values.items() if value is None}
            if len(values) == 1:  # mostly a class, which many elements share
                values = single.setdefault(next(iter(values.items())), values)
            if tag == "template":
                content = contents.get(node.mem_id)
                if content and not values.keys().isdisjoint(_SHADOW_ATTRIBUTES):
                    tag, child = "div", content.first_child
                    contents |= {found.parent.mem_id: found for found in content.template_fragments() if found.parent}
                else:
                    child = node.first_child
            elif graphics or tag != "svg":
                child = node.first_child
            parents.append(parent)
            tags.append(intern(tag))  # the parser makes a new one for each element
            attributes.append(values or _NO_ATTRIBUTES)  # type: ignore[arg-type]  # no value is None
            texts.append("")
        if child is not None:
            opened.append((node, parent))
            node, parent = child, len(tags) - 1
            continue
        while (following := node.next) is None and opened:
            node, parent = opened.pop()
        node = following
    return Tree(parents, tags, attributes, texts)


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
"""Comparisons of tags with open elements, or of attributes, that a page may need: some seconds."""

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


_SPACE = r"[ \t\n\f\r]"
_ATTRIBUTE = re.compile(
    rf"""[ \t\n\f\r/]*+[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"""
    rf"""(?:{_SPACE}*+={_SPACE}*+(?:"[^"]*+"?|'[^']*+'?|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?+)?+"""
)
_TAG = re.compile(rf"<[a-zA-Z][^ \t\n\f\r/>]*+(?:{_ATTRIBUTE.pattern})*+")
_START = re.compile("<[a-zA-Z]")
_LONG = 400  # characters
_LONG_TAG = re.compile(rf"<[a-zA-Z][^>]{{{_LONG}}}[^>]*+")
_HELD_END = re.compile(rf"""={_SPACE}*+(?:"[^">]*+|'[^'>]*+)>""")


_TRIES = 8


def _has_short_tags(text: str, long: int) -> bool:
    """Return True if places that are in no tag are found, of which none is farther than `long` from the next."""
    place = 0
    while len(text) - place > long:
        ends = islice(_found_backwards(">", text, place + 1, place + long), _TRIES)
        place = next((end for end in ends if _is_in_no_value(text, place, end)), -1)
        if place < 0:
            return False
    return True


def _found_backwards(character: str, text: str, start: int, end: int) -> Iterator[int]:
    while (end := text.rfind(character, start, end)) >= 0:
        yield end


def _is_in_no_value(text: str, start: int, end: int) -> bool:
    """Return False if `end` may be in the value of an attribute that begins after `start`.

    Then the last of one of the quotation marks before it begins the value: it follows an equals sign.
    """
    marks = [text.rfind(mark, start, end) for mark in "\"'"]
    return not any(mark > 0 and text[mark - 1] in "= \t\n\f\r" for mark in marks)


def check_attributes(text: str) -> None:
    """Reject a page with an element that has so many attributes that the parser would take minutes.

    What is a tag depends on what is around it, such as a script: each place where one could begin counts.

    Raises:
        LimitExceededError: the attributes, each times those before it in its tag, are more than `MOST_WORK`.
    """
    long = 4 * MOST_WORK // max(len(text), 1)  # as an attribute has two characters, shorter tags take half of the work
    if _has_short_tags(text, long):
        return
    places = [span for found in _LONG_TAG.finditer(text) if (span := found.span())[1] - span[0] > long]
    ends = [found.end() for found in _HELD_END.finditer(text)]  # a value holds what looks like the end of the tag
    places += [(text.rfind(">", 0, end - 1) + 1, end) for end in ends]
    work = 0
    for first, last in places:
        for start in _START.finditer(text, first, last):
            tag = _TAG.match(text, start.start())
            size = len(tag[0]) if tag else 0
            count = sum(1 for _ in _ATTRIBUTE.finditer(tag[0])) if tag and size > long else 0
            work += size + count * count // 2
            if work > MOST_WORK:
                raise LimitExceededError(f"an element has too many attributes: {count:,}")
