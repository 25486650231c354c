"""Blocks of a 64-bit fingerprint, and the permutations that lead with some of them.

Manku, Jain and Das Sarma, Detecting near-duplicates for web crawling, WWW 2007: cut the bits
into m blocks. Fingerprints that differ in at most k bits agree in at least m - k blocks, so
C(m, k) tables, each led by another choice of m - k blocks, find every pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb

import numpy as np

from simhash_doc.lookup.errors import LookupParameterError
from simhash_doc.lookup.values import BITS, CHUNK, LARGEST, Values

_MOST_TABLES = 50_000  # 64 blocks for distance 3 make 41,664


@dataclass(frozen=True, slots=True)
class Block:
    """Bits [low, high) of a fingerprint; bit 0 is the least significant."""

    low: int
    high: int

    @property
    def width(self) -> int:
        return self.high - self.low

    @property
    def mask(self) -> int:
        return (1 << self.high) - (1 << self.low)


def cut(blocks: int, bits: int = BITS) -> list[Block]:
    """Return `blocks` blocks that cover all bits, lowest first, their widths equal or one apart."""
    edges = [number * bits // blocks for number in range(blocks + 1)]
    return [Block(low, high) for low, high in pairwise(edges)]


@dataclass(frozen=True, slots=True)
class Permutation:
    """An order of the blocks: the leading ones (the prefix) first, in the most significant bits.

    Attributes:
        moves: (mask, shift) pairs; the bits under the mask move left by shift (right if negative).
        prefix_bits: number of bits in the prefix.
        prefix_mask: the bits of the prefix, where they stand in a fingerprint.
    """

    moves: tuple[tuple[int, int], ...]
    prefix_bits: int
    prefix_mask: int

    def apply(self, values: Values, out: Values | None = None) -> Values:
        """Return the values permuted, shape (n,), in `out` if given."""
        return _moved(values, self.moves, out)

    def undo(self, permuted: Values) -> Values:
        """Return the values whose permutation is given, shape (n,)."""
        back = tuple((mask << shift if shift >= 0 else mask >> -shift, -shift) for mask, shift in self.moves)
        return _moved(permuted, back)

    def leading(self, bits: int) -> tuple[tuple[int, int], ...]:
        """Return the moves that take a fingerprint to its first `bits` permuted bits as a small integer."""
        moves = []
        for mask, shift in self.moves:
            kept = (LARGEST << (BITS - bits)) & LARGEST
            source = mask & (kept >> shift if shift >= 0 else kept << -shift)
            if source:
                moves.append((source, shift - (BITS - bits)))
        return tuple(moves)


def permutations(blocks: int, distance: int) -> list[Permutation]:
    """Return the C(blocks, distance) permutations, one for each choice of leading blocks.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= 64, or over 50,000 tables.
    """
    check_parameters(blocks, distance)
    parts = cut(blocks)
    made = []
    for chosen in combinations(range(blocks), blocks - distance):
        rest = sorted(set(range(blocks)) - set(chosen), reverse=True)
        # Highest first in both halves, so that neighbours move by the same shift: fewer moves.
        order = [parts[number] for number in (*reversed(chosen), *rest)]
        masks: dict[int, int] = {}
        top = BITS
        for block in order:
            top -= block.width
            masks[top - block.low] = masks.get(top - block.low, 0) | block.mask
        leading = [parts[number] for number in chosen]
        made.append(
            Permutation(
                moves=tuple((mask, shift) for shift, mask in masks.items()),
                prefix_bits=sum(block.width for block in leading),
                prefix_mask=sum(block.mask for block in leading),
            )
        )
    return made


def check_parameters(blocks: int, distance: int, bits: int = BITS) -> None:
    """Refuse parameters that no set of tables can have.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits, or over 50,000 tables.
    """
    for name, number in (("blocks", blocks), ("distance", distance)):
        if isinstance(number, bool) or not isinstance(number, int):
            raise LookupParameterError(f"{name} is {number!r}, not an integer")
    if distance < 0:
        raise LookupParameterError(f"distance is {distance}; it is a number of bits, 0 or more")
    if not distance < blocks <= bits:
        tables = f" ({comb(distance + 2, distance)} tables)" if distance <= 6 else ""
        raise LookupParameterError(
            f"blocks is {blocks} for distance {distance}; it must be over the distance and at most {bits}, "
            f"such as {min(distance + 2, bits)}{tables}"
        )
    if comb(blocks, distance) > _MOST_TABLES:
        raise LookupParameterError(
            f"{blocks} blocks for distance {distance} make {comb(blocks, distance):,} tables, over {_MOST_TABLES:,}: "
            "take fewer blocks"
        )


def move_bits(values: Values, moves: tuple[tuple[int, int], ...], out: Values, scratch: Values) -> None:
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


def _moved(values: Values, moves: tuple[tuple[int, int], ...], out: Values | None = None) -> Values:
    moved = np.empty(len(values), np.uint64) if out is None else out
    scratch = np.empty(min(CHUNK, len(values)), np.uint64)
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        move_bits(part, moves, moved[start : start + CHUNK], scratch[: len(part)])
    return moved
