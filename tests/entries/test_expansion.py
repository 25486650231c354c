"""Small files that stand for many rows, or for long ones: bounded memory, or an error that names the bound."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_doc import files, fingerprint
from simhash_doc.entries import UnreadableInputError, parquet_files
from simhash_doc.entries.formats import detected
from simhash_doc.entries.parquet_files import ParquetRows
from tests.commands import objects, run

ROWS = 5_000
LONG = "the tide mill ground flour for the harbour " * 1_000


def write_repeated(path: Path, column: str, value: str = LONG, rows: int = ROWS) -> None:
    """Write one value that all rows share: the file has a hundredth of the size of the rows, or less."""
    repeated = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value]))
    names = {"text": "the words of a row", "fingerprint": "sd64:larqgiqsckcca", column: repeated}
    table = pa.table({name: pa.repeat(one, rows) if isinstance(one, str) else one for name, one in names.items()})
    pq.write_table(table, path, store_schema=False)


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rows of a mebibyte be too much."""
    monkeypatch.setattr(parquet_files, "_LEAST_EXPANDED", 1 << 20)
    monkeypatch.setattr(parquet_files, "MOST_EXPANSION", 10)


COMMANDS = [
    ("text", "table fingerprint {} -j 1 -o out.parquet"),
    ("other", "table dedupe {} -o out.parquet"),
    ("id", "find-all {} -o out.jsonl"),
    ("id", "store remove --db s.sqlite --ids {}"),
]


