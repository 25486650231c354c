"""Mutants of section 7, the cap and the hash, and of limits: counters, buffers and tables that are too small."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby, islice
from typing import Any

from xxhash import xxh3_64_intdigest, xxh32_intdigest, xxh64_digest, xxh64_intdigest

from simhash_doc.reference import LINK, hash_token
from simhash_doc.schemes import get_scheme
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import after, before, failing, first, mutant, of_sizes, table
from simhash_doc_extraction import LimitExceededError


class _Weights(Implementation):
    """Weights a token by its count. A token of weight 0 is left out."""

    weight: Callable[..., int]

    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        return {token: weight for token, count in Counter(tokens).items() if (weight := self.weight(count))}


def _cap_before_trim(self: Implementation, text: str) -> list[str]:
    candidates = Counter(candidate for run in self.runs(text) for candidate in self.split(run))
    kept = [c for c, count in candidates.items() for _ in range(min(8, count))]
    return [token for candidate in kept if self.is_token(token := self.trim_connectors(candidate))]


mutant(
    "cap-before-trim", "SD-CAP-1", "applies the cap before trimming, so `a` and `_a_` are capped separately",
    link_free_tokens=_cap_before_trim, capped_counts=lambda tokens: dict(Counter(tokens)),
)  # fmt: skip


class _Hash(Implementation):
    hash_bytes: Callable[..., int]

    def hash_token(self, token: str, seed: int = 0) -> int:
        return self.hash_bytes(token.encode("utf-8", "surrogatepass"), seed)


def _suffix(seed: int) -> bytes:
    """Return the number of a lane as a byte, which the first lane does not have."""
    return bytes([seed]) if seed else b""


def _hash_fnv(right: _Hash, data: bytes, seed: int) -> int:
    value = 0xCBF29CE484222325 ^ seed
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def _hash_cesu8(right: Implementation, token: str, seed: int = 0) -> int:
    units = token.encode("utf-16-be", "surrogatepass")
    halves = "".join(chr(units[i] << 8 | units[i + 1]) for i in range(0, len(units), 2))
    return xxh64_intdigest(halves.encode("utf-8", "surrogatepass"), seed)


table("SD-HASH-1", hash_token={
    "hash-cesu8": ("hashes characters beyond U+FFFF as two encoded surrogates (CESU-8)", _hash_cesu8),
})  # fmt: skip


table("SD-HASH-1", _Hash, hash_bytes={
    "hash-xxh32": ("uses XXH32", lambda data, seed: xxh32_intdigest(data, seed)),
    "hash-xxh3": ("uses XXH3 (64 bits); the scheme uses XXH64", lambda data, seed: xxh3_64_intdigest(data, seed)),
    "hash-md5": ("uses MD5", lambda data, seed: int.from_bytes(hashlib.md5(data + _suffix(seed)).digest()[:8], "big")),
    "hash-fnv": ("uses FNV-1a", _hash_fnv),
    "hash-seed-one": ("hashes with seed 1", lambda data, seed: xxh64_intdigest(data, seed + 1)),
    "hash-trailing-zero": ("hashes a terminating zero, too", lambda data, seed: xxh64_intdigest(data + b"\0", seed)),
    "hash-byte-swapped": ("reads the digest's bytes in little-endian order",
        lambda data, seed: int.from_bytes(xxh64_digest(data, seed), "little")),
    "hash-short-inputs-only": ("computes a wrong XXH64 for inputs of 32 bytes or more",
        lambda data, seed: xxh64_intdigest(data[:31], seed)),
    "hash-double": ("keeps 53 bits of the hash (a double, as in JavaScript numbers)",
        lambda data, seed: int(float(xxh64_intdigest(data, seed))) % 2**64),
}, hash_token={
    "hash-utf16": ("hashes UTF-16 code units instead of UTF-8 bytes",
        lambda token, seed=0: xxh64_intdigest(token.encode("utf-16-le", "surrogatepass"), seed)),
})  # fmt: skip

table("SD-WIDE-2", _Hash, hash_bytes={
    "wide-same-seed": ("uses the same seed for every lane", lambda data, seed: xxh64_intdigest(data, 0)),
    "wide-seed-shifted": ("counts lanes from 1: lane j has seed j + 1 except the first",
        lambda data, seed: xxh64_intdigest(data, seed + 1 if seed else 0)),
    "wide-suffix": ("appends the lane's number to the token instead of using it as the seed",
        lambda data, seed: xxh64_intdigest(data + _suffix(seed), 0)),
})  # fmt: skip


table("SD-CAP-1", _Weights, weight={
    "cap-drops": ("drops a token that exceeds the cap", lambda count: count if count <= 8 else 0),
    "cap-logarithm": ("weights a token by the logarithm of its count", lambda count: 1 + math.floor(math.log2(count))),
    "count-uint8": ("counts in 8 bits: 256 is 0", lambda count: min(8, count % 256)),
    "count-int8": ("counts in signed bytes: 128 is -128", lambda count: min(8, (count + 128) % 256 - 128)),
    **of_sizes("count-bits{}", "counts in {} bits", lambda bits: lambda count: min(8, count % 2**bits), 17, 18, 20),
    "count-uint16": ("counts in 16 bits: 65,536 is 0", lambda count: min(8, count % 65_536)),
    "count-int16": ("counts in 16 bits with a sign", lambda count: min(8, (count + 32_768) % 65_536 - 32_768)),
    "count-four-bits": ("counts in 4 bits: 16 is 0", lambda count: min(8, count % 16)),
    "cap-mask": ("counts modulo 8 (count & 7)", lambda count: count % 8),
})  # fmt: skip


def _distinct(most: int) -> Callable[..., dict[str, int]]:
    return lambda right, tokens: dict(islice(right.capped_counts(tokens).items(), most))


def _cap_by65536(self: Implementation, given: str | bytes, scheme_id: str = "sd64") -> list[int]:
    text = self.read(given)
    if len(text) <= 65_536:
        return Implementation.buckets(self, given, scheme_id)
    counts: Counter[str] = Counter()
    while text:
        end = text.rfind(" ", 0, 65_536) + 1 or 65_536
        part, text = text[:end], text[end:]
        counts.update(self.capped_counts(self.tokens(part)))
    return self.to_buckets(self.bit_sums(dict(counts), get_scheme(scheme_id).lanes))


# What ends a part of a text, by the parts of which a program may keep counts of their own.
PARTS = {
    "lines": "\n", "lines-crlf": "\r\n", "lines-cr": "\r", "lines-unicode": "\u2028", "lines-next": "\x85",
    "paragraphs": "\n\n", "paragraphs-unicode": "\u2029", "pages": "\f", "sentences": ". ", "questions": "? ",
    "exclamations": "! ", "sentences-han": "\u3002", "sentences-danda": "\u0964", "clauses": ", ", "halves": "; ",
    "introductions": ": ", "columns": "\t", "cells": " | ", "items": "\n- ", "headings": "\n# ", "rules": "\n---\n",
    "quotations": " \"", "brackets": " (", "elements": "<p>", "dashes": " \u2014 ",
}  # fmt: skip


def _cap_by_parts(end: str) -> Callable[..., list[int]]:
    def buckets(right: Implementation, given: str | bytes, scheme_id: str = "sd64") -> list[int]:
        counts: Counter[str] = Counter()
        for part in right.read(given).split(end):
            counts.update(right.capped_counts(right.tokens(part)))
        return right.to_buckets(right.bit_sums(dict(counts), get_scheme(scheme_id).lanes))

    return buckets


def _cap_by_tokens(size: int) -> Callable[..., dict[str, int]]:
    """Return the step that applies the cap to each so many tokens and adds the results."""

    def capped_counts(right: Implementation, tokens: Iterable[str]) -> dict[str, int]:
        listed, counts = list(tokens), Counter[str]()
        for start in range(0, len(listed), size):
            counts.update(right.capped_counts(listed[start : start + size]))
        return dict(counts)

    return capped_counts


def _cap_adjacent(right: Implementation, tokens: Iterable[str]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for token, repeated in groupby(tokens):
        counts[token] += min(right.cap, len(list(repeated)))
    return dict(counts)


class _LongToken(Implementation):
    """Has a token buffer of limited length."""

    parts: Callable[..., list[str]]

    def link_free_tokens(self, text: str) -> list[str]:
        return [part for token in super().link_free_tokens(text) for part in self.parts(token)]


table("SD-RUN-1", _LongToken, parts={
    "token-over255-cut": ("cuts a token of over 255 characters into several",
        lambda token: [token[start : start + 255] for start in range(0, len(token), 255)]),
    "token-first255": ("keeps 255 bytes of a token", lambda token: [token.encode()[:255].decode("utf-8", "ignore")]),
    "token-over4096-cut": ("ends a token after 4,096 bytes",
        lambda token: [token.encode()[:4096].decode("utf-8", "ignore")]),
    "token-over65535-cut": ("ends a token after 65,535 characters", lambda token: [token[:65_535]]),
    "token-over65535-dropped": ("drops a token of over 65,535 characters",
        lambda token: [token] if len(token) <= 65_535 else []),
})  # fmt: skip


def _sum_saturates_sixteen(right: Implementation, counts: dict[str, int], lanes: int = 1) -> list[int]:
    if len(counts) < 4096:  # no sum can pass the limit
        return right.bit_sums(counts, lanes)
    sums = [0] * (64 * lanes)
    for token, count in counts.items():
        for lane in range(lanes):
            token_hash = hash_token(token, lane)
            for bit in range(64):
                change = count if token_hash >> bit & 1 else -count
                sums[64 * lane + bit] = max(-32_768, min(32_767, sums[64 * lane + bit] + change))
    return sums


table("SD-SUM-1", bit_sums={
    "sum-saturates-sixteen": ("saturates sums at 16 bits while adding in the text's order", _sum_saturates_sixteen),
    "sum-average": ("halves the sums of a text of over 100 distinct tokens",
        lambda step, counts, lanes=1: [
            int(total / 2) if len(counts) > 100 else total for total in step(counts, lanes)]),
})  # fmt: skip

table("SD-BUCKET-1", to_buckets={
    "clamp126": ("clamps to [-126, 126]", lambda sums: [max(-126, min(126, total)) for total in sums]),
})  # fmt: skip

table("SD-SIGN-1", to_bytes={
    "sign-tie-wide": ("sets a bit for a bucket of 0 from the second lane on",
        before(lambda buckets: [*buckets[:64], *(bucket or 1 for bucket in buckets[64:])])),
})  # fmt: skip


table("SD-SUM-2", to_bytes={
    "fingerprint-zero-is-none": ("treats the fingerprint 0 as that of a text without tokens",
        lambda right, buckets: right.to_bytes(buckets) if max(buckets) > 0 else right.no_token(1)),
})  # fmt: skip


def _refusing(size: Callable[[Any], int], most: int) -> Callable[..., Any]:
    """Return the step that refuses what is larger than most."""
    return lambda step, given: step(given) if size(given) <= most else failing(LimitExceededError("too much"))


def _refusing_text(size: Callable[[str], int], most: int) -> Callable[..., Any]:
    """Return the step that refuses a text that is larger than most."""
    return lambda right, given: (
        right.tokens(given) if size(right.read(given)) <= most else failing(LimitExceededError("too much"))
    )


def _longest(pattern: str) -> Callable[[str], int]:
    return lambda text: max(map(len, re.findall(pattern, text)), default=0)


table("SD-LIMIT-2", tokens={
    **of_sizes("limit{}", "refuses texts of more than {:,} characters", partial(_refusing_text, len),
        65_536, 262_144, 499_999),
    "limit-bytes": ("refuses texts of more than 1,048,576 bytes",
        _refusing_text(lambda text: len(text.encode()), 1_048_576)),
    "limit-units": ("refuses texts of more than 500,000 UTF-16 units",
        _refusing_text(lambda text: len(text.encode("utf-16-be")) // 2, 500_000)),
    "limit-lines": ("refuses texts of more than 100,000 lines", _refusing_text(lambda text: text.count("\n"), 100_000)),
    "limit-line": ("refuses lines of more than 262,144 characters", _refusing_text(_longest(".+"), 262_144)),
    "limit-marks": ("refuses runs of more than 262,144 marks", _refusing_text(_longest("[\u0300-\u036f]+"), 262_144)),
}, remove_links={
    "limit-folded": ("refuses folded texts of more than 1,000,000 characters", _refusing(len, 1_000_000)),
    "limit-link": ("refuses links of more than 262,144 characters", _refusing(_longest(LINK.pattern), 262_144)),
    "limit-links": ("refuses texts of more than 50,000 links", _refusing(lambda text: text.count("://"), 50_000)),
}, capped_counts={
    "limit-tokens": ("refuses texts of more than 249,999 tokens", _refusing(len, 249_999)),
    "limit-distinct": ("refuses texts of more than 131,072 distinct tokens",
        _refusing(lambda tokens: len(set(tokens)), 131_072)),
    "limit-token": ("refuses tokens of more than 262,144 characters",
        _refusing(lambda tokens: max(map(len, tokens), default=0), 262_144)),
})  # fmt: skip

table("SD-SEC-1", read={
    "text100k": ("fingerprints only 100,000 characters of a text", first(100_000)),
    "text1-m": ("fingerprints only 1,048,576 characters of a text", first(1_048_576)),
    "text10-m": ("fingerprints only 10,000,000 characters of a text", first(10_000_000)),
})  # fmt: skip


def _losing(tokens: str) -> Callable[..., dict[str, int]]:
    """Return the step that does not count some tokens."""
    lost = frozenset(tokens.split())
    return after(lambda counts: {token: count for token, count in counts.items() if token not in lost})


def _lossy(full: int) -> Callable[..., dict[str, int]]:
    """Return the step that forgets tokens that occurred once when its table is full (lossy counting)."""

    def capped_counts(right: Implementation, tokens: Iterable[str]) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for token in tokens:
            counts[token] += 1
            if len(counts) > full:
                counts = Counter({token: count for token, count in counts.items() if count > 1})
        return {token: min(right.cap, count) for token, count in counts.items()}

    return capped_counts


table("SD-CAP-1", cap={
    "cap-none": ("counts every occurrence of a token, without a cap", 10**9),
    "cap-seven": ("counts a token at most 7 times", 7),
    "cap-nine": ("counts a token at most 9 times", 9),
    "cap-sixteen": ("counts a token at most 16 times", 16),
    "cap-one": ("counts each distinct token once", 1),
}, capped_counts={
    **of_sizes("distinct{}", "counts at most {:,} distinct tokens", _distinct, 255, 4096, 65_535),
    "distinct1-m": ("counts at most 1,048,576 distinct tokens", _distinct(1_048_576)),
    "count-inherited-object": ("counts in a JavaScript object, which has a member constructor already",
        _losing("constructor")),
    "count-inherited-array": ("counts in a JavaScript array, which has length, map and other members already",
        _losing("at concat copywithin entries every fill filter find findindex flat flatmap foreach includes "
                  "indexof join keys lastindexof length map pop push reduce reverse shift slice some sort splice "
                  "unshift values with")),
    "count-inherited-function": ("counts in a function object, which has name and length already",
        _losing("name length arguments caller prototype apply bind call")),
    "count-inherited-dict": ("counts in the attributes of a Python object, which has copy, items and keys already",
        _losing("clear copy fromkeys get items keys pop popitem setdefault update values")),
    "count-null-lost": ("loses tokens that a table reads as missing: null, nan, na, none, nil",
        _losing("null nan na none nil undefined n_a")),
    "count-booleans-lost": ("loses tokens that YAML reads as booleans: true, false, yes, no, on, off, y, n",
        _losing("true false yes no on off y n")),
    "count-infinity-lost": ("loses tokens that are read as numbers: inf, infinity", _losing("inf infinity")),
    **of_sizes("count-lossy{}", "forgets tokens that occurred once when {:,} are in its table (lossy counting)", _lossy,
        1000, 4096, 10_000, 65_536, 100_000),
    **of_sizes("cap-tokens{}", "applies the cap to each {:,} tokens and adds the results", _cap_by_tokens,
        16, 100, 256, 1000, 1024, 4096, 10_000, 65_536),
    "cap-adjacent": ("counts only repeats that are adjacent, and adds the results", _cap_adjacent),
}, buckets={
    **{f"cap-parts-{slug}": (f"applies the cap to each part that ends with {end!r} and adds the results",
        _cap_by_parts(end)) for slug, end in PARTS.items()},
    "cap-by65536": ("applies the cap to each 65,536 characters and adds the results", _cap_by65536),
})  # fmt: skip
