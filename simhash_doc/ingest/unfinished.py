"""The results of a run that was interrupted, with which the next run continues.

They are written only if the run is interrupted, to a file of JSON lines. The first line describes the run. Then there
are the results of each source that was finished, a line with the state of its file, and a digest of the run and of
these lines. A file that has changed since is read again, and so is one whose lines were changed. So the output is that
of a run without interruption.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, NamedTuple

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.errors import SimhashDocError
from simhash_doc.files import atomic_write
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.reading import SkippedRecords
from simhash_doc.ingest.results import UNREADABLE, WORKER_FAILED, FingerprintResult
from simhash_doc.ingest.walk import Source
from simhash_doc_extraction.base import ExceededLimit, MissingExtraError

_PASSING = (UNREADABLE, WORKER_FAILED, MissingExtraError.code)  # errors that the next run may not have
_SEAL = b'{"digest"'
_NAMES = (
    "path", "scheme", "fingerprint", "tokens", "distinct_tokens", "support", "warnings", "format", "incomplete",
    "error", "code", "exceeded",
)  # fmt: skip


class UnfinishedRunError(SimhashDocError):
    """The results of an interrupted run cannot be used."""

    code = "unfinished-run"
    is_usage = True


class _Block(NamedTuple):
    """Where the results of a source are in a file, its state, and its records without a result."""

    file: Any
    start: int
    end: int
    state: list[object]
    skipped: SkippedRecords


class Unfinished:
    """The results of an interrupted run, if there was one, and those of this run.

    Args:
        path: the file, OUTPUT.partial, which is not open to more than the output that it is for.
        run: everything on which the results depend, besides the files; as JSON has it.

    Raises:
        UnfinishedRunError: the file is of another run, a link, or was not created by this class.
        OSError: it cannot be read.
    """

    def __init__(self, path: str, run: Mapping[str, object]) -> None:
        self.path = Path(path)
        self._header = {"fingerprint": None, **run}  # which, with a scheme, shows that it is no document
        self._blocks: dict[str, _Block] = {}  # by path
        self._states: dict[str, list[object] | None] = {}  # of files when they were opened
        self._skipped: dict[str, SkippedRecords] = {}  # of crawls that were read
        self._new = TemporaryFile("a+b")  # noqa: SIM115 - deleted with the object
        self._open: Source | None = None  # whose results are added
        self._is_usable, self._start, self._end = True, 0, 0
        if os.path.lexists(self.path):
            self._read()

    def _read(self) -> None:
        found = None
        if stat.S_ISREG(self.path.lstat().st_mode):
            file = self.path.open("rb")
            with suppress(ValueError, RecursionError):
                found = json.loads(file.readline())
        if not isinstance(found, dict) or found.keys() != self._header.keys():
            raise UnfinishedRunError(
                f"{self.path}: was not created by simhash-doc, which needs this name for unfinished results; "
                "rename it or choose another output"
            )
        if changed := [name for name in self._header if found[name] != self._header[name]]:
            raise UnfinishedRunError(
                f"{self.path}: contains an unfinished run with other options ({', '.join(changed)}); "
                "repeat that run, or delete the file to start again"
            )
        start = at = file.tell()
        digest, state = self._digest(), b""
        for line in file:
            if line.startswith(_SEAL):
                if line == _seal(digest):
                    self._add_block(file, start, at - len(state), json.loads(state))
                start, digest = at + len(line), self._digest()
            else:
                digest.update(line)
            at, state = at + len(line), line

    def _digest(self) -> hashlib.blake2b:
        """Return the digest of the run. The digest of each result begins with it, so no result of another run fits."""
        return hashlib.blake2b(_line(self._header), digest_size=16)

    def _add_block(self, file: BinaryIO, start: int, end: int, found: dict[str, Any]) -> None:
        state, skipped = found["source"], SkippedRecords(Counter(found["skipped"]), found["revisits"])
        self._blocks[state[0]] = _Block(file, start, end, state, skipped)

    def before(self, source: Source) -> None:
        """Note the state of a file that is opened next."""
        self._states[source.path] = _state_of(source)

    def results(self, source: Source) -> list[FingerprintResult] | None:
        """Return the results of a source; None if it was not finished, or has changed."""
        block = self._blocks.get(source.path)
        if block is None or block.state != self._states[source.path]:
            return None
        block.file.seek(block.start)
        return [_result(json.loads(line)) for line in block.file.read(block.end - block.start).splitlines()]

    def skipped(self, source: Source) -> SkippedRecords:
        """Return the records without a result of a source with results."""
        return self._blocks[source.path].skipped

    def skip(self, source: Source, records: SkippedRecords) -> None:
        """Note the records without a result of a source that was read."""
        self._skipped[source.path] = records

    def add(self, source: Source, result: FingerprintResult) -> None:
        """Add a result of a source; all sources are added in the order in which they are opened."""
        if source is not self._open:
            self._finish()
            self._open, self._is_usable = source, True
        self._is_usable = self._is_usable and result.code not in _PASSING
        self._end += self._new.write(_line(_fields(result)))
        if result.fingerprint and result.path == source.path:  # the only document of its file
            self._finish()

    def _finish(self) -> None:
        state = self._states.pop(self._open.path, None) if self._open else None
        if state and self._is_usable:
            path = str(state[0])
            skipped = self._skipped.pop(path, SkippedRecords(Counter(), 0))
            self._blocks[path] = _Block(self._new, self._start, self._end, state, skipped)
        self._open, self._start = None, self._end

    def keep(self) -> int:
        """Write the results of all sources that were finished, and return their number.

        Raises:
            OSError: they cannot be written.
        """
        if self._blocks:
            with atomic_write(self.path, like=self.path.with_suffix("")) as output:
                output.write(_line(self._header))
                for file, start, end, state, skipped in self._blocks.values():
                    file.seek(start)
                    lines = file.read(end - start)
                    lines += _line({"source": state, "skipped": skipped.kinds, "revisits": skipped.revisits})
                    digest = self._digest()
                    digest.update(lines)
                    output.write(lines + _seal(digest))
        return len(self._blocks)

    def delete(self) -> None:
        """Delete the file, whose results are in the output."""
        if os.path.lexists(self.path):  # not if its name is too long
            self.path.unlink()


def _state_of(source: Source) -> list[object] | None:
    """Return what changes with a file; None for standard input, and for a file that cannot be opened."""
    try:
        status = os.stat(source.path) if source.path != STANDARD_INPUT else None
    except OSError:
        return None
    return status and [source.path, source.found, status.st_ino, status.st_size, status.st_mtime_ns]


def _line(fields: Mapping[str, object]) -> bytes:
    return json.dumps(fields).encode("ascii") + b"\n"


def _seal(digest: hashlib.blake2b) -> bytes:
    return _line({"digest": digest.hexdigest()})


def _fields(result: FingerprintResult) -> dict[str, object]:
    fields = {name: value for name in _NAMES if (value := getattr(result, name)) not in (None, ())}
    if result.fingerprint:
        fields["fingerprint"] = str(result.fingerprint)
    if result.exceeded:
        fields["exceeded"] = asdict(result.exceeded)
    return fields


def _result(fields: dict[str, Any]) -> FingerprintResult:
    if "fingerprint" in fields:
        fields["fingerprint"] = Fingerprint.parse(fields["fingerprint"])
    if "exceeded" in fields:
        fields["exceeded"] = ExceededLimit(**fields["exceeded"])
    return FingerprintResult(**fields | {"warnings": tuple(fields.get("warnings", ()))})
