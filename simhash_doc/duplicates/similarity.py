"""How similar two texts are, by the tokens that their fingerprints count."""

from __future__ import annotations

import hashlib
from functools import cache

from simhash_doc.engines.base import AnyText, utf8
from simhash_doc.engines.select import select_engine
from simhash_doc.engines.strings import nfkc
from simhash_doc.unicode_data import fold_map

_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def unified(text: str) -> str:
    """Return a text after NFKC, without what folding ignores (SD-FOLD-1), and with one space for each white space.

    >>> unified("\\ufeffOne,  TWO\\n")
    'One, TWO'
    """
    if not text.isascii():
        text = nfkc(text).translate(_ignored())
    return " ".join(text.split())


@cache
def _ignored() -> dict[int, str]:
    """Return the characters that folding removes, such as soft hyphens and marks of direction."""
    return {code: "" for code, folded in fold_map().items() if not folded}


def as_word(digest: str) -> str:
    """Return a word for a hexadecimal digest: without digits, which would be numbers of the text."""
    return digest.translate(_LETTERS)


def marked(text: str) -> str:
    """Return a text with one more word, which texts share only if their `unified` forms are equal.

    >>> first, *others = (marked(text).split()[-1] for text in ("One,  Two", "One, Two", "one, two", "Two, One"))
    >>> [word == first for word in others]
    [True, False, False]
    """
    return f"{text} {as_word(hashlib.blake2b(utf8(unified(text)), digest_size=16).hexdigest())}"


class TextTokens:
    """The tokens of a text, as its fingerprint counts them.

    >>> TextTokens("one two three four").similarity(TextTokens("one two three five"))
    0.6
    """

    __slots__ = ("_counts", "_total")

    def __init__(self, text: AnyText) -> None:
        data = text if isinstance(text, bytes) else utf8(text)
        counter = select_engine(len(data)).token_counter()
        counter.feed(data)
        self._counts = dict(counter.tokens().items())
        self._total = sum(self._counts.values())

    def similarity(self, other: TextTokens) -> float:
        """Return the common tokens as a share of all tokens of both, from 0 to 1; 0 if there are none.

        Each token counts as often as the fingerprint counts it (SD-CAP-1).
        """
        small, large = sorted((self._counts, other._counts), key=len)
        common = sum(min(count, large.get(token, 0)) for token, count in small.items())
        together = self._total + other._total - common
        return common / together if together else 0.0

    def is_similar(self, other: TextTokens, least: float) -> bool:
        """Return True if at least a share `least` of all tokens, and of all distinct tokens, is common.

        A word that is repeated in two short texts is most of their tokens, but not of their distinct tokens.
        """
        together = len(self._counts.keys() | other._counts.keys())
        distinct = len(self._counts.keys() & other._counts.keys()) / together if together else 0.0
        return distinct >= least and self.similarity(other) >= least

    def counted(self) -> list[bytes | tuple[bytes, int]]:
        """Return the distinct tokens; and each that counts more than once with 2, 3, ..., up to its count."""
        repeated = [(token, count) for token, count in self._counts.items() if count > 1]
        return [*self._counts, *((token, number) for token, count in repeated for number in range(2, count + 1))]

    def digest(self) -> bytes:
        """Return a digest that texts with the same tokens share, in any order."""
        return hashlib.blake2b(repr(sorted(self._counts.items())).encode(), digest_size=16).digest()
