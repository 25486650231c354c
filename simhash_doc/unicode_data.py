"""The Unicode 15.0 tables that the specification publishes (`spec/data`), and the normalization of the platform."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal

from simhash_doc.published_files import data_path

if sys.version_info >= (3, 12):
    import unicodedata as _platform
else:  # CPython 3.11 has Unicode 14.0.
    import unicodedata2 as _platform

CODE_POINTS = 0x110000
REPLACEMENT = "\ufffd"
# Text may be cut before any of these: each is a starter that folds to itself, does not compose with the text before
# it, is not a word character and ends a link.
CUTTABLE = "\t\n\v\f\r \u0964\u0965\u0f0b\u0f0d\u104a\u104b\u1362\u17d4\u3001\u3002"


def _lines(name: str) -> Iterator[tuple[int, int, str]]:
    """Yield (first code point, last code point, value) of each line of a table."""
    for line in (data_path("spec/data") / name).read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            code_points, _, value = line.partition(" ;")
            first, _, last = code_points.partition("..")
            yield int(first, 16), int(last or first, 16), value.strip()


@cache
def ranges(name: str) -> list[tuple[int, int]]:
    """Return the ranges (first, last) of a table: `assigned`, `word`, `alphabetic`, `continua` or `nonstarter`."""
    return [(first, last) for first, last, _ in _lines(f"{name}.txt")]


@cache
def members(name: str) -> bytes:
    """Return a table as 1,114,112 bytes: 1 at each code point that is in it, else 0."""
    table = bytearray(CODE_POINTS)
    for first, last in ranges(name):
        table[first : last + 1] = b"\1" * (last - first + 1)
    return bytes(table)


@cache
def word_categories() -> dict[int, str]:
    """Return the General_Category of each word character."""
    return {
        code_point: category for first, last, category in _lines("word.txt") for code_point in range(first, last + 1)
    }


@cache
def connectors() -> str:
    """Return the characters of General_Category Pc."""
    return "".join(
        chr(code_point)
        for first, last, category in _lines("word.txt")
        if category == "Pc"
        for code_point in range(first, last + 1)
    )


class FoldMap(dict[int, str]):
    """NFKC_Casefold with code points unassigned in 15.0 as U+FFFD, for `str.translate` (SD-FOLD-1, SD-FOLD-2)."""

    def __missing__(self, code_point: int) -> str:
        self[code_point] = mapped = chr(code_point) if members("assigned")[code_point] else REPLACEMENT
        return mapped


@cache
def fold_map() -> FoldMap:
    """Return the map, read at the first call."""
    fold = FoldMap()
    for first, last, target in _lines("nfkc_casefold.txt"):
        mapped = "".join(chr(int(code_point, 16)) for code_point in target.split())
        for code_point in range(first, last + 1):
            fold[code_point] = mapped
    return fold


NORMALIZATION_VERSION: str = _platform.unidata_version


def normalize(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a normalization form of a text, by the platform: Unicode 15.0 or newer (SD-UNI-2)."""
    normalized: str = _platform.normalize(form, text)
    return normalized


@lru_cache(4096)
def decomposition(character: str) -> str:
    """Return the NFD of one character."""
    return normalize("NFD", character)


def combining_class(character: str) -> int:
    """Return the Canonical_Combining_Class of a character that Unicode 15.0 assigns, by the platform."""
    value: int = _platform.combining(character)
    return value
