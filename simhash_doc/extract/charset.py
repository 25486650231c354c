"""The character encoding of a document (SD-EXTRACT-9)."""

from __future__ import annotations

import codecs
import re

from simhash_doc.extract.base import MissingExtraError
from simhash_doc.extract.detect import BYTE_ORDER_MARKS, is_mostly_utf8, unmarked_utf16_or_32

_DECLARED = (
    re.compile(rb"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.:+-]{1,40})["']""", re.IGNORECASE),
    re.compile(rb"""<meta\b[^>]{0,400}?\bcharset\s*=\s*["']?\s*([\w.:+-]{1,40})""", re.IGNORECASE),
)
_WEB_ENCODINGS = {
    # Labels that mean a larger encoding on the web (WHATWG Encoding Standard, section 4.2).
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-8",  # if the declaration is readable as ASCII, the document is not in UTF-16
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
_NOT_CHARACTER_ENCODINGS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7"})
_ESCAPING = frozenset({"iso2022_jp"})  # every byte is ASCII
_FALLBACK = "cp1252"
_DECLARATION_BYTES = 4096
_GUESS_BYTES = 256 * 1024


def decode(data: bytes, *, declared: str | None = None, markup: bool = False) -> tuple[str, str]:
    """Return the characters of `data` and the name of the encoding that was used.

    The encoding is found in this order (SD-EXTRACT-9): a byte order mark; UTF-16 or UTF-32, recognized by their zero
    bytes; UTF-8, if the data is well-formed and not only ASCII; the declared encoding; ASCII; a guess.
    Ill-formed sequences become U+FFFD.

    Args:
        data: the document.
        declared: label of the encoding that the transport declares, such as the charset of an HTTP header.
        markup: also use the label in an XML declaration or in an HTML meta element, after `declared`.

    Raises:
        MissingExtraError: the encoding has to be guessed, and the extra `extract` is not installed.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding
    if wide := unmarked_utf16_or_32(data):
        return data.decode(wide, "replace"), wide
    escapes = data.isascii() and b"\x1b" in data
    if not escapes:
        try:
            return data.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            pass
    labels = [declared] if declared else []
    if markup:
        labels += [
            found[1].decode("ascii") for pattern in _DECLARED if (found := pattern.search(data[:_DECLARATION_BYTES]))
        ]
    known = next((name for label in labels if (name := _codec(label)) and name != "utf-8"), None)
    if escapes and known not in _ESCAPING:
        known = "utf-8"
    encoding = known or _guess(data)
    return data.decode(encoding, "replace"), encoding


def _codec(label: str) -> str | None:
    """Return the Python codec of an encoding label, or None if there is none."""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return None
    name = _WEB_ENCODINGS.get(name, name)
    if name in _NOT_CHARACTER_ENCODINGS:
        return None
    try:
        b"a".decode(name, "replace")  # fails for codecs such as hex, which are not character encodings
    except (LookupError, UnicodeError):
        return None
    return name


def _guess(data: bytes) -> str:
    """Return the most likely encoding of text that declares none."""
    if is_mostly_utf8(data):
        return "utf-8"
    try:
        from resiliparse.parse.encoding import detect_encoding
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "text without a declared encoding needs the package resiliparse: pip install 'simhash-doc[extract]'"
        ) from error
    label = detect_encoding(data, max_len=_GUESS_BYTES, html5_compatible=False)
    return (_codec(label) if label else None) or _FALLBACK
