"""The arrays of the table in which `counting` keeps the distinct tokens of a document."""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.compiled.memory import address

# State, in an array of int64.
ENTRIES = 0  # distinct tokens
ARENA = 1  # bytes of the arena in use
MASK = 2  # slots in use, less one
TOTAL = 3  # occurrences of tokens
CAREFUL = 4  # 1 once searches begin at a hash of the bytes
PROBE_LIMIT = 5  # steps of a search that are taken for long
ENTRY_ROOM = 6  # distinct tokens that the arrays have room for
ARENA_ROOM = 7  # bytes that the arena has room for
AHEAD_FROM = 8  # distinct tokens from which on slots are fetched ahead
WAITING = 9  # tokens that wait for their slots
QUEUE = 10  # where these are: start and end in the text, hash, start and end of the next one
QUEUE_LENGTH = 64
TABLE_STATE_SIZE = QUEUE + 3 * QUEUE_LENGTH
FIRST_SLOTS = 256
PADDING = 16  # bytes behind the last token of the arena, which a copy may touch

Item = TypeVar("Item", np.uint8, np.uint32, np.int64, np.uint64)
PRIME = 2**31 - 1
_AHEAD_FROM = 1 << 17  # a table of so many tokens takes about 5 MB
_LARGEST_ARENA = 2**32 - 2 * PADDING


class Addresses(NamedTuple):
    """Where the arrays of a table are; an entry is one distinct token."""

    slots: int  # uint32: 0, or entry + 1 in the bits of the mask, and the place's other bits in those above
    hashes: int  # uint64, of an entry
    starts: int  # uint32, of an entry in the arena; the next one starts where it ends
    counts: int  # bytes: of an entry, at most 8
    arena: int
    state: int
    key: int  # uint64: an offset, two odd factors, the argument of the polynomial


class Table:
    """An empty table with room for so many distinct tokens of so many bytes in all."""

    def __init__(self, entries: int, arena: int) -> None:
        self.state = np.zeros(TABLE_STATE_SIZE, np.int64)
        random = [secrets.randbits(64), secrets.randbits(64) | 1, secrets.randbits(64) | 1, secrets.randbelow(PRIME)]
        self.key = np.array(random, np.uint64)
        self.slots = np.zeros(0, np.uint32)
        self.hashes = np.zeros(0, np.uint64)
        self.starts = np.zeros(0, np.uint32)
        self.counts = np.zeros(0, np.uint8)
        self.arena = np.zeros(0, np.uint8)
        self.state[MASK], self.state[PROBE_LIMIT], self.state[AHEAD_FROM] = FIRST_SLOTS - 1, 256, _AHEAD_FROM
        self._reserve(entries, arena)

    def grow(self, size: int) -> None:
        """Make room for the tokens of `size` bytes of text: twice the room of what is too small.

        Raises:
            MemoryError: the distinct tokens take more than 4 GiB.
        """
        entries, arena = int(self.state[ENTRIES]) + size // 2 + 1, int(self.state[ARENA]) + 3 * size
        entry_room, arena_room = int(self.state[ENTRY_ROOM]), int(self.state[ARENA_ROOM])
        if arena > _LARGEST_ARENA:
            raise MemoryError("the distinct tokens of one text take more than 4 GiB")
        self._reserve(
            max(entries, 2 * entry_room) if entries > entry_room else entry_room,
            max(arena, min(2 * arena_room, _LARGEST_ARENA)) if arena > arena_room else arena_room,
        )

    def _reserve(self, entries: int, arena: int) -> None:
        count, slots = int(self.state[ENTRIES]), max(FIRST_SLOTS, 1 << (2 * entries + 2).bit_length())
        self.slots = _grown(self.slots, slots, int(self.state[MASK]) + 1)
        self.hashes = _grown(self.hashes, entries + 1, count)
        self.starts = _grown(self.starts, entries + 2, count + 1)
        self.counts = _grown(self.counts, entries + 1, count)
        self.arena = _grown(self.arena, arena + PADDING, int(self.state[ARENA]))
        self.state[ENTRY_ROOM], self.state[ARENA_ROOM] = entries, arena
        self._find()

    def _find(self) -> None:
        arrays: tuple[npt.NDArray[Any], ...] = (
            self.slots,
            self.hashes,
            self.starts,
            self.counts,
            self.arena,
            self.state,
            self.key,
        )
        self.addresses = tuple(address(array) for array in arrays)  # in the order of `Addresses`

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "addresses"}

    def __setstate__(self, state: dict[str, npt.NDArray[np.uint8]]) -> None:
        self.__dict__.update(state)
        self._find()


def _grown(array: npt.NDArray[Item], size: int, used: int) -> npt.NDArray[Item]:
    """Return an array of this size with the items in use; memory that is not touched costs nothing."""
    if len(array) == size:
        return array
    grown = np.zeros(size, array.dtype)
    used = min(used, len(array))
    grown[:used] = array[:used]
    return grown
