"""Fingerprints of many documents, in one array or as a stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from simhash_doc.arguments import Many, check_column, collection, integer
from simhash_doc.batch.batches import Batch, Column, TextOrNull, batches, is_column, known_size
from simhash_doc.engines.base import Measurements
from simhash_doc.engines.select import get_engine, select_engine, select_name
from simhash_doc.errors import SimhashDocError
from simhash_doc.fingerprints import Fingerprints
from simhash_doc.parallel.pool import ordered_map, ordered_map_in_threads
from simhash_doc.parallel.values import of_json
from simhash_doc.schemes import AnyScheme, get_scheme

Texts: TypeAlias = Many[TextOrNull] | Column | Many[Column]
Context = TypeVar("Context")
_SHOWN_FAILURES = 10


class WorkerFailedError(SimhashDocError, RuntimeError):
    """The worker process of some documents failed twice; all other documents have their fingerprint.

    Attributes:
        failures: for each failed batch, the numbers of its documents in the input (from 0), and the reason.
        fingerprints: the result of `fingerprint_many`; the fingerprints of failed documents are also missing. None from
            `fingerprint_batches`, which has already yielded them.
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


_Task = tuple[Batch, str]  # with the name of the engine that was selected for the call
_Result = tuple[Measurements, str | None]  # with the reason if it could not be computed


def fingerprint_many(texts: Texts, scheme: AnyScheme = "sd64", *, workers: int | None = None) -> Fingerprints:
    """Return the fingerprints of many documents.

    Args:
        texts: a list or an iterator of str, UTF-8 bytes or None; or a column of text or bytes of pandas, polars,
            pyarrow or another library that exports Arrow data; or an iterator of such columns.
        scheme: a short id (sd64, sd128, sd256 or sd512) or a `Scheme`.
        workers: number of threads with the engine native, or of worker processes with another engine. None or 1 starts
            none, which is faster for less than about 10 MB of text. On platforms that start a process by importing the
            main module again, a script needs `if __name__ == "__main__"`.

    Returns:
        One fingerprint for each document, in the order of the input. It is missing for None, and for a document without
        a token (SD-SUM-2).

    Raises:
        TypeError: the texts are one text, a mapping or a set; or a document is not a str, bytes or None. The
            message names its position.
        UnknownSchemeError: the registry has no such scheme.
        ValueError: the number of workers is under 1.
        WorkerFailedError: a worker failed; raised after all other documents are done.

    >>> found = fingerprint_many(["The quick brown fox", "12 34", None])
    >>> [None if one is None else str(one) for one in found]
    ['sd64:larqgiqsckcca', None, None]
    """
    lanes = get_scheme(scheme).lanes
    parts = [Measurements.empty(0, lanes)]
    failed = None
    try:
        parts.extend(_results(texts, lanes, workers))
    except WorkerFailedError as error:
        failed = error
    complete = Measurements(
        np.concatenate([part.values for part in parts]), np.concatenate([part.statistics for part in parts])
    )
    if failed:
        raise WorkerFailedError(failed.failures, Fingerprints(complete)) from None
    return Fingerprints(complete)


def fingerprint_batches(
    texts: Texts, scheme: AnyScheme = "sd64", *, workers: int | None = None
) -> Iterator[Fingerprints]:
    """Yield the fingerprints of a stream of documents. The memory does not grow with the stream.

    Arguments and errors are as for `fingerprint_many`. Each result contains the fingerprints of about 1 MiB of
    documents.

    >>> [len(part) for part in fingerprint_batches(f"document {word}" for word in ("one", "two"))]
    [2]
    """
    return (Fingerprints(measured) for measured in _results(texts, get_scheme(scheme).lanes, workers))


def _results(texts: Texts, lanes: int, workers: int | None) -> Iterator[Measurements]:
    """Return the results of all batches; the iterator ends with a `WorkerFailedError` if some failed."""
    if isinstance(texts, Fingerprints):
        raise TypeError("texts are Fingerprints; expected the texts themselves")
    check_column(texts, "texts")
    if not is_column(texts):
        if isinstance(texts, str | bytes):
            raise TypeError(f"texts is one {type(texts).__name__}; give a list of texts, or call fingerprint()")
        collection(texts, "texts", "str, bytes or None")
    workers = 1 if workers is None else integer(workers, "workers", 1)
    numbered = ((batch, batch.documents) for batch in batches(texts))
    return _raising(compute(numbered, lanes, workers, known_size(texts)))


def _raising(results: Iterator[tuple[range, Measurements, str | None]]) -> Iterator[Measurements]:
    failures = []
    for documents, measured, failure in results:
        if failure:
            failures.append((documents, failure))
        yield measured
    if failures:
        raise WorkerFailedError(failures)


def compute(
    work: Iterable[tuple[Batch, Context]], lanes: int, workers: int, size: int = 0
) -> Iterator[tuple[Context, Measurements, str | None]]:
    """Yield for each batch, in order, its context, its results, and the reason if they could not be computed.

    Args:
        work: batches, each with a value that comes back with its result.
        lanes: number of lanes.
        workers: number of threads with the engine native, else of worker processes; 1: neither.
        size: bytes of all documents together, as far as known; it decides on the engine (see `engines.select`). Of a
            stream, the bytes up to the batch decide.
    """
    parallel = workers > 1
    # Compiled code releases the global interpreter lock, and threads need no copy of the documents.
    threads = parallel and select_name(size, parallel=True) == "native"
    in_flight: deque[Context] = deque()

    def tasks() -> Iterator[_Task]:
        seen = 0
        for batch, context in work:
            seen += batch.nbytes
            in_flight.append(context)
            # Loaded here, before the first worker is forked: the worker then has it as well.
            engine = select_engine(max(size, seen), parallel=parallel).name
            yield (batch.packed() if parallel and not threads else batch), engine

    compute_task = partial(_computed, lanes=lanes)
    if threads:
        results = ordered_map_in_threads(compute_task, tasks(), workers)
    else:
        results = ordered_map(compute_task, tasks(), workers, partial(_failed, lanes=lanes), _Answers(lanes))
    for measured, failure in results:
        yield in_flight.popleft(), measured, failure


@dataclass(frozen=True, slots=True)
class _Answers:
    """How the results of a batch are sent: its arrays in hexadecimal."""

    lanes: int
    json_bytes: ClassVar[int] = 1 << 30
    text_bytes: ClassVar[int] = 0

    def pack(self, result: _Result) -> tuple[object, str]:
        measured, failure = result
        return [measured.values.tobytes().hex(), measured.statistics.tobytes().hex(), failure], ""

    def unpack(self, task: _Task, value: Any, text: str) -> _Result:
        values, statistics, failure = value
        texts = len(task[0])
        measured = Measurements(
            np.frombuffer(bytes.fromhex(values), np.uint64).reshape(texts, self.lanes),
            np.frombuffer(bytes.fromhex(statistics), np.int64).reshape(texts, 3),
        )
        return measured, of_json(str | None, failure)


def _computed(task: _Task, lanes: int) -> _Result:
    batch, engine = task
    try:
        return get_engine(engine).measure_batch(batch.texts, lanes), None
    except MemoryError:
        return _failed(task, MemoryError("not enough memory"), lanes)


def _failed(task: _Task, error: Exception, lanes: int) -> _Result:
    return Measurements.empty(len(task[0]), lanes), str(error)
