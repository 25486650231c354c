"""Sum the votes of hashes: the step that all simhash algorithms share."""

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
