"""The compiled functions that Python calls: loops over a document and over a batch of documents.

All arrays are passed as addresses: see `intrinsics`.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from simhash_doc.engines.numba import fold as fold_module
from simhash_doc.engines.numba import hash_table, intrinsics, links, tokenize
from simhash_doc.engines.numba.fold import FILLED, LAST, LAST_CLASS, MARGIN, PENDING, RUN, STARTER, fold
from simhash_doc.engines.numba.hash_table import (
    ARENA,
    ARENA_ROOM,
    ENTRIES,
    ENTRY_ROOM,
    Addresses,
    add,
    add_sums,
    clear,
    put_statistics,
    signs,
)
from simhash_doc.engines.numba.intrinsics import (
    address,
    byte_at,
    inner,
    int64_item,
    put_byte,
    put_int64,
    put_uint64,
    uint32_item,
)
from simhash_doc.engines.numba.links import CLASSES
from simhash_doc.engines.numba.tokenize import count_tokens, last_cut
from simhash_doc.engines.unicode_tables import UnicodeTables, tables

# The status of a call.
DONE, GROW_SCRATCH, GROW_TABLE = 0, 1, 2

_LOOPS = (fold_module, hash_table, intrinsics, links, tokenize)


@cache
def _ascii_kinds() -> npt.NDArray[np.uint8]:
    """Return the classes of each byte of folded text, shape (256,); 0 for bytes that are not ASCII."""
    return np.append(tables().classes[:0x80], np.zeros(0x80, np.uint8))


@cache
def _readable_tables() -> UnicodeTables:
    """Return the tables; the loops read up to seven bytes after the last one of `copied`."""
    found = tables()
    return found._replace(copied=np.append(found.copied, np.zeros(7, np.uint8)))


class TableAddresses(NamedTuple):
    """The addresses of the arrays of `UnicodeTables`, and of two tables of ASCII characters."""

    classes: int
    actions: int
    ccc: int
    records: int
    copy_starts: int
    copied: int
    nfd_starts: int
    nfd: int
    pairs: int
    composites: int
    ascii_kinds: int
    link_kinds: int


@cache
def table_addresses() -> tuple[int, ...]:
    """Return the addresses in the order of `TableAddresses`. They are valid while the process runs."""
    arrays: tuple[npt.NDArray[Any], ...] = (*_readable_tables(), _ascii_kinds(), CLASSES)
    return tuple(address(array) for array in arrays)


@inner
def has_room(table, size):
    """Return True if the table has room for all tokens that `size` bytes can have.

    A token takes two bytes of text with the space after it, or three as a bigram, which has six bytes or more.
    """
    entries = int64_item(table.state, ENTRIES) + size // 2 + 1
    arena = int64_item(table.state, ARENA) + 3 * size
    return entries <= int64_item(table.state, ENTRY_ROOM) and arena <= int64_item(table.state, ARENA_ROOM)


@njit(inline="always")
def _feed(data, at, end, final, scratch, room, state, marks, table, tables):
    """Fold data[at:end] and count its tokens; return the index after the last byte that was read, and a status."""
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
        count_tokens(scratch, upto, table, tables)
        for i in range(filled - rest):
            put_byte(scratch, i, byte_at(scratch, rest + i))
        put_int64(state, FILLED, filled - rest)
        put_int64(state, LAST, max(last - rest, -1))
        if not full:
            return at, DONE


@inner
def reset(state):
    """Prepare the state for a new text."""
    for field in (FILLED, LAST_CLASS, RUN, PENDING):
        put_int64(state, field, 0)
    put_int64(state, LAST, -1)
    put_int64(state, STARTER, -1)


def source_digest() -> str:
    """Return a digest of the code of the compiled loops, and of the constants that they take from other modules."""
    sources = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    constants = [
        f"{module.__name__}.{name}={value!r}".encode()
        for module in _LOOPS
        for name, value in sorted(vars(module).items())
        if isinstance(value, int | np.integer | tuple)
    ]
    return sha256(b"\0".join(sources + constants)).hexdigest()


class Kernels(NamedTuple):
    """The compiled functions."""

    feed: Any
    fingerprint_all: Any
    sum_bits: Any
    add_tokens: Any


@cache
def kernels() -> Kernels:
    """Return the compiled functions, from Numba's cache if they are in it."""
    # Numba notices a change in the file of a cached function, but not in the files of the functions that it calls.
    # The variables that a function closes over are part of the key of the cache, and so is this digest.
    digest = source_digest()
    # Addresses are passed as plain tuples: Numba's index of its cache has the types of the arguments, and could not
    # be read after one of our classes was renamed.

    # With the GIL held: an accumulator that two threads use by mistake stays consistent.
    @njit(cache=True)
    def feed(data, at, end, final, scratch, room, state, marks, table, tables):
        digest  # noqa: B018
        table, tables = Addresses(*table), TableAddresses(*tables)
        return _feed(data, at, end, final, scratch, room, state, marks, table, tables)

    @njit(cache=True, nogil=True)
    def fingerprint_all(
        data, offsets, first, count, lanes, results, tokens, scratch, room, state, marks, table, tables, counters, sums
    ):
        """Fingerprint data[offsets[i]:offsets[i + 1]] for i from `first` on; return the i where it stopped and why."""
        digest  # noqa: B018
        table, tables = Addresses(*table), TableAddresses(*tables)
        for i in range(first, count):
            reset(state)
            start, end = int64_item(offsets, i), int64_item(offsets, i + 1)
            clear(table, (end - start) // 3)
            _, status = _feed(data, start, end, True, scratch, room, state, marks, table, tables)
            if status != DONE:
                return i, status
            put_statistics(table, tokens, 3 * i)
            for lane in range(lanes):
                add_sums(table, lane, counters, sums)
                put_uint64(results, i * lanes + lane, signs(sums, lane))
        return count, DONE

    @njit(cache=True)
    def sum_bits(table, lanes, counters, sums):
        """Write the sums of all lanes over the tokens of a table to `sums`."""
        digest  # noqa: B018
        table = Addresses(*table)
        for lane in range(lanes):
            add_sums(table, lane, counters, sums)

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

    return Kernels(feed, fingerprint_all, sum_bits, add_tokens)
