"""Fingerprints in text forms, one parser for all: decimal, hexadecimal, base32, base32 with a path, JSON objects.

A line or an argument is read by `parse_line` or `parse_fingerprint`. Many lines of digits, with or without paths, are
read as arrays by `parse_lines`: a million of them take a fraction of a second. What does not fit there, such as upper
case or white space, is left to the parser of single lines.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import bytes_from_lanes, lanes_from_bytes
from simhash_doc.errors import MalformedFingerprintError, SimhashDocError, SpecError, shown
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.reference import BASE32
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
BULK_FORMATS = frozenset({"decimal", "hex", "base32", "text"})

_NEWLINE, _RETURN = 10, 13
_INVALID = 255  # not the union of the bits of any digits, which are below 32
_SEPARATOR = b"  "  # between the digits and the path in the format "text"
_MOST_DECIMAL = 20  # digits of 2^64 - 1
_LIMIT_HEAD, _LIMIT_TAIL = divmod((1 << 64) - 1, 10**10)


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
        support: effective number of tokens of the document; None if it is not known.
    """

    fingerprint: Fingerprint | None
    name: str | None = None
    provenance: object = None
    support: float | None = None


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
    return ParsedEntry(found, name, record.get("provenance"), support_of(record))


def parse_texts(
    texts: Sequence[str | None], schemes: Sequence[str | None] | None = None
) -> tuple[list[bytes | None], dict[int, str]]:
    """Return fingerprints as bytes, most significant first, and why others cannot be read, by position.

    Args:
        texts: fingerprints in base32, with or without scheme, or in hexadecimal; None or empty for none.
        schemes: the scheme of each, as a column of a table has it; None if it is not known.
    """
    found: list[bytes | None] = [None] * len(texts)
    problems: dict[int, str] = {}
    waiting = [at for at, text in enumerate(texts) if text and text.strip()]
    scheme: Scheme | None = None
    for at in waiting:
        with suppress(UnreadableLineError, SpecError):
            scheme = _parsed(texts[at] or "", schemes[at] if schemes else None).scheme
            break
    if scheme:
        lines = Lines.of("\n".join(texts[at] or "" for at in waiting).encode("utf-8", "replace"))
        if len(lines) == len(waiting):
            parsed = parse_lines(lines, "base32", scheme)
            width = 8 * scheme.lanes
            data = bytes_from_lanes(parsed.values)
            rest = []
            for number, at in enumerate(waiting):
                if parsed.read[number] and (schemes is None or schemes[at] in (None, scheme.id)):
                    found[at] = data[number * width : (number + 1) * width]
                else:
                    rest.append(at)
            waiting = rest
    for at in waiting:
        try:
            found[at] = bytes(_parsed(texts[at] or "", schemes[at] if schemes else None))
        except (UnreadableLineError, SpecError) as error:
            problems[at] = str(error)
    return found, problems


def _parsed(text: str, scheme: str | None) -> Fingerprint:
    text = text.strip()
    return fingerprint_of({"fingerprint": text, "scheme": scheme})


def _digit_values(digits: str) -> npt.NDArray[np.uint8]:
    table = np.full(256, _INVALID, np.uint8)
    table[np.frombuffer(digits.encode("ascii"), np.uint8)] = np.arange(len(digits), dtype=np.uint8)
    return table


