"""Reads a document in XML: with the vocabulary that it says it has, and documents inside other XML with theirs."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from lxml import etree

from simhash_doc_extraction.base import ExtractedText, Limits, NoTextError
from simhash_doc_extraction.parts import Losses, Parts
from simhash_doc_extraction.text_builder import TextBuilder
from simhash_doc_extraction.vocabularies import docbook, tei
from simhash_doc_extraction.vocabularies.docbook import DOCBOOK
from simhash_doc_extraction.vocabularies.fictionbook import FICTIONBOOK
from simhash_doc_extraction.vocabularies.jats import JATS
from simhash_doc_extraction.vocabularies.other import HARVEST, HARVEST_METADATA, XML
from simhash_doc_extraction.vocabularies.tei import TEI
from simhash_doc_extraction.vocabularies.vocabulary import (
    FOREIGN,
    PREFIXES,
    XINCLUDE,
    Vocabulary,
    element_name,
    has_text,
    is_mark,
    parent_tag,
)
from simhash_doc_extraction.xml import parse_xml

VOCABULARIES = {"docbook": DOCBOOK, "fb2": FICTIONBOOK, "jats": JATS, "tei": TEI, "xml": XML}
"""Format -> its vocabulary."""

_ZIP = b"PK\x03\x04"
_IN_WORD = ("inword", "nobreak", "worddiv")
"""What older documents in TEI say of a line end in a word."""
_CLOSING = ".,;:!?)]’”»"
_HYPHENS = "-\u00ad\u2010\u2011\u00ac\u2e17"


def read_xml_document(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read a document in JATS, TEI, DocBook, FictionBook or any other XML vocabulary.

    The documents inside other XML, such as the articles of a set, are read with their vocabularies. If they all have
    the same, it is the format.
    """
    root, warnings = parse_xml(data)
    losses = Losses()
    documents: dict[etree._Element, str] = {root: document_format}
    if document_format == "xml" and "DTD DocBook" in (root.getroottree().docinfo.public_id or ""):
        documents, document_format = {root: "docbook"}, "docbook"
    elif document_format == "xml" and (inside := _documents_in(root)):
        documents = inside
        document_format = _common(set(inside.values()))
        if len(inside) > 1:
            warnings += (f"documents in one file, joined to one text: {len(inside):,}",)
    text = text_of(root, documents, losses)
    warnings += losses.warnings()
    if warnings and not text:
        raise NoTextError(f"no text: the document holds none; {'; '.join(warnings)}")
    return ExtractedText(text, document_format, warnings=warnings)


