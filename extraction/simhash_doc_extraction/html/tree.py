"""Parses web pages into the tree that browsers build (HTML Standard), written as lists in document order.

The tree holds the documents that are inside a page: the content of declared components, and that for no scripts.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from html import escape
from itertools import islice
from sys import intern

import numpy as np
import numpy.typing as npt
from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from simhash_doc_extraction.base import check_tags
from simhash_doc_extraction.encoding import decoded
from simhash_doc_extraction.html.bounds import check_attributes, check_nesting
from simhash_doc_extraction.xml import DECLARATION, parse_strictly

Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

TEXT = ""
"""The tag of a node of text."""

NEVER_TEXT = frozenset(
    "applet area audio base canvas col colgroup command datalist embed frame frameset head iframe input link "
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

_SENTENCE = 60  # characters of a text that is no label
_NO_ATTRIBUTES: dict[str, str] = {}
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def size_of(text: str) -> int:
    """Return the characters of a text; one of Chinese, Japanese or Korean says as much as three."""
    return len(text) if text.isascii() else len(text) + 2 * len(_WIDE.findall(text))


Node = tuple[int, str, dict[str, str], str]
"""The number of the parent, 0 for the root; the tag in lower case, or `TEXT`; the attributes; the characters of a node
of text, otherwise ""."""


class Tree:
    """The nodes of a page in document order. Node 0 is the root; the descendants of node n are n + 1 to ends[n] - 1.

    Attributes:
        parents: the parent of each node.
        above: the same as an array.
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
        self.above: Integers = np.array(parents, dtype=np.int64)
        last = np.arange(len(tags))
        last[self.above[1:]] = last[1:]  # the last child of each node; then its last descendant
        while not np.array_equal(further := last[last], last):
            last = further
        self.ends: Integers = last + 1
        self.names = list(dict.fromkeys(tags))
        codes = {tag: code for code, tag in enumerate(self.names)}
        self.codes: Integers = np.fromiter(map(codes.__getitem__, tags), dtype=np.int64, count=len(tags))
        self.body = tags.index("body") if "body" in codes else 0

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Tree:
        """Return the tree with these nodes."""
        parents, tags, attributes, texts = map(list, zip(*nodes, strict=True))
        return cls(parents, tags, attributes, texts)

    def having(self, tags: Set[str]) -> Bools:
        """Return for each node whether it has one of the tags."""
        wanted = np.frombuffer(bytes(map(tags.__contains__, self.names)), dtype=bool)
        return wanted.take(self.codes)

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
        ends = np.maximum.accumulate(np.where(chosen, self.ends, 0))
        result: Bools = ends > np.arange(len(ends))
        return result

    def sums(self, values: npt.NDArray[np.generic]) -> Integers:
        """Return for each node the sum of the values of it and its descendants."""
        sums = np.zeros(len(values) + 1, dtype=np.int64)
        np.cumsum(values, out=sums[1:])
        return sums.take(self.ends) - sums[:-1]

    @cached_property
    def having_attribute(self) -> dict[str, tuple[list[int], list[str]]]:
        """For each name of an attribute the elements that have it, and its value for each of them."""
        found: defaultdict[str, tuple[list[int], list[str]]] = defaultdict(lambda: ([], []))
        for number, attributes in enumerate(self.attributes):
            for name, value in attributes.items():
                numbers, values = found[name]
                numbers.append(number)
                values.append(value)
        return dict(found)

    def values_of(self, name: str) -> Iterator[tuple[int, str]]:
        """Yield the elements that have an attribute, each with its value."""
        return zip(*self.having_attribute.get(name, ((), ())), strict=True)

    @cached_property
    def characters(self) -> Integers:
        """For each node of text its characters without white space; 0 for those never shown."""
        counts = np.zeros(len(self.tags), dtype=np.int64)
        numbers = np.flatnonzero(self.having({TEXT}) & ~self.within(self.having(NEVER_TEXT)))
        counts[numbers] = [len("".join(self.texts[number].split())) for number in numbers.tolist()]
        return counts

    @cached_property
    def sentences(self) -> Bools:
        """For each node whether it is a text as long as a sentence, and not only a label."""
        result: Bools = self.characters >= _SENTENCE
        for number in np.flatnonzero((self.characters >= _SENTENCE / 3) & ~result).tolist():
            text = self.texts[number]
            result[number] = not text.isascii() and size_of("".join(text.split())) >= _SENTENCE
        return result

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


def parse_page(data: bytes, *, declared: str | None = None, warnings: list[str] | None = None) -> Tree:
    """Return the tree of a page: XHTML if it says so and is well-formed, otherwise HTML.

    Args:
        data: the page.
        declared: label of the encoding that the transport declares.
        warnings: gets the warnings about the encoding and the end.

    Raises:
        LimitExceededError: an element has too many attributes, or elements are nested too deeply for the size.
    """
    text, encoding, found = decoded(data, declared=declared, markup=True)
    if warnings is not None:
        warnings += found
    is_declared = DECLARATION.search(text) is not None
    xhtml = is_declared or 'xmlns="http://www.w3.org/1999/xhtml"' in text[:4096]
    text = DECLARATION.sub("", text, count=1)
    check_tags(text.count("<"), "the page")
    check_attributes(text)
    if xhtml and (root := parse_strictly(text)) is not None:
        tree = _xhtml_tree(root)
        return _with_noscript(tree, tree)
    check_nesting(text)
    is_source = encoding == "utf-8" and not is_declared and "\ufffd" not in text
    source = data.removeprefix(BOM_UTF8) if is_source else text.encode("utf-8", "replace")
    del text  # with a single emoji, it takes four bytes a character
    tree = _html_tree(source, warnings=warnings)
    noted = "".join(_MARKUP.sub("", tree.string(number)) for number in tree.numbered("noscript"))
    if size_of(noted) < _LEAST or len(noted) < tree.characters.sum():
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
    if gained <= total:
        return tree
    noted = "".join(map(shown.string, without.numbered("noscript")))
    return shown if size_of("".join(noted.split())) >= _LEAST else tree


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


