"""Documents parsed in worker processes: a crash, a hang or too much memory affects one document only."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TypeVar

from simhash_doc.batch.process_pool import available_cores, ordered_map
from simhash_doc.extract import ExtractionError, LimitExceededError, extract
from simhash_doc.extract.decompress import read_at_most
from simhash_doc.ingest.documents import Document, Failure, Ready, Task, unextractable, unreadable
from simhash_doc.ingest.options import ReadOptions
from simhash_doc.ingest.results import WORKER_FAILED, Result
from simhash_doc.ingest.sandbox import confine

R = TypeVar("R", bound=Result)

_BLOCK = 1 << 20
_MIB = 1 << 20


def worker_count(jobs: int | None, documents: int | None) -> int:
    """Return the number of worker processes.

    Args:
        jobs: Maximum number of processes; None for one per core.
        documents: Number of documents; None if it is not known.
    """
    maximum = jobs or available_cores()
    return maximum if documents is None else min(maximum, documents)


def map_in_workers(task: Task[R], items: Iterable[Document | Ready[R]], workers: int) -> Iterator[R]:
    """Yield the result of each document in order.

    Each document is parsed in a process that has no network and is limited in memory and time by the options of the
    task.
    """
    yield from ordered_map(
        partial(_work, task), items, workers, partial(_failed, task), seconds=partial(_seconds, task.options)
    )


def _work(task: Task[R], item: Document | Ready[R]) -> R:
    if isinstance(item, Ready):
        return item.result
    confine(task.options.max_memory)
    try:
        return _parsed(task, item)
    except OSError as error:
        return task.failed(unreadable(item.path, error))
    except ExtractionError as error:
        return task.failed(unextractable(item.path, error))
    except MemoryError:
        limit = f"{task.options.max_memory // _MIB} MiB"
        message = f"parsing it needs more memory than the limit of {limit} for a worker process"
        return task.failed(unextractable(item.path, LimitExceededError(message)))


def _parsed(task: Task[R], document: Document) -> R:
    content, limits = document.content, task.options.limits
    if content is None:  # too large to be sent
        with open(document.path, "rb") as file:
            if document.plain:
                return task.of_text(document.path, file.read(_BLOCK), file)
            content = read_at_most(file, limits.input_bytes + 1)
    if not isinstance(content, bytes):
        return task.of_extracted(document.path, content.extract(name=document.path, limits=limits))
    if document.plain:
        return task.of_text(document.path, content, io.BytesIO())
    extracted = extract(
        content, name=document.path, document_format=document.format, limits=limits, explain=task.options.explain
    )
    return task.of_extracted(document.path, extracted)


def _failed(task: Task[R], item: Document | Ready[R], reason: str) -> R:
    if isinstance(item, Ready):
        return item.result
    return task.failed(Failure(item.path, f"not read: {reason}", WORKER_FAILED))


def _seconds(options: ReadOptions, item: Document | Ready[R]) -> float:
    return options.seconds(item.size if isinstance(item, Document) else 0)
