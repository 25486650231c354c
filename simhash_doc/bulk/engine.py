"""Fingerprints of the documents of one batch, in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.packed import DOCUMENT_OVERHEAD, PackedTexts
from simhash_doc.bulk.setting import is_fast
from simhash_doc.errors import NoTokenError
from simhash_doc.links import remove_links
from simhash_doc.pinned import schemes
from simhash_doc.sums import signs
from simhash_doc.tokens import token_counts

if TYPE_CHECKING:
    from simhash_doc.bulk.compiled.batch import BatchWorker
    from simhash_doc.bulk.plain import PlainWorker
    from simhash_doc.counts import TokenCounts
    from simhash_doc.sums import Measured

Fingerprints = tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]

# Longer documents are read piece by piece, so that memory does not grow with them.
LARGE_DOCUMENT = 1 << 18  # bytes
LARGE_PIECE = 1 << 18  # characters; a longer one could not be cut
_JOINED = 3 << 16  # bytes of documents that are given to the engine at once

_WORTH_TABLES = 1 << 18  # bytes

_workers = threading.local()
_measured = 0


def fingerprint_batch(texts: Sequence[str | bytes | None], words: int) -> Fingerprints:
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
    if isinstance(texts, PackedTexts) and len(texts) and is_fast(int(texts.bounds[-1] - texts.bounds[0])):
        return _fingerprint_packed(texts, words)
    made, missing = np.zeros((len(texts), words), np.uint64), np.ones(len(texts), bool)
    indices: list[int] = []
    documents: list[bytes] = []
    joined = 0
    for i, text in enumerate(texts):
        if text is None:
            continue
        if not isinstance(text, str | bytes):
            raise TypeError(f"document {i} is {type(text).__name__}; a document is str, bytes or None")
        # A surrogate becomes three ill-formed bytes, and so three U+FFFD in place of one: see `utf8.decode`.
        document = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        if len(document) > LARGE_DOCUMENT:
            made[i], missing[i] = _fingerprint_large(document, words)
            continue
        indices.append(i)
        documents.append(document)
        joined += len(documents[-1]) + DOCUMENT_OVERHEAD
        if joined >= _JOINED:
            made[indices], missing[indices] = _fingerprint_joined(documents, words)
            indices, documents, joined = [], [], 0
    if documents:
        made[indices], missing[indices] = _fingerprint_joined(documents, words)
    return made, missing


def _fingerprint_packed(texts: PackedTexts, words: int) -> Fingerprints:
    """Fingerprint documents where they lie in their buffer."""
    data = np.frombuffer(texts.data, np.uint8)
    sizes = np.diff(texts.bounds)
    if sizes.min() < 0 or texts.bounds[0] < 0 or texts.bounds[-1] > len(data):
        raise ValueError("the bounds of packed documents fall, or lead outside their buffer")
    if sizes.max() > LARGE_DOCUMENT:
        return fingerprint_batch(list(texts), words)
    made, missing = _compiled_worker().fingerprint(data, np.ascontiguousarray(texts.bounds), words)
    made[texts.missing] = 0
    return made, missing | texts.missing


def _fingerprint_joined(documents: list[bytes], words: int) -> Fingerprints:
    data = b"".join(documents)
    if not is_fast(len(data)):
        return _plain_worker().fingerprint(documents, words)
    offsets = np.zeros(len(documents) + 1, np.int64)
    np.cumsum([len(document) for document in documents], out=offsets[1:])
    return _compiled_worker().fingerprint(np.frombuffer(data, np.uint8), offsets, words)


def _fingerprint_large(text: bytes, words: int) -> tuple[npt.NDArray[np.uint64] | int, bool]:
    """Return the words of a document's fingerprint, and whether it has none."""
    from simhash_doc.accumulator import Accumulator  # which asks this package for its engine

    (scheme,) = (scheme.id for scheme in schemes().values() if scheme.words == words)
    accumulator = Accumulator(scheme)
    accumulator.update(text)
    try:
        sums = accumulator.counts().bit_sums(words)
    except NoTokenError:
        return 0, True
    return signs(sums[None])[0], False


def measure_document(text: bytes, words: int) -> Measured | None:
    """Return the sums and counts of one document by the default engine.

    None if it is better counted step by step: the tables of the engine take longer to make than the
    first texts of a process, and a large document takes memory.
    """
    if len(text) > LARGE_DOCUMENT or not _is_worth_tables(len(text)):
        return None
    return _plain_worker().measure([text], words)


def count_text(text: str, counts: TokenCounts) -> bool:
    """Count the tokens of a text by the default engine, or return False if it is better counted step by step."""
    if not _is_worth_tables(len(text)):
        return False
    if len(text) <= LARGE_PIECE:
        _plain_worker().count(text.encode("utf-8", "surrogatepass"), counts)
        return True
    from simhash_doc.bulk.plain_cuts import folded_pieces

    for piece in folded_pieces(text, LARGE_PIECE // 2):  # to fold twice changes nothing
        if len(piece) <= LARGE_PIECE:
            _plain_worker().count(piece.encode("utf-8"), counts)
        else:
            for found in token_counts(remove_links(piece)):
                counts.add({token.encode("utf-8"): count for token, count in found.items()})
    return True


def _is_worth_tables(size: int) -> bool:
    global _measured
    _measured += size
    return _measured >= _WORTH_TABLES


def _compiled_worker() -> BatchWorker:
    """Return the arrays of this thread: the compiled loops run without the interpreter's lock."""
    worker: BatchWorker | None = getattr(_workers, "compiled", None)
    if worker is None:
        from simhash_doc.bulk.compiled.batch import BatchWorker

        worker = _workers.compiled = BatchWorker()
    return worker


def _plain_worker() -> PlainWorker:
    worker: PlainWorker | None = getattr(_workers, "plain", None)
    if worker is None:
        from simhash_doc.bulk.plain import PlainWorker

        worker = _workers.plain = PlainWorker()
    return worker
