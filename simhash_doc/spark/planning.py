"""Which tables make a join on Spark cheapest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simhash_doc.engines.lanes import LANE_BITS, Lanes
from simhash_doc.lookup.blocks import Blocking, check_parameters
from simhash_doc.lookup.costs import BROADCAST, SHUFFLE, WIDE_SHUFFLE, cheapest, expected_candidates
from simhash_doc.lookup.lane_plan import plan_lanes
from simhash_doc.lookup.lane_tables import LaneTables
from simhash_doc.schemes import get_schemes

LanesOrBlocks = LaneTables | Blocking


@dataclass(frozen=True, slots=True)
class SparkPlan:
    """The tables of a join and what they cost.

    Attributes:
        blocks: number of blocks; or of each lane, 0 for a lane that has no tables.
        distance: maximum number of differing bits.
        tables: their number.
        shuffle_bytes: what is written for the join by key: a fingerprint's bytes for each table.
        candidates: fingerprints compared with each one on average, over all tables, if they are uniform.
    """

    blocks: int | tuple[int, ...]
    distance: int
    tables: int
    shuffle_bytes: int
    candidates: float


def plan(fingerprints: int, distance: int | None = None, *, bits: int = 64, blocks: int | None = None) -> SparkPlan:
    """Return the cheapest tables for a number of distinct fingerprints, or describe a choice.

    Args:
        fingerprints: how many there are.
        distance: maximum number of differing bits; None for the close threshold of the scheme.
        bits: width of a fingerprint.
        blocks: describe this number of blocks; None for the cheapest tables: with the best number of blocks for
            64 bits, and with tables of each lane for more.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits, or over 50,000 tables.
        TooExpensiveError: `blocks` is None, and even the cheapest join takes too long.

    >>> plan(10**9).blocks, plan(10**9).shuffle_bytes
    (5, 80000000000)
    >>> plan(10**6, bits=256).blocks, plan(10**6, bits=256).tables
    ((8, 8, 8, 7), 105)
    """
    return described(fingerprints, tables_for(fingerprints, distance, bits, blocks))


def tables_for(
    fingerprints: int,
    distance: int | None,
    bits: int,
    blocks: int | None,
    sample: Callable[[], Lanes] | None = None,
    *,
    broadcast: bool = False,
) -> LanesOrBlocks:
    """Return the tables for a number of distinct fingerprints; arguments and errors are those of `plan`.

    Args:
        sample: returns some of them, shape (s, lanes), which show how often fingerprints over 64 bits agree in a block;
            None if they are uniform.
        broadcast: they are searched in memory, not shuffled.
    """
    distance = _close_threshold(bits) if distance is None else distance
    if blocks is not None:
        return Blocking(bits, blocks, distance)
    if bits == LANE_BITS:
        model = BROADCAST if broadcast else SHUFFLE
        return Blocking(bits, cheapest(fingerprints, bits, distance, model).blocks, distance)
    check_parameters(distance + 1, distance, bits)
    some = sample() if sample else np.empty((0, bits // LANE_BITS), np.uint64)
    chosen = plan_lanes(fingerprints, bits, distance, some, BROADCAST if broadcast else WIDE_SHUFFLE)
    return LaneTables(bits, distance, chosen.blockings)


def described(fingerprints: int, tables: LanesOrBlocks) -> SparkPlan:
    """Return what tables cost."""
    blocks: int | tuple[int, ...]
    if isinstance(tables, Blocking):
        blocks = tables.blocks
    else:
        blocks = tuple(blocking.blocks if blocking else 0 for blocking in tables.blockings)
    candidates = expected_candidates(fingerprints, Counter(mask.bit_count() for mask in tables.masks))
    return SparkPlan(blocks, tables.distance, len(tables), fingerprints * len(tables) * tables.bits // 8, candidates)


def _close_threshold(bits: int) -> int:
    return next(scheme.close for scheme in get_schemes().values() if scheme.bits == bits)
