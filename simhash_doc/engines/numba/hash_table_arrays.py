"""The arrays of the hash table that holds the distinct tokens of a document."""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.numba.raw_memory import address

# State, in an array of int64.
ENTRIES = 0  # distinct tokens
ARENA = 1  # bytes of the arena in use
MASK = 2  # slots in use, less one
TOTAL = 3  # occurrences of tokens
CAREFUL = 4  # 1 once places are hashes of the bytes
PROBE_LIMIT = 5  # steps after which a search counts as long
ENTRY_ROOM = 6  # distinct tokens that the arrays have room for
ARENA_ROOM = 7  # bytes that the arena has room for
AHEAD_FROM = 8  # distinct tokens from which on slots are prefetched
QUEUED = 9  # queued tokens
QUEUE = 10  # of each queued token: start and end in the text, hash, place
QUEUE_ITEMS = 4
QUEUE_LENGTH = 64
ORDER = QUEUE + QUEUE_ITEMS * QUEUE_LENGTH  # the queued tokens in the order in which they are counted
TABLE_STATE_SIZE = ORDER + QUEUE_LENGTH
FIRST_SLOTS = 256
PADDING = 16  # bytes after the last token of the arena, which a copy may overwrite

Item = TypeVar("Item", np.uint8, np.uint32, np.int64, np.uint64)
PRIME = 2**31 - 1
_AHEAD_FROM = 1 << 17  # a table of this many tokens takes about 5 MB
_LARGEST_ARENA = 2**32 - 2 * PADDING


class Addresses(NamedTuple):
    """The addresses of the arrays of a table. An entry is one distinct token."""

    slots: int  # uint32: 0, or entry + 1 in the bits of the mask, and the tag in those above
    hashes: int  # uint64, of an entry
    starts: int  # uint32, of an entry in the arena; it ends at the start of the next one
    counts: int  # uint8, of an entry, at most 8
    arena: int  # uint8: the bytes of the tokens
    state: int
    key: int  # uint64: an offset, two odd factors, the argument of the polynomial


class Table:
    """A hash table, empty at first.

    Args:
        entries: number of distinct tokens to reserve room for.
        arena: bytes of distinct tokens to reserve room for.
    """

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
        """Reserve room for the tokens of `size` more bytes of text; an array that is too small is doubled.

        Raises:
            MemoryError: the distinct tokens would take more than 4 GiB.
        """
        entries, arena = int(self.state[ENTRIES]) + size // 2 + 1, int(self.state[ARENA]) + 3 * size
        entry_room, arena_room = int(self.state[ENTRY_ROOM]), int(self.state[ARENA_ROOM])
        if arena > _LARGEST_ARENA:
            raise MemoryError(
                "the distinct tokens of one text take more than 4 GiB; the limit of the engine numba is 4 GiB"
            )
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
    """Return an array of this size with the items in use. Untouched memory costs nothing."""
    if len(array) == size:
        return array
    grown = np.zeros(size, array.dtype)
    used = min(used, len(array))
    grown[:used] = array[:used]
    return grown
