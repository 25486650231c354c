"""Fingerprints of every width: pairs, clusters, indexes and files against comparing all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Fingerprint, get_schemes
from simhash_doc.engines.lanes import Lanes, bit_field, popcount
from simhash_doc.lookup import (
    Corpus,
    find_all,
    find_clusters,
    find_probable,
    tables,
)
from simhash_doc.lookup import corpus as corpora
from simhash_doc.lookup.arrays import Values, as_rows, from_ints, from_rows, to_ints
from tests.lookup.test_corpus import check_answers
from tests.lookup.test_pairs import expected_clusters

DATA = Path(__file__).parent / "data"
LANES = (1, 2, 4, 8)


@st.composite
def integers(draw: st.DrawFn, lanes: int, farthest: int = 12, max_size: int = 25) -> list[int]:
    """Values a few bits from a few centres, with copies among them."""
    centre = st.integers(0, (1 << (64 * lanes)) - 1) | st.sampled_from([0, 1, (1 << 64 * lanes) - 1, 255])
    centres = draw(st.lists(centre, min_size=1, max_size=3))
    flips = st.sets(st.integers(0, 64 * lanes - 1), max_size=farthest).map(lambda bits: sum(1 << bit for bit in bits))
    return draw(st.lists(st.builds(int.__xor__, st.sampled_from(centres), flips), max_size=max_size))


@st.composite
def fingerprints(draw: st.DrawFn) -> Lanes:
    lanes = draw(st.sampled_from(LANES))
    return as_rows(from_ints(draw(integers(lanes)), lanes))


def compared(rows: Lanes, distance: int) -> list[tuple[int, int, int]]:
    apart = np.bitwise_count(rows[:, None] ^ rows[None]).sum(axis=2, dtype=np.int64)
    first, second = np.nonzero(np.triu(apart <= distance, 1))
    return list(zip(first.tolist(), second.tolist(), apart[first, second].tolist(), strict=True))


def found_pairs(values: Values, distance: int) -> list[tuple[int, int, int]]:
    positions = find_all(values, distance=distance).positions()
    apart = popcount(values[positions[:, 0]] ^ values[positions[:, 1]])
    return [(*pair, bits) for pair, bits in zip(positions.tolist(), apart.tolist(), strict=True)]


@pytest.mark.slow
@given(fingerprints(), st.integers(0, 14))
def test_all_pairs_and_clusters_are_found_once(rows: Lanes, distance: int) -> None:
    expected = compared(rows, distance)
    values = from_rows(rows)
    assert found_pairs(values, distance) == expected
    by_value = find_all(values, distance=distance)
    listed = to_ints(values)
    distinct = {(*sorted((listed[a], listed[b])), bits) for a, b, bits in expected}
    sides = [to_ints(by_value.values[:, side]) for side in (0, 1)]
    assert list(zip(*sides, by_value.distances.tolist(), strict=True)) == sorted(distinct)
    groups = [members.tolist() for members in find_clusters(values, distance=distance)]
    assert groups == expected_clusters(len(rows), [(a, b) for a, b, _ in expected])


@pytest.mark.slow
@pytest.mark.parametrize(("lanes", "distance"), [(1, 3), (2, 10), (4, 26), (8, 56)])
def test_thousands_are_joined_as_by_comparing_all(lanes: int, distance: int) -> None:
    rng = np.random.default_rng(lanes)
    values = rng.integers(0, 2**64, (2000, lanes), np.uint64)
    values[1000:] = values[rng.integers(0, 1000, 1000)]
    for bits in range(distance + 2):  # some of each distance, and beyond
        changed = slice(1000 + 15 * bits, 1015 + 15 * bits)
        for flipped in rng.choice(64 * lanes, bits, replace=False).tolist():
            values[changed, flipped // 64] ^= np.uint64(1) << np.uint64(flipped % 64)
    assert found_pairs(from_rows(values), distance) == compared(values, distance)


@given(fingerprints(), st.data())
def test_a_bit_field_is_a_run_of_the_digits(rows: Lanes, data: st.DataObject) -> None:
    bits = 64 * rows.shape[1]
    width = data.draw(st.integers(1, 64))
    start = data.draw(st.integers(0, bits - width))
    digits = ["".join(f"{lane:064b}" for lane in row) for row in rows.tolist()]
    right = [int(row[start : start + width], 2) for row in digits]
    assert bit_field(rows, start, width).tolist() == right


CHOSEN = st.sampled_from(["sd128", "sd256", "sd512"])


@pytest.mark.slow
@given(CHOSEN, st.integers(0, 12), st.integers(1, 3), st.data())
def test_a_corpus_of_any_width_gives_the_answers_of_comparing_all(
    scheme: str, distance: int, spare: int, data: st.DataObject
) -> None:
    corpus = Corpus(distance + spare, distance, scheme)
    listed = data.draw(integers(corpus.scheme.lanes, distance + 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpora, "_DELTA_LIMIT", 5)
        patch.setattr(corpora, "_DELTA_BATCH", 2)
        patch.setattr(tables, "CHUNK", data.draw(st.sampled_from([3, 1 << 15])))
        half = len(listed) // 2
        assert corpus.insert_bulk(from_ints(listed[:half], corpus.scheme.lanes)) == len(set(listed[:half]))
        for value in listed[half:]:
            corpus.insert(Fingerprint(value, scheme))
        gone = set(listed[::3])
        assert corpus.remove_bulk(list(gone)) == (0, len(gone))
        check_answers(corpus, set(listed) - gone, [*listed, 0, (1 << corpus.scheme.bits) - 1])
        corpus.merge()
        check_answers(corpus, set(listed) - gone, [*listed, 0])
    assert to_ints(corpus.values()) == sorted(set(listed) - gone)


def test_the_distance_is_the_close_threshold_by_default() -> None:
    for scheme in get_schemes().values():
        assert Corpus(scheme=scheme.id).distance == scheme.close
        pair = [Fingerprint(0, scheme.id), Fingerprint((1 << scheme.close) - 1, scheme.id)]
        assert len(find_all(pair)) == 1
        assert len(find_all([pair[0], Fingerprint((2 << scheme.close) - 1, scheme.id)])) == 0


def test_probes_beyond_the_distance_work_for_every_width() -> None:
    rng = np.random.default_rng(2)
    buckets = rng.integers(20, 100, (1, 128)) * rng.choice([-1, 1], (1, 128))
    buckets[0, [3, 70]] = 1, -1  # the least certain bits: bit 3 of lane 0 and bit 6 of lane 1
    value = sum((bucket > 0) << bit % 64 << (64 if bit < 64 else 0) for bit, bucket in enumerate(buckets[0].tolist()))
    corpus = Corpus(2, 1, "sd128")
    far = value ^ 1 << 67 ^ 1 << 6 ^ 1 << 127
    corpus.insert_bulk([far, value ^ 0b111])
    assert to_ints(find_probable(corpus, buckets, 3, probes=4).values) == [far]
    assert len(find_probable(corpus, buckets, 3, probes=1)) == 0


def test_the_format_of_files_does_not_change(tmp_path: Path) -> None:
    opened = Corpus.open(DATA / "sd64.sdix")
    rng = np.random.default_rng(5)
    values = rng.integers(0, 2**64, 40, np.uint64)
    values[20:] = values[:20] ^ np.uint64(5)
    ids = [f"document {number}" if number % 2 else number for number in range(40)]
    assert (opened.blocks, opened.distance, opened.scheme.id, len(opened)) == (4, 2, "sd64", 40)
    assert [opened.ids_of(value) for value in values.tolist()] == [(name,) for name in ids]
    corpus = Corpus(4, 2)
    corpus.insert_bulk(values, ids)
    corpus.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (DATA / "sd64.sdix").read_bytes()
