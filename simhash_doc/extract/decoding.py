"""Bytes to characters: marks, declarations, UTF-8, and only then a guess."""

from __future__ import annotations

import codecs
import re
import unicodedata

from simhash_doc.extract.errors import MissingExtra

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins it
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = (
    re.compile(rb"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.:+-]{1,40})["']""", re.IGNORECASE),
    re.compile(rb"""<meta\b[^>]{0,400}?\bcharset\s*=\s*["']?\s*([\w.:+-]{1,40})""", re.IGNORECASE),
)
_WEB = {
    # Labels that stand for a larger encoding on the web (WHATWG Encoding, section 4.2).
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
    "utf-16": "utf-8",  # a declaration that can be read as ASCII is not in UTF-16
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
_NO_CHARACTERS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7"})
_ESCAPING = frozenset({"iso2022_jp"})  # all its bytes are ASCII
_UNKNOWN = "cp1252"
_DECLARATION_BYTES = 4096
_GUESS_BYTES = 256 * 1024


def decode(data: bytes, *, declared: str | None = None, markup: bool = False) -> tuple[str, str]:
    """Return the characters of `data` and the name of the encoding that was used.

    In this order (SD-EXTRACT-9): a byte order mark; UTF-16 or UTF-32 told by their zero bytes; well-formed UTF-8, if it
    is more than ASCII; the encoding that is declared by `declared` (a header) or, with `markup`, in an XML declaration
    or an HTML meta element; ASCII; a guess. What is ill-formed becomes U+FFFD.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding
    if wide := _wide(data):
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


def glance(head: bytes) -> str:
    """Return the first characters of a document, quickly: what is neither marked nor UTF-8 is taken for Latin-1."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return head[len(mark) :].decode(encoding, "replace")
    if wide := _wide(head):
        return head.decode(wide, "replace")
    return head.decode("utf-8", "replace") if is_utf8(head) else head.decode("latin-1")


def is_utf8(head: bytes) -> bool:
    """Whether a document that begins so is in UTF-8, with some damage at most. A character may be cut at the end."""
    if any(head.startswith(mark) for mark, encoding in _MARKS if encoding != "utf-8") or _wide(head):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return _mostly_utf8(head)
    return True


def _wide(data: bytes) -> str | None:
    """Recognize UTF-16 and UTF-32 without a mark: what has zero bytes on one side only, and makes sense read so."""
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
    return encoding if (text.count("\ufffd") + strange) * 20 < len(text) else None


def _codec(label: str) -> str | None:
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return None
    name = _WEB.get(name, name)
    if name in _NO_CHARACTERS:
        return None
    try:
        b"a".decode(name, "replace")  # codecs such as hex are no character encodings
    except (LookupError, UnicodeError):
        return None
    return name


def _mostly_utf8(data: bytes) -> bool:
    """Whether damage or truncation, rather than another encoding, explains what is ill-formed."""
    text = data.decode("utf-8", "replace")
    good = sum(len(run) for run in re.findall(r"[^\x00-\x7f\ufffd]+", text))
    return good > 4 * text.count("\ufffd")


def _guess(data: bytes) -> str:
    if _mostly_utf8(data):
        return "utf-8"
    try:
        from resiliparse.parse.encoding import detect_encoding
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "text in an encoding that nothing declares needs resiliparse: pip install 'simhash-doc[extract]'"
        ) from error
    label = detect_encoding(data, max_len=_GUESS_BYTES, html5_compatible=False)
    return (_codec(label) if label else None) or _UNKNOWN
