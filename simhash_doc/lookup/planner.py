"""How many blocks an index in memory should have: its memory and the candidates of a query."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from simhash_doc.lookup import lane_join
from simhash_doc.lookup.arrays import (
    AnyValues,
    Values,
    as_rows,
    distinct_values,
    present_values,
    scheme_of,
    sorted_values,
)
from simhash_doc.lookup.blocks import Blocking, check_parameters, prefix_widths
from simhash_doc.lookup.bucket_join import is_worthwhile
from simhash_doc.lookup.costs import COMPILED_JOIN, JOIN, QUERY, WIDE_JOIN, cheapest, considered_blocks, describe
from simhash_doc.lookup.errors import DegenerateDistributionWarning, LookupParameterError
from simhash_doc.lookup.lane_plan import LanePlan, plan_lanes
from simhash_doc.lookup.permuted_tables import bucket_bits, orders_of, segment_bytes
from simhash_doc.schemes import get_scheme

_SAMPLE = 1 << 14  # fingerprints; its 10^8 pairs show a share of one in a million reliably
_SAMPLED_TABLES = 128
# A distribution is called degenerate when a query meets this many times the candidates of a uniform one.
_DEGENERATE_RATIO, _DEGENERATE_LEAST = 10, 500


@dataclass(frozen=True, slots=True)
class Plan:
    """A number of blocks and what it costs.

    Attributes:
        fingerprints: number of distinct fingerprints planned for.
        blocks, distance: the parameters of a `Corpus`.
        tables: C(blocks, distance).
        prefix_bits: bits of the narrowest prefix.
        candidates: fingerprints compared with a query on average, over all tables.
        bytes: memory of the tables, and size of the saved file without ids.
        degenerate: True if the fingerprints share blocks so often that a query meets far more candidates
            than uniform ones would give; always False if only a number was planned for.
    """

    fingerprints: int
    blocks: int
    distance: int
    tables: int
    prefix_bits: int
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
    sample: Values | None = None
    if isinstance(fingerprints, int):
        n, known = fingerprints, get_scheme(scheme or "sd64")
        if n < 0:
            raise LookupParameterError(f"the number of fingerprints is {n}; expected 0 or more")
    else:
        values, _ = present_values(fingerprints, scheme)
        n, known, sample = len(values), scheme_of(values), _sample_of(values)
    distance = known.close if distance is None else distance
    considered = considered_blocks(known.bits, distance, QUERY) if blocks is None else [blocks]
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


def join_blocks(fingerprints: int, bits: int, distance: int) -> int:
    """Return the number of blocks with which all pairs among uniform fingerprints are found fastest.

    Raises:
        LookupParameterError: not 0 <= distance < bits.
        TooExpensiveError: the pairs cannot be found in a reasonable time.
    """
    if is_worthwhile(fingerprints, bits, distance):
        return cheapest(fingerprints, bits, distance, COMPILED_JOIN).blocks
    return cheapest(fingerprints, bits, distance, JOIN if bits == 64 else WIDE_JOIN).blocks


def planned_lanes(values: Values, distance: int) -> LanePlan:
    """Return the tables with which `lane_pairs` finds all pairs among fingerprints over 64 bits fastest.

    Raises:
        LookupParameterError: not 0 <= distance < bits.
        TooExpensiveError: the pairs cannot be found in a reasonable time.
    """
    bits = scheme_of(values).bits
    check_parameters(distance + 1, distance, bits)
    return plan_lanes(len(values), bits, distance, as_rows(_sample_of(values)))


def planned_blocks(values: Values, distance: int) -> int | None:
    """Return the number of blocks with which all pairs among fingerprints are found fast.

    That is `join_blocks`, unless a sample of fingerprints of 64 bits shows that many of them share blocks; or None for
    fingerprints over 64 bits that `find_all` joins through their lanes.

    Warns:
        DegenerateDistributionWarning: see `plan`.

    Raises:
        LookupParameterError, TooExpensiveError: as `join_blocks`.
    """
    bits = scheme_of(values).bits
    if lane_join.is_worthwhile(len(values), bits):
        planned_lanes(values, distance)
        return None
    blocks = join_blocks(len(values), bits, distance)
    if bits == 64 and _describe(len(values), Blocking(bits, blocks, distance), _sample_of(values)).degenerate:
        return plan(values, distance).blocks
    return blocks


def _sample_of(values: Values) -> Values:
    n = len(values)
    picked = np.random.default_rng(0).choice(n, min(n, _SAMPLE), replace=False) if n else np.empty(0, np.int64)
    return distinct_values(sorted_values(values[picked]))


def _describe(n: int, blocking: Blocking, sample: Values | None) -> Plan:
    choice = describe(n, blocking.bits, blocking.blocks, blocking.distance, lambda width: bucket_bits(n, width))
    candidates = choice.candidates
    if sample is not None and len(sample) > 1:
        candidates = _sampled_candidates(n, blocking, sample)
    widths = prefix_widths(blocking.bits, blocking.blocks, blocking.distance)
    return Plan(
        fingerprints=n,
        blocks=blocking.blocks,
        distance=blocking.distance,
        tables=choice.tables,
        prefix_bits=min(widths),
        candidates=candidates,
        bytes=segment_bytes(n, blocking),
        degenerate=candidates > max(_DEGENERATE_RATIO * choice.candidates, _DEGENERATE_LEAST),
    )


def _sampled_candidates(n: int, blocking: Blocking, sample: Values) -> float:
    """Return the candidates of a query by the pairs of a sample that share a bucket."""
    orders = orders_of(blocking)
    chosen = orders[:: max(1, len(orders) // _SAMPLED_TABLES)]
    pairs = 0.0
    for order in chosen:
        buckets = np.sort(order.buckets(sample, bucket_bits(n, order.prefix_bits)))
        sizes = np.diff(np.flatnonzero(np.concatenate(([True], buckets[1:] != buckets[:-1], [True])))).astype(float)
        pairs += float((sizes * (sizes - 1)).sum())
    return n * pairs / (len(sample) * (len(sample) - 1)) * len(orders) / len(chosen)
