"""Sections 6 to 8: counts, lengths and numbers of tokens at the limits of counters, buffers and tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from generators.case_builder import Draft, draft
from simhash_doc.reference import hash_token

Recipe = dict[str, Any]
COUNTS = (126, 127, 128, 129, 135, 136, 254, 255, 256, 257, 263, 264, 512, 1000, 1024, 4095, 4096, 4097, 32_767, 32_768, 65_535, 65_536, 65_537, 65_543)  # fmt: skip
LENGTHS = (15, 16, 17, 31, 32, 33, 63, 64, 65, 99, 100, 101, 126, 127, 128, 129, 130, 199, 200, 201, 254, 255, 256, 257, 258, 300, 511, 512, 513)  # fmt: skip
LONG = (1000, 1001, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 16_384, 32_766, 32_767, 32_768, 32_769, 65_534, 65_535, 65_536, 65_537)  # fmt: skip
PLACES = (99, 100, 127, 128, 255, 256, 999, 1000, 1023, 1024, 4095, 4096, 8191, 8192, 9999, 10_000, 16_384, 32_767, 32_768, 50_000, 65_535, 65_536, 99_999, 100_000)  # fmt: skip
LETTERS = "abcdefghijklmnop"


def _repeated(text: str, count: int) -> Recipe:
    return {"repeat": text, "count": count}


def counts() -> Iterator[Draft]:
    """One token as often as a counter can count, alone and with another token."""
    for count in COUNTS:
        yield draft(
            f"limits/count-{count}", "buckets", "SD-CAP-1", f"one token {count} times, another 3 times", "boundary",
            recipe={"concat": [_repeated("no ", count), "yes yes yes"]},
        )  # fmt: skip
    for count in (128, 256, 257, 65_536):
        yield draft(
            f"limits/count-{count}-fingerprint", "fingerprint", "SD-CAP-1",
            f"one token {count} times, three others seldom", "boundary",
            recipe={"concat": [_repeated("no ", count), "yes yes yes yes yes yes maybe maybe perhaps"]},
        )  # fmt: skip
        yield draft(
            f"limits/count-{count}-bigram", "buckets", ("SD-CAP-1", "SD-SPLIT-2"), f"one bigram {count} times",
            "boundary", recipe={"concat": [_repeated("春", count + 1), " 東京"]},
        )  # fmt: skip
    for count in (9, 129, 257):
        yield draft(
            f"limits/count-{count}-wide", "buckets", ("SD-CAP-1", "SD-WIDE-2"), f"one token {count} times, in 256 bits",
            "boundary", "wide", scheme="sd256", recipe={"concat": [_repeated("no ", count), "yes yes yes"]},
        )  # fmt: skip


def same_tokens() -> Iterator[Draft]:
    """Tokens that some comparison, hash table or string type treats as equal: each 5 times, so 8 together."""
    groups = {
        "accents": ("resume", "résumé", "resumé"),
        "kana": ("かな", "カナ"),
        "small-kana": ("つ水", "っ水", "か水", "が水"),
        "digits": ("x1", "x١", "x१"),
        "lookalikes": ("pax", "рах", "ραχ"),
        "marks": ("a\u0331\u0316", "a\u0316\u0331"),
        "dotless": ("ısık", "isik"),
        "connectors": ("a_b", "ab", "a__b"),
        "modifiers": ("oʻa", "oʼa", "oa"),
        "tatweel": ("مرحبا", "مرحـبا"),
        "vowel-points": ("שלום", "שָׁלוֹם"),
        "eszett": ("masse", "maße", "mase"),
        "prefix-8": ("abcdefgh", "abcdefghi", "abcdefghj"),
        "prefix-16": ("abcdefghijklmnop", "abcdefghijklmnopq", "abcdefghijklmnopr"),
        "prefix-32": ("a" * 32, "a" * 33, "a" * 32 + "b"),
        "prefix-64": ("a" * 64, "a" * 65, "a" * 64 + "b"),
        "prefix-255": ("a" * 255, "a" * 256, "a" * 257, "a" * 255 + "b"),
        "prefix-4096": ("a" * 4095, "a" * 4096, "a" * 4097, "a" * 4096 + "b"),
        "suffix-32": ("b" + "a" * 32, "c" + "a" * 32),
        "anagrams": ("stop", "post", "spot", "opts"),
        "han-variants": ("国東", "國東", "圀東"),
        "cherokee": ("ᏣᎳᎩ", "ᏣᎳᎪ"),
        "surrogate-halves": ("\U00010428", "\U00010429", "\U00010828"),
    }  # fmt: skip
    for slug, words in groups.items():
        yield draft(
            f"limits/equal-{slug}", "buckets", "SD-CAP-1", f"tokens that are not equal: {slug}, each 5 times", "collision",
            recipe={"concat": [_repeated(f"{word} ", 5) for word in words]},
        )  # fmt: skip
    # Hashes that agree in the high 32 bits, found by search; `cap/short-hash` has the low ones.
    yield draft(
        "limits/equal-high-hash", "buckets", "SD-CAP-1", "two words whose hashes share their high 32 bits", "collision",
        text=" ".join(8 * _same_high_hash()),
    )  # fmt: skip


def _same_high_hash() -> list[str]:
    seen: dict[int, str] = {}
    for letters in product("abcdefghijklmnopqrstuvwxyz", repeat=4):
        word = "".join(letters)
        other = seen.setdefault(hash_token(word) >> 32, word)
        if other != word:
            return [other, word]
    raise AssertionError("no two words of four letters share 32 bits")


def lengths() -> Iterator[Draft]:
    """Tokens around the sizes of buffers, in characters and in bytes."""
    for slug, letter in {"ascii": "a", "two-bytes": "é", "three-bytes": "한", "four-bytes": "\U00010428"}.items():
        size = len(letter.encode())
        texts = [letter * (length // size) + "z" * (length % size) for length in LENGTHS]
        yield draft(
            f"limits/length-{slug}", "tokens", ("SD-RUN-1", "SD-FILTER-2"), "tokens of 15 to 513 bytes", "boundary",
            recipe={"concat": [f"{text} " for text in texts]},
        )  # fmt: skip
    for length in LONG:
        yield draft(
            f"limits/length-{length}", "fingerprint", ("SD-RUN-1", "SD-HASH-1"), f"a token of {length} bytes",
            "boundary", recipe={"concat": [_repeated("a", length - 1), "b end"]},
        )  # fmt: skip
        if length in (4096, 4097, 65_535, 65_536):
            yield draft(
                f"limits/length-{length}-characters", "fingerprint", ("SD-RUN-1", "SD-HASH-1"),
                f"a token of {length} characters of two bytes", "boundary",
                recipe={"concat": [_repeated("é", length - 1), "b end"]},
            )  # fmt: skip
            yield draft(
                f"limits/stretch-{length}", "buckets", "SD-SPLIT-2", f"a stretch of {length} ideographs", "boundary",
                recipe={"concat": [_repeated("東", length - 2), "京都"]},
            )  # fmt: skip


def places() -> Iterator[Draft]:
    """The last token is the only one of its kind, after many others."""
    for count in PLACES:
        yield draft(
            f"limits/tokens-{count}", "fingerprint", ("SD-SEC-1", "SD-PIECE-1"), f"one token after {count} others", "boundary",
            recipe={"concat": [_repeated("a ", count), "last"]},
        )  # fmt: skip
    for count in (128, 256, 4096, 65_536):
        yield draft(
            f"limits/lines-{count}", "fingerprint", ("SD-SEC-1", "SD-PIECE-1"), f"one token after {count} lines",
            "boundary", recipe={"concat": [_repeated("a\r\n", count), "last"]},
        )  # fmt: skip


def distinct() -> Iterator[Draft]:
    """Numbers of distinct tokens around the sizes of tables."""
    for count in (
        127,
        128,
        129,
        255,
        256,
        257,
        511,
        512,
        513,
        1000,
        1024,
        1025,
        4096,
        4097,
        8193,
        10_001,
        16_385,
        32_769,
        65_535,
        65_536,
        65_537,
    ):
        yield draft(
            f"limits/distinct-{count}", "fingerprint", ("SD-SUM-1", "SD-CAP-1"), f"about {count} distinct tokens",
            "boundary", *(("large",) if count > 20_000 else ()), recipe={"words": count, "distinct": 1_000_000_007, "seed": count, "letters": LETTERS},
        )  # fmt: skip


def _words(first_letters: str, low_bits: int) -> Iterator[str]:
    """Yield words whose hashes end in these two bits, by their first letter."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = map("".join, product(first_letters, "aeiouy", letters, letters))
    return (word for word in words if hash_token(word) & 3 == low_bits)


def sums_on_the_way() -> Iterator[Draft]:
    """Sums that pass a limit and come back: the last words have the opposite bits, in the order of the text and of bytes."""
    for slug, count, less in (("8-bit", 17, 1), ("10-bit", 70, 5), ("16-bit", 4130, 20)):
        ahead = list(islice(_words("abcdefghijklm", 1), count))
        back = list(islice(_words("nopqrstuvwxyz", 2), count - less))
        for order, parts in (("forward", (ahead, back)), ("backward", (back, ahead))):
            recipe: Recipe = {"concat": [_repeated(f"{' '.join(words)} ", 8) for words in parts]}
            large = ("large",) if count > 1000 else ()
            yield draft(
                f"limits/sums-{slug}-{order}", "fingerprint", "SD-SUM-1",
                f"{len(ahead)} words whose hashes end in the bits 01 and {len(back)} that end in 10, 8 times each", "boundary",
                *large, recipe=recipe,
            )  # fmt: skip


GENERATORS = (counts, same_tokens, lengths, places, distinct, sums_on_the_way)
