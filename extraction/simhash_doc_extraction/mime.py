"""Messages in MIME (RFC 2045), of which mail and MHTML consist: the contents of their parts, also of damaged ones."""

from __future__ import annotations

import base64
import re
from contextlib import suppress
from email import policy
from email.errors import (
    InvalidBase64CharactersDefect,
    InvalidBase64LengthDefect,
    InvalidBase64PaddingDefect,
)
from email.message import Message
from email.parser import BytesParser
from typing import Any

from simhash_doc_extraction.detection import detect

PLAIN = frozenset({"text", "markdown", "asciidoc", "xml"})
"""Formats that the content does not distinguish from text that is no document."""

_BASE64_DEFECTS = (InvalidBase64CharactersDefect, InvalidBase64LengthDefect, InvalidBase64PaddingDefect)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
_BARE_RETURN = re.compile("=\r(?!\n)")  # after which the library skips everything up to the next line feed
_LONGEST_HEADER = 2_000  # characters of a header in which parameters are read: the library takes quadratic time
_WITH_PARAMETERS = ("content-type", "content-disposition")


class _Message(Message):
    """A message whose parameters are texts, whatever encoding they name.

    A message in it that is encoded, against RFC 2046, is not parsed: first it must be decoded.
    """

    def get_content_maintype(self) -> str:
        found = super().get_content_maintype()
        return "application" if found == "message" and encoding_of(self) else found

    def get(self, name: str, failobj: Any = None) -> Any:
        found = super().get(name, failobj)
        if found is failobj or name.lower() not in _WITH_PARAMETERS:
            return found
        return str(found)[:_LONGEST_HEADER]

    def get_param(self, param: str, failobj: Any = None, header: str = "content-type", unquote: bool = True) -> Any:
        try:
            found = super().get_param(param, failobj, header, unquote)
        except TypeError:  # the library sorts the pieces of a value, of which one has no number
            return failobj
        if not isinstance(found, tuple):
            return found
        charset, _, value = found  # RFC 2231
        with suppress(LookupError, ValueError):  # also of a name that is no UTF-8, or has a null character
            return value.encode("raw-unicode-escape").decode(charset or "ascii", "replace")
        return value


def encoding_of(part: Message) -> str:
    """Return "base64" or "quoted-printable", or "" if a part is stored as it is."""
    found = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    return found if found in ("base64", "quoted-printable") else ""


def parse_message(data: bytes) -> Message:
    """Return a message, with its parts."""
    return BytesParser(_Message, policy=policy.compat32).parsebytes(data)


def content_of(part: Message) -> tuple[bytes, bool]:
    """Return the content of a part, as far as it can be decoded, and whether it is damaged."""
    if encoding_of(part) == "quoted-printable" and isinstance(stored := part.get_payload(), str):
        part.set_payload(_BARE_RETURN.sub("=\n", stored))
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return b"", False
    if not any(isinstance(defect, _BASE64_DEFECTS) for defect in part.defects):
        return content, False
    del part["Content-Transfer-Encoding"]
    plain = part.get_payload(decode=True)  # as it is stored
    assert isinstance(plain, bytes)
    if detect(plain) not in PLAIN:
        return plain, False  # it is not encoded
    lines = [_NOT_BASE64.sub(b"", line) for line in plain.splitlines()]
    if len(lines[0]) % 4:  # a line is not complete in itself
        lines = [b"".join(lines)]
    return b"".join(base64.b64decode(line[: len(line) // 4 * 4]) for line in lines), True
