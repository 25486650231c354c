"""Reads mail (RFC 5322): the subject and the text of a message; names its attachments."""

from __future__ import annotations

from collections.abc import Iterator
from email.errors import CloseBoundaryNotFoundDefect, HeaderParseError
from email.header import decode_header
from email.message import Message

from simhash_doc_extraction.base import EncryptedDocumentError, ExtractedText, Limits, NoTextError
from simhash_doc_extraction.encoding import decoded
from simhash_doc_extraction.html.blocks import joined, read_texts
from simhash_doc_extraction.html.tree import parse_page
from simhash_doc_extraction.mime import content_of, parse_message
from simhash_doc_extraction.parts import Losses

_PAGES = ("text/html", "application/xhtml+xml")
_READ = ("text/plain", *_PAGES)
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_DEEPEST = 20  # messages in messages


def read_mail(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read a message: its subject, and the text of its body with messages that are forwarded in it.

    Raises:
        EncryptedDocumentError: the body is encrypted.
        NoTextError: neither the subject nor the body has text.
    """
    message = parse_message(data)
    reader = _Reader()
    if any(isinstance(defect, CloseBoundaryNotFoundDefect) for part in message.walk() for defect in part.defects):
        reader.losses.add("messages cut off, the last part as far as possible", _header(message, "Subject"))
    texts = [text for text in (*reader.read(message),) if text.strip()]
    if not texts:
        if any(part.get_content_type() in _ENCRYPTED for part in message.walk()):
            raise EncryptedDocumentError("the message is encrypted: decrypt it first")
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

    def read(self, message: Message, depth: int = 0) -> Iterator[str]:
        """Yield the subject of a message, and the texts of its body."""
        yield _header(message, "Subject")
        yield from self._part(message, depth)

    def _part(self, part: Message, depth: int) -> Iterator[str]:
        kind, children = part.get_content_type(), _children(part)
        if part.get_content_disposition() == "attachment":
            self.losses.add("attachments not read", _name_of(part))
        elif kind == "message/rfc822":
            if depth == _DEEPEST:
                self.losses.add("messages nested too deeply not read", _name_of(part))
                return
            for message in children:
                yield from self.read(message, depth + 1)
        elif children:
            for child in _shown(part, children):
                yield from self._part(child, depth)
        elif kind in _READ and not part.get_filename():
            yield self._text(part, kind)
        elif kind not in _SIGNATURES:
            self.losses.add("attachments not read", _name_of(part))

    def _text(self, part: Message, kind: str) -> str:
        content, is_damaged = content_of(part)
        if is_damaged:
            self.losses.add("damaged parts read as far as possible", kind)
        charset = part.get_content_charset()
        if kind in _PAGES:
            tree = parse_page(content, declared=charset, warnings=self.warnings)
            return joined(read_texts(tree)) if tree.tags else ""
        text, _, warnings = decoded(content, declared=charset)
        self.warnings += warnings
        return text.replace("\r\n", "\n").strip()


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _shown(part: Message, children: list[Message]) -> list[Message]:
    """Return the parts that a program for mail shows: the best alternative, a page without its pictures."""
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        best = [child for child in children if child.is_multipart() or child.get_content_type() in _READ]
        return best[-1:] or children[-1:]
    if kind == "multipart/related":
        start = str(part.get_param("start") or "")
        named = [child for child in children if start and str(child.get("Content-ID", "")).strip() == start]
        return (named or children)[:1]
    return children


def _name_of(part: Message) -> str:
    return part.get_filename() or _header(part, "Subject") or part.get_content_type()


def _header(message: Message, name: str) -> str:
    """Return a header in characters, without line ends."""
    value = str(message.get(name, ""))
    try:
        pieces = decode_header(value)
    except (HeaderParseError, ValueError):
        return " ".join(value.split())
    text = "".join(
        decoded(piece, declared=charset)[0] if isinstance(piece, bytes) else piece for piece, charset in pieces
    )
    return " ".join(text.split())
