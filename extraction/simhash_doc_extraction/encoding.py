"""The character encoding of a document (SD-EXTRACT-9): what it declares, and what its bytes say.

A declaration beats a guess, and the bytes show that a declaration is wrong.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import NamedTuple

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LETTERS = frozenset(b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ASCII = bytes(range(128))
_SURE = 20
"""Characters in UTF-8 for each ill-formed sequence that are more than any declaration."""


class Decoded(NamedTuple):
    """The characters of a document, the name of the encoding, and warnings about a guess and about what is damaged."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, *, declared: str | None = None, markup: bool = False) -> tuple[str, str]:
    """Return the characters of `data` and the name of the encoding that was used. `decoded` gives the arguments."""
    return decoded(data, declared=declared, markup=markup)[:2]


def decoded(data: bytes, *, declared: str | None = None, markup: bool = False) -> Decoded:
    """Return the characters of `data`, the name of the encoding that was used, and warnings.

    The encoding is found in this order (SD-EXTRACT-9): a byte order mark; UTF-16 or UTF-32, recognized by their zero
    bytes; UTF-8, if the data is well-formed or nearly, and not only ASCII; the declared encoding, unless much of the
    text contradicts it; ISO-2022 and HZ, recognized by their escape sequences; ASCII; a guess. Ill-formed sequences
    become U+FFFD.

    Args:
        data: the document.
        declared: label of the encoding that the transport declares, such as the charset of an HTTP header.
        markup: also use the label in an XML declaration or in an HTML meta element, after `declared`.

    Raises:
        ModuleNotFoundError: an encoding is declared or has to be guessed, and the extra `extract` is not installed.
    """
    if wide := marked_or_wide(data):
        encoding, start = wide
        return _decoded(data[start:], encoding, is_guess=not start)
    if data.isascii():
        if b"\x1b" not in data and b"~{" not in data:
            return Decoded(data.decode("ascii"), "utf-8")
        codec = next(filter(None, map(_codec, _labels(data, declared, markup))), None)
        encoding = codec if codec in _ESCAPING else _escaping(data) or "utf-8"
        return _decoded(data, encoding, is_guess=encoding not in (codec, "utf-8"))
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    good, bad = _utf8_counts(data)
    if good >= _SURE * bad:
        return _decoded(data, "utf-8")
    for label in _labels(data, declared, markup):
        codec = _codec(label)
        if codec in _ESCAPING or codec is None:
            continue
        text = data.decode(codec, "replace")
        if codec == "utf-8":
            stands = good >= bad or not _is_contradicted(text)
        else:
            stands = 5 * text.count("\ufffd") <= len(data.translate(None, _ASCII))
        if stands:
            return _decoded(data, codec)
    if good > 4 * bad:
        return _decoded(data, "utf-8")
    from simhash_doc_extraction.guess import guess  # not above: few documents need a guess

    return _decoded(data, guess(data, _codec), is_guess=True)


def _decoded(data: bytes, encoding: str, *, is_guess: bool = False) -> Decoded:
    text = data.decode(encoding, "replace")
    bad = text.count("\ufffd") - (data.count(b"\xef\xbf\xbd") if encoding == "utf-8" else 0)
    warnings = [f"read as a guessed encoding: {encoding}"] if is_guess else []
    if bad > 0 and encoding == "utf-8":
        warnings.append(f"not well-formed UTF-8: {bad:,} invalid sequences count as U+FFFD")
    elif bad > 0:
        warnings.append(f"not well-formed in its encoding: {bad:,} invalid sequences of {encoding} count as U+FFFD")
    return Decoded(text, encoding, tuple(warnings))


_FEW_BAD = 5
_FEW_BAD_SHARE = 0.02  # of the words
_MANY_BAD_SHARE = 0.1  # of the characters


def _is_contradicted(text: str) -> bool:
    """Return True if so many words have an ill-formed sequence that the text is in another encoding than UTF-8."""
    words = text.split()
    bad = sum("\ufffd" in word for word in words)
    if text.count("\ufffd") > _MANY_BAD_SHARE * len(text):  # also in scripts without words
        return True
    return bad > _FEW_BAD_SHARE * len(words) and (bad > _FEW_BAD or 2 * bad > len(words))


# Declarations

_DECLARATION_BYTES = 64 * 1024
_PRESCANNED = 1024
_XML_ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*(?:"([^">]{1,60})"|'([^'>]{1,60})')""")
_PAGE = re.compile(rb"<html\b|<!doctype html\b", re.IGNORECASE)


def _labels(data: bytes, declared: str | None, markup: bool) -> list[str]:
    """Return the declared labels, the most important first."""
    labels = [declared] if declared else []
    if markup:
        head = data[:_DECLARATION_BYTES]
        xml = _XML_ENCODING.match(head)
        if not head.lstrip().startswith(b"<?xml") or _PAGE.search(head):
            found = _prescan(head[:_PRESCANNED]) or _prescan(head, raw_text=True)
            labels += [found] if found else []
        labels += [(xml[1] or xml[2]).decode("latin-1")] if xml else []
    return labels


