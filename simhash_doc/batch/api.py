"""Fingerprints of many documents, in one array or as a stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from simhash_doc.batch.batches import Batch, batches, known_size
from simhash_doc.engines.select import get_engine, select_engine, select_name
from simhash_doc.errors import SimhashDocError
from simhash_doc.parallel import ordered_map, ordered_map_in_threads
from simhash_doc.schemes import get_scheme

Context = TypeVar("Context")
Fingerprints = np.ma.MaskedArray[Any, np.dtype[np.uint64]]

_SHOWN_FAILURES = 10


class WorkerFailedError(SimhashDocError, RuntimeError):
    """The worker process of some documents failed twice; all other documents have their fingerprint.

    Attributes:
        failures: of each batch that failed, the numbers of its documents in the input (from 0), and the reason.
        fingerprints: the result of `fingerprint_many`, masked also where the worker failed. None from
            `fingerprint_batches`, which has yielded it.
    """

    code = "worker-failed"

    def __init__(
        self,
        failures: Sequence[tuple[range, str]],
        fingerprints: Fingerprints | None = None,
    ) -> None:
        self.failures = list(failures)
        self.fingerprints = fingerprints
        first = self.failures[:_SHOWN_FAILURES]
        shown = "; ".join(f"{numbers.start} to {numbers.stop - 1}: {why}" for numbers, why in first)
        more = f"; and {len(self.failures) - len(first)} more" if len(self.failures) > len(first) else ""
        super().__init__(f"the worker of some documents failed; all others have their fingerprint: {shown}{more}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.failures, self.fingerprints)


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The fingerprints of a batch.

    Attributes:
        values: shape (n, lanes).
        tokens: shape (n, 3), the members of `engines.base.TokenStatistics`; 0 where there is no fingerprint.
        failure: the reason why the batch was not computed; None if it was computed.
    """

    values: npt.NDArray[np.uint64]
    tokens: npt.NDArray[np.int64]
    failure: str | None = None

    @property
    def masked(self) -> npt.NDArray[np.bool_]:
        """Shape (n,); True where there is no fingerprint."""
        masked: npt.NDArray[np.bool_] = self.tokens[:, 0] == 0
        return masked

    @property
    def support(self) -> npt.NDArray[np.float64]:
        """Shape (n,); the effective number of tokens of each document, 0 where there is no fingerprint."""
        weight, squares = self.tokens[:, 1].astype(np.float64), self.tokens[:, 2]
        support: npt.NDArray[np.float64] = weight * weight / np.maximum(squares, 1)
        return support


class Measured(NamedTuple):
    """The fingerprints of documents, and what they rest on. Arrays of shape (n,), in the order of the input.

    Attributes:
        fingerprints: as of `fingerprint_many`.
        distinct_tokens: distinct tokens of each document.
        support: effective number of tokens of each document: (sum of capped counts)^2 / sum of their squares. Of a text
            whose words occur equally often, the number of its words. Texts with a support under 15 may be near
            unrelated ones because one frequent word outweighs the others (docs/search.md).
    """

    fingerprints: Fingerprints
    distinct_tokens: npt.NDArray[np.int64]
    support: npt.NDArray[np.float64]


_Task = tuple[Batch, str]  # with the name of the engine that was selected for the call


def fingerprint_many(texts: Iterable[object], scheme: str = "sd64", workers: int | None = None) -> Fingerprints:
    """Return the fingerprints of many documents.

    Args:
        texts: an iterable of str, UTF-8 bytes or None; or a column of text or bytes of pandas, polars, pyarrow or
            another library that exports Arrow data; or an iterable of such columns.
        scheme: short id of the scheme: sd64, sd128, sd256 or sd512.
        workers: number of threads with the engine numba, and of worker processes with the others; None or 1: no
            other thread or process. On platforms that start a process by importing the main module again, a script
            needs `if __name__ == "__main__"`.

    Returns:
        A masked array of uint64 in the order of the input: shape (n,) for sd64, else (n, lanes) with lane 0, the sd64
        fingerprint, first. It is masked where there is no fingerprint: a document without a token (SD-SUM-2), or
        None. The data under the mask is 0.

    Raises:
        TypeError: a document has another type.
        UnknownSchemeError: the scheme is not in the registry.
        WorkerFailedError: a worker failed; raised after all other documents are done.

    >>> print(fingerprint_many(["The quick brown fox", "12 34", None]))
    [6350923344389506080 -- --]
    """
    return measure_many(texts, scheme, workers).fingerprints