_MARKUP = re.compile(r"<[^<>]*+>|\s+")
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
_DEEPEST = 256  # levels above a template of React at which its part is looked for
_WITHOUT_EVENTS = 1  # LexborDocumentOptions.WO_EVENTS: an option that is chosen is not copied


_END = "end of the page"


def _html_tree(
    source: bytes, *, scripting: bool = True, graphics: bool = False, warnings: list[str] | None = None
) -> Tree:
    """Return the tree of HTML, with the content of the components that a browser shows; `graphics` adds that of SVG."""
    parser = _parsed(source if warnings is None else source + f"<!--{_END}-->".encode(), scripting=scripting)
    if warnings is not None:
        end, is_shown = _end_of(parser)
        if (end is None or not is_shown) and parser.body is not None and parser.body.first_child is not None:
            warnings.append("the page may be cut off: it ends within a tag, a comment or an element that is not shown")
        if end is not None:
            end.decompose()
        else:
            parser = _parsed(source, scripting=scripting)
    contents: dict[int | None, LexborNode] = {}
    if b"<template" in source or b"<TEMPLATE" in source:
        _show_streamed(parser)
        contents = {found.parent.mem_id: found for found in parser.template_fragments() if found.parent}
    parents: list[int] = []
    tags: list[str] = []
    attributes: list[dict[str, str]] = []
    texts: list[str] = []
    names: dict[int, str] = {}  # the parser makes a new text of a tag for each element
    left: list[tuple[LexborNode, int]] = []  # nodes after the elements around the node, each with its parent
    node, parent = parser.root, 0
    while node is not None:
        if (tag := names.get(node.tag_id)) is None:
            tag = names[node.tag_id] = intern(node.tag or "-")
        following, child = node.next, None
        if tag == "-text":
            text = node.text_content or ""
            # most nodes of text are the indentation of a tag that begins or ends a block: there it is never shown
            if not text.isspace() or (names.get(following.tag_id) if following else tags[parent]) not in BLOCKS:
                parents.append(parent)
                tags.append(TEXT)
                attributes.append(_NO_ATTRIBUTES)
                texts.append(text)
        elif tag[0] != "-":
            values = node.attributes
            if not all(values.values()):  # None stands for no value
                values = {name: value or "" for name, value in values.items()}
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
            tags.append(tag)
            attributes.append(values or _NO_ATTRIBUTES)  # type: ignore[arg-type]  # no value is None
            texts.append("")
        if child is not None:
            if following is not None:
                left.append((following, parent))
            node, parent = child, len(tags) - 1
        elif following is not None or not left:
            node = following
        else:
            node, parent = left.pop()
    return Tree(parents, tags, attributes, texts)


def _parsed(source: bytes, *, scripting: bool) -> LexborHTMLParser:
    try:
        return LexborHTMLParser(source, options=_WITHOUT_EVENTS, scripting=scripting)
    except SelectolaxError as error:  # any bytes are HTML
        raise MemoryError("not enough memory for the tree of the page") from error


def _end_of(parser: LexborHTMLParser) -> tuple[LexborNode | None, bool]:
    """Return the comment `_END` after the content of a page, and whether the elements around it are shown.

    Comments after `</body>` and `</html>` precede it if more content follows them: they stay outside those elements.
    """
    child, is_shown = parser.root, True
    while child is not None:
        last = child
        while last.next is not None:
            last = last.next
        if last.comment_content == _END:
            return last, is_shown
        while not last.is_element_node and last.prev is not None:
            last = last.prev
        is_shown &= last.tag not in NEVER_TEXT
        child = last.last_child
    return None, is_shown


def _show_streamed(parser: LexborHTMLParser) -> None:
    """Move the parts of a page that React sends late to their templates, as its script does."""
    late = {node.id: node for node in parser.css("div[hidden][id^='S:']")}
    for template in parser.css("template[id^='B:']"):
        name = f"S:{(template.id or '')[2:]}"
        content = late.get(name)
        if content is None or (depth := _levels_between(content, template)) == _DEEPEST:
            continue  # what is so deep is shown in its place
        del late[name]
        if depth is None:
            del content.attrs["hidden"]
            template.insert_after(content, move=True)
    for content in late.values():
        del content.attrs["hidden"]


def _levels_between(ancestor: LexborNode, node: LexborNode) -> int | None:
    """Return how deep an element is in another one; None if it is not in it, `_DEEPEST` if it is too deep to know."""
    above: LexborNode | None = node
    for depth in range(_DEEPEST):
        if above is None:
            return None
        if above.mem_id == ancestor.mem_id:
            return depth
        above = above.parent
    return _DEEPEST
