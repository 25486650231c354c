"""Documents parsed in worker processes: a crash, a hang or too much memory affects one document only."""

from __future__ import annotations

import io
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from simhash_doc.engines.select import get_setting, restore_setting, select_engine
from simhash_doc.errors import SimhashDocError
from simhash_doc.ingest.options import ReadOptions
from simhash_doc.ingest.results import WORKER_FAILED, AnyResult, TextResult
from simhash_doc.ingest.tasks import Task, TextTask, UnparsedDocument
from simhash_doc.parallel.channel import Wire
from simhash_doc.parallel.pool import Ready, ordered_map
from simhash_doc_extraction import (
    ExtractedText,
    ExtractionError,
    IncompleteDocumentError,
    InternalError,
    LimitExceededError,
    Limits,
    extract,
)
from simhash_doc_extraction.base import ExceededLimit
from simhash_doc_extraction.decompress import read_at_most
from simhash_doc_extraction.detection import check_names

S = TypeVar("S")

_BLOCK = 1 << 20
_MIB = 1 << 20
_SHORT = 64 << 20  # bytes of the JSON of a result: its warnings, and the headers of its record
_DEFAULT = ReadOptions()
_NETWORK = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.")
_PROCESSES = (
    "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pty.",
    "_winapi.CreateProcess", "cpython.PyInterpreterState_New",  # in which nothing is refused
)  # fmt: skip
_confined = False


def map_in_workers(
    task: Task[AnyResult], items: Iterable[UnparsedDocument | Ready[AnyResult | S]], workers: int
) -> Iterator[AnyResult | S]:
    """Yield the result of each document in order. One that is known already is not sent to a process.

    Each document is parsed in a process that has no network and is limited in memory and time by the options of the
    task. It uses the engine setting of this process.
    """

    limits = task.options.limits

    def failed(document: UnparsedDocument, error: Exception) -> AnyResult | S:
        if isinstance(error, TimeoutError):
            exceeded = ExceededLimit("seconds", limits.seconds, "the time to read it")
            return task.failed(document.path, LimitExceededError.of(exceeded))
        return task.failed(document.path, WorkerCrashedError(f"not read: {error}"))

    def seconds(document: UnparsedDocument) -> float:
        return _time_limit(limits, document.size)

    select_engine(0)  # one that cannot be used is an error of no document
    work: Callable[[UnparsedDocument], AnyResult | S] = partial(_work, task)
    initializer = partial(restore_setting, get_setting())
    wire: Wire[UnparsedDocument, Any] = _Answers(task)
    return ordered_map(work, items, workers, failed, wire, seconds=seconds, initializer=initializer)


def _time_limit(limits: Limits, size: int) -> float:
    """Return the time limit in seconds for a document of `size` bytes: `Limits.seconds`, plus one per MiB."""
    return limits.seconds + size / _MIB


@dataclass(frozen=True, slots=True)
class _Answers(Generic[AnyResult]):
    """How the results of a task are sent."""

    task: Task[AnyResult]

    @property
    def json_bytes(self) -> int:
        """Return the largest JSON: without the text, a result is short, unless its steps were asked for."""
        options = self.task.options
        return options.limits.memory_bytes if options.explain or options.traced else _SHORT

    @property
    def text_bytes(self) -> int:
        """Return the largest text: a worker has no memory for a larger one."""
        return self.task.options.limits.memory_bytes

    def pack(self, result: AnyResult) -> tuple[object, str]:
        return self.task.pack(result)

    def unpack(self, document: UnparsedDocument, value: Any, text: str) -> AnyResult:
        return self.task.unpack(document.path, value, text)


def _work(task: Task[AnyResult], document: UnparsedDocument) -> AnyResult:
    confine(task.options.limits.memory_bytes)
    try:
        return _parsed(task, document)
    except (OSError, ExtractionError) as error:
        return task.failed(document.path, _memory_error(task) if isinstance(error.__cause__, MemoryError) else error)
    except MemoryError:
        return task.failed(document.path, _memory_error(task))
    except Exception as error:
        return task.failed(document.path, InternalError.of(error, "the document"))


def _memory_error(task: Task[AnyResult]) -> LimitExceededError:
    exceeded = ExceededLimit("memory_bytes", task.options.limits.memory_bytes, "the memory to read it")
    return LimitExceededError.of(exceeded)


