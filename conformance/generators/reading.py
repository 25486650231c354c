"""Section 3: bytes and host strings are read as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft, table


def ill_formed() -> Iterator[Draft]:
    """Ill-formed UTF-8, each part one U+FFFD, between `x` and `y`."""
    parts = {
        "lone-continuation": (b"\x80", "a continuation byte without a start"),
        "two-continuations": (b"\x80\xbf", "two continuation bytes are two parts"),
        "overlong-two": (b"\xc0\xaf", "C0 is never valid: two parts"),
        "overlong-c1": (b"\xc1\xbf", "C1 is never valid"),
        "overlong-three": (b"\xe0\x80\xaf", "after E0 only A0 to BF: three parts"),
        "overlong-four": (b"\xf0\x80\x80\xaf", "after F0 only 90 to BF: four parts"),
        "surrogate-high": (b"\xed\xa0\x80", "an encoded high surrogate: three parts"),
        "surrogate-low": (b"\xed\xb0\x80", "an encoded low surrogate: three parts"),
        "surrogate-pair": (b"\xed\xa0\xbd\xed\xb8\x80", "a pair encoded one by one (CESU-8): six parts"),
        "truncated-two": (b"\xc3", "a sequence of two cut after its first byte"),
        "truncated-three": (b"\xe2\x82", "a sequence of three cut after two bytes is one part"),
        "truncated-four": (b"\xf0\x9f\x98", "a sequence of four cut after three bytes is one part"),
        "truncated-four-two": (b"\xf0\x9f", "a sequence of four cut after two bytes is one part"),
        "above-10ffff": (b"\xf4\x90\x80\x80", "after F4 only 80 to 8F: four parts"),
        "f5": (b"\xf5\x80\x80\x80", "F5 is never valid: four parts"),
        "fe-ff": (b"\xfe\xff", "a byte order mark of UTF-16: two parts"),
        "truncated-then-start": (b"\xe2\x82\xe2\x82\xac", "a truncated sequence, then a complete one"),
        "five-byte": (b"\xf8\x88\x80\x80\x80", "a sequence of five bytes, as UTF-8 once had: five parts"),
        "last-valid": (b"\xf4\x8f\xbf\xbf", "U+10FFFF is well-formed, and a non-character"),
    }
    for slug, (data, comment) in parts.items():
        text = (b"x" + data + b"y").hex()
        cuts = f"{comment}: the words stay separate"
        yield draft(f"read/{slug}", "fold", "SD-INPUT-2", comment, "bytes", bytes=text)
        yield draft(f"read/{slug}-cuts", "tokens", "SD-INPUT-2", cuts, "bytes", bytes=text)
    row = {"truncated-at-end": (b"word \xe6\x9d".hex(), "the text ends inside a sequence")}
    yield from table("read/", "fold", "SD-INPUT-2", row, "bytes", member="bytes")


def well_formed() -> Iterator[Draft]:
    """Well-formed bytes of each length, and the byte order mark."""
    mark = b"\xef\xbb\xbf"
    words = {"two": "né", "three": "東京", "four": "\U0001d400\U00020000", "one": "plain ascii"}
    yield from table("read/", "fingerprint", "SD-INPUT-1", {
        **{f"utf8-{size}": (word.encode().hex(), f"sequences of {size} bytes") for size, word in words.items()},
        "latin1-bytes": ("café olé".encode("latin-1").hex(), "bytes of Latin-1 are ill-formed UTF-8: the word is cut", "SD-INPUT-1", "SD-INPUT-2"),
        "bom": ((mark + b"word one").hex(), "a byte order mark is not part of the text"),
    }, "bytes", member="bytes")  # fmt: skip
    yield from table("read/", "fold", "SD-INPUT-1", {
        "bom-fold": ((mark + b"word").hex(), "a byte order mark is not part of the text"),
        "bom-twice": ((mark + mark + b"a" + mark + b"b").hex(), "a second U+FEFF is removed by folding"),
    }, "bytes", member="bytes")  # fmt: skip
    yield draft("read/no-bytes", "fingerprint", "SD-SUM-2", "no bytes at all", "negative", "bytes", bytes="")
    comment = "U+0000 is a character that separates words"
    yield draft("read/nul", "tokens", "SD-INPUT-1", comment, "bytes", bytes=b"one\0two".hex())


def surrogates() -> Iterator[Draft]:
    """Host strings of UTF-16 or of unchecked code points."""
    units = {
        "high": ("00780079d800007a", "a high surrogate without a low one"),
        "low": ("0078dc00007a", "a low surrogate alone"),
        "reversed": ("0078dc00d800007a", "low before high is not a pair"),
        "high-high-low": ("d800d83dde00", "a lone surrogate, then a pair"),
        "pair": ("0078d835dc00007a", "a pair is one scalar value, here a letter"),
        "at-end": ("0078d83d", "the string ends inside a pair"),
    }
    for slug, (hexadecimal, comment) in units.items():
        yield draft(f"read/utf16-{slug}", "fold", "SD-INPUT-3", comment, "surrogates", utf16=hexadecimal)
        yield draft(f"read/utf16-{slug}-tokens", "tokens", "SD-INPUT-3", comment, "surrogates", utf16=hexadecimal)


def _words(words: int, distinct: int, seed: int, letters: str = "abcdefghijklmnopqrstuvwxyz") -> dict[str, Any]:
    return {"words": words, "distinct": distinct, "seed": seed, "letters": letters}


def large() -> Iterator[Draft]:
    """Documents over the sizes at which implementations have been seen to fail."""
    filled = {"concat": [{"repeat": "filler ", "count": 15_000}, "and the very last words differ"]}
    marked = {"concat": ["start e", {"repeat": "\u0301\u0316", "count": 50_000}, "end"]}
    ordered = {"concat": [_words(3_000, 700, 3, "aeiou"), _words(3_000, 700, 4, "bcdfg")]}
    yield from table("large/", "fingerprint", "SD-SEC-1", {
        "100k-characters": (filled, "the last words of a text of over 100,000 characters count"),
        "12k-distinct": (_words(12_000, 1_000_000, 1), "12,000 words, most of them once: sums far beyond 8 bits", "SD-SEC-1", "SD-SUM-1"),
    }, "large", member="recipe")  # fmt: skip
    words = _words(20_000, 3_000, 7)
    required, comment = ("SD-SUM-1", "SD-BUCKET-1", "SD-CAP-1"), "20,000 words out of 3,000: all steps of the sums"
    yield draft("large/20k-words", "buckets", required, comment, "large", recipe=words)
    comment = "the same document in 256 bits"
    yield draft("large/20k-words-256", "fingerprint", "SD-WIDE-2", comment, "large", scheme="sd256", recipe=words)
    unspaced = {"repeat": "東西南北春夏秋冬山川海空花鳥風月", "count": 1_900}
    yield from table("large/", "fingerprint", "SD-SPLIT-2", {
        "cjk-unspaced": (unspaced, "30,000 ideographs without any space"),
        "one-word": ({"repeat": "ab", "count": 100_000}, "a single word of 200,000 letters is a token", "SD-FILTER-2"),
        "marks": (marked, "100,000 combining marks in alternating classes: must not take quadratic time", "SD-FOLD-4"),
    }, "large", member="recipe")  # fmt: skip
    comment = "first one set of words, then another: saturating too early is detected"
    yield draft("large/saturation-order", "buckets", "SD-SUM-1", comment, "large", recipe=ordered)


GENERATORS = (ill_formed, well_formed, surrogates, large)
