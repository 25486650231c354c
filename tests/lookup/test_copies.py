"""Copies of what is public: `copy`, `deepcopy` and `pickle` give what works alone, and lose nothing."""

from __future__ import annotations

import pickle
import shutil
import stat
from collections.abc import Callable
from copy import copy, deepcopy
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from simhash_doc.lookup import Corpus, CorruptIndexError, IsslIndex, PairFile, find_all, find_clusters, plan
from simhash_doc.provenance import Provenance
from simhash_doc.schemes import SchemeId
from tests.lookup.distributions import clustered_lanes, seeded
from tests.values import positions, to_ints

T = TypeVar("T")
Copier = Callable[[Any], Any]


def pickled(original: T) -> T:
    restored: T = pickle.loads(pickle.dumps(original))
    return restored


each_copier = pytest.mark.parametrize("copier", [copy, deepcopy, pickled])


def entries(corpus: Corpus) -> set[tuple[int, object]]:
    values, ids = corpus.entries()
    return set(zip(to_ints(values), ids or [None] * len(values), strict=True))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    path = tmp_path / "index"
    built = Corpus.build(path, [7, 7, 1 << 40], ids=["a", "b", None])
    built.add_many([], provenances=[Provenance.of_package("sd64")])
    return path


@each_copier
@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_a_copy_in_memory_has_the_content_and_changes_alone(copier: Copier, scheme: SchemeId) -> None:
    original = Corpus(scheme=scheme, distance=3)
    values = clustered_lanes(600, original.scheme.lanes, 4)
    original.add_many(values, ids=list(range(600)), provenances=[Provenance.of_package(scheme)])
    original.insert(1, id="since the last part")
    original.remove(to_ints(values[:1])[0])
    before = entries(original)
    copied = copier(original)
    assert entries(copied) == before
    assert (len(copied), copied.id_count) == (len(original), original.id_count)
    assert (copied.scheme, copied.blocks, copied.distance) == (original.scheme, original.blocks, original.distance)
    assert copied.provenances == original.provenances
    assert {one.value for one in copied.find(1)} == {one.value for one in original.find(1)} == {1}
    copied.insert(2, id="of the copy")
    original.insert(4, id="of the original")
    original.remove(1)
    assert entries(copied) == before | {(2, "of the copy")}
    assert entries(original) == before - {(1, "since the last part")} | {(4, "of the original")}
    assert 2 not in original
    assert copied.find_all(4) == [1, 2]


@each_copier
def test_an_empty_corpus_can_be_copied(copier: Copier) -> None:
    copied = copier(Corpus(blocks=6))
    assert (len(copied), copied.blocks, copied.insert(1), copied.entries()[1]) == (0, 6, True, None)


@each_copier
@pytest.mark.parametrize("mapped", [True, False])
def test_a_copy_in_a_directory_is_the_same_index_opened_again(copier: Copier, mapped: bool, directory: Path) -> None:
    original = Corpus.open(directory, mapped=mapped)
    copied = copier(original)
    assert (copied.directory, copied.provenances) == (original.directory, original.provenances)
    assert entries(copied) == entries(original)
    original.insert(1, id="of the original")
    copied.insert(2, id="of the copy")  # nothing is lost: a change begins with what the index is then
    original.insert(4)
    stored = {(7, "a"), (7, "b"), (1 << 40, None), (1, "of the original"), (2, "of the copy"), (4, None)}
    assert entries(original) == entries(Corpus.open(directory)) == stored
    assert entries(copied) == stored - {(4, None)}
    copied.refresh()
    assert entries(copied) == stored


@each_copier
def test_a_copy_reads_what_is_read_only(copier: Copier, directory: Path) -> None:
    original = Corpus.open(directory)
    directory.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert copier(original).find_all(7) == [7]
    finally:
        directory.chmod(stat.S_IRWXU)


@each_copier
def test_a_copy_can_be_made_but_not_changed_during_a_change_of_the_original(copier: Copier, directory: Path) -> None:
    original = Corpus.open(directory)
    with original.exclusive():
        original.insert(1)
        copied = copier(original)
        assert 1 in copied
        with pytest.raises(BlockingIOError):
            copied.insert(2)
    assert copied.insert(2)


def test_a_pickle_of_an_index_that_was_replaced_or_deleted_is_refused(directory: Path) -> None:
    stored = pickle.dumps(Corpus.open(directory))
    Corpus.build(directory, [7], distance=2, force=True)
    with pytest.raises(CorruptIndexError, match="was replaced by an index of other parameters; open it again"):
        pickle.loads(stored)
    shutil.rmtree(directory)
    with pytest.raises(FileNotFoundError, match="index"):
        pickle.loads(stored)


@each_copier
@pytest.mark.parametrize("saved", [False, True])
def test_copies_of_slice_lists_find_the_same(copier: Copier, saved: bool, tmp_path: Path) -> None:
    signatures = np.random.default_rng(1).integers(0, 256, (50, 8), np.uint8)
    original = IsslIndex(signatures, 64)
    if saved:
        original.save(tmp_path / "lists.sdix")
        original = IsslIndex.open(tmp_path / "lists.sdix")
    copied = copier(original)
    found, expected = copied.search(signatures[:5], k=3), original.search(signatures[:5], k=3)
    assert np.array_equal(found.positions, expected.positions)
    assert np.array_equal(found.distances, expected.distances)
    assert (len(copied), copied.nbytes) == (len(original), original.nbytes)


@each_copier
@pytest.mark.parametrize("on_disk", [False, True])
def test_copies_of_results_are_equal(copier: Copier, on_disk: bool, tmp_path: Path) -> None:
    values = seeded("clustered", 400)
    output = PairFile(path=tmp_path / "pairs.npy", memory=1 << 30) if on_disk else None
    pairs, clusters = find_all(values, output=output), find_clusters(values)
    assert positions(copier(pairs)) == positions(pairs)
    assert [one.tolist() for one in copier(clusters)] == [one.tolist() for one in clusters]
    assert copier(plan(10**6)) == plan(10**6)
    corpus = Corpus()
    corpus.add_many(values)
    assert copier(corpus.find_many(values[:9])).values.tolist() == corpus.find_many(values[:9]).values.tolist()
    assert copier(corpus.find(values[0])) == corpus.find(values[0])
