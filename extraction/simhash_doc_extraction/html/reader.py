"""Reads web pages, and MHTML: a page saved as a single file, in the format of a mail with attachments (RFC 2557)."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from email.errors import (
    CloseBoundaryNotFoundDefect,
)
from email.message import Message
from html import unescape
from itertools import compress
from urllib.parse import urldefrag, urljoin

from simhash_doc_extraction import READERS
from simhash_doc_extraction.base import NO_ARTICLE, CorruptDocumentError, ExtractedText, Limits, NoTextError
from simhash_doc_extraction.detection import detect
from simhash_doc_extraction.html.blocks import joined, read_page, read_texts
from simhash_doc_extraction.html.main_text import choose_blocks
from simhash_doc_extraction.html.metadata import Metadata, embedded_text, read_metadata
from simhash_doc_extraction.html.names import no_article
from simhash_doc_extraction.html.tree import Tree, parse_page
from simhash_doc_extraction.mime import PLAIN, content_of, parse_message
from simhash_doc_extraction.parts import Losses

_LEAST_SHARE = 50
"""One part in this many of the text of a page is the least that a document can be."""

_SHORT_PAGE = 4000
"""Characters of a page so short that its document may be in its scripts."""

_FRAMES = ("frame", "iframe")
_OBJECTS = ("object", "embed")  # which show a document as frames do
MOST_FRAMES = 100
_MOST_NESTED = 8
"""Frames in frames are read to this depth."""

_LONGEST_ADDRESS = 200
_LONGEST_MESSAGE = 400
_TAG = re.compile(r"<(?:p|div|h[1-6]|li|br|section|article)\b", re.IGNORECASE)

Source = tuple[str, bytes, str | None]
"""The name of a document in a frame, its bytes, and the declared encoding."""
FindSource = Callable[[dict[str, str]], Source | None]
"""Returns the document in a frame with these attributes, if it is available."""


def read(data: bytes, document_format: str, limits: Limits, *, explain: bool = False) -> ExtractedText:
    """Read a web page: the document on it, without boilerplate (SD-EXTRACT-6).

    With `explain`, the result also has the decision about each of its blocks.
    """
    warnings: list[str] = []
    extracted = _read_tree(parse_page(data, warnings=warnings), document_format, explain=explain)
    return replace(extracted, warnings=(*warnings, *extracted.warnings))


def read_part(data: bytes) -> str:
    """Return the complete text of HTML without boilerplate, such as a chapter of a book."""
    tree = parse_page(data)
    return joined(read_texts(tree)) if tree.tags else ""


def _source_in(attributes: dict[str, str]) -> Source | None:
    """Return the document that a frame holds in an attribute, or None."""
    source = attributes.get("srcdoc")
    return ("srcdoc", source.encode("utf-8", "replace"), None) if source else None


def _read_tree(
    tree: Tree,
    document_format: str,
    *,
    find: FindSource = _source_in,
    losses: Losses | None = None,
    explain: bool = False,
) -> ExtractedText:
    """Return the document on a parsed page.

    Args:
        tree: the page.
        document_format: format of the file.
        find: returns the document in a frame of the page.
        losses: what was not read before.
        explain: also return the decision about each block.

    Raises:
        NoTextError: the page has no text.
    """
    if not tree.tags:
        raise NoTextError("no text: the page has no element")
    metadata = read_metadata(tree)
    losses = losses or Losses()
    tree = _Frames(find, losses).show(tree)
    page = read_page(tree)
    size = sum(map(len, page.texts))
    if size < _SHORT_PAGE and (text := _from_scripts(tree, metadata, size)):
        warning = "the text is from the data of the scripts: the elements of the page hold less"
        return ExtractedText(text, document_format, warnings=(warning, *losses.warnings()))
    if not page.texts:
        raise NoTextError(f"no text: {_why_empty(tree, metadata)}")
    chosen, decisions = choose_blocks(page, metadata, explain=explain)
    warnings = list(losses.warnings())
    if _LEAST_SHARE * sum(map(len, compress(page.texts, chosen))) < size:
        warnings.append("no main content was found: the text of the complete page is used")
        chosen = [True] * len(chosen)
    if kind := no_article(metadata.title, "\n".join(page.texts)):
        warnings.append(f"{NO_ARTICLE}{kind}")
    return ExtractedText(
        joined(compress(page.texts, chosen)), document_format, warnings=tuple(warnings), blocks=decisions
    )


def _why_empty(tree: Tree, metadata: Metadata) -> str:
    """Return why a page shows no text."""
    addresses = [tree.attributes[number].get("src", "")[:_LONGEST_ADDRESS] for number in tree.numbered(*_FRAMES)]
    if sources := ", ".join(filter(None, addresses))[:_LONGEST_MESSAGE]:
        return f"the page consists of frames, which are other documents: {sources}"
    if kind := no_article(metadata.title, "".join(map(tree.string, tree.numbered("noscript")))):
        return f"the page is empty ({kind})"
    # A saved page can be without its scripts, and still have the links that load them early.
    if "script" in tree.tags or any(tree.attributes[at].get("as") == "script" for at in tree.numbered("link")):
        return "a script loads the text of the page, and scripts are not run"
    return "the page is empty"


class _Frames:
    """The documents in the frames of a page, and in the frames of those."""

    def __init__(self, find: FindSource, losses: Losses) -> None:
        self._find, self._losses = find, losses
        self._left = MOST_FRAMES

    def show(self, tree: Tree, depth: int = 0) -> Tree:
        """Return the page with the documents of its frames, if they hold more text than the page itself."""
        inner: dict[int, Tree] = {}
        names: dict[int, str] = {}
        for number in tree.numbered(*_FRAMES, *_OBJECTS):
            source = self._find(tree.attributes[number])
            if source is None:
                continue
            name, data, declared = source
            if not self._left or depth == _MOST_NESTED:
                self._losses.add("frames not read", name)
                continue
            self._left -= 1
            other = parse_page(data, declared=declared)
            if other.tags:
                names[number], inner[number] = name, self.show(other, depth + 1)
        sizes = {number: int(other.characters.sum()) for number, other in inner.items()}
        if sum(sizes.values()) > tree.characters.sum():
            return tree.with_frames(inner)
        for number, size in sizes.items():
            if size:
                self._losses.add("frames with less text than the page not read", names[number])
        return tree


def _from_scripts(tree: Tree, metadata: Metadata, size: int) -> str:
    """Return the article in the scripts of a page with its title, if it is longer than all text of the page.

    It can be text or HTML.
    """
    text = embedded_text(tree, metadata)
    if not _TAG.search(text):
        text = unescape(text)
    if _TAG.search(text):
        text = read_part(text.encode("utf-8", "replace"))
    return f"{metadata.heading}\n\n{text}" if len(text) > size else ""


def read_archive(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read the page of an archive. Its frames are documents of the archive.

    Raises:
        CorruptDocumentError: the archive holds no page.
    """
    archive = _Archive(data)
    warnings: list[str] = []
    content, charset = archive.content(archive.main), archive.main.get_content_charset()
    tree = parse_page(content, declared=charset, warnings=warnings)
    extracted = _read_tree(tree, document_format, find=archive.find, losses=archive.losses)
    return replace(extracted, warnings=(*warnings, *extracted.warnings, *archive.others().warnings()))


