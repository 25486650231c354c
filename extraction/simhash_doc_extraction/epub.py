"""Reads EPUB files, version 2 or 3: the documents of the reading order (spine), as a reading system shows them.

What is not read is counted in a warning. docs/reference/formats.md lists the places of text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from simhash_doc_extraction.base import (
    CorruptDocumentError,
    EncryptedDocumentError,
    ExtractedText,
    ExtractionError,
    LimitExceededError,
    Limits,
)
from simhash_doc_extraction.detection import detect
from simhash_doc_extraction.encoding import decode
from simhash_doc_extraction.html.blocks import joined, read_texts
from simhash_doc_extraction.html.tree import TEXT, Node, Tree, parse_chapter
from simhash_doc_extraction.parts import Losses, Parts, repaired_elements, resolved

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PACKAGE = "application/oebps-package+xml"
_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml"})
_OTHER_TEXTS = frozenset({"docbook", "jats", "tei", "text", "xml"})
"""Formats of items of the spine that are read although they are not documents of a book."""
_START, _END = re.compile(r"<html[\s>]", re.IGNORECASE), re.compile(r"</(?:\w+:)?html[\s>]", re.IGNORECASE)
_MOST_FALLBACKS = 20  # of an item: chains that all items of a long spine share would take quadratic time


@dataclass(slots=True)
class _Item:
    """An item of the manifest: a file of the book, its media type, the id of its fallback, and its properties."""

    part: str | None
    href: str
    media_type: str
    fallback: str
    properties: frozenset[str]


@dataclass(slots=True)
class _Package:
    """The package document of a book: its files by id, and the ids of the reading order."""

    items: dict[str, _Item] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, found: list[tuple[str, dict[str, str]]], base: str) -> _Package:
        """Return the package that the elements of the part `base` describe."""
        package = cls()
        for tag, values in found:
            if tag == "item":
                href = values.get("href", "")
                package.items[values.get("id", "").strip()] = _Item(
                    resolved(base, href),
                    href,
                    values.get("media-type", "").partition(";")[0].strip().lower(),
                    values.get("fallback", "").strip(),
                    frozenset(values.get("properties", "").split()),
                )
            elif tag == "itemref":
                package.order.append(values.get("idref", "").strip())
        return package

    def alternatives(self, name: str) -> Iterator[_Item]:
        """Yield an item, its fallback, the fallback of that, and so on, at most `_MOST_FALLBACKS`."""
        seen: set[str] = set()
        while name not in seen and len(seen) <= _MOST_FALLBACKS and (item := self.items.get(name)):
            seen.add(name)
            yield item
            name = item.fallback


def read_epub(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read an EPUB file: the documents in the order of its spine, without tables of contents."""
    losses = Losses()
    parts = Parts.of_zip(data, limits, losses)
    book, warnings = _package(parts, losses)
    reader = _Reader(parts, book, losses, _encrypted(parts))
    texts = list(filter(None, map(reader.text_of, dict.fromkeys(book.order))))
    if not texts and (texts := list(filter(None, map(reader.whole, reader.navigation)))):
        warnings.append("the book has only tables of contents: they are its text")
    reader.count_others()
    warnings += (*reader.missing, *losses.warnings())
    if warnings and not texts and (reader.missing or not book.order):
        raise CorruptDocumentError(f"the book has no chapter; {warnings[0]}")
    return ExtractedText("\n\n".join(texts), document_format, warnings=tuple(warnings))


def _package(parts: Parts, losses: Losses) -> tuple[_Package, list[str]]:
    """Return the package of the book, and warnings. The first one that can be read is its default rendition."""
    try:
        container, repaired = repaired_elements(parts.read(_CONTAINER), _CONTAINER) if _CONTAINER in parts else ([], ())
    except CorruptDocumentError as error:
        container, repaired = [], (f"repaired: {error.message}",)
    roots = [
        (values.get("media-type", "").strip().lower() != _PACKAGE, resolved("", values.get("full-path", "")))
        for tag, values in container
        if tag == "rootfile"
    ]
    names = [name for _, name in sorted(roots, key=lambda root: root[0]) if name]
    if not any(name in parts for name in names):  # as reading systems do, take the package that is there
        losses.add("parts are missing", names[0] if names else _CONTAINER)
        names = [name for name in parts if name.lower().endswith(".opf")]
    failure: CorruptDocumentError | None = None
    for name in names:
        try:
            found, more = repaired_elements(parts.read(name), name)
            if not any(tag == "itemref" for tag, _ in found) and name != names[-1]:
                continue
        except CorruptDocumentError as error:
            failure = failure or error
            continue
        for other in names:
            if other != name:
                losses.add("other renditions of the book not read", other)
        return _Package.of(found, name), [*repaired, *more]
    raise failure or CorruptDocumentError(f"the part {_CONTAINER!r} does not name a package document")


