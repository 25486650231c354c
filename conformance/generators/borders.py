"""Sections 4, 8 and 17 at the borders of numbers: sums of 8 and 16 bits, runs of marks, and texts of 500,000 characters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from typing import Any

from generators.case_builder import Draft, draft, table
from generators.counting import LETTERS
from simhash_doc.reference import hash_token

MARKS = sorted({2**n + d for n in range(5, 18) for d in (-1, 0, 1)} | {10**n + d for n in (2, 3, 4, 5) for d in (0, 1)})
LIMIT = 500_000
Recipe = dict[str, Any]


@cache
def _words(count: int, low_bits: int, seed: int, first_letters: str = LETTERS) -> tuple[str, ...]:
    """Return words whose hashes in a lane end in two bits."""
    words = map("".join, product(first_letters, "aeiouy", LETTERS, LETTERS))
    return tuple(islice((word for word in words if hash_token(word, seed) & 3 == low_bits), count))


def _returning(total: int, seed: int, rest: int = 1) -> list[Recipe]:
    """Return a text whose sum 0 rises to a total and falls back to a rest; sum 1 is its negative."""
    parts: list[Recipe] = []
    for low, count, letters in ((1, total, "abcdefghijklm"), (2, total - rest, "nopqrstuvwxyz")):
        words = _words(count // 8 + 1, low, seed, letters)
        parts.append({"repeat": "".join(f"{word} " for word in words[: count // 8]), "count": 8})
        parts.append({"repeat": f"{words[count // 8]} ", "count": count % 8})
    return parts


def sums() -> Iterator[Draft]:
    """Sums that reach a border of 8 or 16 bits and return to 1 and -1, in each lane."""
    required = ("SD-SUM-1", "SD-WIDE-2")
    for seed in range(8):
        scheme = {0: "sd64", 1: "sd128", 2: "sd256", 3: "sd256"}.get(seed, "sd512")
        for total in (127, 128, 129, 255, 256, 257) if seed in (0, 7) else (128, 256):
            for order, step in (("forward", 1), ("backward", -1)):
                rows = {f"{total}-lane-{seed}-{order}": (
                    {"concat": _returning(total, seed)[::step]}, f"sums of {total} and -{total} on the way, in lane {seed}",
                )}  # fmt: skip
                yield from table(
                    "borders/sum-", "fingerprint", required, rows, "boundary", member="recipe", scheme=scheme
                )
    for seed, total in ((0, 65_536), (7, 32_768)):
        recipe, scheme = {"concat": _returning(total, seed)[:1]}, "sd512" if seed else "sd64"
        comment = (
            f"{total // 8} words 8 times each, all of whose hashes in lane {seed} end in the bits 01: {total} ones"
        )
        yield draft(f"borders/ones-{total}", "fingerprint", required, comment, "boundary", recipe=recipe, scheme=scheme)
    recipe = {"concat": _returning(65_600, 0)}
    comment = "8,200 words 8 times each, whose hashes end in 01, and as many that end in 10, without one occurrence"
    yield draft("borders/sum-16-bit", "fingerprint", "SD-SUM-1", comment, "boundary", recipe=recipe)


def marks() -> Iterator[Draft]:
    """Runs of marks of lengths around all powers of two and of ten: one U+FFFD, whatever the length."""
    rows = {
        f"{n}": ({"concat": ["a", {"repeat": "\u0301", "count": n}, "b\u0327c"]}, f"{n} combining marks") for n in MARKS
    }
    yield from table("borders/marks-", "fold", "SD-FOLD-4", rows, "boundary", member="recipe")
    # The same in pieces, with something behind that is lost or joined if a buffer is full.
    for n in [n for n in MARKS if (n - 1) & (n - 2) == 0 and (n < 10_000 or n == 65_537)]:
        recipe = {"utf8": {"concat": ["\u0436", {"repeat": "\u0301", "count": n}, "\u0436 \u0442\u0430"]}}
        cuts = sorted({2, 3, 5, n + 2, 2 * n + 1, 2 * n + 2, 2 * n + 4})
        slug, comment = f"borders/marks-{n}-pieces", f"{n} combining marks, and a letter behind, in pieces"
        yield draft(slug, "fingerprint", ("SD-PIECE-1", "SD-FOLD-4"), comment, "boundary", recipe=recipe, cuts=cuts)


# One text of 500,000 characters for each resource that an implementation may count instead.
RESOURCES: dict[str, tuple[Any, str]] = {
    "bytes-3": ({"repeat": "\u6771", "count": LIMIT}, "characters of three bytes, one stretch"),
    "bytes-4": ({"repeat": "\U00010428", "count": LIMIT}, "characters of four bytes, one token"),
    "folded": ({"repeat": "\ufdfa", "count": LIMIT}, "characters that fold to 18 each"),
    "link": ({"concat": ["http://", {"repeat": "a", "count": LIMIT - 9}, " b"]}, "a link, and a letter"),
    "marks": ({"concat": ["a", {"repeat": "\u0301", "count": LIMIT - 3}, " b"]}, "a run of marks, and a letter"),
    "tokens": ({"repeat": "a ", "count": LIMIT // 2}, "250,000 tokens"),
    "links": ({"concat": [{"repeat": "a:// ", "count": LIMIT // 5 - 1}, "a:/ /"]}, "99,999 links"),
    "ignorable": ({"concat": [{"repeat": "\u00ad", "count": LIMIT - 1}, "a"]}, "characters that fold to nothing"),
    "lines": ({"concat": [{"repeat": "\n", "count": LIMIT - 1}, "a"]}, "empty lines"),
    "line": ({"concat": [{"repeat": "-", "count": LIMIT - 1}, "a"]}, "a line without a token but the last"),
    "distinct": ({"concat": [{"scalars": [0xAC00, 0xD7A3], "template": "".join(f"{{}}{c} " for c in "abcdefghijklmn")},
                             {"repeat": "a ", "count": 15_388}]}, "156,408 distinct tokens"),
}  # fmt: skip


def limits() -> Iterator[Draft]:
    for slug, (recipe, what) in RESOURCES.items():
        comment = f"500,000 characters: {what}"
        yield draft(f"borders/limit-{slug}", "fingerprint", "SD-LIMIT-2", comment, "boundary", "large", recipe=recipe)


GENERATORS = (sums, marks, limits)
