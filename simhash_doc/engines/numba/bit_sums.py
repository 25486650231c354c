"""Exact sums per bit over the distinct tokens (SD-SUM-1), and their signs (SD-SIGN-1)."""

from __future__ import annotations

import numpy as np

from simhash_doc.engines.numba.compiled import inner
from simhash_doc.engines.numba.hash_table_arrays import ENTRIES
from simhash_doc.engines.numba.raw_memory import byte_at, int64_item, put_int64, put_uint64, uint32_item, uint64_item
from simhash_doc.engines.numba.xxh64 import xxh64
from simhash_doc.reference import OCCURRENCE_CAP

_BLOCK = 255 // OCCURRENCE_CAP  # tokens whose counts fit into one byte together
_ONES = np.uint64(0x0101010101010101)
_BYTE = np.uint64(255)


@inner
def add_sums(table, lane, counters, sums):
    """Write the sums of a lane over the entries of a table to sums[64 * lane : 64 * lane + 64].

    Bit i + 8 b of a hash is counted in byte b of counter i, so that one instruction counts eight bits (32 or 64
    once the compiler has vectorized it). The counters are emptied before a byte can overflow.
    """
    weight = 0
    for bit in range(64):
        put_int64(sums, 64 * lane + bit, 0)
    entries = int64_item(table.state, ENTRIES)
    for start in range(0, entries, _BLOCK):
        for i in range(8):
            put_uint64(counters, i, np.uint64(0))
        for entry in range(start, min(start + _BLOCK, entries)):
            count = byte_at(table.counts, entry)
            weight += count
            token_hash = uint64_item(table.hashes, entry)
            if lane:
                begin, end = uint32_item(table.starts, entry), uint32_item(table.starts, entry + 1)
                token_hash = xxh64(table.arena, begin, end, np.uint64(lane))
            for i in range(8):
                ones = (token_hash >> np.uint64(i)) & _ONES
                put_uint64(counters, i, uint64_item(counters, i) + ones * np.uint64(count))
        for bit in range(64):
            ones = uint64_item(counters, bit & 7) >> np.uint64(bit & 56) & _BYTE
            put_int64(sums, 64 * lane + bit, int64_item(sums, 64 * lane + bit) + 2 * np.int64(ones))
    for bit in range(64):
        put_int64(sums, 64 * lane + bit, int64_item(sums, 64 * lane + bit) - weight)


@inner
def signs(sums, lane):
    """Return the bits of a lane: 1 where its sum is greater than 0."""
    value = np.uint64(0)
    for bit in range(64):
        if int64_item(sums, 64 * lane + bit) > 0:
            value |= np.uint64(1) << np.uint64(bit)
    return value
