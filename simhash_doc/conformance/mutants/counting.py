"""Wrong ports of section 7: the cap and the hash."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable

import xxhash

from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Steps


@wrong("SD-CAP-1", "you count every occurrence of a token, without a cap")
class CapNone(Steps):
    cap = 10**9


@wrong("SD-CAP-1", "you count a token at most 7 times")
class CapSeven(Steps):
    cap = 7


@wrong("SD-CAP-1", "you count a token at most 9 times")
class CapNine(Steps):
    cap = 9


@wrong("SD-CAP-1", "you count a token at most 16 times")
class CapSixteen(Steps):
    cap = 16


@wrong("SD-CAP-1", "you count each distinct token once")
class CapOne(Steps):
    cap = 1


@wrong("SD-CAP-1", "you drop a token altogether once it is over the cap")
class CapDrops(Steps):
    def count(self, tokens: Iterable[str]) -> dict[str, int]:
        return {token: count for token, count in Counter(tokens).items() if count <= self.cap}


@wrong("SD-CAP-1", "you weight a token by the logarithm of its count")
class CapLogarithm(Steps):
    def count(self, tokens: Iterable[str]) -> dict[str, int]:
        return {token: 1 + math.floor(math.log2(count)) for token, count in Counter(tokens).items()}


@wrong("SD-CAP-1", "you apply the cap before trimming, so `a` and `_a_` are capped apart")
class CapBeforeTrim(Steps):
    def prepared_tokens(self, prepared: str) -> list[str]:
        candidates = Counter(candidate for run in self.runs(prepared) for candidate in self.split(run))
        kept = [c for c, count in candidates.items() for _ in range(min(8, count))]
        return [token for candidate in kept if self.is_token(token := self.trim(candidate))]

    def count(self, tokens: Iterable[str]) -> dict[str, int]:
        return dict(Counter(tokens))


@wrong("SD-CAP-1", "you cap each distinct hash by its low 32 bits, not each token by its bytes")
class CapByShortHash(Steps):
    def count(self, tokens: Iterable[str]) -> dict[str, int]:
        kept: dict[str, int] = {}
        by_hash: dict[int, str] = {}
        for token in tokens:
            same = by_hash.setdefault(xxhash.xxh64_intdigest(token.encode()) & 0xFFFFFFFF, token)
            kept[same] = min(self.cap, kept.get(same, 0) + 1)
        return kept


class _OtherHash(Steps):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        raise AssertionError("replaced by each wrong port")

    def hash_token(self, token: str, word: int) -> int:
        return self.hash_bytes(token.encode("utf-8", "surrogatepass"), word)


@wrong("SD-HASH-1", "you use XXH32")
class HashXxh32(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh32_intdigest(data, seed)


@wrong("SD-HASH-1", "you use XXH3 (64 bits); the scheme uses XXH64")
class HashXxh3(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh3_64_intdigest(data, seed)


@wrong("SD-HASH-1", "you use MD5, its first 8 bytes")
class HashMd5(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return int.from_bytes(hashlib.md5(data + bytes([seed] * bool(seed))).digest()[:8], "big")


@wrong("SD-HASH-1", "you use FNV-1a")
class HashFnv(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        value = 0xCBF29CE484222325 ^ seed
        for byte in data:
            value = (value ^ byte) * 0x100000001B3 % 2**64
        return value


@wrong("SD-HASH-1", "you hash with seed 1")
class HashSeedOne(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data, seed + 1)


@wrong("SD-HASH-1", "you hash UTF-16 code units instead of UTF-8 bytes")
class HashUtf16(_OtherHash):
    def hash_token(self, token: str, word: int) -> int:
        return xxhash.xxh64_intdigest(token.encode("utf-16-le", "surrogatepass"), word)


@wrong("SD-HASH-1", "you hash characters beyond U+FFFF as two encoded surrogates (CESU-8)")
class HashCesu8(_OtherHash):
    def hash_token(self, token: str, word: int) -> int:
        units = token.encode("utf-16-be", "surrogatepass")
        halves = "".join(chr(units[i] << 8 | units[i + 1]) for i in range(0, len(units), 2))
        return xxhash.xxh64_intdigest(halves.encode("utf-8", "surrogatepass"), word)


@wrong("SD-HASH-1", "you hash a terminating zero byte too")
class HashTrailingZero(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data + b"\0", seed)


@wrong("SD-HASH-1", "you read the digest's bytes in little-endian order")
class HashByteSwapped(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return int.from_bytes(xxhash.xxh64_digest(data, seed), "little")


@wrong("SD-HASH-1", "your XXH64 is wrong for inputs of 32 bytes or more")
class HashShortInputsOnly(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data[:31], seed) if len(data) >= 32 else xxhash.xxh64_intdigest(data, seed)


@wrong("SD-HASH-1", "you keep 53 bits of the hash (a double, as in JavaScript numbers)")
class HashDouble(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return int(float(xxhash.xxh64_intdigest(data, seed))) % 2**64


@wrong("SD-WIDE-2", "you use the same seed for every word")
class WideSameSeed(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data, 0)


@wrong("SD-WIDE-2", "you count words from 1: word j has seed j + 1 except the first")
class WideSeedShifted(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data, seed + (seed > 0))


@wrong("SD-WIDE-2", "you append the word's number to the token instead of using it as the seed")
class WideSuffix(_OtherHash):
    def hash_bytes(self, data: bytes, seed: int) -> int:
        return xxhash.xxh64_intdigest(data + bytes([seed] * bool(seed)), 0)
