"""Compiled loops that put 64-bit fingerprints into buckets by some of their bits, and compare those of a bucket.

All functions are in one file, because Numba's cache notices changes of the file of a function only.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

PIECE = 128  # values compared before their distances are looked at
_WORD = np.uint64(64)


@intrinsic
def _popcount(context, value):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(cache=True, nogil=True)
def count_buckets(rows, lane, shift, mask, counts):
    """Add the size of each bucket to `counts`; the bucket of a row is (its lane >> shift) & mask."""
    for i in range(len(rows)):
        counts[(rows[i, lane] >> shift) & mask] += 1


@njit(cache=True, nogil=True)
def fill_buckets(rows, lane, shift, mask, low, places, out):
    """Write the rows of the buckets low, low + 1, ... to `out`; `places`, where the next of each goes, are advanced."""
    buckets = np.uint64(len(places))
    for i in range(len(rows)):
        bucket = ((rows[i, lane] >> shift) & mask) - low
        if bucket < buckets:
            place = places[bucket]
            for j in range(rows.shape[1]):
                out[place, j] = rows[i, j]
            places[bucket] = place + 1


@njit(nogil=True, inline="always")
def _gathered(value, masks, rotations):
    """Return the OR of the bits under each mask, rotated to the right."""
    bits = np.uint64(0)
    for i in range(len(masks)):
        part = value & masks[i]
        bits |= (part >> rotations[i]) | (part << ((_WORD - rotations[i]) & np.uint64(63)))
    return bits


@njit(cache=True, nogil=True)
def divide(values, masks, rotations, ends, out, order=None):
    """Write the values to `out` in the order of the bits that masks and rotations gather; return the largest part.

    Args:
        ends: shape (2^bits + 1,); receives where each part but the last, an empty one, ends.
        order: receives the position that each value of `out` has in `values`.
    """
    ends[:] = 0
    for value in values:
        ends[_gathered(value, masks, rotations) + np.uint64(1)] += 1
    largest = 0
    for i in range(1, len(ends)):
        largest = max(largest, ends[i])
        ends[i] += ends[i - 1]
    for i in range(len(values)):
        part = _gathered(values[i], masks, rotations)
        place = ends[part]
        out[place] = values[i]
        if order is not None:
            order[place] = i
        ends[part] = place + 1
    return largest


@njit(nogil=True, inline="always")
def _differs_in_each(difference, masks):
    """Return True if two values with this XOR differ under each mask."""
    for mask in masks:
        if difference & mask == 0:
            return False
    return True


@njit(cache=True, nogil=True)
def compare(divided, row, part_bits, own, skipped, distance, first, second, filled):
    """Write the pairs within the distance that a table is the first to find to `first` and `second`.

    Args:
        divided: distinct values, as `divide` writes them.
        row: where to start in `divided`.
        part_bits: the bits that all values of a part share.
        own: the bits of the key of the table.
        skipped: `Blocking.skipped_masks` of the table.
        filled: number of pairs already written.

    Returns:
        The number of pairs and the next row, which is len(divided) at the end; less if there may be no room for its
        pairs.
    """
    for i in range(row, len(divided)):
        value = divided[i]
        if len(first) - filled < len(divided) - i:
            end = i + 1
            while end < len(divided) and (value ^ divided[end]) & part_bits == 0:
                end += 1
            if len(first) - filled < end - i:
                return filled, i
        for j in range(i + 1, len(divided)):
            difference = value ^ divided[j]
            if difference & part_bits:
                break
            if _popcount(difference) <= distance and difference & own == 0:  # type: ignore[call-arg]
                if _differs_in_each(difference, skipped):
                    first[filled] = value
                    second[filled] = divided[j]
                    filled += 1
    return filled, len(divided)


@njit(cache=True, nogil=True)
def compare_rows(divided, order, ends, start, key, skipped, rows, lane, limits, distance, first, second):
    """Write the pairs of rows that a table of one lane is the first to find to `first` and `second`.

    Args:
        divided, order, ends: a lane of the rows, as `divide` writes it.
        start: where to continue: the part, and two places in `divided`; set to where the next call continues, beyond
            the last part if all pairs are found.
        key, skipped: as for `compare`.
        rows: distinct fingerprints, shape (n, lanes).
        limits: for each lane the distance within which the pairs are found through it.
        distance: maximum distance of the pairs.

    Returns:
        The number of pairs.
    """
    filled = 0
    limit = np.uint64(limits[lane])
    place, after = start[1], start[2]
    for part in range(start[0], len(ends) - 1):
        for i in range(place, ends[part]):
            value = divided[i]
            for piece in range(max(i + 1, after), ends[part], PIECE):
                end = min(piece + PIECE, ends[part])
                if not _any_within(value, divided, piece, end, limit):
                    continue
                for j in range(piece, end):
                    difference = value ^ divided[j]
                    if (
                        _popcount(difference) <= limit  # type: ignore[call-arg]
                        and difference & key == 0
                        and _differs_in_each(difference, skipped)
                        and _is_pair(rows[order[i]], rows[order[j]], lane, limits, distance)
                    ):
                        if filled == len(first):
                            start[0], start[1], start[2] = part, i, j
                            return filled
                        first[filled] = rows[order[i]]
                        second[filled] = rows[order[j]]
                        filled += 1
            after = 0
        place = ends[part]
    start[0] = len(ends) - 1
    return filled


@njit(nogil=True, inline="always")
def _any_within(value, others, start, end, limit):
    """Return True if one of others[start:end] is within a distance of the value."""
    # Without a branch, and with unsigned indexes, so that the loop becomes vector instructions: the difference is
    # negative, and the last bit set, if the distance is not over the limit.
    near, beyond = np.uint64(0), limit + np.uint64(1)
    for j in range(np.uint64(start), np.uint64(end)):
        near |= _popcount(value ^ others[j]) - beyond  # type: ignore[call-arg]
    return near >> np.uint64(63) != 0


@njit(nogil=True)
def _is_pair(row, other, lane, limits, distance):
    """Return True if two rows are within the distance and no lane before `lane` finds them."""
    total = np.uint64(0)
    for i in range(len(row)):
        bits = np.uint64(_popcount(row[i] ^ other[i]))  # type: ignore[call-arg]
        if i < lane and np.int64(bits) <= limits[i]:
            return False
        total += bits
    return total <= distance