def read_fictionbook(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read a FictionBook document, also in a ZIP archive."""
    if not data.startswith(_ZIP):
        return read_xml_document(data, document_format, limits)
    losses = Losses()
    parts = Parts.of_zip(data, limits, losses)
    names = [name for name in parts if not name.endswith("/")]
    books = [name for name in names if name.lower().endswith(".fb2")]
    found = [read_xml_document(parts.read(name), document_format, limits) for name in books]
    warnings = tuple(warning for book in found for warning in book.warnings)
    if len(books) > 1:
        warnings += (f"documents in one file, joined to one text: {len(books):,}",)
    for name in names:
        if name not in books:
            losses.add("other files in the archive not read", name)
    text = "\n\n".join(book.text for book in found if book.text)
    return ExtractedText(text, document_format, warnings=(*warnings, *losses.warnings()))


def _common(formats: set[str]) -> str:
    return formats.pop() if len(formats) == 1 else "xml"


def _documents_in(root: etree._Element) -> dict[etree._Element, str]:
    """Return the outermost elements that are documents of known vocabularies, and their formats."""
    found: dict[etree._Element, str] = {}
    walk = etree.iterwalk(root, events=("start",), tag=("{*}*"))
    for _, element in walk:
        if document_format := _format_of(element):
            found[element] = document_format
            walk.skip_subtree()
    return found


def _format_of(element: etree._Element) -> str | None:
    """Return the format of a document or of a part of one, whose root an element is, or None."""
    namespace, _, tag = element.tag.rpartition("}")
    if namespace[1:] == docbook.DOCBOOK_NAMESPACE:
        return "docbook"
    if namespace[1:] == tei.TEI_NAMESPACE or tag in ("TEI.2", "teiCorpus.2"):
        return "tei"
    if tag == "FictionBook":
        return "fb2"
    if tag == "article" and any(map(element.get, ("article-type", "dtd-version"))):
        return "jats"
    if tag in ("article", "book", "book-part-wrapper"):
        children = {element_name(child) for front in element for child in (front, *front)}
        return "jats" if children & {"article-meta", "journal-meta", "book-meta", "book-part-meta"} else None
    return None


def text_of(root: etree._Element, documents: Mapping[etree._Element, str], losses: Losses) -> str:
    """Return the text of an XML document. Modifies the tree.

    Args:
        root: the document.
        documents: the outermost elements that have a vocabulary, and their formats. Around them, all text is read.
        losses: what is not read is added to it.
    """
    if root not in documents:
        documents = {root: "xml", **documents}
    metadata = {
        child for child in root.iter(*(f"{{{HARVEST}}}{tag}" for tag in HARVEST_METADATA)) if len(documents) > 1
    }
    examples = set(root.iter(f"{{{tei.EXAMPLES}}}*"))
    _strip_namespaces(root)
    skipped = set(metadata)
    for document, document_format in documents.items():
        vocabulary = VOCABULARIES[document_format]
        for tag, shown in vocabulary.shown.items():
            for parent in document.iter(tag):
                skipped.update(child for child in parent if child.tag not in shown)
        if vocabulary.choose:
            skipped.update(vocabulary.choose(document, losses))
    skipped -= examples
    builder = _Words()
    _Walk(documents, skipped, examples, losses, builder).run(root)
    return builder.text()


def _strip_namespaces(root: etree._Element) -> None:
    """Remove the namespaces of all elements, except those of vocabularies that occur inside others."""
    for element in root.iter("*"):
        namespace, _, name = element.tag.rpartition("}")
        if namespace[1:] in FOREIGN or (not namespace and ":" not in name):
            continue
        prefix, _, local = name.rpartition(":")  # a prefix that nothing declares stays in a repaired tree
        with suppress(ValueError):  # the parser accepts a name that is only a colon
            element.tag = f"{{{PREFIXES[prefix]}}}{local}" if prefix in PREFIXES else local


@dataclass(frozen=True, slots=True)
class _Kind:
    """How the elements with one name are read: `Vocabulary` defines the words.

    Attributes:
        note: a superscript, in which a reference is the mark of a note.
        include: a reference of XInclude to another file.
    """

    skip: bool
    verbatim: bool
    inline: bool
    apart: bool
    joined: bool
    breaks: bool
    marks: bool
    note: bool
    include: bool


class _Walk:
    """Walks through a tree and adds its text to a builder."""

    def __init__(
        self,
        documents: Mapping[etree._Element, str],
        skipped: set[etree._Element],
        examples: set[etree._Element],
        losses: Losses,
        builder: _Words,
    ) -> None:
        self._documents = documents
        self._skipped = skipped
        self._examples = examples
        self._losses = losses
        self._builder = builder
        self._kinds: dict[tuple[int, str], _Kind] = {}
        self._unspaced: dict[etree._Element, bool] = {}

    def run(self, root: etree._Element) -> None:
        """Add the text of a tree."""
        stack = [XML]  # the vocabularies of the documents around the current element
        builder = self._builder
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                if element in self._documents:
                    stack.append(VOCABULARIES[self._documents[element]])
                kind = self._kind(element, stack[-1])
                if kind is None or kind.skip or element in self._skipped:
                    walk.skip_subtree()
                    continue
                if self._is_mark(element, kind):
                    self._skipped.add(element)
                    walk.skip_subtree()
                    continue
                self._begin(element, kind, stack[-1])
                builder.add(element.text)
            else:
                kind = self._kind(element, stack[-1])
                if kind and not kind.skip and element not in self._skipped:
                    self._end(element, kind, stack[-1])
                if element in self._documents:
                    stack.pop()
                if element is not root:
                    builder.add(element.tail)

    def _kind(self, element: etree._Element, vocabulary: Vocabulary) -> _Kind | None:
        tag = element.tag
        if not isinstance(tag, str) or not tag:
            return None
        if self._examples and element in self._examples:
            vocabulary = XML
        key = id(vocabulary), tag
        kind = self._kinds.get(key)
        if kind is None:
            namespace, _, name = tag.rpartition("}")
            own = FOREIGN.get(namespace[1:], vocabulary)
            kind = self._kinds[key] = _Kind(
                skip=name in own.skip,
                verbatim=name in own.verbatim,
                inline=name in own.inline,
                apart=name in own.apart,
                joined=name in own.joined,
                breaks=name in own.breaks,
                marks=name in own.marks,
                note=name in ("sup", "superscript"),
                include=namespace[1:] in XINCLUDE and name == "include",
            )
        return kind

    def _begin(self, element: etree._Element, kind: _Kind, vocabulary: Vocabulary) -> None:
        if kind.include:
            self._losses.add("included files not read", element.get("href") or element.get("xpointer") or "")
        if kind.verbatim:
            self._builder.begin_verbatim()
        elif kind.breaks:
            in_word = element.get("type", "").lower() in _IN_WORD
            self._builder.break_line("no" if in_word else element.get("break"))
        elif kind.joined and self._is_unspaced(element, vocabulary):
            self._builder.separate()
        elif kind.note or not kind.inline or not self._builder.ends_with_bracket():
            self._separate(element, kind, vocabulary)

    def _end(self, element: etree._Element, kind: _Kind, vocabulary: Vocabulary) -> None:
        if kind.verbatim:
            self._builder.end_verbatim()
        elif not kind.breaks and not kind.joined and (kind.note or not kind.inline or not _is_closed(element)):
            self._separate(element, kind, vocabulary)

    def _separate(self, element: etree._Element, kind: _Kind, vocabulary: Vocabulary) -> None:
        """Separate an element from the text before or after it, as its kind requires (SD-EXTRACT-8)."""
        if not kind.inline:
            self._builder.end_block()
        elif (
            kind.apart
            or (kind.note and len(element) > 0)
            or (vocabulary.parted and parent_tag(element) in vocabulary.parted)
        ):
            self._builder.add(" ")

    def _is_mark(self, element: etree._Element, kind: _Kind) -> bool:
        """Return True if an element is a number or a sign right after a word, which would become a part of it."""
        return kind.marks and self._builder.ends_with_word() and is_mark(element)

    def _is_unspaced(self, element: etree._Element, vocabulary: Vocabulary) -> bool:
        """Return True if a word of a corpus is in an element whose words have no white space between them."""
        if element.get("part", "N") in ("M", "F") or element.get("join") in ("left", "both"):
            return False
        parent = element.getparent()
        if parent is None:
            return False
        if parent not in self._unspaced:
            between = [parent.text or "", *(child.tail or "" for child in parent)]
            is_mixed = any(text and not text.isspace() for text in between)
            gaps = (one for one, other in pairwise(parent) if other.tag in vocabulary.joined)
            is_spaced = any(one.tail or (one.tag == "c" and not has_text(one)) for one in gaps)
            self._unspaced[parent] = not (is_mixed or is_spaced)
        return self._unspaced[parent]


class _Words(TextBuilder):
    """Collects text, and knows where a line end breaks a word and where a space is missing."""

    def __init__(self) -> None:
        super().__init__()
        self._glue = self._gap = self._perhaps = False

    def add(self, text: str | None) -> None:
        """Append text to the current block, after what the mark-up before it demands."""
        if not text:
            return
        if self._glue or self._perhaps:
            rest = text.lstrip()
            if not rest:
                return
            if self._perhaps and not rest[0].islower():
                super().add(" ")
            else:
                self._remove_line_end()
            text = rest
        elif self._gap and _needs_space(self._last(), text[0]):
            super().add("\n")  # it is not shown between Chinese characters
        self._glue = self._gap = self._perhaps = False
        super().add(text)

    def end_block(self) -> bool:
        """End the current block, and forget what the mark-up demands of the next text."""
        self._glue = self._gap = self._perhaps = False
        return super().end_block()

    def separate(self) -> None:
        """Demand a space between two words."""
        self._gap = True

    def break_line(self, is_between_words: str | None) -> None:
        """Add the end of a line or a page: it is between words ("yes"), in a word ("no"), or the hyphen tells."""
        if is_between_words == "no":
            self._remove_line_end()
            self._glue, self._perhaps = True, False
        elif not self._glue:
            if is_between_words is None and self._last() in _HYPHENS and self._last():
                self._perhaps = True
            elif not self._perhaps:
                super().add(" ")

    def ends_with_word(self) -> bool:
        """Return True if the last character belongs to a word or to the punctuation after it."""
        last = self._last()
        return last.isalnum() or (bool(last) and last in ".,;:!?)\"'”’»")

    def ends_with_bracket(self) -> bool:
        """Return True if the last character is an opening bracket."""
        return self._last() in ("(", "[")

    def _last(self) -> str:
        return self.inline[-1][-1] if self.inline else ""

    def _remove_line_end(self) -> None:
        """Remove the white space and the hyphen at the end of the text."""
        while self.inline:
            rest = self.inline[-1].rstrip()
            if rest:
                self.inline[-1] = rest[:-1] if rest[-1] in _HYPHENS else rest
                if not self.inline[-1]:
                    self.inline.pop()
                return
            self.inline.pop()


def _is_closed(element: etree._Element) -> bool:
    """Return True if the text after an element, or after those that end with it, begins with a closing sign."""
    for _ in range(4):
        parent = element.getparent()
        if element.tail or parent is None or element.getnext() is not None:
            break
        element = parent
    return (element.tail or " ")[0] in _CLOSING


def _needs_space(last: str, first: str) -> bool:
    """Return True if a space is missing between two characters: before a word, except after an opening bracket."""
    if not last or last.isspace() or not (first.isalnum() or unicodedata.category(first) in ("Ps", "Pi")):
        return False
    return last.isalnum() or unicodedata.category(last) in ("Pe", "Pf", "Po", "Pd")
