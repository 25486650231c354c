"""An index in a directory: the answers of a corpus, whatever was appended, removed, merged, interrupted or damaged."""

from __future__ import annotations

import os
import pickle
import shutil
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from simhash_doc import Fingerprint
from simhash_doc.lookup import BadValueError, Corpus, CorruptIndexError, array_file, segments
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.directory import MANIFEST, Manifest, find_problems, read_manifest
from simhash_doc.lookup.segments import Segment, Snapshot
from simhash_doc.lookup.tables import PermutedTables
from simhash_doc.provenance import ProvenanceWarning
from tests.lookup.distributions import seeded
from tests.lookup.test_corpus import content

BLOCKING = Blocking(64, 5, 3)


@pytest.fixture
def small_levels() -> Iterator[None]:
    """Let merges happen among a few fingerprints."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_SMALLEST_LEVEL", 4)
        patch.setattr(segments, "MOST_MERGED", 64)
        yield


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an index of four segments, one of which only removes, with ids."""
    corpus = Corpus.build(tmp_path / "index", [1, 2, 3], ids=["a", "b", "c"])
    corpus.add_many([3, 1 << 40], ids=["d", "e"])
    with monkeypatch.context() as patched:
        patched.setattr(segments, "_FANOUT", 9)
        corpus.remove_many([2])
        corpus.add_many([9 << 50, 2])
    assert [(len(one.values), len(one.removed)) for one in corpus.segments] == [(3, 0), (1, 0), (0, 1), (2, 0)]
    return tmp_path / "index"


def test_an_addition_writes_no_file_of_earlier_ones_again(tmp_path: Path) -> None:
    corpus = Corpus.build(tmp_path / "index", seeded("random", 20_000))
    before = {path.name: path.stat().st_ino for path in (tmp_path / "index").iterdir()}
    corpus.add_many(seeded("random", 10, 7))
    corpus.remove_many(seeded("random", 3))
    after = {path.name: path.stat() for path in (tmp_path / "index").iterdir()}
    new = after.keys() - before.keys() | {MANIFEST}
    assert sum(after[name].st_size for name in new) < 20_000 < sum(stat.st_size for stat in after.values()) / 100
    assert all(after[name].st_ino == number for name, number in before.items() if name != MANIFEST)


def test_the_number_of_parts_grows_with_the_logarithm(tmp_path: Path, small_levels: None) -> None:
    corpus = Corpus.build(tmp_path / "index")
    most = 0
    for value in seeded("random", 25).tolist():
        corpus.add_many([value])
        most = max(most, len(corpus.segments))
    assert most <= 3 * 3  # levels of up to 4, 16 and 64
    corpus.remove_many(corpus.values()[:15])
    assert corpus._snapshot.stored == len(corpus) == 10  # so many removals rewrite the tables


def test_a_build_keeps_one_table_in_memory(tmp_path: Path) -> None:
    values = seeded("random", 200_000)
    tracemalloc.start()
    try:
        Corpus.build(tmp_path / "index", values)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    size = sum(path.stat().st_size for path in (tmp_path / "index").iterdir())
    assert peak < 60 * len(values)
    assert size > 100 * len(values)


def test_an_open_index_keeps_its_content_until_it_is_refreshed(index: Path) -> None:
    reader, writer = Corpus.open(index), Corpus.open(index)
    before = content(reader)
    writer.add_many([77], ids=["z"])
    writer.merge()
    assert content(reader) == before
    reader.refresh()
    assert content(reader) == content(writer) == {**before, 77: ("z",)}
    # Another change begins with what the other object has written.
    writer.add_many([78])
    reader.add_many([79])
    writer.refresh()
    assert {77, 78, 79} <= content(writer).keys()


def test_saving_to_the_own_directory_loses_no_change_of_another_program(index: Path) -> None:
    mine, other = Corpus.open(index), Corpus.open(index)
    mine.save(index)  # as it is on the disk already
    assert content(Corpus.open(index)) == content(mine)
    other.add_many([77], ids=["new"])
    with pytest.raises(FileExistsError, match=r"refresh\(\)"):
        mine.save(index)
    assert content(Corpus.open(index)) == content(other)
    mine.refresh()
    mine.save(index)
    shutil.rmtree(index)
    mine.save(index)
    assert content(Corpus.open(index)) == content(other)


