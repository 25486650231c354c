"""Mutants of section 12 whose later lanes have a condition of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from xxhash import xxh64_intdigest

from simhash_doc.reference import hash_token
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import of_sizes, table
from simhash_doc_conformance.mutants.identity import lane_sums
from simhash_doc_conformance.vectors.extraction import bit_sums


class _Lanes(Implementation):
    """Hashes tokens in another way from a lane on, or in the last one."""

    first, last = 1, 7
    hashed: Callable[..., int]

    def hash_token(self, token: str, seed: int = 0) -> int:
        return self.hashed(token, seed) if self.first <= seed <= self.last else hash_token(token, seed)


class _LaterLanes(_Lanes):
    first = 2


class _UpperLanes(_Lanes):
    first = 4


class _LastLane(_Lanes):
    first = 7


def _bytes_hashed(data: Callable[[str], bytes]) -> Callable[..., int]:
    return lambda token, seed: xxh64_intdigest(data(token), seed)


def _utf16(token: str) -> bytes:
    return token.encode("utf-16-le", "surrogatepass")


def _of_kind(is_kind: Callable[[str], bool], data: Callable[[str], bytes]) -> Callable[..., int]:
    """Return the hash of other bytes for tokens of a kind."""
    return lambda token, seed: xxh64_intdigest(data(token) if is_kind(token) else token.encode(), seed)


def _first_bytes(size: int) -> Callable[..., int]:
    return _bytes_hashed(lambda token: token.encode()[:size])


_LANE: dict[str, tuple[str, type[Implementation]]] = {
    "": ("from the second lane on", _Lanes),
    "-later": ("from the third lane on", _LaterLanes),
    "-upper": ("from the fifth lane on", _UpperLanes),
    "-last": ("in the last lane of sd512", _LastLane),
}
for _slug, (_where, _base) in _LANE.items():
    table("SD-WIDE-2", _base, hashed={
        f"lane-utf16{_slug}": (f"hashes UTF-16 for tokens beyond ASCII {_where}",
        _of_kind(lambda token: not token.isascii(), _utf16)),
        f"lane-utf16-astral{_slug}": (f"hashes UTF-16 for tokens beyond U+FFFF {_where}",
        _of_kind(lambda token: max(token) > "\uffff", _utf16)),
        f"lane-latin-1{_slug}": (f"hashes ? for characters beyond U+00FF {_where}",
            _bytes_hashed(lambda token: token.encode("latin-1", "replace") if not token.isascii() else token.encode())),
        f"lane-empty-long{_slug}": (f"takes the hash of the first lane for tokens of over 32 bytes {_where}",
            lambda token, seed: hash_token(token, seed if len(token.encode()) <= 32 else 0)),
        f"lane-short{_slug}": (f"takes the hash of the first lane for tokens of one byte {_where}",
            lambda token, seed: hash_token(token, seed if len(token.encode()) > 1 else 0)),
        **of_sizes(f"lane-bytes{{}}{_slug}", f"reads {{:,}} bytes of a token {_where}", _first_bytes,
            16, 31, 32, 64, 128, 255, 256, 512, 1000, 1024, 4096),
    })  # fmt: skip


class _Counted(Implementation):
    """Weights tokens in another way from a lane on."""

    first_weighted = 1
    lane_weight: Callable[..., int]

    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        return dict(Counter(tokens))

    def bit_sums(self, counts: dict[str, int], lanes: int = 1) -> list[int]:
        right = {token: min(8, count) for token, count in counts.items()}
        sums = bit_sums(right, lanes, hash_token) if counts else self.no_token(lanes)
        if counts and lanes > self.first_weighted:
            other = {token: self.lane_weight(count, at) for at, (token, count) in enumerate(counts.items())}
            sums[64 * self.first_weighted :] = bit_sums(other, lanes, hash_token)[64 * self.first_weighted :]
        return sums


class _CountedUpper(_Counted):
    first_weighted = 4


class _CountedLast(_Counted):
    first_weighted = 7


def _capped(cap: int) -> Callable[..., int]:
    return lambda count, at: min(cap, count)


def _first_tokens(most: int) -> Callable[..., int]:
    return lambda count, at: min(8, count) if at < most else 0


_COUNTED: dict[str, tuple[str, type[Implementation]]] = {
    "": ("from the second lane on", _Counted),
    "-upper": ("from the fifth lane on", _CountedUpper),
    "-last": ("in the last lane of sd512", _CountedLast),
}
for _slug, (_where, _base) in _COUNTED.items():
    table("SD-WIDE-2", _base, lane_weight={
        **of_sizes(f"lane-distinct{{}}{_slug}", f"counts {{:,}} distinct tokens {_where}", _first_tokens,
            500, 1000),
        **of_sizes(f"lane-weight{{}}{_slug}", f"counts a token at most {{}} times {_where}", _capped, 1, 7, 9, 16),
        f"lane-uncapped{_slug}": (f"counts a token as often as it occurs {_where}", lambda count, at: count),
        f"lane-count8{_slug}": (f"counts in 8 bits {_where}", lambda count, at: min(8, count % 256)),
    })  # fmt: skip


class _Keys(Implementation):
    """Tells tokens apart by a key from the second lane on."""

    lane_key: Callable[..., Any]

    def bit_sums(self, counts: dict[str, int], lanes: int = 1) -> list[int]:
        sums = bit_sums(counts, lanes, self.hash_token) if counts else self.no_token(lanes)
        for lane in range(1, lanes):
            merged: dict[Any, tuple[int, int]] = {}
            for token, count in counts.items():
                value, before = merged.get(self.lane_key(token), (hash_token(token, lane), 0))
                merged[self.lane_key(token)] = value, min(8, before + count)
            sums[64 * lane : 64 * lane + 64] = lane_sums(merged.values())
        return sums


table("SD-WIDE-2", _Keys, lane_key={
    "lane-key-low": ("tells tokens apart by 32 bits of their hash from the second lane on",
    lambda token: hash_token(token) % 2**32),
    "lane-key-hash": ("tells tokens apart by their first hash from the second lane on", hash_token),
    **of_sizes("lane-key-first{}", "compares the first {:,} bytes of tokens from the second lane on",
        lambda size: lambda token: token.encode()[:size], 8, 16, 32, 64, 256, 1024, 4096),
    "lane-key-length": ("compares the length of tokens, and 8 bytes at both ends, from the second lane on",
        lambda token: (len(token), token[:8], token[-8:])),
    "lane-key-31": ("tells tokens apart by the hash of strings in Java from the second lane on",
        lambda token: sum(byte * 31 ** (len(token.encode()) - at - 1) for at,
        byte in enumerate(token.encode()[:64])) % 2**32),
})  # fmt: skip
