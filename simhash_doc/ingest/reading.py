"""The fingerprints and texts of documents of any format, in order.

Each source is opened here, its first bytes show its format, and a task does the rest. UTF-8 text is read in this
process, unless there is much of it; all other formats are parsed in worker processes, which get the bytes. A worker
opens a file of over 8 MiB itself, and finds the format of a ZIP file that was named, which its first bytes do not show.
"""

from __future__ import annotations

import os
import stat
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, repeat, zip_longest
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias

from simhash_doc.arguments import STANDARD_INPUT, Many, collection, integer
from simhash_doc.errors import EngineError
from simhash_doc.files import open_input
from simhash_doc.ingest.options import ReadOptions
from simhash_doc.ingest.results import TOO_SHORT, AnyResult, FingerprintResult, TextResult
from simhash_doc.ingest.tasks import FingerprintTask, Task, TextTask, UnparsedDocument
from simhash_doc.ingest.walk import Source, walk
from simhash_doc.own_outputs import OWN_OUTPUT, OWN_OUTPUT_ERROR, is_own_output
from simhash_doc.schemes import AnyScheme, get_scheme
from simhash_doc_extraction import (
    CONTAINERS,
    READERS,
    ExtractionError,
    InternalError,
    NoTextError,
    UnsupportedFormatError,
    detect,
    open_members,
    warning_kind,
)
from simhash_doc_extraction.base import SkippedRecordError
from simhash_doc_extraction.decompress import PrefixedSource, gzip_head, read_at_most
from simhash_doc_extraction.detection import is_wacz, type_of_page
from simhash_doc_extraction.encoding import is_utf8

Path: TypeAlias = str | os.PathLike[str] | Source
Paths: TypeAlias = Path | Many[Path]
OnSource = Callable[[Source], object]


class SkippedRecords(NamedTuple):
    """Records of a WARC file without a result: their number by kind, and that of revisits."""

    kinds: Counter[str]
    revisits: int


class Resumed(Protocol[AnyResult]):
    """The results of an interrupted run, which this run continues (`simhash_doc.ingest.unfinished`)."""

    def before(self, source: Source) -> None:
        """Called before a source is opened."""

    def results(self, source: Source) -> list[AnyResult] | None:
        """Return the results of a source, which is then not opened; None if there are none."""

    def skipped(self, source: Source) -> SkippedRecords:
        """Return the records without a result of a source with results."""

    def skip(self, source: Source, records: SkippedRecords) -> None:
        """Called when a source was read to its end, before the results of the next one."""

    def add(self, source: Source, result: AnyResult) -> None:
        """Called with each result, also with those of documents that are left out."""


_DEFAULT = ReadOptions()
_END = object()
_HEAD = 1 << 16  # bytes from which the format is detected
_OWN_HEAD = 1 << 13  # bytes of a compressed output that show what it is
_SENT = 8 << 20  # bytes that are sent to a worker process; the worker opens a larger file itself
_WORTH_WORKERS = 4 << 20  # bytes; starting processes takes longer than reading less text
_ZIP = b"PK\x03\x04"  # its format shows in the complete file, which the worker has
_CRAWL_NAMES = (".warc", ".arc", ".wacz", ".mbox")


def fingerprint_documents(
    paths: Paths,
    scheme: AnyScheme = "sd64",
    *,
    options: ReadOptions = _DEFAULT,
    workers: int | None = None,
) -> Results[FingerprintResult]:
    """Return an iterator over the fingerprints of documents of any format, in order.

    Documents that are not UTF-8 text are parsed in worker processes without network, limited in memory and time. A
    document that cannot be read has a result with an error; the others are not affected. UTF-8 text of any size is read
    in blocks.

    Args:
        paths: One path, or a collection of paths, each a str or `os.PathLike`: of a file; of a directory, which is
            replaced by the files below it; or ``-`` for standard input. Each document of a WARC file has its own
            result.
        scheme: A short id, for example ``sd64``, or a `Scheme`.
        options: Format of the documents, and limits on each.
        workers: Number of worker processes; None for one per core. None are started for a small amount of text.

    Raises:
        UnknownSchemeError: The registry has no such scheme.
        TypeError: A path is neither str nor `os.PathLike`, or the number of workers is not an integer.
        ValueError: The number of workers is under 1.

    >>> for result in fingerprint_documents("missing.txt"):
    ...     print(result.path, result.fingerprint, result.code)
    missing.txt None unreadable
    """
    return Results(paths, FingerprintTask(_checked(options), get_scheme(scheme).id), workers)


