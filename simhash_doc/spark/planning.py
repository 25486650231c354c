"""How many blocks make a join on Spark cheapest."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from simhash_doc.lookup.blocks import check_parameters

_TABLES_CONSIDERED = 1000  # choices of blocks with more are not considered
# A fingerprint's way through the shuffle into one table takes the time of this many comparisons.
_ENTRY_COST = 50


@dataclass(frozen=True, slots=True)
class SparkPlan:
    """A choice of blocks and what it costs.

    Attributes:
        blocks, distance: the parameters of the tables.
        tables: C(blocks, distance).
        shuffle_bytes: what is written for the join by key: a fingerprint's bytes for each table.
        candidates: fingerprints compared with each one on average, over all tables, if they are uniform.
    """

    blocks: int
    distance: int
    tables: int
    shuffle_bytes: int
    candidates: float


def plan(fingerprints: int, distance: int = 3, *, bits: int = 64, blocks: int | None = None) -> SparkPlan:
    """Choose the number of blocks for a number of distinct fingerprints, or describe a choice.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits, or over 50,000 tables.

    >>> plan(10**9).blocks, plan(10**9).shuffle_bytes
    (5, 80000000000)
    """
    check_parameters(distance + 1 if blocks is None else blocks, distance, bits)
    considered = [blocks] if blocks is not None else _choices(distance, bits)
    return min(
        (_described(fingerprints, choice, distance, bits) for choice in considered),
        key=lambda made: made.tables * _ENTRY_COST + made.candidates,
    )


def _choices(distance: int, bits: int) -> list[int]:
    most = range(distance + 1, min(distance + 6, bits) + 1)
    return [blocks for blocks in most if blocks == distance + 1 or comb(blocks, distance) <= _TABLES_CONSIDERED]


def _described(fingerprints: int, blocks: int, distance: int, bits: int) -> SparkPlan:
    prefix = bits * (blocks - distance) / blocks
    tables = comb(blocks, distance)
    return SparkPlan(
        blocks=blocks,
        distance=distance,
        tables=tables,
        shuffle_bytes=fingerprints * tables * bits // 8,
        candidates=fingerprints * tables * 2.0**-prefix,
    )
