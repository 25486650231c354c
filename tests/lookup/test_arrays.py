"""Which values are accepted as fingerprints, and which are rejected; masked entries take no part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Fingerprint, fingerprint_many, get_scheme
from simhash_doc.arrays import (
    bit_field,
    distinct_rows,
    in_order,
    ints_from_lanes,
    is_among,
    lanes_from_ints,
    scheme_of,
    sort_keys,
    sorted_rows,
)
from simhash_doc.lookup import BadValueError, Corpus, find_all, find_clusters, plan
from simhash_doc.lookup.inputs import as_lanes, as_value
from simhash_doc.lookup.pairs import located, members_of
from simhash_doc.schemes import SchemeId
from tests.values import positions, to_ints


@pytest.mark.parametrize("dtype", [np.uint64, np.int64, np.uint8, np.int32])
def test_arrays_of_any_integer_type_keep_their_values(dtype: type[np.integer]) -> None:
    array = as_lanes(np.array([0, 5, 100], dtype))
    assert (array.dtype, array.tolist()) == (np.dtype(np.uint64), [[0], [5], [100]])


def test_foreign_byte_order_strides_and_objects_keep_their_values() -> None:
    assert as_lanes(np.array([1, 2**63], ">u8")).tolist() == [[1], [2**63]]
    assert as_lanes(np.arange(10, dtype=np.uint64)[::3]).tolist() == [[0], [3], [6], [9]]
    assert as_lanes(np.array([2**64 - 1, 3], object)).tolist() == [[2**64 - 1], [3]]
    assert as_lanes(iter([1, 2])).tolist() == [[1], [2]]
    assert as_lanes([]).shape == (0, 1)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([1, -1], "position 1: -1 is negative"),
        ([2**64], "position 0: 18446744073709551616 has 65 bits"),
        ([1, 2.0], "position 1: 2.0 is of type float"),
        (["12"], "position 0: '12' has '1' at position 0"),
        ([True], "position 0: True is of type bool"),
        ([None], "position 0: None is of type NoneType"),
        (np.array([3, -7]), "position 1: -7 is negative"),
        (np.array([1.0]), "dtype float64"),
        (np.array([True]), "dtype bool"),
        (np.array(["a"]), "position 0: 'a' has length 1"),
        (np.array([1, -1], object), "position 1: -1 is negative"),
        (np.zeros((2, 3), np.uint64), r"shape \(2, 3\)"),
        (np.zeros((), np.uint64), r"shape \(\)"),
        (np.array([[0, 1], [2, -3]]), "position 1: -3 is negative"),
        (np.ma.MaskedArray(np.zeros(3, np.uint64), [False, True, False]), "position 1: the value is masked"),
    ],
)
def test_everything_else_is_rejected_with_its_position(values: object, reason: str) -> None:
    with pytest.raises(BadValueError, match=reason):
        as_lanes(values)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, 2**64, 1.5, "1", None, False])
def test_single_values_are_checked_in_the_same_way(value: object) -> None:
    with pytest.raises(BadValueError, match="the fingerprint: "):
        as_value(value)  # type: ignore[arg-type]


def test_wide_fingerprints_keep_their_values() -> None:
    wide: list[int | Fingerprint] = [Fingerprint((1 << 200) + 5, "sd256"), 7]
    array = as_lanes(wide)
    assert (array.shape, scheme_of(array).id, ints_from_lanes(array)) == ((2, 4), "sd256", [(1 << 200) + 5, 7])
    assert as_lanes([1 << 100], "sd128").tolist() == [[1 << 36, 0]]
    assert as_lanes(fingerprint_many(["alpha beta"], "sd512")).shape == (1, 8)
    assert as_value(1 << 500, "sd512") == 1 << 500
    assert as_value(Fingerprint(5)) == as_value("sd64:aaaaaaaaaaaak") == 5
    with pytest.raises(BadValueError, match="has 129 bits; a fingerprint of sd128 has 128"):
        as_value(1 << 128, "sd128")
    with pytest.raises(BadValueError, match=r"fingerprints of sd128 have \(n, 2\)"):
        as_lanes(array, "sd128")


LISTS = st.sampled_from([1, 2, 4, 8]).flatmap(
    lambda lanes: st.tuples(
        st.just(lanes), st.lists(st.integers(0, (1 << 64 * lanes) - 1) | st.sampled_from([0, 1, 255, 256, 1 << 63]))
    )
)


@given(LISTS, st.lists(st.integers(0, 300), max_size=5))
def test_order_and_membership_are_those_of_the_integers(chosen: tuple[int, list[int]], other: list[int]) -> None:
    lanes, listed = chosen
    rows = lanes_from_ints(listed, lanes)
    assert ints_from_lanes(rows) == listed
    assert ints_from_lanes(sorted_rows(rows)) == sorted(listed)
    assert ints_from_lanes(rows[np.argsort(sort_keys(rows), kind="stable")]) == sorted(listed)
    distinct = distinct_rows(sorted_rows(rows))
    assert ints_from_lanes(distinct) == sorted(set(listed))
    assert is_among(lanes_from_ints(other, lanes), distinct).tolist() == [value in listed for value in other]
    low, high = in_order(rows, rows[::-1])
    pairs = [(min(pair), max(pair)) for pair in zip(listed, listed[::-1], strict=True)]
    assert list(zip(ints_from_lanes(low), ints_from_lanes(high), strict=True)) == pairs


SCHEMES = ["sd64", "sd128"]
TEXTS = ["one two three four five", "12 34", None, "six seven eight nine", "", "One two three four five!", "56"]


@given(
    values=st.lists(st.one_of(st.none(), st.integers(0, 40), st.integers(0, 2**64 - 1)), max_size=30),
    scheme=st.sampled_from(SCHEMES),
)
def test_the_answers_are_those_for_the_others(values: list[int | None], scheme: SchemeId) -> None:
    lanes = {"sd64": 1, "sd128": 2}[scheme]
    data = np.array([[0] * (lanes - 1) + [value or 0] for value in values], np.uint64).reshape(-1, lanes)
    hidden = np.array([value is None for value in values], bool)
    mask = np.repeat(hidden[:, None], lanes, axis=1)
    masked = np.ma.MaskedArray(data[:, 0] if lanes == 1 else data, mask[:, 0] if lanes == 1 else mask)
    present = [at for at, value in enumerate(values) if value is not None]
    pairs = [
        [a, b] for a in present for b in present if a < b and ((values[a] or 0) ^ (values[b] or 0)).bit_count() <= 3
    ]
    assert positions(find_all(masked, distance=3, scheme=scheme)) == pairs
    rest = [
        [present[at] for at in cluster.tolist()] for cluster in find_clusters(data[present], distance=3, scheme=scheme)
    ]
    assert [cluster.tolist() for cluster in find_clusters(masked, distance=3, scheme=scheme)] == rest


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_corpus_does_not_contain_what_is_masked(scheme: SchemeId) -> None:
    found = fingerprint_many(TEXTS, scheme)
    assert [cluster.tolist() for cluster in find_clusters(found)] == [[0, 5]]
    assert plan(found).fingerprints == 3
    corpus = Corpus(scheme=scheme)
    assert corpus.add_many(found, ids=list(range(len(TEXTS)))) == len(corpus) == 2
    matches = corpus.find_many(found)
    assert sorted(set(matches.queries.tolist())) == [0, 3, 5]
    values = to_ints(corpus.find_many(found[:1]).values)
    assert sorted(name for value in values for name in corpus.ids_of(value)) == [0, 5]
    assert corpus.remove_many(found) == (0, 2)
    assert len(corpus) == 0


@given(LISTS, st.data())
def test_a_bit_field_is_a_run_of_the_digits(chosen: tuple[int, list[int]], data: st.DataObject) -> None:
    lanes, listed = chosen
    rows = lanes_from_ints(listed, lanes)
    bits = 64 * rows.shape[1]
    width = data.draw(st.integers(1, 64))
    start = data.draw(st.integers(0, bits - width))
    digits = ["".join(f"{lane:064b}" for lane in row) for row in rows.tolist()]
    right = [int(row[start : start + width], 2) for row in digits]
    assert bit_field(rows, start, width).tolist() == right


@pytest.mark.parametrize(("scheme", "shape"), [("sd64", ()), ("sd128", (2,))])
def test_public_functions_take_lanes_and_return_one_dimension_for_one_lane(
    scheme: SchemeId, shape: tuple[int, ...]
) -> None:
    lanes = get_scheme(scheme).lanes
    rows = lanes_from_ints([9, 1, 0, 3 << 40], lanes)
    pairs = find_all(rows, distance=1)
    members = members_of(pairs)
    assert (pairs.source.shape, pairs.value_pairs.shape, members.shape) == ((4, *shape), (2, 2, *shape), (3, lanes))
    assert located(pairs, members)[0].tolist() == [0, 1, 2]
    assert pairs._ends(members).tolist() == [[0, 1], [1, 2]]
    corpus = Corpus(scheme=scheme, distance=1)
    assert corpus.add_many(rows, ids=["a", "b", "c", None]) == 4
    found = corpus.find_many(rows)
    assert corpus.values().shape == corpus.entries()[0].shape == (4, *shape)
    assert found.values.shape == (8, *shape)
    assert found.distances.dtype == pairs.value_distances.dtype == (np.uint8 if lanes == 1 else np.uint16)
