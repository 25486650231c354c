"""Which gaps between the characters of a line are spaces.

PDFium inserts a space at a gap that is wide beside the characters. Letters that are set wide, the last letter of a word
in a string of its own, and narrow spaces of justified lines deceive it. Here, all gaps of a line are judged together:
those within words are the most, and a space is wider than they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc_extraction.pdf.pieces import Bits, Boxes, can_begin, can_end, has_spaces, starts_of

_Indexes = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.float64]


class Gaps(NamedTuple):
    """The gaps between a character and the next one that has a box. Each field is an array with an entry for a gap.

    Attributes:
        width: width between the advance widths, in ems.
        before: number of the character before.
        after: number of the character after.
        line: number of the line, which goes up.
        is_space: PDFium inserted a space.
        is_written: the file writes a space in the line.
    """

    width: Numbers
    before: _Indexes
    after: _Indexes
    line: _Indexes
    is_space: Bits
    is_written: Bits


_LEAST_SPACE = 0.1
"""A space is wider than the usual gap within the words of its line by this many ems."""

_LEAST_BESIDE_WRITTEN = 0.16
"""The same in a line in which the file writes spaces: other gaps are rarely any."""

_LEAST_BETWEEN_DIGITS = 0.2
"""The same between digits, which are set wide in forms and tables."""

_NO_GAP = (-0.45, 1.0)
"""What is not between these ems is not the gap between two letters of a word: the one goes back, the other is wide."""

_MOST_BESIDE_DIGITS = 0.3
"""Digits that are farther apart, in ems, are numbers."""

_LEAST_TRACKING = 0.05
"""Letters are set wide if the usual gap between them is wider than this, in ems."""

_LEAST_NARROW = 0.2
"""If this share of the gaps is narrower by a space, the others are between words of one letter, as in "f a b c"."""

_USUAL = (-0.1, 0.51)
"""The usual gap is not narrower. If it is wider, the letters are no word: a space of typewriters has at least 0.525."""

_APART = 1.3
"""A word that is set wide has wider gaps around it by this factor, and by a space."""

_LEAST_GAPS = 3
_LEAST_LETTERS = 3


def judge(text: str, gaps: Gaps) -> tuple[list[int], list[int]]:
    """Return the numbers of the characters before which a space is missing, and before which one is too much."""
    gaps = _in_wide_lines(gaps)
    if not len(gaps.width):
        return [], []
    least = np.where(gaps.is_written, _LEAST_BESIDE_WRITTEN, _LEAST_SPACE)
    line: _Indexes = np.cumsum(np.diff(gaps.line, prepend=gaps.line[0]) != 0, dtype=np.intp)
    usual = _usual_gaps(text, gaps, line, least)
    wide = gaps.width > usual + least
    missing = [
        int(gaps.after[at])
        for at in np.flatnonzero(wide & ~gaps.is_space).tolist()
        if _can_be_space(text[gaps.before[at]], text[gaps.after[at]], gaps.width[at] - usual[at])
    ]
    narrow = np.flatnonzero(~wide & gaps.is_space & (usual > _LEAST_TRACKING)).tolist()
    extra = [
        int(gaps.after[at]) for at in narrow if has_spaces(text[gaps.before[at]]) and has_spaces(text[gaps.after[at]])
    ]
    return missing, extra


def _in_wide_lines(gaps: Gaps) -> Gaps:
    """Return the gaps of the lines that have a wide one. Most lines have none, and nothing to judge."""
    starts = starts_of(gaps.line)
    sizes = np.diff(starts, append=len(gaps.line))
    is_wide = np.repeat(np.maximum.reduceat(gaps.width, starts) > _LEAST_TRACKING, sizes)
    return Gaps._make(each[is_wide] for each in gaps)


def _can_be_space(before: str, after: str, more: float) -> bool:
    """Return True if a space can be between two characters at a gap that is wider than the usual by so many ems."""
    if before.isdigit() and after.isdigit() and more <= _LEAST_BETWEEN_DIGITS:
        return False
    return can_begin(after) and can_end(before)


def _usual_gaps(text: str, gaps: Gaps, line: _Indexes, least: Numbers) -> Numbers:
    """Return the usual gap between letters at each gap, in ems: that of the line, or of a part that is set wide.

    `line` is the number of the line of each gap, and `least` the width of a space beside the usual gap.
    """
    width = gaps.width
    alpha, digit, alnum = _kinds(text)
    in_word = alpha[gaps.before] & alpha[gaps.after]
    inner = in_word | (digit[gaps.before] | digit[gaps.after]) & (width < _MOST_BESIDE_DIGITS)
    usual = _usual_of_lines(width, line, inner, alnum[gaps.before] | alnum[gaps.after], least)
    apart = width > np.maximum(usual, 0.0) + _LEAST_TRACKING
    is_next = np.append(False, (line[1:] == line[:-1]) & (gaps.after[:-1] == gaps.before[1:]))
    for start, end in _parts_apart(apart, in_word, is_next):
        found = _usual(width[start:end])
        around = max(found + least[start], _APART * found)
        is_joined = is_next[start] and not apart[start - 1] and width[start] <= around
        is_continued = end < len(width) and is_next[end] and not apart[end] and width[end - 1] <= around
        # Between other words, the letters are a word only if wider gaps set it apart.
        if not is_joined and not is_continued:
            usual[start:end] = found
    return usual


def _parts_apart(apart: Bits, in_word: Bits, is_next: Bits) -> Iterator[tuple[int, int]]:
    """Yield the first and the last (exclusive) of the gaps between letters that are each apart on both sides.

    Args:
        apart: whether a gap is wider than the usual one.
        in_word: whether it is between letters.
        is_next: whether it is the next gap of its line, one letter farther.
    """
    goes_on = is_next & in_word & apart & np.append(False, apart[:-1])
    starts = np.flatnonzero(~goes_on)
    ends = np.append(starts[1:], len(apart))
    chosen = apart[starts] & in_word[starts] & (ends - starts >= _LEAST_LETTERS)
    return zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True)


def _kinds(text: str) -> tuple[Bits, Bits, Bits]:
    """Return which characters of a text are letters, which are digits, and which are either."""
    points, distinct = np.frombuffer(text.encode("utf-32-le"), np.uint32), list(set(text))
    table = np.zeros(points.max(initial=0) + 1, np.uint8)
    table[list(map(ord, distinct))] = [c.isalpha() | c.isdigit() << 1 | c.isalnum() << 2 for c in distinct]
    kinds = table[points]
    return kinds & 1 > 0, kinds & 2 > 0, kinds & 4 > 0


def _usual_of_lines(width: Numbers, line: _Indexes, inner: Bits, beside_letter: Bits, least: Numbers) -> Numbers:
    """Return the usual gap within the words of its line at each gap, in ems.

    Args:
        width: of each gap.
        line: its line.
        inner: whether it is between letters, or between digits.
        beside_letter: whether it is beside a letter or digit.
        least: width of a space beside the usual gap.
    """
    usual = _usual_of_parts(width, line, inner)
    is_narrow = beside_letter & (width > _NO_GAP[0]) & (width < usual - least)
    narrow, beside = np.bincount(line, is_narrow), np.bincount(line, beside_letter)
    is_narrower = (narrow >= _LEAST_NARROW * beside)[line] & (usual > _LEAST_TRACKING)
    return np.where(is_narrower, _usual_of_parts(width, line, is_narrow), usual)


def _usual_of_parts(width: Numbers, line: _Indexes, chosen: Bits) -> Numbers:
    """Return the width of most of the chosen gaps of its line at each gap, in ems."""
    chosen = chosen & (_NO_GAP[0] < width) & (width < _NO_GAP[1])
    count = np.bincount(line, chosen).astype(np.intp)
    ordered = np.append(width[chosen][np.lexsort((width[chosen], line[chosen]))], 0.0)
    middle = ordered[np.cumsum(count) - count + np.maximum(count - 1, 0) // 2]
    usual = np.where(count >= _LEAST_GAPS, middle, 0.0)
    return np.where(usual <= _USUAL[1], np.maximum(usual, _USUAL[0]), 0.0)[line]


def _usual(widths: Numbers) -> float:
    """Return the width of most gaps, in ems: that within words, of which only letters that are set wide have one."""
    return float(_usual_of_parts(widths, np.zeros(len(widths), np.intp), np.ones(len(widths), bool))[0])


_NO_WIDTH = 0.02  # ems


def after_ligatures(advances: Boxes, places: _Indexes, ems: Numbers, blanks: Bits) -> list[int]:
    """Return the numbers of the characters before which a space without width follows a ligature, as in "fi eld".

    Some programs write one after each ligature. `gaps_of` explains the arguments.
    """
    written = np.diff(np.cumsum(blanks)[places]) > 0
    no_width = np.abs(advances[1:, 0] - advances[:-1, 2]) < _NO_WIDTH * ems[1:]
    after = np.flatnonzero(written[1:] & no_width[1:]) + 2
    is_ligature = (advances[after - 1] == advances[after - 2]).all(axis=1)  # whose letters share a box
    found: list[int] = places[after[is_ligature]].tolist()
    return found


def gaps_of(
    boxes: Boxes, advances: Boxes, places: _Indexes, lines: _Indexes, ems: Numbers, blanks: Bits, inserted: Bits
) -> Gaps:
    """Return the gaps in which no space is written.

    Args:
        boxes: of the characters at `places`.
        advances: their boxes between the advance widths.
        places: numbers of the characters that have boxes.
        lines: number of the line of each of them; that of a character beside which no gap is judged is negative.
        ems: width of one em at each of them, in points.
        blanks: for every character of the page, whether it is a space that the file writes.
        inserted: the same for a space that PDFium inserted.
    """
    left, right = advances[:, 0], advances[:, 2]
    _, bottom, _, top = boxes.T
    forward = left[1:] > left[:-1]
    width = np.where(forward, left[1:] - right[:-1], left[:-1] - right[1:]) / ems[1:]
    level = (bottom[1:] < top[:-1]) & (top[1:] > bottom[:-1])
    written = np.cumsum(blanks)[places]
    added = np.cumsum(inserted)[places]
    in_line, has_blank = lines[1:] == lines[:-1], written[1:] > written[:-1]
    judged = np.flatnonzero(level & in_line & ~has_blank)
    is_written = np.zeros(lines.max(initial=0) + 1, bool)
    is_written[lines[1:][in_line & has_blank]] = True
    is_space = added[judged + 1] > added[judged]
    return Gaps(width[judged], places[judged], places[judged + 1], lines[judged], is_space, is_written[lines[judged]])
