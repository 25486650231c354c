"""Templates: many texts that share a frame, such as letters that differ in name and subject. They are no duplicates.

The frame is what nearly all texts of a group have. Copies of one text with edits have a frame as well: the text. But
most copies lack some of it, because an edit replaces or drops words. Texts of a template have all of their frame, and
words of their own besides.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Literal

import numpy as np

from simhash_doc.duplicates.definition import Positions
from simhash_doc.duplicates.packed import PackedTexts, Tokens

Templates = Literal["keep", "drop"]

LEAST_TEXTS = 101  # of a template
_NEARLY_ALL = 0.95  # of the texts have each token of the frame
_MOST = 0.9  # of what a text shares with the first is the frame; and of the texts have other tokens
_COMPLETE = 0.75  # of the texts have all of the frame
_TRIED = 20  # groups, the largest first


def texts_of_templates(texts: PackedTexts, representatives: Positions) -> Iterator[Positions]:
    """Yield the numbers of the texts of each template, ascending; a text may be of several.

    Args:
        texts: texts with different tokens, connected by near fingerprints.
        representatives: the number of the representative of each, shape (n,).
    """
    if len(texts) < LEAST_TEXTS:
        return
    found = np.zeros(len(texts), np.bool_)
    sizes = np.bincount(representatives)
    for first in np.argsort(-sizes, kind="stable")[:_TRIED].tolist():
        group = np.flatnonzero(representatives == first)
        if not found[first] and len(group) > 1:
            # Texts of a template with many words of their own may not be in the group. They have its frame as well.
            frame = _frame(texts, group)
            group = np.flatnonzero(texts.count_common(frame) >= _NEARLY_ALL * len(frame))
            if len(group) >= LEAST_TEXTS and _is_template(texts, group):
                found[group] = True
                yield group


def _frame(texts: PackedTexts, group: Positions) -> Tokens:
    """Return the tokens that nearly all texts of a group have."""
    counts = texts.count_texts(group.tolist())
    frame: Tokens = np.flatnonzero(counts >= _NEARLY_ALL * len(group)).astype(np.int32)
    return frame


def _is_template(texts: PackedTexts, group: Positions) -> bool:
    """Return whether most texts of a group have all of their frame and tokens of their own, and share hardly more."""
    frame = _frame(texts, group)
    of_frame, of_first = (texts.count_common(one)[group] for one in (frame, texts.tokens(int(group[0]))))
    own = texts.sizes[group] - of_frame
    differ, complete = np.mean(own > 0) >= _MOST, np.mean(of_frame == len(frame)) >= _COMPLETE
    return bool(differ and complete and len(frame) >= _MOST * np.median(of_first[1:]))


def numbers_of(text: str) -> Hashable:
    """Return the numbers in a text, in order, which no token has.

    >>> numbers_of("Invoice 17 of 2026-05-01") == numbers_of("Invoice 18 of 2026-05-01")
    False
    """
    return tuple(re.findall(r"\d+", text))
