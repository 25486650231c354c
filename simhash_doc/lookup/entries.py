"""Fingerprints as lines of text: decimal, hexadecimal, base32, or JSON objects with the path of a document."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from simhash_doc.errors import MalformedFingerprintError, SimhashDocError, SpecError
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.ingest.errors import InvalidProvenanceError
from simhash_doc.ingest.provenance import Provenance, ProvenanceCheck
from simhash_doc.lookup.arrays import Values, empty_values, from_ints
from simhash_doc.lookup.errors import UnreadableLineError
from simhash_doc.schemes import Scheme, get_scheme, get_schemes

FORMATS = ("json", "decimal", "hex", "base32")
"""The formats of a line; if a line fits several, the first counts."""

_CHUNK_LINES = 1 << 14
_SAMPLE_LINES = 1000
_SHOWN = 60
_HEX = re.compile(r"(0[xX])?([0-9a-fA-F]+)", re.ASCII)

# Value, scheme, True if canonical, path or id, provenance as JSON.
_Parsed = tuple[int, str, bool, str | None, object]


@dataclass(frozen=True, slots=True)
class Entries:
    """Fingerprints of one scheme, read from lines.

    Attributes:
        values: the fingerprints, shape (n,), or (n, lanes) over 64 bits.
        scheme: their scheme.
        format: the format of the lines.
        paths: the path or id of each fingerprint, or None if the lines are not JSON.
        canonical: False if a line held a customized fingerprint.
        unreadable: number of lines that were reported and left out.
        provenances: the different provenances of the fingerprints, as far as the lines have them.
    """

    values: Values
    scheme: Scheme
    format: str
    paths: list[str] | None
    canonical: bool
    unreadable: int
    provenances: tuple[Provenance, ...] = ()

    def render(self, value: int, *, bare: bool = False) -> int | str:
        """Return a fingerprint as JSON shows it, in the format of the lines; JSON lines hold text forms.

        Args:
            bare: base32 without the scheme.
        """
        return render(Fingerprint(value, self.scheme.id, self.canonical), self.format, bare=bare)


def render(fingerprint: Fingerprint, line_format: str, *, bare: bool = False) -> int | str:
    """Return a fingerprint as a number if the format is decimal, as digits if it is hex, else in its text form."""
    if line_format == "decimal":
        return fingerprint.value
    if line_format == "hex":
        return fingerprint.hex
    return fingerprint.base32 if bare else str(fingerprint)


def read_entries(
    lines: Iterable[bytes],
    line_format: str = "auto",
    scheme: str | None = None,
    *,
    on_error: Callable[[int, SimhashDocError], object],
    on_warning: Callable[[int, str], object] = lambda number, warning: None,
    combined_with: Iterable[Provenance] = (),
) -> Entries:
    """Read fingerprints, one per line; blank lines are skipped.

    Args:
        lines: in UTF-8.
        line_format: one of `FORMATS`, or ``auto`` for the one that fits most of the first thousand lines.
            It applies to all lines: one in 1,800 fingerprints in hexadecimal has only decimal digits.
        scheme: the scheme expected; None for that of the first line.
        on_error: called with the number of each line that cannot be read, and the error.
        on_warning: called with the number of the first line whose provenance makes distances less reliable, and why.
        combined_with: the provenances of fingerprints with which those of the lines are combined.
    """
    expected = None if scheme is None else get_scheme(scheme)
    check = ProvenanceCheck(combined_with)
    values: list[Values] = []
    paths: list[str] = []
    unreadable = read = 0
    canonical = True
    rest = iter(lines)
    while texts := [line.decode("utf-8", "replace").strip() for line in islice(rest, _CHUNK_LINES)]:
        if line_format == "auto" and any(texts):
            line_format = detect_format([text for text in texts[:_SAMPLE_LINES] if text], expected)
        found = []
        for number, text in enumerate(texts, read + 1):
            if not text:
                continue
            try:
                value, scheme_id, is_canonical, name, written = _PARSERS[line_format](text, expected)
                provenance = check.parse(written, scheme_id, canonical=is_canonical)
                if expected is None:
                    expected = get_scheme(scheme_id)
                elif scheme_id != expected.id:
                    raise UnreadableLineError(
                        f"{_shown(text)} is of scheme {scheme_id}, the others of {expected.id}: "
                        "fingerprints of different schemes cannot be compared"
                    )
                warning = check.add(provenance)
            except (UnreadableLineError, SpecError, InvalidProvenanceError) as error:
                unreadable += 1
                on_error(number, error)
                continue
            if warning:
                on_warning(number, warning)
            found.append(value)
            canonical &= is_canonical
            if name is not None:
                paths.append(name)
        if found and expected:
            values.append(from_ints(found, expected.lanes))
        read += len(texts)
    expected = expected or get_scheme("sd64")
    array = np.concatenate([empty_values(expected.lanes), *values])
    is_json = line_format == "json"
    names = paths if is_json else None
    return Entries(array, expected, line_format, names, canonical, unreadable, tuple(check.known))


def parse_fingerprint(text: str, scheme: str | None = None) -> Fingerprint:
    """Return the fingerprint of a text in any format except JSON.

    Args:
        scheme: the scheme expected; None for any.

    Raises:
        UnreadableLineError: it is not a fingerprint, or one of another scheme.
        SpecError: it is malformed.
    """
    expected = None if scheme is None else get_scheme(scheme)
    value, scheme_id, canonical, _, _ = _PARSERS[detect_format([text], expected)](text, expected)
    if expected and scheme_id != expected.id:
        raise UnreadableLineError(f"{_shown(text)} is of scheme {scheme_id}, not {expected.id}")
    return Fingerprint(value, scheme_id, canonical)


def detect_format(lines: list[str], scheme: Scheme | None = None) -> str:
    """Return the format that fits most of some lines; base32 if none fits any."""
    counts = {name: sum(_fits(line, name, scheme) for line in lines) for name in FORMATS}
    if not any(counts.values()):
        return "json" if lines and lines[0].startswith("{") else "base32"
    return max(FORMATS, key=lambda name: counts[name])


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
        raise UnreadableLineError(f"{_shown(text)} is not a JSON object")
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
        raise UnreadableLineError(f"the object has no 'fingerprint' that is a string (document {name!r})")
    if not isinstance(scheme, str):
        return Fingerprint.parse(text)
    if ":" not in text:
        return Fingerprint.parse(f"{scheme}:{text}")
    fingerprint = Fingerprint.parse(text, scheme.removesuffix(CUSTOM_SUFFIX))
    return replace(fingerprint, canonical=fingerprint.canonical and not scheme.endswith(CUSTOM_SUFFIX))


def texts_of(lines: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not blank."""
    for number, line in enumerate(lines, 1):
        if text := line.decode("utf-8", "replace").strip():
            yield number, text


