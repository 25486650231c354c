"""Fingerprints in text forms, one parser for all: decimal, hexadecimal, base32, base32 with a path, JSON objects.

A line or an argument is read by `parse_line` or `parse_fingerprint`. Many texts of digits are read as arrays by
`decode`, which leaves out what does not fit there, such as hexadecimal digits in upper case.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import bytes_from_lanes, lanes_from_bytes, lanes_from_ints
from simhash_doc.base32 import decode_array
from simhash_doc.errors import MalformedFingerprintError, SimhashDocError, SpecError, shown
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.schemes import Scheme, get_scheme, get_schemes

LINE_FORMATS = ("json", "decimal", "hex", "base32", "text")
"""The formats of a line; if a line fits several, the first counts."""
FORMATS = (*LINE_FORMATS, "csv", "parquet")

# No scheme has as many digits in base32 as another in hexadecimal.
_HEX_DIGITS = frozenset(scheme.bits // 4 for scheme in get_schemes().values())
_HEX_LINE = re.compile(r"(0[xX])?([0-9a-fA-F]+)", re.ASCII)
# What a line of a format begins with, or consists of: most lines that do not fit need not be parsed.
_SHAPES = {
    name: re.compile(pattern, re.ASCII)
    for name, pattern in {
        "json": r"\{", "decimal": r"[0-9]+\Z", "hex": r"[0-9a-fA-FxX]+\Z", "base32": r"\S+\Z", "text": r"\S+  ",
    }.items()
}  # fmt: skip
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}

_INVALID = 255  # not the union of the bits of any digits, which are below 16
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MOST_DECIMAL = 20  # digits of 2^64 - 1


# The value of each hexadecimal digit in lower case, by its ASCII code.
_HEXADECIMAL = np.full(256, _INVALID, np.uint8)
_HEXADECIMAL[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16, dtype=np.uint8)


class UnreadableLineError(SimhashDocError, ValueError):
    """A line or row does not hold a fingerprint, or not one of the expected scheme."""

    code = "unreadable-line"


class UnreadableInputError(SimhashDocError, ValueError):
    """A file of fingerprints cannot be read to its end."""

    code = "unreadable-input"


class ParsedEntry(NamedTuple):
    """The content of a line or row: a document and its fingerprint.

    Attributes:
        fingerprint: None if the document has none.
        name: path or id.
        provenance: the parsed JSON value.
    """

    fingerprint: Fingerprint | None
    name: str | None = None
    provenance: object = None


EntryOrError = ParsedEntry | UnreadableLineError | SpecError
"""What a line or row holds, or why it cannot be read."""


def parse_line(text: str, line_format: str, scheme: Scheme | None = None) -> ParsedEntry:
    """Return the content of a line.

    Args:
        text: the line, without white space at its ends.
        line_format: one of `LINE_FORMATS`.
        scheme: the scheme of digits that do not name one; None to infer it from their number.

    Raises:
        UnreadableLineError: it does not hold a fingerprint in this format.
        SpecError: the fingerprint is malformed.
    """
    if line_format == "json":
        return _parse_json(text)
    if line_format != "text":
        return ParsedEntry(_DIGITS[line_format](text, scheme))
    # Base32, two spaces and a path, as `fingerprint` prints it.
    digits, separator, path = text.partition("  ")
    if not separator:
        raise UnreadableLineError(f"{shown(text)} is not a fingerprint, two spaces and a path")
    return ParsedEntry(_base32(digits, scheme), unescaped(path))


def parse_fingerprint(text: str, scheme: str | None = None) -> Fingerprint:
    """Return the fingerprint of a text in decimal, hexadecimal or base32.

    Args:
        text: the digits, or the text form with its scheme.
        scheme: the scheme of digits that do not name one; None for any.

    Raises:
        UnreadableLineError: it is not a fingerprint.
        SpecError: it is malformed.
    """
    expected = None if scheme is None else get_scheme(scheme)
    form = next((each for each in _DIGITS if fits(text, each, expected)), "base32")
    return _DIGITS[form](text, expected)


def detect_line_format(lines: list[str], scheme: Scheme | None = None) -> str:
    """Return the format that fits most of the lines; base32 if no format fits any line."""
    counts = {line_format: sum(fits(line, line_format, scheme) for line in lines) for line_format in LINE_FORMATS}
    if not any(counts.values()):
        return "json" if lines and lines[0].startswith("{") else "base32"
    return max(LINE_FORMATS, key=lambda line_format: counts[line_format])


def fits(line: str, line_format: str, scheme: Scheme | None) -> bool:
    """Return True if a line can be read in a format."""
    if not _SHAPES[line_format].match(line):
        return False
    if line_format == "hex" and line[:2].lower() != "0x" and len(line) < 16:
        return False  # a short word such as "add" is probably a mistake
    try:
        parse_line(line, line_format, scheme)
    except (UnreadableLineError, SpecError):
        return False
    return True


def parse_object(text: str) -> dict[str, Any]:
    """Return the JSON object of a line.

    Raises:
        UnreadableLineError: it is not a JSON object.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise UnreadableLineError(f"{shown(text)} is not a JSON object")
    return record


