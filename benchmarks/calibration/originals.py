"""Fingerprints of texts that this project extracts from the originals, for the pairs across media.

`benchmarks.extraction` looks at the same texts more closely: every miss with its cause, and other libraries.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, Document
from benchmarks.calibration.fingerprinting import Table
from benchmarks.calibration.hashing import WORDS, Words, hashed, simhashes
from benchmarks.calibration.variants import SCHEME, tokens


def extracted_table(corpus: Corpus, stored: Table, workers: int) -> Table:
    """Return the table of stored texts, with the documents of cross-media pairs as extracted from their originals.

    A document without an original keeps its text; one whose original gives no text has a row of zeros.

    Raises:
        ModuleNotFoundError: the extra `extract` is not installed.
    """
    import benchmarks.extraction.sources  # noqa: F401

    table = stored.copy()
    positions = {name: at for at, name in enumerate(corpus.documents)}
    names = {one for pair in corpus.pairs if pair.relation == CROSS_MEDIA for one in (pair.a, pair.b)}
    wanted: Sequence[Document] = [corpus.documents[one] for one in sorted(names) if corpus.documents[one].orig]
    with ProcessPoolExecutor(workers) as pool:
        for document, words in zip(wanted, pool.map(_of_original, wanted, chunksize=4), strict=True):
            table[positions[document.id]] = words
    return table


def _of_original(document: Document) -> Words:
    from benchmarks.extraction.sources import extracted

    found = tokens(extracted(document).text)
    return simhashes(hashed(found), [SCHEME.cap])[0] if found else np.zeros(WORDS, np.uint64)
