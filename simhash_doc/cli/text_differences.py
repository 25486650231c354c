"""The differences between two texts, as one text: what only one of them has is marked where it is.

Words are compared without capital letters, whatever white space is between them. What stands elsewhere in the other
text is shown as moved, because the order of words does not count for the similarity.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from simhash_doc.console.messages import counted
from simhash_doc.report.document import Run, Style

_CONTEXT = 12  # words around a difference
_MOVED = 4  # words, from which an equal passage elsewhere is taken for a moved one
_STYLES: tuple[tuple[Style, Style], ...] = (("del", "moved-away"), ("ins", "moved-here"))  # of both texts
_SIGNS = r"!-/:-@\[-`{-~\xa1-\xbf\u2010-\u2027\u2030-\u205e"
_EAST = "\u2e80-\U0010ffff"  # from the radicals of Chinese on: words are not separated
_PIECE = re.compile(rf"(?<!\s)\s*+(?:[{_EAST}]|[^\s{_SIGNS}{_EAST}]+|[{_SIGNS}])")


@dataclass(frozen=True, slots=True)
class Difference:
    """How two texts differ.

    Attributes:
        text: the texts as one, with the differences marked; empty if only capital letters and white space differ.
        removed, added: number of words that only the first and only the second has.
        moved: number of words of passages that stand elsewhere in the second.
    """

    text: tuple[str | Run, ...]
    removed: int
    added: int
    moved: int

    @property
    def summary(self) -> str:
        """What differs, in words."""
        parts = [f"{counted(self.removed, 'word')} only in the kept text"] * bool(self.removed)
        parts += [f"{counted(self.added, 'word')} only here"] * bool(self.added)
        parts += [f"{counted(self.moved, 'word')} moved"] * bool(self.moved)
        return ", ".join(parts) or f"only {'signs' if self.text else 'capitals or white space'} differ"


def difference(left: str, right: str, context: int = _CONTEXT) -> Difference:
    """Return the differences between two texts; equal stretches are shown with `context` words at each end."""
    pieces = [_pieces(text) for text in (left, right)]
    words = [[piece.strip().casefold() for piece in one] for one in pieces]
    runs = list(_runs(words[0], words[1]))
    if not runs:
        return Difference((), 0, 0, 0)
    grams = [list(_grams(words[0], ((a, b) for a, b, _, _ in runs))), list(_grams(words[1], (run[2:] for run in runs)))]
    both = {gram for _, gram in grams[0]} & {gram for _, gram in grams[1]}
    moved = [{at + more for at, gram in one if gram in both for more in range(_MOVED)} for one in grams]
    shown: list[str | Run] = []
    counts = Counter[str]()
    at = 0
    for a, b, c, d in runs:
        shown += _shortened(pieces[0][at:a], context, first=at == 0, last=a == len(words[0]))
        for side, run in enumerate((range(a, b), range(c, d))):
            for is_moved, places in groupby(run, moved[side].__contains__):
                part = [pieces[side][place] for place in places]
                style = _STYLES[side][is_moved]
                counts[style] += _count(part)
                shown.append(Run("".join(part), style))
        at = b
    shown += _shortened(pieces[0][at:], context, first=at == 0, last=True)
    return Difference(tuple(filter(None, shown)), counts["del"], counts["ins"], counts["moved-here"])


def _grams(words: list[str], runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each `_MOVED` words in a row of parts of a text, with the position of the first."""
    for start, end in runs:
        for at in range(start, end - _MOVED + 1):
            yield at, tuple(words[at : at + _MOVED])


def _pieces(text: str) -> list[str]:
    """Return the words and signs of a text, each with the space before it."""
    return [" " + piece.lstrip() if piece[0].isspace() else piece for piece in _PIECE.findall(text)]


def _count(run: Sequence[str]) -> int:
    return sum(any(map(str.isalnum, word)) for word in run)


def _runs(left: list[str], right: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield start and end in both of each part that differs."""
    a = b = 0
    for at, other in [*equal_words(left, right), (len(left), len(right))]:
        if (a, b) != (at, other):
            yield a, at, b, other
        a, b = at + 1, other + 1


def equal_words(left: list[str], right: list[str], depth: int = 8) -> Iterator[tuple[int, int]]:
    """Yield the positions in both texts of words that both have in this order.

    Words that each text has once are compared (patience diff), then those that each part between two of them has once,
    and so on: the time grows with the lengths, whatever the texts are.
    """
    end = min(len(left), len(right))
    start = next((at for at in range(end) if left[at] != right[at]), end)
    yield from ((at, at) for at in range(start))
    tail = next((at for at in range(end - start) if left[~at] != right[~at]), end - start)
    inner, other_inner = left[start : len(left) - tail], right[start : len(right) - tail]
    counts, other_counts = Counter(inner), Counter(other_inner)
    places = {word: at for at, word in enumerate(other_inner) if other_counts[word] == 1}
    unique = [(at, places[word]) for at, word in enumerate(inner) if counts[word] == 1 and word in places]
    a = b = 0
    for at, other in [*_ascending(unique), (len(inner), len(other_inner))] if depth and unique else ():
        for x, y in equal_words(inner[a:at], other_inner[b:other], depth - 1):
            yield start + a + x, start + b + y
        if at < len(inner):
            yield start + at, start + other
        a, b = at + 1, other + 1
    yield from ((len(left) - at, len(right) - at) for at in range(tail, 0, -1))


def _ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most of pairs, which ascend by the first number, that also ascend by the second."""
    ends: list[int] = []  # by length, the least number with which such a part ends
    last: list[int] = []  # its pair
    before: list[int] = []
    for at, (_, other) in enumerate(pairs):
        place = bisect_left(ends, other)
        ends[place : place + 1] = [other]
        last[place : place + 1] = [at]
        before.append(last[place - 1] if place else -1)
    found = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _shortened(pieces: list[str], context: int, *, first: bool, last: bool) -> list[str | Run]:
    """Return an equal stretch; without its beginning if it is the first one, and without its end if it is the last."""
    start, end = (0 if first else context), (0 if last else context)
    left_out = pieces[start : len(pieces) - end]
    if len(left_out) <= context:
        return ["".join(pieces)]
    skipped = Run(f"[… {_count(left_out):,} equal words …]", "skip")
    return ["".join(pieces[:start]) + " ", skipped, "".join(pieces[len(pieces) - end :])]
