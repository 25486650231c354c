"""The tables of an index: the number of blocks with the cheapest queries, and the memory that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, SupportsIndex

import numpy as np

from simhash_doc.arguments import integer
from simhash_doc.arrays import Lanes, scheme_of
from simhash_doc.errors import warn_caller
from simhash_doc.lookup.blocks import Blocking, orders_of, prefix_widths
from simhash_doc.lookup.errors import DegenerateDistributionWarning, LookupParameterError
from simhash_doc.lookup.inputs import AnyValues, sized_lanes
from simhash_doc.lookup.planning.costs import CostModel, considered_blocks, sample_of, sampled_candidates
from simhash_doc.lookup.tables import bucket_bits, bytes_of_tables
from simhash_doc.schemes import AnyScheme, get_scheme, or_close

# In the time of a search in a bucket, two candidates are compared (measured on bulk queries).
QUERY = CostModel(table=2, max_cost=1e16)
_QUERY_TABLES = 1000  # choices with more tables are not considered
_SAMPLE = 1 << 14  # fingerprints; its 10^8 pairs show a share of one in a million reliably
# A distribution is called degenerate when a query meets this many times the candidates of a uniform one.
_DEGENERATE_RATIO, _DEGENERATE_LEAST = 10, 500


@dataclass(frozen=True, slots=True)
class Plan:
    """A number of blocks, and the memory and time that it needs.

    Attributes:
        fingerprints: number of distinct fingerprints planned for.
        blocks, distance: the parameters of a `Corpus`.
        tables: C(blocks, distance).
        candidates: average number of fingerprints that a query compares, over all tables.
        bytes: memory of the tables, and size of the saved file without ids.
        degenerate: True if the fingerprints share blocks so often that a query meets far more candidates
            than among uniform fingerprints; always False if only a number was planned for.

    >>> chosen = plan(10**8, distance=3)
    >>> chosen.blocks, chosen.tables
    (5, 10)
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
    fingerprints: SupportsIndex | AnyValues,
    *,
    distance: int | None = None,
    blocks: int | None = None,
    memory: int | None = None,
    scheme: AnyScheme | None = None,
    warn: bool = True,
) -> Plan:
    """Return the number of blocks with the cheapest queries.

    Args:
        fingerprints: their expected number, assumed uniform; or the fingerprints, of which a sample is searched to
            count the candidates.
        distance: maximum number of differing bits; None for the close threshold of the scheme.
        blocks: describe this number of blocks instead of choosing one.
        memory: bytes that the tables may take; None for no limit.
        scheme: None for the scheme of the fingerprints, or sd64 for a number.
        warn: False to omit the warning, if you do not need all matches.

    Warns:
        DegenerateDistributionWarning: the fingerprints share blocks so often that the work is
            quadratic in their number even with the best choice.

    Raises:
        TypeError: a number is not an integer.
        LookupParameterError: not 0 <= distance < blocks <= bits, or no choice fits into the memory.
        BadValueError: a value is not a fingerprint of the scheme.

    >>> chosen = plan(1_000_000)
    >>> chosen.blocks, chosen.tables, chosen.bytes < 140e6
    (5, 10, True)
    >>> plan(1_000_000, memory=50_000_000).blocks
    4
    """
    sample: Lanes | None = None
    if isinstance(fingerprints, int | float | np.number | Decimal):
        known = get_scheme("sd64" if scheme is None else scheme)
        n = integer(fingerprints, "the number of fingerprints", 0, error=LookupParameterError)
    else:
        given: Any = fingerprints
        values, _, _ = sized_lanes(given, "fingerprints", scheme)
        n, known, sample = len(values), scheme_of(values), sample_of(values, _SAMPLE)
    distance = or_close(known, distance)
    if blocks is not None:
        blocks = integer(blocks, "blocks", 1, error=LookupParameterError)
    if memory is not None:
        memory = integer(memory, "memory", 0, error=LookupParameterError)
    considered = considered_blocks(known.bits, distance, _QUERY_TABLES) if blocks is None else [blocks]
    plans = [_describe(n, Blocking(known.bits, choice, distance), sample) for choice in considered]
    fitting = [option for option in plans if memory is None or option.bytes <= memory]
    if not fitting:
        least = min(option.bytes for option in plans)
        raise LookupParameterError(
            f"{n:,} fingerprints at distance {distance} need {least:,} bytes at least, not {memory:,}: use shards"
        )
    best = min(fitting, key=lambda option: (option.cost, option.blocks))
    if warn and best.degenerate:
        warn_caller(
            f"the fingerprints share blocks too often: with {best.blocks} blocks a query takes about "
            f"{best.candidates:,.0f} comparisons among {best.fingerprints:,}, so that the work grows with the square "
            "of their number. Check that they are fingerprints of different documents.",
            DegenerateDistributionWarning,
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
        bytes=bytes_of_tables(n, blocking),
        degenerate=sampled > max(_DEGENERATE_RATIO * uniform, _DEGENERATE_LEAST),
    )


def is_degenerate(n: int, blocking: Blocking, values: Lanes) -> bool:
    return n * len(blocking) > _DEGENERATE_LEAST and _describe(n, blocking, sample_of(values, _SAMPLE)).degenerate