CANONICAL, CUSTOMIZED = Fingerprint(5), Fingerprint(6, canonical=False)


def saved(path: Path, one: Fingerprint) -> Corpus:
    corpus = pickle.loads(pickle.dumps(in_memory(one)))
    corpus.save(path)
    return Corpus.open(path)


def in_memory(*values: Fingerprint) -> Corpus:
    corpus = Corpus()
    corpus.add_many(values)
    return corpus


@pytest.mark.parametrize("made", [saved, lambda path, one: Corpus.build(path, [one])])
@pytest.mark.parametrize("one", [CANONICAL, CUSTOMIZED])
def test_a_mark_is_kept_and_is_that_of_all(made: Callable[..., Corpus], one: Fingerprint, tmp_path: Path) -> None:
    """A fingerprint is never given without its mark (SD-CUSTOM-1)."""
    other = CUSTOMIZED if one == CANONICAL else CANONICAL
    opened = made(tmp_path / "i", one)
    opened.add_many([str(one), 9, np.uint64(10)])
    opened.merge()
    changes: list[Callable[[], object]] = [
        lambda: opened.insert(other),
        lambda: opened.add_many([str(other)]),
        lambda: Corpus.build(tmp_path / "j", [one, other]),
        lambda: in_memory(one, other).save(tmp_path / "j"),
    ]
    for change in changes:
        with pytest.warns(ProvenanceWarning), pytest.raises(BadValueError, match="cannot share an index"):
            change()
    for corpus in (opened, Corpus.open(tmp_path / "i"), pickle.loads(pickle.dumps(opened))):
        assert (corpus.canonical, len(corpus)) == (one.canonical, 3)
    assert not (tmp_path / "j").exists()
    opened.refresh()
    opened.insert(one)


