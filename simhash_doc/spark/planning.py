"""How many blocks make a join on Spark cheapest."""

from __future__ import annotations

from dataclasses import dataclass

from simhash_doc.lookup.costs import SHUFFLE, cheapest, describe
from simhash_doc.schemes import get_schemes


@dataclass(frozen=True, slots=True)
class SparkPlan:
    """A number of blocks and what it costs.

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


def plan(fingerprints: int, distance: int | None = None, *, bits: int = 64, blocks: int | None = None) -> SparkPlan:
    """Return the number of blocks for a number of distinct fingerprints, or describe a choice.

    Args:
        fingerprints: how many there are.
        distance: maximum number of differing bits; None for the close threshold of the scheme.
        bits: width of a fingerprint.
        blocks: describe this choice; None for the cheapest.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits, or over 50,000 tables.
        TooExpensiveError: `blocks` is None, and even the cheapest join takes too long.

    >>> plan(10**9).blocks, plan(10**9).shuffle_bytes
    (5, 80000000000)
    """
    distance = _close_threshold(bits) if distance is None else distance
    if blocks is None:
        chosen = cheapest(fingerprints, bits, distance, SHUFFLE)
    else:
        chosen = describe(fingerprints, bits, blocks, distance)
    shuffled = fingerprints * chosen.tables * bits // 8
    return SparkPlan(chosen.blocks, distance, chosen.tables, shuffled, chosen.candidates)


def _close_threshold(bits: int) -> int:
    return next(scheme.close for scheme in get_schemes().values() if scheme.bits == bits)
