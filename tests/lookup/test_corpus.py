"""`Corpus` against a set of values compared one by one."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from simhash_doc.lookup import BadValueError, Corpus, LookupParameterError, segments, shard_of, shards_to_search, tables
from simhash_doc.lookup import corpus as corpora
from simhash_doc.lookup.directory import find_problems
from simhash_doc.lookup.ids import Id
from simhash_doc.schemes import SchemeId, get_scheme
from tests.lookup.distributions import (
    ANY_VALUE,
    FINGERPRINTS,
    KINDS,
    LARGEST,
    parameters,
    seeded,
)
from tests.values import from_ints, to_ints


def rows(corpus: Corpus, queries: list[int]) -> list[tuple[int, int]]:
    found = corpus.find_many(queries)
    assert found.distances.tolist() == [
        (queries[at] ^ value).bit_count()
        for at, value in zip(found.queries.tolist(), to_ints(found.values), strict=True)
    ]
    assert found.queries.tolist() == sorted(found.queries.tolist())
    return list(zip(found.queries.tolist(), to_ints(found.values), strict=True))


def content(corpus: Corpus) -> dict[int, tuple[Id, ...]]:
    return {value: corpus.ids_of(value) for value in to_ints(corpus.values())}


def check_answers(corpus: Corpus, stored: Collection[int], queries: list[int]) -> None:
    """Compare every way of asking with brute force."""
    expected = [{value for value in stored if (value ^ query).bit_count() <= corpus.distance} for query in queries]
    for query, close in zip(queries, expected, strict=True):
        answer = corpus.find_all(query)
        assert answer == sorted(close, key=lambda value: ((value ^ query).bit_count(), value))
        first = corpus.find_first(query)
        assert first in close if close else first is None
        assert (query in corpus) == (query in stored)
    in_bulk = rows(corpus, queries)
    assert sorted(in_bulk) == sorted((at, value) for at, close in enumerate(expected) for value in close)
    firsts = corpus.find_many(queries, limit=1)
    assert firsts.queries.tolist() == [at for at, close in enumerate(expected) if close]
    assert all(value in expected[at] for at, value in zip(firsts.queries.tolist(), to_ints(firsts.values), strict=True))


@settings(max_examples=60, deadline=None)
@given(shape=st.sampled_from(parameters()), listed=FINGERPRINTS, other=st.lists(ANY_VALUE, max_size=5))
def test_every_match_is_found_once(shape: tuple[int, int], listed: list[int], other: list[int]) -> None:
    corpus = Corpus(blocks=shape[0], distance=shape[1])
    assert corpus.add_many(listed) == len(set(listed)) == len(corpus)
    corpus.merge()
    check_answers(corpus, set(listed), [*listed, *other, 0, LARGEST])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("blocks", "distance"), [(4, 3), (5, 3), (6, 2), (8, 5)])
def test_larger_corpora(kind: str, blocks: int, distance: int) -> None:
    values = seeded(kind, 2000)
    corpus = Corpus(blocks=blocks, distance=distance)
    corpus.add_many(values)
    check_answers(corpus, set(values.tolist()), values[:150].tolist() + seeded("random", 20, 9).tolist())


def test_matches_across_chunks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded("sharing a block", 500)
    corpus = Corpus(blocks=4, distance=3)
    corpus.add_many(values)
    queries = values[:60].tolist()
    unchunked = sorted(rows(corpus, queries))
    monkeypatch.setattr(tables, "CHUNK", 7)
    assert sorted(rows(corpus, queries)) == unchunked


class ChangingCorpus(RuleBasedStateMachine):
    """Changes in any order against a dict, in memory and in a directory, with limits so low that all is merged.

    Those who opened the corpus earlier keep their answers.
    """

    near = st.builds(int.__xor__, st.sampled_from([0, LARGEST, 0x5555]), st.integers(0, 15))
    values = st.lists(near, max_size=20)
    names = st.sampled_from(["a", "b", "caf\udce9", 3, None])

    @initialize(
        shape=st.sampled_from([(4, 3, "sd64"), (3, 1, "sd64"), (6, 3, "sd128"), (4, 2, "sd512")]),
        in_memory=st.booleans(),
    )
    def start(self, shape: tuple[int, int, str], in_memory: bool) -> None:
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(corpora, "_DELTA_LIMIT", 5)
        self.patch.setattr(corpora, "_DELTA_BATCH", 2)
        self.patch.setattr(segments, "_SMALLEST_LEVEL", 4)
        self.patch.setattr(segments, "MOST_MERGED", 64)
        self.folder = Path(tempfile.mkdtemp())
        blocks, distance, scheme = shape
        if in_memory:
            self.corpus = Corpus(blocks=blocks, distance=distance, scheme=get_scheme(scheme))
        else:
            self.corpus = Corpus.build(
                self.folder / "index", blocks=blocks, distance=distance, scheme=get_scheme(scheme)
            )
        self.stored: dict[int, dict[Id, None]] = {}
        self.earlier: list[tuple[Corpus, dict[int, tuple[Id, ...]]]] = []

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            for reader, expected in self.earlier:
                assert content(reader) == expected
            self.patch.undo()
            shutil.rmtree(self.folder)

    def forget(self, value: int, name: Id) -> None:
        del self.stored[value][name]
        if not self.stored[value]:
            del self.stored[value]

    @rule(value=near, name=names)
    def insert(self, value: int, name: Id | None) -> None:
        assert self.corpus.insert(value, id=name) == (value not in self.stored)
        self.stored.setdefault(value, {}).update({} if name is None else {name: None})

    @rule(values=values, data=st.data())
    def insert_bulk(self, values: list[int], data: st.DataObject) -> None:
        names = data.draw(st.none() | st.lists(self.names, min_size=len(values), max_size=len(values)))
        assert self.corpus.add_many(values, ids=names) == len(set(values) - set(self.stored))
        for value, name in zip(values, names or [None] * len(values), strict=True):
            self.stored.setdefault(value, {}).update({} if name is None else {name: None})

    @rule(value=near, name=names)
    def remove(self, value: int, name: Id | None) -> None:
        is_stored = value in self.stored if name is None else name in self.stored.get(value, {})
        assert self.corpus.remove(value, id=name) == is_stored
        if is_stored and name is not None:
            self.forget(value, name)
        elif is_stored:
            del self.stored[value]

    @rule(values=values)
    def remove_bulk(self, values: list[int]) -> None:
        found = set(values) & set(self.stored)
        assert self.corpus.remove_many(values) == (0, len(found))
        for value in found:
            del self.stored[value]

    @rule(data=st.data())
    def remove_stored(self, data: st.DataObject) -> None:
        kept = data.draw(st.integers(0, len(self.stored)))
        for value in (gone := sorted(self.stored)[kept:]):
            del self.stored[value]
        assert self.corpus.remove_many(gone) == (0, len(gone))

    @rule(values=values, data=st.data())
    def remove_ids(self, values: list[int], data: st.DataObject) -> None:
        named: st.SearchStrategy[Id] = st.sampled_from(["a", "b", "caf\udce9", 3])
        names = data.draw(st.lists(named, min_size=len(values), max_size=len(values)))
        lost = {(value, name) for value, name in zip(values, names, strict=True) if name in self.stored.get(value, ())}
        assert self.corpus.remove_many(values, ids=names) == (len(lost), 0)
        for value, name in lost:
            self.forget(value, name)

    @rule()
    def merge(self) -> None:
        self.corpus.merge()
        assert len(self.corpus.segments) <= 1

    @rule()
    def open_again(self) -> None:
        path = self.corpus.directory or self.folder / "saved"
        if not self.corpus.directory:
            self.corpus.save(path)
        self.earlier.append((self.corpus, content(self.corpus)))
        self.corpus = Corpus.open(path)

    @rule(query=near)
    def ask(self, query: int) -> None:
        check_answers(self.corpus, self.stored.keys(), [query, query ^ 1 << 40, 0, LARGEST])
        assert all(match.ids == tuple(self.stored[match.value]) for match in self.corpus.find(query))

    @invariant()
    def is_what_was_stored(self) -> None:
        if hasattr(self, "corpus"):
            assert content(self.corpus) == {value: tuple(names) for value, names in self.stored.items()}
            assert len(self.corpus) == len(self.stored)
            assert self.corpus.id_count == sum(map(len, self.stored.values()))

    @invariant()
    def is_valid(self) -> None:
        if hasattr(self, "corpus") and (directory := self.corpus.directory):
            assert sorted(os.listdir(directory)) == sorted(self.corpus.files())
            assert find_problems(directory) == []


ChangingCorpus.TestCase.settings = settings(stateful_step_count=15)
TestChangingCorpus = ChangingCorpus.TestCase


@pytest.mark.slow
def test_many_changes_in_any_order() -> None:
    run_state_machine_as_test(ChangingCorpus, settings=settings(max_examples=30, stateful_step_count=50, deadline=None))


@given(listed=FINGERPRINTS, bits=st.integers(0, 5), distance=st.integers(0, 4))
def test_shards_answer_as_one_corpus(listed: list[int], bits: int, distance: int) -> None:
    corpus, shards = (
        Corpus(blocks=5, distance=distance),
        [Corpus(blocks=5, distance=distance) for _ in range(1 << bits)],
    )
    corpus.add_many(listed)
    for value in listed:
        shards[shard_of(value, bits=bits)].insert(value)
    for query in [*listed, 0, LARGEST]:
        found = [
            value
            for number in shards_to_search(query, bits=bits, distance=distance)
            for value in shards[number].find_all(query)
        ]
        assert sorted(found) == sorted(corpus.find_all(query))


def test_a_query_goes_to_no_more_shards_than_it_must() -> None:
    assert len(shards_to_search(0, bits=8, distance=3)) == 1 + 8 + 28 + 56
    assert shards_to_search(LARGEST, bits=8, distance=3)[0] == 255
    assert shard_of(3 << 254, bits=2, scheme="sd256") == 3
    with pytest.raises(LookupParameterError, match="bits is 65"):
        shard_of(0, bits=65)


def test_a_removed_copy_does_not_hide_another_match_from_find_first() -> None:
    corpus = Corpus()
    corpus.add_many([0, *range(255 << 40, (255 << 40) + 300)])
    corpus.add_many([1 << 63])
    corpus.merge()
    corpus.remove(0)
    assert corpus.find_first(0) == 1 << 63
    assert corpus.find_many([0], limit=1).values.tolist() == [1 << 63]


@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_matches_of_many_queries_are_those_of_each(scheme: SchemeId, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc.lookup.matches._BATCH", 7)
    values = seeded("clustered", 60).tolist()
    corpus = Corpus(blocks=None, distance=3, scheme=scheme)
    corpus.add_many(values, ids=[f"{at}.txt" for at in range(60)])
    queries = [*values[:30], 5, 0]
    found = corpus.find_many(from_ints(queries, corpus.scheme.lanes))
    assert list(found) == [corpus.find(query) for query in queries]


def test_none_is_not_zero() -> None:
    corpus = Corpus()
    assert (corpus.find_first(0), corpus.find_all(0), corpus.find_many([0], limit=1)[0]) == (None, [], [])
    corpus.insert(0)
    assert (corpus.find_first(1), corpus.find_all(1)) == (0, [0])
    assert corpus.find_many([1, LARGEST], limit=1).queries.tolist() == [0]
    assert corpus.find_first(LARGEST) is None


def test_a_rejected_batch_leaves_the_corpus_unchanged() -> None:
    corpus = Corpus()
    with pytest.raises(BadValueError, match="position 1: -2 is negative"):
        corpus.add_many([1, -2])
    with pytest.raises(BadValueError, match="1 ids for 2 fingerprints"):
        corpus.add_many([1, 2], ids=["a"])
    with pytest.raises(BadValueError, match=r"2\.5 is of type float"):
        corpus.add_many([1, 2], ids=["a", 2.5])  # type: ignore[list-item]
    assert len(corpus) == 0
    assert corpus.ids_of(1) == ()


def test_queries_and_saves_while_another_thread_changes_the_corpus(tmp_path: Path) -> None:
    values = seeded("random", 4000)
    every = set(values.tolist())
    corpus = Corpus()
    corpus.add_many(values[:2000])
    done = threading.Event()
    failures: list[str] = []

    def ask() -> None:
        while not done.is_set():
            if not set(range(2000)) <= set(corpus.find_many(values[:2000]).queries.tolist()):
                failures.append("bulk")
            if corpus.find_first(int(values[5])) is None:
                failures.append("single")

    def change() -> None:
        for value in values[2000:].tolist():
            corpus.insert(value ^ 1 << 63)
            corpus.remove(value ^ 1 << 63)
            corpus.insert(value)

    threads = [threading.Thread(target=ask), threading.Thread(target=change)]
    for thread in threads:
        thread.start()
    sizes = []
    for _ in range(5):
        corpus.save(tmp_path / "corpus")
        # What is saved is the corpus at one moment: the insertions up to it, in their order.
        saved = every & set(Corpus.open(tmp_path / "corpus").values().tolist())
        sizes.append(len(saved))
        assert saved == set(values[: len(saved)].tolist())
    threads[1].join()
    done.set()
    threads[0].join()
    assert not failures
    assert sizes == sorted(sizes)
    assert sizes[0] >= 2000
    assert set(corpus.values().tolist()) == every


def test_ids_of_numpy_and_pandas_are_those_of_python() -> None:
    pandas = pytest.importorskip("pandas")
    number: Any = np.int64(7)
    corpus = Corpus(scheme="sd64")
    assert corpus.insert(1, id=number)
    assert not corpus.insert(1, id=np.str_("7"))
    assert [type(one) for one in corpus.ids_of(1)] == [int, str]
    assert corpus.remove_ids([number, np.str_("7")]) == {7, "7"}
    for ids in (pandas.array([1, None, 3], dtype="Int64"), pandas.Series([1, None, 3], dtype="Int64", index=[9, 9, 9])):
        corpus = Corpus(scheme="sd64")
        corpus.add_many([1, 2, 3], ids=ids)
        found = corpus.entries()[1] or []
        assert found == [1, 3, None]
        assert [type(one) for one in found] == [int, int, type(None)]
