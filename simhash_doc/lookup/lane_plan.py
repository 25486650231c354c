"""The tables with which the lanes of fingerprints over 64 bits are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simhash_doc.engines.lanes import LANE_BITS, Lanes
from simhash_doc.lookup.arrays import Values
from simhash_doc.lookup.blocks import Block, Blocking, cut
from simhash_doc.lookup.costs import LANE_JOIN, CostModel, considered_blocks, reject_expensive


@dataclass(frozen=True, slots=True)
class LanePlan:
    """The tables of each lane.

    Attributes:
        distance: of the pairs that are found.
        blockings: for each lane, tables of 64 bits; None if the lane is not needed.
        cost: for one fingerprint, in units of one comparison.
    """

    distance: int
    blockings: tuple[Blocking | None, ...]
    cost: float


def lane_distances(lanes: int, distance: int) -> list[int]:
    """Return for each lane a distance, -1 if the lane is not needed, so that each pair is found.

    A pair that exceeds the distance t of each lane has at least t + 1 bits in each, together distance + 1.

    >>> lane_distances(4, 26)
    [6, 6, 6, 5]
    """
    each, more = divmod(distance + 1, lanes)
    return [each - 1 + (lane < more) for lane in range(lanes)]


def plan_lanes(fingerprints: int, bits: int, distance: int, sample: Lanes, model: CostModel = LANE_JOIN) -> LanePlan:
    """Return the tables with which all pairs are found fastest.

    Args:
        fingerprints: their number.
        bits: their width.
        distance: maximum number of differing bits, 0 to bits - 1.
        sample: some of them, shape (s, lanes), which show how often fingerprints agree in a block.
        model: the costs of the join.

    Raises:
        TooExpensiveError: the pairs cannot be found in a reasonable time.
    """
    blockings: list[Blocking | None] = []
    cost = 0.0
    for lane, within in enumerate(lane_distances(bits // LANE_BITS, distance)):
        if within < 0:
            blockings.append(None)
            continue
        costs = {
            blocks: _cost(fingerprints, Blocking(LANE_BITS, blocks, within), sample[:, lane], model)
            for blocks in considered_blocks(LANE_BITS, within, model)
        }
        best = min(costs, key=costs.__getitem__)
        blockings.append(Blocking(LANE_BITS, best, within))
        cost += costs[best]
    tables = sum(len(blocking) for blocking in blockings if blocking)
    reject_expensive(fingerprints, bits, distance, cost, model, f"{tables:,} tables")
    return LanePlan(distance, tuple(blockings), cost)


def _cost(fingerprints: int, blocking: Blocking, sample: Values, model: CostModel) -> float:
    """Return the cost of one fingerprint in the tables of a lane, of which some values show how often blocks agree."""
    shares = [_agreement(sample, block) for block in cut(LANE_BITS, blocking.blocks)]
    return len(blocking) * model.table + fingerprints * _sum_of_products(shares, blocking.blocks - blocking.distance)


def _agreement(sample: Values, block: Block) -> float:
    """Return the share of pairs of values that agree in a block, at least that of uniform values."""
    uniform: float = 0.5**block.width
    if len(sample) < 2:
        return uniform
    found = np.sort((sample >> np.uint64(block.low)) & np.uint64((1 << block.width) - 1))
    counts = np.diff(np.flatnonzero(np.concatenate(([True], found[1:] != found[:-1], [True])))).astype(float)
    return max(uniform, float((counts * (counts - 1)).sum()) / (len(sample) * (len(sample) - 1)))


def _sum_of_products(shares: Sequence[float], chosen: int) -> float:
    """Return the sum, over all choices of so many of the shares, of their product.

    >>> _sum_of_products([0.5, 0.25, 0.125], 2)
    0.21875
    """
    sums = [1.0] + [0.0] * chosen
    for share in shares:
        for number in range(chosen, 0, -1):
            sums[number] += sums[number - 1] * share
    return sums[chosen]