def test_parts_that_are_merged_while_an_index_is_opened(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = content(Corpus.open(index))
    read, calls = read_manifest, 0

    def read_then_merge(directory: Path) -> Manifest:
        nonlocal calls
        calls += 1
        manifest = read(directory)
        if calls == 1:
            monkeypatch.undo()
            Corpus.open(index).merge()
        return manifest

    monkeypatch.setattr("simhash_doc.lookup.directory.read_manifest", read_then_merge)
    assert content(Corpus.open(index)) == expected
    assert calls == 1


@pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")
def test_one_object_at_a_time_changes_an_index(index: Path) -> None:
    first, second = Corpus.open(index), Corpus.open(index)
    with first.exclusive():
        first.add_many([100])
        changes: list[Callable[[], object]] = [
            lambda: second.add_many([1]),
            lambda: second.remove_many([1]),
            second.merge,
        ]
        for change in changes:
            with pytest.raises(BlockingIOError):
                change()
        assert 100 in Corpus.open(index)
    second.add_many([101])
    assert {100, 101} <= content(second).keys()


def test_what_is_not_in_use_is_deleted_by_the_next_change_and_nothing_else(index: Path) -> None:
    unused = ["segment-00000099.sdix", ".segment-00000007.sdix.12.0123abcd.part", f".{MANIFEST}.1.0123abcd.part"]
    kept = ["notes.txt", ".notes.txt.1.0123abcd.part", "segment-1.sdix"]
    for name in (*unused, *kept):
        (index / name).write_bytes(b"x")
    before = content(Corpus.open(index))
    assert find_problems(index) == []
    corpus = Corpus.open(index)
    corpus.add_many([55])
    assert sorted(os.listdir(index)) == sorted([*corpus.files(), *kept])
    assert content(corpus) == {**before, 55: ()}


def test_any_damaged_part_is_named(index: Path) -> None:
    names = [segment.name for segment in Corpus.open(index).segments]
    assert find_problems(index) == []
    for name in names:
        path = index / name
        valid = path.read_bytes()
        path.write_bytes(valid[:-1] + bytes([valid[-1] ^ 1]))
        assert [str(path) in problem and "checksum differs" in problem for problem in find_problems(index)] == [True]
        with pytest.raises(CorruptIndexError, match=name):
            Corpus.open(index)
        path.unlink()
        assert [problem.startswith(f"{path}: cannot be read") for problem in find_problems(index)] == [True]
        with pytest.raises(CorruptIndexError, match=f"{name}: is missing; the manifest names it"):
            Corpus.open(index)
        path.write_bytes(valid)
    (index / names[0]).write_bytes((index / names[1]).read_bytes())
    (index / names[2]).write_bytes(b"")
    assert [names[0] in problem or names[2] in problem for problem in find_problems(index)] == [True, True]


@pytest.mark.parametrize("verify", [True, False])
def test_a_segment_of_another_index_is_not_accepted(verify: bool, tmp_path: Path) -> None:
    for name, value in (("a", 1), ("b", 1 << 40)):
        Corpus.build(tmp_path / name, [value, value << 10])
    file = tmp_path / "a" / "segment-00000001.sdix"
    shutil.copy(tmp_path / "b" / file.name, file)
    with pytest.raises(CorruptIndexError, match=f"{file}: is not the file that the manifest names"):
        Corpus.open(tmp_path / "a", verify=verify)
    assert [str(file) in problem for problem in find_problems(tmp_path / "a")] == [True]


def test_an_index_that_was_built_again_is_noticed(tmp_path: Path) -> None:
    old = Corpus.build(tmp_path / "index", [1 << 10, 2 << 20, 3 << 30])
    shutil.rmtree(tmp_path / "index")
    Corpus.build(tmp_path / "index", [5 << 10, 6 << 20, 7 << 30])
    assert old.add_many([1 << 10, 9 << 40]) == 2
    assert content(Corpus.open(tmp_path / "index")) == dict.fromkeys([5 << 10, 6 << 20, 7 << 30, 1 << 10, 9 << 40], ())
    Corpus.build(tmp_path / "index", [5], scheme="sd128", force=True)
    with pytest.raises(CorruptIndexError, match="was replaced by an index of other parameters"):
        old.add_many([1])


def test_segments_without_their_manifest_are_not_deleted_by_a_build(index: Path) -> None:
    (index / MANIFEST).unlink()
    before = sorted(os.listdir(index))
    with pytest.raises(FileExistsError, match=r"has files of an index without its manifest, 'segment-00000001\.sdix'"):
        Corpus.build(index, [5])
    assert sorted(os.listdir(index)) == before
    assert content(Corpus.build(index, [5], force=True)) == {5: ()}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("parts", [["../secret", ""]]),
        ("parts", [["segment-00000001.sdix", 3]]),
        ("fingerprints", -1),
        ("canonical", 1),
        ("parts", [["segment-00000001.sdix"]]),
        ("parts", 3),
        ("bits", "64"),
        ("blocks", 2),
        ("provenance", [3]),
    ],
)
def test_a_manifest_with_wrong_content_is_rejected(field: str, value: object, index: Path) -> None:
    found = array_file.read_arrays(index / MANIFEST, "segmented-index")
    array_file.write_arrays(index / MANIFEST, "segmented-index", {**found.parameters, field: value}, {})
    with pytest.raises(CorruptIndexError, match="does not describe the segments of an index"):
        Corpus.open(index)


def test_a_merge_does_not_accept_corrupt_content(index: Path) -> None:
    corpus = Corpus.open(index)
    segment = index / corpus.segments[0].name
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1  # in the ids
    segment.write_bytes(data)
    before = sorted(os.listdir(index))
    with pytest.raises(CorruptIndexError, match=rf"{segment.name}: its array 'id text' is corrupt"):
        Corpus.open(index, verify=False).merge()
    assert sorted(os.listdir(index)) == before