def extract_documents(
    paths: Paths, *, options: ReadOptions = _DEFAULT, workers: int | None = None
) -> Results[TextResult]:
    """Return an iterator over the texts of documents, as `fingerprint_documents` reads them, in order.

    Args:
        paths: As for `fingerprint_documents`.
        options: Format of the documents, and limits on each.
        workers: Number of worker processes; None for one per core.

    Raises:
        TypeError, ValueError: As for `fingerprint_documents`.

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> size = pathlib.Path(folder.name, "a.html").write_text("<p>The quick brown fox")
    >>> [one.extracted.text for one in extract_documents(folder.name)]
    ['The quick brown fox']
    """
    return Results(paths, TextTask(_checked(options)), workers)


def extract_contents(
    contents: Many[bytes | None],
    *,
    content_type: str | Many[str | None] | None = None,
    options: ReadOptions = _DEFAULT,
    workers: int | None = None,
) -> Iterator[TextResult | None]:
    """Yield the text of each document in memory, lazily and in order; None for None.

    Every document is parsed in a worker process without network, limited in memory and time.

    Args:
        contents: The documents, each as the bytes of a file; an iterator may be endless.
        content_type: The header Content-Type with which all were sent, or a collection with that of each.
        options: Format of the documents, and limits on each.
        workers: Number of worker processes; None for one per core.

    Raises:
        TypeError: The contents are one bytes object, or one of them is of another type; the message names its
            position. Or the number of workers is not an integer.
        ValueError: The number of workers is under 1.

    >>> found = extract_contents([b"<p>The quick brown fox", None], content_type="text/html", workers=1)
    >>> [one and one.extracted.text for one in found]
    ['The quick brown fox', None]
    """
    from simhash_doc.ingest.workers import map_in_workers
    from simhash_doc.parallel.pool import Ready

    collection(contents, "contents", "bytes or None")

    types: Iterable[str | None] = repeat(content_type) if isinstance(content_type, str | None) else content_type
    if types is content_type:
        collection(types, "content_type", "str or None")

    def document(number: int, data: Any, declared: Any) -> UnparsedDocument | Ready[TextResult | None]:
        if data is _END or declared is _END:
            raise ValueError("contents and content_type have different numbers of items")
        if not isinstance(declared, str | None):
            raise TypeError(f"content_type {number} is {type(declared).__name__}; expected str or None")
        if data is None:
            return Ready(None)
        if not isinstance(data, bytes):
            raise TypeError(f"content {number} is {type(data).__name__}; expected bytes or None")
        return UnparsedDocument(f"document {number}", len(data), options.format, content=data, content_type=declared)

    one_type = isinstance(types, repeat)
    pairs = zip(contents, types, strict=False) if one_type else zip_longest(contents, types, fillvalue=_END)
    documents = (document(number, data, declared) for number, (data, declared) in enumerate(pairs))
    return map_in_workers(TextTask(_checked(options)), documents, _workers(workers))


