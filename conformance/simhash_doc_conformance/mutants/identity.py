"""Mutants of section 7, which tokens are the same: tables of tokens by a hash, a part of it, or a part of the token."""

from __future__ import annotations

import binascii
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


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) % 2**32


def _fnv_old(data: bytes) -> int:
    value = 0x811C9DC5
    for byte in data:
        value = value * 0x01000193 % 2**32 ^ byte
    return value


def _bernstein_xor(data: bytes) -> int:
    value = 5381
    for byte in data:
        value = value * 33 % 2**32 ^ byte
    return value


def _one_at_a_time(data: bytes) -> int:
    value = 0
    for byte in data:
        value = (value + byte) * 1025 % 2**32
        value ^= value >> 6
    value = value * 9 % 2**32
    value ^= value >> 11
    return value * 32_769 % 2**32


def _elf(data: bytes) -> int:
    value = 0
    for byte in data:
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value


def _murmur3(data: bytes) -> int:
    value, words = 0, len(data) // 4 * 4
    for at in range(0, words, 4):
        word = int.from_bytes(data[at : at + 4], "little") * 0xCC9E2D51 % 2**32
        value = (_rotated(value ^ _rotated(word, 15) * 0x1B873593 % 2**32, 13) * 5 + 0xE6546B64) % 2**32
    rest = int.from_bytes(data[words:], "little") * 0xCC9E2D51 % 2**32
    value ^= _rotated(rest, 15) * 0x1B873593 % 2**32 ^ len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        value = (value ^ value >> shift) * factor % 2**32
    return value


def _rotating(data: bytes) -> int:
    value = 0
    for byte in data:
        value = _rotated(value, 5) ^ byte
    return value


def _fletcher(data: bytes) -> int:
    first = second = 0
    for byte in data:
        first = (first + byte) % 65_535
        second = (second + first) % 65_535
    return second << 16 | first


# More of them, of 16 to 32 bits.
MORE_HASHES: dict[str, tuple[str, Callable[[bytes], int]]] = {
    "sdbm": ("the hash of sdbm", _polynomial(65_599)),
    "131": ("the hash of strings with the factor 131", _polynomial(131)),
    "37": ("the hash of strings with the factor 37", _polynomial(37)),
    "fnv1": ("FNV-1 of 32 bits", _fnv_old),
    "33-xor": ("the hash of Bernstein with exclusive or", _bernstein_xor),
    "jenkins": ("the one-at-a-time hash of Jenkins", _one_at_a_time),
    "elf": ("the hash of ELF", _elf),
    "murmur3": ("MurmurHash3 of 32 bits", _murmur3),
    "rotating": ("a rotating hash", _rotating),
    "fletcher": ("the checksum of Fletcher", _fletcher),
    "crc-hqx": ("CRC-16", lambda data: binascii.crc_hqx(data, 0)),
}


def _of_bytes(value: Callable[[bytes], int], token: str) -> int:
    return value(token.encode())


def _hashed(number: Callable[[int], object]) -> Callable[..., object]:
    """Return the key of a token that is a number of its hash."""
    return lambda token: number(hash_token(token))


def _as_double(value: int) -> object:
    """Return the floating-point number of these bits; one that is not a number equals none."""
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
       for name, (title, value) in {**SHORT_HASHES, **MORE_HASHES}.items()},
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


def _mapped(source: str, target: str) -> Callable[..., object]:
    """Return the key in which each character of a string stands for that of the other."""
    return lambda token: token.translate(str.maketrans(source, target))


def _written(**spellings: str) -> Callable[..., object]:
    """Return the key in which letters are written in ASCII."""
    return lambda token: token.translate(str.maketrans(spellings))


def _without(pattern: str, by: str = "") -> Callable[..., object]:
    return lambda token: re.sub(pattern, by, token)


def _primary(token: str) -> object:
    """Return about the first level of the Unicode collation: letters without marks, one kana, one alef."""
    plain = "".join(c for c in unicodedata.normalize("NFD", token) if not unicodedata.combining(c))
    return plain.translate(str.maketrans("\u00e6\u0153\u00f8\u0111\u0142\u0131", "aoodli"))


def _sounds(token: str) -> object:
    """Return the Soundex code."""
    codes = {
        letter: str(n) for n, group in enumerate(("bfpv", "cgjkqsxz", "dt", "l", "mn", "r"), 1) for letter in group
    }
    digits = [codes.get(letter, "") for letter in token if letter not in "hw"]
    kept = [digit for at, digit in enumerate(digits) if at and digit and digit != digits[at - 1]]
    return token[:1] + "".join(kept)[:3]


