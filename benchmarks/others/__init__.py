"""Simhash algorithms of other projects, written from their public descriptions, to show why values differ.

They are for comparison only. docs/why-your-simhash-differs.md explains each. tests/benchmarks/test_others.py checks
each against values that its project publishes and, where it can be installed, against the project itself.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def vote(hashes: Iterable[tuple[int, int]], bits: int) -> list[int]:
    """Return one sum per bit.

    Args:
        hashes: Pairs of a hash and its weight.
        bits: Number of sums.

    Returns:
        For each bit, from the least significant: the weights of hashes with a 1, minus those of hashes with a 0.
    """
    listed = list(hashes)
    low = b"".join((value & 2**bits - 1).to_bytes(bits // 8, "little") for value, _ in listed)
    ones = np.unpackbits(np.frombuffer(low, np.uint8).reshape(-1, bits // 8), axis=1, bitorder="little")
    weights = np.array([weight for _, weight in listed], np.float64)  # exact, and faster than products of integers
    return [int(total) for total in 2 * weights @ ones - weights.sum()]


def value_of(ones: Iterable[bool]) -> int:
    """Return the integer with these bits, the least significant first."""
    return sum(1 << bit for bit, one in enumerate(ones) if one)
