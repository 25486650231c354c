"""Which tables make a search cheapest: in an index in memory, in a join of all pairs, in SQL and on Spark."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import comb, inf

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import LANE_BITS, Lane, Lanes, distinct_rows, scheme_of, sorted_rows
from simhash_doc.engines.select import AUTO, get_setting, watch_compilation
from simhash_doc.lookup.blocks import (
    MAX_TABLES,
    Block,
    Blocking,
    LaneTables,
    check_parameters,
    cut,
    orders_of,
    prefix_widths,
)
from simhash_doc.lookup.errors import DegenerateDistributionWarning, LookupParameterError, TooExpensiveError
from simhash_doc.lookup.inputs import AnyValues, present_lanes
from simhash_doc.lookup.tables import bucket_bits, segment_bytes
from simhash_doc.schemes import get_scheme

_SPARE_BLOCKS = 6  # choices of more than distance + 6 blocks are not considered
_QUERY_TABLES = 1000  # choices with more tables are not considered for an index

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


# In the time of a search in a bucket, two candidates are compared (measured on bulk queries).
QUERY = CostModel(table=2, max_cost=1e16)
# Fingerprints of 64 bits that numpy sorts; the largest cost is a day and more on one core.
JOIN = CostModel(table=12, max_cost=1e13, calls=2e4)
# Measured with the compiled loops: 8 ns for a fingerprint in a table, 0.7 ns for a comparison, of which each candidate
# takes half: the other one meets it, too. With lanes that numpy sorts: 80 ns and 3 ns.
SLOW_TABLE_JOIN = CostModel(table=27, max_cost=1e13, calls=1e5)
# Comparisons of lanes by vector instructions: 0.08 ns each, 12 ns for a fingerprint in a table.
LANE_JOIN = CostModel(table=250, max_cost=1e15)
# A fingerprint's way through the shuffle into one table takes the time of this many comparisons; over 64 bits, where
# a comparison takes longer, too, about twice as many.
SHUFFLE, WIDE_SHUFFLE = CostModel(table=50, max_cost=1e16), CostModel(table=100, max_cost=1e16)
# Comparing two fingerprints in order takes this share of the time for each lane: no candidate is looked up.
_IN_ORDER = 0.4


def expected_candidates(fingerprints: int, widths: KeyWidths) -> float:
    """Return how many of some uniform fingerprints share a key with one, over all tables."""
    return fingerprints * sum(tables * 0.5**width for width, tables in widths.items())


_SAMPLED_TABLES = 128


def sampled_candidates(fingerprints: int, tables: int, keys: Callable[[int], npt.NDArray[np.integer]]) -> float:
    """Return how many fingerprints share a key with one, over all tables, if they do as those of a sample.

    Args:
        fingerprints: their number.
        tables: their number.
        keys: returns the key of each fingerprint of the sample in a table, shape (s,).
    """
    chosen = range(0, tables, -(-tables // _SAMPLED_TABLES))
    return fingerprints * sum(_equal_pairs(keys(table)) for table in chosen) * tables / len(chosen)


def _equal_pairs(keys: npt.NDArray[np.integer]) -> float:
    """Return the share of the pairs of keys that are equal."""
    counts = np.unique(keys, return_counts=True)[1].astype(float)
    return float((counts * (counts - 1)).sum()) / max(1, len(keys) * (len(keys) - 1))


def considered_blocks(bits: int, distance: int, max_tables: int = MAX_TABLES) -> list[int]:
    """Return the numbers of blocks worth considering, with at most so many tables except for the least one.

    Raises:
        LookupParameterError: not 0 <= distance < bits.
    """
    check_parameters(distance + 1, distance, bits)
    most = range(distance + 1, min(distance + _SPARE_BLOCKS, bits) + 1)
    return [blocks for blocks in most if blocks == distance + 1 or comb(blocks, distance) <= max_tables]


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
    shares = [_agreement(sample, block) for block in cut(LANE_BITS, blocking.blocks)]
    return len(blocking) * model.table + fingerprints * _sum_of_products(shares, blocking.blocks - blocking.distance)


def _agreement(sample: Lane, block: Block) -> float:
    """Return the share of pairs of values that agree in a block, at least that of uniform values."""
    uniform: float = 0.5**block.width
    return max(uniform, _equal_pairs(sample & np.uint64(block.mask))) if len(sample) else uniform


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


# Fingerprints; with fewer, loading the compiled loops takes longer than it saves.
_LEAST_COMPILED, _LEAST_BY_LANES = 1 << 21, 1 << 14
_SAMPLE = 1 << 14  # fingerprints; its 10^8 pairs show a share of one in a million reliably
_SAMPLE_FOR_BLOCKS = 1 << 12  # few bits agree more often
# A distribution is called degenerate when a query meets this many times the candidates of a uniform one.
_DEGENERATE_RATIO, _DEGENERATE_LEAST = 10, 500


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """How all pairs among fingerprints are found.

    Attributes:
        tables: those of the complete fingerprints, or of their lanes; None to compare each two.
        compiled: True for the compiled loops.
    """

    tables: Blocking | LaneTables | None
    compiled: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A number of blocks and what it costs.

    Attributes:
        fingerprints: number of distinct fingerprints planned for.
        blocks, distance: the parameters of a `Corpus`.
        tables: C(blocks, distance).
        candidates: fingerprints compared with a query on average, over all tables.
        bytes: memory of the tables, and size of the saved file without ids.
        degenerate: True if the fingerprints share blocks so often that a query meets far more candidates
            than uniform ones would give; always False if only a number was planned for.
    """

    fingerprints: int
    blocks: int
    distance: int
    tables: int
    candidates: float
    bytes: int
    degenerate: bool = False

    @property
    def cost(self) -> float:
        """Time of a query, in units of one comparison."""
        return self.tables * QUERY.table + self.candidates


