"""How all pairs among fingerprints are found fastest: compared each with each, or joined by tables."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from simhash_doc.arrays import Lanes, scheme_of
from simhash_doc.engines.select import select_engine
from simhash_doc.lookup.blocks import Blocking, LaneTables
from simhash_doc.lookup.planning.costs import CostModel, sample_of
from simhash_doc.lookup.planning.index import is_degenerate, plan
from simhash_doc.lookup.planning.pair_tables import lane_distances, plan_lanes, reject_expensive
from simhash_doc.schemes import LANE_BITS

# Fingerprints of 64 bits that numpy sorts; the largest cost is a day and more on one core.
JOIN = CostModel(table=12, max_cost=1e13, calls=2e4)
# Lanes that numpy sorts: 80 ns for a fingerprint in a table, 3 ns for a comparison.
LANE_JOIN = CostModel(table=27, max_cost=1e13, calls=1e5)
# Measured with the compiled core, which compares by vector instructions: 10 ns for a fingerprint in a table, 0.1 ns for
# a comparison, 60 us for a table.
COMPILED_JOIN = CostModel(table=100, max_cost=1e15, calls=6e5)
# Comparing two fingerprints in order takes numpy this share of its time for each lane: no candidate is looked up.
_IN_ORDER = 0.4
_COMPILED = 30  # comparisons of the compiled core in the time of one by numpy
_SAMPLE = 1 << 12  # fingerprints; few bits agree more often than the key of a table


@dataclass(frozen=True, slots=True)
class Nearness:
    """Which fingerprints are near each other, and how they are found.

    Attributes:
        distance: maximum number of differing bits.
        sd64_distance: maximum number of differing bits in lane 0, too; None for any.
        blocks: number of blocks, of each lane; None for the fastest.
    """

    distance: int
    sd64_distance: int | None = None
    blocks: int | None = None


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """How all pairs among fingerprints are found.

    Attributes:
        tables: those of the complete fingerprints, or of their lanes; None to compare each two.
        cost: for one fingerprint, in comparisons.
        compiled: True for the compiled core.
    """

    tables: Blocking | LaneTables | None
    cost: float
    compiled: bool = False


def plan_join(values: Lanes, near: Nearness, *, in_memory: bool = True, warn: bool = True) -> JoinPlan:
    """Return how all pairs among fingerprints are found fastest.

    Args:
        values: shape (n, lanes), any number of them; a sample shows how often they share blocks.
        near: which pairs are found.
        in_memory: False for fingerprints read in parts, which are not compared each with each.
        warn: False if not all pairs are needed, so that the work does not grow with their number.

    Warns:
        DegenerateDistributionWarning: see `plan`.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits.
        EngineUnavailableError: the engine is set, and cannot be used.
        TooExpensiveError: `blocks` is None, and the pairs cannot be found in a reasonable time.
    """
    n, bits = len(values), scheme_of(values).bits
    distance, sd64_distance, blocks = near.distance, near.sd64_distance, near.blocks
    is_wide = bits > LANE_BITS
    compiled = select_engine(0).name == "native"
    model = COMPILED_JOIN if compiled else LANE_JOIN if is_wide else JOIN
    in_order = _IN_ORDER * (_COMPILED if compiled else 1)
    comparing = in_order * bits / LANE_BITS * n * n / 2 if blocks is None and in_memory else inf
    fewest = sum(within + 1 for within in lane_distances(bits, distance, sd64_distance))
    if comparing <= fewest * (model.table * n + model.calls):
        return JoinPlan(None, comparing / n if n else 0)
    sample = sample_of(values, _SAMPLE) if is_wide else values[:0]
    tables, cost = plan_lanes(n, bits, distance, sample, model, sd64_distance=sd64_distance, blocks=blocks)
    # Bits that all fingerprints share show here, without the time that measuring each block of each choice takes.
    if isinstance(tables, Blocking) and is_degenerate(n, tables, values):
        best = plan(values, distance=distance, blocks=blocks, warn=warn)
        tables, cost = Blocking(bits, best.blocks, distance), best.cost
    if comparing < n * cost + model.calls * len(tables):
        return JoinPlan(None, comparing / n)
    if blocks is None:
        reject_expensive(n, tables, cost, model)
    return JoinPlan(tables, cost, compiled)
