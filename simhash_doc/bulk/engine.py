"""Fingerprints of the documents of one batch, in this process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from simhash_doc.counts import TokenCounts
from simhash_doc.reference import decode_utf8
from simhash_doc.tokens import prepare, token_counts


def fingerprint_batch(
    texts: Sequence[str | bytes | None], words: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return the fingerprints of documents, and which of them have none.

    Args:
        texts: the documents, as text or as UTF-8 bytes; None where there is no document.
        words: 64-bit words of a fingerprint: 1, 2, 4 or 8.

    Returns:
        An array of shape (n, words), in which word j is the one hashed with seed j, and an
        array of shape (n,) that is True for a document that holds no token, or is None;
        its words are 0.

    Raises:
        TypeError: a document is neither str, bytes nor None.
    """
    fingerprints = np.zeros((len(texts), words), np.uint64)
    missing = np.zeros(len(texts), bool)
    for i, text in enumerate(texts):
        if not isinstance(text, str | bytes | None):
            raise TypeError(f"document {i} is {type(text).__name__}; a document is str, bytes or None")
        counts = TokenCounts()
        if text is not None:
            for counter in token_counts(prepare(decode_utf8(text) if isinstance(text, bytes) else text)):
                counts.add(counter)
        missing[i] = not counts.total
        if counts.total:
            bits = counts.bit_sums(words) > 0
            fingerprints[i] = np.packbits(bits, bitorder="little").view("<u8")
    return fingerprints, missing
