"""What Python calls: the loops over a document and over a batch of documents."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit

from simhash_doc.bulk.compiled.counting import ARENA, CROWDED, ENTRIES, PADDING, TOTAL, clear
from simhash_doc.bulk.compiled.cutting import count_tokens, last_cut
from simhash_doc.bulk.compiled.folding import FILLED, LAST, MARGIN, PENDING, fold
from simhash_doc.bulk.compiled.summing import add_sums, signs

# What a call came to.
DONE, GROW_SCRATCH, GROW_TABLE, CROWDED_TABLE = 0, 1, 2, 3


@njit
def _has_room(table, size):  # type: ignore[no-untyped-def]
    """Tell whether the table has room for all tokens that `size` bytes can hold.

    A token takes two bytes of text, or three as a bigram, which takes six or more in the arena.
    """
    entries = table.state[ENTRIES] + size // 2 + 2
    arena = table.state[ARENA] + 3 * size + PADDING
    return entries < table.hashes.size and 2 * entries + 2 <= table.slots.size and arena <= table.arena.size


@njit
def _feed(data, at, end, final, scratch, state, marks, table, key, tables):  # type: ignore[no-untyped-def]
    """Fold data[at:end] and count its tokens; return the index behind what was read, and what it came to."""
    while True:
        at = fold(data, at, end, final, scratch, state, marks, tables)
        filled = state[FILLED]
        full = filled >= scratch.size - MARGIN
        if final and at >= end and not full:
            upto = rest = filled
        elif not full:
            return at, DONE
        else:
            stable = filled if state[PENDING] else max(state[LAST], 0)
            upto, rest = last_cut(scratch, stable, tables.classes)
            if upto == 0:
                return at, GROW_SCRATCH
        if not _has_room(table, upto):
            return at, GROW_TABLE
        count_tokens(scratch, 0, upto, table, key, tables.classes)
        if table.state[CROWDED]:
            return at, CROWDED_TABLE
        for i in range(filled - rest):
            scratch[i] = scratch[rest + i]
        state[FILLED] = filled - rest
        state[LAST] = max(state[LAST] - rest, -1)
        if final and at >= end and not full:
            return at, DONE


@njit
def reset(state):  # type: ignore[no-untyped-def]
    """Begin a text."""
    state[:] = 0
    state[LAST] = -1


def _sources() -> str:
    """Return a digest of the source files of the compiled loops."""
    folder = Path(__file__).parent
    return sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()


@cache
def kernels() -> tuple[Any, Any, Any]:
    """Return the compiled `feed`, `fingerprint_all` and `sum_bits`, from Numba's cache if they are in it."""
    # Numba sees when the file of a cached function has changed, but not those of the functions that
    # it calls. What a function closes over is part of the key, and so is this digest.
    digest = _sources()

    @njit(cache=True, nogil=True)
    def feed(data, at, end, final, scratch, state, marks, table, key, tables):  # type: ignore[no-untyped-def]
        digest  # noqa: B018
        return _feed(data, at, end, final, scratch, state, marks, table, key, tables)

    @njit(cache=True, nogil=True)
    def fingerprint_all(  # type: ignore[no-untyped-def]
        data, offsets, first, fingerprints, missing, scratch, state, marks, table, key, tables, lanes, sums
    ):
        """Fingerprint the documents data[offsets[i]:offsets[i + 1]] from i = first on."""
        digest  # noqa: B018
        words = fingerprints.shape[1]
        for i in range(first, offsets.size - 1):
            reset(state)
            clear(table)
            _, status = _feed(data, offsets[i], offsets[i + 1], True, scratch, state, marks, table, key, tables)
            if status != DONE:
                return i, status
            missing[i] = table.state[TOTAL] == 0
            sums[:] = 0
            for word in range(words):
                add_sums(table, word, lanes, sums)
                fingerprints[i, word] = signs(sums, word)
        return offsets.size - 1, DONE

    @njit(cache=True, nogil=True)
    def sum_bits(table, words, lanes, sums):  # type: ignore[no-untyped-def]
        digest  # noqa: B018
        for word in range(words):
            add_sums(table, word, lanes, sums)

    return feed, fingerprint_all, sum_bits


