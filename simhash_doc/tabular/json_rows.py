"""Parse and fingerprint JSON lines: the work on one piece of a file, in a worker process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.select import get_engine
from simhash_doc.errors import SimhashDocError
from simhash_doc.tabular.reasons import NULL_ID, NULL_TEXT
from simhash_doc.tabular.request import Request

_KINDS = {list: "a list", dict: "an object", bool: "a boolean", float: "a fraction", int: "an integer"}
_ID_LIMIT = 1 << 63

Id = str | int | None


@dataclass(frozen=True, slots=True)
class Lines:
    """Complete lines of a file; `first` is the number of the first in the file, from 1."""

    data: bytes
    first: int

    def numbered(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line that is not blank, with its number."""
        for number, line in enumerate(self.data.split(b"\n"), self.first):
            if line and not line.isspace():
                yield number, line


@dataclass(slots=True)
class ParsedRows:
    """One row per line that is not blank.

    Attributes:
        values: Lanes of the fingerprints, shape (n, lanes).
        masked: Shape (n,), True where there is no fingerprint.
        ids: Ids of the rows; None where there is none.
        reasons: Why a row has no fingerprint, by row, unless it contains no token.
        first_keys: The keys of the first object; None if there is no object.
        with_text: Number of objects with the key of the text. A count of 0 shows that the key is wrong, rather than
            missing from a row.
        with_id: Number of objects with the key of the id.
    """

    values: npt.NDArray[np.uint64]
    masked: npt.NDArray[np.bool_]
    ids: list[Id] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)
    first_keys: list[str] | None = None
    with_text: int = 0
    with_id: int = 0


class _RowError(SimhashDocError):
    """A row that cannot be used; the message gives the reason."""


def parse_and_compute(lines: Lines, request: Request, engine: str) -> ParsedRows:
    """Return the ids and fingerprints of lines."""
    try:
        parsed, texts = parse(lines, request)
        parsed.values, parsed.masked = get_engine(engine).fingerprint_batch(texts, request.lanes)
    except MemoryError:
        return failed_lines(lines, "not enough memory for them", request.lanes)
    return parsed


def parse(lines: Lines, request: Request) -> tuple[ParsedRows, list[str | None]]:
    """Return the rows of lines without their fingerprints, and the text of each row."""
    column, id_column = request.column, request.id_column
    texts: list[str | None] = []
    parsed = ParsedRows(np.empty((0, request.lanes), np.uint64), np.empty(0, np.bool_))
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
            parsed.reasons[row] = f"line {number}: {error}" if parsed.ids[row] is None else str(error)
    return parsed, texts


def failed_lines(lines: Lines, reason: str, lanes: int) -> ParsedRows:
    """Return rows without ids and fingerprints, all for one reason."""
    numbers = [number for number, _ in lines.numbered()]
    n = len(numbers)
    why = f"lines {numbers[0]} to {numbers[-1]}: {reason}" if numbers else ""
    values, masked = np.zeros((n, lanes), np.uint64), np.ones(n, np.bool_)
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
        raise _RowError(NULL_ID if column in record else f"no key {column!r}")
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise _RowError("the id contains a lone surrogate") from None
        return value
    if type(value) is not int:
        raise _RowError(f"the id is {_KINDS[type(value)]}, not a string or an integer")
    if not -_ID_LIMIT <= value < _ID_LIMIT:
        raise _RowError("the id is an integer of more than 64 bits")
    return value


def _text(record: dict[str, object], column: str) -> str:
    value = record.get(column)
    if value is None:
        raise _RowError(NULL_TEXT if column in record else f"no key {column!r}")
    if not isinstance(value, str):
        raise _RowError(f"the text is {_KINDS[type(value)]}, not a string")
    return value
