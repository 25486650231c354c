"""Fingerprints of many documents, in one array or as a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from simhash_doc.bulk.batches import Batch, batches
from simhash_doc.bulk.engine import fingerprint_batch
from simhash_doc.bulk.lanes import paired
from simhash_doc.errors import SimhashDocError
from simhash_doc.pinned import scheme as find_scheme

Kept = TypeVar("Kept")
Fingerprints = np.ma.MaskedArray[Any, np.dtype[np.uint64]]


@dataclass(frozen=True, slots=True)
class Computed:
    """Fingerprints of a batch: shape (n, words); `masked`, shape (n,), is True where there is none.

    `lost` says why the batch was not computed at all, if so.
    """

    values: npt.NDArray[np.uint64]
    masked: npt.NDArray[np.bool_]
    lost: str | None = None


class LostDocumentsError(SimhashDocError, RuntimeError):
    """Worker processes died, twice for the same documents; all other documents were fingerprinted.

    Attributes:
        lost: the numbers of the documents in the input, from 0, and the reason, for each batch that was lost.
        fingerprints: what `fingerprint_many` would have returned, masked at the lost documents too;
            None from `fingerprint_batches`, which has yielded it.
    """

    def __init__(self, lost: Sequence[tuple[range, str]], fingerprints: Fingerprints | None = None) -> None:
        self.lost = list(lost)
        self.fingerprints = fingerprints
        shown = "; ".join(f"{where.start} to {where.stop - 1}: {reason}" for where, reason in self.lost[:10])
        more = f"; and {len(self.lost) - 10} more" if len(self.lost) > 10 else ""
        super().__init__(f"documents were lost, all others have their result: {shown}{more}")


def fingerprint_many(texts: Iterable[object], scheme: str = "sd64", workers: int | None = None) -> Fingerprints:
    """Return the fingerprints of many documents.

    Args:
        texts: an iterable of str, UTF-8 bytes or None; or a column of text or bytes of pandas, polars,
            pyarrow or another library that exports Arrow data; or an iterable of such columns.
        scheme: short id or long name of the scheme: sd64, sd128, sd256 or sd512.
        workers: number of worker processes; None or 1: no other process. Where the platform starts
            processes by importing the main module again, a script needs its `if __name__ == "__main__"`.

    Returns:
        A masked array of uint64 in the order of the input: shape (n,) for sd64, else (n, words) with word 0,
        the sd64 fingerprint, first. It is masked where there is no fingerprint: a document without
        a token (SD-SUM-2), or None. The data under the mask is 0.

    Raises:
        TypeError: a document is of another type.
        UnknownSchemeError: the scheme is not in the registry.
        LostDocumentsError: see there; raised when all others are done.

    >>> print(fingerprint_many(["The quick brown fox", "12 34", None]))
    [6350923344389506080 -- --]
    """
    words = find_scheme(scheme).words
    values, masked = [np.empty((0, words), np.uint64)], [np.empty(0, np.bool_)]
    lost = []
    for documents, computed in _numbered(_checked(texts), words, workers):
        values.append(computed.values)
        masked.append(computed.masked)
        if computed.lost:
            lost.append((documents, computed.lost))
    result = _masked_array(np.concatenate(values), np.concatenate(masked))
    if lost:
        raise LostDocumentsError(lost, result)
    return result


def fingerprint_batches(
    texts: Iterable[object], scheme: str = "sd64", workers: int | None = None
) -> Iterator[Fingerprints]:
    """Yield the fingerprints of a stream of documents, in memory that does not grow with the stream.

    Arguments are those of `fingerprint_many`. Each array that is yielded holds the next documents, as many as the
    library took into a batch; one after the other they are what `fingerprint_many` returns.

    Raises:
        LostDocumentsError: see there; raised when all others were yielded.
        TypeError, UnknownSchemeError: as `fingerprint_many`.

    >>> [len(part) for part in fingerprint_batches(f"document {word}" for word in ("one", "two"))]
    [2]
    """
    return _yielded(_numbered(_checked(texts), find_scheme(scheme).words, workers))


def _yielded(results: Iterator[tuple[range, Computed]]) -> Iterator[Fingerprints]:
    lost = []
    for documents, computed in results:
        if computed.lost:
            lost.append((documents, computed.lost))
        yield _masked_array(computed.values, computed.masked)
    if lost:
        raise LostDocumentsError(lost)


def _numbered(texts: Iterable[object], words: int, workers: int | None) -> Iterator[tuple[range, Computed]]:
    if workers is not None and workers < 1:
        raise ValueError(f"{workers} workers; it takes 1 or more, or None")
    return compute(((batch, batch.documents) for batch in batches(texts)), words, workers or 1)


def compute(work: Iterable[tuple[Batch, Kept]], words: int, workers: int) -> Iterator[tuple[Kept, Computed]]:
    """Yield the fingerprints of each batch, in order, with what is kept of it."""
    items = work if workers == 1 else ((batch.packed(), kept) for batch, kept in work)
    return paired(partial(_computed, words=words), items, workers, partial(_lost, words=words))


def _computed(batch: Batch, words: int) -> Computed:
    try:
        values, masked = fingerprint_batch(batch.texts, words)
    except MemoryError:
        return _lost(batch, "there was not enough memory for them", words)
    if batch.places is not None:
        values, masked = values[batch.places], masked[batch.places]
    return Computed(values, masked)


def _lost(batch: Batch, reason: str, words: int) -> Computed:
    return Computed(np.zeros((len(batch), words), np.uint64), np.ones(len(batch), np.bool_), reason)


def _masked_array(values: npt.NDArray[np.uint64], masked: npt.NDArray[np.bool_]) -> Fingerprints:
    words = values.shape[1]
    if words == 1:
        return np.ma.MaskedArray(values[:, 0], masked)
    return np.ma.MaskedArray(values, np.repeat(masked[:, None], words, axis=1))


def _checked(texts: Iterable[object]) -> Iterable[object]:
    if isinstance(texts, str | bytes):
        raise TypeError(f"texts is one {type(texts).__name__}; give a list of texts, or call fingerprint()")
    return texts