class Results(Iterator[AnyResult]):
    """The results of documents, computed lazily, in the order of the documents.

    Attributes:
        skipped: Each `SkippedFile` below the paths.
        skipped_formats: Number of files in directories, by format, that contain no text or have another format than the
            options ask for, so far.
        skipped_short: Number of documents with fewer tokens than the options ask for, so far.
        count: Number of results, so far.
        expected: Number of documents; None after a source that may hold any number of them.
        skipped_records: Number of records of WARC files without a document, by kind, so far.
        warned: Number of documents with a warning, by its kind, so far.
        revisits: Number of records of WARC files that refer to an earlier capture, so far.

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> size = pathlib.Path(folder.name, "a.txt").write_text("The quick brown fox")
    >>> results = fingerprint_documents(folder.name)
    >>> [str(one.fingerprint) for one in results], results.empty
    (['sd64:larqgiqsckcca'], False)
    """

    def __init__(
        self,
        paths: Paths,
        task: Task[AnyResult],
        workers: int | None,
        on_source: OnSource = lambda source: None,
        resumed: Resumed[AnyResult] | None = None,
    ) -> None:
        self._workers = _checked_workers(workers)
        walked = walk(paths, task.options.selection)
        self.skipped, self._sources = walked.skipped, walked.sources
        self.skipped_formats: Counter[str] = Counter()
        self.skipped_short = self.count = 0
        self.expected: int | None = len(walked.sources)
        self.skipped_records: Counter[str] = Counter()
        self.revisits = 0
        self.warned: Counter[str] = Counter()
        self.source: Source
        self._waiting: deque[Source] = deque()  # the source of each result to come
        self._task, self._on_source, self._resumed = task, on_source, resumed
        self._is_much = _is_much(walked.sources)
        self._results = self._run()

    @property
    def empty(self) -> bool:
        """Whether no document was found in the sources that were read so far."""
        return not self.count and not self.skipped_short

    def __next__(self) -> AnyResult:
        while True:
            result = next(self._results)
            self.source = self._waiting.popleft()
            if self._resumed:
                self._resumed.add(self.source, result)
            if result.code == TOO_SHORT:
                self.skipped_short += 1
            elif result.code == SkippedRecordError.code:
                self.skipped_records[result.error or ""] += 1
            else:
                self.count += 1
                self.warned.update({warning_kind(warning) for warning in result.warnings})
                return result

    def _run(self) -> Iterator[AnyResult]:
        items = self._items()
        for item in items:
            if isinstance(item, UnparsedDocument):
                yield from self._in_workers(chain([item], items))
            else:
                yield item

    def _in_workers(self, items: Iterator[UnparsedDocument | AnyResult]) -> Iterator[AnyResult]:
        from simhash_doc.ingest.workers import map_in_workers
        from simhash_doc.parallel.pool import Ready

        sources = self._sources
        crawl = self.expected is None or any(name in source.path for source in sources for name in _CRAWL_NAMES)
        workers = _workers(self._workers)
        if not crawl:
            workers = min(workers, len(sources))
        work = (item if isinstance(item, UnparsedDocument) else Ready(item) for item in items)
        yield from map_in_workers(self._task, work, workers)

    def _items(self) -> Iterator[UnparsedDocument | AnyResult]:
        """Yield the result of each document that is read here, and each other one as it is sent to a worker process."""
        for source in self._sources:
            self._on_source(source)
            if (known := self._known(source)) is not None:
                self._waiting.extend([source] * len(known))
                yield from known
                continue
            try:
                with open_input(source.path) as file:
                    for item in self._documents(source, file):
                        self._waiting.append(source)
                        yield item
            except (OSError, MemoryError) as error:
                self._waiting.append(source)
                yield self._task.failed(source.path, error)
            except EngineError:  # of no document: it was chosen for all
                raise
            except Exception as error:
                self._waiting.append(source)
                yield self._task.failed(source.path, InternalError.of(error, "the document"))

    def _known(self, source: Source) -> list[AnyResult] | None:
        """Return the results of an earlier run; None if there are none."""
        if not self._resumed:
            return None
        self._resumed.before(source)
        known = self._resumed.results(source)
        if known is not None:
            self._skip(self._resumed.skipped(source))
            if len(known) > 1:
                self.expected = None
        return known

    def _skip(self, records: SkippedRecords) -> None:
        self.skipped_records += records.kinds
        self.revisits += records.revisits

    def _documents(self, source: Source, file: BinaryIO) -> Iterator[UnparsedDocument | AnyResult]:
        path = source.path
        status = os.fstat(file.fileno())
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        options = self._task.options
        head = file.read(_HEAD)
        document_format = self._format(source, head, file)
        start = gzip_head(head, _OWN_HEAD) if document_format == "gzip" else head
        if document_format in ("text", "html", "gzip") and not options.format and is_own_output(start):
            document_format = OWN_OUTPUT
            if not source.found:
                yield self._task.failed(path, UnsupportedFormatError(OWN_OUTPUT_ERROR))
                return
        if document_format and source.found and not self._takes(document_format):
            self.skipped_formats["image" if document_format.endswith(" image") else document_format] += 1
            return
        if document_format == "text" and (options.format or (is_utf8(head) and not type_of_page(path, None))):
            yield self._text(path, head, file, size)
        elif document_format in CONTAINERS:
            yield from self._members(source, document_format, head, file, seekable=size is not None)
        elif size is not None and size > _SENT:
            yield UnparsedDocument(path, size, document_format)
        else:
            data = head + read_at_most(file, options.limits.input_bytes + 1 - len(head))
            yield UnparsedDocument(path, len(data), document_format, content=data)

    def _text(self, path: str, head: bytes, file: BinaryIO, size: int | None) -> UnparsedDocument | AnyResult:
        if not self._is_much or size is None:  # no other process can read a stream
            return self._task.of_text(path, head, file)
        rest = file.read() if len(head) == _HEAD and size <= _SENT else b""
        content = head + rest if size <= _SENT else None
        return UnparsedDocument(path, size, plain=True, content=content)

    def _format(self, source: Source, head: bytes, file: BinaryIO) -> str | None:
        """Return the format of a document; None if the worker finds it in the complete file."""
        if self._task.options.format and not source.found:
            return self._task.options.format
        if not head:
            return self._task.options.format or "text"
        if not head.startswith(_ZIP):
            return detect(head, source.path)
        if file.seekable() and is_wacz(file):
            return "wacz"
        if not source.found:
            return None
        complete = head + read_at_most(file, self._task.options.limits.input_bytes)
        file.seek(len(head))
        return detect(complete, source.path)

    def _takes(self, document_format: str) -> bool:
        """Return True if documents of a format are read from directories."""
        expected = self._task.options.format
        return document_format == expected if expected else document_format in {*READERS, *CONTAINERS}

    def _members(
        self, source: Source, document_format: str, head: bytes, file: BinaryIO, *, seekable: bool
    ) -> Iterator[UnparsedDocument | AnyResult]:
        """Yield the documents of a container, whose members are read here, and each of which is parsed in a worker."""
        path = source.path
        self.expected = None
        if seekable:  # it can be searched for the record after a corrupt one
            file.seek(0)
        stream = file if seekable else PrefixedSource(head, file)
        try:
            records = open_members(document_format, stream, name=path, limits=self._task.options.limits)
        except ExtractionError as error:  # the extra is missing
            yield self._task.failed(path, error)
            return
        found = False
        for payload in records:
            found = True
            if isinstance(payload, ExtractionError):
                is_file = payload.name in (None, path)
                yield self._task.failed(path if is_file else f"{path}#{payload.name}", payload)
            else:
                yield UnparsedDocument(f"{path}#{payload.name}", len(payload.body), content=payload)
        skipped = SkippedRecords(records.skipped, records.revisits)
        self._skip(skipped)
        if self._resumed:
            self._resumed.skip(source, skipped)
        if not found:
            others = f"{records.skipped.total()} of other kinds, {records.revisits} revisits"
            message = f"no document among its records ({others})"
            yield self._task.failed(path, NoTextError(message))


def _checked(options: ReadOptions) -> ReadOptions:
    """Return options as they are.

    Raises:
        TypeError: they are something else.
    """
    if not isinstance(options, ReadOptions):
        raise TypeError(f"options is {type(options).__name__}; expected ReadOptions")
    return options


def _checked_workers(workers: int | None) -> int | None:
    return None if workers is None else integer(workers, "workers", 1)


def _workers(workers: int | None) -> int:
    """Return a number of worker processes; for None the number of cores."""
    from simhash_doc.parallel.pool import available_cores

    return _checked_workers(workers) or available_cores()


def _is_much(sources: list[Source]) -> bool:
    """Return True if several files have so many bytes that worker processes save time even for plain text."""
    total = 0
    for source in sources if len(sources) > 1 else ():
        with suppress(OSError):
            status = os.stat(source.path) if source.path != STANDARD_INPUT else None
            total += status.st_size if status and stat.S_ISREG(status.st_mode) else 0
        if total >= _WORTH_WORKERS:
            return True
    return False
