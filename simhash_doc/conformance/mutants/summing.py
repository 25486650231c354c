"""Mutants of section 8: sums, buckets and bits."""

from __future__ import annotations

from collections.abc import Sequence

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.errors import BadLengthError
from simhash_doc.reference import hash_token


class _Running(Implementation):
    """Adds token by token, in order of their bytes. `add` computes each partial sum."""

    def add(self, total: int, change: int) -> int:
        raise AssertionError("each mutant replaces this")

    def bit_sums(self, counts: dict[str, int], lanes: int = 1) -> list[int]:
        if not counts:
            return self.no_token(lanes)
        sums = [0] * (64 * lanes)
        for token in sorted(counts):
            for lane in range(lanes):
                token_hash = hash_token(token, lane)
                for bit in range(64):
                    sign = 1 if token_hash >> bit & 1 else -1
                    sums[64 * lane + bit] = self.add(sums[64 * lane + bit], sign * counts[token])
        return sums


@mutant("SD-SUM-1", "saturates 8-bit counters while adding tokens, not once at the end")
class SumSaturates(_Running):
    def add(self, total: int, change: int) -> int:
        return max(-127, min(127, total + change))


@mutant("SD-SUM-1", "uses 8-bit counters, which wrap around")
class SumWrapsEight(_Running):
    def add(self, total: int, change: int) -> int:
        return (total + change + 128) % 256 - 128


@mutant("SD-SUM-1", "uses 16-bit counters, which wrap around")
class SumWrapsSixteen(_Running):
    def add(self, total: int, change: int) -> int:
        return (total + change + 32768) % 65536 - 32768


@mutant("SD-SUM-1", "adds 1 for set bits but subtracts nothing for clear ones")
class SumOnlyAdds(_Running):
    def add(self, total: int, change: int) -> int:
        return total + max(0, change)


@mutant("SD-SUM-2", "returns the all-zero fingerprint for a text without tokens")
class NoTokenZero(Implementation):
    def no_token(self, lanes: int) -> list[int]:
        return [0] * (64 * lanes)


@mutant("SD-SUM-2", "returns the fingerprint of which all bits are 1 for a text without tokens")
class NoTokenOnes(Implementation):
    def no_token(self, lanes: int) -> list[int]:
        return [1] * (64 * lanes)


@mutant("SD-SUM-2", "returns the hash of the empty string for a text without tokens")
class NoTokenEmptyHash(Implementation):
    def no_token(self, lanes: int) -> list[int]:
        return self.bit_sums({"": 1}, lanes)


@mutant("SD-SUM-2", "reports a text without tokens under another error name")
class NoTokenOtherError(Implementation):
    def no_token(self, lanes: int) -> list[int]:
        raise BadLengthError("the text is empty")


@mutant("SD-BUCKET-1", "does not clamp")
class BucketUnclamped(Implementation):
    def to_buckets(self, sums: Sequence[int]) -> list[int]:
        return list(sums)


@mutant("SD-BUCKET-1", "clamps to -128; the range is symmetric")
class BucketMinus128(Implementation):
    def to_buckets(self, sums: Sequence[int]) -> list[int]:
        return [max(-128, min(127, total)) for total in sums]


@mutant("SD-BUCKET-1", "converts sums to 8 bits without clamping, so they wrap around")
class BucketWraps(Implementation):
    def to_buckets(self, sums: Sequence[int]) -> list[int]:
        return [(total + 128) % 256 - 128 for total in sums]


@mutant("SD-BUCKET-1", "clamps to [-100, 100]")
class BucketHundred(Implementation):
    def to_buckets(self, sums: Sequence[int]) -> list[int]:
        return [max(-100, min(100, total)) for total in sums]


@mutant("SD-BUCKET-1", "scales sums down to 8 bits instead of clamping them")
class BucketScaled(Implementation):
    def to_buckets(self, sums: Sequence[int]) -> list[int]:
        largest = max(127, *map(abs, sums))
        return [int(total * 127 / largest) for total in sums]


@mutant("SD-BUCKET-1", "lists buckets from the most significant bit down")
class BucketReversed(Implementation):
    def buckets(self, given: str | bytes, scheme_id: str = "sd64") -> list[int]:
        right = super().buckets(given, scheme_id)
        return [bucket for start in range(0, len(right), 64) for bucket in reversed(right[start : start + 64])]

    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        data = self.to_bytes(super().buckets(given, scheme))
        return self.text_form(data, scheme, canonical=True)


@mutant("SD-SIGN-1", "sets a bit for a bucket of 0 (>= 0 instead of > 0)")
class SignTieSets(Implementation):
    def to_bytes(self, buckets: Sequence[int]) -> bytes:
        return super().to_bytes([1 if bucket >= 0 else -1 for bucket in buckets])


@mutant("SD-SIGN-1", "treats bucket 0 as the most significant bit")
class SignBitsReversed(Implementation):
    def to_bytes(self, buckets: Sequence[int]) -> bytes:
        lanes = [buckets[start : start + 64][::-1] for start in range(0, len(buckets), 64)]
        return super().to_bytes([bucket for lane in lanes for bucket in lane])


@mutant("SD-SIGN-1", "sets bits for negative buckets")
class SignInverted(Implementation):
    def to_bytes(self, buckets: Sequence[int]) -> bytes:
        return super().to_bytes([-bucket for bucket in buckets])


@mutant("SD-SIGN-1", "compares with the mean of the buckets instead of 0")
class SignAboveMean(Implementation):
    def to_bytes(self, buckets: Sequence[int]) -> bytes:
        mean = sum(buckets) / len(buckets)
        return super().to_bytes([1 if bucket > mean else -1 for bucket in buckets])