def test_a_directory_that_is_not_an_index_is_not_written(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    with pytest.raises(CorruptIndexError, match=r"a directory without an index: it has no manifest\.sdix"):
        Corpus.open(foreign)
    (foreign / "photo.jpg").touch()
    with pytest.raises(FileExistsError, match=r"with another file, 'photo.jpg'"):
        Corpus.build(foreign)
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        Corpus.build(tmp_path / "file")
    with pytest.raises(FileNotFoundError):
        Corpus.open(tmp_path / "absent")
    with pytest.raises(BadValueError, match="1 ids for 2 fingerprints"):
        Corpus.build(tmp_path / "absent", [1, 2], ids=["a"])
    assert sorted(os.listdir(tmp_path)) == ["file", "foreign"]
    assert os.listdir(foreign) == ["photo.jpg"]


def test_an_index_is_replaced_only_by_force(index: Path) -> None:
    reader = Corpus.open(index)
    before = content(reader)
    with pytest.raises(FileExistsError, match="has an index"):
        Corpus.build(index, [5])
    assert content(Corpus.open(index)) == before
    replaced = Corpus.build(index, [5], scheme="sd128", force=True)
    assert content(replaced) == {5: ()}
    assert sorted(os.listdir(index)) == sorted(replaced.files())
    assert content(reader) == before
    (index / MANIFEST).write_bytes(b"damaged")
    assert content(Corpus.build(index, [6], force=True)) == {6: ()}


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError])
def test_an_interrupted_change_leaves_nothing(
    interruption: type[BaseException], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Corpus.open(index)
    before, files = content(corpus), sorted(os.listdir(index))

    def interrupted(*arguments: object) -> None:
        raise interruption

    with monkeypatch.context() as patched:
        patched.setattr("simhash_doc.lookup.directory._write_manifest", interrupted)
        changes: list[Callable[[], object]] = [
            lambda: corpus.add_many([70]),
            lambda: corpus.remove_many([1]),
            corpus.merge,
            lambda: Corpus.build(index.with_name("new"), [1]),
        ]
        for change in changes:
            with pytest.raises(interruption):
                change()
    assert sorted(os.listdir(index)) == files
    assert os.listdir(index.parent) == ["index"]
    assert content(corpus) == content(Corpus.open(index)) == before
    corpus.add_many([70])
    assert 70 in Corpus.open(index)


def test_removals_of_half_the_largest_size_are_not_merged_for_ever(tmp_path: Path, small_levels: None) -> None:
    corpus = Corpus.build(tmp_path / "index", range(1000, 1200))
    for start in (0, 30, 60):
        corpus.add_many(range(start, start + 30))
    corpus.remove_many(range(1000, 1028))
    corpus.add_many(range(2000, 2030))
    assert content(corpus).keys() == {*range(1028, 1200), *range(90), *range(2000, 2030)}
    assert find_problems(tmp_path / "index") == []


def test_levels_and_the_largest_segment_decide_what_is_merged() -> None:
    none = np.empty(0, np.uint64)

    def due(*sizes: int, fingerprints: int | None = None) -> slice | None:
        listed = tuple(Segment(PermutedTables(BLOCKING, np.empty(size, np.uint64)), None, none) for size in sizes)
        counted = sum(sizes) if fingerprints is None else fingerprints
        return segments._due(Snapshot(BLOCKING, listed, counted), in_memory=False)

    assert due() is due(10) is due(10, 10, 10) is due(10**6, 10, 10, 10) is None
    assert due(10, 10, 10, 10) == slice(0, 4)
    assert due(10**6, 10, 4000, 10, 10) == slice(1, 5)
    assert due(10**6, 10, 10, 10**5) is None
    assert due(10**6, 10, 10, 10, 10**5) == slice(1, 5)
    assert due(100, 100, fingerprints=160) is None
    assert due(100, 100, fingerprints=140) == slice(0, 2)
    most = segments.MOST_MERGED
    assert due(most, most, most, most) is None
    assert due(most // 3, most // 3, most // 3, most // 3) == slice(1, 4)
    assert due(most // 5 * 2, most // 5 * 2, most // 5 * 2, most // 5 * 2) == slice(2, 4)
