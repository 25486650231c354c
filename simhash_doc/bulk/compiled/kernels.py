"""What Python calls: the loops over a document and over a batch of documents.

All arrays are given by their addresses: see `memory`.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from simhash_doc.bulk.compiled.addresses import TableAddresses
from simhash_doc.bulk.compiled.counting import add, clear, rebuild
from simhash_doc.bulk.compiled.cutting import count_tokens, last_cut
from simhash_doc.bulk.compiled.folding import FILLED, LAST, LAST_CLASS, MARGIN, PENDING, RUN, STARTER, fold
from simhash_doc.bulk.compiled.memory import byte_at, int64_item, put_byte, put_int64, put_uint64, uint32_item
from simhash_doc.bulk.compiled.summing import add_sums, signs
from simhash_doc.bulk.compiled.token_table import ARENA, ARENA_ROOM, ENTRIES, ENTRY_ROOM, TOTAL, Addresses

# What a call came to.
DONE, GROW_SCRATCH, GROW_TABLE = 0, 1, 2


@njit
def has_room(table, size):
    """Tell whether the table has room for all tokens that `size` bytes can hold.

    A token takes two bytes of text, or three as a bigram, which has six or more.
    """
    entries = int64_item(table.state, ENTRIES) + size // 2 + 1
    arena = int64_item(table.state, ARENA) + 3 * size
    return entries <= int64_item(table.state, ENTRY_ROOM) and arena <= int64_item(table.state, ARENA_ROOM)


@njit
def _feed(data, at, end, final, scratch, room, state, marks, table, tables):
    """Fold data[at:end] and count its tokens; return the index behind what was read, and what it came to."""
    while True:
        at = fold(data, at, end, final, scratch, room, state, marks, tables)
        filled = int64_item(state, FILLED)
        full = filled >= room - MARGIN
        last = int64_item(state, LAST)
        if not full:
            if not final:
                return at, DONE
            upto = rest = filled
        else:
            upto, rest = last_cut(scratch, filled if int64_item(state, PENDING) else max(last, 0), tables)
            if upto == 0:
                return at, GROW_SCRATCH
        if not has_room(table, upto):
            return at, GROW_TABLE
        count_tokens(scratch, 0, upto, table, tables)
        for i in range(filled - rest):
            put_byte(scratch, i, byte_at(scratch, rest + i))
        put_int64(state, FILLED, filled - rest)
        put_int64(state, LAST, max(last - rest, -1))
        if not full:
            return at, DONE


@njit
def _expected_slots(data, start, end):
    """Return with how many slots a document's table hardly has to grow, judged by 64 of its bytes.

    Of bytes of Chinese or Japanese a third begins a character, and nearly each of these a bigram; words are fewer.
    """
    step = max(1, (end - start) // 64)
    leads = 0
    for at in range(start, end, step):
        leads += byte_at(data, at) >= 0xE3
    return 2 * (end - start) // 3 if leads > 12 else (end - start) // 3


@njit
def reset(state):
    """Begin a text."""
    for field in (FILLED, LAST_CLASS, RUN, PENDING):
        put_int64(state, field, 0)
    put_int64(state, LAST, -1)
    put_int64(state, STARTER, -1)


def reset_state(state: npt.NDArray[np.int64]) -> None:
    """Begin a text, from Python."""
    state[:] = 0
    state[LAST] = state[STARTER] = -1


def _digest() -> str:
    """Return a digest of the source files of the compiled loops."""
    folder = Path(__file__).parent
    return sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()


class Kernels(NamedTuple):
    """The compiled functions."""

    feed: Any
    fingerprint_all: Any
    sum_bits: Any
    add_tokens: Any
    rebuild_slots: Any


@cache
def kernels() -> Kernels:
    """Return the compiled functions, from Numba's cache if they are in it."""
    # Numba sees when the file of a cached function has changed, but not those of the functions that
    # it calls. What a function closes over is part of the key, and so is this digest.
    digest = _digest()
    # Addresses come as plain tuples: Numba's index of its cache names the types of the arguments, and could not
    # be read any more once a class of ours had another name.

    # With the GIL held: an accumulator that two threads use by mistake stays sound.
    @njit(cache=True)
    def feed(data, at, end, final, scratch, room, state, marks, table, tables):
        digest  # noqa: B018
        table, tables = Addresses(*table), TableAddresses(*tables)
        return _feed(data, at, end, final, scratch, room, state, marks, table, tables)

    @njit(cache=True, nogil=True)
    def fingerprint_all(
        data, offsets, first, count, words, made, missing, scratch, room, state, marks, table, tables, lanes, sums
    ):
        """Fingerprint data[offsets[i]:offsets[i + 1]] for i from `first` on; return where and why it stopped."""
        digest  # noqa: B018
        table, tables = Addresses(*table), TableAddresses(*tables)
        for i in range(first, count):
            reset(state)
            start, end = int64_item(offsets, i), int64_item(offsets, i + 1)
            clear(table, _expected_slots(data, start, end))
            _, status = _feed(data, start, end, True, scratch, room, state, marks, table, tables)
            if status != DONE:
                return i, status
            put_byte(missing, i, 1 if int64_item(table.state, TOTAL) == 0 else 0)
            for word in range(words):
                add_sums(table, word, lanes, sums)
                put_uint64(made, i * words + word, signs(sums, word))
        return count, DONE

    @njit(cache=True)
    def sum_bits(table, words, lanes, sums):
        """Put the sums of `words` words over the tokens of a table into `sums`."""
        digest  # noqa: B018
        table = Addresses(*table)
        for word in range(words):
            add_sums(table, word, lanes, sums)

    @njit(cache=True)
    def add_tokens(text, starts, counts, first, count, table):
        """Count tokens text[starts[i]:starts[i + 1]]; return the index of the first for which there is no room."""
        digest  # noqa: B018
        table = Addresses(*table)
        for i in range(first, count):
            start, end = uint32_item(starts, i), uint32_item(starts, i + 1)
            if not has_room(table, end - start + 2):
                return i
            add(text, start, end, byte_at(counts, i), table)
        return count

    @njit(cache=True)
    def rebuild_slots(table):
        """Find the places of the entries anew, after some were taken away."""
        digest  # noqa: B018
        rebuild(Addresses(*table))

    return Kernels(feed, fingerprint_all, sum_bits, add_tokens, rebuild_slots)
