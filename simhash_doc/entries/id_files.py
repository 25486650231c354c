"""Files of ids without fingerprints, in every format: Parquet, CSV, JSON lines, or a line of text for each."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

from simhash_doc.entries import UnreadableLineError
from simhash_doc.entries.csv_files import csv_header, csv_rows
from simhash_doc.entries.entry import NAME_COLUMNS
from simhash_doc.entries.formats import PARQUET_MAGIC
from simhash_doc.entries.json_lines import JsonObject, json_rows
from simhash_doc.entries.line_formats import fits, parse_line


def read_ids(file: io.BufferedReader) -> Iterator[tuple[str, JsonObject | UnreadableLineError]]:
    """Yield the place of each row or line, and its `path` and `id`, as far as it has them, or why it has none.

    A place is ``row 0`` of Parquet, and ``line 1`` of other files.

    A line of text is an id, or a fingerprint, two spaces and a path.

    Raises:
        UnreadableInputError: raised during iteration; the file cannot be read to its end, or has no such column.
    """
    head = file.peek()
    if head.startswith(PARQUET_MAGIC):
        from simhash_doc.entries.parquet_files import parquet_ids  # later: it needs pyarrow

        yield from ((f"row {number}", found) for number, found in parquet_ids(file))
        return
    first = head.decode("utf-8-sig", "replace").strip()
    if not first.startswith("{") and {*NAME_COLUMNS}.isdisjoint(csv_header(first, NAME_COLUMNS).names):
        yield from _lines(file)
        return
    for row in json_rows(file, NAME_COLUMNS) if first.startswith("{") else csv_rows(file, NAME_COLUMNS):
        if row.fields is None:
            yield f"line {row.number}", UnreadableLineError(row.problem)
        elif found := {name: row.fields[name] for name in NAME_COLUMNS if row.fields.get(name) not in (None, "")}:
            yield f"line {row.number}", found
        else:
            yield f"line {row.number}", UnreadableLineError("the row has no 'id' and no 'path'")


def _lines(file: BinaryIO) -> Iterator[tuple[str, JsonObject]]:
    for number, line in enumerate(io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="\n"), 1):
        if text := line.rstrip("\r\n"):
            yield f"line {number}", {"path": parse_line(text, "text").name if fits(text, "text", None) else text}