def fingerprint_of(record: dict[str, Any]) -> Fingerprint:
    """Return the fingerprint of a JSON object, as the commands print it: of `fingerprint`, or else of `hex`.

    Either may be in hexadecimal.

    Raises:
        UnreadableLineError: it has none.
        SpecError: the fingerprint is malformed, or its scheme is not that of the object.
    """
    text, scheme = record.get("fingerprint", record.get("hex")), record.get("scheme")
    if not isinstance(text, str):
        name = record.get("path", record.get("id"))
        raise UnreadableLineError(f"the object has no 'fingerprint' that is a string (document {shown(name)})")
    if (len(text) in _HEX_DIGITS and ":" not in text) or text[:2] in ("0x", "0X"):
        text = str(_hexadecimal(text, None))
    if not isinstance(scheme, str):
        return Fingerprint.parse(text)
    if ":" not in text:
        return Fingerprint.parse(f"{scheme}:{text}")
    fingerprint = Fingerprint.parse(text, scheme.removesuffix(CUSTOM_SUFFIX))
    return replace(fingerprint, canonical=False) if scheme.endswith(CUSTOM_SUFFIX) else fingerprint


def support_of(record: dict[str, Any]) -> float | None:
    """Return the support of a row; None if it has none, or one that is not a number."""
    try:
        return float(record.get("support") or "")
    except (TypeError, ValueError):
        return None


def is_without_fingerprint(record: dict[str, Any]) -> bool:
    """Return True for a row that a command writes for a document without a fingerprint, or for a collection."""
    return record.get("fingerprint", record.get("hex", "")) is None or (
        "fingerprint" not in record and "slices" in record
    )


def looks_like_utf16(head: bytes) -> bool:
    """Return True if a file begins with a byte order mark of UTF-16, or with two ASCII characters in UTF-16."""
    return head.startswith(_UTF16_MARKS) or (head[:4:2] == b"\0\0") != (head[1:4:2] == b"\0\0")


