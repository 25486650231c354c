"""Mutants of section 7, which tokens are the same: tables of tokens by a hash, a part of it, or a part of the token."""

from __future__ import annotations

import re
import struct
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from operator import eq

from xxhash import xxh32_intdigest, xxh64_intdigest

from simhash_doc.reference import hash_token
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import of_sizes, table
from simhash_doc_conformance.mutants.appendix_a import MASK
from simhash_doc_conformance.vectors.extraction import bit_sums

# Values that a table of numbers, a language or a floating-point number treats in a special way.
SPECIAL = {
    "0": 0, "1": 1, "2": 2, "2^31": 2**31, "2^32-1": 2**32 - 1, "2^32": 2**32, "2^53": 2**53, "2^63-1": 2**63 - 1,
    "2^63": 2**63, "2^64-2^32": 2**64 - 2**32, "nan": 0x7FF8000000000000, "2^64-2": 2**64 - 2, "2^64-1": 2**64 - 1,
}  # fmt: skip


class _Key(Implementation):
    """Compares tokens by a key. The first token of a key stands for all."""

    key: Callable[..., object]

    def capped_counts(self, tokens: Iterable[str]) -> dict[str, int]:
        first: dict[object, str] = {}
        counts: Counter[str] = Counter()
        for token, count in Counter(tokens).items():
            counts[first.setdefault(self.key(token), token)] += count
        return {token: min(self.cap, count) for token, count in counts.items()}


def _number(token: str) -> str | float:
    """Return a token that looks like a number as one."""
    return float(token) if re.fullmatch("[0-9]{1,3}e[0-9]{1,2}", token, re.ASCII) else token