def plan(
    fingerprints: int | AnyValues,
    distance: int | None = None,
    *,
    blocks: int | None = None,
    memory: int | None = None,
    scheme: str | None = None,
) -> Plan:
    """Return the number of blocks with the cheapest queries.

    Args:
        fingerprints: their expected number, assumed uniform; or the fingerprints, a sample of which
            shows how many candidates they really give.
        distance: maximum number of differing bits; None for the close threshold of the scheme.
        blocks: describe this number of blocks instead of choosing one.
        memory: bytes that the tables may take; None for any.
        scheme: short id; None for that of the fingerprints, or sd64 for a number.

    Warns:
        DegenerateDistributionWarning: the fingerprints share blocks so often that the work is
            quadratic in their number even with the best choice.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits, or no choice fits into the memory.
        BadValueError: a value is not a fingerprint of the scheme.

    >>> chosen = plan(1_000_000)
    >>> chosen.blocks, chosen.tables, chosen.bytes < 140e6
    (5, 10, True)
    >>> plan(1_000_000, memory=50_000_000).blocks
    4
    """
    sample: Lanes | None = None
    if isinstance(fingerprints, int):
        n, known = fingerprints, get_scheme(scheme or "sd64")
        if n < 0:
            raise LookupParameterError(f"the number of fingerprints is {n}; expected 0 or more")
    else:
        values, _ = present_lanes(fingerprints, scheme)
        n, known, sample = len(values), scheme_of(values), _sample_of(values, _SAMPLE)
    distance = known.or_close(distance)
    considered = considered_blocks(known.bits, distance, _QUERY_TABLES) if blocks is None else [blocks]
    plans = [_describe(n, Blocking(known.bits, choice, distance), sample) for choice in considered]
    fitting = [option for option in plans if memory is None or option.bytes <= memory]
    if not fitting:
        least = min(option.bytes for option in plans)
        raise LookupParameterError(
            f"{n:,} fingerprints at distance {distance} need {least:,} bytes at least, not {memory:,}: use shards"
        )
    best = min(fitting, key=lambda option: (option.cost, option.blocks))
    if best.degenerate:
        warnings.warn(
            f"the fingerprints share blocks too often: with {best.blocks} blocks a query takes about "
            f"{best.candidates:,.0f} comparisons among {n:,}, so that the work grows with the square of their number. "
            "Check that they are fingerprints of different documents.",
            DegenerateDistributionWarning,
            stacklevel=2,
        )
    return best


def usual_blocks(bits: int, distance: int, fingerprints: int, max_tables: int) -> int:
    """Return the number of blocks for an index of about so many uniform fingerprints, with a limit on its tables.

    Raises:
        LookupParameterError: not 0 <= distance < bits.
    """
    choices = considered_blocks(bits, distance, max_tables)
    return min(choices, key=lambda blocks: _describe(fingerprints, Blocking(bits, blocks, distance), None).cost)


def _describe(n: int, blocking: Blocking, sample: Lanes | None) -> Plan:
    widths = prefix_widths(blocking.bits, blocking.blocks, blocking.distance)
    # Of a key, a table distinguishes only the bits that address its buckets.
    uniform = n * sum(tables * 0.5 ** bucket_bits(n, width) for width, tables in widths.items())
    sampled = 0.0
    if sample is not None:
        orders = orders_of(blocking)
        widths_of = [bucket_bits(n, order.prefix_bits) for order in orders]
        sampled = sampled_candidates(n, len(orders), lambda table: orders[table].buckets(sample, widths_of[table]))
    return Plan(
        fingerprints=n,
        blocks=blocking.blocks,
        distance=blocking.distance,
        tables=len(blocking),
        candidates=max(uniform, sampled),
        bytes=segment_bytes(n, blocking),
        degenerate=sampled > max(_DEGENERATE_RATIO * uniform, _DEGENERATE_LEAST),
    )


def _is_degenerate(n: int, blocking: Blocking, values: Lanes) -> bool:
    return n * len(blocking) > _DEGENERATE_LEAST and _describe(n, blocking, _sample_of(values, _SAMPLE)).degenerate


def _sample_of(values: Lanes, size: int) -> Lanes:
    """Return some of the distinct values, ascending."""
    n = len(values)
    picked = np.random.default_rng(0).choice(n, min(n, size), replace=False) if n else np.empty(0, np.int64)
    return distinct_rows(sorted_rows(values.take(picked, axis=0)))


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
    sample = _sample_of(values, _SAMPLE_FOR_BLOCKS) if is_wide else values[:0]
    tables, cost = plan_lanes(n, bits, distance, sample, model, sd64_distance=sd64_distance, blocks=blocks)
    # Bits that all fingerprints share show here, without the time that measuring each block of each choice takes.
    if isinstance(tables, Blocking) and _is_degenerate(n, tables, values):
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
