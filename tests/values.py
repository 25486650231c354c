"""Fingerprints in the shape that public functions take and return, from and to integers."""

from __future__ import annotations

from collections.abc import Sequence

from simhash_doc.arrays import Values, ints_from_lanes, lanes_from_ints, lanes_from_values, values_from_lanes
from simhash_doc.lookup import Pairs


def to_ints(values: Values) -> list[int]:
    return ints_from_lanes(lanes_from_values(values))


def from_ints(values: Sequence[int], lanes: int) -> Values:
    return values_from_lanes(lanes_from_ints(values, lanes))


def positions(pairs: Pairs) -> list[list[int]]:
    """Return the positions of both entries of each pair."""
    return [[first, second] for first, second, _ in pairs]
