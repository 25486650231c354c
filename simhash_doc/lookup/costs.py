"""The costs of a number of blocks: shared by the planners for memory, SQL and Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb

from simhash_doc.lookup.blocks import check_parameters, prefix_widths
from simhash_doc.lookup.errors import TooExpensiveError

_SPARE_BLOCKS = 6  # choices of more than distance + 6 blocks are not considered

KeyWidths = Mapping[int, int]
"""The number of tables for each number of bits of a key."""


@dataclass(frozen=True, slots=True)
class CostModel:
    """Costs in units of one comparison of two fingerprints.

    Attributes:
        table: sending or looking up one fingerprint in one table.
        max_tables: choices of blocks with more tables are not considered.
        max_cost: largest cost of a search that is chosen; None for any.
    """

    table: float
    max_tables: int = 1000
    max_cost: float | None = None


# In the time of a search in a bucket, two candidates are compared (measured on bulk queries).
QUERY = CostModel(table=2)
# A day and more on one core. Not so few tables, since they are used one after the other.
_MAX_JOIN = 1e13
JOIN = CostModel(table=12, max_tables=50_000, max_cost=_MAX_JOIN)
# Measured with the compiled loops: 8 ns for a fingerprint in a table, 0.7 ns for a comparison, of which each candidate
# takes half: the other one meets it, too.
COMPILED_JOIN = CostModel(table=25, max_tables=50_000, max_cost=_MAX_JOIN)
WIDE_JOIN = CostModel(table=30, max_tables=50_000, max_cost=_MAX_JOIN)
# Comparisons of lanes by vector instructions: 0.08 ns each, 12 ns for a fingerprint in a table.
LANE_JOIN = CostModel(table=250, max_tables=50_000, max_cost=1e15)
# A fingerprint's way through the shuffle into one table takes the time of this many comparisons.
SHUFFLE = CostModel(table=50, max_cost=1e16)
# The same for fingerprints over 64 bits, for each lane; a comparison takes longer, too.
WIDE_SHUFFLE = CostModel(table=100, max_tables=50_000, max_cost=1e16)
# A few fingerprints in memory are searched for each one of many.
BROADCAST = CostModel(table=2, max_cost=1e16)


@dataclass(frozen=True, slots=True)
class Choice:
    """A number of blocks for a number of fingerprints.

    Attributes:
        blocks: number of blocks.
        tables: C(blocks, distance).
        candidates: fingerprints compared with each one on average, over all tables, if they are uniform.
    """

    blocks: int
    tables: int
    candidates: float

    def cost(self, model: CostModel) -> float:
        """Return the cost for one fingerprint."""
        return self.tables * model.table + self.candidates


def expected_candidates(fingerprints: int, widths: KeyWidths) -> float:
    """Return how many of some uniform fingerprints share a key with one, over all tables."""
    return fingerprints * sum(tables * 0.5**width for width, tables in widths.items())


def describe(
    fingerprints: int, bits: int, blocks: int, distance: int, usable: Callable[[int], int] = lambda width: width
) -> Choice:
    """Return what a number of blocks costs.

    Args:
        usable: the bits of a key that a table distinguishes, by the bits that the key has.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits, or over 50,000 tables.
    """
    check_parameters(blocks, distance, bits)
    widths: dict[int, int] = {}
    for width, tables in prefix_widths(bits, blocks, distance).items():
        widths[usable(width)] = widths.get(usable(width), 0) + tables
    return Choice(blocks, comb(blocks, distance), expected_candidates(fingerprints, widths))


def considered_blocks(bits: int, distance: int, model: CostModel) -> list[int]:
    """Return the numbers of blocks worth considering.

    Raises:
        LookupParameterError: not 0 <= distance < bits.
    """
    check_parameters(distance + 1, distance, bits)
    most = range(distance + 1, min(distance + _SPARE_BLOCKS, bits) + 1)
    return [blocks for blocks in most if blocks == distance + 1 or comb(blocks, distance) <= model.max_tables]


def cheapest(fingerprints: int, bits: int, distance: int, model: CostModel) -> Choice:
    """Return the number of blocks with the least cost of joining fingerprints with each other.

    Raises:
        LookupParameterError: not 0 <= distance < bits.
        TooExpensiveError: the least cost is over the model's largest.
    """
    choices = [describe(fingerprints, bits, blocks, distance) for blocks in considered_blocks(bits, distance, model)]
    best = min(choices, key=lambda choice: choice.cost(model))
    tables = f"{best.blocks} blocks, {best.tables:,} tables"
    reject_expensive(fingerprints, bits, distance, best.cost(model), model, tables)
    return best


def reject_expensive(fingerprints: int, bits: int, distance: int, cost: float, model: CostModel, tables: str) -> None:
    """Reject a search with the least cost that is over the model's largest.

    Args:
        cost: for one fingerprint.
        tables: the tables that have this cost.

    Raises:
        TooExpensiveError: it is.
    """
    total = fingerprints * cost
    if model.max_cost is not None and total > model.max_cost:
        raise TooExpensiveError(
            f"{fingerprints:,} fingerprints of {bits} bits at distance {distance} take about {total:.0e} comparisons "
            f"with the best choice ({tables}), over {model.max_cost:.0e}: "
            "use a smaller distance or fewer fingerprints, or set the number of blocks to search anyway"
        )
