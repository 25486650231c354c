"""Appendix A of the specification, written out, against the package `xxhash` and published values."""

from __future__ import annotations

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

MASK = (1 << 64) - 1
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def rotl(x: int, r: int) -> int:
    x &= MASK
    return (x << r | x >> (64 - r)) & MASK


def mix(acc: int, lane: int) -> int:
    return rotl(acc + lane * P2, 31) * P1 & MASK


def xxh64(data: bytes, seed: int) -> int:
    acc = seed + P5
    rest = data
    if len(data) >= 32:
        v = [seed + P1 + P2, seed + P2, seed, seed - P1]
        while len(rest) >= 32:
            v = [mix(v[i], int.from_bytes(rest[8 * i : 8 * i + 8], "little")) for i in range(4)]
            rest = rest[32:]
        acc = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18)
        for value in v:
            acc = ((acc ^ mix(0, value)) & MASK) * P1 + P4 & MASK
    acc = acc + len(data) & MASK
    while len(rest) >= 8:
        acc = rotl(acc ^ mix(0, int.from_bytes(rest[:8], "little")), 27) * P1 + P4 & MASK
        rest = rest[8:]
    if len(rest) >= 4:
        acc = rotl(acc ^ int.from_bytes(rest[:4], "little") * P1 & MASK, 23) * P2 + P3 & MASK
        rest = rest[4:]
    for byte in rest:
        acc = rotl(acc ^ byte * P5 & MASK, 11) * P1 & MASK
    acc = (acc ^ acc >> 33) * P2 & MASK
    acc = (acc ^ acc >> 29) * P3 & MASK
    return acc ^ acc >> 32


@given(st.binary(max_size=200), st.integers(0, 7))
def test_appendix_a_is_xxh64(data: bytes, seed: int) -> None:
    assert xxh64(data, seed) == xxhash.xxh64_intdigest(data, seed)


@pytest.mark.parametrize(
    ("data", "digest"), [(b"", 0xEF46DB3751D8E999), (b"a", 0xD24EC4F1A98C6E5B), (b"abc", 0x44BC2CF5AD770999)]
)
def test_published_values(data: bytes, digest: int) -> None:
    assert xxh64(data, 0) == digest
