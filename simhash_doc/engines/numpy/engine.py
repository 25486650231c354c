"""Engine `numpy`: the pipeline as operations on arrays of many documents.

A batch goes through these steps together: fold (`fold`), bigrams of scripts without spaces, links
(`simhash_doc.engines.strings`), the words of the rest (`words`), and the sums (`simhash_doc.engines.bit_sums`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.base import (
    LARGE_DOCUMENT,
    Measurement,
    Measurements,
    Text,
    TokenCounter,
    encode,
)
from simhash_doc.engines.bit_sums import (
    LOW_BYTES,
    BitSums,
    WeightedTokens,
    signs,
    sum_tokens,
    windows_of,
    xxh64_of_short,
)
from simhash_doc.engines.numpy.fold import (
    ALPHABETIC,
    CODE_POINT,
    CONTINUA,
    OUTSIDE,
    fold_code_points,
    to_text,
)
from simhash_doc.engines.numpy.words import Words, find_words
from simhash_doc.engines.python import count_tokens
from simhash_doc.engines.strings import SEPARATOR, without_marked_links
from simhash_doc.engines.text_buffer import batch_ranges, encoded
from simhash_doc.engines.token_counts import TextCounter
from simhash_doc.engines.unicode_tables import CodePoints, to_code_points

_SCALAR = np.uint64(21)  # bits of a code point
_LOW = np.uint64((1 << 21) - 1)


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

    def weighted(self, lanes: int) -> WeightedTokens:
        """Return the bigrams with their hashes."""
        hashes = xxh64_of_short(self.packed, np.arange(len(self.packed)), self.lengths, lanes)
        return WeightedTokens(self.documents, hashes, self.occurrences)


def count_bigrams(folded: CodePoints, borders: npt.NDArray[np.intp], first: int) -> Bigrams:
    """Return the distinct bigrams, and stretches of one, of joined texts (SD-SPLIT-2, SD-SPLIT-3).

    Args:
        folded: the texts with flags, joined by a character that is not scriptio continua.
        borders: the positions of these characters.
        first: number of the first document; that of the last is less than 2^22.
    """
    continua = folded & CONTINUA != 0
    padded = np.concatenate(([False], continua, [False]))
    after = continua & padded[2:]
    firsts = np.flatnonzero(after)
    alone = np.flatnonzero(continua & ~after & ~padded[:-2])
    alphabetic = folded & ALPHABETIC != 0
    firsts = firsts[alphabetic[firsts] | alphabetic[firsts + 1]]
    alone = alone[alphabetic[alone]]
    characters = (folded & CODE_POINT).astype(np.uint64)
    keys = np.concatenate((characters[firsts] << _SCALAR | characters[firsts + 1], characters[alone]))
    # The document is the highest part of the key, so one sort finds the distinct tokens of all documents.
    documents = np.concatenate((_borders_before(firsts, borders), _borders_before(alone, borders)))
    keys |= (documents + np.uint64(first)) << np.uint64(42)
    keys.sort()
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.intp)
    occurrences = np.diff(np.append(starts, len(keys)))
    keys = keys[starts]
    packed, lengths = _utf8(keys >> _SCALAR & _LOW, keys & _LOW)
    return Bigrams((keys >> np.uint64(42)).astype(np.intp), packed, lengths, occurrences)


def _borders_before(places: npt.NDArray[np.intp], borders: npt.NDArray[np.intp]) -> npt.NDArray[np.uint64]:
    """Return the number of borders before each place; the places are ascending."""
    edges = np.concatenate(([0], np.searchsorted(places, borders), [len(places)]))
    return np.repeat(np.arange(len(borders) + 1, dtype=np.uint64), np.diff(edges))


def _utf8(
    first: npt.NDArray[np.uint64], second: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    """Return the UTF-8 of pairs of characters as little-endian integers, and the lengths; a first of 0 is none."""
    characters = np.stack((first, second), axis=1)
    text = characters[characters > 0].astype("<u4").tobytes().decode("utf-32-le").encode("utf-8")
    sizes = np.where(characters < 0x10000, 3, 4)  # characters of scriptio continua are all at or above U+0800
    sizes[characters == 0] = 0
    lengths = sizes.sum(axis=1)
    starts = lengths.cumsum() - lengths
    return windows_of(text + bytes(8))[starts] & LOW_BYTES[lengths], lengths.astype(np.uint8)


GROUP_BYTES = 3 << 16  # bytes of documents that go through the steps together
_SPACE, _BETWEEN = 0x20, 0x0A


class NumpyEngine:
    """The pipeline through arrays."""

    name = "numpy"

    def fingerprint(self, text: Text, lanes: int) -> int | None:
        measured = self.measure(text, lanes)
        return measured.value if measured.tokens else None

    def measure(self, text: Text, lanes: int) -> Measurement:
        data = encode(text) if isinstance(text, str) else text
        if len(data) > LARGE_DOCUMENT:
            return self._measure_large(data, lanes)
        sums = self._measure([data], lanes)
        return Measurement.of_sums(int(sums.totals[0]), sums.statistics[0].tolist(), sums.sums[0].tolist())

    def measure_batch(self, texts: Sequence[Text | None], lanes: int) -> Measurements:
        documents = encoded(texts)
        result = Measurements.empty(len(documents), lanes)
        for start, stop in batch_ranges(np.array([len(document) for document in documents], np.int64), GROUP_BYTES):
            if len(documents[start]) > LARGE_DOCUMENT:  # alone in its group
                result.put_measured(start, self._measure_large(documents[start], lanes))
            else:
                sums = self._measure(documents[start:stop], lanes)
                result.values[start:stop], result.statistics[start:stop] = signs(sums.sums), sums.statistics
        return result

    def token_counter(self) -> TokenCounter:
        return TextCounter(self._count_tokens)

    def _measure(self, documents: list[bytes], lanes: int) -> BitSums:
        found, bigrams, order = self._tokens(documents)
        parts = found.weighted(lanes)
        if bigrams is not None:
            parts.append(bigrams.weighted(lanes))
        measured = sum_tokens(parts, len(documents), lanes)
        places = np.argsort(order)
        return BitSums(*(values[places] for values in measured))

    def _measure_large(self, data: bytes, lanes: int) -> Measurement:
        counter = self.token_counter()
        counter.feed(data)
        return counter.measure(lanes)

    def _count_tokens(self, text: str) -> dict[bytes, int]:
        """Return the tokens of a text with their occurrences."""
        if len(text) > LARGE_DOCUMENT:  # strings take less memory than arrays of characters
            return count_tokens(text)
        found, bigrams, _ = self._tokens([encode(text)])
        return found.counts() if bigrams is None else found.counts() | bigrams.counts()

    def _tokens(self, documents: list[bytes]) -> tuple[Words, Bigrams | None, list[int]]:
        """Return the tokens of documents, and the documents in the order by which the tokens number them."""
        order = [i for i, text in enumerate(documents) if text.isascii()]
        first = len(order)
        folded = SEPARATOR.join([documents[i] for i in order]).lower()
        bigrams = None
        if first < len(documents):
            order += [i for i, text in enumerate(documents) if not text.isascii()]
            texts, bigrams = _fold_together([documents[i] for i in order[first:]], first)
            folded = folded + SEPARATOR + texts if first else texts
        return find_words(without_marked_links(folded)), bigrams, order


def _fold_together(documents: list[bytes], first: int) -> tuple[bytes, Bigrams | None]:
    """Return folded documents with a space for characters that are in no word and no link, and their bigrams.

    Args:
        documents: texts in UTF-8.
        first: number of the first of them.
    """
    # A byte order mark folds to nothing, wherever it is.
    joined = b"\n".join([document.replace(b"\n", b" ") for document in documents]).decode("utf-8", "replace")
    folded = fold_code_points(to_code_points(joined))
    bigrams = None
    if (folded & CONTINUA).any():
        borders = np.flatnonzero(folded & CODE_POINT == _BETWEEN)
        bigrams = count_bigrams(folded, borders, first)
    folded[folded & OUTSIDE != 0] = _SPACE
    return to_text(folded).encode("utf-8").replace(b"\n", SEPARATOR), bigrams
