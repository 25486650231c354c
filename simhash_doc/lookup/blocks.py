"""The cut of a fingerprint into blocks, and the tables that follow from it, for every width.

Manku, Jain and Das Sarma, Detecting near-duplicates for web crawling, WWW 2007: cut the bits
into m blocks. Fingerprints that differ in at most k bits agree in at least m - k blocks, so
C(m, k) tables, each keyed by another choice of m - k blocks, find every pair. Record linkage
calls such a choice of keys a blocking.

Indexes in memory, the tables of a database and Spark all use this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from math import comb

import numpy as np
import numpy.typing as npt

from simhash_doc.arguments import integer
from simhash_doc.arrays import Hashes, Lane, Lanes, bit_field, lanes_from_ints, mixed
from simhash_doc.lookup.errors import LookupParameterError
from simhash_doc.lookup.inputs import AnyValue, as_value
from simhash_doc.lookup.positions import CHUNK, Positions
from simhash_doc.schemes import LANE_BITS, AnyScheme, get_scheme

MAX_TABLES = 50_000  # 64 blocks for distance 3 make 41,664


@dataclass(frozen=True, slots=True)
class BitBlock:
    """Bits [low, high) of a fingerprint."""

    low: int
    high: int

    @property
    def width(self) -> int:
        return self.high - self.low

    @property
    def mask(self) -> int:
        """The bits of the block as an integer, bit 0 the least significant."""
        return (1 << self.high) - (1 << self.low)


@lru_cache(maxsize=1024)
def cut_blocks(bits: int, blocks: int) -> tuple[BitBlock, ...]:
    """Return `blocks` blocks that cover all bits, from bit 0 on; their widths are equal or differ by one."""
    edges = [number * bits // blocks for number in range(blocks + 1)]
    return tuple(BitBlock(low, high) for low, high in pairwise(edges))


def prefix_widths(bits: int, blocks: int, distance: int) -> Counter[int]:
    """Return how many tables have a key of each number of bits.

    >>> prefix_widths(64, 5, 3) == {25: 4, 26: 6}
    True
    """
    narrow, wider = divmod(bits, blocks)  # `wider` blocks have one bit more than `narrow`
    leading = blocks - distance
    widths = Counter[int]()
    for chosen in range(max(0, leading - (blocks - wider)), min(wider, leading) + 1):
        widths[leading * narrow + chosen] += comb(wider, chosen) * comb(blocks - wider, leading - chosen)
    return widths


@dataclass(frozen=True, slots=True)
class TableGroup:
    """The tables whose keys begin with the same block, by number: one order of the fingerprints serves all of them."""

    block: BitBlock
    tables: tuple[int, ...]


class BlockTables:
    """Permuted tables; the key of each is the bits of some blocks. Every pair within the distance agrees in a key.

    Attributes:
        bits: width of the fingerprints.
        distance: maximum number of bits in which the two fingerprints of a pair differ.
        choices: the blocks of each table's key, lowest first.
    """

    bits: int
    distance: int
    choices: tuple[tuple[BitBlock, ...], ...]

    def __len__(self) -> int:
        return len(self.choices)

    @property
    def lanes(self) -> int:
        return self.bits // LANE_BITS

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The bits of each table's key as an integer."""
        return tuple(sum(block.mask for block in chosen) for chosen in self.choices)

    @cached_property
    def lane_masks(self) -> Lanes:
        """The bits of each table's key, shape (tables, lanes)."""
        return lanes_from_ints(self.masks, self.lanes)

    @cached_property
    def groups(self) -> tuple[TableGroup, ...]:
        """The tables by the most significant block of their key: distance + 1 groups if they are a `Blocking`."""
        tables: dict[BitBlock, list[int]] = {}
        for number, chosen in enumerate(self.choices):
            tables.setdefault(chosen[-1], []).append(number)
        return tuple(TableGroup(block, tuple(numbers)) for block, numbers in tables.items())

    def hashes(self, rows: Lanes, table: int) -> Hashes:
        """Return a hash of each fingerprint's key in a table, shape (n,); one to one for 64 bits.

        Args:
            rows: shape (n, lanes).
        """
        return mixed(rows & self.lane_masks[table])

    def is_first(self, difference: Lanes, table: int) -> npt.NDArray[np.bool_]:
        """Return for each pair, shape (p,), True if `table` is the first table that finds it.

        A pair may agree in the keys of several tables. Reporting it from the first only leaves no repeats
        to remove afterwards, which would cost a sort of all matches.

        Args:
            difference: XOR of the two fingerprints of each pair, shape (p, lanes).
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Blocking(BlockTables):
    """One table for each choice of blocks - distance blocks out of `blocks`; its key is the bits of these blocks.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits, or over 50,000 tables.
    """

    bits: int
    blocks: int
    distance: int

    def __post_init__(self) -> None:
        check_parameters(self.blocks, self.distance, self.bits)

    def __len__(self) -> int:
        return comb(self.blocks, self.distance)

    @cached_property
    def choices(self) -> tuple[tuple[BitBlock, ...], ...]:  # type: ignore[override]
        """The blocks of each table's key, lowest first."""
        return tuple(combinations(cut_blocks(self.bits, self.blocks), self.blocks - self.distance))

    def is_first(self, difference: Lanes, table: int) -> npt.NDArray[np.bool_]:
        """Return for each pair, shape (p,), True if `table` is the first table whose key agrees: see `BlockTables`."""
        first = ~_meets(difference, self.lane_masks[table])
        for mask in self.skipped_masks(table):
            first &= _meets(difference, mask)
        return first

    def skipped_masks(self, table: int) -> Lanes:
        """Return the bits of each block below the last one of a table's key that the key leaves out.

        The tables are in lexicographic order of their blocks, so the first one that finds a pair has the lowest blocks
        in which the pair agrees. A table whose key agrees is the first if the pair differs in each of these blocks.

        Returns:
            Shape (blocks left out, lanes).
        """
        chosen = self.choices[table]
        below = (block for block in cut_blocks(self.bits, self.blocks) if block.high < chosen[-1].high)
        return lanes_from_ints([block.mask for block in below if block not in chosen], self.lanes)