_DECIMAL, _HEX, _BASE32 = _digit_values("0123456789"), _digit_values("0123456789abcdef"), _digit_values(BASE32)


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a block of text.

    Attributes:
        data: the bytes, shape (size,).
        starts, ends: where each line begins and ends in `data`, without its line end, shape (n,).
    """

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    @classmethod
    def of(cls, block: bytes) -> Lines:
        """Return the lines of a block that ends with a line end, LF or CR LF, or at the end of the input."""
        data = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", np.uint8)
        ends = np.flatnonzero(data == _NEWLINE)
        starts = np.concatenate(([0], ends[:-1] + 1))
        return cls(data, starts, ends - ((ends > starts) & (data[ends - 1] == _RETURN)))

    def __len__(self) -> int:
        return len(self.starts)

    def text(self, at: int) -> str:
        """Return a line."""
        return self.data[self.starts[at] : self.ends[at]].tobytes().decode("utf-8", "replace").strip()

    def texts(self) -> list[str]:
        """Return all lines, without white space at their ends."""
        text = self.data.tobytes().decode("utf-8", "replace")
        return [line.rstrip() for line in text.split("\n")[: len(self)]]

    def characters(self, at: npt.NDArray[np.int64], length: int) -> npt.NDArray[np.uint8]:
        """Return the first characters of lines that are long enough as shape (len(at), length)."""
        windows = np.lib.stride_tricks.sliding_window_view(self.data, length)
        return windows[self.starts[at]]


@dataclass(frozen=True, slots=True)
class ParsedLines:
    """Lines of digits of one scheme.

    Attributes:
        values: the fingerprints, shape (n, lanes).
        read: True for each line that was read, shape (n,).
        paths: where the path begins in each line of the format "text" that was read, shape (n,).
        canonical: False if a fingerprint is customized.
    """

    values: npt.NDArray[np.uint64]
    read: npt.NDArray[np.bool_]
    paths: npt.NDArray[np.int64]
    canonical: bool


def parse_lines(lines: Lines, line_format: str, scheme: Scheme) -> ParsedLines:
    """Read lines of digits of one scheme.

    Args:
        lines: n lines.
        line_format: one of `BULK_FORMATS`.
        scheme: the scheme of the lines.
    """
    values = np.zeros((len(lines), scheme.lanes), np.uint64)
    read = np.zeros(len(lines), np.bool_)
    lengths = lines.ends - lines.starts
    paths = np.zeros(len(lines), np.int64)
    separator = _SEPARATOR if line_format == "text" else b""
    canonical = True
    for prefix, length in _layouts(line_format, scheme):
        end = len(prefix) + length
        size = end + len(separator)
        at = np.flatnonzero(lengths > size if separator else lengths == size)
        if not len(at):
            continue
        characters = lines.characters(at, size)
        fitting = _all_are(characters[:, : len(prefix)], prefix) & _all_are(characters[:, end:], separator)
        found, valid = _decoded(characters[:, len(prefix) : end], line_format)
        valid &= fitting
        values[at[valid]], read[at[valid]], paths[at[valid]] = found[valid], True, size
        canonical &= not (valid.any() and prefix.endswith(f"{CUSTOM_SUFFIX}:".encode()))
    return ParsedLines(values, read, paths, canonical)


def _all_are(characters: npt.NDArray[np.uint8], expected: bytes) -> npt.NDArray[np.bool_]:
    equal: npt.NDArray[np.bool_] = np.all(characters == np.frombuffer(expected, np.uint8), axis=1)
    return equal


def _layouts(line_format: str, scheme: Scheme) -> list[tuple[bytes, int]]:
    """Return the prefixes and the numbers of digits of the lines that are read here."""
    if line_format == "decimal":
        return [(b"", length) for length in range(1, _MOST_DECIMAL + 1)] if scheme.lanes == 1 else []
    if line_format == "hex":
        return [(b"", scheme.bits // 4), (b"0x", scheme.bits // 4)]
    prefixes = (b"", f"{scheme.id}:".encode(), f"{scheme.id}{CUSTOM_SUFFIX}:".encode())
    return [(prefix, scheme.characters) for prefix in prefixes]


def _decoded(
    characters: npt.NDArray[np.uint8], line_format: str
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return digits as fingerprints, shape (n, lanes), and True for each that is well-formed."""
    table = {"decimal": _DECIMAL, "hex": _HEX}.get(line_format, _BASE32)
    digits = table[characters]
    valid = functools.reduce(np.bitwise_or, digits.T) != _INVALID
    if line_format == "decimal":
        return _from_decimal(digits, valid)
    if line_format == "hex":
        pairs = (digits[:, ::2] << 4) | (digits[:, 1::2] & 15)
        return lanes_from_bytes(np.ascontiguousarray(pairs).reshape(-1), digits.shape[1] // 16), valid
    spare = 5 * digits.shape[1] % 64
    valid &= digits[:, -1] % (1 << spare) == 0
    return _from_base32(digits), valid


def _from_base32(digits: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    lanes = 5 * digits.shape[1] // 64
    values = np.zeros((len(digits), lanes), np.uint64)
    for lane in range(lanes):
        for at in range(64 * lane // 5, (64 * lane + 63) // 5 + 1):
            column = digits[:, at].astype(np.uint64)
            shift = 64 * (lane + 1) - 5 * (at + 1)  # bits of the lane behind the digit
            values[:, lane] |= column << np.uint64(shift) if shift >= 0 else column >> np.uint64(-shift)
    return values


def _from_decimal(
    digits: npt.NDArray[np.uint8], valid: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    # Two halves of at most ten digits each, which fit into 64 bits whatever they are.
    head, tail = (_decimal_number(part) for part in (digits[:, :-10], digits[:, -10:]))
    valid = valid & ((head < _LIMIT_HEAD) | ((head == _LIMIT_HEAD) & (tail <= _LIMIT_TAIL)))
    return (head * np.uint64(10**10) + tail)[:, None], valid


def _decimal_number(digits: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    total = np.zeros(len(digits), np.uint64)
    for column in digits.T:
        total = total * np.uint64(10) + column
    return total
