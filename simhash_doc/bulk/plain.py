"""The default engine: numpy and the standard library.

A batch goes through these steps together: fold (`plain_fold`), bigrams of scripts without
spaces (`plain_bigrams`), the words of what is left (`plain_words`), and the sums.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.plain_bigrams import Weighed, count_bigrams, is_continua
from simhash_doc.bulk.plain_fold import fold_code_points, to_code_points
from simhash_doc.bulk.plain_words import (
    LINK_IN_BYTES,
    NO_TOKEN,
    WordCache,
    chunks_of,
    with_plain_punctuation,
    without_links,
)
from simhash_doc.bulk.tables import WORD, tables
from simhash_doc.reference import OCCURRENCE_CAP, decode_utf8

_SPACE, _BETWEEN = 0x20, 0x0A
_SLICE = 1 << 14


class Measured(NamedTuple):
    """What became of documents."""

    sums: npt.NDArray[np.int64]  # shape (n, 64 * words)
    tokens: npt.NDArray[np.int64]  # occurrences of tokens
    distinct: npt.NDArray[np.int64]


class PlainWorker:
    """Fingerprints of batches of documents, with a memory of words for each width."""

    def __init__(self) -> None:
        self._caches: dict[int, WordCache] = {}

    def fingerprint(self, documents: list[bytes], words: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return the fingerprints of documents, shape (n, words), and which have none."""
        measured = self.measure(documents, words)
        return np.packbits(measured.sums > 0, axis=1, bitorder="little").view("<u8"), measured.tokens == 0

    def measure(self, documents: list[bytes], words: int) -> Measured:
        """Return the sums of documents, and how many tokens they have."""
        documents = [text if text.isascii() else with_plain_punctuation(text) for text in documents]
        folded = [document.lower() for document in documents]
        parts: list[Weighed] = []
        beyond_ascii = np.array([i for i, document in enumerate(documents) if not document.isascii()], np.intp)
        if len(beyond_ascii):
            texts, bigrams = _fold_together([documents[i] for i in beyond_ascii.tolist()], words)
            for i, text in zip(beyond_ascii.tolist(), texts, strict=True):
                folded[i] = text
            if bigrams is not None:
                parts.append(bigrams._replace(documents=beyond_ascii[bigrams.documents]))
        if words not in self._caches:
            self._caches[words] = WordCache(words)
        parts.append(_weigh_words(folded, self._caches[words]))
        count = len(documents)
        measured = Measured(
            np.zeros((count, 64 * words), np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
        )
        for part in parts:
            _add_sums(part, measured)
        return measured


def _fold_together(documents: list[bytes], words: int) -> tuple[list[bytes], Weighed | None]:
    """Return the folded documents with a space for what is in no word and no link, and their bigrams."""
    joined = "\n".join(decode_utf8(document).replace("\n", " ") for document in documents)
    folded = fold_code_points(to_code_points(joined))
    classes = tables().classes[folded]
    bigrams = None
    outside = (folded >= 0x80) & (classes & np.uint8(WORD) == 0)
    continua = is_continua(classes)
    if continua.any():
        bigrams = count_bigrams(folded, classes, np.cumsum(folded == _BETWEEN, dtype=np.int32), words)
        outside |= continua
    folded[outside] = _SPACE
    return folded.tobytes().decode("utf-32-le").encode("utf-8").split(b"\n"), bigrams


def _weigh_words(folded: list[bytes], cache: WordCache) -> Weighed:
    """Return the distinct words of folded documents."""
    cache.bound()
    counters = [Counter(chunks_of(without_links(text))) for text in folded]
    rows = cache.rows_of(list(chain.from_iterable(counters)))
    if cache.suspects:
        linked = [i for i, counter in enumerate(counters) if not cache.suspects.isdisjoint(counter)]
        for i in linked:
            counters[i] = Counter(chunks_of(LINK_IN_BYTES.sub(b" ", folded[i])))
        if linked:
            rows = cache.rows_of(list(chain.from_iterable(counters)))
    total = len(rows)
    documents = np.repeat(np.arange(len(folded)), [len(counter) for counter in counters])
    counts = np.fromiter(chain.from_iterable(counter.values() for counter in counters), np.int64, total)
    kept = rows != NO_TOKEN
    if not kept.all():
        documents, rows, counts = documents[kept], rows[kept], counts[kept]
    if cache.merged and np.isin(rows, list(cache.merged)).any():
        keys, places = np.unique(documents << 32 | rows, return_inverse=True)
        documents, rows = keys >> 32, keys & (1 << 32) - 1
        counts = np.bincount(places, counts).astype(np.int64)
    return Weighed(documents, cache.hashes[rows], counts)


def _add_sums(part: Weighed, to: Measured) -> None:
    """Add the tokens of each document to its sums (SD-CAP-1, SD-SUM-1)."""
    counts = np.minimum(part.occurrences, OCCURRENCE_CAP).astype(np.float32)
    edges = np.searchsorted(part.documents, np.arange(len(to.sums) + 1)).tolist()
    for document, (start, end) in enumerate(pairwise(edges)):
        if start == end:
            continue
        to.tokens[document] += part.occurrences[start:end].sum()
        to.distinct[document] += end - start
        for first in range(start, end, _SLICE):
            places = slice(first, min(first + _SLICE, end))
            bits = np.unpackbits(part.hashes[places].view(np.uint8), axis=1, bitorder="little")
            # float32 is exact here: a slice adds at most 8 x 16,384 = 2^17 to a sum.
            weighted = 2 * (counts[places] @ bits.astype(np.float32)) - counts[places].sum()
            to.sums[document] += weighted.astype(np.int64)
