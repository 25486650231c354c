"""XXH64 of one token (spec, appendix A)."""

from __future__ import annotations

import numpy as np
from numba import njit

from simhash_doc.engines.numba.compiled import inner
from simhash_doc.engines.numba.raw_memory import byte_at, eight_at, four_at
from simhash_doc.engines.xxh64 import P1, P2, P3, P4, P5

_BITS = np.uint64(64)
_R1, _R7, _R11, _R12, _R18, _R23, _R27, _R31 = (np.uint64(n) for n in (1, 7, 11, 12, 18, 23, 27, 31))
_S29, _S32, _S33 = np.uint64(29), np.uint64(32), np.uint64(33)


@njit(inline="always")
def _rotl(x, r):
    return (x << r) | (x >> (_BITS - r))


@njit(inline="always")
def _round(acc, value):
    return _rotl(acc + value * P2, _R31) * P1


@njit(inline="always")
def _merge(acc, value):
    return (acc ^ _round(np.uint64(0), value)) * P1 + P4


@inner
def _long_start(data, start, end, seed):
    """Return the accumulator after all complete stripes of 32 bytes."""
    v1, v2, v3, v4 = seed + P1 + P2, seed + P2, seed, seed - P1
    while end - start >= 32:
        v1 = _round(v1, eight_at(data, start))
        v2 = _round(v2, eight_at(data, start + 8))
        v3 = _round(v3, eight_at(data, start + 16))
        v4 = _round(v4, eight_at(data, start + 24))
        start += 32
    acc = _rotl(v1, _R1) + _rotl(v2, _R7) + _rotl(v3, _R12) + _rotl(v4, _R18)
    return _merge(_merge(_merge(_merge(acc, v1), v2), v3), v4)


@inner
def xxh64(data, start, end, seed):
    """Return XXH64 of data[start:end]."""
    length = end - start
    if length >= 32:
        acc = _long_start(data, start, end, seed)
        start += length & ~31
    else:
        acc = seed + P5
    acc += np.uint64(length)
    while end - start >= 8:
        acc = _rotl(acc ^ _round(np.uint64(0), eight_at(data, start)), _R27) * P1 + P4
        start += 8
    if end - start >= 4:
        acc = _rotl(acc ^ (four_at(data, start) * P1), _R23) * P2 + P3
        start += 4
    while start < end:
        acc = _rotl(acc ^ (np.uint64(byte_at(data, start)) * P5), _R11) * P1
        start += 1
    acc = (acc ^ (acc >> _S33)) * P2
    acc = (acc ^ (acc >> _S29)) * P3
    return acc ^ (acc >> _S32)


@njit(inline="always")
def xxh64_of_six(data, start):
    """Return XXH64 of data[start:start + 6], seed 0."""
    acc = P5 + np.uint64(6)
    acc = _rotl(acc ^ (four_at(data, start) * P1), _R23) * P2 + P3
    acc = _rotl(acc ^ (np.uint64(byte_at(data, start + 4)) * P5), _R11) * P1
    acc = _rotl(acc ^ (np.uint64(byte_at(data, start + 5)) * P5), _R11) * P1
    acc = (acc ^ (acc >> _S33)) * P2
    acc = (acc ^ (acc >> _S29)) * P3
    return acc ^ (acc >> _S32)
