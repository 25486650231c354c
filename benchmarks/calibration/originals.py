"""Fingerprints of the texts extracted from originals, for the pairs across formats.

`benchmarks.extraction` examines the same texts: the cause of every miss, and a comparison with other libraries.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, Document
from benchmarks.calibration.fingerprinting import Table
from benchmarks.calibration.hashing import LANES, Lanes, hash_tokens, simhashes
from benchmarks.calibration.variants import SCHEME, tokens


def extracted_table(corpus: Corpus, stored: Table, workers: int) -> Table:
    """Return the table of stored texts, with documents of cross-media pairs replaced by texts from their originals.

    A document without an original keeps its row. A document whose original gives no text has a row of zeros.

    Raises:
        ModuleNotFoundError: the extra `extract` is not installed.
    """
    import benchmarks.extraction.sources  # noqa: F401

    table = stored.copy()
    positions = {name: at for at, name in enumerate(corpus.documents)}
    names = {one for pair in corpus.pairs if pair.relation == CROSS_MEDIA for one in (pair.a, pair.b)}
    wanted: Sequence[Document] = [corpus.documents[one] for one in sorted(names) if corpus.documents[one].orig]
    with ProcessPoolExecutor(workers) as pool:
        for document, lanes in zip(wanted, pool.map(_of_original, wanted, chunksize=4), strict=True):
            table[positions[document.id]] = lanes
    return table


def _of_original(document: Document) -> Lanes:
    from benchmarks.extraction.sources import extracted

    found = tokens(extracted(document).text)
    return simhashes(hash_tokens(found), [SCHEME.cap])[0] if found else np.zeros(LANES, np.uint64)
