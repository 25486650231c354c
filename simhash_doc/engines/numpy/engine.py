"""Engine `numpy`: the pipeline as operations on arrays of many documents.

A batch goes through these steps together: fold (`fold`, `ascii_fold`), bigrams of scripts without spaces
(`bigrams`), links (`simhash_doc.engines.python.links`), the words of the rest (`words`, `trim`), and the sums
(`simhash_doc.engines.bit_sums`).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from simhash_doc.engines.base import LARGE_DOCUMENT, FingerprintBatch, Measurement, Text, TokenCounter
from simhash_doc.engines.bit_sums import BitSums, signs, sum_tokens
from simhash_doc.engines.groups import fingerprint_groups
from simhash_doc.engines.numpy.ascii_fold import FoldedRuns
from simhash_doc.engines.numpy.bigrams import Bigrams, count_bigrams
from simhash_doc.engines.numpy.fold import CODE_POINT, CONTINUA, OUTSIDE, fold_code_points, to_code_points, to_text
from simhash_doc.engines.numpy.words import Words, find_words
from simhash_doc.engines.python.engine import add_tokens
from simhash_doc.engines.python.links import SEPARATOR, without_marked_links
from simhash_doc.engines.text_counter import LARGE_PIECE, TextCounter
from simhash_doc.engines.token_counts import TokenCounts
from simhash_doc.engines.utf8 import encode

_SPACE, _BETWEEN = 0x20, 0x0A


class NumpyEngine:
    """The pipeline through arrays."""

    name = "numpy"

    def __init__(self) -> None:
        self._local = threading.local()

    def fingerprint(self, text: Text, lanes: int) -> int | None:
        measured = self.measure(text, lanes)
        return measured.value if measured.total else None

    def measure(self, text: Text, lanes: int) -> Measurement:
        data = encode(text) if isinstance(text, str) else text
        if len(data) > LARGE_DOCUMENT:
            return self._measure_large(data, lanes)
        sums = self._measure([data], lanes)
        return Measurement.of_sums(int(sums.totals[0]), int(sums.distinct[0]), sums.sums[0].tolist())

    def fingerprint_batch(self, texts: Sequence[Text | None], lanes: int) -> FingerprintBatch:
        return fingerprint_groups(texts, lanes, self._fingerprint_group, self._measure_large)

    def token_counter(self) -> TokenCounter:
        return TextCounter(self._add_tokens)

    def _fingerprint_group(self, documents: list[bytes], lanes: int) -> FingerprintBatch:
        measured = self._measure(documents, lanes)
        return FingerprintBatch(signs(measured.sums), measured.totals == 0)

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

    def _add_tokens(self, text: str, counts: TokenCounts) -> None:
        if len(text) > LARGE_PIECE:  # strings take less memory than arrays of characters
            add_tokens(text, counts)
            return
        found, bigrams, _ = self._tokens([encode(text)])
        found.add_to(counts)
        if bigrams is not None:
            counts.add_short(bigrams.packed, bigrams.occurrences)

    def _tokens(self, documents: list[bytes]) -> tuple[Words, Bigrams | None, list[int]]:
        """Return the tokens of documents, and the documents in the order by which the tokens number them."""
        runs = self._folded_runs()
        alone = [runs.fold(text) for text in documents]
        order = [i for i, text in enumerate(alone) if text is not None]
        first = len(order)
        folded = SEPARATOR.join([text for text in alone if text is not None]).lower()
        bigrams = None
        if first < len(documents):
            order += [i for i, text in enumerate(alone) if text is None]
            texts, bigrams = _fold_together([documents[i] for i in order[first:]], first)
            folded = folded + SEPARATOR + texts if first else texts
        return find_words(without_marked_links(folded)), bigrams, order

    def _folded_runs(self) -> FoldedRuns:
        """Return the cache of this thread."""
        runs: FoldedRuns | None = getattr(self._local, "runs", None)
        if runs is None:
            runs = self._local.runs = FoldedRuns()
        return runs


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
