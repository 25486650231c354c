"""How many blocks: what each choice costs in memory and candidates, for a number of fingerprints."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.blocks import Permutation, check_parameters, permutations
from simhash_doc.lookup.errors import DegenerateDistributionWarning, LookupParameterError
from simhash_doc.lookup.tables import bucket_bits, table_bytes
from simhash_doc.lookup.values import BITS, Values, as_values, distinct_values
from simhash_doc.value import Fingerprint

_TABLES_CONSIDERED = 1000  # choices of blocks with more are not considered
_SAMPLE = 1 << 14  # fingerprints; its 10^8 pairs show a share of one in a million reliably
# In the time of looking into a bucket, two candidates are compared (measured on queries in bulk).
_PROBE_COST = 2
# A distribution is called degenerate when a query meets this many times the candidates of a uniform one.
_DEGENERATE_RATIO, _DEGENERATE_LEAST = 10, 500


@dataclass(frozen=True, slots=True)
class Plan:
    """A choice of blocks and what it costs.

    Attributes:
        fingerprints: number of distinct fingerprints planned for.
        blocks, distance: the parameters of a `Corpus`.
        tables: C(blocks, distance).
        prefix_bits: bits of the narrowest prefix.
        candidates: fingerprints compared with a query on average, over all tables.
        bytes: memory of the tables, and size of the saved file without ids.
        degenerate: so many fingerprints share blocks that a query meets far more candidates than
            uniform ones would give; always False where only a number was planned for.
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
        """Time of a query, in units of one candidate."""
        return self.tables * _PROBE_COST + self.candidates


def plan(
    fingerprints: int | Iterable[int | Fingerprint] | npt.NDArray[np.integer],
    distance: int = 3,
    *,
    blocks: int | None = None,
    memory: int | None = None,
) -> Plan:
    """Choose the number of blocks with the cheapest queries.

    Args:
        fingerprints: how many there will be, taken as uniform; or the fingerprints, shape (n,), of
            which a sample tells how many candidates they really give.
        distance: largest number of differing bits.
        blocks: describe this choice instead of choosing.
        memory: bytes that the tables may take; None for any.

    Warns:
        DegenerateDistributionWarning: the fingerprints share blocks so often that the work is
            quadratic in their number even with the best choice.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= 64, or no choice fits into the memory.
        BadValueError: a fingerprint is no unsigned integer of 64 bits.

    >>> chosen = plan(1_000_000)
    >>> chosen.blocks, chosen.tables, chosen.bytes < 140e6
    (5, 10, True)
    >>> plan(1_000_000, memory=50_000_000).blocks
    4
    """
    sample: Values | None = None
    if isinstance(fingerprints, int):
        n = fingerprints
        if n < 0:
            raise LookupParameterError(f"{n} fingerprints; their number is 0 or more")
    else:
        values = as_values(fingerprints)
        n = len(values)
        picked = np.random.default_rng(0).choice(n, min(n, _SAMPLE), replace=False) if n else np.empty(0, np.int64)
        sample = distinct_values(np.sort(values[picked]))
    check_parameters(distance + 1 if blocks is None else blocks, distance)
    considered = [blocks] if blocks is not None else _choices(distance)
    plans = [_describe(n, choice, distance, sample) for choice in considered]
    fitting = [made for made in plans if memory is None or made.bytes <= memory]
    if not fitting:
        least = min(made.bytes for made in plans)
        raise LookupParameterError(
            f"{n:,} fingerprints at distance {distance} need {least:,} bytes at least, not {memory:,}: use shards"
        )
    best = min(fitting, key=lambda made: (made.cost, made.blocks))
    if best.degenerate:
        warnings.warn(
            f"the fingerprints share blocks too often: with {best.blocks} blocks a query takes about "
            f"{best.candidates:,.0f} comparisons among {n:,}, so that the work grows with the square of their number. "
            "Are they fingerprints, and of different documents?",
            DegenerateDistributionWarning,
            stacklevel=2,
        )
    return best


def _choices(distance: int) -> list[int]:
    most = range(distance + 1, min(distance + 6, BITS) + 1)
    return [blocks for blocks in most if blocks == distance + 1 or comb(blocks, distance) <= _TABLES_CONSIDERED]


def _describe(n: int, blocks: int, distance: int, sample: Values | None) -> Plan:
    orders = permutations(blocks, distance)
    uniform = sum(n / 2 ** bucket_bits(n, order) for order in orders)
    candidates = uniform
    if sample is not None and len(sample) > 1:
        candidates = n * sum(_share_of_equal_buckets(sample, order, bucket_bits(n, order)) for order in orders)
    return Plan(
        fingerprints=n,
        blocks=blocks,
        distance=distance,
        tables=len(orders),
        prefix_bits=min(order.prefix_bits for order in orders),
        candidates=candidates,
        bytes=sum(table_bytes(n, order) for order in orders),
        degenerate=candidates > max(_DEGENERATE_RATIO * uniform, _DEGENERATE_LEAST),
    )


def _share_of_equal_buckets(sample: Values, order: Permutation, bits: int) -> float:
    """Return the share of the pairs of a sample that fall into one bucket of a table."""
    buckets = np.sort(order.apply(sample) >> np.uint64(BITS - bits))
    edges = np.flatnonzero(np.concatenate(([True], buckets[1:] != buckets[:-1], [True])))
    sizes = np.diff(edges).astype(float)
    return float((sizes * (sizes - 1)).sum() / (len(sample) * (len(sample) - 1)))
