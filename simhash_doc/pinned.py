"""The pinned data of the specification: Unicode 15.0 tables and the scheme registry (`spec/data`)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from simhash_doc.errors import UnknownSchemeError
from simhash_doc.resources import published

if sys.version_info >= (3, 12):
    import unicodedata as _platform
else:  # CPython 3.11 has Unicode 14.0.
    import unicodedata2 as _platform

CODE_POINTS = 0x110000
REPLACEMENT = "\ufffd"
# Text may be cut before any of these: each is a starter that folds to itself, composes
# with nothing before it, is no word character and ends a link.
CUTTABLE = "\t\n\v\f\r \u0964\u0965\u0f0b\u0f0d\u104a\u104b\u1362\u17d4\u3001\u3002"


@dataclass(frozen=True, slots=True)
class Scheme:
    """A row of the scheme registry (spec, section 12)."""

    name: str
    id: str
    bits: int
    characters: int
    close: int
    loose: int

    @property
    def words(self) -> int:
        """Number of 64-bit words; word j is hashed with seed j (SD-WIDE-2)."""
        return self.bits // 64


@cache
def schemes() -> dict[str, Scheme]:
    """Return the registry by short id, narrowest first."""
    registry = json.loads((published("spec/data") / "schemes.json").read_text(encoding="utf-8"))
    return {row["id"]: Scheme(**row) for row in registry["schemes"]}


def scheme(name: str) -> Scheme:
    """Return the scheme with this short id or long name.

    Raises:
        UnknownSchemeError: it is not in the registry.
    """
    for known in schemes().values():
        if name in (known.id, known.name):
            return known
    raise UnknownSchemeError(f"unknown scheme {name!r}: version 1 has {', '.join(schemes())}")


def _lines(name: str) -> Iterator[tuple[int, int, str]]:
    """Yield (first, last, value) of each line of a table."""
    for line in (published("spec/data") / name).read_text(encoding="ascii").splitlines():
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
    """Return a table as 1,114,112 bytes, 1 at each code point that is in it."""
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
    fold = FoldMap()
    for first, last, target in _lines("nfkc_casefold.txt"):
        mapped = "".join(chr(int(code_point, 16)) for code_point in target.split())
        for code_point in range(first, last + 1):
            fold[code_point] = mapped
    return fold


NORMALIZATION_VERSION: str = _platform.unidata_version


def normalize(form: Literal["NFC", "NFD", "NFKC"], text: str) -> str:
    """Return the platform's normalization, of Unicode 15.0 or newer (SD-UNI-2)."""
    normalized: str = _platform.normalize(form, text)
    return normalized


def combining_class(character: str) -> int:
    """Return the platform's Canonical_Combining_Class of a character that Unicode 15.0 assigns."""
    value: int = _platform.combining(character)
    return value
