"""Mutants of appendix A: custom implementations of XXH64 with faults."""

from __future__ import annotations

from functools import lru_cache

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant

M = 2**64 - 1


def _rotl(value: int, bits: int) -> int:
    return (value << bits | value >> 64 - bits) & M


class _OwnXxh64(Implementation):
    """XXH64 as in appendix A. Mutants change a constant or a step."""

    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
    shifts = (33, 29, 32)
    merged = 4  # how many of the four accumulators are merged

    def __init__(self) -> None:
        super().__init__()
        self._cached = lru_cache(100_000)(self.digest)

    def hash_token(self, token: str, seed: int = 0) -> int:
        return self._cached(token.encode("utf-8"), seed)

    def digest(self, data: bytes, seed: int) -> int:
        if len(data) < 32:
            acc, rest = self.short_start(seed), data
        else:
            acc, rest = self.stripes(data, seed)
        acc = self.tail((acc + self.length(data)) & M, rest)
        for shift, factor in zip(self.shifts, (self.p2, self.p3, 1), strict=True):
            acc = self.mixed(acc, shift) * factor & M
        return acc

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


@mutant("SD-HASH-1", "has one digit of the constant P1 of XXH64 wrong")
class XxhP1Typo(_OwnXxh64):
    p1 = 0x9E3779B185EBCA78


@mutant("SD-HASH-1", "has one digit of the constant P2 of XXH64 wrong")
class XxhP2Typo(_OwnXxh64):
    p2 = 0xC2B2AE3D27D4EB4E


@mutant("SD-HASH-1", "has one digit of the constant P3 of XXH64 wrong")
class XxhP3Typo(_OwnXxh64):
    p3 = 0x165667B19E3779FB


@mutant("SD-HASH-1", "has one digit of the constant P4 of XXH64 wrong")
class XxhP4Typo(_OwnXxh64):
    p4 = 0x85EBCA77C2B2AE36


@mutant("SD-HASH-1", "has one digit of the constant P5 of XXH64 wrong")
class XxhP5Typo(_OwnXxh64):
    p5 = 0x27D4EB2F165667C4


@mutant("SD-HASH-1", "shifts with the sign in the last step of XXH64")
class XxhArithmeticShift(_OwnXxh64):
    def mixed(self, acc: int, shift: int) -> int:
        signed = acc - (1 << 64) if acc >> 63 and shift == 32 else acc
        return (acc ^ signed >> shift) & M


@mutant("SD-HASH-1", "shifts with the sign in all last steps of XXH64")
class XxhArithmeticShifts(_OwnXxh64):
    def mixed(self, acc: int, shift: int) -> int:
        signed = acc - (1 << 64) if acc >> 63 else acc
        return (acc ^ signed >> shift) & M


@mutant("SD-HASH-1", "leaves out the last shift of XXH64")
class XxhNoFinalShift(_OwnXxh64):
    def mixed(self, acc: int, shift: int) -> int:
        return acc if shift == 32 else acc ^ acc >> shift


@mutant("SD-HASH-1", "has another shift in the last step of XXH64")
class XxhFinalShift31(_OwnXxh64):
    shifts = (33, 29, 31)


@mutant("SD-HASH-1", "keeps the length of the input of XXH64 in a signed byte")
class XxhLengthInt8(_OwnXxh64):
    def length(self, data: bytes) -> int:
        return (len(data) + 128) % 256 - 128


@mutant("SD-HASH-1", "keeps the length of the input of XXH64 in a byte")
class XxhLengthUint8(_OwnXxh64):
    def length(self, data: bytes) -> int:
        return len(data) % 256


@mutant("SD-HASH-1", "keeps the length of the input of XXH64 in 16 bits")
class XxhLengthUint16(_OwnXxh64):
    def length(self, data: bytes) -> int:
        return len(data) % 65_536


