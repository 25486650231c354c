"""Fingerprints in the rows of CSV and Parquet files."""

from __future__ import annotations

import csv
import io
import json
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import lanes_from_bytes
from simhash_doc.errors import SpecError, shown
from simhash_doc.ingest.provenance import METADATA_KEY, InvalidProvenanceError, Provenance
from simhash_doc.ingest.text_forms import (
    EntryOrError,
    ParsedEntry,
    UnreadableInputError,
    UnreadableLineError,
    fingerprint_of,
    support_of,
)
from simhash_doc.schemes import Scheme, get_schemes

COLUMNS = ("fingerprint", "hex")
"""Columns with fingerprints; if there are several, the first counts."""
_NAME_COLUMNS = ("path", "id")
NumberedEntry = tuple[int, EntryOrError]
_BATCH = 1 << 16  # rows
_SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


def csv_rows(file: BinaryIO) -> Iterator[NumberedEntry]:
    """Yield the number of the line in which each row begins, and its content, or why it cannot be read.

    Raises:
        UnreadableInputError: the header cannot be read.
    """
    for number, row in csv_objects(file):
        if not isinstance(row, dict):
            yield number, row
        elif not any(column in row for column in COLUMNS):
            yield number, UnreadableLineError("the row ends before its fingerprint")
        else:
            text, name = (
                next((row[column] for column in columns if row.get(column)), None)
                for columns in (COLUMNS, _NAME_COLUMNS)
            )
            fields = {key: row.get(key) or None for key in ("scheme", "support")}
            yield number, _entry({"fingerprint": text, **fields}, name)


def csv_objects(file: BinaryIO, longest: int = 1 << 17) -> Iterator[tuple[int, dict[str, str] | UnreadableLineError]]:
    """Yield what `csv_records` does, except for the header, whose names are the keys of each record.

    Raises:
        UnreadableInputError: the header cannot be read.
    """
    header: list[str] | None = None
    for number, fields, _ in csv_records(file, longest):
        if isinstance(fields, UnreadableLineError):
            if header is None:
                raise UnreadableInputError(f"line {number}, the header: {fields}")
            yield number, fields
        elif header is None:
            header = fields
        elif any(fields[len(header) :]):
            yield number, UnreadableLineError(f"the row has {len(fields)} fields, the header {len(header)}")
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


def _entry(fields: dict[str, Any], name: str | None) -> EntryOrError:
    if fields["fingerprint"] is None:
        return ParsedEntry(None, name)
    try:
        return ParsedEntry(fingerprint_of({**fields, "path": name}), name, support=support_of(fields))
    except (UnreadableLineError, SpecError) as error:
        return error


class ParquetRows:
    """The rows of a Parquet file, as `fingerprint --column` writes it, in batches.

    Attributes:
        provenance: that of all fingerprints; None if the file has none.

    Raises:
        UnreadableInputError: it is not a Parquet file, or has no column with fingerprints.
    """

    def __init__(self, file: BinaryIO) -> None:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ModuleNotFoundError as error:
            raise UnreadableInputError("a Parquet file needs pyarrow: pip install 'simhash-doc[tables]'") from error
        self._failures = (pa.ArrowException, OSError)
        try:
            self._file = pq.ParquetFile(file if file.seekable() else io.BytesIO(file.read()))
        except self._failures as error:
            raise UnreadableInputError(f"not a valid Parquet file: {error}") from error
        schema = self._file.schema_arrow
        self._column = next((name for name in COLUMNS if name in schema.names), None)
        if self._column is None:
            raise UnreadableInputError(f"no column 'fingerprint' among {', '.join(schema.names)}")
        self._name = next((name for name in _NAME_COLUMNS if name in schema.names), None)
        self.provenance = _provenance(schema.metadata or {})

    def batches(self) -> Iterator[list[NumberedEntry] | ParquetBatch]:
        """Yield the rows in batches: as arrays if they are of one scheme and have values, else one by one."""
        used = (self._column, "scheme", "value", "support", self._name)
        columns = [name for name in self._file.schema_arrow.names if name in used]
        number = 0
        try:
            for batch in self._file.iter_batches(_BATCH, columns=columns):
                yield self._arrays(batch) or [
                    (at, _entry({**fields, "fingerprint": fields[self._column]}, _text(fields.get(self._name))))
                    for at, fields in enumerate(batch.to_pylist(), number + 1)
                ]
                number += len(batch)
        except self._failures as error:
            raise UnreadableInputError(f"the Parquet file cannot be read: {error}") from error

    def _arrays(self, batch: Any) -> ParquetBatch | None:
        if not {"scheme", "value"} <= {*batch.schema.names}:
            return None
        ids = batch.column("scheme").unique().to_pylist()
        scheme = get_schemes().get(ids[0]) if len(ids) == 1 else None
        values = batch.column("value")
        if scheme is None or str(values.type) != f"fixed_size_binary[{8 * scheme.lanes}]":
            return None
        kept = batch.filter(values.is_valid())
        rows = lanes_from_bytes(b"".join(kept.column("value").to_pylist()), scheme.lanes)
        names = kept.column(self._name).to_pylist() if self._name else None
        support = None
        if "support" in kept.schema.names:
            support = np.asarray(kept.column("support").cast("float64"))
        return ParquetBatch(rows, scheme, [_text(name) for name in names] if names else None, len(values), support)


@dataclass(frozen=True, slots=True)
class ParquetBatch:
    """Fingerprints of one scheme.

    Attributes:
        values: shape (n, lanes).
        scheme: their scheme.
        names: their ids; None if the file has none.
        rows: number of rows of the batch, those without a fingerprint included.
        support: shape (n,); the effective number of tokens of each document; None if the file has none.
    """

    values: npt.NDArray[np.uint64]
    scheme: Scheme
    names: list[str | None] | None
    rows: int
    support: npt.NDArray[np.float64] | None = None


def _text(name: object) -> str | None:
    return None if name is None else str(name)


def _provenance(metadata: Mapping[bytes, bytes]) -> Provenance | None:
    text = metadata.get(METADATA_KEY) or _column_metadata(metadata.get(_SPARK_SCHEMA, b"{}"))
    if text is None:
        return None
    try:
        return Provenance.from_json(text)
    except InvalidProvenanceError as error:
        raise UnreadableInputError(str(error)) from error


def _column_metadata(schema: bytes) -> str | None:
    """Return the provenance in the metadata of the column of fingerprints, in a schema that Spark wrote."""
    with suppress(ValueError, RecursionError, LookupError, TypeError, AttributeError):
        fields = {field["name"]: field for field in json.loads(schema)["fields"]}
        return str(fields["fingerprint"]["metadata"][METADATA_KEY.decode()])
    return None
