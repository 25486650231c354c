"""The index of a run: later runs find the same clusters with it, and read fewer files."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.spark.conftest import require_spark

require_spark()

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import Broadcast
from pyspark.sql import SparkSession

from simhash_doc.arrays import Lanes, Values, lanes_from_ints
from simhash_doc.duplicates.definition import assign
from simhash_doc.lookup.blocks import Blocking, BlockTables
from simhash_doc.spark import BadColumnError, BadInputError, incremental, jobs
from simhash_doc.spark.columns import column_from_lanes, unpacked
from simhash_doc.spark.duplicates import stars_of_components
from simhash_doc.spark.incremental import _among, pack_files, pack_hashes
from simhash_doc.spark.jobs import JobInput, run_dedupe
from simhash_doc.spark.queries import _search
from simhash_doc.spark.storage import check_digests
from tests.lookup.distributions import FINGERPRINTS, integers
from tests.lookup.test_planning import lane_tables
from tests.spark.tables import name, values_of


@dataclass(frozen=True)
class Sent:
    """Stands for a broadcast."""

    value: Any

    def __hash__(self) -> int:
        return id(self)


def sent(value: Lanes) -> Broadcast[Lanes]:
    return cast("Broadcast[Lanes]", Sent(value))


@st.composite
def with_tables(draw: st.DrawFn) -> tuple[BlockTables, list[int]]:
    if draw(st.booleans()):
        return Blocking(64, 5, 3), draw(FINGERPRINTS)
    return lane_tables(256, 26), draw(integers(4, farthest=26))


@given(given_=with_tables(), data=st.data())
def test_packed_files_are_searched_completely(given_: tuple[BlockTables, list[int]], data: st.DataObject) -> None:
    tables, values = given_
    files = [data.draw(st.integers(0, 3)) // 2 for _ in values]
    files.sort()
    rows = pa.table(
        {
            "file": pa.array([f"file {number}" for number in files], pa.string()),
            "fingerprint": column_from_lanes(lanes_from_ints(values, tables.lanes)),
        }
    )
    size = data.draw(st.integers(1, 9))
    empty = pa.RecordBatch.from_pylist([], schema=rows.schema)
    packed = list(pack_files("run", tables.lanes, iter([empty, *rows.to_batches(max_chunksize=size)])))
    few = sorted({value for value in values if data.draw(st.booleans())})
    found = Counter[tuple[bytes, bytes, str]]()
    for batch in _search(sent(lanes_from_ints(few, tables.lanes)), tables, unpacked, iter(packed)):
        assert set(batch.column("run").to_pylist()) <= {"run"}
        found.update(zip(*(batch.column(name).to_pylist() for name in ("a", "b", "file")), strict=True))
    size = tables.bits // 8
    expected = {
        (near.to_bytes(size, "big"), value.to_bytes(size, "big"), f"file {number}")
        for near in few
        for value, number in zip(values, files, strict=True)
        if (near ^ value).bit_count() <= tables.distance
    }
    assert found == dict.fromkeys(expected, 1)


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1), st.lists(st.integers(-(2**63), 2**63 - 1)), st.booleans()
)
def test_hashes_of_earlier_ids_are_found(earlier: list[int], new: list[int], repeated: bool) -> None:
    new += earlier[:1] if repeated else []
    packed = pack_hashes(iter(pa.table({"hash": earlier}).to_batches(max_chunksize=2)))
    hashes = np.unique(np.array(new, np.int64).view(np.uint64))
    assert bool(list(_among(sent(hashes), packed))) == bool({*earlier} & {*new})


@given(values=integers(1, 6), distance=st.integers(0, 8), size=st.integers(1, 7), data=st.data())
def test_stars_of_components_are_found_in_batches_of_any_size(
    values: list[int], distance: int, size: int, data: st.DataObject
) -> None:
    components = sorted(data.draw(st.integers(0, 3)) for _ in values)
    rows = pa.table(
        {
            "component": pa.array([bytes([component]) for component in components], pa.binary()),
            "id": pa.array([name(at) for at in range(len(values))], pa.string()),
            "fingerprint": column_from_lanes(lanes_from_ints(values, 1)),
        }
    )
    empty = pa.RecordBatch.from_pylist([], schema=rows.schema)
    batches = stars_of_components(1, distance, iter([empty, *rows.to_batches(max_chunksize=size), empty]))
    found = [row for batch in batches for row in batch.to_pylist()]
    expected = []
    for component in range(4):
        members = [at for at, of in enumerate(components) if of == component]
        stars = assign(lanes_from_ints([values[at] for at in members], 1), distance).tolist()
        expected += [
            (values[at].to_bytes(8, "big"), name(members[first])) for at, first in zip(members, stars, strict=True)
        ]
    assert [(row["fingerprint"], row["cluster"]) for row in found] == expected


def write(path: Path, values: Values, first: int, bits: int = 64) -> str:
    lanes = lanes_from_ints(values.tolist(), bits // 64)
    names = [name(first + at) for at in range(len(values))]
    pq.write_table(pa.table({"id": names, "fingerprint": column_from_lanes(lanes)}), path)
    return str(path)


def dedupe(spark: SparkSession, source: str, output: Path, *previous: Path) -> Path:
    run_dedupe(spark, JobInput([source]), str(output), previous=[str(run) for run in previous])
    return output


def test_stars_of_several_runs_are_those_of_one(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chains, whose links arrive in any order; each document belongs to the first representative that it is near."""
    monkeypatch.setattr(jobs, "DOCUMENTS_PER_FILE", 30)
    chain = np.cumsum(np.uint64(7) << np.arange(0, 60, 3, dtype=np.uint64), dtype=np.uint64)
    values = np.random.default_rng(5).permutation(np.concatenate((chain, ~chain, values_of("duplicate-heavy", 200))))
    runs: list[Path] = []
    for start in range(0, len(values), 80):
        source = write(tmp_path / f"{start}.parquet", values[start : start + 80], start)
        # The last run has too many documents for the indexes.
        monkeypatch.setattr(incremental, "BROADCAST_LIMIT", 0 if len(runs) == 2 else 80)
        runs.append(dedupe(spark, source, tmp_path / f"run {start}", *runs))
    assert len(runs) == 3
    assert len(list((runs[0] / "documents").glob("*.parquet"))) > 2
    rows = [row for run in runs for row in pq.read_table(run / "documents").to_pylist()]
    expected = assign(values.reshape(-1, 1), 3).tolist()
    assert {row["id"]: row["candidate_of"] for row in rows} == {
        name(at): name(first) for at, first in enumerate(expected)
    }


