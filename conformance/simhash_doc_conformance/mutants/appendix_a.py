"""XXH64 as appendix A of the specification describes it."""

from __future__ import annotations

MASK = (1 << 64) - 1
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def rotl(x: int, r: int) -> int:
    """Rotate a 64-bit number to the left."""
    x &= MASK
    return (x << r | x >> (64 - r)) & MASK


def mix(acc: int, lane: int) -> int:
    """Mix 8 bytes into an accumulator."""
    return rotl(acc + lane * P2, 31) * P1 & MASK


def xxh64(data: bytes, seed: int) -> int:
    """Return the hash of the data."""
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
