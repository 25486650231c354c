"""The default engine: numpy and the standard library."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simhash_doc.counts import TokenCounts
from simhash_doc.reference import decode_utf8
from simhash_doc.tokens import prepare, token_counts


class PlainWorker:
    """Fingerprints of batches of documents."""

    def fingerprint(self, documents: list[bytes], words: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return the fingerprints of documents, and which have none."""
        made, missing = np.zeros((len(documents), words), np.uint64), np.ones(len(documents), bool)
        for i, document in enumerate(documents):
            counts = TokenCounts()
            for counter in token_counts(prepare(decode_utf8(document))):
                counts.add(counter)
            missing[i] = not counts.total
            if counts.total:
                made[i] = np.packbits(counts.bit_sums(words) > 0, bitorder="little").view("<u8")
        return made, missing