@dataclass(frozen=True)
class LaneTables(BlockTables):
    """The tables of every lane, one lane after the other.

    Attributes:
        bits: width of the fingerprints.
        distance: maximum number of differing bits.
        blockings: tables of 64 bits for each lane that is needed, from the first on.
    """

    bits: int
    distance: int
    blockings: tuple[Blocking, ...]

    @cached_property
    def choices(self) -> tuple[tuple[BitBlock, ...], ...]:  # type: ignore[override]
        """The blocks of each table's key in the complete fingerprint, lowest first."""
        return tuple(
            tuple(BitBlock(block.low + low, block.high + low) for block in blocking.choices[number])
            for lane, blocking, number in self.places
            for low in (LANE_BITS * (self.lanes - 1 - lane),)
        )

    def is_first(self, difference: Lanes, table: int) -> npt.NDArray[np.bool_]:
        """Return for each pair, shape (p,), True if its first lane within the distance has this table as the first.

        Args:
            difference: XOR of the two fingerprints of each pair, shape (p, lanes).
        """
        lane, blocking, number = self.places[table]
        first = blocking.is_first(difference[:, lane : lane + 1], number)
        first &= np.bitwise_count(difference[:, lane]) <= blocking.distance
        for before, other in enumerate(self.blockings[:lane]):
            first &= np.bitwise_count(difference[:, before]) > other.distance
        return first

    @cached_property
    def places(self) -> tuple[tuple[int, Blocking, int], ...]:
        """The lane of each table, the tables of this lane, and its number among them."""
        return tuple(
            (lane, blocking, number) for lane, blocking in enumerate(self.blockings) for number in range(len(blocking))
        )


Moves = tuple[tuple[int, int], ...]
"""(mask, shift) pairs: the bits under the mask move left by shift, right if it is negative."""


@dataclass(frozen=True, eq=False)
class Order:
    """The order of the bits in a table: the blocks of its key (the prefix) first, in the most significant bits.

    Attributes:
        bits: width of a fingerprint.
        blocks: the most significant first: all for 64 bits, and only those of the key for more.
        prefix_bits: number of bits in the prefix.
    """

    bits: int
    blocks: tuple[BitBlock, ...]
    prefix_bits: int

    @cached_property
    def moves(self) -> Moves:
        """The moves of all bits of a fingerprint of 64 bits."""
        return self.leading(LANE_BITS)

    def apply(self, values: Lane, out: Lane | None = None) -> Lane:
        """Return the values of 64 bits in this order, shape (n,), in `out` if given."""
        return _moved(values, self.moves, out)

    def undo(self, ordered: Lane) -> Lane:
        """Return the values of 64 bits that are given in this order, shape (n,)."""
        back = tuple((mask << shift if shift >= 0 else mask >> -shift, -shift) for mask, shift in self.moves)
        return _moved(ordered, back)

    def leading(self, bits: int) -> Moves:
        """Return the moves that take a fingerprint to its first `bits` bits in this order as an integer."""
        masks: dict[int, int] = {}
        for low, width, left in self._fields(bits):
            masks[left - low] = masks.get(left - low, 0) | ((1 << width) - 1) << low
        return tuple((mask, shift) for shift, mask in masks.items())

    def buckets(self, rows: Lanes, bits: int) -> Positions:
        """Return the bucket of each fingerprint, shape (n,): its first `bits` bits in this order.

        Args:
            rows: shape (n, lanes).
        """
        buckets = np.zeros(len(rows), np.uint64)
        if self.bits == LANE_BITS:  # blocks that move together take one step
            _move_bits(rows[:, 0], self.leading(bits), buckets, np.empty(len(rows), np.uint64))
        else:
            for low, width, left in self._fields(bits):
                buckets |= bit_field(rows, self.bits - low - width, width) << np.uint64(left)
        return buckets.view(np.int64)

    def _fields(self, bits: int) -> Iterator[tuple[int, int, int]]:
        """Yield the lowest bit and the width of each part of the first bits, and how far it moves from bit 0."""
        left = bits
        for block in self.blocks:
            width = min(block.width, left)
            if not width:
                return
            left -= width
            yield block.high - width, width, left