_MARKUP = re.compile(rb"<(?:(!--)|(meta)(?=[\t\n\f\r /])|/?[a-z][^\t\n\f\r >]*+|([!/?]))")
_ATTRIBUTE = re.compile(
    rb"""[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)"""
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"([^"]*+)("?)|'([^']*+)('?)|([^\t\n\f\r >]*+)))?+"""
)
_CHARSET = re.compile(rb"charset[\t\n\f\r ]*+=[\t\n\f\r ]*+")
_LABEL_END = re.compile(rb"[\t\n\f\r ;]")
_RAW_TEXT = re.compile(rb"<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b")


def _prescan(head: bytes, *, raw_text: bool = False) -> str | None:
    """Return the label in a meta element, as the HTML Standard finds it in the first 1,024 bytes (section 13.2.3.2).

    With `raw_text`, the text in elements such as `script` is not markup, as when a browser finds the element later.
    """
    head = head.lower()
    position = 0
    while found := _MARKUP.search(head, position):
        is_comment, is_meta, is_other = found.groups()
        if is_comment or is_other:
            end, size = (b"-->", 2) if is_comment else (b">", 1)
            position = head.find(end, found.start() + size) + len(end)
            if position < len(end):
                return None
            continue
        position = found.end()
        attributes: dict[bytes, bytes] = {}
        while attribute := _ATTRIBUTE.match(head, position):
            name, double, end_double, single, end_single, unquoted = attribute.groups()
            if end_double == b"" or end_single == b"":
                return None
            attributes.setdefault(name, double or single or unquoted or b"")
            position = attribute.end()
        if is_meta:
            label = attributes.get(b"charset")
            if label is None and attributes.get(b"http-equiv") == b"content-type":
                label = _label_in(attributes.get(b"content", b""))
            if label and _codec(known := label.decode("latin-1")):
                return known
        elif raw_text and (element := _RAW_TEXT.match(found[0])):
            position = head.find(b"</" + element[1], position)
            if position < 0:
                return None
    return None


def _label_in(content: bytes) -> bytes | None:
    """Return the label in the value of an attribute such as `text/html; charset=utf-8`."""
    found = _CHARSET.search(content)
    if not found:
        return None
    value = content[found.end() :]
    if value.startswith((b'"', b"'")):
        label, quote, _ = value[1:].partition(value[:1])
        return label if quote else None
    return _LABEL_END.split(value, maxsplit=1)[0]


_CODECS = {  # names in the Encoding Standard -> the Python codec, if webencodings has a smaller one
    "gbk": "gb18030",
    "iso-2022-jp": "iso2022_jp_ext",
    "utf-16le": "utf-8",  # if the declaration is readable as ASCII, the document is not in UTF-16
    "utf-16be": "utf-8",
    "x-user-defined": "cp1252",
}
_LABEL = re.compile(r"[\w.:+-]{1,40}", re.ASCII)  # Python also takes others: "cp866/"
_NOT_CHARACTER_ENCODINGS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7"})


def _codec(label: str) -> str | None:
    """Return the Python codec of an encoding label of the Encoding Standard or of Python, or None if there is none."""
    from webencodings import lookup  # in the extra `extract`

    try:
        known = lookup(label)
        if known and known.name != "replacement":  # the standard does not decode those, such as ISO-2022-KR
            return _CODECS.get(known.name) or str(known.codec_info.name)
        name = codecs.lookup(label.strip()).name
        if name in _NOT_CHARACTER_ENCODINGS or not _LABEL.fullmatch(label.strip()):
            return None
        b"a".decode(name, "replace")  # fails for codecs such as hex, which are not character encodings
    except (LookupError, ValueError):
        return None
    return "utf-8" if name.startswith(("utf-16", "utf-32")) else name


# What the bytes say

_ESCAPES = (  # what only one of the encodings with escape sequences contains, the more special first
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"\x1b\$\([OPQ]"), "iso2022_jp_2004"),
    (re.compile(rb"\x1b(?:\$A|\$\(C|\.[AF])"), "iso2022_jp_2"),
    (re.compile(rb"\x1b(?:\$[@B]|\$\(D|\([IJ])"), "iso2022_jp_ext"),
)
_ESCAPING = frozenset({"hz", "iso2022_jp", *(codec for _, codec in _ESCAPES)})
_HZ = re.compile(rb"~\{((?:[!-w][!-~])++)(?:~\}|\r?\n)")
_COMMON_HZ = re.compile(rb"(?:[!-)0-W][!-~])*+")  # signs, and the 3,755 common characters, sorted by sound


