"""Fingerprints in any format as JSON lines, for callers that read further members of the objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO

from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.entries.detect import detected
from simhash_doc.ingest.entries.lines import Row, is_without_fingerprint, parse_line, texts_of
from simhash_doc.ingest.entries.tables import NumberedRow, ParquetBatch, ParquetRows, csv_rows
from simhash_doc.ingest.errors import UnreadableLineError


class JsonLines(Iterator[bytes]):
    """The rows of a file as JSON lines, each on the line of its number; blank if a row has no fingerprint.

    JSON lines and lines that cannot be read are yielded unchanged, so that the reader of the lines reports them.

    Args:
        file: fingerprints in any format that `EntryReader` reads.

    Attributes:
        skipped: number of rows without a fingerprint, so far.

    Raises:
        UnreadableInputError: raised during iteration; the file cannot be read to its end.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.skipped = 0
        line_format, file = detected(file)
        self._lines: Iterator[bytes]
        if line_format == "json":
            self._lines = self._of_json(file)
        elif line_format is None:
            self._lines = iter(file)
        elif line_format == "csv":
            self._lines = self._of_rows(csv_rows(file))
        elif line_format == "parquet":
            self._lines = self._of_parquet(ParquetRows(file))
        else:
            self._lines = self._of_text(file, line_format)

    def __next__(self) -> bytes:
        return next(self._lines)

    def _of_json(self, file: BinaryIO) -> Iterator[bytes]:
        for line in file:
            # Only a line with a null can be without a fingerprint: all others need not be parsed twice.
            if b"null" in line and self._is_skipped(line):
                self.skipped += 1
                yield b"\n"
            else:
                yield line

    def _is_skipped(self, line: bytes) -> bool:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            return False
        return isinstance(record, dict) and "fingerprint" in record and is_without_fingerprint(record)

    def _of_text(self, file: BinaryIO, line_format: str) -> Iterator[bytes]:
        before = 0
        for number, text in texts_of(file):
            yield from [b"\n"] * (number - before - 1)
            before = number
            try:
                yield _line(parse_line(text, line_format))
            except (UnreadableLineError, SpecError):
                yield text.encode("utf-8", "replace") + b"\n"

    def _of_rows(self, rows: Iterator[NumberedRow]) -> Iterator[bytes]:
        before = 0
        for number, row in rows:
            yield from [b"\n"] * (number - before - 1)
            before = number
            if isinstance(row, Row):
                self.skipped += row.fingerprint is None
                yield _line(row)
            else:
                yield json.dumps({"error": str(row)}).encode() + b"\n"

    def _of_parquet(self, parquet: ParquetRows) -> Iterator[bytes]:
        provenance = parquet.provenance.to_dict() if parquet.provenance else None
        for batch in parquet.batches():
            if not isinstance(batch, ParquetBatch):
                yield from self._of_rows(iter(batch))
                continue
            self.skipped += batch.rows - len(batch.values)
            names = batch.names or [None] * len(batch.values)
            for lanes, name in zip(batch.values.tolist(), names, strict=True):
                value = 0
                for lane in lanes:
                    value = value << 64 | lane
                yield _line(Row(Fingerprint(value, batch.scheme.id), name, provenance))


def _line(row: Row) -> bytes:
    if row.fingerprint is None:
        return b"\n"
    fields: dict[str, object] = {"fingerprint": str(row.fingerprint)}
    if row.name is not None:
        fields["path"] = row.name
    if row.provenance is not None:
        fields["provenance"] = row.provenance
    return json.dumps(fields).encode("ascii") + b"\n"
