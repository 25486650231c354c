"""Parquet files with damage: an error, or the entries that were written; also as Spark writes them."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_doc import fingerprint
from simhash_doc.entries import UnreadableInputError
from simhash_doc.entries.parquet_files import parquet_entries, parquet_ids, write_parquet
from tests.commands import run

ROWS = [{"id": f"page {at} 東京", "fingerprint": bytes(fingerprint(f"the words of page {at}"))} for at in range(200)]
TABLE = pa.Table.from_pylist(ROWS)
FLIPS = 150


def of_this_package(compression: str) -> bytes:
    file = io.BytesIO()
    write_parquet(file, TABLE.schema, TABLE.to_batches(), compression=compression)
    return file.getvalue()


def of_spark(compression: str) -> bytes:
    """Return a file with a checksum of each page, which Spark writes by default."""
    file = io.BytesIO()
    pq.write_table(TABLE, file, compression=compression, write_page_checksum=True)
    return file.getvalue()


def entries_of(data: bytes) -> object:
    return [rows.columns for rows in parquet_entries(io.BytesIO(data))]


def ids_of(data: bytes) -> object:
    return list(parquet_ids(io.BytesIO(data)))


@pytest.mark.parametrize("read", [entries_of, ids_of])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("write", [of_this_package, of_spark])
def test_a_flipped_bit_is_an_error_or_changes_nothing(
    write: Callable[[str], bytes], compression: str, read: Callable[[bytes], object]
) -> None:
    """The last part of a file, with the names of the columns, has no checksum: the format has none for it."""
    data = write(compression)
    expected = read(data)
    chance = random.Random(compression)
    rows = len(data) - int.from_bytes(data[-8:-4], "little") - 8
    found = 0
    for at in [chance.randrange(end) for end in (rows, len(data)) for _ in range(FLIPS)]:
        damaged = bytearray(data)
        damaged[at] ^= 1 << chance.randrange(8)
        try:
            outcome = read(bytes(damaged))
        except UnreadableInputError:
            found += 1
            continue
        assert at >= rows or outcome == expected, at
    assert found > FLIPS


@pytest.mark.parametrize("command", [["find-clusters"], ["table", "fingerprint", "--column", "id", "-o", "-"]])
def test_commands_name_a_file_with_a_flipped_bit(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "part-00000.snappy.parquet"
    data = bytearray(of_spark("snappy"))
    data[len(data) // 4] ^= 1
    path.write_bytes(data)
    done = run(*command, path)
    assert done.returncode == 1
    assert "part-00000.snappy.parquet" in done.stderr


@pytest.mark.parametrize("part", [0, 7, 100])
def test_a_truncated_file_is_an_error(part: int) -> None:
    data = of_spark("snappy")
    for read in (entries_of, ids_of):
        with pytest.raises(UnreadableInputError):
            read(data[: len(data) * part // 101])
