"""Tables of the lanes of fingerprints over 64 bits, for a join of all tables at once.

Fingerprints within d bits are within t(i) bits in some lane i, if the sum of t(i) + 1 over all lanes is d + 1: see
`lane_plan`. A pair is reported by the first lane that is within its distance, from the first table of this lane.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import LANE_BITS
from simhash_doc.lookup.arrays import Values
from simhash_doc.lookup.blocks import Block, Blocking, Tables


@dataclass(frozen=True)
class LaneTables(Tables):
    """The tables of every lane, one lane after the other.

    Attributes:
        bits: width of the fingerprints.
        distance: maximum number of differing bits.
        blockings: for each lane, tables of 64 bits; None if the lane is not needed.
    """

    bits: int
    distance: int
    blockings: tuple[Blocking | None, ...]

    @cached_property
    def choices(self) -> tuple[tuple[Block, ...], ...]:  # type: ignore[override]
        """The blocks of each table's key in the complete fingerprint, lowest first."""
        return tuple(
            tuple(Block(block.low + low, block.high + low) for block in blocking.choices[number])
            for lane, blocking, number in self._places
            for low in (LANE_BITS * (len(self.blockings) - 1 - lane),)
        )

    def is_first(self, difference: Values, table: int) -> npt.NDArray[np.bool_]:
        """Return for each pair, shape (p,), True if its first lane within the distance has this table as the first.

        Args:
            difference: XOR of the two fingerprints of each pair, shape (p, lanes).
        """
        lane, blocking, number = self._places[table]
        first = blocking.is_first(difference[:, lane], number)
        first &= np.bitwise_count(difference[:, lane]) <= blocking.distance
        for before, other in enumerate(self.blockings[:lane]):
            if other is not None:
                first &= np.bitwise_count(difference[:, before]) > other.distance
        return first

    @cached_property
    def _places(self) -> tuple[tuple[int, Blocking, int], ...]:
        """The lane of each table, the tables of this lane, and its number among them."""
        return tuple(
            (lane, blocking, number)
            for lane, blocking in enumerate(self.blockings)
            if blocking is not None
            for number in range(len(blocking))
        )
