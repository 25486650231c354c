"""The default engine: numpy and the standard library.

A batch goes through these steps together: fold (`plain_fold`, `plain_runs`), bigrams of scripts without
spaces (`plain_bigrams`), links (`plain_links`), the words of what is left (`plain_words`), and the sums (`plain_sums`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.plain_bigrams import Bigrams, count_bigrams
from simhash_doc.bulk.plain_fold import CODE_POINT, CONTINUA, OUTSIDE, fold_code_points, to_code_points, to_text
from simhash_doc.bulk.plain_links import SEPARATOR, without_links
from simhash_doc.bulk.plain_runs import FoldedRuns
from simhash_doc.bulk.plain_words import Words, find_words
from simhash_doc.counts import TokenCounts
from simhash_doc.sums import Measured, measure_tokens

_SPACE, _BETWEEN = 0x20, 0x0A


class PlainWorker:
    """Fingerprints of batches of documents."""

    def __init__(self) -> None:
        self._runs = FoldedRuns()

    def fingerprint(self, documents: list[bytes], words: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return the fingerprints of documents, shape (n, words), and which have none."""
        measured = self.measure(documents, words)
        return np.packbits(measured.sums > 0, axis=1, bitorder="little").view("<u8"), measured.tokens == 0

    def measure(self, documents: list[bytes], words: int) -> Measured:
        """Return the sums of documents, and how many tokens they have."""
        found, bigrams = self._tokens(documents)
        parts = found.weighed(words)
        if bigrams is not None:
            parts.append(bigrams.weighed(words))
        return measure_tokens(parts, len(documents), words)

    def count(self, document: bytes, counts: TokenCounts) -> None:
        """Add the tokens of a document to a multiset."""
        found, bigrams = self._tokens([document])
        found.add_to(counts)
        if bigrams is not None:
            counts.add_short(bigrams.packed, bigrams.occurrences)

    def _tokens(self, documents: list[bytes]) -> tuple[Words, Bigrams | None]:
        alone = [self._runs.fold(text) for text in documents]
        folded = [text or b"" for text in alone]
        bigrams = None
        together = np.array([i for i, text in enumerate(alone) if text is None], np.intp)
        if len(together):
            texts, bigrams = _fold_together([documents[i] for i in together.tolist()])
            for i, text in zip(together.tolist(), texts, strict=True):
                folded[i] = text
            if bigrams is not None:
                bigrams = bigrams._replace(documents=together[bigrams.documents])
        return find_words(without_links(SEPARATOR.join(folded).lower())), bigrams


def _fold_together(documents: list[bytes]) -> tuple[list[bytes], Bigrams | None]:
    """Return the folded documents with a space for what is in no word and no link, and their bigrams."""
    # A byte order mark is folded to nothing, wherever it is.
    joined = b"\n".join([document.replace(b"\n", b" ") for document in documents]).decode("utf-8", "replace")
    folded = fold_code_points(to_code_points(joined))
    bigrams = None
    if (folded & CONTINUA).any():
        bigrams = count_bigrams(folded, np.cumsum(folded & CODE_POINT == _BETWEEN, dtype=np.int32))
    folded[folded & OUTSIDE != 0] = _SPACE
    return to_text(folded).encode("utf-8").split(b"\n"), bigrams
