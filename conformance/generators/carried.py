"""Section 2: what an implementation carries from piece to piece: characters that compose, long words, counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from generators.case_builder import Draft, draft
from generators.piece_borders import WORDS_PER_CASE
from generators.table_lines import characters, table_lines
from simhash_doc.unicode_data import combining_class, members, word_categories

LETTERS = "abcdefghijklmnop"
# Letters of a word, as a recipe of about so many, all different if there are enough.
SCRIPTS = {
    "han": [0x4E00, 0x9FA5], "cyrillic": [0x430, 0x44F], "arabic": [0x628, 0x63A], "hangul": [0xAC00, 0xD7A3],
    "thai": [0xE01, 0xE2E],
    "devanagari": [0x915, 0x928], "greek": [0x3B1, 0x3C1], "han-2": [0x20000, 0x2A6D6], "deseret": [0x10428, 0x1044F],
}  # fmt: skip
SIZES = (33, 51, 101, 138, 257, 513, 1001, 1025, 4097)
LARGE_SIZES = (8193, 65_537, 131_073)


def _in_words(slug: str, comment: str, pairs: Iterable[tuple[str, str]]) -> Iterator[Draft]:
    """Yield cases of words, each of which is cut between two parts; in every other case, twice."""
    listed = list(pairs)
    for start in range(0, len(listed), WORDS_PER_CASE):
        data, cuts = b"", []
        for letter, (one, other) in zip(LETTERS, listed[start : start + WORDS_PER_CASE], strict=False):
            cuts.append(len(data) + 1 + len(one.encode()))
            data += f"{letter}{one}{other} ".encode()
        number = start // WORDS_PER_CASE
        yield draft(
            f"carried/{slug}-{number:02}", "fingerprint", ("SD-PIECE-1", "SD-FOLD-5"), comment, "boundary", "bytes",
            bytes=data.hex(), cuts=cuts if number % 2 else sorted([*cuts, *cuts]),
        )  # fmt: skip


def _alone(slug: str, comment: str, one: str, other: str) -> Draft:
    data, cut = (one + other).encode().hex(), len(one.encode())
    return draft(
        f"carried/{slug}", "fingerprint", ("SD-PIECE-1", "SD-FOLD-5"), comment, "boundary", "bytes",
        bytes=data, cuts=[cut], same=[{"bytes": data, "cuts": [cut, cut]}],
    )  # fmt: skip


def compositions() -> Iterator[Draft]:
    """Every pair of composition.txt and of Hangul, cut between its two characters; of those that are no marks, also alone."""
    pairs = [(v[0], v[1]) for _, _, codes in table_lines("composition") if (v := characters(codes))]
    yield from _in_words("pair", "pairs of the composition table, each cut between its characters", pairs)
    consonants = [(chr(a), chr(b)) for a in (0x1100, 0x1109, 0x1112) for b in range(0x1161, 0x1176)]
    syllables = [(base, chr(t)) for base in ("\uac00", "\ud788") for t in range(0x11A8, 0x11C3)]
    yield from _in_words("hangul", "a consonant and a vowel, or a syllable and a consonant", [*consonants, *syllables])
    starters = {b: (a, b) for a, b in pairs if not combining_class(b)}
    borders = [
        *product(("\u1100", "\u1112"), ("\u1161", "\u1175")),
        *product(("\uac00", "\ud788", "\u1100\u1161"), ("\u11a8", "\u11c2")),
    ]
    for one, other in (*starters.values(), *borders):
        slug = "-".join(f"{ord(c):x}" for c in one + other)
        yield _alone(f"alone-{slug}", "two starters that compose, cut between them", one, other)


def _kinds_of_marks() -> dict[tuple[int, str, int], str]:
    """Return a mark of each combining class, category and plane."""
    found: dict[tuple[int, str, int], str] = {}
    for code in range(0x20000):
        if members("nonstarter")[code] and (number := combining_class(chr(code))):
            found.setdefault((number, word_categories().get(code, ""), code >> 16), chr(code))
    return found


def marks() -> Iterator[Draft]:
    """A mark of each combining class, category and plane, cut before it, behind a mark that it is sorted before or after."""
    words = []
    for (number, _, _), mark in _kinds_of_marks().items():
        other = "\u035d" if number < 234 else "\u0334"
        words += [("\u0436" + other, mark), ("\u0436" + mark, "\u0334" if number > 1 else "\u0301")]
    yield from _in_words("mark", "a mark of each class, category and plane, cut before it, or behind it", words)


def _word(script: str, size: int) -> dict[str, Any]:
    """Return the recipe of a word of so many letters."""
    first, last = SCRIPTS[script]
    whole, rest = divmod(size, last - first + 1)
    every = {"scalars": [first, last], "template": "{}"}
    return {"concat": [*[every] * whole, *([{"scalars": [first, first + rest - 1], "template": "{}"}] if rest else [])]}


def words() -> Iterator[Draft]:
    """Words that are longer than a buffer, cut before their last letter, in the middle, and at many places."""
    for script, size in (*product(SCRIPTS, SIZES), *product(("han", "hangul"), LARGE_SIZES)):
        if size > 513 and script not in ("han", "hangul", "cyrillic", "arabic"):
            continue
        width = len(chr(SCRIPTS[script][0]).encode())
        if size // (SCRIPTS[script][1] - SCRIPTS[script][0] + 1) > 80:
            continue  # the recipe would be long
        parts = [*_word(script, size)["concat"], " x"]
        last, middle = width * (size - 1), width * (size // 2)
        cuts = [last, last] if size % 2 else [middle, last]
        comment = f"a word of {size} letters, {script}, in pieces"
        yield draft(
            f"carried/word-{script}-{size}", "fingerprint", "SD-PIECE-1", comment, "boundary",
            recipe={"utf8": {"concat": parts}}, cuts=cuts,
        )  # fmt: skip


def counts() -> Iterator[Draft]:
    """Counts, sums and numbers of tokens at the borders of 8 and 16 bits, in pieces."""
    for count in (7, 8, 9, 16, 127, 128, 255, 256, 257, 264, 1000, 65_535, 65_536, 65_537):
        recipe: dict[str, Any] = {"utf8": {"concat": ["b ", {"repeat": "a ", "count": count}]}}
        comment, cuts = f"one token {count} times, and another, in pieces", [3]
        yield draft(
            f"carried/count-{count}", "fingerprint", ("SD-PIECE-1", "SD-CAP-1"), comment, "boundary", recipe=recipe, cuts=cuts,
        )  # fmt: skip
    for count in (127, 255, 257, 1025, 4097, 10_001):
        recipe = {"utf8": {"words": count, "distinct": 1_000_000_007, "seed": count, "letters": LETTERS}}
        comment = f"about {count} distinct tokens in pieces"
        yield draft(
            f"carried/distinct-{count}",
            "fingerprint",
            ("SD-PIECE-1", "SD-SUM-1"),
            comment,
            "boundary",
            recipe=recipe,
            cuts=[5, 5, 99],
        )
    for count in (255, 256, 257, 1025):
        text = ".. " * count + "end"
        data = text.encode()
        cuts = list(range(2, len(data), 3))[:count]
        yield draft(
            f"carried/pieces-{count}", "fingerprint", "SD-PIECE-1", f"{count} cuts", "boundary",
            recipe={"utf8": {"concat": [{"repeat": ".. ", "count": count}, "end"]}}, cuts=cuts,
        )  # fmt: skip
    yield draft(
        "carried/empty-pieces", "fingerprint", "SD-PIECE-1", "300 empty pieces inside of a word and a link", "boundary",
        "bytes",
        bytes=b"one http://a/b two".hex(), cuts=[2] * 300 + [7] * 300,
    )  # fmt: skip


# Code units with a cut at each bar.
UNITS = {
    "pair": "d840||dc0b d840 dc0c", "pair-second": "d840 dc0b d840||dc0c", "pair-three": "0061 d840|||dc0b 0062",
    "lone": "0061 d840||0062", "lone-low": "0061||dc0b 0062",
    "end": "0061 d840||", "start": "||d840 dc0b", "mark": "0065||0301", "pair-mark": "d834||dd57 d834||dd65",
    "two-high": "d840|d840||dc0b", "link": "0061 003a 002f||002f d840||dc0b",
}  # fmt: skip
BYTES = {
    "two": "d0||b6 61", "three": "e6||9d||b1 61", "four": "f0||90||90||a8 61", "ill": "61 e6||61", "end": "61 e6 9d||",
    "start": "||d0 b6", "mark": "65||cc||81", "bom": "ef||bb||bf||61",
    "bom-later": "61 20||ef bb bf||62", "link": "61 3a 2f||2f d0||b6", "nul": "61 00||00 62", "crlf": "61 0d||0a 62",
    "four-three": "f0 90 90|||a8 61 f0|90|90|a8 62",
}  # fmt: skip


def empty_pieces() -> Iterator[Draft]:
    """Empty pieces inside of a character, a pair of code units, and beside what composes."""
    for form, width, texts in (("utf16", 4, UNITS), ("bytes", 2, BYTES)):
        for slug, marked in texts.items():
            parts = marked.replace(" ", "").split("|")
            ends = [sum(map(len, parts[:n])) // width for n in range(1, len(parts))]
            flag, required = ("surrogates", "SD-INPUT-3") if form == "utf16" else ("bytes", "SD-INPUT-2")
            comment = f"empty pieces inside of a character: {form}, {slug}"
            members: dict[str, Any] = {form: "".join(parts), "cuts": ends}
            yield draft(
                f"carried/empty-{form}-{slug}",
                "fingerprint",
                ("SD-PIECE-1", required),
                comment,
                "boundary",
                flag,
                **members,
            )


GENERATORS = (compositions, marks, words, counts, empty_pieces)
