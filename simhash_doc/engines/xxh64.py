"""XXH64 of many short tokens at once with numpy (spec, appendix A)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

# The primes of XXH64, for this module and for the compiled loops.
P1, P2, P3, P4, P5 = (
    np.uint64(prime)
    for prime in (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
)
# Masks of the first 0 to 8 bytes of a little-endian integer of eight bytes.
LOW_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
MAX_LENGTH = 31  # bytes; from 32 on XXH64 has another form

Integers = npt.NDArray[np.uint64]
_Round = tuple[Callable[[Integers, Integers], Integers], slice | npt.NDArray[np.intp], Integers]

_U = np.uint64


def windows_of(text: bytes) -> Integers:
    """Return the 8-byte windows of a text as little-endian integers, shape (len(text) - 7,): one per start byte."""
    return np.ndarray(len(text) - 7, "<u8", text, strides=(1,))


def xxh64_of_short(
    windows: Integers, starts: npt.NDArray[np.intp], lengths: npt.NDArray[np.uint8], lanes: int
) -> npt.NDArray[np.uint64]:
    """Return the hashes of tokens of at most `MAX_LENGTH` bytes, shape (n, lanes); lane j has the seed j.

    Args:
        windows: `windows_of` the text.
        starts: shape (n,); the first byte of each token.
        lengths: shape (n,); the bytes of each token.
        lanes: number of lanes.
    """
    rounds = list(_rounds(windows, starts, lengths))
    hashes = np.empty((len(starts), lanes), np.uint64)
    for lane in range(lanes):
        accumulators = lengths + _U((lane + int(P5)) & (1 << 64) - 1)
        for mix, chosen, values in rounds:
            accumulators[chosen] = mix(accumulators[chosen], values)
        accumulators = (accumulators ^ accumulators >> _U(33)) * P2
        accumulators = (accumulators ^ accumulators >> _U(29)) * P3
        hashes[:, lane] = accumulators ^ accumulators >> _U(32)
    return hashes


def _rounds(windows: Integers, starts: npt.NDArray[np.intp], lengths: npt.NDArray[np.uint8]) -> Iterator[_Round]:
    """Yield the rounds in order: the operation, the tokens that it applies to, and the bytes of each."""
    for end in range(8, int(lengths.max(initial=0)) + 1, 8):
        chosen = _where(lengths >= end)
        yield _mix_eight, chosen, windows[starts[chosen] + (end - 8)]
    rest = windows[np.minimum(starts + (lengths & 24), len(windows) - 1)]
    chosen = _where(lengths & 4 != 0)
    yield _mix_four, chosen, rest[chosen] & _U(0xFFFFFFFF)
    rest[chosen] >>= _U(32)
    for at in range(3):
        chosen = _where(lengths & 3 > at)
        yield _mix_one, chosen, rest[chosen] >> _U(8 * at) & _U(0xFF)


def _where(condition: npt.NDArray[np.bool_]) -> slice | npt.NDArray[np.intp]:
    """Return an index that selects the items for which a condition is true."""
    return slice(None) if condition.all() else condition.nonzero()[0]


def _mix_eight(accumulators: Integers, values: Integers) -> Integers:
    return _rotated(accumulators ^ _rotated(values * P2, 31) * P1, 27) * P1 + P4


def _mix_four(accumulators: Integers, values: Integers) -> Integers:
    return _rotated(accumulators ^ values * P1, 23) * P2 + P3


def _mix_one(accumulators: Integers, values: Integers) -> Integers:
    return _rotated(accumulators ^ values * P5, 11) * P1


def _rotated(value: Integers, bits: int) -> Integers:
    return value << _U(bits) | value >> _U(64 - bits)
