"""XXH64 of one token (spec, appendix A)."""

from __future__ import annotations

import numpy as np

from simhash_doc.engines.numba.compiled import inlined, inner
from simhash_doc.engines.numba.raw_memory import eight_at, four_at
from simhash_doc.engines.numba.vectors import either
from simhash_doc.engines.xxh64 import P1, P2, P3, P4, P5

_BITS = np.uint64(64)
_BYTE = np.uint64(255)
_1, _2, _3, _4, _8, _16 = (np.uint64(n) for n in (1, 2, 3, 4, 8, 16))
_R1, _R7, _R11, _R12, _R18, _R23, _R27, _R31 = (np.uint64(n) for n in (1, 7, 11, 12, 18, 23, 27, 31))
_S29, _S32, _S33 = np.uint64(29), np.uint64(32), np.uint64(33)


@inlined
def _rotl(x, r):
    return (x << r) | (x >> (_BITS - r))


@inlined
def _round(acc, value):
    return _rotl(acc + value * P2, _R31) * P1


@inlined
def _merge(acc, value):
    return (acc ^ _round(np.uint64(0), value)) * P1 + P4


@inlined
def _tail_byte(acc, byte):
    return _rotl(acc ^ ((byte & _BYTE) * P5), _R11) * P1


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
    rest = np.uint64(end - start)
    acc = either(rest & _4, _rotl(acc ^ (four_at(data, start) * P1), _R23) * P2 + P3, acc)
    tail = four_at(data, end - np.int64(rest & _3))
    acc = either(rest & _3, _tail_byte(acc, tail), acc)
    acc = either(rest & _2, _tail_byte(acc, tail >> _8), acc)
    acc = either(rest & _2 & rest << _1, _tail_byte(acc, tail >> _16), acc)
    acc = (acc ^ (acc >> _S33)) * P2
    acc = (acc ^ (acc >> _S29)) * P3
    return acc ^ (acc >> _S32)
