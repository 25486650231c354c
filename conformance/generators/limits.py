"""Sections 6 to 8: counts, lengths and numbers of tokens at the limits of counters, buffers and tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from generators.case_builder import Draft, draft, table
from generators.counting import words_by_hash
from simhash_doc.reference import hash_token

Recipe = dict[str, Any]
COUNTS = (126, 127, 128, 129, 135, 136, 254, 255, 256, 257, 263, 264, 512, 1000, 1024, 4095, 4096, 4097, 32_767, 32_768, 65_535, 65_536, 65_537, 65_543)  # fmt: skip
LENGTHS = (15, 16, 17, 31, 32, 33, 63, 64, 65, 99, 100, 101, 126, 127, 128, 129, 130, 199, 200, 201, 254, 255, 256, 257, 258, 300, 511, 512, 513)  # fmt: skip
LONG = (1000, 1001, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 16_384, 32_766, 32_767, 32_768, 32_769, 65_534, 65_535, 65_536, 65_537)  # fmt: skip
PLACES = (99, 100, 127, 128, 255, 256, 999, 1000, 1023, 1024, 4095, 4096, 8191, 8192, 9999, 10_000, 16_384, 32_767, 32_768, 50_000, 65_535, 65_536, 99_999, 100_000)  # fmt: skip
DISTINCT = (127, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1024, 1025, 4096, 4097, 8193, 10_001, 16_385, 32_769, 65_535, 65_536, 65_537)  # fmt: skip
LETTERS = "abcdefghijklmnop"


def _repeated(text: str, count: int) -> Recipe:
    return {"repeat": text, "count": count}


def _recipes(
    op: str, requirements: str | tuple[str, ...], rows: dict[str, tuple[Any, ...]], *flags: str, **members: Any
) -> Iterator[Draft]:
    """Yield a case for each row, whose first value is what its text is put together from."""
    recipes = {slug: ({"concat": parts}, *rest) for slug, (parts, *rest) in rows.items()}
    return table("limits/", op, requirements, recipes, *flags, member="recipe", **members)


def counts() -> Iterator[Draft]:
    """One token as often as a counter can count, alone and with another token."""
    rows: dict[str, tuple[Any, ...]] = {
        f"count-{n}": ([_repeated("no ", n), "yes yes yes"], f"one token {n} times, another 3 times") for n in COUNTS
    }
    yield from _recipes("buckets", "SD-CAP-1", rows, "boundary")
    for n in (128, 256, 257, 65_536):
        parts = [_repeated("no ", n), "yes yes yes yes yes yes maybe maybe perhaps"]
        rows = {f"count-{n}-fingerprint": (parts, f"one token {n} times, three others seldom")}
        yield from _recipes("fingerprint", "SD-CAP-1", rows, "boundary")
        rows = {f"count-{n}-bigram": ([_repeated("春", n + 1), " 東京"], f"one bigram {n} times")}
        yield from _recipes("buckets", ("SD-CAP-1", "SD-SPLIT-2"), rows, "boundary")
    for n in (9, 129, 257):
        rows = {f"count-{n}-wide": ([_repeated("no ", n), "yes yes yes"], f"one token {n} times, in 256 bits")}
        yield from _recipes("buckets", ("SD-CAP-1", "SD-WIDE-2"), rows, "boundary", "wide", scheme="sd256")


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
    rows = {
        f"equal-{slug}": (
            [_repeated(f"{word} ", 5) for word in words],
            f"tokens that are not equal: {slug}, each 5 times",
        )
        for slug, words in groups.items()
    }
    yield from _recipes("buckets", "SD-CAP-1", rows, "collision")
    # Hashes that agree in the high 32 bits, found by search; `cap/short-hash` has the low ones.
    text, comment = " ".join(8 * _same_high_hash()), "two words whose hashes share their high 32 bits"
    yield draft("limits/equal-high-hash", "buckets", "SD-CAP-1", comment, "collision", text=text)


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
        parts = [f"{letter * (length // size)}{'z' * (length % size)} " for length in LENGTHS]
        rows: dict[str, tuple[Any, ...]] = {f"length-{slug}": (parts, "tokens of 15 to 513 bytes")}
        yield from _recipes("tokens", ("SD-RUN-1", "SD-FILTER-2"), rows, "boundary")
    for n in LONG:
        rows = {f"length-{n}": ([_repeated("a", n - 1), "b end"], f"a token of {n} bytes")}
        if n in (4096, 4097, 65_535, 65_536):
            wide, comment = [_repeated("é", n - 1), "b end"], f"a token of {n} characters of two bytes"
            rows[f"length-{n}-characters"] = (wide, comment)
        yield from _recipes("fingerprint", ("SD-RUN-1", "SD-HASH-1"), rows, "boundary")
        if len(rows) > 1:
            rows = {f"stretch-{n}": ([_repeated("東", n - 2), "京都"], f"a stretch of {n} ideographs")}
            yield from _recipes("buckets", "SD-SPLIT-2", rows, "boundary")


def places() -> Iterator[Draft]:
    """The last token is the only one of its kind, after many others."""
    rows = {f"tokens-{n}": ([_repeated("a ", n), "last"], f"one token after {n} others") for n in PLACES}
    lines = (128, 256, 4096, 65_536)
    rows |= {f"lines-{n}": ([_repeated("a\r\n", n), "last"], f"one token after {n} lines") for n in lines}
    yield from _recipes("fingerprint", ("SD-SEC-1", "SD-PIECE-1"), rows, "boundary")


def distinct() -> Iterator[Draft]:
    """Numbers of distinct tokens around the sizes of tables."""
    for count in DISTINCT:
        large = ["large"] if count > 20_000 else []
        recipe = {"words": count, "distinct": 1_000_000_007, "seed": count, "letters": LETTERS}
        slug, comment = f"limits/distinct-{count}", f"about {count} distinct tokens"
        yield draft(slug, "fingerprint", ("SD-SUM-1", "SD-CAP-1"), comment, "boundary", *large, recipe=recipe)


def sums_on_the_way() -> Iterator[Draft]:
    """Sums that pass a limit and come back: the last words have the opposite bits, in the order of the text and of bytes."""
    for slug, count, less in (("8-bit", 17, 1), ("10-bit", 70, 5), ("16-bit", 4130, 20)):
        ahead = words_by_hash(count, 1, "abcdefghijklm")
        back = words_by_hash(count - less, 2, "nopqrstuvwxyz")
        for order, parts in (("forward", (ahead, back)), ("backward", (back, ahead))):
            recipe: Recipe = {"concat": [_repeated(f"{' '.join(words)} ", 8) for words in parts]}
            large = ["large"] if count > 1000 else []
            comment = f"{len(ahead)} words whose hashes end in the bits 01 and {len(back)} that end in 10, 8 times each"
            case = f"limits/sums-{slug}-{order}"
            yield draft(case, "fingerprint", "SD-SUM-1", comment, "boundary", *large, recipe=recipe)


GENERATORS = (counts, same_tokens, lengths, places, distinct, sums_on_the_way)