def texts_of(lines: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not blank."""
    for number, line in enumerate(lines, 1):
        if text := line.decode("utf-8", "replace").strip():
            yield number, text


def _decimal(line: str, scheme: Scheme | None) -> Fingerprint:
    expected = scheme or get_scheme("sd64")
    if not (line.isascii() and line.isdigit()):
        if line.startswith("-") and line[1:].isdigit():
            raise UnreadableLineError(f"{shown(line)} is negative; a fingerprint is in 0 to 2^{expected.bits} - 1")
        raise UnreadableLineError(f"{shown(line)} is not a decimal integer")
    # 2^10 is over 10^3, so that no longer text is converted.
    if len(line) > expected.bits // 3 or int(line) >= 1 << expected.bits:
        hint = "" if scheme else ": write wider fingerprints in hexadecimal or base32"
        raise UnreadableLineError(f"{shown(line)} is over 2^{expected.bits} - 1{hint}")
    return Fingerprint(int(line), expected.id)


def _hexadecimal(line: str, scheme: Scheme | None) -> Fingerprint:
    match = _HEX_LINE.fullmatch(line)
    digits = match[2] if match else ""
    widths = {known.bits // 4: known for known in get_schemes().values()}
    fitting = widths.get(len(digits))
    if fitting is None and len(digits) < min(widths):
        fitting = scheme or widths[min(widths)]
    if not digits or fitting is None:
        expected = " or ".join(f"{width} ({known.id})" for width, known in sorted(widths.items()))
        raise UnreadableLineError(f"{shown(line)} is not a number of {expected} hexadecimal digits")
    return Fingerprint(int(digits, 16), fitting.id)


def _base32(line: str, scheme: Scheme | None) -> Fingerprint:
    try:
        return Fingerprint.parse(line)
    except MalformedFingerprintError as error:
        raise UnreadableLineError(f"not a fingerprint in decimal, hexadecimal or base32: {error}") from error


# If a text fits several, the first counts.
_DIGITS: dict[str, Callable[[str, Scheme | None], Fingerprint]] = {
    "decimal": _decimal,
    "hex": _hexadecimal,
    "base32": _base32,
}


def unescaped(path: str) -> str:
    """Return the path that a line shows; a leading backslash marks one that is escaped."""
    if not path.startswith("\\"):
        return path
    return _ESCAPE.sub(_character, path[1:])


def _character(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)


def _parse_json(line: str) -> ParsedEntry:
    record = parse_object(line)
    name = record.get("path", record.get("id"))
    if type(name) is int:
        name = str(name)
    if name is not None and not isinstance(name, str):
        raise UnreadableLineError(f"the path or id of the object is {shown(str(name))}, which is not a string")
    found = None if is_without_fingerprint(record) else fingerprint_of(record)
    return ParsedEntry(found, name, record.get("provenance"))


def parse_texts(
    texts: Sequence[str | None], schemes: Sequence[str | None] | None = None
) -> tuple[list[bytes | None], dict[int, str]]:
    """Return fingerprints as bytes, most significant first, and why others cannot be read, by position.

    Args:
        texts: fingerprints in base32, with or without scheme, or in hexadecimal; None or empty for none.
        schemes: the scheme of each, as a column of a table has it; None if it is not known.
    """
    stripped = [(text or "").strip() for text in texts]
    named = schemes or [None] * len(texts)
    found: list[bytes | None] = [None] * len(texts)
    problems: dict[int, str] = {}
    scheme: Scheme | None = None
    for at, text in enumerate(stripped):
        if not text or found[at]:
            continue
        try:
            one = fingerprint_of({"fingerprint": text, "scheme": named[at]})
        except (UnreadableLineError, SpecError) as error:
            problems[at] = str(error)
            continue
        found[at] = bytes(one)
        if scheme is None:  # most of the others are like the first
            scheme = one.scheme
            alike = [text if name in (None, scheme.id) else "" for text, name in zip(stripped, named, strict=True)]
            digits = decode(alike, "base32", scheme)
            data, width = bytes_from_lanes(digits.values), 8 * scheme.lanes
            for start, place in enumerate(digits.places.tolist()):
                found[place] = data[start * width : (start + 1) * width]
    return found, problems


class Digits(NamedTuple):
    """Fingerprints of one scheme, decoded as arrays.

    Attributes:
        places: positions of the texts that were read, ascending, shape (n,).
        values: the fingerprints, shape (n, lanes).
        canonical: False if one of them is customized.
    """

    places: npt.NDArray[np.int64]
    values: npt.NDArray[np.uint64]
    canonical: bool


def decode(texts: Sequence[str], form: str, scheme: Scheme) -> Digits:
    """Read texts of digits of one scheme as arrays, many times faster than `parse_line`.

    Others, and some valid ones such as a scheme in upper case, are left out.

    Args:
        texts: the texts, without white space at their ends.
        form: decimal, hex or base32.
        scheme: the scheme of the texts.
    """
    if form == "decimal":
        return _decode_decimal(texts if scheme.lanes == 1 else ())
    prefixes: tuple[str, ...]
    if form == "hex":
        prefixes, count, decode_digits = ("", "0x"), scheme.bits // 4, _from_hexadecimal
    else:
        prefixes, count = ("", f"{scheme.id}:", f"{scheme.id}{CUSTOM_SUFFIX}:"), scheme.characters
        decode_digits = decode_array
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    values, read, canonical = np.zeros((len(texts), scheme.lanes), np.uint64), np.zeros(len(texts), np.bool_), True
    for prefix in prefixes:
        at = np.flatnonzero(lengths == len(prefix) + count)
        chosen = texts if len(at) == len(texts) else map(texts.__getitem__, at.tolist())
        data = "".join(chosen).encode("ascii", "replace")
        characters = np.frombuffer(data, np.uint8).reshape(len(at), len(prefix) + count)
        values[at], valid = decode_digits(characters[:, len(prefix) :])
        valid &= np.all(characters[:, : len(prefix)] == np.frombuffer(prefix.encode(), np.uint8), axis=1)
        read[at] = valid
        canonical &= not (valid.any() and CUSTOM_SUFFIX in prefix)
    return Digits(np.flatnonzero(read), values[read], canonical)


def _from_hexadecimal(digits: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return the values of digits in lower case, and which are well-formed, as `decode_array` does for base32."""
    numbers = _HEXADECIMAL[digits]
    pairs = (numbers[:, ::2] << 4) | (numbers[:, 1::2] & 15)
    values = lanes_from_bytes(np.ascontiguousarray(pairs).reshape(-1), digits.shape[1] // 16)
    return values, functools.reduce(np.bitwise_or, numbers.T) != _INVALID


def _decode_decimal(texts: Sequence[str]) -> Digits:
    places = [at for at, text in enumerate(texts) if len(text) <= _MOST_DECIMAL and text.isascii() and text.isdigit()]
    numbers = [int(texts[at]) for at in places]
    if max(numbers, default=0) >> 64:
        places = [at for at, number in zip(places, numbers, strict=True) if not number >> 64]
        numbers = [number for number in numbers if not number >> 64]
    return Digits(np.array(places, np.int64), lanes_from_ints(numbers, 1), True)
