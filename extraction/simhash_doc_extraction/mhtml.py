"""Reads MHTML: a page saved as a single file, in the format of a mail with attachments (RFC 2557)."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from email.errors import CloseBoundaryNotFoundDefect, MissingHeaderBodySeparatorDefect
from email.message import Message
from urllib.parse import urldefrag, urljoin

from simhash_doc_extraction import READERS
from simhash_doc_extraction.base import CorruptDocumentError, ExtractedText, Limits
from simhash_doc_extraction.detection import detect
from simhash_doc_extraction.html.reader import Source, read_tree, source_in
from simhash_doc_extraction.html.tree import parse_page
from simhash_doc_extraction.mime import PLAIN, content_of, parse_message
from simhash_doc_extraction.parts import Losses


def read_mhtml(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read the page of an archive. Its frames are documents of the archive.

    Raises:
        CorruptDocumentError: the archive holds no page.
    """
    archive = _Archive(data)
    warnings: list[str] = []
    content, charset = archive.content(archive.main), archive.main.get_content_charset()
    tree = parse_page(content, declared=charset, warnings=warnings)
    extracted = read_tree(tree, document_format, find=archive.find, losses=archive.losses)
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
            if is_damaged or any(isinstance(one, MissingHeaderBodySeparatorDefect) for one in part.defects):
                self.losses.add("damaged parts read as far as possible", _name_of(part))
        return found

    def find(self, attributes: dict[str, str]) -> Source | None:
        """Return the document in a frame: that in an attribute, or else a part that was not read yet."""
        if source := source_in(attributes):
            return source
        address = (attributes.get("src") or attributes.get("data") or "").strip()
        part = self._named.get(address)
        if part is None and 0 < len(address) <= _LONGEST_ADDRESS:
            with suppress(ValueError):
                location = str(self.main.get("Content-Location", "")).strip()[:_LONGEST_ADDRESS]
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
_LONGEST_ADDRESS = 2_000  # characters of an address that is made absolute: the library takes quadratic time


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