def _escaping(data: bytes) -> str | None:
    """Return the encoding of ASCII bytes that are characters of East Asia between escape sequences, or None."""
    for pattern, codec in _ESCAPES:
        if pattern.search(data):
            text = data.decode(codec, "replace")
            others = len(text) - len(text.encode("ascii", "ignore"))
            if others > 10 * text.count("\ufffd"):
                return codec
    runs = _HZ.findall(data)
    common = sum(len(found[0]) for run in runs if (found := _COMMON_HZ.match(run)))
    size = sum(map(len, runs))
    return "hz" if size >= 8 and len(runs) == data.count(b"~{") and common >= 0.8 * size else None


def _utf8_counts(data: bytes) -> tuple[int, int]:
    """Return the number of characters in UTF-8 outside of ASCII, and of ill-formed sequences."""
    text = data.decode("utf-8", "replace")
    return len(text) - len(text.encode("ascii", "ignore")) - text.count("\ufffd"), text.count("\ufffd")


def is_utf8(head: bytes) -> bool:
    """Return True if `head`, the first bytes of a document, is UTF-8, possibly with a few ill-formed sequences.

    The last character may be truncated.
    """
    wide = marked_or_wide(head)
    if wide and wide[0] != "utf-8":
        return False
    if head.isascii() and (b"\x1b$" in head or b"~{" in head):
        return _escaping(head) is None
    if _is_well_formed(head):
        return True
    good, bad = _utf8_counts(head)
    return good > 4 * bad


def marked_or_wide(data: bytes) -> tuple[str, int] | None:
    """Return the encoding that a byte order mark names, and the size of the mark; or else UTF-16 or UTF-32, and 0."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    wide = _unmarked_wide(data)
    return (wide, 0) if wide else None


def _unmarked_wide(data: bytes) -> str | None:
    """Return the encoding of UTF-16 or UTF-32 without a byte order mark, or None if `data` is neither.

    Such data has most zero bytes at even or at odd offsets, decodes to mostly assigned characters, and is not
    likely to be text in bytes with some zero bytes.
    """
    head = data[:4096]
    head = head[: len(head) - len(head) % 4]
    if head.isascii() and 0 not in head:  # most texts
        return None
    zeros = [head[start::4].count(0) for start in range(4)]
    total = len(head) // 4
    if total < 2:
        return None
    if han := _han_in_utf16(data, head):
        return han
    if not any(zeros):
        return None
    if total == zeros[3] > zeros[0] and zeros[2] > 0.9 * total:
        encoding = "utf-32-le"
    elif total == zeros[0] > zeros[3] and zeros[1] > 0.9 * total:
        encoding = "utf-32-be"
    elif 4 * (zeros[0] + zeros[2]) < zeros[1] + zeros[3]:  # characters such as U+4E00 have one, too
        encoding = "utf-16-le"
    elif 4 * (zeros[1] + zeros[3]) < zeros[0] + zeros[2]:
        encoding = "utf-16-be"
    else:
        return None
    text = head.decode(encoding, "replace")
    strange = sum(unicodedata.category(character) in ("Cc", "Cn", "Co") for character in text)
    strange -= sum(map(text.count, "\t\r\n"))
    if (text.count("\ufffd") + strange) * 20 >= len(text):
        return None
    return encoding if encoding.startswith("utf-32") or _is_wide(data, head, encoding == "utf-16-le") else None


def _han_in_utf16(data: bytes, head: bytes) -> str | None:
    """Return the encoding of UTF-16 whose zero bytes say nothing, if nearly all is Chinese characters, or None.

    Their high bytes are 4E to 9F, and most below 80, where other encodings of Chinese have no first byte.
    """
    if len(data) % 2 or _is_well_formed(head):
        return None
    halves = {"utf-16-be": head[::2], "utf-16-le": head[1::2]}
    shares = {name: sum(0x4E <= byte <= 0x9F for byte in half) / len(half) for name, half in halves.items()}
    encoding = max(shares, key=lambda name: shares[name])
    low = sum(0x4E <= byte < 0x80 for byte in halves[encoding]) / len(halves[encoding])
    return encoding if shares[encoding] > 0.8 and min(shares.values()) < 0.5 and low > 0.4 else None


def _is_wide(data: bytes, head: bytes, little_endian: bool) -> bool:
    """Return True if bytes that can be UTF-16 are not single-byte text with some zero bytes.

    The high byte of nearly every unit is below 20 in texts of most scripts, and hardly ever in pairs of letters. Other
    units, such as Chinese characters, have many bytes that are neither well-formed UTF-8 nor letters.
    """
    high = head[1::2] if little_endian else head[::2]
    if sum(byte < 0x20 for byte in high) >= 0.9 * len(high):
        return True
    letters = sum(byte in _LETTERS for byte in head)
    return not _is_well_formed(head) and len(data) % 2 == 0 and letters < 0.6 * len(head)


def _is_well_formed(head: bytes) -> bool:
    """Return True if bytes are UTF-8, of which the last character may be truncated."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
