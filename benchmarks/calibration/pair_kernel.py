# mypy: ignore-errors
"""A compiled loop that counts the distances of all pairs of two lists of 512-bit fingerprints."""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import intrinsic


@intrinsic
def _popcount(context, value):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(cache=True, nogil=True)
def count_pairs(mine, others, works, limits, of_64, of_128, of_256, of_512, near):
    """Add the distances of all pairs to histograms, and return the number of near pairs.

    Args:
        mine: array of shape (a, 8): fingerprints.
        others: array of shape (b, 8): fingerprints.
        works: array of shape (b,): the row of `of_512` of each other fingerprint.
        limits: array of shape (4,): a pair is near if one of its distances in 64, 128, 256 or 512 bits is at most this.
        of_64: array of shape (65,): the histogram of the 8 distances in 64 bits. `of_128` and `of_256` are alike.
        of_512: array of shape (works, 513): the histograms of 512 bits.
        near: array of shape (most, 2): the places of the near pairs in `mine` and `others`, as many as it can hold.
    """
    found = 0
    lanes = np.zeros(8, np.int64)
    for i in range(len(mine)):
        for j in range(len(others)):
            total = np.int64(0)
            is_near = False
            for lane in range(8):
                bits = np.int64(_popcount(mine[i, lane] ^ others[j, lane]))
                lanes[lane] = bits
                of_64[bits] += 1
                is_near |= bits <= limits[0]
            for half in range(2):
                first = lanes[4 * half] + lanes[4 * half + 1]
                second = lanes[4 * half + 2] + lanes[4 * half + 3]
                of_128[first] += 1
                of_128[second] += 1
                of_256[first + second] += 1
                is_near |= min(first, second) <= limits[1] or first + second <= limits[2]
                total += first + second
            of_512[works[j], total] += 1
            if is_near or total <= limits[3]:
                if found < len(near):
                    near[found, 0] = i
                    near[found, 1] = j
                found += 1
    return found
