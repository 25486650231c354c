"""A fingerprint on one line of text: decimal, hexadecimal, base32, base32 with a path, or a JSON object."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from simhash_doc.errors import MalformedFingerprintError, SpecError, shown
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.ingest.errors import UnreadableLineError
from simhash_doc.schemes import Scheme, get_scheme, get_schemes

LINE_FORMATS = ("json", "decimal", "hex", "base32", "text")
"""The formats of a line; if a line fits several, the first counts."""
FORMATS = (*LINE_FORMATS, "csv", "parquet")

_HEX = re.compile(r"(0[xX])?([0-9a-fA-F]+)", re.ASCII)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


class Row(NamedTuple):
    """The content of a line or row: a document and its fingerprint.

    Attributes:
        fingerprint: None if the document has none.
        name: path or id.
        provenance: the parsed JSON value.
    """

    fingerprint: Fingerprint | None
    name: str | None = None
    provenance: object = None


def parse_line(text: str, line_format: str, scheme: Scheme | None = None) -> Row:
    """Return the content of a line.

    Args:
        text: the line, without white space at its ends.
        line_format: one of `LINE_FORMATS`.
        scheme: the scheme of digits that do not name one; None to infer it from their number.

    Raises:
        UnreadableLineError: it does not hold a fingerprint in this format.
        SpecError: the fingerprint is malformed.
    """
    return _PARSERS[line_format](text, scheme)


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
    formats = [each for each in ("decimal", "hex", "base32") if fits(text, each, expected)]
    found = parse_line(text, formats[0] if formats else "base32", expected).fingerprint
    assert found is not None
    return found


def detect_line_format(lines: list[str], scheme: Scheme | None = None) -> str:
    """Return the format that fits most of the lines; base32 if no format fits any line."""
    counts = {line_format: sum(fits(line, line_format, scheme) for line in lines) for line_format in LINE_FORMATS}
    if not any(counts.values()):
        return "json" if lines and lines[0].startswith("{") else "base32"
    return max(LINE_FORMATS, key=lambda line_format: counts[line_format])


def fits(line: str, line_format: str, scheme: Scheme | None) -> bool:
    """Return True if a line can be read in a format."""
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
    """Return the fingerprint of a JSON object, as the commands print it.

    Raises:
        UnreadableLineError: it has none.
        SpecError: the fingerprint is malformed, or its scheme is not that of the object.
    """
    text, scheme = record.get("fingerprint"), record.get("scheme")
    if not isinstance(text, str):
        name = record.get("path", record.get("id"))
        raise UnreadableLineError(f"the object has no 'fingerprint' that is a string (document {shown(name)})")
    if not isinstance(scheme, str):
        return Fingerprint.parse(text)
    if ":" not in text:
        return Fingerprint.parse(f"{scheme}:{text}")
    fingerprint = Fingerprint.parse(text, scheme.removesuffix(CUSTOM_SUFFIX))
    return replace(fingerprint, canonical=False) if scheme.endswith(CUSTOM_SUFFIX) else fingerprint


def is_without_fingerprint(record: dict[str, Any]) -> bool:
    """Return True for a row that a command writes for a document without a fingerprint, or for a collection."""
    return record.get("fingerprint", "") is None or ("fingerprint" not in record and "slices" in record)


def texts_of(lines: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not blank."""
    for number, line in enumerate(lines, 1):
        if text := line.decode("utf-8", "replace").strip():
            yield number, text


def _decimal(line: str, scheme: Scheme | None) -> Row:
    expected = scheme or get_scheme("sd64")
    if not (line.isascii() and line.isdigit()):
        if line.startswith("-") and line[1:].isdigit():
            raise UnreadableLineError(f"{shown(line)} is negative; a fingerprint is in 0 to 2^{expected.bits} - 1")
        raise UnreadableLineError(f"{shown(line)} is not a decimal integer")
    # 2^10 is over 10^3, so that no longer text is converted.
    if len(line) > expected.bits // 3 or int(line) >= 1 << expected.bits:
        hint = "" if scheme else ": write wider fingerprints in hexadecimal or base32"
        raise UnreadableLineError(f"{shown(line)} is over 2^{expected.bits} - 1{hint}")
    return Row(Fingerprint(int(line), expected.id))


def _hexadecimal(line: str, scheme: Scheme | None) -> Row:
    match = _HEX.fullmatch(line)
    digits = match[2] if match else ""
    widths = {known.bits // 4: known for known in get_schemes().values()}
    fitting = widths.get(len(digits))
    if fitting is None and len(digits) < min(widths):
        fitting = scheme or widths[min(widths)]
    if not digits or fitting is None:
        expected = " or ".join(f"{width} ({known.id})" for width, known in sorted(widths.items()))
        raise UnreadableLineError(f"{shown(line)} is not a number of {expected} hexadecimal digits")
    return Row(Fingerprint(int(digits, 16), fitting.id))


def _base32(line: str, scheme: Scheme | None) -> Row:
    try:
        return Row(Fingerprint.parse(line))
    except MalformedFingerprintError as error:
        raise UnreadableLineError(f"not a fingerprint in decimal, hexadecimal or base32: {error}") from error


def _text(line: str, scheme: Scheme | None) -> Row:
    """Read base32, two spaces and a path, as `fingerprint` prints it; a path after a backslash is escaped."""
    digits, separator, path = line.partition("  ")
    if not separator:
        raise UnreadableLineError(f"{shown(line)} is not a fingerprint, two spaces and a path")
    return _base32(digits, scheme)._replace(name=unescaped(path))


def unescaped(path: str) -> str:
    """Return the path that a line shows; a leading backslash marks one that is escaped."""
    if not path.startswith("\\"):
        return path
    return _ESCAPE.sub(_character, path[1:])


def _character(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)


def _json(line: str, scheme: Scheme | None) -> Row:
    record = parse_object(line)
    name = record.get("path", record.get("id"))
    if type(name) is int:
        name = str(name)
    if name is not None and not isinstance(name, str):
        raise UnreadableLineError(f"the path or id of the object is {shown(str(name))}, which is not a string")
    found = None if is_without_fingerprint(record) else fingerprint_of(record)
    return Row(found, name, record.get("provenance"))


_PARSERS: dict[str, Callable[[str, Scheme | None], Row]] = {
    "json": _json,
    "decimal": _decimal,
    "hex": _hexadecimal,
    "base32": _base32,
    "text": _text,
}
