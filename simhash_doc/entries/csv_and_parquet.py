"""Fingerprints in the rows of CSV and Parquet files."""

from __future__ import annotations

import csv
import io
import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO, ClassVar

from simhash_doc.engines.base import SURROGATE
from simhash_doc.entries.text_forms import (
    EntryOrError,
    ParsedEntry,
    UnreadableInputError,
    UnreadableLineError,
    fingerprint_of,
)
from simhash_doc.errors import SpecError, shown
from simhash_doc.provenance import METADATA_KEY, InvalidProvenanceError, Provenance
from simhash_doc.schemes import Scheme

COLUMNS = ("fingerprint", "hex")
"""Columns with fingerprints; if there are several, the first counts."""
_NAME_COLUMNS = ("path", "id")
OTHER_DELIMITERS = (";", "\t")
"""Characters that other programs write in place of the comma of CSV."""
_BATCH = 1 << 14  # rows
_SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


@dataclass(frozen=True, slots=True)
class TableRows:
    """Some rows of a table.

    Attributes:
        unit: what the numbers count, for messages: a row of CSV has that of the line in which it begins.
        numbers: the number of each row.
        columns: fingerprint (in text form or hexadecimal), name, scheme and support of each row.
        errors: why rows cannot be read, by index.
        provenance: that of all fingerprints, as parsed JSON; None if the table has none.
        name_key: the column of the names: path or id.
    """

    unit: str
    numbers: Sequence[int]
    columns: Sequence[Sequence[Any]]
    errors: Mapping[int, UnreadableLineError]
    provenance: object = None
    name_key: str = "path"
    form: ClassVar[str] = "base32"

    def row(self, at: int, scheme: Scheme | None = None) -> EntryOrError:
        """Return the content of the row at an index, or why it cannot be read."""
        if at in self.errors:
            return self.errors[at]
        text, name, own, _ = (column[at] for column in self.columns)
        if text is None:
            return ParsedEntry(None, name)
        try:
            found = fingerprint_of({"fingerprint": text, "path": name, "scheme": own})
            return ParsedEntry(found, name, self.provenance)
        except (UnreadableLineError, SpecError) as error:
            return error

    def plain(self, scheme: Scheme) -> tuple[list[str], list[str | None], list[Any]]:
        """Return the digits, names and supports of the rows; the digits are empty for one with more to check."""
        texts, names, schemes, supports = self.columns
        fitting = (None, scheme.id)
        plain = [
            text if isinstance(text, str) and own in fitting else "" for text, own in zip(texts, schemes, strict=True)
        ]
        return plain, [*names], [*supports]


def table_rows(file: BinaryIO, form: str) -> Iterator[TableRows]:
    """Yield the rows of a file in batches.

    Args:
        form: csv or parquet.

    Raises:
        UnreadableInputError: it is not a table with fingerprints, or cannot be read to its end.
    """
    yield from _csv_rows(file) if form == "csv" else _parquet_rows(file)


def _csv_rows(file: BinaryIO) -> Iterator[TableRows]:
    objects = csv_objects(file)
    name_key = "path"
    while part := list(islice(objects, _BATCH)):
        columns: list[list[str | None]] = [[], [], [], []]
        errors = {}
        for at, (_, row) in enumerate(part):
            fields = {}
            if not isinstance(row, dict):
                errors[at] = row
            elif not any(column in row for column in COLUMNS):
                raise UnreadableInputError(f"no column 'fingerprint' among {', '.join(row)}")
            else:
                fields = row
                name_key = next((one for one in _NAME_COLUMNS if one in row), name_key)
            for column, keys in zip(columns, (COLUMNS, _NAME_COLUMNS, ("scheme",), ("support",)), strict=True):
                column.append(next((fields[key] for key in keys if fields.get(key)), None))
        yield TableRows("line", [number for number, _ in part], columns, errors, name_key=name_key)


