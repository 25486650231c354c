"""Section 2: characters, words, links and runs of marks where an implementation may cut a text into pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft

SIZES = (4096, 8192, 65_536, 1_048_576)
FILLER = ". "  # two characters that are in no word and no link
# What stands across the end of a piece, from some characters before it.
ITEMS = {
    "word": ("borderline", 4, "a word"),
    "han": ("東京都庁", 2, "a stretch of Chinese characters"),
    "link": ("http://a.example/path", 4, "a link, cut in its scheme"),
    "link-tail": ("http://a.example/path", 19, "a link, cut near its end"),
    "marks": ("a" + "\u0301" * 31, 16, "31 combining marks, which are too many only together"),
    "composition": ("cafe\u0301s", 4, "a letter and its accent"),
    "supplementary": ("x\U00010428\U00010429y", 2, "characters beyond U+FFFF"),
    "connector": ("snake_case", 6, "a word, cut behind its connector"),
}


def borders() -> Iterator[Draft]:
    for size in SIZES:
        large = ("large",) if size > 8192 else ()
        for slug, (item, before, what) in ITEMS.items():
            yield draft(
                f"pieces/{size}-{slug}", "tokens", "SD-PIECE-1", f"{what}, across the character {size}", "boundary",
                *large, recipe={"concat": [_filler(size - before), item, " end"]},
            )  # fmt: skip
    # In UTF-8 and UTF-16, the end of a piece is inside a character.
    for size in SIZES:
        large = ("large",) if size > 8192 else ()
        yield draft(
            f"pieces/{size}-code-unit", "tokens", "SD-PIECE-1", f"a character across the code unit {size}", "boundary",
            *large, recipe={"concat": [_filler(size - 2), "x\U00010428y end"]},
        )  # fmt: skip
    for size in SIZES:
        large = ("large",) if size > 8192 else ()
        for inside in (1, 2, 3):
            yield draft(
                f"pieces/{size}-byte-{inside}", "tokens", ("SD-PIECE-1", "SD-INPUT-1"),
                f"the byte {size} is inside a character of four bytes, behind {inside}", "boundary", *large,
                recipe={"utf8": {"concat": [_filler(size - inside), "\U00010428y end"]}},
            )  # fmt: skip


def _filler(length: int) -> dict[str, Any]:
    repeated = {"repeat": FILLER, "count": length // 2}
    return {"concat": [repeated, "." * (length % 2)]}


GENERATORS = (borders,)
