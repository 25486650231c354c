"""Rows of a JSON-lines file, which has one object per line."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

import pyarrow as pa

from simhash_doc.engines.select import select_engine
from simhash_doc.parallel import ordered_map
from simhash_doc.tabular.errors import TabularError, TabularUsageError
from simhash_doc.tabular.json_rows import Lines, ParsedRows, failed_lines, parse, parse_and_compute
from simhash_doc.tabular.request import Request
from simhash_doc.tabular.rows import Rows, result_batch, result_schema

_PART_BYTES = 1 << 25  # so that a part takes seconds
_PIECE_BYTES = 1 << 20
_BLOCK = 1 << 18
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_Kept = tuple[int, dict[str, int] | None]  # bytes, checkpoint


class JsonLinesInput:
    """A JSON-lines file with a key for the text, and a key for the id or none, which numbers the lines.

    Ids are strings or integers; the first one determines which, and an id of the other type is an error in its row.

    Args:
        path: Its name in messages.
        file: The open file.
        request: The keys, and the scheme.
        total: Size in bytes; 0 if it is not known.
    """

    measure = "offset"
    unit = "bytes"

    def __init__(self, path: str, file: BinaryIO, request: Request, *, total: int) -> None:
        self.start = {"offset": 0, "line": 1}
        self.total = total
        self.schema: pa.Schema | None = None if request.id_column else result_schema(pa.int64(), request)
        self._path, self._file, self._request = path, file, request
        if file.seekable():
            self._check_first_lines()

    def rows(self, position: dict[str, int], workers: int) -> Iterator[Rows]:
        """Yield the rows of the result from a position on.

        Raises:
            TabularError: The file cannot be read.
            TabularUsageError: There are rows, but none of the first has the keys.
        """
        engine = select_engine(self.total, parallel=workers > 1).name
        work = partial(parse_and_compute, request=self._request, engine=engine)
        failed = partial(failed_lines, lanes=self._request.lanes)
        unchecked = position == self.start
        in_flight: deque[_Kept] = deque()

        def pieces() -> Iterator[Lines]:
            for lines, kept in self._pieces(position):
                in_flight.append(kept)
                yield lines

        for parsed in ordered_map(work, pieces(), workers, failed):
            size, checkpoint = in_flight.popleft()
            if unchecked and parsed.first_keys is not None:
                self._check_keys(parsed)
                unchecked = False
            yield Rows(self._result(parsed), size, checkpoint)

    def _pieces(self, position: dict[str, int]) -> Iterator[tuple[Lines, _Kept]]:
        offset, line = position["offset"], position["line"]
        part_end = offset + _PART_BYTES
        if offset:
            self._file.seek(offset)
        for data in self._complete_lines(offset):
            offset += len(data)
            lines = Lines(data, line)
            line += data.count(b"\n")
            checkpoint = None
            if offset >= part_end or not data:
                checkpoint, part_end = {"offset": offset, "line": line}, offset + _PART_BYTES
            yield lines, (len(data), checkpoint)

    def _complete_lines(self, offset: int) -> Iterator[bytes]:
        """Yield pieces that end with a line, and an empty piece at the end of the file."""
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
            raise TabularError(f"{self._path}: cannot be read: {error.strerror or error}") from error

    def _check_first_lines(self) -> None:
        """Check the keys of the first lines before anything is written."""
        start = self._file.tell()
        head = b"".join(iter(lambda: self._read() if self._file.tell() - start < _PIECE_BYTES else b"", b""))
        self._file.seek(start)
        _check_start(self._path, head)
        parsed, _ = parse(Lines(head[: head.rfind(b"\n") + 1] or head, 1), self._request)
        if parsed.first_keys is not None:
            self._check_keys(parsed)

    def _check_keys(self, parsed: ParsedRows) -> None:
        keys = ", ".join(map(str, parsed.first_keys or [])) or "none"
        for column, count in ((self._request.column, parsed.with_text), (self._request.id_column, parsed.with_id)):
            if column is not None and not count:
                raise TabularUsageError(
                    f"{self._path}: no line at the start of the file has a key {column!r}; keys of the first: {keys}"
                )

    def _result(self, parsed: ParsedRows) -> pa.RecordBatch:
        if self.schema is None:
            first = next((value for value in parsed.ids if value is not None), "")
            self.schema = result_schema(pa.string() if isinstance(first, str) else pa.int64(), self._request)
        kind = self.schema.field("id").type
        id_type, expected = (int, "an integer") if pa.types.is_integer(kind) else (str, "a string")
        for row, value in enumerate(parsed.ids):
            if value is not None and type(value) is not id_type:
                parsed.reasons[row] = f"the id {value!r} is not {expected}, as the first id is"
                parsed.ids[row] = None
        ids = pa.array(parsed.ids, kind)
        return result_batch(ids, parsed.values, parsed.masked, parsed.reasons, self.schema, self._request)


def _check_start(path: str, block: bytes) -> None:
    start = block.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if start.startswith(b"{") or not start:
        return
    if start.startswith(b"\x1f\x8b"):
        hint = "a gzip file; decompress it: gzip -dc FILE | simhash-doc fingerprint ... -"
    elif start.startswith(b"["):
        hint = "a JSON array; convert it to lines: jq -c '.[]' FILE"
    else:
        hint = f"a file that begins with {start[:12]!r}"
    raise TabularUsageError(f"{path}: expected a Parquet file, or JSON lines with one object per line; found {hint}")
