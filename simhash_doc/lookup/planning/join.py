"""How all pairs among fingerprints are found fastest: compared each with each, or joined by tables."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import inf

from simhash_doc.arrays import LANE_BITS, Lanes, scheme_of
from simhash_doc.engines.select import AUTO, get_setting, watch_compilation
from simhash_doc.lookup.blocks import Blocking, LaneTables
from simhash_doc.lookup.planning.costs import CostModel, sample_of
from simhash_doc.lookup.planning.index import is_degenerate, plan
from simhash_doc.lookup.planning.pair_tables import lane_distances, plan_lanes, reject_expensive

# Fingerprints of 64 bits that numpy sorts; the largest cost is a day and more on one core.
JOIN = CostModel(table=12, max_cost=1e13, calls=2e4)
# Measured with the compiled loops: 8 ns for a fingerprint in a table, 0.7 ns for a comparison, of which each candidate
# takes half: the other one meets it, too. With lanes that numpy sorts: 80 ns and 3 ns.
SLOW_TABLE_JOIN = CostModel(table=27, max_cost=1e13, calls=1e5)
# Comparisons of lanes by vector instructions: 0.08 ns each, 12 ns for a fingerprint in a table.
LANE_JOIN = CostModel(table=250, max_cost=1e15)
# Comparing two fingerprints in order takes this share of the time for each lane: no candidate is looked up.
_IN_ORDER = 0.4
# Fingerprints; with fewer, loading the compiled loops takes longer than it saves.
_LEAST_COMPILED, _LEAST_BY_LANES = 1 << 21, 1 << 14
_SAMPLE = 1 << 12  # fingerprints; few bits agree more often than the key of a table


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """How all pairs among fingerprints are found.

    Attributes:
        tables: those of the complete fingerprints, or of their lanes; None to compare each two.
        compiled: True for the compiled loops.
    """

    tables: Blocking | LaneTables | None
    compiled: bool = False


def plan_join(
    values: Lanes,
    distance: int,
    blocks: int | None = None,
    *,
    in_memory: bool = True,
    sd64_distance: int | None = None,
) -> JoinPlan:
    """Return how all pairs among fingerprints are found fastest.

    Args:
        values: shape (n, lanes), any number of them; a sample shows how often they share blocks.
        distance: maximum number of differing bits.
        blocks: use this number of blocks, of each lane, instead of choosing the tables.
        in_memory: False for fingerprints read in parts, which are not compared each with each, and have no compiled
            loops over 64 bits.
        sd64_distance: find only pairs that are within this distance in lane 0, too.

    Warns:
        DegenerateDistributionWarning: see `plan`.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits.
        TooExpensiveError: `blocks` is None, and the pairs cannot be found in a reasonable time.
    """
    n, bits = len(values), scheme_of(values).bits
    is_wide = bits > LANE_BITS
    model = SLOW_TABLE_JOIN if is_wide else JOIN
    comparing = _IN_ORDER * bits / LANE_BITS * n * n / 2 if blocks is None and in_memory else inf
    fewest = sum(within + 1 for within in lane_distances(bits, distance, sd64_distance))
    if comparing <= fewest * (model.table * n + model.calls):
        return JoinPlan(None)
    if is_wide:
        compiled = in_memory and can_compile(n >= _LEAST_BY_LANES)
    else:
        compiled = distance > 0 and can_compile(n >= _LEAST_COMPILED)
    if compiled:
        model = LANE_JOIN if is_wide else SLOW_TABLE_JOIN
    sample = sample_of(values, _SAMPLE) if is_wide else values[:0]
    tables, cost = plan_lanes(n, bits, distance, sample, model, sd64_distance=sd64_distance, blocks=blocks)
    # Bits that all fingerprints share show here, without the time that measuring each block of each choice takes.
    if isinstance(tables, Blocking) and is_degenerate(n, tables, values):
        best = plan(values, distance, blocks=blocks)
        tables, cost = Blocking(bits, best.blocks, distance), best.cost
    if comparing < n * cost + model.calls * len(tables) and not compiled:
        return JoinPlan(None)
    if blocks is None:
        reject_expensive(n, tables, cost, model)
    return JoinPlan(tables, compiled)


def can_compile(large: bool) -> bool:
    """Return True if compiled loops are wanted and can be used.

    Args:
        large: the search takes longer than loading the loops.
    """
    setting = get_setting()
    if setting == AUTO:
        return large and find_spec("numba") is not None and _kernels_work()
    return setting == "numba" and _kernels_work()


@cache
def _kernels_work() -> bool:
    try:
        from simhash_doc.lookup import bucket_kernels  # noqa: F401

        watch_compilation()
    except Exception as error:  # anything may be wrong with numba, llvmlite or the compiler
        warnings.warn(f"numba cannot be used ({error}): the search is slower", RuntimeWarning, stacklevel=3)
        return False
    return True
