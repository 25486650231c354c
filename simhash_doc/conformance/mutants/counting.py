"""Mutants of section 7: the cap and the hash."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable

import xxhash

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant


@mutant("SD-CAP-1", "counts every occurrence of a token, without a cap")
class CapNone(Implementation):
    cap = 10**9


@mutant("SD-CAP-1", "counts a token at most 7 times")
class CapSeven(Implementation):
    cap = 7


@mutant("SD-CAP-1", "counts a token at most 9 times")
class CapNine(Implementation):
    cap = 9


@mutant("SD-CAP-1", "counts a token at most 16 times")
class CapSixteen(Implementation):
    cap = 16


@mutant("SD-CAP-1", "counts each distinct token once")
class CapOne(Implementation):
    cap = 1


@mutant("SD-CAP-1", "drops a token that exceeds the cap")
class CapDrops(Implementation):
    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        return {token: count for token, count in Counter(tokens).items() if count <= self.cap}


@mutant("SD-CAP-1", "weights a token by the logarithm of its count")
class CapLogarithm(Implementation):
    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        return {token: 1 + math.floor(math.log2(count)) for token, count in Counter(tokens).items()}


@mutant("SD-CAP-1", "applies the cap before trimming, so `a` and `_a_` are capped separately")
class CapBeforeTrim(Implementation):
    def link_free_tokens(self, text: str) -> list[str]:
        candidates = Counter(candidate for run in self.runs(text) for candidate in self.split(run))
        kept = [c for c, count in candidates.items() for _ in range(min(8, count))]
        return [token for candidate in kept if self.is_token(token := self.trim_connectors(candidate))]

    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        return dict(Counter(tokens))


@mutant("SD-CAP-1", "caps each distinct hash by its low 32 bits, not each token by its bytes")
class CapByShortHash(Implementation):
    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        kept: dict[str, int] = {}
        by_hash: dict[int, str] = {}
        for token in tokens:
            same = by_hash.setdefault(xxhash.xxh64_intdigest(token.encode()) & 0xFFFFFFFF, token)
            kept[same] = min(self.cap, kept.get(same, 0) + 1)
        return kept


class _OtherHash(Implementation):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        raise AssertionError("each mutant replaces this")

    def hash_token(self, token: str, seed: int = 0) -> int:
        return self.hash_bytes(token.encode("utf-8", "surrogatepass"), seed)


@mutant("SD-HASH-1", "uses XXH32")
class HashXxh32(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh32_intdigest(data, seed)


@mutant("SD-HASH-1", "uses XXH3 (64 bits); the scheme uses XXH64")
class HashXxh3(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh3_64_intdigest(data, seed)


@mutant("SD-HASH-1", "uses the first 8 bytes of MD5")
class HashMd5(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return int.from_bytes(hashlib.md5(data + bytes([seed] * bool(seed))).digest()[:8], "big")


@mutant("SD-HASH-1", "uses FNV-1a")
class HashFnv(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        value = 0xCBF29CE484222325 ^ seed
        for byte in data:
            value = (value ^ byte) * 0x100000001B3 % 2**64
        return value


@mutant("SD-HASH-1", "hashes with seed 1")
class HashSeedOne(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data, seed + 1)


@mutant("SD-HASH-1", "hashes UTF-16 code units instead of UTF-8 bytes")
class HashUtf16(_OtherHash):
    def hash_token(self, token: str, seed: int = 0) -> int:
        return xxhash.xxh64_intdigest(token.encode("utf-16-le", "surrogatepass"), seed)


@mutant("SD-HASH-1", "hashes characters beyond U+FFFF as two encoded surrogates (CESU-8)")
class HashCesu8(_OtherHash):
    def hash_token(self, token: str, seed: int = 0) -> int:
        units = token.encode("utf-16-be", "surrogatepass")
        halves = "".join(chr(units[i] << 8 | units[i + 1]) for i in range(0, len(units), 2))
        return xxhash.xxh64_intdigest(halves.encode("utf-8", "surrogatepass"), seed)


@mutant("SD-HASH-1", "also hashes a terminating zero byte")
class HashTrailingZero(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data + b"\0", seed)


@mutant("SD-HASH-1", "reads the digest's bytes in little-endian order")
class HashByteSwapped(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return int.from_bytes(xxhash.xxh64_digest(data, seed), "little")


@mutant("SD-HASH-1", "computes a wrong XXH64 for inputs of 32 bytes or more")
class HashShortInputsOnly(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data[:31], seed) if len(data) >= 32 else xxhash.xxh64_intdigest(data, seed)


@mutant("SD-HASH-1", "keeps 53 bits of the hash (a double, as in JavaScript numbers)")
class HashDouble(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return int(float(xxhash.xxh64_intdigest(data, seed))) % 2**64


@mutant("SD-WIDE-2", "uses the same seed for every lane")
class WideSameSeed(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data, 0)


@mutant("SD-WIDE-2", "counts lanes from 1: lane j has seed j + 1 except the first")
class WideSeedShifted(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data, seed + (seed > 0))


@mutant("SD-WIDE-2", "appends the lane's number to the token instead of using it as the seed")
class WideSuffix(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data + bytes([seed] * bool(seed)), 0)
