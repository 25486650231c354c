"""The words and numbers that two texts do not share: what a person looks at before a near-duplicate is deleted."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from simhash_doc.duplicates.numbers import NUMBER
from simhash_doc.duplicates.similarity import unified
from simhash_doc.engines.strings import nfkc

MOST = 10  # words and numbers of each text that are listed
_LINE = 4  # of them in a line
_CHARACTERS = 40  # of a word in a line

_PIECE = re.compile(rf"{NUMBER.pattern}|\d+(?:[.,'’٫٬]\d+)*|[^\W\d_]+")


class Differing(NamedTuple):
    """The words and numbers that only one of two texts has, or has more often, in the order of the text.

    Attributes:
        kept: those of the kept text.
        left_out: those of the text that is left out.
        more: how many of both are not listed.
        order_or_symbols: whether the texts differ only in the order of the words or in symbols.
    """

    kept: tuple[str, ...]
    left_out: tuple[str, ...]
    more: int
    order_or_symbols: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return what differs as a JSON object."""
        found = {"kept": [*self.kept], "left_out": [*self.left_out], "more": self.more}
        return found | ({"order_or_symbols": True} if self.order_or_symbols else {})

    def line(self) -> str:
        """Return some of what differs for people; an empty str if nothing does.

        >>> differing("Dear Ana, order 17 is here", "Dear Ida, order 17 is HERE").line()
        'only in the kept text: ana; only in this one: ida'
        >>> differing("-5 °C, 10-20 km", "5 °C, 10-20 km").line()
        'only in the kept text: -5; only in this one: 5'
        >>> differing("Ana owes Ida", "Ida owes Ana").line()
        'the same words and numbers, but their order or the symbols differ'
        """
        if self.order_or_symbols:
            return "the same words and numbers, but their order or the symbols differ"
        sides = ("only in the kept text", self.kept), ("only in this one", self.left_out)
        listed = (f"{about}: {_listed(words)}" for about, words in sides if words)
        return "; ".join(listed) + (" ..." if self.more else "")


def differing(kept: str, left_out: str, most: int = MOST) -> Differing:
    """Return the words and numbers that differ, at most some of each text; capitals do not count.

    >>> differing("Dear Ana, order 17 is here", "Dear Ida, order 17 is HERE")
    Differing(kept=('ana',), left_out=('ida',), more=0, order_or_symbols=False)
    """
    first, second = (_pieces(text) for text in (kept, left_out))
    only = [*(Counter(first) - Counter(second)).elements()], [*(Counter(second) - Counter(first)).elements()]
    order_or_symbols = not any(only) and unified(kept).casefold() != unified(left_out).casefold()
    more = sum(max(0, len(one) - most) for one in only)
    return Differing(tuple(only[0][:most]), tuple(only[1][:most]), more, order_or_symbols)


def _listed(words: tuple[str, ...]) -> str:
    shown = (word if len(word) <= _CHARACTERS else f"{word[:_CHARACTERS]}..." for word in words[:_LINE])
    return ", ".join(shown) + (", ..." if len(words) > _LINE else "")


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(nfkc(text).casefold())
