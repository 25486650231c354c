"""The tables with which all pairs are found fastest: those of each lane, in memory and on Spark."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simhash_doc.arrays import Lane, Lanes
from simhash_doc.lookup.blocks import BitBlock, Blocking, LaneTables, check_parameters, cut_blocks
from simhash_doc.lookup.errors import LookupParameterError, TooExpensiveError
from simhash_doc.lookup.planning.costs import CostModel, considered_blocks, equal_pairs
from simhash_doc.schemes import LANE_BITS


def lane_distances(bits: int, distance: int, sd64_distance: int | None = None) -> list[int]:
    """Return a distance for each lane that is searched, from the first on, so that each pair is found.

    A pair that exceeds the distance t of each lane has at least t + 1 bits in each, together distance + 1.

    Args:
        bits: width of the fingerprints.
        distance: maximum number of differing bits.
        sd64_distance: search lane 0 alone, for the pairs that are within this distance there, too.

    Raises:
        LookupParameterError: not 0 <= distance < bits, or `sd64_distance` of fingerprints of one lane.

    >>> lane_distances(256, 26)
    [6, 6, 6, 5]
    """
    check_parameters(distance + 1, distance, bits)
    if sd64_distance is not None:
        if bits == LANE_BITS:
            raise LookupParameterError("a distance of sd64 needs wider fingerprints, such as sd256; these are of sd64")
        check_parameters(sd64_distance + 1, sd64_distance, LANE_BITS)
        return [sd64_distance]
    lanes = bits // LANE_BITS
    each, more = divmod(distance + 1, lanes)
    return [each - 1 + (lane < more) for lane in range(min(lanes, distance + 1))]


def plan_lanes(
    fingerprints: int,
    bits: int,
    distance: int,
    sample: Lanes,
    model: CostModel,
    *,
    sd64_distance: int | None = None,
    blocks: int | None = None,
) -> tuple[Blocking | LaneTables, float]:
    """Return the tables with which all pairs are found fastest, and their cost for one fingerprint.

    Args:
        fingerprints: their number.
        bits: their width; over 64, the tables are those of the lanes.
        distance: as for `lane_distances`, whose errors this raises.
        sample: some of them, shape (s, lanes), which show how often fingerprints agree in a block.
        model: the costs of the join.
        sd64_distance: as for `lane_distances`.
        blocks: of each lane; None for the cheapest number.
    """
    chosen, total = [], 0.0
    for lane, within in enumerate(lane_distances(bits, distance, sd64_distance)):
        numbers = considered_blocks(LANE_BITS, within) if blocks is None else [blocks]
        options = [Blocking(LANE_BITS, number, within) for number in numbers]
        costs = [_cost(fingerprints, option, sample[:, lane], model) for option in options]
        total += min(costs)
        chosen.append(options[costs.index(min(costs))])
    return chosen[0] if bits == LANE_BITS else LaneTables(bits, distance, tuple(chosen)), total


def reject_expensive(fingerprints: int, tables: Blocking | LaneTables, cost: float, model: CostModel) -> None:
    """Reject a search whose cost for one fingerprint is too large.

    Raises:
        TooExpensiveError: the cost of all is over the model's largest.
    """
    if fingerprints * cost > model.max_cost:
        raise TooExpensiveError(
            f"{fingerprints:,} fingerprints of {tables.bits} bits at distance {tables.distance} take about "
            f"{fingerprints * cost:.0e} comparisons with the best choice ({len(tables):,} tables), over "
            f"{model.max_cost:.0e}: use a smaller distance or fewer fingerprints, or set the number of blocks to "
            "search anyway"
        )


def _cost(fingerprints: int, blocking: Blocking, sample: Lane, model: CostModel) -> float:
    """Return the cost of one fingerprint in the tables of a lane, of which some values show how often blocks agree."""
    shares = [_agreement(sample, block) for block in cut_blocks(LANE_BITS, blocking.blocks)]
    return len(blocking) * model.table + fingerprints * _sum_of_products(shares, blocking.blocks - blocking.distance)


def _agreement(sample: Lane, block: BitBlock) -> float:
    """Return the share of pairs of values that agree in a block, at least that of uniform values."""
    uniform: float = 0.5**block.width
    return max(uniform, equal_pairs(sample & np.uint64(block.mask))) if len(sample) else uniform


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
