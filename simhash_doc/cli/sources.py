"""Documents to be read, one by one: files, standard input, and what WARC files hold.

What is no plain text is parsed in a worker process, which holds one document. WARC files are taken apart here, so
that each of their documents is one too.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Generic, TypeVar

from simhash_doc.cli.documents import STANDARD_INPUT, open_document
from simhash_doc.cli.reading import Reading
from simhash_doc.extract.decoding import is_utf8
from simhash_doc.extract.detect import detect, is_warc
from simhash_doc.extract.errors import ExtractionError, NoText
from simhash_doc.extract.inflate import Rejoined
from simhash_doc.extract.inflate import Source as ByteSource
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.registry import container

if TYPE_CHECKING:
    from simhash_doc.extract.warc import Payload, Records

Result = TypeVar("Result")

HEAD = 1 << 16
"""Bytes by which a document is known."""


@dataclass(frozen=True, slots=True)
class Source:
    """One document: the file `name`, or what is in `data`, `payload` or `error`. `size` is in bytes."""

    name: str
    size: int = 0
    data: bytes | None = None
    payload: Payload | None = None
    error: ExtractionError | None = None


@dataclass(frozen=True, slots=True)
class Ready(Generic[Result]):
    """A document that is dealt with already."""

    result: Result


class Sources(Generic[Result]):
    """The documents of files, drawn as they are needed.

    Args:
        paths: files, or - for standard input.
        reading: how they are read.
        on_text: called with name, file and first bytes of plain text that comes through a pipe, which
            no other process can read, for the result; without it, such text is read like any document.
    """

    def __init__(
        self,
        paths: list[str],
        reading: Reading,
        on_text: Callable[[str, BinaryIO, bytes], Result] | None = None,
    ) -> None:
        self._paths, self._reading, self._on_text = paths, reading, on_text
        self.passed_over = 0
        """Records of WARC files that hold no document, so far."""
        self.counted = True
        """Whether there is one document for each path, so far."""

    def __iter__(self) -> Iterator[Source | Ready[Result]]:
        for path in self._paths:
            try:
                if is_pipe(path):
                    with open_document(path) as file:
                        yield from self._of_pipe(path, file)
                else:
                    yield from self._of_file(path)
            except OSError:
                yield Source(path)  # to fail where it is read, with all others that cannot be

    def _of_file(self, path: str) -> Iterator[Source | Ready[Result]]:
        with open_document(path) as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(HEAD) if self._reading.medium in (None, "warc") else b""
            if self._reading.medium == "warc" or is_warc(head):
                file.seek(0)
                yield from self._of_warc(path, file)
                return
        yield Source(path, size)

    def _of_pipe(self, path: str, file: BinaryIO) -> Iterator[Source | Ready[Result]]:
        head = file.read(HEAD)
        if self._on_text and is_plain_text(head, path, self._reading):
            yield Ready(self._on_text(path, file, head))
        elif self._reading.medium == "warc" or (self._reading.medium is None and is_warc(head)):
            yield from self._of_warc(path, Rejoined(head, file))
        else:
            data = head + file.read(max(self._reading.limits.input_bytes + 1 - len(head), 0))
            yield Source(path, len(data), data=data)

    def _of_warc(self, path: str, file: ByteSource) -> Iterator[Source]:
        self.counted = False
        try:
            container("warc", path)
        except ExtractionError as error:  # the extra is missing
            yield Source(path, error=error)
            return
        found = False
        records = _records(file, path, self._reading.limits)
        for payload in records:
            found = True
            if isinstance(payload, ExtractionError):
                name = path if payload.name in (None, path) else f"{path}#{payload.name}"
                yield Source(name, error=payload)
            else:
                yield Source(f"{path}#{payload.uri}", len(payload.body), payload=payload)
        self.passed_over += records.passed_over
        if not found:
            yield Source(path, error=NoText(f"no document among its records ({records.passed_over} of other kinds)"))


def _records(file: ByteSource, path: str, limits: Limits) -> Records:
    from simhash_doc.extract.warc import Records

    return Records(file, name=path, limits=limits)


def is_pipe(path: str) -> bool:
    """Whether a path names standard input or another stream that can be read only once.

    Raises:
        OSError: there is no such path.
    """
    return path == STANDARD_INPUT or not stat.S_ISREG(os.stat(path).st_mode)


def is_plain_text(head: bytes, name: str, reading: Reading) -> bool:
    """Whether a document that begins so is UTF-8 text, to be fingerprinted as it is."""
    if reading.medium is not None:
        return reading.medium == "text"
    return not head or (is_utf8(head) and detect(head, name) == "text")