def _encrypted(parts: Parts) -> set[str | None]:
    """Return the names of the encrypted parts. They can include fonts, which are often obfuscated and hold no text."""
    if _ENCRYPTION not in parts:
        return set()
    found, _ = repaired_elements(parts.read(_ENCRYPTION), _ENCRYPTION)
    names = [posixpath.normpath(unquote(values.get("URI", ""))) for tag, values in found if tag == "CipherReference"]
    return {parts.find(name) or name for name in names}


class _Reader:
    """Reads the items of a book.

    Attributes:
        missing: a warning for each document that is missing or damaged.
        navigation: the items that were left out because they hold only tables of contents.
    """

    def __init__(self, parts: Parts, book: _Package, losses: Losses, encrypted: set[str | None]) -> None:
        self.missing: list[str] = []
        self.navigation: list[_Item] = []
        self._parts = parts
        self._book = book
        self._losses = losses
        self._encrypted = encrypted
        self._types = {posixpath.basename(item.href): item.media_type for item in book.items.values()}
        self._read: set[str | None] = set()
        self._fallbacks: set[str | None] = set()  # files in whose place another was read

    def text_of(self, name: str) -> str:
        """Return the text of an item of the spine, or else that of the first of its fallbacks that has text."""
        items = list(self._book.alternatives(name))
        if not items:
            self._losses.add("items of the reading order not in the manifest", name)
        failures: list[str] = []
        unread: list[_Item] = []
        for item in items:
            part = item.part and self._parts.find(item.part)
            if part in self._read and part:
                return ""
            if part in self._encrypted and part:
                raise EncryptedDocumentError(
                    "the chapters are encrypted (digital rights management): use an unprotected copy"
                )
            if item.part is None:
                unread.append(item)
            elif part is None:
                failures.append(f"a chapter is missing: the archive has no part {item.part!r}")
            else:
                self._read.add(part)
                try:
                    text = self._text(item, part)
                except (EncryptedDocumentError, LimitExceededError):
                    raise
                except ExtractionError as error:
                    failures.append(f"a chapter cannot be read: {error.message}")
                    continue
                if text:
                    self._fallbacks.update(other.part for other in items)
                    return text
                if text is None:
                    unread.append(item)
                elif "nav" in item.properties:
                    self.navigation.append(item)
        self.missing += failures
        for item in unread:
            self._losses.add("items of the reading order not read", item.href)
        return ""

    def whole(self, item: _Item) -> str:
        """Return the text of a document that holds only tables of contents."""
        return joined(read_texts(parse_chapter(decode(self._parts.read(item.part or ""), markup=True)[0])))

    def count_others(self) -> None:
        """Count the documents of the manifest that the reading order leaves out."""
        for item in self._book.items.values():
            part = item.part and self._parts.find(item.part)
            if not part or part in self._read or item.part in self._fallbacks or "nav" in item.properties:
                continue
            if item.media_type in _CHAPTERS:
                self._losses.add("documents outside of the reading order not read", part)
            elif item.media_type == "image/svg+xml" and self._holds_text(part):
                self._losses.add("pictures with text not read", part)

    def _holds_text(self, part: str) -> bool:
        """Return True if a picture in SVG holds text; False also if it is damaged, or over the limits."""
        try:
            return b"<text" in self._parts.read(part)
        except ExtractionError:
            return False

    def _text(self, item: _Item, part: str) -> str | None:
        """Return the text of a document; None if it is of no format of text, such as a picture.

        The content decides, and the media type only about what does not say what it is.
        """
        data = self._parts.read(part)
        found = "html" if item.media_type in _CHAPTERS else detect(data, part)
        is_chapter = found == "html"
        if not is_chapter and found not in _OTHER_TEXTS:
            return "" if found == "empty" else None
        is_foreign = not is_chapter and item.fallback in self._book.items  # a reading system shows the fallback
        if is_foreign and found != "xml":
            return None
        characters = decode(data, markup=True)[0]
        if is_chapter and "\0" in characters:
            raise CorruptDocumentError(f"the part {part!r} is not text")
        if is_chapter and _is_cut_off(characters):
            self._losses.add("chapters that may be cut off", part)
        if is_chapter or found == "xml":
            tree = parse_chapter(characters)
            root = tree.tags[0] if tree.tags else ""
            if root == "ncx":
                return ""  # a table of contents
            is_navigation = "nav" in item.properties
            if root and (is_navigation or _is_special(tree, characters)):
                tree = _as_shown(tree, is_navigation=is_navigation, is_core=self._is_core)
            if is_chapter or root in ("html", "svg", "dtbook"):
                return joined(read_texts(tree)) if root else ""
            if is_foreign:
                return None
        from simhash_doc_extraction import get_reader

        return get_reader(found)(data, found, self._parts.limits).text

    def _is_core(self, attributes: dict[str, str]) -> bool:
        """Return True if a reading system shows what an `object` refers to, and not the content of the element."""
        kind = attributes.get("type", "") or self._types.get(posixpath.basename(attributes.get("data", "")), "")
        return kind.partition(";")[0].strip().lower() in _CORE_TYPES


_SPECIAL = frozenset({"svg", "switch", "noscript", "object", "dtbook"})
"""Elements that need `_as_shown`."""