_AS = "counts as one token"
_STOPPED = frozenset(("the", "of", "der", "die", "a", "i"))
table("SD-CAP-1", _Key, key={
    "equal-yo": (f"{_AS} words with \u0435 and \u0451", _mapped("\u0451", "\u0435")),
    "equal-short-i": (f"{_AS} words with \u0438 and \u0439", _mapped("\u0439", "\u0438")),
    "equal-ukrainian": (f"{_AS} words with \u0438 and \u0456", _mapped("\u0456", "\u0438")),
    "equal-signs": (f"{_AS} words with \u044c and \u044a", _mapped("\u044a", "\u044c")),
    "equal-ae": (f"{_AS} words with \u00e6 and ae", _written(æ="ae")),
    "equal-oe": (f"{_AS} words with \u0153 and oe", _written(œ="oe")),
    "equal-strokes": (f"{_AS} letters with and without a stroke", _mapped("\u00f8\u0111\u0142\u0127", "odlh")),
    "equal-thorn": (f"{_AS} words with \u00fe and th", _written(þ="th")),
    "equal-eth": (f"{_AS} words with \u00f0 and d", _mapped("\u00f0", "d")),
    "equal-eng": (f"{_AS} words with \u014b and ng", _written(ŋ="ng")),
    "equal-dotless": (f"{_AS} words with \u0131 and i", _mapped("\u0131", "i")),
    "equal-phonetic": (f"{_AS} phonetic letters and the usual ones", _mapped("\u0259\u025b\u0138\u0283", "eeqs")),
    "equal-umlaut": (f"{_AS} words with \u00fc and ue", _written(ü="ue", ä="ae", ö="oe")),
    "equal-ring": (f"{_AS} words with \u00e5 and aa", _written(å="aa")),
    "equal-primary": (f"{_AS} tokens that are equal at the first level of the collation of Unicode", _primary),
    "equal-comma": (f"{_AS} letters with a comma or a cedilla below", _mapped("\u0219\u021b", "\u015f\u0163")),
    "equal-double": (f"{_AS} \u0151 and \u00f6", _mapped("\u0151\u0171", "\u00f6\u00fc")),
    "equal-alef": (f"{_AS} the forms of alef", _mapped("\u0623\u0625\u0622\u0671", "\u0627" * 4)),
    "equal-arabic-ending": (f"{_AS} Arabic U+0629 and U+0647", _mapped("\u0629", "\u0647")),
    "equal-yeh": (f"{_AS} the forms of yeh", _mapped("\u0649\u06cc", "\u064a\u064a")),
    "equal-kaf": (f"{_AS} the forms of kaf", _mapped("\u06a9", "\u0643")),
    "equal-waw": (f"{_AS} waw with and without hamza", _mapped("\u0624", "\u0648")),
    "equal-heh": (f"{_AS} the forms of heh", _mapped("\u06be", "\u0647")),
    "equal-hamza": (f"{_AS} words with and without hamza", _without("\u0621")),
    "equal-harakat": (f"{_AS} words with and without Arabic vowel marks", _without("[\u064b-\u0652]")),
    "equal-tatweel": (f"{_AS} words with and without tatweel", _without("\u0640")),
    "equal-finals": (f"{_AS} final letters of Hebrew and others",
    _mapped("\u05da\u05dd\u05df\u05e3\u05e5", "\u05db\u05de\u05e0\u05e4\u05e6")),
    "equal-points": (f"{_AS} words with and without Hebrew points", _without("[\u05b0-\u05c7]")),
    "equal-digraphs": (f"{_AS} digraphs and two letters", _written(װ="\u05d5\u05d5", ĳ="ij", ǳ="dz")),
    "equal-tonos": (f"{_AS} Greek letters with and without accents",
    _mapped("\u03ac\u03ad\u03ae\u03af\u03ca", "\u03b1\u03b5\u03b7\u03b9\u03b9")),
    "equal-breathing": (f"{_AS} Greek letters with each breathing", _mapped("\u1f01", "\u1f00")),
    "equal-kai": (f"{_AS} \u03d7 and \u03ba", _mapped("\u03d7", "\u03ba")),
    "equal-small-kana": (f"{_AS} small kana and others",
    _mapped("\u3063\u3083\u3085\u3087", "\u3064\u3084\u3086\u3088")),
    "equal-voiced": (f"{_AS} voiced kana and others", _mapped("\u304c\u304e\u3071\u3070", "\u304b\u304d\u306f\u306f")),
    "equal-iteration": (f"{_AS} an iteration mark and what it repeats", _without("(.)\u3005", r"\1\1")),
    "equal-simplified": (f"{_AS} simplified and traditional characters",
    _mapped("\u540e\u6765\u56fd", "\u5f8c\u4f86\u570b")),
    "equal-variants": (f"{_AS} variants of characters", _mapped("\u8aaa\u56fd", "\u8aac\u570b")),
    "equal-numerals": (f"{_AS} numerals and their formal writing", _mapped("\u58f9", "\u4e00")),
    "equal-nukta": (f"{_AS} Indic letters with and without nukta", _without("\u093c")),
    "equal-nasal": (f"{_AS} candrabindu and anusvara", _mapped("\u0901", "\u0902")),
    "equal-virama": (f"{_AS} Indic letters with and without virama", _without("\u094d")),
    "equal-vowel-length": (f"{_AS} short and long Indic vowels", _mapped("\u0940", "\u093f")),
    "equal-tense": (f"{_AS} tense consonants of Hangul and others", _mapped("\uae4c", "\uac00")),
    "equal-modifiers": (f"{_AS} words with and without modifier letters", _without("[\u02b0-\u02ff]")),
    "equal-greek-latin": (f"{_AS} Greek and Latin letters that look alike", _mapped("\u03bf\u03b1", "oa")),
    "equal-cyrillic-latin": (f"{_AS} Cyrillic and Latin letters that look alike",
    _mapped("\u0430\u0441\u0435\u043e\u0440", "aceop")),
    "equal-armenian-latin": (f"{_AS} Armenian and Latin letters that look alike", _mapped("\u0578", "n")),
    "equal-plural": (f"{_AS} words with and without s", _without("s$")),
    "equal-ing": (f"{_AS} words with and without -ning", _without("(?:n)?ing$")),
    "equal-doubled": (f"{_AS} words with one or two of a letter", _without(r"(.)\1+", r"\1")),
    "equal-british": (f"{_AS} British and American spellings", _without("our$", "or")),
    "equal-ise": (f"{_AS} -ise and -ize", _without("ise$", "ize")),
    "equal-stems": (f"{_AS} words of one stem", _without("(?:ed|ion|ing|s)$")),
    "equal-stopped": (f"{_AS} all stop words", lambda token: "" if token in _STOPPED else token),
    "equal-sounds": (f"{_AS} words of one Soundex code", _sounds),
    "equal-k": (f"{_AS} words with and without a silent k", _without("^k(?=n)")),
    "equal-vowels": (f"{_AS} words with the same consonants", _without("[aeiou]")),
    "equal-turned": (f"{_AS} a word and its reverse", lambda token: min(token, token[::-1])),
    "equal-first5": (f"{_AS} words with the same first five characters", lambda token: token[:5]),
    "equal-zeros": (f"{_AS} words with and without zeros in a number", _without("(?<![0-9])0+(?=[0-9])")),
    "equal-roman": (f"{_AS} Roman numbers and others", _without("iv", "14")),
    "equal-underscores": (f"{_AS} words with one or two underscores", _without("__+", "_")),
    "equal-connectors": (f"{_AS} words with any connector", _without("[\u203f\u2040\u2054_]", "_")),
    "equal-zero-o": (f"{_AS} words with 0 and o", _mapped("0", "o")),
    "equal-one-l": (f"{_AS} words with 1 and l", _mapped("1", "l")),
    "equal-low-units": (f"{_AS} characters with the same low 16 bits",
    lambda token: tuple(ord(c) % 65_536 for c in token.lower())),
    "equal-low-bytes": (f"{_AS} characters with the same low byte", lambda token: bytes(ord(c) % 256 for c in token)),
    "equal-low-surrogates": (f"{_AS} characters beyond U+FFFF with the same low surrogate",
        lambda token: tuple(ord(c) % 1024 if c > "\uffff" else ord(c) for c in token)),
    "equal-marks": (f"{_AS} words with any mark of a class",
    lambda token: tuple(unicodedata.combining(c) or c for c in token)),
    "equal-unmarked": (f"{_AS} words with and without combining marks", _without("[\u0300-\u036f\u1dc0-\u1dff]")),
    "equal-vedic": (f"{_AS} words with and without Vedic signs", _without("[\u1cd0-\u1cff]")),
    "equal-seven-bits": (f"{_AS} bytes that differ in their high bit",
        lambda token: bytes(b & 127 for b in token.encode())),
    "equal-mongolian": (f"{_AS} Mongolian letters that look alike", _mapped("\u1821", "\u1820")),
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
            sums += lane_sums((value, min(8, count)) for value, count in slots.items())
        return sums


def lane_sums(counted: Iterable[tuple[int, int]]) -> list[int]:
    """Return the sums of one lane, from the hash and the count of each token."""
    listed = list(counted)
    numbers = {str(number): count for number, (_, count) in enumerate(listed)}
    return bit_sums(numbers, 1, lambda number, lane: listed[int(number)][0])


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
