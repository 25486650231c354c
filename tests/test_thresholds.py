"""The recommended distance for a size of the collection and a length of the texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import UnknownSchemeError
from simhash_doc.schemes import SchemeId, get_scheme, get_schemes
from simhash_doc.thresholds import (
    _DISTANCES,
    COLLECTIONS,
    CONFIRMATIONS,
    LENGTHS,
    SHORTEST,
    Distance,
    ThresholdParameterError,
    largest_distance,
    recommended,
    resolve_distance,
    threshold_for,
)

lengths = st.integers(1, 5000)
sizes = st.integers(1, 2 * 10**10)


def as_number(distance: int | None) -> int:
    return -1 if distance is None else distance


@given(st.sampled_from(list(get_schemes())), lengths, sizes, sizes)
def test_a_larger_collection_never_allows_more(scheme: SchemeId, tokens: int, one: int, other: int) -> None:
    small, large = sorted((one, other))
    first, second = (as_number(largest_distance(scheme, tokens=tokens, collection=size)) for size in (small, large))
    assert -1 <= second <= first <= get_schemes()[scheme].loose


@given(lengths, sizes)
def test_confirmation_never_allows_less(tokens: int, size: int) -> None:
    found = [
        as_number(largest_distance("sd64", tokens=tokens, collection=size, confirmed=limit))
        for limit in (None, *CONFIRMATIONS)
    ]
    assert found == sorted(found)


@given(st.sampled_from(list(get_schemes())), lengths, sizes)
def test_of_similar_lengths_the_smallest_distance_counts(scheme: SchemeId, tokens: int, size: int) -> None:
    found = largest_distance(scheme, tokens=tokens, collection=size)
    if tokens < LENGTHS[0] or size > COLLECTIONS[-1]:
        assert found is None
        return
    table = _DISTANCES[scheme]
    column = sum(one < size for one in COLLECTIONS)
    similar = [
        row[column] for length, row in zip(LENGTHS, table, strict=True) if 0.5 <= min(tokens, 1000) / length <= 2
    ]
    assert as_number(found) == min(similar)


def test_beyond_what_was_measured_there_is_no_threshold() -> None:
    assert largest_distance("sd256", tokens=24, collection=100) is None
    assert largest_distance("sd256", tokens=100, collection=10**10 + 1) is None
    assert largest_distance("sd256", tokens=10**6, collection=10) == largest_distance(
        "sd256", tokens=1000, collection=10**4
    )


@pytest.mark.parametrize(
    ("scheme", "tokens", "collection", "confirmed", "message"),
    [
        ("sd65", 100, 100, None, "unknown scheme 'sd65'"),
        ("sd64", 0, 10, None, "0 tokens in a collection of 10 documents: expected positive integers"),
        ("sd64", 10, 0, None, "10 tokens in a collection of 0 documents: expected positive integers"),
        ("sd128", 100, 10, 26, "sd128 confirmed by a distance of 26: expected sd64"),
        ("sd64", 100, 10, 30, "confirmed by a distance of 30: expected .* 26 or 20"),
    ],
)
def test_parameters_are_checked(
    scheme: SchemeId, tokens: int, collection: int, confirmed: int | None, message: str
) -> None:
    with pytest.raises((UnknownSchemeError, ThresholdParameterError), match=message):
        threshold_for(scheme, tokens=tokens, collection=collection, confirmed=confirmed)


@pytest.mark.parametrize(("tokens", "collection"), [(300, 10**9), (24, 100), (100, 10**10 + 1)])
def test_no_threshold_is_an_error_and_not_the_default_of_a_search(tokens: int, collection: int) -> None:
    assert largest_distance("sd64", tokens=tokens, collection=collection) is None
    with pytest.raises(
        ThresholdParameterError, match=f"no distance of sd64 .* {collection:,} texts of {tokens} tokens"
    ):
        threshold_for("sd64", tokens=tokens, collection=collection)


@given(st.sampled_from(list(get_schemes())), lengths, sizes)
def test_a_recommendation_is_a_threshold_or_an_error(scheme: SchemeId, tokens: int, size: int) -> None:
    found = largest_distance(scheme, tokens=tokens, collection=size)
    if found is None or size > 10**7:
        with pytest.raises(ThresholdParameterError, match=f"among {size:,} texts of {tokens} tokens"):
            recommended(scheme, size, tokens=tokens)
    else:
        assert recommended(scheme, size, tokens=tokens) == found


@pytest.mark.parametrize("scheme", get_schemes())
def test_the_default_is_within_the_recommendation_up_to_a_hundred_thousand_texts(scheme: SchemeId) -> None:
    """So the close threshold, which does not depend on the collection, can be the default."""
    close = get_schemes()[scheme].close
    assert close <= recommended(scheme, 10**5)
    assert largest_distance(scheme, tokens=SHORTEST, collection=10**5 + 1) != close


@pytest.mark.parametrize(
    ("distance", "size", "resolved"),
    [(None, 10**4, (3, 5)), (None, 10**8, (3, None)), ("auto", 10**6, (2, 2)), (0, 0, (0, 5)), (9, 10**8, (9, None))],
)
def test_a_distance_is_resolved_for_a_collection(
    distance: Distance, size: int, resolved: tuple[int, int | None]
) -> None:
    assert resolve_distance(distance, get_scheme("sd64"), size, tokens=100) == resolved


def test_auto_is_an_error_where_no_distance_is_recommended() -> None:
    with pytest.raises(ThresholdParameterError, match=r"among 100,000,000 texts of 25 tokens"):
        resolve_distance("auto", get_scheme("sd64"), 10**8)
