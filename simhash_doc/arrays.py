"""Arrays of fingerprints: shape (n, lanes), dtype uint64; their order, hashes and conversions.

Lane 0 holds the most significant 64 bits (SD-WIDE-3). Inside the package every array of fingerprints has this shape,
also of 64 bits. Public functions take and return `Values`, in which fingerprints of 64 bits have the shape (n,).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from simhash_doc.schemes import LANE_BITS, Scheme, scheme_of_bits

Lanes = npt.NDArray[np.uint64]
"""Fingerprints, shape (n, lanes)."""
Lane = npt.NDArray[np.uint64]
"""One lane of fingerprints, shape (n,)."""
Values = npt.NDArray[np.uint64]
"""Fingerprints as public functions take and return them: shape (n,) of 64 bits, (n, lanes) of more."""
Hashes = npt.NDArray[np.uint64]
"""Shape (n,)."""


def lanes_from_values(values: Values) -> Lanes:
    """Return fingerprints of a public function as shape (n, lanes); no copy."""
    return values[:, None] if values.ndim == 1 else values


def values_from_lanes(rows: Lanes) -> Values:
    """Return fingerprints of shape (n, lanes) as public functions return them; no copy."""
    return rows[:, 0] if rows.shape[1] == 1 else rows


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


def empty_lanes(lanes: int) -> Lanes:
    """Return no fingerprints, shape (0, lanes)."""
    return np.empty((0, lanes), np.uint64)


def scheme_of(rows: Lanes) -> Scheme:
    """Return the scheme whose width an array of fingerprints, shape (n, lanes), has."""
    return scheme_of_bits(LANE_BITS * rows.shape[1])


def popcount(rows: Lanes) -> npt.NDArray[np.unsignedinteger]:
    """Return the number of bits set in each fingerprint, shape (n,): uint8 of one lane, uint16 of more.

    Of the XOR of two arrays this is the Hamming distance (SD-DIST-1).
    """
    counts: npt.NDArray[np.unsignedinteger] = np.bitwise_count(rows[:, 0])
    if rows.shape[1] > 1:
        counts = counts.astype(np.uint16)
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


def sort_keys(rows: Lanes) -> npt.NDArray[np.uint64] | npt.NDArray[np.bytes_]:
    """Return a key for each fingerprint, shape (n,), such that keys compare as the fingerprints do."""
    if rows.shape[1] == 1:
        return rows[:, 0]
    # Strings of equal length compare byte by byte, and numpy sorts and searches them.
    return rows.astype(">u8", order="C").view(f"S{8 * rows.shape[1]}")[:, 0]


def sorted_rows(rows: Lanes) -> Lanes:
    """Return the fingerprints in ascending order."""
    if rows.shape[1] == 1:
        return np.sort(np.asarray(rows), axis=0)  # of a mapped file, what is in memory is no memmap
    return lanes_from_bytes(np.sort(sort_keys(rows)).tobytes(), rows.shape[1])


def equal_rows(a: Lanes, b: Lanes) -> npt.NDArray[np.bool_]:
    """Return for each row, shape (n,), True if both arrays have the same fingerprint there."""
    equal: npt.NDArray[np.bool_] = a[:, 0] == b[:, 0]
    for lane in range(1, a.shape[1]):
        equal &= a[:, lane] == b[:, lane]
    return equal


def differs_from_previous(ordered: Lanes) -> npt.NDArray[np.bool_]:
    """Return for each fingerprint, shape (n,), True if it is the first or differs from the one before it."""
    differs = np.ones(len(ordered), bool)
    np.logical_not(equal_rows(ordered[1:], ordered[:-1]), out=differs[1:])
    return differs


def distinct_rows(ordered: Lanes) -> Lanes:
    """Return each fingerprint of an ascending array once."""
    first = differs_from_previous(ordered)
    return ordered if first.all() else ordered.compress(first, axis=0)


def is_among(rows: Lanes, members: Lanes) -> npt.NDArray[np.bool_]:
    """Return for each fingerprint, shape (n,), True if it is one of `members`, which are ascending."""
    if not len(members):
        return np.zeros(len(rows), bool)
    rank = np.searchsorted(sort_keys(members), sort_keys(rows))
    rank[rank == len(members)] = 0
    return equal_rows(members.take(rank, axis=0), rows)


def is_among_any(rows: Lanes, several: Iterable[Lanes]) -> npt.NDArray[np.bool_]:
    """Return for each fingerprint, shape (n,), True if it is in one of several arrays, each of them ascending."""
    found = np.zeros(len(rows), bool)
    for members in several:
        found |= is_among(rows, members)
    return found


def in_order(a: Lanes, b: Lanes) -> tuple[Lanes, Lanes]:
    """Return the smaller and the larger fingerprint of each pair."""
    if a.shape[1] == 1:
        return np.minimum(a, b), np.maximum(a, b)
    less = np.zeros(len(a), bool)
    for lane in reversed(range(a.shape[1])):
        less = np.where(a[:, lane] == b[:, lane], less, a[:, lane] < b[:, lane])
    return np.where(less[:, None], a, b), np.where(less[:, None], b, a)


def mixed(rows: Lanes) -> Hashes:
    """Return a 64-bit hash of each row, shape (n,): the finalizer of MurmurHash3 over its lanes.

    It is one to one for a single lane.
    """
    hashes = np.zeros(len(rows), np.uint64)
    for lane in rows.T:
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= lane
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            hashes ^= hashes >> np.uint64(33)
            hashes *= np.uint64(factor)
        hashes ^= hashes >> np.uint64(33)
    return hashes


def spread(hashes: Hashes, parts: int) -> npt.NDArray[np.int64]:
    """Return the part, in [0, parts), of each hash."""
    return ((hashes >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)
