"""Which gaps between the characters of a line are spaces.

PDFium inserts a space at a gap that is wide beside the characters. Letters that are set wide, the last letter of a word
in a string of its own, and narrow spaces of justified lines deceive it. Here, all gaps of a line are judged together:
those within words are the most, and a space is wider than they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc_extraction.pdf.pieces import Bits, Boxes, can_begin, can_end, has_spaces

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
    missing, extra = [], []
    starts = np.flatnonzero(np.diff(gaps.line, prepend=-1))
    ends = np.append(starts[1:], len(gaps.line))
    most = np.maximum.reduceat(gaps.width, starts) if len(starts) else np.zeros(0)
    for line in np.flatnonzero(most > _LEAST_TRACKING).tolist():
        part = slice(starts[line], ends[line])
        widths, is_space = gaps.width[part], gaps.is_space[part]
        least = _LEAST_BESIDE_WRITTEN if gaps.is_written[starts[line]] else _LEAST_SPACE
        before, after = gaps.before[part].tolist(), gaps.after[part].tolist()
        usual = _usual_gaps(text, before, after, widths, least)
        wide = widths > usual + least
        for at in np.flatnonzero(wide & ~is_space).tolist():
            one, other = text[before[at]], text[after[at]]
            are_digits = one.isdigit() and other.isdigit()
            if are_digits and widths[at] <= usual[at] + _LEAST_BETWEEN_DIGITS:
                continue
            if can_begin(other) and can_end(one):
                missing.append(after[at])
        narrow = np.flatnonzero(~wide & is_space & (usual > _LEAST_TRACKING)).tolist()
        extra += [after[at] for at in narrow if has_spaces(text[before[at]]) and has_spaces(text[after[at]])]
    return missing, extra


def _usual_gaps(text: str, before: list[int], after: list[int], widths: Numbers, least: float) -> Numbers:
    """Return the usual gap between letters at each gap of a line: that of the line, or of a part that is set wide."""
    in_word = [text[one].isalpha() and text[other].isalpha() for one, other in zip(before, after, strict=True)]
    beside_digit = [text[one].isdigit() or text[other].isdigit() for one, other in zip(before, after, strict=True)]
    inner = np.array(in_word) | (np.array(beside_digit) & (widths < _MOST_BESIDE_DIGITS))
    beside_letter = [text[one].isalnum() or text[other].isalnum() for one, other in zip(before, after, strict=True)]
    usual = np.full(len(widths), _usual_of_line(widths[np.array(beside_letter)], widths[inner], least))
    apart = (widths > max(usual[0], 0.0) + _LEAST_TRACKING).tolist()
    start = 0
    for end in range(1, len(widths) + 1):
        # A letter that is apart on both sides, from a letter on each.
        if end < len(widths) and apart[end - 1] and apart[end] and after[end - 1] == before[end] and in_word[end]:
            continue
        if apart[start] and in_word[start] and end - start >= _LEAST_LETTERS:
            run = slice(start, end)
            found = _usual(widths[run])
            around = max(found + least, _APART * found)
            is_in_word = start > 0 and not apart[start - 1] and after[start - 1] == before[start]
            goes_on = end < len(widths) and not apart[end] and after[end - 1] == before[end]
            # Between other words, the letters are a word only if wider gaps set it apart.
            is_joined = is_in_word and widths[start] <= around
            if not is_joined and not (goes_on and widths[end - 1] <= around):
                usual[run] = found
        start = end
    return usual


def _usual_of_line(widths: Numbers, inner: Numbers, least: float) -> float:
    """Return the usual gap within the words of a line, in ems.

    Args:
        widths: of the gaps beside a letter or digit.
        inner: of those between letters, or between digits.
        least: width of a space beside the usual gap.
    """
    usual = _usual(inner)
    narrow = widths[(widths > _NO_GAP[0]) & (widths < usual - least)]
    return _usual(narrow) if usual > _LEAST_TRACKING and len(narrow) >= _LEAST_NARROW * len(widths) else usual


def _usual(widths: Numbers) -> float:
    """Return the width of most gaps, in ems: that within words, of which only letters that are set wide have one."""
    inner = np.sort(widths[(_NO_GAP[0] < widths) & (widths < _NO_GAP[1])])
    usual = float(inner[(len(inner) - 1) // 2]) if len(inner) >= _LEAST_GAPS else 0.0
    return max(usual, _USUAL[0]) if usual <= _USUAL[1] else 0.0


_NO_WIDTH = 0.02  # ems


def after_ligatures(advances: Boxes, places: _Indexes, ems: Numbers, blanks: Bits) -> list[int]:
    """Return the numbers of the characters before which a space without width follows a ligature, as in "fi eld".

    Some programs write one after each ligature. `gaps_of` explains the arguments.
    """
    written = np.diff(np.cumsum(blanks)[places]) > 0
    no_width = np.abs(advances[1:, 0] - advances[:-1, 2]) < _NO_WIDTH * ems[1:]
    is_ligature = (advances[1:-1] == advances[:-2]).all(axis=1)  # whose letters share a box
    found: list[int] = places[2:][written[1:] & no_width[1:] & is_ligature].tolist()
    return found


def gaps_of(
    boxes: Boxes, advances: Boxes, places: _Indexes, lines: _Indexes, ems: Numbers, blanks: Bits, inserted: Bits
) -> Gaps:
    """Return the gaps in which no space is written.

    Args:
        boxes: of the characters at `places`.
        advances: their boxes between the advance widths.
        places: numbers of the characters that have boxes.
        lines: number of the line of each of them; characters in which no gap is judged have a line of their own.
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
    judged = np.flatnonzero(level & (lines[1:] == lines[:-1]) & (np.diff(written) == 0))
    with_written = np.unique(lines[1:][(lines[1:] == lines[:-1]) & (np.diff(written) > 0)])
    is_written, is_space = np.isin(lines[judged], with_written), np.diff(added)[judged] > 0
    return Gaps(width[judged], places[judged], places[judged + 1], lines[judged], is_space, is_written)
