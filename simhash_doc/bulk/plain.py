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
from simhash_doc.bulk.plain_runs import FoldedRuns
from simhash_doc.bulk.plain_words import (
    LINK_IN_BYTES,
    WordCache,
    chunks_of,
    with_plain_punctuation,
    without_links,
)
from simhash_doc.bulk.tables import WORD, tables
from simhash_doc.reference import OCCURRENCE_CAP, decode_utf8

_SPACE, _BETWEEN = 0x20, 0x0A
_SLICE = 1 << 14
_SAMPLE = 64  # chunks


class Measured(NamedTuple):
    """What became of documents."""

    sums: npt.NDArray[np.int64]  # shape (n, 64 * words)
    tokens: npt.NDArray[np.int64]  # occurrences of tokens
    distinct: npt.NDArray[np.int64]


class PlainWorker:
    """Fingerprints of batches of documents, with a memory of words for each width."""

    def __init__(self) -> None:
        self._caches: dict[int, WordCache] = {}
        self._runs = FoldedRuns()

    def fingerprint(self, documents: list[bytes], words: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return the fingerprints of documents, shape (n, words), and which have none."""
        measured = self.measure(documents, words)
        return np.packbits(measured.sums > 0, axis=1, bitorder="little").view("<u8"), measured.tokens == 0

    def measure(self, documents: list[bytes], words: int) -> Measured:
        """Return the sums of documents, and how many tokens they have."""
        documents = [text if text.isascii() else with_plain_punctuation(text) for text in documents]
        alone = [text.lower() if text.isascii() else self._runs.fold(text) for text in documents]
        folded = [text or b"" for text in alone]
        parts: list[Weighed] = []
        together = np.array([i for i, text in enumerate(alone) if text is None], np.intp)
        if len(together):
            texts, bigrams = _fold_together([documents[i] for i in together.tolist()], words)
            for i, text in zip(together.tolist(), texts, strict=True):
                folded[i] = text
            if bigrams is not None:
                parts.append(bigrams._replace(documents=together[bigrams.documents]))
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
    chunks = [chunks_of(without_links(text)) for text in folded]
    documents, rows = _rows_of(chunks, cache)
    if cache.suspects and len(linked := np.unique(documents[np.isin(rows, cache.suspect_rows())])):
        for i in linked.tolist():
            chunks[i] = chunks_of(LINK_IN_BYTES.sub(b" ", folded[i]))
        documents, rows = _rows_of(chunks, cache)
    # One sort counts the words of all documents.
    keys = np.sort((documents << 32 | rows)[rows >= 0])
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(starts, append=len(keys))
    keys = keys[starts]
    return Weighed(keys >> 32, cache.hashes[keys & (1 << 32) - 1], counts)


def _rows_of(chunks: list[list[bytes]], cache: WordCache) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the document and the row of each chunk."""
    documents = np.repeat(np.arange(len(chunks), dtype=np.int64), [len(found) for found in chunks])
    if not any(map(_is_monotonous, chunks)):
        return documents, cache.rows_of(chunks)
    # Of few words, repeated, each is looked up once.
    counters = [Counter(found) for found in chunks]
    counts = np.fromiter(chain.from_iterable(counter.values() for counter in counters), np.int64)
    rows = np.repeat(cache.rows_of([list(counter) for counter in counters]), counts)
    return documents, rows


def _is_monotonous(chunks: list[bytes]) -> bool:
    return len(chunks) > _SAMPLE and len(set(chunks[:_SAMPLE])) < _SAMPLE // 4


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
