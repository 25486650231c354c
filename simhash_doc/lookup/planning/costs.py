"""What a search costs: the numbers of blocks worth considering, and the candidates that a fingerprint meets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lanes, distinct_rows, sorted_rows
from simhash_doc.lookup.blocks import MAX_TABLES, check_parameters

_SPARE_BLOCKS = 6  # choices of more than distance + 6 blocks are not considered
_SAMPLED_TABLES = 128

KeyWidths = Mapping[int, int]
"""The number of tables for each number of bits of a key."""


@dataclass(frozen=True, slots=True)
class CostModel:
    """Costs in units of one comparison of two fingerprints.

    Attributes:
        table: sending or looking up one fingerprint in one table.
        max_cost: largest cost of a search that is chosen.
        calls: of a table, whatever the number of fingerprints.
    """

    table: float
    max_cost: float
    calls: float = 0


def considered_blocks(bits: int, distance: int, max_tables: int = MAX_TABLES) -> list[int]:
    """Return the numbers of blocks worth considering, with at most so many tables except for the least one.

    Raises:
        LookupParameterError: not 0 <= distance < bits.
    """
    check_parameters(distance + 1, distance, bits)
    most = range(distance + 1, min(distance + _SPARE_BLOCKS, bits) + 1)
    return [blocks for blocks in most if blocks == distance + 1 or comb(blocks, distance) <= max_tables]


def uniform_candidates(fingerprints: int, widths: KeyWidths) -> float:
    """Return how many of some uniform fingerprints share a key with one, over all tables."""
    return fingerprints * sum(tables * 0.5**width for width, tables in widths.items())


def sampled_candidates(fingerprints: int, tables: int, keys: Callable[[int], npt.NDArray[np.integer]]) -> float:
    """Return how many fingerprints share a key with one, over all tables, if they do as those of a sample.

    Args:
        fingerprints: their number.
        tables: their number.
        keys: returns the key of each fingerprint of the sample in a table, shape (s,).
    """
    chosen = range(0, tables, -(-tables // _SAMPLED_TABLES))
    return fingerprints * sum(equal_pairs(keys(table)) for table in chosen) * tables / len(chosen)


def equal_pairs(keys: npt.NDArray[np.integer]) -> float:
    """Return the share of the pairs of keys that are equal."""
    counts = np.unique(keys, return_counts=True)[1].astype(float)
    return float((counts * (counts - 1)).sum()) / max(1, len(keys) * (len(keys) - 1))


def sample_of(values: Lanes, size: int) -> Lanes:
    """Return some of the distinct values, ascending."""
    n = len(values)
    picked = np.random.default_rng(0).choice(n, min(n, size), replace=False) if n else np.empty(0, np.int64)
    return distinct_rows(sorted_rows(values.take(picked, axis=0)))
