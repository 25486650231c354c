"""The rows of a page. The plain lines are found with arrays: their characters need no decision one by one.

Most lines are plain. The rules are those of `glyphs` and `lines`, to which all other lines are left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium

from simhash_doc_extraction.pdf.glyphs import PageCharacters
from simhash_doc_extraction.pdf.lines import (
    ACCENTS,
    BESIDE,
    GAP_EMS,
    MEDIAN_HEIGHTS,
    RAISED_EMS,
    SAMPLE,
    STACKED,
    Row,
    is_alone,
    rows_of,
    with_caps_apart,
    with_drop_caps,
)
from simhash_doc_extraction.pdf.pieces import LINE_END, SOFT_HYPHEN, Piece, can_begin, starts_of
from simhash_doc_extraction.pdf.repeats import OVERLAP, SHADOW_SHIFT
from simhash_doc_extraction.pdf.vertical import with_columns_from_right


def rows(page: pdfium.PdfPage, left_out: Counter[str] | None = None) -> list[Row]:
    """Return the rows of a page in the order of its content, without empty ones.

    `left_out` counts the characters that are left out: "outside" of the visible part, and "unmapped".
    """
    left_out = Counter() if left_out is None else left_out
    characters = PageCharacters(page)
    left_out["unmapped"] += characters.unmapped
    lines = _lines(characters)
    if lines is None:
        glyphs = list(characters.glyphs(0, len(characters.text), left_out))
        found = list(rows_of(with_caps_apart(glyphs)))
    else:
        found = [row for line in lines for row in _rows(line, characters, left_out)]
    return with_columns_from_right(with_drop_caps(found))


class _Line(NamedTuple):
    """The first and the last character (exclusive) of a line, how many are outside, and its box if it is plain."""

    start: int
    end: int
    outside: int
    is_plain: bool
    left: float
    bottom: float
    right: float
    top: float


def _rows(line: _Line, characters: PageCharacters, left_out: Counter[str]) -> Iterable[Row]:
    if not line.is_plain:
        return rows_of(characters.glyphs(line.start, line.end, left_out))
    left_out["outside"] += line.outside
    text = " ".join(characters.text[line.start : line.end].split())
    return [] if line.outside else [[Piece(text, line.left, line.bottom, line.right, line.top)]]


def _lines(characters: PageCharacters) -> list[_Line] | None:
    """Return the lines of a page, or None if its characters depend on those of other lines.

    They do if one is printed twice, or a drop cap.
    """
    text, placed = characters.text, characters.placed
    distinct = set(text)
    places = np.flatnonzero(placed)
    if not len(places):
        return []
    shown, boxes = text.replace(LINE_END, "").replace(" ", ""), characters.boxes.take(places, axis=0)
    if _has_drop_cap(shown, boxes) or _may_repeat(characters.points[places], boxes):
        return None
    left, bottom, right, top = boxes.T
    height = top - bottom
    # Each character but the first, beside the one before it.
    back = left[1:] < left[:-1]
    level = (bottom[1:] < top[:-1]) & (top[1:] > bottom[:-1])
    higher = np.maximum(height[1:], height[:-1])
    apart = np.maximum(bottom[:-1] - top[1:], bottom[1:] - top[:-1])
    is_apart = back & (apart > higher)
    longest = np.maximum(height, right - left)
    longest = np.maximum(longest[1:], longest[:-1])
    is_stacked = (apart > STACKED * longest) & (left[1:] < right[:-1]) & (np.diff(places) == 1)
    for at in np.flatnonzero(is_stacked).tolist():
        is_apart[at] |= can_begin(shown[at]) and can_begin(shown[at + 1])
    is_hyphen = characters.are(SOFT_HYPHEN)[places]
    line_of = np.cumsum(characters.are(LINE_END))[places]
    is_outside = characters.outside[places]
    line_of[1:] += np.cumsum((is_apart & ~is_outside[1:] | is_hyphen[:-1]) & ~is_outside[:-1])
    starts = starts_of(line_of)
    ends = np.append(starts[1:], len(places))
    number = np.repeat(np.arange(len(starts)), ends - starts)
    has_width = (right > left) & (top > bottom)
    widths = np.add.reduceat(np.where(has_width, right - left, 0.0), starts)
    em = 2 * widths / np.maximum(np.add.reduceat(has_width, starts, dtype=int), 1)
    is_wide = level & (left[1:] - right[:-1] > GAP_EMS * em[number[1:]])
    outside = np.add.reduceat(is_outside, starts, dtype=int)
    is_odd = (widths == 0) | (outside > 0)
    is_odd[number[1:][is_wide & (np.diff(number) == 0)]] = True
    if not distinct.isdisjoint(ACCENTS):
        is_odd[number[characters.are(ACCENTS)[places]]] = True
    low = np.minimum.reduceat(bottom, starts)
    digits = np.flatnonzero(characters.are(filter(str.isdigit, distinct))[places])
    highest = np.full(len(starts), -np.inf)
    np.maximum.at(highest, number[digits], bottom[digits])
    for line in np.flatnonzero((highest > low + RAISED_EMS * em) & ~is_odd).tolist():
        is_odd[line] = highest[line] > median(bottom[starts[line] : ends[line]].tolist()) + RAISED_EMS * em[line]
    is_odd[outside == ends - starts] = False
    sides = (
        np.minimum.reduceat(left, starts),
        low,
        np.maximum.reduceat(right, starts),
        np.maximum.reduceat(top, starts),
    )
    spans = (places[starts], places[ends - 1] + 1, outside, ~is_odd, *sides)
    return list(map(_Line._make, zip(*(span.tolist() for span in spans), strict=True)))


def _has_drop_cap(shown: str, boxes: npt.NDArray[np.float64]) -> bool:
    """Return True if a large letter stands alone between small ones."""
    height = boxes[:, 3] - boxes[:, 1]
    for at in np.flatnonzero(height > MEDIAN_HEIGHTS * median(height[::SAMPLE].tolist())).tolist():
        if shown[at].isupper():
            start, end = max(0, at - BESIDE), at + BESIDE + 1
            near = zip(shown[start:end], boxes[start:end].tolist(), strict=True)
            if is_alone(at - start, [Piece(text, *box) for text, box in near]):
                return True
    return False


_MOST_CHECKED = 50


def _may_repeat(points: npt.NDArray[np.uint32], boxes: npt.NDArray[np.float64]) -> bool:
    """Return True if a character may be printed twice at one place. Only one that is not after the last one can be."""
    left, bottom, right, top = boxes.T
    height = top - bottom
    step = np.diff(left)
    level = (bottom[1:] < top[:-1]) & (top[1:] > bottom[:-1])
    is_ligature = (step == 0) & (right[1:] == right[:-1])  # of which the letters share a box
    is_near = (points[1:] == points[:-1]) & (step < SHADOW_SHIFT * height[1:]) & ~is_ligature
    checked = np.flatnonzero(level & ((step < 0) | is_near)) + 1
    if len(checked) > _MOST_CHECKED:
        return True
    for at in checked.tolist():
        same = np.flatnonzero(points[:at] == points[at])
        overlap = np.minimum(top[same], top[at]) - np.maximum(bottom[same], bottom[at])
        if np.any((abs(left[same] - left[at]) < SHADOW_SHIFT * height[at]) & (overlap > OVERLAP * height[at])):
            return True
    return False
