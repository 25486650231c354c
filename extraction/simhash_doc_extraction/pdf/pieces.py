"""Characters and lines with their boxes, and what kinds of characters there are.

Coordinates are points (1/72 inch), from the lower left corner upwards. A page that is displayed rotated has rotated
boxes, so that its lines are level.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.bool_]
Boxes = npt.NDArray[np.float64]
"""Left, bottom, right and top of each character."""


def starts_of(numbers: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return where each part of equal numbers starts."""
    starts = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=starts[1:])
    return np.flatnonzero(starts)


@dataclass(slots=True)
class Piece:
    """A character, or a line of text in one column, and its bounding box.

    A character that is not `placed` is a space.
    """

    text: str
    left: float = 0.0
    bottom: float = 0.0
    right: float = 0.0
    top: float = 0.0
    placed: bool = True

    @property
    def height(self) -> float:
        """The height of the box, in points."""
        return self.top - self.bottom

    def is_level_with(self, other: Piece) -> bool:
        """Return True if two boxes are side by side."""
        return self.bottom < other.top and self.top > other.bottom


def around(text: str, pieces: Sequence[Piece]) -> Piece:
    """Return a text with the box around its pieces."""
    return Piece(
        text,
        min([piece.left for piece in pieces]),
        min([piece.bottom for piece in pieces]),
        max([piece.right for piece in pieces]),
        max([piece.top for piece in pieces]),
    )


LINE_END, SKIPPED, UNMAPPED, CONTROL = "\n", "\0", "\ufdd1", "\ufdd2"
"""What is no character with a box: the end of a line; nothing; a glyph of the code 0, or of a control character."""

SOFT_HYPHEN = "\u00ad"
"""Ends a line whose last word continues in the next line."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"  # South-East Asia
    "\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
)
"""Characters of scripts without spaces between words, as ranges of a regular expression."""

_WITHOUT_SPACES = re.compile(f"[{UNSPACED}]")
_APOSTROPHES = frozenset("'\u2019\u02bc-\u2010\u2011" + SOFT_HYPHEN)


@lru_cache(maxsize=10_000)
def is_unspaced(text: str) -> bool:
    """Return True for a character of a script without spaces between words."""
    return _WITHOUT_SPACES.match(text) is not None


@lru_cache(maxsize=10_000)
def has_spaces(text: str) -> bool:
    """Return True for a character of a script from left to right with spaces between words."""
    return unicodedata.bidirectional(text) not in ("R", "AL") and not is_unspaced(text)


@lru_cache(maxsize=10_000)
def can_begin(text: str) -> bool:
    """Return True for a character before which a gap can be a space: a letter or digit of a script with spaces."""
    return text.isalnum() and has_spaces(text)


@lru_cache(maxsize=10_000)
def can_end(text: str) -> bool:
    """Return True for a character after which a gap can be a space."""
    return text not in _APOSTROPHES and not is_unspaced(text)
