"""Simhash algorithms of other projects, written from their public descriptions, to show why values differ.

They are for comparison only. docs/why-your-simhash-differs.md explains each. tests/benchmarks/test_others.py checks
each against values that its project publishes and, where it can be installed, against the project itself.
"""

from __future__ import annotations

from collections.abc import Iterable


def vote(hashes: Iterable[tuple[int, int]], bits: int) -> list[int]:
    """Return one sum per bit.

    Args:
        hashes: Pairs of a hash and its weight.
        bits: Number of sums.

    Returns:
        For each bit, from the least significant: the weights of hashes with a 1, minus those of hashes with a 0.
    """
    sums = [0] * bits
    for value, weight in hashes:
        for bit in range(bits):
            sums[bit] += weight if value >> bit & 1 else -weight
    return sums


def value_of(ones: Iterable[bool]) -> int:
    """Return the integer with these bits, the least significant first."""
    return sum(1 << bit for bit, one in enumerate(ones) if one)
