"""The tables of 64-bit values as the compiled loops need them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from simhash_doc.engines.lanes import LANE_BITS
from simhash_doc.lookup.arrays import Values
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.permutation import Permutation

MOST_PART_BITS = 16


@dataclass(frozen=True, slots=True)
class JoinTable:
    """A table.

    Attributes:
        number: of the table.
        order: its permutation.
        key: the bits of its key.
        skipped: `Blocking.skipped_masks`, shape (blocks left out,).
    """

    number: int
    order: Permutation
    key: np.uint64
    skipped: Values

    @classmethod
    def of(cls, blocking: Blocking, number: int, order: Permutation) -> JoinTable:
        """Return a table of 64-bit values by its number and permutation."""
        skipped = np.ascontiguousarray(blocking.skipped_masks(number)[:, 0])
        return cls(number, order, np.uint64(blocking.masks[number]), skipped)

    def fields(self, bits: int, members: int) -> tuple[Values, Values, np.uint64]:
        """Return the masks and rotations with which `divide` orders the members of a bucket, and the bits of all masks.

        Args:
            bits: first bits of the key that number the buckets.
            members: their number.
        """
        return _fields(self.order, bits, min(self.order.prefix_bits - bits, members.bit_length(), MOST_PART_BITS))


@lru_cache(maxsize=1 << 14)
def _fields(order: Permutation, bits: int, part_bits: int) -> tuple[Values, Values, np.uint64]:
    """Return masks and rotations that take a value to `part_bits` of its permuted bits, after the first `bits`."""
    masks, rotations = [], []
    low = (1 << part_bits) - 1
    for mask, shift in order.leading(bits + part_bits):
        kept = mask & (low >> shift if shift >= 0 else low << -shift)
        if kept:
            masks.append(kept)
            rotations.append(-shift % LANE_BITS)
    return np.array(masks, np.uint64), np.array(rotations, np.uint64), np.uint64(sum(masks))