def damage(path: Path) -> None:
    """Overwrite the rows of a Parquet file, not its schema."""
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[-8:-4], "little") + 8
    data[4:-size] = bytes(len(data) - size - 4)
    path.write_bytes(data)
    path.with_name(f".{path.name}.crc").unlink()


EARLIER = np.random.default_rng(1).integers(0, 2**64, 200, np.uint64)


@pytest.fixture(scope="module")
def earlier_run(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a run over EARLIER, in many files."""
    folder = tmp_path_factory.mktemp("earlier")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(jobs, "DOCUMENTS_PER_FILE", 20)
        return dedupe(spark, write(folder / "earlier.parquet", EARLIER, 0), folder / "first")


@pytest.fixture
def first(earlier_run: Path, tmp_path: Path) -> Path:
    """A copy of that output, to be changed."""
    return Path(shutil.copytree(earlier_run, tmp_path / "first"))


def test_only_files_with_matches_are_read(spark: SparkSession, first: Path, tmp_path: Path) -> None:
    new = np.array([int(EARLIER[17]) ^ 0b11, 99], np.uint64)
    files = {path: pq.read_table(path)["id"].to_pylist() for path in (first / "documents").glob("*.parquet")}
    (with_match,) = (path for path, ids in files.items() if name(17) in ids)
    assert len(files) >= 10
    for path in files:
        if path != with_match:
            damage(path)
    source = write(tmp_path / "new.parquet", new, 1000)
    second = dedupe(spark, source, tmp_path / "second", first)
    rows = pq.read_table(second / "documents").to_pylist()
    assert {row["id"]: row["candidate_of"] for row in rows} == {name(1000): name(17), name(1001): name(1001)}
    damage(with_match)
    with pytest.raises(BadInputError, match=f"documents/{with_match.name}: is damaged"):
        dedupe(spark, source, tmp_path / "third", first)


def test_ids_and_days_without_fingerprints(spark: SparkSession, tmp_path: Path) -> None:
    """Ids may be integers of different types, and no document of a run needs a fingerprint: their ids count, too."""
    wide = pa.array([bytes(range(32)), None], pa.binary())
    nulls = pa.nulls(2, pa.binary())
    days = [(pa.array([1, 2], pa.int32()), nulls), (pa.array([3, 4], pa.int64()), wide), (pa.array([1, 5]), nulls)]
    sources = [str(tmp_path / f"{number}.parquet") for number in range(3)]
    for source, (ids, column) in zip(sources, days, strict=True):
        pq.write_table(pa.table({"id": ids, "fingerprint": column}), source)
    first = dedupe(spark, sources[0], tmp_path / "first")
    second = dedupe(spark, sources[1], tmp_path / "second", first)
    rows = pq.read_table(second / "documents").to_pylist()
    assert {row["id"]: row["candidate_of"] for row in rows} == {3: 3, 4: 4}
    with pytest.raises(BadColumnError, match="such as 1;"):
        dedupe(spark, sources[2], tmp_path / "third", first)


@pytest.mark.parametrize("limit", [0, 100])
def test_other_widths_and_ids_of_earlier_runs_are_rejected(
    limit: int, spark: SparkSession, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incremental, "BROADCAST_LIMIT", limit)
    wide = write(tmp_path / "wide.parquet", np.array([5], np.uint64), 1000, 128)
    with pytest.raises(BadColumnError, match=r"first: .* have 8 bytes where 16 are expected"):
        dedupe(spark, wide, tmp_path / "second", first)
    repeated = write(tmp_path / "repeated.parquet", np.array([2**60], np.uint64), 1)
    with pytest.raises(BadColumnError, match="of a previous run, such as '0000001'"):
        dedupe(spark, repeated, tmp_path / "second", first)


@pytest.mark.parametrize("table", ["index/fingerprints", "index/ids"])
def test_a_flipped_byte_of_an_earlier_run_is_an_error_that_names_the_file(
    table: str, spark: SparkSession, first: Path, tmp_path: Path
) -> None:
    """Of the documents, too: see the test of files with matches."""
    source = write(tmp_path / "new.parquet", EARLIER[:2] ^ np.uint64(1), 1000)
    path = flip(sorted((first / table).glob("*.parquet"))[0], 40)
    with pytest.raises(BadInputError, match=f"{table}/{path.name}: is damaged"):
        dedupe(spark, source, tmp_path / "second", first)


@pytest.mark.parametrize("limit", [0, 100])
def test_a_file_of_documents_with_fewer_rows_is_damaged_wherever_all_are_read(
    limit: int, spark: SparkSession, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A valid file without an id of the input would hide that the id is of a previous run."""
    monkeypatch.setattr(incremental, "BROADCAST_LIMIT", limit)
    for path in (first / "documents").glob("*.parquet"):
        pq.write_table(pq.read_table(path).slice(1), path)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    repeated = write(tmp_path / "repeated.parquet", np.array([2**60], np.uint64), 1)
    with pytest.raises(BadInputError, match=r"documents/.* is damaged"):
        dedupe(spark, repeated, tmp_path / "second", first)


def test_files_that_changed_or_are_missing_are_named(spark: SparkSession, first: Path) -> None:
    paths = sorted((first / "documents").glob("*.parquet"))
    check_digests(spark, "documents", {str(first): []})
    whole = paths[0].read_bytes()
    for at in np.random.default_rng(3).integers(0, len(whole), 3).tolist():
        flip(paths[0], at)
        with pytest.raises(BadInputError, match=f"documents/{paths[0].name}: is damaged"):
            check_digests(spark, "documents", {str(first): []})
        paths[0].write_bytes(whole)
    check_digests(spark, "documents", {str(first): []})
    paths[1].rename(first / "documents/other.parquet")
    with pytest.raises(BadInputError, match=r"other.parquet: is damaged|: is missing"):
        check_digests(spark, "documents", {str(first): []})
    (first / "documents/other.parquet").unlink()
    check_digests(spark, "documents", {str(first): [paths[0].name]})
    for names in ([], [paths[1].name]):
        with pytest.raises(BadInputError, match=paths[1].name):
            check_digests(spark, "documents", {str(first): names})


def flip(path: Path, at: int) -> Path:
    """Change a byte of a file as on an object store, which has no file of checksums."""
    data = path.read_bytes()
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    return path