def measure_many(texts: Iterable[object], scheme: str = "sd64", workers: int | None = None) -> Measured:
    """Return the fingerprints of many documents, with the number of distinct tokens and the support of each.

    Arguments and errors are those of `fingerprint_many`.

    >>> measured = measure_many(["to be or not to be", None])
    >>> measured.distinct_tokens.tolist(), measured.support.round(1).tolist()
    ([4, 0], [3.6, 0.0])
    """
    lanes = get_scheme(scheme).lanes
    parts = [BatchResult(np.empty((0, lanes), np.uint64), np.empty((0, 3), np.int64))]
    failed = None
    try:
        parts.extend(_results(texts, lanes, workers))
    except WorkerFailedError as error:
        failed = error
    complete = BatchResult(
        np.concatenate([part.values for part in parts]), np.concatenate([part.tokens for part in parts])
    )
    fingerprints = _masked_array(complete)
    if failed:
        raise WorkerFailedError(failed.failures, fingerprints) from None
    return Measured(fingerprints, complete.tokens[:, 0], complete.support)


def fingerprint_batches(
    texts: Iterable[object], scheme: str = "sd64", workers: int | None = None
) -> Iterator[Fingerprints]:
    """Yield the fingerprints of a stream of documents, in memory that does not grow with the stream.

    The arguments are those of `fingerprint_many`. Each array has the fingerprints of the next documents, of about
    1 MiB together. Concatenated, the arrays are the result of `fingerprint_many`.

    Raises:
        WorkerFailedError: a worker failed; raised after all other documents are done.
        TypeError, UnknownSchemeError: as for `fingerprint_many`.

    >>> [len(part) for part in fingerprint_batches(f"document {word}" for word in ("one", "two"))]
    [2]
    """
    return (_masked_array(result) for result in _results(texts, get_scheme(scheme).lanes, workers))


def _results(texts: Iterable[object], lanes: int, workers: int | None) -> Iterator[BatchResult]:
    """Return the results of all batches; the iterator ends with a `WorkerFailedError` if some failed."""
    if isinstance(texts, str | bytes):
        raise TypeError(f"texts is one {type(texts).__name__}; give a list of texts, or call fingerprint()")
    if workers is not None and workers < 1:
        raise ValueError(f"workers is {workers}; expected a positive integer or None")
    numbered = ((batch, batch.documents) for batch in batches(texts))
    return _raising(compute(numbered, lanes, workers or 1, known_size(texts)))


def _raising(results: Iterator[tuple[range, BatchResult]]) -> Iterator[BatchResult]:
    failures = []
    for documents, result in results:
        if result.failure:
            failures.append((documents, result.failure))
        yield result
    if failures:
        raise WorkerFailedError(failures)


def compute(
    work: Iterable[tuple[Batch, Context]], lanes: int, workers: int, size: int = 0
) -> Iterator[tuple[Context, BatchResult]]:
    """Yield the fingerprints of each batch, in order, with the context of the batch.

    Args:
        work: batches, each with a value that comes back with its result.
        lanes: number of lanes.
        workers: number of threads with the engine numba, else of worker processes; 1: neither.
        size: bytes of all documents together, as far as known; it decides on the engine (see `engines.select`). Of a
            stream, the bytes up to the batch decide.
    """
    parallel = workers > 1
    # The compiled loops release the global interpreter lock. A process would first have to load them, for a second.
    threads = parallel and select_name(size, parallel=True) == "numba"
    in_flight: deque[Context] = deque()

    def tasks() -> Iterator[_Task]:
        seen = 0
        for batch, context in work:
            seen += batch.nbytes
            in_flight.append(context)
            # Loaded here, before the first worker is forked, so that the worker has the compiled loops too.
            engine = select_engine(max(size, seen), parallel=parallel).name
            yield (batch.packed() if parallel and not threads else batch), engine

    compute_task = partial(_computed, lanes=lanes)
    if threads:
        results = ordered_map_in_threads(compute_task, tasks(), workers)
    else:
        results = ordered_map(compute_task, tasks(), workers, partial(_failed, lanes=lanes))
    for result in results:
        yield in_flight.popleft(), result


def _computed(task: _Task, lanes: int) -> BatchResult:
    batch, engine = task
    try:
        values, tokens = get_engine(engine).fingerprint_batch(batch.texts, lanes)
    except MemoryError:
        return _failed(task, "not enough memory", lanes)
    return BatchResult(values, tokens)


def _failed(task: _Task, reason: str, lanes: int) -> BatchResult:
    count = len(task[0])
    return BatchResult(np.zeros((count, lanes), np.uint64), np.zeros((count, 3), np.int64), reason)


def _masked_array(result: BatchResult) -> Fingerprints:
    values, masked = result.values, result.masked
    lanes = values.shape[1]
    if lanes == 1:
        return np.ma.MaskedArray(values[:, 0], masked)
    return np.ma.MaskedArray(values, np.repeat(masked[:, None], lanes, axis=1))