def csv_objects(file: BinaryIO, longest: int = 1 << 17) -> Iterator[tuple[int, dict[str, str] | UnreadableLineError]]:
    """Yield what `csv_records` does, except for the header, whose names are the keys of each record.

    Raises:
        UnreadableInputError: the header cannot be read, or has another delimiter than a comma.
    """
    header: list[str] | None = None
    for number, fields, text in csv_records(file, longest):
        if isinstance(fields, UnreadableLineError):
            if header is None:
                hint = "; the delimiter must be a comma" if any(f'"{one}' in text for one in OTHER_DELIMITERS) else ""
                raise UnreadableInputError(f"line {number}, the header: {fields}{hint}")
            yield number, fields
        elif header is None:
            header = fields
            if SURROGATE.search(text):
                raise UnreadableInputError(
                    f"line {number}, the header, is not UTF-8; convert the file, as from Windows-1252: "
                    "iconv -f WINDOWS-1252 -t UTF-8 FILE"
                )
            if len(header) == 1 and any(other in header[0] for other in OTHER_DELIMITERS):
                raise UnreadableInputError(f"the header is one column, {header[0]!r}; the delimiter must be a comma")
        elif any(fields[len(header) :]) or any(header[len(fields) :]):
            count = f"{len(fields)} field{'s'[: len(fields) != 1]}"
            yield number, UnreadableLineError(f"the row has {count}, the header {len(header)}")
        else:
            yield number, dict(zip(header, fields, strict=False))


def csv_records(file: BinaryIO, longest: int = 1 << 17) -> Iterator[tuple[int, list[str] | UnreadableLineError, str]]:
    """Yield the number of the line in which each record of a CSV file begins, its fields or why it is not CSV, and it.

    A line with a quote that is not closed, or with too long a field, is a record of its own: the next begins on the
    next line. A record of several lines has as many fields as the first.

    Args:
        file: the file, in UTF-8.
        longest: maximum number of characters of a field.
    """
    text = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")
    ahead: deque[str] = deque()  # lines after one with a quote that is not closed
    number, width = 0, None
    before = csv.field_size_limit(longest)  # of all readers of this process
    try:
        while line := ahead.popleft() if ahead else text.readline():
            number += 1
            taken: list[str] = []
            try:
                fields = next(csv.reader(_taken(line, taken, ahead, text), strict=True))
                if taken and len(fields) != width:
                    raise csv.Error("a quote is not closed")
            except csv.Error as error:
                ahead.extendleft(reversed(taken))
                reason = "a quote is not closed" if "unexpected end" in str(error) else error
                yield number, UnreadableLineError(f"{shown(line.rstrip())} is not CSV: {reason}"), line
                continue
            width = width or len(fields)
            if fields:
                yield number, fields, "".join((line, *taken))
            number += len(taken)
    finally:
        csv.field_size_limit(before)
        text.detach()


def _taken(line: str, taken: list[str], ahead: deque[str], text: io.TextIOWrapper) -> Iterator[str]:
    """Yield a line and, as far as they are needed, those after it, which are moved from `ahead` to `taken`."""
    yield line
    while more := ahead.popleft() if ahead else text.readline():
        taken.append(more)
        yield more


def _parquet_rows(file: BinaryIO) -> Iterator[TableRows]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise UnreadableInputError("a Parquet file needs pyarrow: pip install 'simhash-doc[tables]'") from error
    failures = (pa.ArrowException, OSError)
    try:
        opened = pq.ParquetFile(file if file.seekable() else io.BytesIO(file.read()))
    except failures as error:
        raise UnreadableInputError(f"not a valid Parquet file: {error}") from error
    schema = opened.schema_arrow
    text, name = (next((one for one in columns if one in schema.names), None) for columns in (COLUMNS, _NAME_COLUMNS))
    if text is None:
        raise UnreadableInputError(f"no column 'fingerprint' among {', '.join(schema.names)}")
    used = [one if one in schema.names else None for one in (text, name, "scheme", "support")]
    provenance = _provenance(schema.metadata or {})
    number = 1
    try:
        for batch in opened.iter_batches(_BATCH, columns=[one for one in used if one]):
            columns = [batch.column(one).to_pylist() if one else [None] * len(batch) for one in used]
            columns[1] = [one if one is None else str(one) for one in columns[1]]
            yield TableRows("row", range(number, number + len(batch)), columns, {}, provenance, name or "path")
            number += len(batch)
    except failures as error:
        raise UnreadableInputError(f"the Parquet file cannot be read: {error}") from error


def _provenance(metadata: Mapping[bytes, bytes]) -> dict[str, Any] | None:
    text = metadata.get(METADATA_KEY) or _column_metadata(metadata.get(_SPARK_SCHEMA, b"{}"))
    if text is None:
        return None
    try:
        return Provenance.from_json(text).to_dict()
    except InvalidProvenanceError as error:
        raise UnreadableInputError(str(error)) from error


def _column_metadata(schema: bytes) -> str | None:
    """Return the provenance in the metadata of the column of fingerprints, in a schema that Spark wrote."""
    with suppress(ValueError, RecursionError, LookupError, TypeError, AttributeError):
        fields = {field["name"]: field for field in json.loads(schema)["fields"]}
        return str(fields["fingerprint"]["metadata"][METADATA_KEY.decode()])
    return None
