"""The documents of paths in order: each source is opened once, its format is detected once, and a task does the rest.

UTF-8 text is read in this process; all other formats are parsed in worker processes.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeVar

from simhash_doc.extract.decompress import read_at_most
from simhash_doc.extract.detect import detect, is_utf8
from simhash_doc.ingest.documents import Document, Failure, OpenText, Ready, Task, unreadable
from simhash_doc.ingest.results import Result

STANDARD_INPUT = "-"

R = TypeVar("R", bound=Result)

_HEAD = 1 << 16  # bytes from which the format is detected
_SENT = 8 << 20  # bytes that are sent to a worker process; the worker opens a larger file itself
_WORTH_WORKERS = 4 << 20  # bytes; starting processes takes longer than reading less text
_ZIP = b"PK\x03\x04"  # its format shows in the complete file, which the worker has
_CRAWL_NAMES = (".warc", ".arc")


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file in a directory, or a directory, that is not read.

    Attributes:
        path: its path.
        reason: why it is not read.
        failed: True if its documents are missing from the results; False if it is not a document, such as a pipe.
    """

    path: str
    reason: str
    failed: bool = False


class Results(Iterator[R]):
    """The results of documents, computed lazily, in the order of the documents.

    Attributes:
        paths: The files, and ``-`` for standard input; directories are replaced by the files below them.
        skipped_files: Files in directories, and directories, that are not read.
        incomplete: Whether a directory cannot be read.
        expected: Number of documents; None after a source that may hold any number of them.
        skipped_records: Number of records of WARC files without a document, so far.
        file: The one of `paths` that the last result is from.
    """

    def __init__(self, paths: Iterable[str | os.PathLike[str]], task: Task[R], jobs: int | None) -> None:
        self.skipped_files: list[SkippedFile] = []
        self.paths = list(walk((os.fspath(path) for path in paths), self.skipped_files.append))
        self.incomplete = any(skipped.failed for skipped in self.skipped_files)
        self.expected: int | None = len(self.paths)
        self.skipped_records = 0
        self.file = ""
        self._files: deque[str] = deque()
        self._task, self._jobs = task, jobs
        self._results = self._run()

    def __next__(self) -> R:
        result = next(self._results)
        self.file = self._files.popleft()
        return result

    def _run(self) -> Iterator[R]:
        sources = self._sources()
        for source in sources if not _is_much(self.paths) else ():
            if isinstance(source, Document):
                sources = chain([source], sources)
                break
            yield self._result_here(source)
        yield from self._in_workers(sources)

    def _sources(self) -> Iterator[OpenText | Document | Failure]:
        for path in self.paths:
            try:
                with open_document(path) as file:
                    for document in self._documents(path, file):
                        self._files.append(path)
                        yield document
            except OSError as error:
                self._files.append(path)
                yield unreadable(path, error)

    def _documents(self, path: str, file: BinaryIO) -> Iterator[OpenText | Document | Failure]:
        status = os.fstat(file.fileno())
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        options = self._task.options
        head = file.read(_HEAD)
        found = options.format
        if found is None and not head.startswith(_ZIP):
            found = detect(head, path) if head else "text"
        if found == "text" and (options.format or is_utf8(head)):
            yield OpenText(path, head, file, size)
        elif found == "warc":
            yield from self._crawl(path, head, file, seekable=size is not None)
        elif size is not None and size > _SENT:
            yield Document(path, size, found)
        else:
            data = head + read_at_most(file, options.limits.input_bytes + 1 - len(head))
            yield Document(path, len(data), found, content=data)

    def _crawl(self, path: str, head: bytes, file: BinaryIO, *, seekable: bool) -> Iterator[Document | Failure]:
        from simhash_doc.extract.decompress import PrefixedSource
        from simhash_doc.ingest.crawls import Crawl

        self.expected = None
        if seekable:
            file.seek(0)
        crawl = Crawl(path, file if seekable else PrefixedSource(head, file), self._task.options.limits)
        yield from crawl
        self.skipped_records += crawl.skipped_records

    def _result_here(self, source: OpenText | Failure) -> R:
        if isinstance(source, Failure):
            return self._task.failed(source)
        try:
            return self._task.of_text(source.path, source.head, source.file)
        except (OSError, MemoryError) as error:
            return self._task.failed(unreadable(source.path, error))

    def _in_workers(self, sources: Iterator[OpenText | Document | Failure]) -> Iterator[R]:
        first = next(sources, None)
        if first is None:
            return
        from simhash_doc.ingest.workers import map_in_workers, worker_count

        crawl = self.expected is None or any(name in path for path in self.paths for name in _CRAWL_NAMES)
        workers = worker_count(self._jobs, None if crawl else len(self.paths))
        yield from map_in_workers(self._task, map(self._sendable, chain([first], sources)), workers)

    def _sendable(self, source: OpenText | Document | Failure) -> Document | Ready[R]:
        if isinstance(source, Document):
            return source
        if isinstance(source, Failure) or source.size is None:  # no other process can read a stream
            return Ready(self._result_here(source))
        if source.size > _SENT:
            return Document(source.path, source.size, plain=True)
        try:
            data = source.head + source.file.read()
        except OSError as error:
            return Ready(self._task.failed(unreadable(source.path, error)))
        return Document(source.path, len(data), plain=True, content=data)


def _is_much(paths: list[str]) -> bool:
    """Return True if several files have so many bytes that worker processes save time even for plain text."""
    total = 0
    for path in paths if len(paths) > 1 else ():
        with suppress(OSError):
            status = os.stat(path) if path != STANDARD_INPUT else None
            total += status.st_size if status and stat.S_ISREG(status.st_mode) else 0
        if total >= _WORTH_WORKERS:
            return True
    return False


def walk(paths: Iterable[str], on_skip: Callable[[SkippedFile], object] = lambda _: None) -> Iterator[str]:
    """Yield the paths, each directory replaced by the files below it, sorted by name.

    Hidden entries of a directory (the name begins with a dot) are left out, and links to directories are not
    followed. A file that is not regular, such as a named pipe or a device, is skipped: reading it might never end.
    A path that does not exist is yielded unchanged, so that reading it reports the error.

    Args:
        paths: Files, directories, or ``-`` for standard input.
        on_skip: Called with each file that is skipped, and with each directory that cannot be read.
    """

    def report_unreadable(error: OSError) -> None:
        on_skip(SkippedFile(str(error.filename), f"cannot be read: {error.strerror}", failed=True))

    for path in paths:
        if path != STANDARD_INPUT and os.path.isdir(path):
            for folder, subfolders, names in os.walk(path, onerror=report_unreadable):
                subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
                for name in sorted(name for name in names if not name.startswith(".")):
                    file = os.path.join(folder, name)
                    if _is_regular_or_broken(file):
                        yield file
                    else:
                        on_skip(SkippedFile(file, "not a regular file"))
        else:
            yield path


def _is_regular_or_broken(path: str) -> bool:
    """Return False if the path exists and is not a regular file. A broken path fails later, when it is read."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def open_document(path: str) -> BinaryIO:
    """Open a file, or standard input for ``-``, for reading bytes.

    Raises:
        OSError: The file cannot be opened.
    """
    return os.fdopen(sys.stdin.fileno(), "rb", closefd=False) if path == STANDARD_INPUT else Path(path).open("rb")
