"""The document of one record of a crawl, as the server sent it: its media type, its content codings, its encoding."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace

from simhash_doc_extraction import READERS, extract
from simhash_doc_extraction.base import (
    ExtractedText,
    ExtractionError,
    LimitExceededError,
    Limits,
    MissingExtraError,
    NoTextError,
    Record,
    SkippedRecordError,
    UnsupportedFormatError,
)
from simhash_doc_extraction.codings import CODINGS, MOST_CODINGS, NO_CODINGS, undo_coding, without_chunks
from simhash_doc_extraction.detection import detect
from simhash_doc_extraction.encoding import decoded

HEAD_BYTES = 1 << 16
"""Of a body, for the detection of its format."""
_IGNORED_KINDS = frozenset({"image", "audio", "video", "font", "multipart"})
_BYTES = "application/octet-stream"
_IGNORED_TYPES = frozenset(
    "application/javascript application/x-javascript application/ecmascript application/json application/ld+json "
    "application/manifest+json application/font-woff application/font-woff2 application/vnd.ms-fontobject "
    "application/x-font-ttf application/x-shockwave-flash application/wasm application/octet-stream "
    "application/rss+xml application/atom+xml application/opensearchdescription+xml application/warc-fields "
    "text/css text/javascript text/dns".split()
)
_PLAIN = frozenset({"text", "markdown", "asciidoc", "xml"})
"""Formats that the content does not distinguish from scripts, styles, data and feeds: the declared type decides."""
_CHARACTER_FORMATS = frozenset({"text", "html", "xml", "jats", "tei", "docbook", "fb2", "markdown", "asciidoc"})


@dataclass(frozen=True, slots=True)
class Payload:
    """The document of one record, as the server sent it.

    Attributes:
        uri: target URI of the record.
        body: body of the HTTP response, or content of the record.
        chunked: the response declares the transfer coding "chunked".
        codings: declared content codings, in the order of the header.
        charset: declared character encoding, or None.
        date: date of the capture as 14 digits, or "" if the record has none.
        incomplete: why the body is only a part of what the server sent, or None.
        ignored: the declared media type, if it is not that of a document; the content decides.
        media_type: the declared media type, or None.
        status: status of the HTTP response, or None for other records.
        headers: names and values of its headers.
    """

    uri: str
    body: bytes
    chunked: bool = False
    codings: tuple[str, ...] = ()
    charset: str | None = None
    date: str = ""
    incomplete: str | None = None
    ignored: str | None = None
    media_type: str | None = None
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def record(self) -> Record:
        """What the record says, without its content."""
        return Record(self.uri, self.date, self.status, self.headers)

    @property
    def name(self) -> str:
        """The date and the URI, which together distinguish the captures of a page."""
        return f"{self.date}/{self.uri}" if self.date else self.uri

    def extract(self, name: str, limits: Limits, *, remainder: bool = False) -> ExtractedText:
        """Return the text of the document under the name `name`; `extract` explains `remainder`.

        Raises:
            SkippedRecordError: the record holds no document, as its declared type says.
            ExtractionError: the document yielded no text.
        """
        reason = self.incomplete
        try:
            decoded, cause, warnings = self._decoded(limits)
            reason = reason or cause
            if self.ignored and not may_be_document(detect(decoded), self.ignored):
                raise SkippedRecordError(skipped_kind(self.ignored, decoded))
            data, guessed = with_byte_order_mark(decoded, self.charset)
            warnings += guessed
            inner = replace(limits, input_bytes=limits.expanded_bytes)
            found = extract(data, name=self.uri, content_type=self.media_type, limits=inner, remainder=remainder)
            extracted = replace(found, name=name)
        except ModuleNotFoundError as error:
            raise MissingExtraError.of("the record", error, name=name) from error
        except (NoTextError, UnsupportedFormatError) as error:
            if self.ignored:
                raise SkippedRecordError(self.ignored) from error
            error.name, error.incomplete = name, reason
            raise
        except ExtractionError as error:
            error.name, error.incomplete = name, reason
            raise
        if reason:
            warnings = (f"incomplete: {reason}", *warnings)
        return replace(extracted, incomplete=reason, warnings=(*warnings, *extracted.warnings), record=self.record)

    def _decoded(self, limits: Limits) -> tuple[bytes, str | None, tuple[str, ...]]:
        """Return the body without chunks and content codings (RFC 9110, section 8.4), why it is incomplete, warnings.

        A crawler can store a decoded body with its original headers, so a body that does not look encoded is returned
        unchanged. If a body is truncated, the readable part is returned.

        Raises:
            CorruptDocumentError: nothing of the body can be decoded.
            LimitExceededError: the result of a coding is over the limit, or there are too many codings.
            ModuleNotFoundError: a coding needs the extra `extract`, and that is not installed.
            UnsupportedFormatError: a coding is not known, and the body is in no known format without it.
        """
        body, reason = without_chunks(self.body) if self.chunked else (self.body, None)
        if len(self.codings) > MOST_CODINGS:
            raise LimitExceededError(
                f"the response has {len(self.codings)} content codings, over the limit of {MOST_CODINGS}"
            )
        warnings: list[str] = []
        for coding in reversed(self.codings):
            if coding in NO_CODINGS:
                continue
            if coding not in CODINGS:
                found = detect(body)
                if found not in READERS:
                    raise UnsupportedFormatError(
                        f"the content coding {one_line(coding)!r} is not supported, and the body is {found} "
                        f"(supported: {', '.join(CODINGS)})"
                    )
                warnings.append(f"unknown content coding, the body is read as it is: {one_line(coding)!r}")
                continue
            body, problem = undo_coding(body, coding, limits)
            reason = problem or reason
        return body, reason, tuple(warnings)


def may_be_document(document_format: str, ignored: str) -> bool:
    """Return True if a body can be a document though its declared media type is not that of one.

    Args:
        document_format: the format of the content.
        ignored: the media type, or the first part of it, such as image.
    """
    if document_format in _PLAIN or document_format == "gzip":
        return ignored == _BYTES
    return document_format in READERS


def skipped_kind(ignored: str, body: bytes) -> str:
    """Return the name under which a record with an ignored media type is counted."""
    found = detect(body) if ignored == _BYTES else ignored
    return "image" if found.endswith(" image") else found


def ignored_type(media_type: str) -> str | None:
    """Return a media type, or its first part, if it is not the type of a document."""
    kind = media_type.partition("/")[0]
    if kind in _IGNORED_KINDS:
        return kind
    return media_type if media_type in _IGNORED_TYPES else None


def one_line(value: str) -> str:
    """Return the first 80 characters of a header's value, without control characters."""
    return "".join(character if character.isprintable() else " " for character in value[:80])


def with_byte_order_mark(data: bytes, charset: str | None) -> tuple[bytes, tuple[str, ...]]:
    """Return text with a declared encoding as UTF-8 with a byte order mark, which every reader obeys, and warnings.

    Data in a binary format, or without a declared encoding, is returned unchanged.
    """
    if charset is None or detect(data[:HEAD_BYTES]) not in _CHARACTER_FORMATS:
        return data, ()
    text, _, warnings = decoded(data, declared=charset, markup=True)
    return codecs.BOM_UTF8 + text.encode("utf-8", "replace"), warnings
