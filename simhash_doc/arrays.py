"""Fingerprints as arrays of 64-bit lanes, and their conversions to integers and bytes.

An array of fingerprints has the shape (n, lanes) and dtype uint64. Lane 0 holds the most
significant 64 bits (SD-WIDE-3).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

LANE_BITS = 64

Lanes = npt.NDArray[np.uint64]


def lanes_from_ints(values: Sequence[int], lanes: int) -> Lanes:
    """Return unsigned integers of at most 64 * lanes bits as an array of shape (n, lanes).

    >>> lanes_from_ints([1, 2**64], 2).tolist()
    [[0, 1], [1, 0]]
    """
    if lanes == 1:
        return np.array(values, np.uint64).reshape(-1, 1)
    return lanes_from_bytes(b"".join(value.to_bytes(8 * lanes, "big") for value in values), lanes)


def ints_from_lanes(rows: Lanes) -> list[int]:
    """Return the fingerprints of an array of shape (n, lanes) as unsigned integers."""
    if rows.shape[1] == 1:
        listed: list[int] = rows[:, 0].tolist()
        return listed
    size, data = 8 * rows.shape[1], bytes_from_lanes(rows)
    return [int.from_bytes(data[start : start + size], "big") for start in range(0, len(data), size)]


def lanes_from_bytes(data: bytes | npt.NDArray[np.uint8], lanes: int) -> Lanes:
    """Return fingerprints, each of 8 * lanes bytes, most significant byte first, as shape (n, lanes)."""
    return np.frombuffer(data, ">u8").reshape(-1, lanes).astype(np.uint64)


def bytes_from_lanes(rows: Lanes) -> bytes:
    """Return the bytes of all fingerprints one after the other, each with its most significant byte first."""
    return rows.astype(">u8").tobytes()


def popcount(rows: Lanes) -> npt.NDArray[np.unsignedinteger]:
    """Return the number of bits set in each fingerprint: of shape (n,), uint8, or of (n, lanes), uint16.

    Of the XOR of two arrays this is the Hamming distance (SD-DIST-1).
    """
    if rows.ndim == 1:
        return np.bitwise_count(rows)
    counts: npt.NDArray[np.unsignedinteger] = np.bitwise_count(rows[:, 0]).astype(np.uint16)
    for lane in range(1, rows.shape[1]):
        # Not `sum(axis=1)`, which takes several times as long on rows this short.
        counts += np.bitwise_count(rows[:, lane])
    return counts


def bit_field(rows: Lanes, start: int, width: int) -> npt.NDArray[np.uint64]:
    """Return `width` bits (1 to 64) of each fingerprint from bit `start` on, shape (n,); bit 0 is the most significant.

    Args:
        rows: shape (n, lanes).
    """
    lane, offset = divmod(start, LANE_BITS)
    aligned = rows[:, lane] << np.uint64(offset)
    if offset + width > LANE_BITS:
        aligned |= rows[:, lane + 1] >> np.uint64(LANE_BITS - offset)
    return aligned >> np.uint64(LANE_BITS - width)
