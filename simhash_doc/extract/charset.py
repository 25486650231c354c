"""The character encoding of a document (SD-EXTRACT-9)."""

from __future__ import annotations

import codecs
import re
import unicodedata

from simhash_doc.extract.base import MissingExtraError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
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
    if wide := marked_or_wide(data):
        encoding, start = wide
        return data[start:].decode(encoding, "replace"), encoding
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
    if _is_mostly_utf8(data):
        return "utf-8"
    try:
        from resiliparse.parse.encoding import detect_encoding
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "text without a declared encoding needs the package resiliparse: pip install 'simhash-doc[extract]'"
        ) from error
    label = detect_encoding(data, max_len=_GUESS_BYTES, html5_compatible=False)
    return (_codec(label) if label else None) or _FALLBACK


def is_utf8(head: bytes) -> bool:
    """Return True if `head`, the first bytes of a document, is UTF-8, possibly with a few ill-formed sequences.

    The last character may be truncated.
    """
    wide = marked_or_wide(head)
    if wide and wide[0] != "utf-8":
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return _is_mostly_utf8(head)
    return True


def marked_or_wide(data: bytes) -> tuple[str, int] | None:
    """Return the encoding that a byte order mark names, and the size of the mark; or else UTF-16 or UTF-32, and 0."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    wide = _unmarked_wide(data)
    return (wide, 0) if wide else None


_LETTERS = frozenset(b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _unmarked_wide(data: bytes) -> str | None:
    """Return the encoding of UTF-16 or UTF-32 without a byte order mark, or None if `data` is neither.

    Such data has zero bytes only at even or only at odd offsets, decodes to mostly assigned characters, and is not
    likely to be text in bytes with some zero bytes.
    """
    head = data[:4096]
    head = head[: len(head) - len(head) % 4]
    zeros = [head[start::4].count(0) for start in range(4)]
    total = len(head) // 4
    if not any(zeros) or total < 2:
        return None
    if total == zeros[3] > zeros[0] and zeros[2] > 0.9 * total:
        encoding = "utf-32-le"
    elif total == zeros[0] > zeros[3] and zeros[1] > 0.9 * total:
        encoding = "utf-32-be"
    elif not zeros[0] and not zeros[2]:
        encoding = "utf-16-le"
    elif not zeros[1] and not zeros[3]:
        encoding = "utf-16-be"
    else:
        return None
    text = head.decode(encoding, "replace")
    strange = sum(unicodedata.category(character) in ("Cc", "Cn", "Co") for character in text) - sum(
        map(text.count, "\t\r\n")
    )
    if (text.count("\ufffd") + strange) * 20 >= len(text):
        return None
    return encoding if encoding.startswith("utf-32") or _is_wide(data, head, encoding == "utf-16-le") else None


def _is_wide(data: bytes, head: bytes, little_endian: bool) -> bool:
    """Return True if bytes that can be UTF-16 are not single-byte text with some zero bytes.

    The high byte of nearly every unit is below 20 in texts of most scripts, and hardly ever in pairs of letters. Other
    units, such as Chinese characters, have many bytes that are neither well-formed UTF-8 nor letters.
    """
    high = head[1::2] if little_endian else head[::2]
    if sum(byte < 0x20 for byte in high) >= 0.9 * len(high):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        letters = sum(byte in _LETTERS for byte in head)
        return len(data) % 2 == 0 and letters < 0.6 * len(head)
    return False


def _is_mostly_utf8(data: bytes) -> bool:
    """Return True if ill-formed sequences are rare enough to be errors in UTF-8 and not another encoding."""
    text = data.decode("utf-8", "replace")
    good = sum(len(run) for run in re.findall(r"[^\x00-\x7f\ufffd]+", text))
    return good > 4 * text.count("\ufffd")