def _parsed(task: Task[AnyResult], document: UnparsedDocument) -> AnyResult:
    content, limits = document.content, task.options.limits
    if content is None:  # too large to be sent
        with open(document.path, "rb") as file:
            if document.plain:
                return task.of_text(document.path, file.read(_BLOCK), file)
            content = read_at_most(file, limits.input_bytes + 1)
    if not isinstance(content, bytes):
        captured = content.extract(document.path, limits, remainder=task.options.remainder)
        if captured.incomplete and task.options.skip_incomplete:
            raise IncompleteDocumentError(f"incomplete: {captured.incomplete}")
        return task.of_extracted(document.path, captured)
    if document.plain:
        return task.of_text(document.path, content, io.BytesIO())
    extracted = extract(
        content,
        name=document.path,
        format=document.format,
        content_type=document.content_type,
        limits=limits,
        explain=task.options.explain,
        remainder=task.options.remainder,
    )
    return task.of_extracted(document.path, extracted)


class WorkerCrashedError(ExtractionError):
    """The worker process that read the document crashed, or sent an invalid result."""

    code: ClassVar[str] = WORKER_FAILED


def extract_in_sandbox(
    data: bytes, *, name: str | None = None, content_type: str | None = None, options: ReadOptions = _DEFAULT
) -> ExtractedText:
    """Return the text of one document as `simhash_doc_extraction.extract` does, but from a worker process of its own.

    The process has no network, and is limited in memory and time. Starting it takes a few tenths of a second. For many
    documents, use `extract_contents`, which starts it once.

    Args:
        data: The document as stored.
        name: Name of the document, for messages and for detection.
        content_type: The header Content-Type with which the document was sent, as for `extract`.
        options: Format of the document, and limits on it.

    Raises:
        TypeError: The data are not bytes, or another argument has the wrong type.
        ExtractionError: The document yielded no text; `WorkerCrashedError` if the worker process failed.

    >>> extract_in_sandbox(b"<p>The quick brown fox", content_type="text/html").text
    'The quick brown fox'
    """
    if not isinstance(data, bytes):
        raise TypeError(f"data is {type(data).__name__}; expected bytes")
    if not isinstance(options, ReadOptions):
        raise TypeError(f"options is {type(options).__name__}; expected ReadOptions")
    check_names(name=name, content_type=content_type)
    document = UnparsedDocument(name or "", len(data), options.format, content=data, content_type=content_type)
    (result,) = map_in_workers(TextTask(options), [document], 1)
    if result.extracted is None:
        raise _error(result, name)
    return result.extracted if result.extracted.name else replace(result.extracted, name=name)


def _error(result: TextResult, name: str | None) -> ExtractionError:
    """Return the error that a result describes."""
    if result.exceeded:
        return LimitExceededError.of(result.exceeded, name=name)
    kinds: tuple[type[ExtractionError], ...] = (*ExtractionError.__subclasses__(), ExtractionError)
    kind = next((kind for kind in kinds if kind.code == result.code), ExtractionError)
    return kind(result.error or "", name=name)


class ForbiddenInWorkerError(SimhashDocError):
    """A library tried to use the network, or to start a process, while it read a document."""

    code = "forbidden-in-worker"


def confine(memory_bytes: int) -> None:
    """Confine this process permanently if it is a worker process; otherwise do nothing.

    Memory is limited where the system supports RLIMIT_AS, for good. Python refuses the network and new processes; the
    native parsers are built or configured without them.

    Args:
        memory_bytes: Bytes that the process may allocate from now on.
    """
    global _confined
    if _confined or multiprocessing.parent_process() is None:
        return
    _confined = True
    _limit_memory(memory_bytes)
    sys.addaudithook(_refuse)
    with suppress(ImportError):  # Windows
        import _posixsubprocess  # starts the processes of `multiprocessing`, without an event

        vars(_posixsubprocess)["fork_exec"] = partial(_refuse, "os.fork_exec", ())


def _limit_memory(memory_bytes: int) -> None:
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return
    used = 0
    with suppress(OSError, ValueError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        used = int(pages) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = used + memory_bytes if hard == resource.RLIM_INFINITY else min(used + memory_bytes, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _refuse(event: str, *_: object) -> None:
    if event.startswith((*_NETWORK, *_PROCESSES)):
        raise ForbiddenInWorkerError(f"{event} is not allowed while a document is read")
