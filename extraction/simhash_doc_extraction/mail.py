"""Reads mail (RFC 5322): the subject and the text of a message; names its attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.errors import (
    CloseBoundaryNotFoundDefect,
    HeaderParseError,
    MissingHeaderBodySeparatorDefect,
    NoBoundaryInMultipartDefect,
    StartBoundaryNotFoundDefect,
)
from email.header import decode_header
from email.message import Message

from simhash_doc_extraction.base import EncryptedDocumentError, ExtractedText, Limits, NoTextError
from simhash_doc_extraction.encoding import decoded
from simhash_doc_extraction.html.blocks import joined, read_texts
from simhash_doc_extraction.html.tree import parse_page
from simhash_doc_extraction.mime import content_of, encoding_of, parse_message
from simhash_doc_extraction.parts import Losses

_PAGES = ("text/html", "application/xhtml+xml")
_READ = ("text/plain", *_PAGES)
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_UTF7 = ("utf-7", "unicode-1-1-utf-7")
_DAMAGED = (MissingHeaderBodySeparatorDefect, NoBoundaryInMultipartDefect, StartBoundaryNotFoundDefect)
_DEEPEST = 20  # messages in messages
_PART_HEADER = re.compile(r"^Content-", re.IGNORECASE | re.MULTILINE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_NOT_QUOTED = re.compile(rb"=(?![0-9A-Fa-f]{2}|[ \t]*\r?(?:\n|\Z))")
_LONGEST_HEADER = 10_000  # characters in which encoded words are decoded: the time is quadratic


def read_mail(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read a message: its subject, and the text of its body with messages that are forwarded in it.

    Raises:
        EncryptedDocumentError: the body is encrypted.
        NoTextError: neither the subject nor the body has text.
    """
    data = data if b"\n" in data else data.replace(b"\r", b"\n")
    message = parse_message(data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))
    reader = _Reader()
    reader.check_end(message)
    if not _BLANK_LINE.search(data):  # the header has no end
        reader.losses.add("messages cut off, the last part as far as possible", _header(message, "Subject"))
    subject, *body = reader.read(message)
    body = [text for text in body if text.strip()]
    if not body and any(map(_is_encrypted, message.walk())):
        raise EncryptedDocumentError("the message is encrypted: decrypt it first")
    texts = [subject, *body] if subject else body
    if not texts:
        raise NoTextError("no text: " + "; ".join(["the message holds none", *reader.losses.warnings()]))
    warnings = (*dict.fromkeys(reader.warnings), *reader.losses.warnings())
    return ExtractedText("\n\n".join(texts), document_format, warnings=warnings)


