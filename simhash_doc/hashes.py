"""XXH64 of many short tokens at once with numpy (spec, appendix A)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LONGEST = 31  # bytes; from 32 on XXH64 has another form

Words = npt.NDArray[np.uint64]

_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(prime)
    for prime in (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
)
_U = np.uint64


def xxh64_of_short(
    eights: Words, starts: npt.NDArray[np.intp], lengths: npt.NDArray[np.uint8], words: int
) -> npt.NDArray[np.uint64]:
    """Return the hashes of tokens of at most `LONGEST` bytes, shape (n, words).

    Args:
        eights: the eight bytes that begin at each byte of the text, as little-endian integers.
        starts: where the tokens begin.
        lengths: bytes of each token.
        words: words of the hashes.
    """
    hashes = np.empty((len(starts), words), np.uint64)
    for length in np.unique(lengths).tolist():
        chosen = np.flatnonzero(lengths == length)
        lanes = [eights[starts[chosen] + at] for at in range(0, length, 8)]
        for word in range(words):
            hashes[chosen, word] = _of_one_length(lanes, length, word)
    return hashes


def _of_one_length(lanes: list[Words], length: int, seed: int) -> Words:
    accumulator = np.full(len(lanes[0]), (seed + int(_P5) + length) & (1 << 64) - 1, _U)
    for lane in lanes[: length // 8]:
        accumulator = _rotated(accumulator ^ _rotated(lane * _P2, 31) * _P1, 27) * _P1 + _P4
    rest, left = lanes[-1], length % 8
    if left >= 4:
        accumulator = _rotated(accumulator ^ (rest & _U(0xFFFFFFFF)) * _P1, 23) * _P2 + _P3
    for at in range(left & 4, left):
        accumulator = _rotated(accumulator ^ (rest >> _U(8 * at) & _U(0xFF)) * _P5, 11) * _P1
    accumulator = (accumulator ^ accumulator >> _U(33)) * _P2
    accumulator = (accumulator ^ accumulator >> _U(29)) * _P3
    return accumulator ^ accumulator >> _U(32)


def _rotated(value: Words, bits: int) -> Words:
    return value << _U(bits) | value >> _U(64 - bits)
