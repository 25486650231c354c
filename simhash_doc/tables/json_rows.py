"""JSON lines parsed and fingerprinted: the work that a worker does on a piece of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.engine import fingerprint_batch
from simhash_doc.tables.reasons import NULL_ID, NULL_TEXT

_KINDS = {list: "a list", dict: "an object", bool: "true or false", float: "a fraction", int: "an integer"}
_ID_LIMIT = 1 << 63

Id = str | int | None


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of a file; `first` is the number of the first in the file, from 1."""

    data: bytes
    first: int

    def numbered(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line that is not blank, with its number."""
        for number, line in enumerate(self.data.split(b"\n"), self.first):
            if line and not line.isspace():
                yield number, line


@dataclass(slots=True)
class ParsedRows:
    """What became of lines: one row for each line that is not blank.

    Attributes:
        values, masked: of the engine, shapes (n, words) and (n,).
        reasons: why, of the rows that are no good or have no text.
        first_keys: the keys of the first object; with the counts of objects that have the keys
            asked for, they tell a wrong name from a row that lacks a key.
    """

    values: npt.NDArray[np.uint64]
    masked: npt.NDArray[np.bool_]
    ids: list[Id] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)
    first_keys: list[str] | None = None
    with_text: int = 0
    with_id: int = 0


class _RowError(Exception):
    """A row that cannot be used; the message says why."""


def parse_and_compute(lines: Lines, column: str, id_column: str | None, words: int) -> ParsedRows:
    """Return the ids and fingerprints of lines."""
    texts: list[str | None] = []
    parsed = ParsedRows(np.empty((0, words), np.uint64), np.empty(0, np.bool_))
    try:
        for number, line in lines.numbered():
            row = len(texts)
            texts.append(None)
            parsed.ids.append(number if id_column is None else None)
            try:
                record = _object(number, line)
                if parsed.first_keys is None:
                    parsed.first_keys = list(record)
                parsed.with_text += column in record
                parsed.with_id += id_column in record
                if id_column is not None:
                    parsed.ids[row] = _id(record, id_column)
                texts[row] = _text(record, column)
            except _RowError as error:
                nameless = parsed.ids[row] is None
                parsed.reasons[row] = f"line {number}: {error}" if nameless else str(error)
        parsed.values, parsed.masked = fingerprint_batch(texts, words)
    except MemoryError:
        return lost_lines(lines, "there was not enough memory for them", words)
    return parsed


def lost_lines(lines: Lines, reason: str, words: int) -> ParsedRows:
    """Return rows without ids and fingerprints."""
    numbers = [number for number, _ in lines.numbered()]
    n = len(numbers)
    why = f"lines {numbers[0]} to {numbers[-1]}: {reason}" if numbers else ""
    values, masked = np.zeros((n, words), np.uint64), np.ones(n, np.bool_)
    return ParsedRows(values, masked, [None] * n, dict.fromkeys(range(n), why))


def _object(number: int, line: bytes) -> dict[str, object]:
    try:
        record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8", "replace"))
    except json.JSONDecodeError as error:
        raise _RowError(f"not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise _RowError(f"not JSON: {error}") from error
    if not isinstance(record, dict):
        raise _RowError("not a JSON object")
    return record


def _id(record: dict[str, object], column: str) -> Id:
    value = record.get(column)
    if value is None:
        raise _RowError(NULL_ID if column in record else f"there is no key {column!r}")
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise _RowError("the id holds a lone surrogate") from None
        return value
    if type(value) is not int:
        raise _RowError(f"the id is {_KINDS[type(value)]}, not a string or an integer")
    if not -_ID_LIMIT <= value < _ID_LIMIT:
        raise _RowError("the id is an integer of over 64 bits")
    return value


def _text(record: dict[str, object], column: str) -> str:
    value = record.get(column)
    if value is None:
        raise _RowError(NULL_TEXT if column in record else f"there is no key {column!r}")
    if not isinstance(value, str):
        raise _RowError(f"the text is {_KINDS[type(value)]}, not a string")
    return value