_PAGES = ("text/html", "application/xhtml+xml")
_DELIMITER = re.compile(rb"^--([^\s\"]{1,200})[ \t]*\r?\n", re.MULTILINE)


class _Archive:
    """The parts of an MHTML file.

    Attributes:
        main: the page itself: the part that the header names, or else the first page.
        losses: what is damaged, and what is not read.
    """

    def __init__(self, data: bytes) -> None:
        self.losses = Losses()
        message = parse_message(data)
        if not message.is_multipart() and (found := _DELIMITER.search(data)):
            self.losses.add("boundaries repaired", found[1].decode("latin-1"))
            head = b'Content-Type: multipart/related; boundary="%s"\r\n\r\n' % found[1]
            header = message
            message = parse_message(head + data[found.start() :])
            message["Snapshot-Content-Location"] = header.get("Snapshot-Content-Location", "")
        self._contents: dict[int, bytes] = {}
        self._parts = [part for part in message.walk() if not part.is_multipart()]
        pages = [part for part in self._parts if part.get_content_type() in _PAGES] or [
            part for part in self._parts if detect(self.content(part)) == "html"
        ]
        wanted = {str(message.get("Snapshot-Content-Location", "")).strip(), str(message.get_param("start") or "")}
        named = (part for part in pages if not (wanted - {""}).isdisjoint(_addresses(part, brackets=True)))
        main = next(named, None) or next(iter(pages), None)
        if main is None:
            raise CorruptDocumentError("the archive holds no web page: expected a part of type text/html")
        self.main = main
        if any(isinstance(defect, CloseBoundaryNotFoundDefect) for part in message.walk() for defect in part.defects):
            self.losses.add("archives cut off, the last part as far as possible", _name_of(self._parts[-1]))
        self._named = {address: part for part in self._parts for address in _addresses(part)}
        self._alternatives = {
            id(part)
            for group in message.walk()
            if group.get_content_type() == "multipart/alternative"
            for part in group.walk()
        }
        self._read = {id(main)}

    def content(self, part: Message) -> bytes:
        """Return the content of a part, as far as it can be decoded."""
        if (found := self._contents.get(id(part))) is None:
            found, is_damaged = content_of(part)
            self._contents[id(part)] = found
            if is_damaged:
                self.losses.add("damaged parts read as far as possible", _name_of(part))
        return found

    def find(self, attributes: dict[str, str]) -> Source | None:
        """Return the document in a frame: that in an attribute, or else a part that was not read yet."""
        if source := _source_in(attributes):
            return source
        address = (attributes.get("src") or attributes.get("data") or "").strip()
        part = self._named.get(address)
        if part is None and address:
            with suppress(ValueError):
                location = str(self.main.get("Content-Location", "")).strip()
                part = self._named.get(urldefrag(urljoin(location, address))[0])
        if part is None or id(part) in self._read:
            return None
        content = self.content(part)
        if part.get_content_type() not in _PAGES and detect(content) != "html":
            return None
        self._read.add(id(part))
        return _name_of(part), content, part.get_content_charset()

    def others(self) -> Losses:
        """Return the parts with text that no frame shows; other forms of a part that is read are none."""
        losses = Losses()
        for part in self._parts:
            if id(part) in self._read | self._alternatives:
                continue
            content = self.content(part)
            found = detect(content[:_HEAD_BYTES])
            if found == "html" and not parse_page(content).characters.any():
                continue
            if found in READERS and (found not in PLAIN or part.get_content_type() == "text/plain"):
                losses.add("other parts with text not read", _name_of(part))
        return losses


_HEAD_BYTES = 1 << 16


def _name_of(part: Message) -> str:
    return next(iter(_addresses(part)), part.get_content_type())


def _addresses(part: Message, *, brackets: bool = False) -> list[str]:
    """Return the addresses by which other parts refer to a part."""
    found = []
    if location := part.get("Content-Location"):
        found.append(str(location).strip())
    if number := part.get("Content-ID"):
        number = str(number).strip()
        found.append(number if brackets else f"cid:{number.strip('<>')}")
    return found