_CORE_TYPES = frozenset(
    "image/gif image/jpeg image/png image/svg+xml image/webp application/xhtml+xml text/html "
    "audio/mpeg audio/mp4 audio/ogg".split()
)
_NAMESPACES_SHOWN = frozenset(
    {"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"}
)
_NEVER = "template"
"""The tag of what is not shown."""

_NOTES = frozenset("footnote footnotes endnote endnotes rearnote rearnotes note doc-footnote doc-endnotes".split())
_PAGE_BREAKS = frozenset({"pagebreak", "doc-pagebreak"})
_DTBOOK = {"pagenum": _NEVER, "linenum": _NEVER, "noteref": _NEVER, "annoref": _NEVER} | dict.fromkeys(
    "annotation author bridgehead bodymatter byline covertitle dateline docauthor doctitle epigraph frontmatter "
    "imggroup level level1 level2 level3 level4 level5 level6 line linegroup list note poem prodnote rearmatter "
    "sidebar".split(),
    "div",
)
_IN_GRAPHICS = {
    "text": "p", "foreignobject": "div", "desc": _NEVER, "metadata": _NEVER, "defs": _NEVER, "symbol": _NEVER,
}  # fmt: skip


def _is_cut_off(characters: str) -> bool:
    """Return True if the root element of a chapter is not closed, or it ends within a tag or before the first."""
    return not _END.search(characters) and bool(_START.search(characters) or not characters.rstrip().endswith(">"))


def _is_special(tree: Tree, characters: str) -> bool:
    """Return True if a document, of these characters, may need `_as_shown`."""
    return (
        not _SPECIAL.isdisjoint(tag.rpartition(":")[2] for tag in tree.names)
        or "hidden" in tree.having_attribute
        or "pagebreak" in characters
    )


def _as_shown(tree: Tree, *, is_navigation: bool, is_core: Callable[[dict[str, str]], bool]) -> Tree:
    """Return a document with the elements that only books have as elements of web pages.

    Args:
        tree: the document.
        is_navigation: whether it is the navigation document, whose tables of contents are left out.
        is_core: returns whether what an `object` refers to is shown.
    """
    is_dtbook = tree.tags[0] == "dtbook"
    nodes: list[Node] = []
    in_graphic: list[bool] = []  # for each node whether it is in SVG and not in its text
    chosen: dict[int, int] = {}  # for each `switch` the child that is shown
    for number, (parent, tag, attributes, text) in enumerate(tree.as_nodes()):
        graphic = in_graphic[parent] if number else False
        local = tag.rpartition(":")[2]
        kinds = _kinds(attributes) if attributes else frozenset()
        if tag == TEXT:
            text = "" if graphic else text
        elif local == "switch":
            chosen[number] = _choice(tree, number)
            tag = "div" if graphic else "span"
        elif parent in chosen and chosen[parent] != number:
            tag = _NEVER
        elif tag == "svg":
            tag, graphic = "div", True
        elif graphic:
            style = attributes.get("style", "").replace(" ", "")
            hidden = attributes.get("display") == "none" or attributes.get("visibility") in ("hidden", "collapse")
            hidden = hidden or "display:none" in style or "visibility:hidden" in style
            tag = _NEVER if hidden else _IN_GRAPHICS.get(tag, tag)
            graphic = tag not in ("p", "div")
        elif tag == "tspan":
            tag = "div" if not attributes.keys().isdisjoint(("y", "dy")) else "span"  # a line of its own
        elif _PAGE_BREAKS & kinds or (is_navigation and tag == "nav" and kinds):
            tag = _NEVER
        elif tag == "noscript" or (tag == "object" and not is_core(attributes)):
            tag = "div"
        elif is_dtbook:
            tag = _DTBOOK.get(tag, tag)
        if "hidden" in attributes and _NOTES & kinds:  # a reading system shows it in a window
            attributes = {key: value for key, value in attributes.items() if key != "hidden"}
        in_graphic.append(graphic)
        nodes.append((parent, tag, attributes, text))
    return Tree.of(nodes)


def _kinds(attributes: dict[str, str]) -> frozenset[str]:
    """Return what an element is for: the words of `epub:type`, and of `role` if they are those of publications."""
    words = [word for key, value in attributes.items() if key.endswith(("}type", ":type")) for word in value.split()]
    return frozenset([*words, *(word for word in attributes.get("role", "").split() if word.startswith("doc-"))])


def _choice(tree: Tree, number: int) -> int:
    """Return the child of a `switch` that is shown: the first whose condition holds, or else the default one."""
    children = [child for child in tree.children(number) if tree.tags[child] != TEXT]
    for child in children:
        conditions = tree.attributes[child]
        if tree.tags[child].rpartition(":")[2] == "case":
            if conditions.get("required-namespace") in _NAMESPACES_SHOWN:
                return child
        elif conditions.keys().isdisjoint(("systemLanguage", "requiredExtensions", "requiredFeatures")):
            return child
    return children[0] if children else -1
