"""Exact sums per bit over the distinct tokens (SD-SUM-1), and their signs (SD-SIGN-1)."""

from __future__ import annotations

import numpy as np
from numba import njit

from simhash_doc.bulk.compiled.memory import byte_at, int64_item, put_int64, put_uint64, uint32_item, uint64_item
from simhash_doc.bulk.compiled.token_table import ENTRIES
from simhash_doc.bulk.compiled.xxh64 import xxh64
from simhash_doc.reference import OCCURRENCE_CAP

_BLOCK = 255 // OCCURRENCE_CAP  # tokens whose counts add up to one byte at most
_ONES = np.uint64(0x0101010101010101)
_BYTE = np.uint64(255)


@njit
def add_sums(table, word, lanes, sums):
    """Put the sums of word `word` over the entries of a table into sums[64 * word : 64 * word + 64].

    Bit i + 8 b of a hash is counted in byte b of lane i, so that one instruction counts eight
    bits (and the compiler makes it 32 or 64). The lanes are emptied before a byte can overflow.
    """
    weight = 0
    for bit in range(64):
        put_int64(sums, 64 * word + bit, 0)
    entries = int64_item(table.state, ENTRIES)
    for start in range(0, entries, _BLOCK):
        for lane in range(8):
            put_uint64(lanes, lane, np.uint64(0))
        for entry in range(start, min(start + _BLOCK, entries)):
            count = byte_at(table.counts, entry)
            weight += count
            token_hash = uint64_item(table.hashes, entry)
            if word:
                begin, end = uint32_item(table.starts, entry), uint32_item(table.starts, entry + 1)
                token_hash = xxh64(table.arena, begin, end, np.uint64(word))
            for lane in range(8):
                ones = (token_hash >> np.uint64(lane)) & _ONES
                put_uint64(lanes, lane, uint64_item(lanes, lane) + ones * np.uint64(count))
        for bit in range(64):
            ones = uint64_item(lanes, bit & 7) >> np.uint64(bit & 56) & _BYTE
            put_int64(sums, 64 * word + bit, int64_item(sums, 64 * word + bit) + 2 * np.int64(ones))
    for bit in range(64):
        put_int64(sums, 64 * word + bit, int64_item(sums, 64 * word + bit) - weight)


@njit
def signs(sums, word):
    """Return 64 sums as the bits that say which are over 0."""
    value = np.uint64(0)
    for bit in range(64):
        if int64_item(sums, 64 * word + bit) > 0:
            value |= np.uint64(1) << np.uint64(bit)
    return value
