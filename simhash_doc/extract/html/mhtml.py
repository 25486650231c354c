"""Reads MHTML: a web page saved as a single file, in the format of a mail with attachments (RFC 2557)."""

from __future__ import annotations

from email import policy
from email.message import Message
from email.parser import BytesParser

from lxml.html import HtmlElement

from simhash_doc.extract.errors import CorruptDocumentError
from simhash_doc.extract.html.parse import parse_page
from simhash_doc.extract.html.reader import read_body
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import ExtractedText


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read the page of an archive. Its frames are documents of the archive."""
    message = BytesParser(policy=policy.compat32).parsebytes(data)
    parts = [part for part in message.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    main = _main(message, parts)
    if main is None:
        raise CorruptDocumentError("the archive holds no web page: expected a part of type text/html", name=name)
    named = {address: part for part in parts for address in _addresses(part)}

    def frame(element: HtmlElement) -> HtmlElement | None:
        part = named.get(element.get("src") or "")
        return None if part is None or part is main else parse_page(_content(part), declared=part.get_content_charset())

    body = parse_page(_content(main), declared=main.get_content_charset())
    return read_body(body, document_format, name, frame=frame)


def _main(message: Message, parts: list[Message]) -> Message | None:
    """Return the part that is the page itself: the one that the header names, or else the first."""
    wanted = {str(message.get("Snapshot-Content-Location", "")).strip(), str(message.get_param("start") or "")} - {""}
    return next((part for part in parts if not wanted.isdisjoint(_addresses(part, brackets=True))), None) or next(
        iter(parts), None
    )


def _addresses(part: Message, *, brackets: bool = False) -> list[str]:
    """Return the addresses by which other parts refer to a part."""
    found = []
    if location := part.get("Content-Location"):
        found.append(str(location).strip())
    if number := part.get("Content-ID"):
        number = str(number).strip()
        found.append(number if brackets else f"cid:{number.strip('<>')}")
    return found


def _content(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""
