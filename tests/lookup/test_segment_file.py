"""Saved corpora: what is restored, what is rejected, and what a crash leaves."""

from __future__ import annotations

import json
import os
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc.lookup import Corpus, CorruptIndexError, array_file
from simhash_doc.lookup.segment_file import check_tables, load_segment
from tests.lookup.distributions import FINGERPRINTS, LARGEST, seeded

IDS = st.one_of(st.text(max_size=5), st.integers(-5, 2**70), st.just("caf\udce9.txt"))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    corpus = Corpus()
    values = seeded("clustered", 500)
    corpus.insert_bulk(values, [f"document {number}" for number in range(len(values))])
    path = tmp_path / "corpus.sdix"
    corpus.save(path)
    return path


@settings(max_examples=25, deadline=None)
@given(
    listed=FINGERPRINTS,
    shape=st.sampled_from([(4, 3, "sd64"), (8, 2, "sd64"), (1, 0, "sd64"), (5, 3, "sd128"), (5, 3, "sd512")]),
    data=st.data(),
)
def test_a_saved_corpus_gives_the_same_answers(
    listed: list[int], shape: tuple[int, int, str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("saved") / "corpus"
    corpus = Corpus(*shape)
    ids = data.draw(st.none() | st.lists(IDS, min_size=len(listed), max_size=len(listed)))
    corpus.insert_bulk(listed, ids)
    corpus.save(path)
    check_tables(path, load_segment(path).segment)
    opened = Corpus.open(path)
    assert (opened.blocks, opened.distance, opened.scheme.id, len(opened)) == (*shape, len(corpus))
    for query in [*listed, 0, LARGEST]:
        assert opened.matches(query) == corpus.matches(query)


def test_an_opened_corpus_changes_without_its_file(saved: Path) -> None:
    before = saved.read_bytes()
    corpus = Corpus.open(saved)
    (value, *_) = corpus.values().tolist()
    names = corpus.ids_of(value)
    corpus.insert(value, "late")
    corpus.remove(int(corpus.values()[-1]))
    assert corpus.ids_of(value) == (*names, "late")
    assert saved.read_bytes() == before
    corpus.save(saved)
    assert Corpus.open(saved).ids_of(value) == (*names, "late")
    assert len(Corpus.open(saved)) == len(corpus)


def test_the_tables_are_mapped_not_read(saved: Path) -> None:
    opened = array_file.read(saved, "permuted-tables", verify=False)
    array = opened.arrays["values 0"]
    assert not array.flags.owndata
    assert not array.flags.writeable


def test_a_copied_index_outlives_its_file(saved: Path) -> None:
    corpus = Corpus.open(saved, mapped=False)
    expected = Corpus.open(saved).values().copy()
    os.truncate(saved, 0)  # which would end a process that maps the file
    assert np.array_equal(corpus.values(), expected)
    for value in expected[:20].tolist():
        assert value in corpus.find_all(value)
        assert corpus.ids_of(value)


def test_a_file_that_is_truncated_while_it_is_copied_is_rejected(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fstat = os.fstat

    def truncate_next(descriptor: int) -> os.stat_result:
        found = fstat(descriptor)
        os.truncate(saved, 10_000)
        return found

    monkeypatch.setattr("simhash_doc.lookup.array_file.os.fstat", truncate_next)
    with pytest.raises(CorruptIndexError, match=r"was truncated from \d+ to 10000 bytes while it was read"):
        Corpus.open(saved, mapped=False)


def test_any_changed_byte_is_noticed(saved: Path) -> None:
    valid = saved.read_bytes()
    end_of_header = 24 + int.from_bytes(valid[12:16], "little")
    used = np.zeros(len(valid), bool)
    used[:end_of_header] = True
    fields = json.loads(valid[24:end_of_header])
    for array in fields["arrays"]:
        length = int(np.prod(array["shape"])) * np.dtype(array["dtype"]).itemsize
        used[array["offset"] : array["offset"] + length] = True
    rng = np.random.default_rng(5)
    for at in [0, 8, 12, 16, 24, *rng.choice(np.flatnonzero(used), 200).tolist()]:
        corrupted = bytearray(valid)
        corrupted[at] ^= 1 << int(rng.integers(8))
        saved.write_bytes(corrupted)
        for mapped in (True, False):
            with pytest.raises(CorruptIndexError, match=str(saved)):
                Corpus.open(saved, mapped=mapped)


@pytest.mark.parametrize(
    ("start", "end", "reason"),
    [
        (0, 0, "it is empty"),
        (0, 20, "truncated within its first 24 bytes"),
        (0, 100, "header is corrupt"),
        (0, -1, "truncated or appended to"),
        (1, None, "does not begin with its magic number"),
    ],
)
def test_a_truncated_file_is_rejected_with_the_reason(saved: Path, start: int, end: int | None, reason: str) -> None:
    saved.write_bytes(saved.read_bytes()[start:end])
    for verify in (True, False):
        with pytest.raises(CorruptIndexError, match=reason):
            Corpus.open(saved, verify=verify)


def test_a_length_beyond_the_file_allocates_nothing(saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    data[12:16] = b"\xff" * 4
    saved.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(CorruptIndexError, match="header is corrupt"):
            Corpus.open(saved)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(data)
    finally:
        tracemalloc.stop()


def test_foreign_files_are_rejected_with_the_reason(saved: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_text("larqgiqsckcca\n" * 100, encoding="utf-8")
    with pytest.raises(CorruptIndexError, match="is not a saved index of simhash-doc"):
        Corpus.open(foreign)
    array_file.write(foreign, "another kind", {}, {})
    with pytest.raises(CorruptIndexError, match="of kind 'another kind', not 'permuted-tables' or 'wide-"):
        Corpus.open(foreign)
    array_file.write(foreign, "permuted-tables", {"blocks": 5}, {})
    with pytest.raises(CorruptIndexError, match="does not describe a corpus"):
        Corpus.open(foreign)
    later = bytearray(saved.read_bytes())
    later[8] = 2
    foreign.write_bytes(later)
    with pytest.raises(CorruptIndexError, match="version 2; this program reads version 1"):
        Corpus.open(foreign)


def test_tables_that_do_not_fit_each_other_are_rejected(saved: Path, tmp_path: Path) -> None:
    opened = array_file.read(saved, "permuted-tables")
    arrays = {**opened.arrays, "values 3": opened.arrays["values 3"][1:]}
    array_file.write(tmp_path / "wrong", "permuted-tables", opened.parameters, arrays)
    with pytest.raises(CorruptIndexError, match=r"'values 3' is of type uint64 and shape \(490,\)"):
        Corpus.open(tmp_path / "wrong")


def test_a_file_with_valid_checksums_and_wrong_tables_fails_the_thorough_check(saved: Path, tmp_path: Path) -> None:
    opened = array_file.read(saved, "permuted-tables")
    check_tables(saved, load_segment(saved).segment)
    values, starts = opened.arrays["values 3"], opened.arrays["starts 3"].copy()
    starts[5] += 1
    other = values.copy()
    other[-1] ^= np.uint64(1)  # the last bit of this table's order, so that it stays sorted
    wrong = {
        "table 3 is not sorted": {"values 3": values[::-1]},
        "starts of table 3 do not match its buckets": {"starts 3": starts},
        "table 3 holds other fingerprints": {"values 3": other},
    }
    for reason, arrays in wrong.items():
        array_file.write(tmp_path / "wrong", "permuted-tables", opened.parameters, {**opened.arrays, **arrays})
        with pytest.raises(CorruptIndexError, match=reason):
            check_tables("wrong", load_segment(tmp_path / "wrong").segment)


def test_an_index_transferred_in_text_mode_is_rejected(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes().replace(b"\r\n", b"\n"))
    with pytest.raises(CorruptIndexError, match="does not begin with its magic number"):
        Corpus.open(saved)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError])
def test_an_interrupted_save_leaves_the_old_file_and_nothing_else(
    saved: Path, interruption: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()
    corpus = Corpus.open(saved)
    corpus.insert(3)

    def interrupted(descriptor: int) -> None:
        raise interruption

    monkeypatch.setattr("simhash_doc.files.os.fsync", interrupted)
    with pytest.raises(interruption):
        corpus.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_saving_while_querying_and_changing(tmp_path: Path) -> None:
    values = seeded("random", 4000)
    corpus = Corpus()
    corpus.insert_bulk(values[:2000])
    failures: list[str] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            if len(set(corpus.find_all_bulk(values[:2000]).queries.tolist())) != 2000:
                failures.append("a stored value was not found")

    def change() -> None:
        for value in values[2000:].tolist():
            corpus.insert(value)

    threads = [threading.Thread(target=ask), threading.Thread(target=change)]
    for thread in threads:
        thread.start()
    sizes = []
    for _ in range(5):
        corpus.save(tmp_path / "corpus")
        opened = Corpus.open(tmp_path / "corpus")
        sizes.append(len(opened))
        # What is saved is the corpus at one moment: the insertions up to it, in their order.
        assert set(opened.values().tolist()) == set(values[: len(opened)].tolist())
    done.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert sizes == sorted(sizes)
    assert sizes[0] >= 2000
    assert len(corpus) == 4000


def test_a_save_keeps_permissions_and_follows_links(saved: Path) -> None:
    saved.chmod(0o640)
    link = saved.with_name("link")
    link.symlink_to(saved)
    Corpus(4).save(link)
    assert link.is_symlink()
    assert saved.stat().st_mode & 0o777 == 0o640
    assert Corpus.open(saved).blocks == 4