table("SD-CAP-1", _Key, key={
    "cap-by-short-hash": ("caps each distinct hash by its low 32 bits, not each token by its bytes",
        lambda token: xxh64_intdigest(token.encode()) & 0xFFFFFFFF),
    "count-key-kana": ("treats Hiragana and Katakana as equal when counting",
        lambda token: "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in token)),
    "count-key-accents": ("treats letters with and without accents as equal when counting",
        lambda token: "".join(c for c in unicodedata.normalize("NFD", token) if not unicodedata.combining(c))),
    "count-key-digits": ("treats digits of all scripts as equal when counting",
        lambda token: "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in token)),
    "count-key-prefix32": ("compares the first 32 characters of tokens when counting", lambda token: token[:32]),
    "count-key-prefix255": ("compares the first 255 bytes of tokens when counting",
        lambda token: token.encode()[:255].decode("utf-8", "replace")),
    "count-key-anagram": ("counts tokens of the same letters as one", lambda token: "".join(sorted(token))),
    "count-key-high-hash": ("treats tokens whose hashes share the high 32 bits as equal when counting",
        lambda token: hash_token(token) >> 32),
    "count-key-numeric": ("treats 1e1 and 10e0 as equal when counting (comparison as numbers)",
        lambda token: str(_number(token))),
    "count-key-hexadecimal": ("counts 0x1f and 0x001f as one token", lambda token: re.sub("^0x0+(?=.)", "0x", token)),
    "count-key-connectors": ("counts tokens that differ in connectors as one", lambda token: token.replace("_", "")),
    "count-key-leading-zeros": ("ignores leading zeros when counting", lambda token: token.lstrip("0") or token),
    "count-key-prefix64": ("compares the first 64 characters of tokens when counting", lambda token: token[:64]),
    "count-key-suffix32": ("compares the last 32 characters of tokens when counting", lambda token: token[-32:]),
})  # fmt: skip


def _polynomial(factor: int, start: int = 0) -> Callable[[bytes], int]:
    def value(data: bytes) -> int:
        result = start
        for byte in data:
            result = (result * factor + byte) % 2**32
        return result

    return value


def _fnv(data: bytes) -> int:
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 % 2**32
    return value


# Hashes of 32 bits that languages and libraries have, by the name in messages.
SHORT_HASHES: dict[str, tuple[str, Callable[[bytes], int]]] = {
    "31": ("the hash of strings in Java", _polynomial(31)),
    "33": ("the hash of Bernstein (djb2)", _polynomial(33, 5381)),
    "fnv": ("FNV-1a of 32 bits", _fnv),
    "crc": ("CRC-32", zlib.crc32),
    "adler": ("Adler-32", zlib.adler32),
    "xxh32": ("XXH32", xxh32_intdigest),
}


def _of_bytes(value: Callable[[bytes], int], token: str) -> int:
    return value(token.encode())


def _hashed(number: Callable[[int], object]) -> Callable[..., object]:
    """Return the key of a token that is a number of its hash."""
    return lambda token: number(hash_token(token))


def _as_double(value: int) -> object:
    """Return the floating-point number of these bits; one that is no number is equal to none."""
    return struct.unpack("<d", value.to_bytes(8, "little"))[0]


_BY = "tells tokens apart by"
_ANY_HALVES = "the two halves of their hash, in any order"
table("SD-CAP-1", _Key, key={
    "key-hash": (f"{_BY} their hash, not their bytes", _hashed(lambda value: value)),
    **of_sizes("key-low{}", _BY + " the low {} bits of their hash", lambda bits: _hashed(lambda value: value % 2**bits),
        16, 24, 40, 48, 53, 56, 60, 62, 63),
    **of_sizes("key-high{}", _BY + " the high {} bits of their hash",
        lambda bits: _hashed(lambda value: value >> 64 - bits), 16, 24, 40, 48, 53, 56, 60, 62, 63),
    **of_sizes("key-not-bit{}", _BY + " their hash without bit {}",
        lambda bit: _hashed(lambda value: value & ~(1 << bit)), 7, 15, 31, 32, 47),
    "key-double": (f"{_BY} their hash as a double", _hashed(float)),
    "key-double-bits": (f"{_BY} their hash as the bits of a double: 0 is -0, and NaN is not equal to itself",
        _hashed(_as_double)),
    "key-float": (f"{_BY} their hash as a float of 32 bits",
        _hashed(lambda value: struct.unpack("<f", struct.pack("<f", value))[0])),
    "key-absolute": (f"{_BY} the absolute value of their hash with a sign",
        _hashed(lambda value: min(value, -value & MASK))),
    "key-complement": (f"{_BY} their hash without its sign (value ^ value >> 63)",
        _hashed(lambda value: min(value, value ^ MASK))),
    "key-xor": (f"{_BY} the exclusive or of the halves of their hash",
        _hashed(lambda value: value >> 32 ^ value % 2**32)),
    "key-sum": (f"{_BY} the sum of the halves of their hash", _hashed(lambda value: ((value >> 32) + value) % 2**32)),
    "key-halves": (f"{_BY} {_ANY_HALVES}", _hashed(lambda value: frozenset((value >> 32, value % 2**32)))),
    "key-halves31": (f"{_BY} 31 times one half of their hash, and the other",
        _hashed(lambda value: ((value >> 32) * 31 + value) % 2**32)),
    "key-modulo31": (f"{_BY} their hash modulo 2^31 - 1", _hashed(lambda value: value % (2**31 - 1))),
    "key-modulo61": (f"{_BY} their hash modulo 2^61 - 1", _hashed(lambda value: value % (2**61 - 1))),
    "key-zero-one": (f"{_BY} their hash, with 1 in place of 0, which marks an empty place",
        _hashed(lambda value: max(1, value))),
    "key-zero-two": (f"{_BY} their hash, with 2 in place of 0 and 1, which are marks",
        _hashed(lambda value: max(2, value))),
    "key-minus-one": (f"{_BY} their hash, with -2 in place of -1, which is a mark",
        _hashed(lambda value: min(MASK - 1, value))),
    "key-zero-minus-one": (f"{_BY} their hash, with -1 in place of 0, which is a mark",
        _hashed(lambda value: value or MASK)),
    **{f"key-{name}": (f"{_BY} {title}", partial(_of_bytes, value))
       for name, (title, value) in SHORT_HASHES.items()},
    **of_sizes("key-first{}", "compares the first {:,} bytes of tokens when counting",
        lambda size: lambda token: token.encode()[:size],
        4, 8, 16, 128, 256, 512, 1000, 1024, 4096, 8192, 16_384, 32_768, 65_535, 65_536),
    **of_sizes("key-last{}", "compares the last {:,} bytes of tokens when counting",
        lambda size: lambda token: token.encode()[-size:], 4, 8, 16, 64, 255, 256, 1024, 4096, 65_535),
    **of_sizes("key-ends{}", "compares the length of tokens, and {:,} bytes at both ends, when counting",
        lambda size: lambda token: (len(token), token.encode()[:size], token.encode()[-size:]),
        4, 8, 16, 32, 64, 255, 1024, 4096, 8192, 65_535),
    **of_sizes("key-long{}", "compares the first 32 bytes of tokens of {:,} bytes or more",
        lambda size: lambda token: token.encode()[:32] if len(token.encode()) >= size else token,
        128, 256, 1024, 4096, 32_768, 65_536),
})  # fmt: skip


class _Slots(Implementation):
    """Has a table for each lane, by the hash in this lane. What has no slot is lost."""

    slot: Callable[..., int | None]

    def bit_sums(self, counts: dict[str, int], lanes: int = 1) -> list[int]:
        if not counts:
            return self.no_token(lanes)
        sums: list[int] = []
        for lane in range(lanes):
            slots: Counter[int] = Counter()
            for token, count in counts.items():
                slot = self.slot(self.hash_token(token, lane), lane, token)
                if slot is not None:
                    slots[slot] += count
            sums += _lane_sums({value: min(8, count) for value, count in slots.items()})
        return sums


def _lane_sums(counts: dict[int, int]) -> list[int]:
    hashes = {str(value): value for value in counts}
    return bit_sums({str(value): count for value, count in counts.items()}, 1, lambda token, lane: hashes[token])


def _lost(is_lost: Callable[[int], bool], first_lane: int = 0) -> Callable[..., int | None]:
    return lambda value, lane, token: None if lane >= first_lane and is_lost(value) else value


table("SD-SUM-1", _Slots, slot={
    "slot-hash": ("adds tokens with one hash in a lane once", lambda value, lane, token: value),
    **{f"slot-{name}".replace("^", "p"): (f"loses a token whose hash is {name}, which marks an empty or removed place",
        _lost(partial(eq, special))) for name, special in SPECIAL.items()},
    **{f"slot-{name}-later".replace("^", "p"): (f"loses a token whose hash is {name} from the second lane on",
        _lost(partial(eq, special), 1)) for name, special in SPECIAL.items()},
    "slot-0-last": ("loses a token whose hash in the last lane of sd512 is 0", _lost(lambda value: not value, 7)),
    "slot-low-zero": ("loses a token whose hash has 32 low bits 0", _lost(lambda value: not value % 2**32)),
    "slot-high-zero": ("loses a token whose hash has 32 high bits 0", _lost(lambda value: not value >> 32)),
    "slot-recomputed": ("takes the hash of the first lane for one that is 0",
        lambda value, lane, token: value or hash_token(token)),
})  # fmt: skip
