"""Section 4 and appendix C: every pair of the composition table, Hangul, blocked marks, and long sorts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from generators.case_builder import Draft, draft
from generators.table_lines import blocks, characters, table_lines
from simhash_doc.unicode_data import combining_class

OVERLAY = "\u0334"  # class 1: sorts before every other mark of a letter and blocks none
# Marks that compose with nothing, by class.
INERT = {1: "\u0334", 7: "\u093c", 8: "\u3099", 9: "\u094d", 202: "\u0321", 216: "\u031b", 220: "\u0316", 230: "\u0305", 240: "\u0345"}  # fmt: skip
ABOVE = "\u0305\u0310\u0312\u033d\u033e\u0346\u034a\u034b\u0350\u0351\u0352\u0357\u035b\u0363\u0364\u0365"  # class 230
BELOW = "\u0316\u0317\u0318\u0319\u031c\u031d\u031e\u031f\u0320\u0329\u032a\u032b\u032c\u032f\u0333\u033a"  # class 220


def _fold(slug: str, comment: str, items: Iterable[str], *requirements: str) -> Draft:
    return draft(
        f"compose/{slug}", "fold", requirements or ("SD-FOLD-5", "SD-UNI-2"), comment, "normalization",
        text=" ".join(items),
    )  # fmt: skip


def _pairs() -> list[tuple[str, str]]:
    """Return the two characters of each line of composition.txt."""
    return [(value[0], value[1]) for _, _, codes in table_lines("composition") if (value := characters(codes))]


def table() -> Iterator[Draft]:
    """Every pair of composition.txt: adjacent, and with a mark of class 1 between them."""
    for block in blocks(_pairs(), 240):
        slug = f"{ord(block[0][0]):05x}-{ord(block[0][1]):05x}"
        yield _fold(f"pairs-{slug}", "pairs of the composition table, each adjacent", (a + b for a, b in block))
        yield _fold(
            f"pairs-overlay-{slug}", "the same pairs with U+0334 between them: it blocks starters only",
            (a + OVERLAY + b for a, b in block),
        )  # fmt: skip


def not_composed() -> Iterator[Draft]:
    """Pairs of decomposition.txt that are not in composition.txt, and every second mark after one of its class."""
    known = {a + b for a, b in _pairs()}
    excluded = [
        v for _, _, codes in table_lines("decomposition") if len(v := characters(codes)) == 2 and v not in known
    ]
    yield _fold("excluded", "pairs that NFC does not compose, although one character decomposes to them", excluded)
    yield _fold("excluded-start", "the same at the start of a text: two non-starters", ["\u0308\u0301"])
    firsts = {b: a for a, b in _pairs()}
    blocked = [
        a + INERT[number] + b
        for b, a in firsts.items()
        if (number := combining_class(b)) in INERT and INERT[number] != b
    ]
    yield _fold("blocked-equal", "each second mark behind another mark of its class, which blocks it", blocked)
    yield _fold(
        "blocked", "marks and starters between the characters of a pair",
        ["a\u0305\u0301", "a\u0316\u0301", "a\u0315\u0301", "a\u0345\u0301", "\u09c7\u0316\u09be", "\u09c7\u0334\u09be",
         "\u09c7x\u09be", "ab\u0301", "a\u0301\u0301", "\u00e1\u0301", "\u01d8\u0301", "a\u0328\u0301", "a\u0301\u0328",
         "a\u0327\u0316\u0301", "\u1025\u0316\u102e", "a\u093c\u0301", "\u0928\u0301\u093c", "\u0928\u093c\u0301",
         "\u03b1\u0345\u0301", "\u03b1\u0301\u0345", "\u1fb3\u0301", "\u0308\u0301", "\u0344", "\u0f71\u0f72", "\u0f73"],
    )  # fmt: skip
    yield _fold(
        "chains", "composites that compose again",
        ["o\u031b\u0301", "o\u0301\u031b", "\u01a1\u0301", "\u00f3\u031b", "u\u0308\u0304", "u\u0304\u0308", "\u00fc\u0304",
         "s\u0323\u0307", "s\u0307\u0323", "\u1e63\u0307", "\u1e61\u0323", "\u03c9\u0313\u0301", "\u03c9\u0301\u0313",
         "\u0dd9\u0dcf\u0dca", "\u0ddc\u0dca", "\u0cc6\u0cc2\u0cd5", "\u0cca\u0cd5", "e\u0302\u0323", "\u00ea\u0323",
         "o\u0304\u0328", "o\u0328\u0304", "\u1100\u1161\u0301\u11a8", "\u00c5\u0301", "A\u030a\u0301", "\u212b\u0301"],
    )  # fmt: skip


def decomposition() -> Iterator[Draft]:
    """Every composite before 29 or 30 marks: its own marks make them too many."""
    marked: dict[int, list[str]] = {}
    for first, _, codes in table_lines("decomposition"):
        number = sum(combining_class(character) > 0 for character in characters(codes))
        marked.setdefault(number, []).append(chr(first))
    for number in (1, 2, 3):
        for block in blocks(marked.get(number, ()), 320):
            yield draft(
                f"compose/decomposed-{number}-{ord(block[0]):05x}", "fold", ("SD-FOLD-3", "SD-UNI-2"),
                f"characters that decompose to {number} non-starters, each before {31 - number} more", "normalization",
                recipe={"concat": [
                    part for character in block for part in (character, {"repeat": "\u0316", "count": 31 - number}, " ")
                ]},
            )  # fmt: skip


def hangul() -> Iterator[Draft]:
    """Every leading consonant with every vowel, every trailing consonant, and the code points next to them."""
    leading, vowels, trailing = range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A8, 0x11C3)
    yield _fold(
        "hangul-lv", "every leading consonant with every vowel", (chr(a) + chr(b) for a in leading for b in vowels)
    )
    yield _fold(
        "hangul-t", "every trailing consonant after a syllable, composed and decomposed",
        (base + chr(t) for t in trailing for base in ("\uac00", "\u1112\u1175", "\ud788")),
    )  # fmt: skip
    near = [(0x10FF, 0x1100, 0x1112, 0x1113, 0xA97C), (0x1161, 0x1175, 0x1176, 0xD7B0), (0x11A7, 0x11A8, 0x11C2, 0x11C3, 0xD7CB)]  # fmt: skip
    yield _fold(
        "hangul-borders", "both sides of the borders of leading consonants, vowels and trailing consonants",
        ("".join(map(chr, codes)) for codes in (*product(*near), *product(*near[:2]))),
    )  # fmt: skip
    yield _fold(
        "hangul-syllables", "syllables before and after consonants, vowels and marks",
        (
            base + after
            for base in ("\uac00", "\uac01", "\uac1b", "\uac1c", "\ud787", "\ud788", "\ud789", "\ud7a3", "\ud7b0")
            for after in ("\u11a7", "\u11a8", "\u11c2", "\u11c3", "\u1161", "\u1175", "\u1100\u1161", "\u0301\u11a8", "\u0334\u11a8", "\u11a8\u11a8", "\u200b\u11a8", "\u3131")
        ),
    )  # fmt: skip
    yield _fold(
        "hangul-blocked", "what stands between a consonant and a vowel",
        ["\u1100\u0301\u1161", "\u1100\u0334\u1161", "\u1100\u200b\u1161", "\u1100\u1100\u1161", "\u1100\u1161\u1161",
         "\u1161\u11a8", "\u1100\u11a8", "\u1100\u1161\u11a8\u11a8", "\u115f\u1161", "\u1100\u1160", "\u3131\u314f", "\uffa1\uffc2"],
    )  # fmt: skip


def sorts() -> Iterator[Draft]:
    """Runs of 2 to 30 marks of two classes, all different, so that a sort that is not stable shows."""
    runs = []
    for length in range(2, 31):
        above, below = iter(ABOVE), iter(BELOW)
        runs.append("q" + "".join(next(above if place % 2 == 0 else below) for place in range(length)))
    yield _fold("sort-alternating", "2 to 30 different marks, in turn of class 230 and of class 220", runs)
    runs = ["q" + ABOVE[: length // 2] + BELOW[: length - length // 2] for length in range(2, 31)]
    yield _fold("sort-halves", "2 to 30 different marks, the classes in the wrong order", runs)
    mixed = [
        mark for group in zip(ABOVE, BELOW, strict=True) for mark in (*group, "\u0321", "\u0334", "\u0345", "\u035c")
    ]
    runs = [
        "q" + "".join(mixed[start : start + length]) for length in (13, 16, 17, 20, 24, 30) for start in range(0, 24, 5)
    ]
    yield _fold("sort-classes", "13 to 30 marks of six classes, some of them equal", runs)
    yield _fold(
        "sort-many-letters", "marks are sorted for each letter alone",
        [f"{'q' + above + below}{'w' + above + below}" for above, below in zip(ABOVE, BELOW, strict=True)],
    )  # fmt: skip


GENERATORS = (table, not_composed, decomposition, hangul, sorts)
