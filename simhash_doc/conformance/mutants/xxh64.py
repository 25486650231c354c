"""Mutants of appendix A: custom implementations of XXH64 with faults."""

from __future__ import annotations

from functools import lru_cache

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import before, table

M = 2**64 - 1


def _rotl(value: int, bits: int) -> int:
    return (value << bits | value >> 64 - bits) & M


def _signed(value: int) -> int:
    return value - 2**64 if value >> 63 else value


def _shortened(data: bytes) -> bytes:
    """Return the first four stripes and the tail."""
    return data[:128] + data[len(data) // 32 * 32 :]


class _Xxh64(Implementation):
    """XXH64 as in appendix A. Mutants change a constant or a step."""

    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
    shifts = (33, 29, 32)
    merged = 4  # how many of the four accumulators are merged

    def __init__(self) -> None:
        super().__init__()
        self._cached = lru_cache(100_000)(self.hash_bytes_of)

    def hash_token(self, token: str, seed: int = 0) -> int:
        return self._cached(token.encode("utf-8"), seed)

    def hash_bytes_of(self, data: bytes, seed: int) -> int:
        if self.is_short(len(data)):
            acc, rest = self.short_start(seed), data
        else:
            acc, rest = self.stripes(data, seed)
        acc = self.tail((acc + self.length(data)) & M, rest)
        for shift, factor in zip(self.shifts, (self.p2, self.p3, 1), strict=True):
            acc = self.mixed(acc, shift) * factor & M
        return acc

    def is_short(self, size: int) -> bool:
        return size < 32

    def short_start(self, seed: int) -> int:
        return (seed + self.p5) & M

    def length(self, data: bytes) -> int:
        return len(data)

    def mixed(self, acc: int, shift: int) -> int:
        return acc ^ acc >> shift

    def starts(self, seed: int) -> list[int]:
        return [seed + self.p1 + self.p2 & M, seed + self.p2 & M, seed, seed - self.p1 & M]

    def stripe_count(self, size: int) -> int:
        return size // 32

    def round(self, acc: int, lane: int) -> int:
        return _rotl((acc + lane * self.p2) & M, 31) * self.p1 & M

    def stripes(self, data: bytes, seed: int) -> tuple[int, bytes]:
        v = self.starts(seed)
        count = self.stripe_count(len(data))
        for start in range(0, 32 * count, 32):
            v = [self.round(v[i], int.from_bytes(data[start + 8 * i : start + 8 * i + 8], "little")) for i in range(4)]
        acc = sum(_rotl(value, bits) for value, bits in zip(v, (1, 7, 12, 18), strict=True)) & M
        for value in v[: self.merged]:
            acc = ((acc ^ self.round(0, value)) * self.p1 + self.p4) & M
        return acc, data[32 * count :]

    def eights(self, size: int) -> int:
        """Return how many lanes of eight bytes the tail has."""
        return size // 8

    def has_four(self, size: int) -> bool:
        return size >= 4

    def byte(self, value: int) -> int:
        return value

    def tail(self, acc: int, rest: bytes) -> int:
        for _ in range(self.eights(len(rest))):
            acc ^= self.round(0, int.from_bytes(rest[:8], "little"))
            acc, rest = (_rotl(acc, 27) * self.p1 + self.p4) & M, rest[8:]
        while len(rest) >= 4 and self.has_four(len(rest)):
            acc ^= int.from_bytes(rest[:4], "little") * self.p1 & M
            acc, rest = (_rotl(acc, 23) * self.p2 + self.p3) & M, rest[4:]
        for value in rest:
            acc = _rotl(acc ^ self.byte(value) * self.p5 & M, 11) * self.p1 & M
        return acc


table("SD-HASH-1", _Xxh64, p1={
    "xxh-p1-typo": ("has one digit of the constant P1 of XXH64 wrong", 0x9E3779B185EBCA78),
}, p2={
    "xxh-p2-typo": ("has one digit of the constant P2 of XXH64 wrong", 0xC2B2AE3D27D4EB4E),
}, p3={
    "xxh-p3-typo": ("has one digit of the constant P3 of XXH64 wrong", 0x165667B19E3779FB),
}, p4={
    "xxh-p4-typo": ("has one digit of the constant P4 of XXH64 wrong", 0x85EBCA77C2B2AE36),
}, p5={
    "xxh-p5-typo": ("has one digit of the constant P5 of XXH64 wrong", 0x27D4EB2F165667C4),
}, mixed={
    "xxh-arithmetic-shift": ("shifts with the sign in the last step of XXH64",
        lambda step, acc, shift: (acc ^ _signed(acc) >> 32) & M if shift == 32 else step(acc, shift)),
    "xxh-arithmetic-shifts": ("shifts with the sign in all last steps of XXH64",
        lambda acc, shift: (acc ^ _signed(acc) >> shift) & M),
    "xxh-no-final-shift": ("leaves out the last shift of XXH64",
        lambda step, acc, shift: acc if shift == 32 else step(acc, shift)),
}, shifts={
    "xxh-final-shift31": ("has another shift in the last step of XXH64", (33, 29, 31)),
}, length={
    "xxh-length-int8": ("keeps XXH64's length in a signed byte", lambda data: (len(data) + 128) % 256 - 128),
    "xxh-length-uint8": ("keeps the length of the input of XXH64 in a byte", lambda data: len(data) % 256),
    "xxh-length-uint16": ("keeps the length of the input of XXH64 in 16 bits", lambda data: len(data) % 65_536),
    "xxh-length-characters": ("adds the length in characters in XXH64", lambda data: len(data.decode("utf-8"))),
}, merged={
    "xxh-merge-three": ("does not merge v4 in XXH64", 3),
}, is_short={
    "xxh-short-to32": ("treats 32 bytes as a short input of XXH64 (> instead of >=)", lambda size: size <= 32),
}, stripe_count={
    "xxh-stripe-off-by-one": ("leaves the last stripe of XXH64 to the tail", lambda size: (size - 1) // 32),
    "xxh-stripe-once": ("processes only the first stripe of 32 bytes in XXH64", lambda size: 1),
}, stripes={
    "xxh-stripes128": ("processes at most 128 bytes in stripes in XXH64",
        before(lambda data: data if len(data) <= 128 else _shortened(data))),
}, has_four={
    "xxh-tail4-missing": ("processes four bytes of the tail of XXH64 one by one", lambda size: False),
    "xxh-tail4-off-by-one": ("processes four bytes that end the input of XXH64 one by one", lambda size: size > 4),
}, eights={
    "xxh-tail8-once": ("has one lane of eight bytes in the tail of XXH64 at most", lambda size: min(1, size // 8)),
    "xxh-tail8-off-by-one": ("processes eight bytes that end the input of XXH64 as two lanes of four",
        lambda size: (size - 1) // 8 if size else 0),
}, byte={
    "xxh-signed-bytes": ("treats bytes as signed in the tail of XXH64",
        lambda value: value - 256 if value > 127 else value),
})  # fmt: skip

table("SD-WIDE-2", _Xxh64, starts={
    "xxh-seed-long-ignored": ("leaves out the seed for 32 bytes and more", before(lambda seed: 0)),
    "xxh-seed-v3": ("begins v3 of XXH64 with 0, not the seed", lambda step, seed: [*step(seed)[:2], 0, step(seed)[3]]),
    "xxh-seed-v4-plus": ("adds P1 to the seed for v4 of XXH64 instead of subtracting it",
        lambda right, seed: [*right.starts(seed)[:3], seed + right.p1 & M]),
}, short_start={
    "xxh-seed-short-ignored": ("leaves out the seed for fewer than 32 bytes", lambda right, seed: right.p5),
}, hash_token={
    "seed-mod-four": ("repeats the seeds 0 to 3 for lanes 4 to 7", lambda step, token, seed=0: step(token, seed % 4)),
})  # fmt: skip
