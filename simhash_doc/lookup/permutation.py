"""Permutations of the bits of a 64-bit fingerprint that put a table's key first.

Sorting permuted integers is several times faster than sorting positions by a key. So fingerprints
of 64 bits are permuted; wider ones, which do not fit into an integer of numpy, are sorted by a hash.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simhash_doc.engines.lanes import LANE_BITS, LANE_MASK
from simhash_doc.lookup.arrays import CHUNK, Positions, Values
from simhash_doc.lookup.blocks import Blocking, cut

Moves = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Permutation:
    """An order of the blocks: the leading ones (the prefix) first, in the most significant bits.

    Attributes:
        moves: (mask, shift) pairs; the bits under the mask move left by shift (right if negative).
        prefix_bits: number of bits in the prefix.
    """

    moves: Moves
    prefix_bits: int

    def apply(self, values: Values, out: Values | None = None) -> Values:
        """Return the values permuted, shape (n,), in `out` if given."""
        return _moved(values, self.moves, out)

    def undo(self, permuted: Values) -> Values:
        """Return the values whose permutation is given, shape (n,)."""
        back = tuple((mask << shift if shift >= 0 else mask >> -shift, -shift) for mask, shift in self.moves)
        return _moved(permuted, back)

    def leading(self, bits: int) -> Moves:
        """Return the moves that take a fingerprint to its first `bits` permuted bits as a small integer."""
        moves = []
        for mask, shift in self.moves:
            kept = (LANE_MASK << (LANE_BITS - bits)) & LANE_MASK
            source = mask & (kept >> shift if shift >= 0 else kept << -shift)
            if source:
                moves.append((source, shift - (LANE_BITS - bits)))
        return tuple(moves)

    def buckets(self, values: Values, bits: int) -> Positions:
        """Return the bucket of each value, shape (n,): its first `bits` permuted bits."""
        buckets, scratch = np.empty_like(values), np.empty_like(values)
        _move_bits(values, self.leading(bits), buckets, scratch)
        return buckets.view(np.int64)


def permutations(blocking: Blocking) -> list[Permutation]:
    """Return the permutation of each table of 64-bit fingerprints."""
    parts = cut(blocking.bits, blocking.blocks)
    permuted = []
    for chosen in blocking.choices:
        rest = [block for block in parts if block not in chosen]
        # Highest first in both halves, so that neighbours move by the same shift: fewer moves.
        order = [*reversed(chosen), *reversed(rest)]
        masks: dict[int, int] = {}
        top = blocking.bits
        for block in order:
            top -= block.width
            masks[top - block.low] = masks.get(top - block.low, 0) | block.mask
        moves = tuple((mask, shift) for shift, mask in masks.items())
        permuted.append(Permutation(moves, prefix_bits=sum(block.width for block in chosen)))
    return permuted


def _move_bits(values: Values, moves: Moves, out: Values, scratch: Values) -> None:
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


def _moved(values: Values, moves: Moves, out: Values | None = None) -> Values:
    moved = np.empty(len(values), np.uint64) if out is None else out
    scratch = np.empty(min(CHUNK, len(values)), np.uint64)
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        _move_bits(part, moves, moved[start : start + CHUNK], scratch[: len(part)])
    return moved
