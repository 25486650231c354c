"""Rows of a JSON-lines file, one object a line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

import pyarrow as pa

from simhash_doc.bulk.lanes import paired
from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.tables.errors import TableError, WrongUseError
from simhash_doc.tables.json_rows import Lines, ParsedRows, lost_lines, parse_and_compute
from simhash_doc.tables.rows import Rows, result_batch, result_schema

_PART_BYTES = 1 << 25  # so that a part takes seconds
_PIECE_BYTES = 1 << 20
_BLOCK = 1 << 18
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_Kept = tuple[int, dict[str, int] | None]  # bytes, checkpoint


class JsonLinesInput:
    """A JSON-lines file with a key for the text, and a key for the id or none: then it is the line's number.

    Ids are strings or integers. The first says which; one of the other kind is wrong.
    """

    measure = "offset"
    unit = "bytes"

    def __init__(
        self, path: str, file: BinaryIO, column: str, id_column: str | None, scheme: str, *, total: int
    ) -> None:
        self.start = {"offset": 0, "line": 1}
        self._path, self._file, self._column, self._id, self._scheme = path, file, column, id_column, scheme
        self.schema: pa.Schema | None = None if id_column else result_schema(pa.int64(), scheme)
        self.total = total

    def rows(self, position: dict[str, int], workers: int) -> Iterator[Rows]:
        """Yield the rows of the result from a position on.

        Raises:
            TableError: the file cannot be read.
            WrongUseError: there are rows, but none of the first has the keys.
        """
        words = find_scheme(self._scheme).words
        work = partial(parse_and_compute, column=self._column, id_column=self._id, words=words)
        unchecked = position == self.start
        for (size, checkpoint), parsed in paired(
            work, self._pieces(position), workers, partial(lost_lines, words=words)
        ):
            if unchecked and parsed.first_keys is not None:
                self._check_keys(parsed)
                unchecked = False
            yield Rows(self._result(parsed), size, checkpoint)

    def _pieces(self, position: dict[str, int]) -> Iterator[tuple[Lines, _Kept]]:
        offset, line = position["offset"], position["line"]
        part_end = offset + _PART_BYTES
        if offset:
            self._file.seek(offset)
        for data in self._whole_lines(offset):
            offset += len(data)
            lines = Lines(data, line)
            line += data.count(b"\n")
            checkpoint = None
            if offset >= part_end or not data:
                checkpoint, part_end = {"offset": offset, "line": line}, offset + _PART_BYTES
            yield lines, (len(data), checkpoint)

    def _whole_lines(self, offset: int) -> Iterator[bytes]:
        """Yield pieces that end with a line, and at the end of the file an empty one."""
        held: list[bytes] = []
        size = 0
        while block := self._read():
            if offset == 0 and not size and not held:
                _check_start(self._path, block)
            cut = block.rfind(b"\n") + 1
            size += len(block)
            if cut and size >= _PIECE_BYTES:
                yield b"".join([*held, block[:cut]])
                held, size = [block[cut:]], len(block) - cut
            else:
                held.append(block)
        if rest := b"".join(held):
            yield rest
        yield b""

    def _read(self) -> bytes:
        try:
            return self._file.read(_BLOCK)
        except OSError as error:
            raise TableError(f"{self._path}: cannot be read: {error.strerror or error}") from error

    def _check_keys(self, parsed: ParsedRows) -> None:
        has = f"the first has: {', '.join(map(str, parsed.first_keys or [])) or 'none'}"
        if not parsed.with_text:
            raise WrongUseError(f"{self._path}: no line at the start of the file has a key {self._column!r}; {has}")
        if self._id and not parsed.with_id:
            raise WrongUseError(f"{self._path}: no line at the start of the file has a key {self._id!r}; {has}")

    def _result(self, parsed: ParsedRows) -> pa.RecordBatch:
        if self.schema is None:
            first = next((value for value in parsed.ids if value is not None), "")
            self.schema = result_schema(pa.string() if isinstance(first, str) else pa.int64(), self._scheme)
        kind = self.schema.field("id").type
        wanted, expected = (int, "integer") if pa.types.is_integer(kind) else (str, "string")
        for row, value in enumerate(parsed.ids):
            if value is not None and type(value) is not wanted:
                parsed.reasons[row] = f"the id {value!r} is no {expected}, as the first is"
                parsed.ids[row] = None
        ids = pa.array(parsed.ids, kind)
        return result_batch(ids, parsed.values, parsed.masked, parsed.reasons, self.schema, self._scheme)


def _check_start(path: str, block: bytes) -> None:
    start = block.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if start.startswith(b"{") or not start:
        return
    if start.startswith(b"\x1f\x8b"):
        hint = "a gzip file: gzip -dc FILE | simhash-doc fingerprint ... -"
    elif start.startswith(b"["):
        hint = "a JSON array: jq -c '.[]' FILE makes lines of it"
    else:
        hint = f"something that begins with {start[:12]!r}"
    raise WrongUseError(f"{path}: is {hint}. A table is a Parquet file, or JSON lines: one object a line")