@lru_cache(maxsize=16)  # a search in parts asks for them in each
def orders_of(tables: BlockTables) -> tuple[Order, ...]:
    """Return the order of each table."""
    orders = []
    for chosen in tables.choices:
        # Highest first in both halves, so that neighbours move by the same shift: fewer moves.
        key, rest = chosen[::-1], tuple[BitBlock, ...]()
        if isinstance(tables, Blocking) and tables.lanes == 1:
            rest = tuple(block for block in reversed(cut_blocks(tables.bits, tables.blocks)) if block not in chosen)
        orders.append(Order(tables.bits, key + rest, sum(block.width for block in key)))
    return tuple(orders)


def _move_bits(values: Lane, moves: Moves, out: Lane, scratch: Lane) -> None:
    """Write to `out` the OR of each move of the values; all arrays are of shape (n,)."""
    for number, (mask, shift) in enumerate(moves):
        target = scratch if number else out
        np.bitwise_and(values, np.uint64(mask), out=target)
        if shift > 0:
            np.left_shift(target, np.uint64(shift), out=target)
        elif shift < 0:
            np.right_shift(target, np.uint64(-shift), out=target)
        if number:
            np.bitwise_or(out, scratch, out=out)


def _moved(values: Lane, moves: Moves, out: Lane | None = None) -> Lane:
    moved = np.empty(len(values), np.uint64) if out is None else out
    scratch = np.empty(min(CHUNK, len(values)), np.uint64)
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        _move_bits(part, moves, moved[start : start + CHUNK], scratch[: len(part)])
    return moved


def _meets(difference: Lanes, mask: Lanes) -> npt.NDArray[np.bool_]:
    """Return for each row True if it has a bit in common with the mask, shape (lanes,)."""
    met: npt.NDArray[np.bool_] = (difference[:, 0] & mask[0]) != 0
    for lane in range(1, len(mask)):
        if mask[lane]:
            met |= (difference[:, lane] & mask[lane]) != 0
    return met


def check_parameters(blocks: int, distance: int, bits: int) -> None:
    """Reject parameters for which no set of tables exists.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits, or over 50,000 tables.
    """
    for name, number in (("blocks", blocks), ("distance", distance)):
        if isinstance(number, bool) or not isinstance(number, int):
            raise LookupParameterError(f"{name} is {number!r}, not an integer")
    if distance < 0:
        raise LookupParameterError(f"distance is {distance}; expected 0 bits or more")
    if distance >= bits:
        raise LookupParameterError(f"distance is {distance}; expected 0 to {bits - 1} for {bits} bits")
    if not distance < blocks <= bits:
        tables = f" ({comb(distance + 2, distance)} tables)" if distance <= 6 else ""
        raise LookupParameterError(
            f"blocks is {blocks} for distance {distance}; expected more than the distance and at most {bits}, "
            f"such as {min(distance + 2, bits)}{tables}"
        )
    if comb(blocks, distance) > MAX_TABLES:
        raise LookupParameterError(
            f"{blocks} blocks for distance {distance} make {comb(blocks, distance):,} tables, over {MAX_TABLES:,}: "
            "use fewer blocks"
        )


def shard_of(value: AnyValue, *, bits: int, scheme: AnyScheme = "sd64") -> int:
    """Return the leading bits of a fingerprint: the number of its shard among 2^bits.

    Args:
        value: the fingerprint.
        bits: number of leading bits.
        scheme: the scheme.

    Raises:
        TypeError: the number is not an integer.
        BadValueError: the value is not a fingerprint of the scheme.
        LookupParameterError: the scheme has fewer bits.

    >>> shard_of(0b101 << 61, bits=3)
    5
    """
    known = get_scheme(scheme)
    bits = integer(bits, "bits", 0, known.bits, LookupParameterError)
    return as_value(value, known) >> (known.bits - bits)


def shards_to_search(value: AnyValue, *, bits: int, distance: int, scheme: AnyScheme = "sd64") -> list[int]:
    """Return the numbers of the shards that may contain a match of a query. Its own shard comes first.

    A fingerprint within the distance of a query may differ in up to `distance` of its leading bits. If a corpus is
    divided by the leading bits, only the shards within this distance can contain matches. Arguments and errors are as
    for `shard_of`.

    >>> shards_to_search(0, bits=3, distance=1)
    [0, 1, 2, 4]
    """
    own = shard_of(value, bits=bits, scheme=scheme)
    distance = integer(distance, "distance", 0, error=LookupParameterError)
    return [
        own ^ sum(1 << bit for bit in flipped)
        for count in range(min(distance, bits) + 1)
        for flipped in combinations(range(bits), count)
    ]