@pytest.mark.parametrize(("column", "command"), COMMANDS, ids=[command[:17] for _, command in COMMANDS])
@pytest.mark.usefixtures("bounded")
def test_a_small_file_that_stands_for_too_much_is_an_error_that_names_the_bound(
    column: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_repeated(tmp_path / "a.parquet", column)
    run("store", "add", "--db", "s.sqlite", stdin=b'{"id": "a", "fingerprint": "larqgiqsckcca"}')
    done = run(*command.format("a.parquet").split())
    assert done.returncode == 1
    assert "over 10 times the size of the file" in done.stderr


def test_rows_that_repeat_a_long_value_are_read_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 10 * len(LONG)
    monkeypatch.setattr(parquet_files, "_AT_ONCE", most)
    write_repeated(tmp_path / "a.parquet", "id")
    parts = [*ParquetRows(str(tmp_path / "a.parquet")).parts(0, 1 << 14, ["id"])]
    assert sum(map(len, parts)) == ROWS
    assert max(pa.compute.sum(pa.compute.binary_length(part.column(0))).as_py() for part in parts) <= most


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_rows_that_share_their_beginning_are_read_few_at_a_time(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the first of these encodings, which Arrow does not read as dictionaries, a value extends the one before it."""
    most = 10 * len(LONG)
    monkeypatch.setattr(parquet_files, "_AT_ONCE", most)
    texts = [f"{LONG}{at}" for at in range(50)]
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": texts}), path, use_dictionary=False, column_encoding=encoding)
    parts = [part.column(0).to_pylist() for part in ParquetRows(str(path)).parts(0, 1 << 14, ["id"])]
    assert [text for part in parts for text in part] == texts
    assert max(len("".join(part)) for part in parts) <= most


def test_a_column_that_is_not_read_does_not_make_the_parts_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_files, "_AT_ONCE", 10 * len(LONG))
    path = tmp_path / "a.parquet"
    table = pa.table({"id": [str(at) for at in range(50)], "text": [f"{at}{LONG}" for at in range(50)]})
    pq.write_table(table, path, use_dictionary=["id"], column_encoding={"text": "DELTA_BYTE_ARRAY"})
    rows = ParquetRows(str(path))
    assert len([*rows.parts(0, 1 << 14, ["id"])]) == 1 < len([*rows.parts(0, 1 << 14, ["text"])])


def test_a_page_that_inflates_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:
    text = pa.array(["a" * (1 << 20)] * 1_100)
    pq.write_table(pa.table({"text": text}), tmp_path / "a.parquet", compression="zstd", use_dictionary=False)
    with pytest.raises(UnreadableInputError, match="over 1,000 times the size of the file"):
        ParquetRows(str(tmp_path / "a.parquet"))


ROW, ENTRY = '{"text": "a"}\n{"text": "', '{"fingerprint": "sd64:larqgiqsckcca"}\n{"id": "'


@pytest.mark.parametrize(
    ("start", "command"),
    [
        (ROW, "table fingerprint -o out.jsonl"),
        ("text,id\na,1\nb,", "table fingerprint -o out.jsonl"),
        (ROW, "table dedupe -o out.jsonl"),
        (ENTRY, "find-all"),
        (ENTRY, "store add --db s.sqlite"),
    ],
)
def test_a_long_line_in_gzip_is_refused_before_it_is_in_memory(
    start: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "LONGEST_LINE", 1 << 20)
    Path("a.gz").write_bytes(gzip.compress(start.encode() + bytes(1 << 26)))
    tracemalloc.start()
    done = run(*command.split(), "a.gz")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (done.returncode, "a line has over 1 MiB" in done.stderr) == (1, True)
    assert peak < 1 << 25


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("form", "blank"),
    [
        ("text", "\n" * 2000),
        ("text", " " * ((1 << 16) - 1) + "\n"),
        ("jsonl", "\n" * (1 << 17)),
        ("csv", "\ufeff" + "\r\n" * 40_000),
    ],
    ids=["text", "spaces", "jsonl", "csv"],
)
def test_blank_lines_before_the_fingerprints_hide_none(form: str, blank: str, packed: bool, tmp_path: Path) -> None:
    """Before, a file with a thousand blank lines had "no fingerprints", with status 0."""
    digits = str(fingerprint("some words"))
    lines = {
        "text": [f"{digits}  a", "?", f"{digits}  b"],
        "jsonl": [f'{{"id": "a", "fingerprint": "{digits}"}}', "{", f'{{"id": "b", "fingerprint": "{digits}"}}'],
        "csv": ["id,fingerprint", f"a,{digits}", "c,?", f"b,{digits}"],
    }[form]
    content = (blank + "".join(f"{line}\n" for line in lines)).encode()
    path = tmp_path / "lines"
    path.write_bytes(gzip.compress(content) if packed else content)
    bad = blank.count("\n") + (3 if form == "csv" else 2)
    for done in (run("find-all", path), run("find-all", stdin=path.read_bytes())):
        assert [(one["a"], one["b"]) for one in objects(done.stdout)] == [("a", "b")]
        assert f"line {bad}:" in done.stderr


def test_white_space_before_fingerprints_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "lines.gz"
    path.write_bytes(gzip.compress(b"\n" * (1 << 25) + str(fingerprint("some words")).encode()))
    tracemalloc.start()
    with files.open_rows(str(path)) as file:
        form, _ = detected(file)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (form, most < 1 << 20) == ("base32", True)


@pytest.mark.parametrize("command", ["find-all", "index build i.sdix", "store add --db s.sqlite", "table fingerprint"])
def test_parquet_in_gzip_is_refused_before_it_is_in_memory(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.gz").write_bytes(gzip.compress(b"PAR1" + b"\n" * (1 << 27)))
    tracemalloc.start()
    done = run(*command.split(), "a.gz")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (done.returncode, "a Parquet file compressed with gzip; decompress it first" in done.stderr) == (1, True)
    assert peak < 1 << 25


@pytest.mark.usefixtures("bounded")
def test_rows_of_a_corrupt_group_are_counted(tmp_path: Path) -> None:
    """A footer may name 2^50 rows, each of which would be a row of the output."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["a", "b", "c"] * 1_000}), path)
    path.write_bytes(with_rows(path.read_bytes(), 3_000, 1 << 50))
    done = run("table", "fingerprint", path, "-o", tmp_path / "out.jsonl")
    assert (done.returncode, "times the size of the file" in done.stderr) == (1, True)


def with_rows(data: bytes, rows: int, others: int) -> bytes:
    """Return a Parquet file whose footer has another number wherever it has one of rows."""
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = data[start:-8].replace(b"\x16" + _varint(2 * rows), b"\x16" + _varint(2 * others))
    return data[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _varint(number: int) -> bytes:
    *more, last = [number >> shift & 0x7F for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([*(one | 0x80 for one in more), last])
