"""Wrong ports of section 8: sums, buckets and bits."""

from __future__ import annotations

from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Steps
from simhash_doc.errors import BadLengthError
from simhash_doc.reference import hash_token


class _Running(Steps):
    """Adds token by token, in order of their bytes, with what becomes of a sum on the way."""

    def add(self, total: int, change: int) -> int:
        raise AssertionError("replaced by each wrong port")

    def bit_sums(self, counts: dict[str, int], words: int) -> list[int]:
        if not counts:
            return self.no_token(words)
        sums = [0] * (64 * words)
        for token in sorted(counts):
            for word in range(words):
                token_hash = hash_token(token, word)
                for bit in range(64):
                    sign = 1 if token_hash >> bit & 1 else -1
                    sums[64 * word + bit] = self.add(sums[64 * word + bit], sign * counts[token])
        return sums


@wrong("SD-SUM-1", "your 8-bit counters saturate while tokens are added, instead of once at the end")
class SumSaturates(_Running):
    def add(self, total: int, change: int) -> int:
        return max(-127, min(127, total + change))


@wrong("SD-SUM-1", "your 8-bit counters wrap around")
class SumWrapsEight(_Running):
    def add(self, total: int, change: int) -> int:
        return (total + change + 128) % 256 - 128


@wrong("SD-SUM-1", "your 16-bit counters wrap around")
class SumWrapsSixteen(_Running):
    def add(self, total: int, change: int) -> int:
        return (total + change + 32768) % 65536 - 32768


@wrong("SD-SUM-1", "you add 1 for set bits but subtract nothing for clear ones")
class SumOnlyAdds(_Running):
    def add(self, total: int, change: int) -> int:
        return total + max(0, change)


@wrong("SD-SUM-2", "you give the all-zero fingerprint to a text without tokens")
class NoTokenZero(Steps):
    def no_token(self, words: int) -> list[int]:
        return [0] * (64 * words)


@wrong("SD-SUM-2", "you give the hash of the empty string to a text without tokens")
class NoTokenEmptyHash(Steps):
    def no_token(self, words: int) -> list[int]:
        return self.bit_sums({"": 1}, words)


@wrong("SD-SUM-2", "you report a text without tokens under another error name")
class NoTokenOtherError(Steps):
    def no_token(self, words: int) -> list[int]:
        raise BadLengthError("the text is empty")


@wrong("SD-BUCKET-1", "you do not clamp")
class BucketUnclamped(Steps):
    def to_buckets(self, sums: list[int]) -> list[int]:
        return sums


@wrong("SD-BUCKET-1", "you clamp to -128; the range is symmetric")
class BucketMinus128(Steps):
    def to_buckets(self, sums: list[int]) -> list[int]:
        return [max(-128, min(127, total)) for total in sums]


@wrong("SD-BUCKET-1", "you convert sums to 8 bits without clamping, so they wrap around")
class BucketWraps(Steps):
    def to_buckets(self, sums: list[int]) -> list[int]:
        return [(total + 128) % 256 - 128 for total in sums]


@wrong("SD-BUCKET-1", "you clamp to [-100, 100]")
class BucketHundred(Steps):
    def to_buckets(self, sums: list[int]) -> list[int]:
        return [max(-100, min(100, total)) for total in sums]


@wrong("SD-BUCKET-1", "you scale sums down to 8 bits instead of clamping them")
class BucketScaled(Steps):
    def to_buckets(self, sums: list[int]) -> list[int]:
        largest = max(127, *map(abs, sums))
        return [int(total * 127 / largest) for total in sums]


@wrong("SD-BUCKET-1", "you list buckets from the most significant bit down")
class BucketReversed(Steps):
    def buckets(self, given: str | bytes, scheme: str) -> list[int]:
        right = super().buckets(given, scheme)
        return [bucket for start in range(0, len(right), 64) for bucket in reversed(right[start : start + 64])]

    def fingerprint(self, given: str | bytes, scheme: str) -> str:
        data = self.to_bytes(super().buckets(given, scheme))
        return self.encode(data, scheme, canonical=True)


@wrong("SD-SIGN-1", "you set a bit for a bucket of 0 (>= 0 instead of > 0)")
class SignTieSets(Steps):
    def to_bytes(self, buckets: list[int]) -> bytes:
        return super().to_bytes([1 if bucket >= 0 else -1 for bucket in buckets])


@wrong("SD-SIGN-1", "you take bucket 0 for the most significant bit")
class SignBitsReversed(Steps):
    def to_bytes(self, buckets: list[int]) -> bytes:
        words = [buckets[start : start + 64][::-1] for start in range(0, len(buckets), 64)]
        return super().to_bytes([bucket for word in words for bucket in word])


@wrong("SD-SIGN-1", "you set bits for negative buckets")
class SignInverted(Steps):
    def to_bytes(self, buckets: list[int]) -> bytes:
        return super().to_bytes([-bucket for bucket in buckets])


@wrong("SD-SIGN-1", "you compare with the mean of the buckets instead of 0")
class SignAboveMean(Steps):
    def to_bytes(self, buckets: list[int]) -> bytes:
        mean = sum(buckets) / len(buckets)
        return super().to_bytes([1 if bucket > mean else -1 for bucket in buckets])