def _decimal(line: str, scheme: Scheme | None) -> _Parsed:
    expected = scheme or get_scheme("sd64")
    if not (line.isascii() and line.isdigit()):
        if line.startswith("-") and line[1:].isdigit():
            raise UnreadableLineError(f"{_shown(line)} is negative; a fingerprint is in 0 to 2^{expected.bits} - 1")
        raise UnreadableLineError(f"{_shown(line)} is not a decimal integer")
    # 2^10 is over 10^3, so that no longer text is converted.
    if len(line) > expected.bits // 3 or int(line) >= 1 << expected.bits:
        hint = "" if scheme else ": write wider fingerprints in hexadecimal or base32"
        raise UnreadableLineError(f"{_shown(line)} is over 2^{expected.bits} - 1{hint}")
    return int(line), expected.id, True, None, None


def _hexadecimal(line: str, scheme: Scheme | None) -> _Parsed:
    match = _HEX.fullmatch(line)
    digits = match[2] if match else ""
    widths = {known.bits // 4: known for known in get_schemes().values() if scheme in (None, known)}
    fitting = [known for width, known in sorted(widths.items()) if len(digits) == width]
    fitting = fitting or [known for width, known in sorted(widths.items())[:1] if len(digits) < width]
    if not digits or not fitting:
        expected = " or ".join(f"{width} ({known.id})" for width, known in sorted(widths.items()))
        raise UnreadableLineError(f"{_shown(line)} is not a number of {expected} hexadecimal digits")
    return int(digits, 16), fitting[0].id, True, None, None


def _base32(line: str, scheme: Scheme | None) -> _Parsed:
    try:
        fingerprint = Fingerprint.parse(line)
    except MalformedFingerprintError as error:
        raise UnreadableLineError(f"not a fingerprint in decimal, hexadecimal or base32: {error}") from error
    return fingerprint.value, fingerprint.scheme_id, fingerprint.canonical, None, None


def _json(line: str, scheme: Scheme | None) -> _Parsed:
    record = parse_object(line)
    name = record.get("path", record.get("id"))
    if type(name) is int:
        name = str(name)
    if not isinstance(name, str):
        raise UnreadableLineError("the object has neither a 'path' that is a string nor an 'id'")
    fingerprint = fingerprint_of(record)
    return fingerprint.value, fingerprint.scheme_id, fingerprint.canonical, name, record.get("provenance")


_PARSERS: dict[str, Callable[[str, Scheme | None], _Parsed]] = {
    "json": _json,
    "decimal": _decimal,
    "hex": _hexadecimal,
    "base32": _base32,
}


def _fits(line: str, line_format: str, scheme: Scheme | None) -> bool:
    if line_format == "hex" and line[:2].lower() != "0x" and len(line) < 16:
        return False  # a short word such as "add" is probably a mistake
    try:
        _PARSERS[line_format](line, scheme)
    except (UnreadableLineError, SpecError):
        return False
    return True


def _shown(line: str) -> str:
    return repr(line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "...")
