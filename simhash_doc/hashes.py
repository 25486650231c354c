"""XXH64 of many short tokens at once with numpy (spec, appendix A)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

# Of an integer of eight bytes, the first none to eight.
LOW_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
LONGEST = 31  # bytes; from 32 on XXH64 has another form

Words = npt.NDArray[np.uint64]
_Round = tuple[Callable[[Words, Words], Words], slice | npt.NDArray[np.intp], Words]

_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(prime)
    for prime in (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
)
_U = np.uint64


def eights_of(text: bytes) -> Words:
    """Return the eight bytes that begin at each byte of a text but the last seven, as little-endian integers."""
    return np.ndarray(len(text) - 7, "<u8", text, strides=(1,))


def xxh64_of_short(
    eights: Words, starts: npt.NDArray[np.intp], lengths: npt.NDArray[np.uint8], words: int
) -> npt.NDArray[np.uint64]:
    """Return the hashes of tokens of at most `LONGEST` bytes, shape (n, words).

    Args:
        eights: `eights_of` the text.
        starts: where the tokens begin.
        lengths: bytes of each token.
        words: words of the hashes.
    """
    rounds = list(_rounds(eights, starts, lengths))
    hashes = np.empty((len(starts), words), np.uint64)
    for word in range(words):
        accumulators = lengths + _U((word + int(_P5)) & (1 << 64) - 1)
        for mix, chosen, lanes in rounds:
            accumulators[chosen] = mix(accumulators[chosen], lanes)
        accumulators = (accumulators ^ accumulators >> _U(33)) * _P2
        accumulators = (accumulators ^ accumulators >> _U(29)) * _P3
        hashes[:, word] = accumulators ^ accumulators >> _U(32)
    return hashes


def _rounds(eights: Words, starts: npt.NDArray[np.intp], lengths: npt.NDArray[np.uint8]) -> Iterator[_Round]:
    """Yield the rounds in order: what is done, to which tokens, with which of their bytes."""
    for end in range(8, int(lengths.max(initial=0)) + 1, 8):
        chosen = _where(lengths >= end)
        yield _mix_eight, chosen, eights[starts[chosen] + (end - 8)]
    rest = eights[np.minimum(starts + (lengths & 24), len(eights) - 1)]
    chosen = _where(lengths & 4 != 0)
    yield _mix_four, chosen, rest[chosen] & _U(0xFFFFFFFF)
    rest[chosen] >>= _U(32)
    for at in range(3):
        chosen = _where(lengths & 3 > at)
        yield _mix_one, chosen, rest[chosen] >> _U(8 * at) & _U(0xFF)


def _where(condition: npt.NDArray[np.bool_]) -> slice | npt.NDArray[np.intp]:
    """Return an index of the places where a condition holds."""
    return slice(None) if condition.all() else condition.nonzero()[0]


def _mix_eight(accumulators: Words, lanes: Words) -> Words:
    return _rotated(accumulators ^ _rotated(lanes * _P2, 31) * _P1, 27) * _P1 + _P4


def _mix_four(accumulators: Words, lanes: Words) -> Words:
    return _rotated(accumulators ^ lanes * _P1, 23) * _P2 + _P3


def _mix_one(accumulators: Words, lanes: Words) -> Words:
    return _rotated(accumulators ^ lanes * _P5, 11) * _P1


def _rotated(value: Words, bits: int) -> Words:
    return value << _U(bits) | value >> _U(64 - bits)
