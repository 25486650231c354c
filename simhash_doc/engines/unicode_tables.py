"""What each character folds to, and how it behaves in a text, as an array over all code points."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from simhash_doc.unicode_data import (
    CODE_POINTS,
    REPLACEMENT,
    combining_class,
    fold_map,
    members,
    normalize,
)

CodePoints = npt.NDArray[np.uint32]

# A character and its properties in 32 bits: its code point,
CODE_POINT = np.uint32((1 << 21) - 1)
# what it is in a folded text,
CONTINUA = np.uint32(1 << 21)  # a word character of scriptio continua
ALPHABETIC = np.uint32(1 << 22)
OUTSIDE = np.uint32(1 << 23)  # in no word and not ASCII; or scriptio continua, whose tokens are bigrams
# how it may change together with its neighbours,
DECOMPOSES = np.uint32(1 << 24)
COMPOSES_FIRST = np.uint32(1 << 25)  # composes with some character of the kind SECOND after it
MARK = np.uint32(1 << 26)  # a non-starter
COMPOSES_SECOND = np.uint32(1 << 27)
# and whether folding replaces it by several characters, or by none. Then all other bits are those of itself.
UNEQUAL = np.uint32(1 << 28)


def to_code_points(text: str) -> CodePoints:
    """Return the code points of a text, shape (len(text),)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@cache
def folded_characters() -> CodePoints:
    """Return the character that each code point folds to, with its properties (SD-FOLD-1, SD-FOLD-2).

    The first call takes about a tenth of a second.
    """
    characters = _characters()
    folded = characters.copy()
    folded[~_set("assigned")] = characters[ord(REPLACEMENT)]
    for code_point, target in list(fold_map().items()):  # a copy, because the map grows when it is used
        folded[code_point] = characters[ord(target)] if len(target) == 1 else characters[code_point] | UNEQUAL
    return folded


@cache
def combining_classes() -> npt.NDArray[np.uint8]:
    """Return the Canonical_Combining_Class of each code point; 0 where it is not assigned."""
    classes = np.zeros(CODE_POINTS, np.uint8)
    for nonstarter in np.flatnonzero(_set("nonstarter")).tolist():
        classes[nonstarter] = combining_class(chr(nonstarter))
    return classes


def _characters() -> CodePoints:
    """Return each character with its properties."""
    characters = np.arange(CODE_POINTS, dtype=np.uint32)
    is_ascii = characters < 0x80
    is_word = _set("word")
    is_continua = is_word & _set("continua")
    characters[is_continua] |= CONTINUA
    characters[is_continua | ~is_word & ~is_ascii] |= OUTSIDE
    characters[_set("alphabetic")] |= ALPHABETIC
    characters[_set("nonstarter")] |= MARK
    _add_compositions(characters)
    return characters


def _add_compositions(characters: CodePoints) -> None:
    """Add the properties DECOMPOSES, FIRST and SECOND."""
    assigned = list(map(chr, np.flatnonzero(_set("assigned")).tolist()))
    decomposed = {c: parts for c, parts in zip(assigned, _each("NFD", assigned), strict=True) if parts != c}
    # The last step of NFC adds the last part to the composite of the others.
    composed = [parts for (c, parts), nfc in zip(decomposed.items(), _each("NFC", decomposed), strict=True) if nfc == c]
    characters[list(map(ord, decomposed))] |= DECOMPOSES
    characters[list(map(ord, _each("NFC", [parts[:-1] for parts in composed])))] |= COMPOSES_FIRST
    characters[[ord(parts[-1]) for parts in composed]] |= COMPOSES_SECOND


def _each(form: Literal["NFC", "NFD"], texts: Iterable[str]) -> list[str]:
    """Return the normalization form of each text, by one call, because a call for each takes half a second."""
    noncharacter = "\uffff"
    return normalize(form, noncharacter.join(texts)).split(noncharacter)


def _set(name: str) -> npt.NDArray[np.bool_]:
    return np.frombuffer(members(name), np.bool_)
