"""Mutants of limits: counters, buffers and tables that are too small, and wrong comparisons of tokens."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.reference import hash_token
from simhash_doc.schemes import get_scheme


class _Counter(Implementation):
    """Counts in a type that is too small."""

    def held(self, count: int) -> int:
        raise AssertionError("each mutant replaces this")

    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        held = {token: self.held(count) for token, count in Counter(tokens).items()}
        return {token: min(self.cap, count) for token, count in held.items() if count}


@mutant("SD-CAP-1", "counts in 8 bits: 256 is 0")
class CountUint8(_Counter):
    def held(self, count: int) -> int:
        return count % 256


@mutant("SD-CAP-1", "counts in signed bytes: 128 is -128")
class CountInt8(_Counter):
    def held(self, count: int) -> int:
        return (count + 128) % 256 - 128


@mutant("SD-CAP-1", "counts in 16 bits: 65,536 is 0")
class CountUint16(_Counter):
    def held(self, count: int) -> int:
        return count % 65_536


@mutant("SD-CAP-1", "counts in signed 16 bits: 32,768 is -32,768")
class CountInt16(_Counter):
    def held(self, count: int) -> int:
        return (count + 32_768) % 65_536 - 32_768


@mutant("SD-CAP-1", "counts in 4 bits: 16 is 0")
class CountFourBits(_Counter):
    def held(self, count: int) -> int:
        return count % 16


@mutant("SD-CAP-1", "counts modulo 8 (count & 7)")
class CapMask(_Counter):
    def held(self, count: int) -> int:
        return count % 8


class _Key(Implementation):
    """Compares tokens by a key. The first token of a key stands for all."""

    def key(self, token: str) -> str:
        raise AssertionError("each mutant replaces this")

    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        first: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for token, count in Counter(tokens).items():
            counts[first.setdefault(self.key(token), token)] += count
        return {token: min(self.cap, count) for token, count in counts.items()}


@mutant("SD-CAP-1", "treats Hiragana and Katakana as equal when counting")
class CountKeyKana(_Key):
    def key(self, token: str) -> str:
        return "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in token)


@mutant("SD-CAP-1", "treats letters with and without accents as equal when counting")
class CountKeyAccents(_Key):
    def key(self, token: str) -> str:
        return "".join(c for c in unicodedata.normalize("NFD", token) if not unicodedata.combining(c))


@mutant("SD-CAP-1", "treats digits of all scripts as equal when counting")
class CountKeyDigits(_Key):
    def key(self, token: str) -> str:
        return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in token)


@mutant("SD-CAP-1", "compares the first 32 characters of tokens when counting")
class CountKeyPrefix32(_Key):
    def key(self, token: str) -> str:
        return token[:32]


@mutant("SD-CAP-1", "compares the first 255 bytes of tokens when counting")
class CountKeyPrefix255(_Key):
    def key(self, token: str) -> str:
        return token.encode()[:255].decode("utf-8", "replace")


@mutant("SD-CAP-1", "treats tokens with the same letters in another order as equal when counting")
class CountKeyAnagram(_Key):
    def key(self, token: str) -> str:
        return "".join(sorted(token))


@mutant("SD-CAP-1", "treats tokens whose hashes share the high 32 bits as equal when counting")
class CountKeyHighHash(_Key):
    def key(self, token: str) -> str:
        return f"{hash_token(token) >> 32:x}"


class _Distinct(Implementation):
    """Counts a limited number of distinct tokens."""

    most = 0

    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        return dict(islice(super().capped_counts(tokens).items(), self.most))


@mutant("SD-CAP-1", "counts at most 255 distinct tokens")
class Distinct255(_Distinct):
    most = 255


@mutant("SD-CAP-1", "counts at most 4,096 distinct tokens")
class Distinct4096(_Distinct):
    most = 4096


@mutant("SD-CAP-1", "counts at most 65,535 distinct tokens")
class Distinct65535(_Distinct):
    most = 65_535


@mutant("SD-CAP-1", "counts at most 1,048,576 distinct tokens")
class Distinct1M(_Distinct):
    most = 1_048_576


@mutant("SD-CAP-1", "applies the cap to each 65,536 characters and adds the results")
class CapBy65536(Implementation):
    def buckets(self, given: str | bytes, scheme_id: str = "sd64") -> list[int]:
        text = self.read(given)
        if len(text) <= 65_536:
            return super().buckets(given, scheme_id)
        return self.to_buckets(self.bit_sums(self._counts(text), get_scheme(scheme_id).lanes))

    def _counts(self, text: str) -> dict[str, int]:
        counts: Counter[str] = Counter()
        while text:
            end = text.rfind(" ", 0, 65_536) + 1 or 65_536
            part, text = text[:end], text[end:]
            counts.update(self.capped_counts(self.tokens(part)))
        return dict(counts)


class _LongToken(Implementation):
    """Has a token buffer of limited length."""

    def parts(self, token: str) -> list[str]:
        raise AssertionError("each mutant replaces this")

    def link_free_tokens(self, text: str) -> list[str]:
        return [part for token in super().link_free_tokens(text) for part in self.parts(token)]


@mutant("SD-RUN-1", "cuts a token of over 255 characters into several")
class TokenOver255Cut(_LongToken):
    def parts(self, token: str) -> list[str]:
        return [token[start : start + 255] for start in range(0, len(token), 255)]


@mutant("SD-RUN-1", "keeps the first 255 bytes of a token")
class TokenFirst255(_LongToken):
    def parts(self, token: str) -> list[str]:
        return [token.encode()[:255].decode("utf-8", "ignore")]


@mutant("SD-RUN-1", "ends a token after 4,096 bytes")
class TokenOver4096Cut(_LongToken):
    def parts(self, token: str) -> list[str]:
        return [token.encode()[:4096].decode("utf-8", "ignore")]


@mutant("SD-RUN-1", "ends a token after 65,535 characters")
class TokenOver65535Cut(_LongToken):
    def parts(self, token: str) -> list[str]:
        return [token[:65_535]]


@mutant("SD-RUN-1", "drops a token of over 65,535 characters")
class TokenOver65535Dropped(_LongToken):
    def parts(self, token: str) -> list[str]:
        return [token] if len(token) <= 65_535 else []


@mutant("SD-SUM-1", "saturates sums at 16 bits while adding tokens in the order of the text")
class SumSaturatesSixteen(Implementation):
    def bit_sums(self, counts: dict[str, int], lanes: int = 1) -> list[int]:
        if len(counts) < 4096:  # no sum can pass the limit
            return super().bit_sums(counts, lanes)
        sums = [0] * (64 * lanes)
        for token, count in counts.items():
            for lane in range(lanes):
                token_hash = hash_token(token, lane)
                for bit in range(64):
                    change = count if token_hash >> bit & 1 else -count
                    sums[64 * lane + bit] = max(-32_768, min(32_767, sums[64 * lane + bit] + change))
        return sums


@mutant("SD-SUM-1", "halves the sums of a text of over 100 distinct tokens")
class SumAverage(Implementation):
    def bit_sums(self, counts: dict[str, int], lanes: int = 1) -> list[int]:
        sums = super().bit_sums(counts, lanes)
        return [int(total / 2) for total in sums] if len(counts) > 100 else sums


@mutant("SD-BUCKET-1", "clamps to [-126, 126]")
class Clamp126(Implementation):
    def to_buckets(self, sums: list[int]) -> list[int]:  # type: ignore[override]
        return [max(-126, min(126, total)) for total in sums]


@mutant("SD-SIGN-1", "sets a bit for a bucket of 0 from the second lane on")
class SignTieWide(Implementation):
    def to_bytes(self, buckets: list[int]) -> bytes:  # type: ignore[override]
        return super().to_bytes([*buckets[:64], *(1 if bucket >= 0 else -1 for bucket in buckets[64:])])


@mutant("SD-SUM-2", "treats the fingerprint 0 as that of a text without tokens")
class FingerprintZeroIsNone(Implementation):
    def to_bytes(self, buckets: list[int]) -> bytes:  # type: ignore[override]
        data = super().to_bytes(buckets)
        if not any(data):
            self.no_token(1)
        return data


class _Truncated(Implementation):
    """Reads the first characters of a document only."""

    most = 0

    def read(self, given: str | bytes) -> str:
        return super().read(given)[: self.most]


@mutant("SD-SEC-1", "fingerprints only the first 100,000 characters of a document")
class Text100k(_Truncated):
    most = 100_000


@mutant("SD-SEC-1", "fingerprints only the first 1,048,576 characters of a document")
class Text1M(_Truncated):
    most = 1_048_576


@mutant("SD-SEC-1", "fingerprints only the first 10,000,000 characters of a document")
class Text10M(_Truncated):
    most = 10_000_000