@mutant("SD-HASH-1", "adds the number of characters, not of bytes, in XXH64")
class XxhLengthCharacters(_OwnXxh64):
    def length(self, data: bytes) -> int:
        return len(data.decode("utf-8"))


@mutant("SD-HASH-1", "does not merge v4 in XXH64")
class XxhMergeThree(_OwnXxh64):
    merged = 3


@mutant("SD-HASH-1", "treats 32 bytes as a short input of XXH64 (> instead of >=)")
class XxhShortTo32(_OwnXxh64):
    def digest(self, data: bytes, seed: int) -> int:
        if len(data) != 32:
            return super().digest(data, seed)
        acc = self.tail((self.short_start(seed) + 32) & M, data)
        for shift, factor in zip(self.shifts, (self.p2, self.p3, 1), strict=True):
            acc = self.mixed(acc, shift) * factor & M
        return acc


@mutant("SD-HASH-1", "leaves the last stripe of XXH64 to the tail if it ends the input")
class XxhStripeOffByOne(_OwnXxh64):
    def stripe_count(self, size: int) -> int:
        return (size - 1) // 32


@mutant("SD-HASH-1", "processes only the first stripe of 32 bytes in XXH64")
class XxhStripeOnce(_OwnXxh64):
    def stripe_count(self, size: int) -> int:
        return 1


@mutant("SD-HASH-1", "processes at most 128 bytes in stripes in XXH64")
class XxhStripes128(_OwnXxh64):
    def stripes(self, data: bytes, seed: int) -> tuple[int, bytes]:
        return super().stripes(data[:128] + data[len(data) // 32 * 32 :] if len(data) > 128 else data, seed)


@mutant("SD-HASH-1", "processes four bytes of the tail of XXH64 one by one")
class XxhTail4Missing(_OwnXxh64):
    def has_four(self, size: int) -> bool:
        return False


@mutant("SD-HASH-1", "processes four bytes that end the input of XXH64 one by one")
class XxhTail4OffByOne(_OwnXxh64):
    def has_four(self, size: int) -> bool:
        return size > 4


@mutant("SD-HASH-1", "processes only one lane of eight bytes in the tail of XXH64, then lanes of four")
class XxhTail8Once(_OwnXxh64):
    def eights(self, size: int) -> int:
        return min(1, size // 8)


@mutant("SD-HASH-1", "processes eight bytes that end the input of XXH64 as two lanes of four")
class XxhTail8OffByOne(_OwnXxh64):
    def eights(self, size: int) -> int:
        return (size - 1) // 8 if size else 0


@mutant("SD-HASH-1", "treats bytes as signed in the tail of XXH64")
class XxhSignedBytes(_OwnXxh64):
    def byte(self, value: int) -> int:
        return value - 256 if value > 127 else value


@mutant("SD-WIDE-2", "leaves out the seed for 32 bytes and more")
class XxhSeedLongIgnored(_OwnXxh64):
    def starts(self, seed: int) -> list[int]:
        return super().starts(0)


@mutant("SD-WIDE-2", "leaves out the seed for fewer than 32 bytes")
class XxhSeedShortIgnored(_OwnXxh64):
    def short_start(self, seed: int) -> int:
        return self.p5


@mutant("SD-WIDE-2", "begins v3 of XXH64 with 0 instead of the seed")
class XxhSeedV3(_OwnXxh64):
    def starts(self, seed: int) -> list[int]:
        first = super().starts(seed)
        return [first[0], first[1], 0, first[3]]


@mutant("SD-WIDE-2", "adds P1 to the seed for v4 of XXH64 instead of subtracting it")
class XxhSeedV4Plus(_OwnXxh64):
    def starts(self, seed: int) -> list[int]:
        return [*super().starts(seed)[:3], seed + self.p1 & M]


@mutant("SD-WIDE-2", "uses the seeds 0 to 3 again for lanes 4 to 7")
class SeedModFour(_OwnXxh64):
    def hash_token(self, token: str, seed: int = 0) -> int:
        return super().hash_token(token, seed % 4)
