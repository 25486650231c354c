"""The documents of paths in order: each source is opened once, its format is detected once, and a task does the rest.

UTF-8 text is read in this process; all other formats are parsed in worker processes.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeVar

from simhash_doc.extract.decompress import read_at_most
from simhash_doc.extract.detect import detect, is_utf8
from simhash_doc.extract.registry import CONTAINERS, READERS
from simhash_doc.ingest.documents import Document, Failure, OpenText, Ready, Task, unreadable
from simhash_doc.ingest.results import TOO_SHORT, Result
from simhash_doc.ingest.walk import ALL, STANDARD_INPUT, FoundPath, OnSkip, Selection, SkippedFile, files_below

R = TypeVar("R", bound=Result)

_HEAD = 1 << 16  # bytes from which the format is detected
_SENT = 8 << 20  # bytes that are sent to a worker process; the worker opens a larger file itself
_WORTH_WORKERS = 4 << 20  # bytes; starting processes takes longer than reading less text
_ZIP = b"PK\x03\x04"  # its format shows in the complete file, which the worker has
_CRAWL_NAMES = (".warc", ".arc")


def walk(paths: Iterable[str], selection: Selection = ALL, on_skip: OnSkip = lambda _: None) -> Iterator[str]:
    """Yield the paths, each directory replaced by the files below it, sorted by name.

    A file that is not regular, such as a named pipe or a device, is skipped: reading it might never end. A path that
    does not exist is yielded unchanged, so that reading it reports the error.

    Args:
        paths: files, directories, or ``-`` for standard input.
        selection: which files below directories are read.
        on_skip: called with each file that is skipped because of what it is, and each directory that cannot be read.
    """
    for path in paths:
        if path != STANDARD_INPUT and os.path.isdir(path):
            yield from files_below(path, selection, on_skip)
        else:
            yield path


class Results(Iterator[R]):
    """The results of documents, computed lazily, in the order of the documents.

    Attributes:
        paths: The files, and ``-`` for standard input; directories are replaced by the files below them.
        skipped_files: Files in directories, and directories, that are not read.
        skipped_formats: Number of files in directories that are left out by format: those that hold no text, or not
            the format of the options.
        skipped_short: Number of documents with fewer tokens than the options ask for, so far.
        incomplete: Whether a directory cannot be read.
        count: Number of results, so far.
        expected: Number of documents; None after a source that may hold any number of them.
        skipped_records: Number of records of WARC files without a document, so far.
        file: The one of `paths` that the last result is from.
    """

    def __init__(self, paths: Iterable[str | os.PathLike[str]], task: Task[R], jobs: int | None) -> None:
        self.skipped_files: list[SkippedFile] = []
        self.paths = list(walk((os.fspath(path) for path in paths), task.options.selection, self.skipped_files.append))
        self.skipped_formats = Counter(skipped.format for skipped in self.skipped_files if skipped.format)
        self.skipped_short = self.count = 0
        self.incomplete = any(skipped.failed for skipped in self.skipped_files)
        self.expected: int | None = len(self.paths)
        self.skipped_records = 0
        self.file = ""
        self._files: deque[str] = deque()
        self._task, self._jobs = task, jobs
        self._results = self._run()

    @property
    def empty(self) -> bool:
        """Whether the paths hold no document, as far as they were read."""
        return not self.count and not self.skipped_short

    def __next__(self) -> R:
        while True:
            result = next(self._results)
            self.file = self._files.popleft()
            if result.code != TOO_SHORT:
                self.count += 1
                return result
            self.skipped_short += 1

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
        found = self._format(path, head, file)
        if found and isinstance(path, FoundPath) and not self._takes(found):
            self.skipped_formats["image" if found.endswith(" image") else found] += 1
            return
        if found == "text" and (options.format or is_utf8(head)):
            yield OpenText(path, head, file, size)
        elif found == "warc":
            yield from self._crawl(path, head, file, seekable=size is not None)
        elif size is not None and size > _SENT:
            yield Document(path, size, found)
        else:
            data = head + read_at_most(file, options.limits.input_bytes + 1 - len(head))
            yield Document(path, len(data), found, content=data)

    def _format(self, path: str, head: bytes, file: BinaryIO) -> str | None:
        """Return the format of a document; None if the worker finds it in the complete file."""
        is_found = isinstance(path, FoundPath)
        if self._task.options.format and not is_found:
            return self._task.options.format
        if not head:
            return self._task.options.format or "text"
        if not head.startswith(_ZIP):
            return detect(head, path)
        if not is_found:
            return None
        complete = head + read_at_most(file, self._task.options.limits.input_bytes)
        file.seek(len(head))
        return detect(complete, path)

    def _takes(self, found: str) -> bool:
        """Return True if documents of a format are read from directories."""
        expected = self._task.options.format
        return found == expected if expected else found in READERS or found in CONTAINERS

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


def read_paths(path: str) -> list[str]:
    """Return the paths that a file lists, one per line, or each followed by NUL if there is a NUL.

    Args:
        path: the file, or ``-`` for standard input.

    Raises:
        OSError: the file cannot be read.
    """
    with open_document(path) as file:
        data = file.read()
    separator = b"\0" if b"\0" in data else b"\n"
    return [os.fsdecode(name) for name in data.split(separator) if name]


def open_document(path: str) -> BinaryIO:
    """Open a file, or standard input for ``-``, for reading bytes.

    Raises:
        OSError: The file cannot be opened.
    """
    return os.fdopen(sys.stdin.fileno(), "rb", closefd=False) if path == STANDARD_INPUT else Path(path).open("rb")