class _Reader:
    """Reads messages, and counts what is not read.

    Attributes:
        losses: attachments, and damaged parts.
        warnings: about encodings.
    """

    def __init__(self) -> None:
        self.losses, self.warnings = Losses(), list[str]()
        self._is_body = True  # what comes first, even if it has a name

    def check_end(self, message: Message) -> None:
        """Count a message that ends before one of its boundaries, and parts whose headers or boundaries are damaged."""
        if any(isinstance(defect, CloseBoundaryNotFoundDefect) for part in message.walk() for defect in part.defects):
            self.losses.add("messages cut off, the last part as far as possible", _header(message, "Subject"))
        for part in message.walk():
            if any(isinstance(defect, _DAMAGED) for defect in part.defects):
                self.losses.add("damaged parts read as far as possible", part.get_content_type())

    def read(self, message: Message, depth: int = 0) -> Iterator[str]:
        """Yield the subject of a message, and the texts of its body."""
        yield _header(message, "Subject")
        yield from self._part(message, depth)

    def _part(self, part: Message, depth: int) -> Iterator[str]:
        kind, children = part.get_content_type(), _children(part)
        if _has_part_outside(part):
            self.losses.add("parts outside of the boundaries not read", kind)
        if part.get_content_disposition() == "attachment" or kind == "message/delivery-status":
            self.losses.add("attachments not read", _name_of(part))
        elif kind.startswith("message/") and (children or encoding_of(part)):
            if depth == _DEEPEST:
                self.losses.add("messages nested too deeply not read", _name_of(part))
                return
            for message in children or [self._decoded_message(part)]:
                yield from self.read(message, depth + 1)
        elif kind == "multipart/alternative" and children:
            yield from self._best(children, depth)
        elif children:
            shown = {*_shown(part, children)}
            for child in children:
                if child in shown:
                    yield from self._part(child, depth)
                elif child.is_multipart() or child.get_content_type() in _READ:
                    self.losses.add("attachments not read", _name_of(child))
        elif kind in _READ and (self._is_body or not part.get_filename()):
            self._is_body = False
            yield self._text(part, kind)
        elif part.get_content_maintype() == "multipart":  # its boundary is not named: the parts are one
            yield self._text(part, "text/plain")
        elif kind not in _SIGNATURES:
            self.losses.add("attachments not read", _name_of(part))

    def _best(self, alternatives: list[Message], depth: int) -> Iterator[str]:
        """Yield the texts of the last alternative that has a text and that a program for mail shows."""
        shown = [one for one in alternatives if one.is_multipart() or one.get_content_type() in _READ]
        for alternative in reversed(shown or alternatives):
            texts = [text for text in self._part(alternative, depth) if text.strip()]
            if texts:
                yield from texts
                return

    def _decoded_message(self, part: Message) -> Message:
        """Return the message in a part, of which some programs encode the whole, against RFC 2046; others the body."""
        encoding, stored = encoding_of(part), str(part.get_payload()).encode("ascii", "surrogateescape")
        content, is_damaged = content_of(part)
        if is_damaged:
            self.losses.add("damaged parts read as far as possible", part.get_content_type())
        if encoding == "quoted-printable" and _NOT_QUOTED.search(_BLANK_LINE.split(stored, 1)[0]):
            content = stored
        message = parse_message(content)
        self.check_end(message)
        if content == stored and "Content-Transfer-Encoding" not in message:
            message["Content-Transfer-Encoding"] = encoding
        return message

    def _text(self, part: Message, kind: str) -> str:
        content, is_damaged = content_of(part)
        if is_damaged:
            self.losses.add("damaged parts read as far as possible", kind)
        charset = part.get_content_charset()
        if charset in _UTF7:  # only mail has it
            content, charset = content.decode("utf-7", "replace").encode(), "utf-8"
        if kind in _PAGES:
            tree = parse_page(content, declared=charset, warnings=self.warnings)
            return joined(read_texts(tree)) if tree.tags else ""
        text, _, warnings = decoded(content, declared=charset)
        self.warnings += warnings
        return _unfolded(text.replace("\r\n", "\n"), part).strip()


def _unfolded(text: str, part: Message) -> str:
    """Join the lines of each paragraph, of which one may end within a word (RFC 3676, DelSp)."""
    if not (str(part.get_param("format")).lower() == "flowed" and str(part.get_param("delsp")).lower() == "yes"):
        return text
    lines: list[list[str]] = []
    open_depth = -1  # of quotation, if the line before goes on
    for line in text.split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        if depth == open_depth:
            lines[-1].append(content.removeprefix(" "))
        else:
            lines.append([line])
        open_depth = depth if line.endswith(" ") and content.strip() != "--" else -1
        if open_depth >= 0:
            lines[-1][-1] = lines[-1][-1][:-1]
    return "\n".join(map("".join, lines))


def _is_encrypted(part: Message) -> bool:
    return part.get_content_type() in _ENCRYPTED and part.get_param("smime-type") != "signed-data"


def _has_part_outside(part: Message) -> bool:
    """Return True if there is a part before the first boundary, or a text after the last one, which nobody sees."""
    return bool(_PART_HEADER.search(part.preamble or "") or (part.epilogue or "").strip())


def _children(part: Message) -> list[Message]:
    return [*part.get_payload()] if part.is_multipart() else []  # else it would be decoded


def _shown(part: Message, children: list[Message]) -> list[Message]:
    """Return the parts that a program for mail shows: of a page with its pictures, the page."""
    if part.get_content_type() == "multipart/related":
        start = str(part.get_param("start") or "")
        named = [child for child in children if start and str(child.get("Content-ID", "")).strip() == start]
        return (named or children)[:1]
    return children


def _name_of(part: Message) -> str:
    return part.get_filename() or _header(part, "Subject") or part.get_content_type()


def _header(message: Message, name: str) -> str:
    """Return a header in characters, without line ends."""
    value = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
    raw = str(value).encode("ascii", "surrogateescape")
    if not raw.isascii():  # against RFC 5322, but frequent
        value = decoded(raw, declared=message.get_content_charset())[0]
    try:
        pieces = decode_header(value if len(value) <= _LONGEST_HEADER else "")
    except (HeaderParseError, ValueError):
        pieces = []
    if not pieces:
        return " ".join(value.split())
    text = "".join(
        decoded(piece, declared=charset)[0] if isinstance(piece, bytes) else piece for piece, charset in pieces
    )
    return " ".join(text.split())
