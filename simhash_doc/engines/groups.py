"""A batch of documents cut into groups that an engine fingerprints at once; large documents one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from simhash_doc.engines.base import LARGE_DOCUMENT, FingerprintBatch, Measurement, Text
from simhash_doc.engines.text_buffer import DOCUMENT_OVERHEAD
from simhash_doc.engines.utf8 import encode, exact

GROUP_BYTES = 3 << 16


def fingerprint_groups(
    texts: Sequence[Text | None],
    lanes: int,
    fingerprint_group: Callable[[list[bytes], int], FingerprintBatch],
    measure_large: Callable[[bytes, int], Measurement],
) -> FingerprintBatch:
    """Return the fingerprints of documents.

    Args:
        texts: the documents; None stands for one that is missing.
        lanes: number of lanes.
        fingerprint_group: returns the fingerprints of documents of about `GROUP_BYTES` in total.
        measure_large: measures a document of more than `LARGE_DOCUMENT` bytes in bounded memory.

    Raises:
        TypeError: a document is neither str, bytes nor None.
    """
    result = FingerprintBatch(np.zeros((len(texts), lanes), np.uint64), np.ones(len(texts), np.bool_))
    indices: list[int] = []
    documents: list[bytes] = []

    def finish_group() -> None:
        if documents:
            result.lanes[indices], result.missing[indices] = fingerprint_group(documents, lanes)
            indices.clear()
            documents.clear()

    size = 0
    for i, text in enumerate(texts):
        if text is None:
            continue
        document = checked_bytes(text, i)
        if len(document) > LARGE_DOCUMENT:
            measured = measure_large(document, lanes)
            result.lanes[i] = np.frombuffer(measured.value.to_bytes(8 * lanes, "big"), ">u8")
            result.missing[i] = not measured.total
            continue
        indices.append(i)
        documents.append(document)
        size += len(document) + DOCUMENT_OVERHEAD
        if size >= GROUP_BYTES:
            finish_group()
            size = 0
    finish_group()
    return result


def checked_bytes(text: object, index: int) -> bytes:
    """Return a document as UTF-8.

    Raises:
        TypeError: the document is neither str nor bytes.
    """
    if isinstance(text, str | bytes):
        plain = exact(text)
        return encode(plain) if isinstance(plain, str) else plain
    raise TypeError(f"document {index} is {type(text).__name__}; expected str, bytes or None")
