"""Places where a long text may be cut, so that its pieces together have the tokens of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.numpy.fold import CODE_POINT, CONTINUA, CodePoints, targets, to_code_points
from simhash_doc.engines.python.tokens import fold
from simhash_doc.engines.unicode_tables import COPY, KEEP, WORD, tables
from simhash_doc.reference import LINK_TAIL
from simhash_doc.unicode_data import CODE_POINTS, CUTTABLE

_NEAR = 1 << 12  # characters, which nearly always include one of CUTTABLE
_WINDOW = 1 << 16
_LONGEST_MAPPING = 18  # characters, of U+FDFA


def last_cut(text: str) -> tuple[int, int]:
    """Return (end, start) such that text[:end] and text[start:] have the tokens of the text together.

    The place is one of the last possible ones; (0, 0) if there is none. In a stretch of a script without spaces the
    character before the cut is in both parts: the last of one bigram and the first of the next.
    """
    near = max(text.rfind(character, max(1, len(text) - _NEAR)) for character in CUTTABLE)
    if near > 0:
        return near, near
    for upto in range(len(text), 0, -_WINDOW):
        since = max(0, upto - _WINDOW - 2)  # windows overlap: a cut between bigrams takes three characters to find
        end, start = _last_cut_of(to_code_points(text[since:upto]))
        if end:
            return since + end, since + start
    return 0, 0


def _last_cut_of(given: CodePoints) -> tuple[int, int]:
    outside = _cut_before().take(given)
    stays = tables().actions.take(given) == KEEP
    continua = stays & (targets().first.take(given) & CONTINUA != 0)
    # Where scriptio continua begins or ends, tokens end too.
    outside[1:] |= stays[1:] & stays[:-1] & (continua[1:] != continua[:-1])
    places = np.flatnonzero(outside)
    if len(places) and places[-1] > 0:
        return int(places[-1]), int(places[-1])
    between = np.flatnonzero(continua[:-2] & continua[1:-1] & continua[2:]) + 1
    return (int(between[-1]) + 1, int(between[-1])) if len(between) else (0, 0)


def folded_pieces(text: str, size: int) -> Iterator[str]:
    """Yield folded pieces of about `size` characters that together have the tokens of a text, and still its links.

    A text with no place to cut may have one after folding, because some characters fold to a sequence with spaces.
    """
    pending = ""
    next_cut = size
    for part in _folded_parts(text, size // _LONGEST_MAPPING + 1):
        pending += part
        if len(pending) >= next_cut:
            end, start = last_cut(pending)
            if end:
                yield pending[:end]
                pending = pending[start:]
            next_cut = max(size, 2 * len(pending))
    yield pending


def _folded_parts(text: str, size: int) -> Iterator[str]:
    """Yield parts of the folded text, cut before characters that do not change the text before them."""
    start, upto = 0, size
    while upto < len(text):
        places = np.flatnonzero(tables().actions.take(to_code_points(text[start + 1 : upto])) <= COPY)
        if len(places):
            end = start + 1 + int(places[-1])
            yield fold(text[start:end])
            start, upto = end, end + size
        else:
            upto += upto - start
    yield fold(text[start:])


@cache
def _cut_before() -> npt.NDArray[np.bool_]:
    """Return which characters text may be cut before, by code point.

    The first character that each folds to is a starter that does not change the text before it, is in no word, and
    ends a link.
    """
    data = tables()
    ends_link = np.ones(CODE_POINTS, bool)
    ends_link[:0x80] = [not re.fullmatch(LINK_TAIL, chr(character)) for character in range(0x80)]
    outside = ends_link & (data.classes & np.uint8(WORD) == 0) & (data.actions == KEEP)
    cuttable: npt.NDArray[np.bool_] = outside[targets().first & CODE_POINT] & (
        (data.actions == KEEP) | (data.actions == COPY)
    )
    return cuttable
