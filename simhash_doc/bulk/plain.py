"""The default engine: numpy and the standard library.

A batch goes through these steps together: fold (`plain_fold`, `plain_runs`), bigrams of scripts without
spaces (`plain_bigrams`), links (`links`), the words of what is left (`plain_words`), and the sums (`sums`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.plain_bigrams import Bigrams, count_bigrams
from simhash_doc.bulk.plain_fold import CODE_POINT, CONTINUA, OUTSIDE, fold_code_points, to_code_points, to_text
from simhash_doc.bulk.plain_runs import FoldedRuns
from simhash_doc.bulk.plain_words import Words, find_words
from simhash_doc.counts import TokenCounts
from simhash_doc.links import SEPARATOR, without_marked_links
from simhash_doc.sums import Measured, measure_tokens, signs

_SPACE, _BETWEEN = 0x20, 0x0A


class PlainWorker:
    """Fingerprints of batches of documents."""

    def __init__(self) -> None:
        self._runs = FoldedRuns()

    def fingerprint(self, documents: list[bytes], words: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return the fingerprints of documents, shape (n, words), and which have none."""
        measured = self.measure(documents, words)
        return signs(measured.sums), measured.tokens == 0

    def measure(self, documents: list[bytes], words: int) -> Measured:
        """Return the sums of documents, and how many tokens they have."""
        found, bigrams, order = self._tokens(documents)
        parts = found.weighed(words)
        if bigrams is not None:
            parts.append(bigrams.weighed(words))
        measured = measure_tokens(parts, len(documents), words)
        places = np.argsort(order)
        return Measured(*(values[places] for values in measured))

    def count(self, document: bytes, counts: TokenCounts) -> None:
        """Add the tokens of a document to a multiset."""
        found, bigrams, _ = self._tokens([document])
        found.add_to(counts)
        if bigrams is not None:
            counts.add_short(bigrams.packed, bigrams.occurrences)

    def _tokens(self, documents: list[bytes]) -> tuple[Words, Bigrams | None, list[int]]:
        """Return the tokens of documents, numbered anew, and the documents in this order."""
        alone = [self._runs.fold(text) for text in documents]
        order = [i for i, text in enumerate(alone) if text is not None]
        first = len(order)
        folded = SEPARATOR.join([text for text in alone if text is not None]).lower()
        bigrams = None
        if first < len(documents):
            order += [i for i, text in enumerate(alone) if text is None]
            texts, bigrams = _fold_together([documents[i] for i in order[first:]], first)
            folded = folded + SEPARATOR + texts if first else texts
        return find_words(without_marked_links(folded)), bigrams, order


def _fold_together(documents: list[bytes], first: int) -> tuple[bytes, Bigrams | None]:
    """Return folded documents with a space for what is in no word and no link, and their bigrams.

    Args:
        documents: texts in UTF-8.
        first: number of the first of them.
    """
    # A byte order mark is folded to nothing, wherever it is.
    joined = b"\n".join([document.replace(b"\n", b" ") for document in documents]).decode("utf-8", "replace")
    folded = fold_code_points(to_code_points(joined))
    bigrams = None
    if (folded & CONTINUA).any():
        borders = np.flatnonzero(folded & CODE_POINT == _BETWEEN)
        bigrams = count_bigrams(folded, borders, first)
    folded[folded & OUTSIDE != 0] = _SPACE
    return to_text(folded).encode("utf-8").replace(b"\n", SEPARATOR), bigrams
