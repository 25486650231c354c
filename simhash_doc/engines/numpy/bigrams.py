"""The bigrams of scripts without spaces as arrays (SD-SPLIT-1 to SD-CAP-1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.bit_sums import LOW_BYTES, WeightedTokens, windows_of, xxh64_of_short
from simhash_doc.engines.numpy.words import documents_of
from simhash_doc.engines.unicode_tables import ALPHABETIC, CODE_POINT, CONTINUA, CodePoints

_BITS = np.uint64(21)  # of a code point


class Bigrams(NamedTuple):
    """Distinct bigrams, and stretches of one character, of documents. All arrays have the shape (n,).

    Attributes:
        documents: number of the document, ascending.
        packed: UTF-8 as a little-endian integer.
        lengths: bytes, at most 8.
        occurrences: how often the bigram occurs in the document.
    """

    documents: npt.NDArray[np.intp]
    packed: npt.NDArray[np.uint64]
    lengths: npt.NDArray[np.uint8]
    occurrences: npt.NDArray[np.int64]

    def counts(self) -> dict[bytes, int]:
        """Return the bigrams of one document with their occurrences."""
        tokens = self.packed.astype("<u8", copy=False).view("S8").tolist()  # no bigram ends with NUL
        return dict(zip(tokens, self.occurrences.tolist(), strict=True))

    def weighted(self, lanes: int) -> list[WeightedTokens]:
        """Return the bigrams with their hashes."""
        hashes = xxh64_of_short(self.packed, np.arange(len(self.packed)), self.lengths, lanes)
        return [WeightedTokens(self.documents, hashes, self.occurrences)]


def count_bigrams(folded: CodePoints, borders: npt.NDArray[np.intp]) -> Bigrams:
    """Return the distinct bigrams, and stretches of one, of joined texts.

    Args:
        folded: at most 2^22 texts with properties, joined by a character that is not scriptio continua.
        borders: the positions of these characters.
    """
    continua = np.concatenate(([False], folded & CONTINUA != 0, [False]))
    inside, after = continua[1:-1], continua[2:]
    places = np.flatnonzero(inside & (after | ~continua[:-2]))
    first = folded[places]
    second = np.where(after[places], np.append(folded, np.uint32(0))[places + 1], np.uint32(0))
    kept = (first | second) & ALPHABETIC != 0
    # The document is the highest part of the key, so one sort finds the distinct tokens of all documents.
    keys = documents_of(places[kept], borders).astype(np.uint64)
    for characters in (first, second):
        keys = keys << _BITS | (characters[kept] & CODE_POINT)
    keys.sort()
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    occurrences = np.diff(np.append(starts, len(keys)))
    keys = keys[starts]
    packed, lengths = _utf8(keys)
    return Bigrams((keys >> _BITS >> _BITS).astype(np.intp), packed, lengths, occurrences)


def _utf8(keys: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    """Return the UTF-8 of pairs of characters as little-endian integers, and the lengths; a second of 0 is none."""
    characters = np.stack((keys >> _BITS, keys), axis=1) & np.uint64(CODE_POINT)
    text = characters[characters > 0].astype("<u4").tobytes().decode("utf-32-le").encode("utf-8")
    sizes = np.where(characters < 0x10000, 3, 4)  # characters of scriptio continua are all at or above U+0800
    sizes[characters == 0] = 0
    lengths = sizes.sum(axis=1)
    starts = lengths.cumsum() - lengths
    return windows_of(text + bytes(8))[starts] & LOW_BYTES[lengths], lengths.astype(np.uint8)
