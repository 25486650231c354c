"""The finished parts of a result, kept beside the output until it is whole, so that a run can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from simhash_doc import __version__
from simhash_doc.atomic import replacing
from simhash_doc.tables.errors import TableError, WrongUseError
from simhash_doc.tables.rows import Rows

_RUN = "run.json"
_DONE = "done.json"
_WHOLE = "output"
_LOCK = "lock"
_CHECKPOINT = "checkpoint"


class Parts:
    """The folder `OUTPUT.partial`: what is being made, and each finished part of it as an Arrow file.

    A part is written beside and renamed, so it is whole if it is there, at whatever moment the run was
    killed. Its last record batch carries the position of the input from which to go on.

    `finished` says that an earlier run was killed when the output was in its place.

    Args:
        output: path of the file that is being made.
        run: all that the result depends on. A folder that is there must have been begun with the same.

    Raises:
        WrongUseError: the output exists, or the folder is of another run.
        TableError: the folder cannot be made, or another process works in it.
    """

    def __init__(self, output: str, run: dict[str, object]) -> None:
        self._output = Path(output)
        self.folder = Path(f"{output}.partial")
        run = {**run, "version": __version__}
        if os.path.lexists(output) and not (self.folder / _DONE).exists():
            raise WrongUseError(f"{output}: exists already; delete it or choose another name")
        self.finished = os.path.lexists(output)
        try:
            self.folder.mkdir(exist_ok=True)
            lock = _locked(self.folder / _LOCK)
        except OSError as error:
            raise TableError(f"{output}: cannot be written: {error.strerror or error}") from error
        if lock is None:
            raise TableError(f"{output}: another process is making it, in {self.folder}")
        self._lock = lock
        try:
            self._begin(run)
        except OSError as error:
            self.close()
            raise TableError(f"{output}: cannot be written: {error.strerror or error}") from error
        except TableError:
            self.close()
            raise
        self._count = len(list(self.folder.glob("[0-9]*.arrow")))

    def close(self) -> None:
        """Let another process work in the folder."""
        self._lock.close()

    def _begin(self, run: dict[str, object]) -> None:
        if not (self.folder / _RUN).exists() and not self.finished:
            _clear(self.folder, but=_LOCK)
            _write_json(self.folder / _RUN, run)
        done = self.folder / _DONE
        begun = _read_json(done)["run"] if done.exists() else _read_json(self.folder / _RUN)
        changed = [
            f"{name} was {begun.get(name)!r}, is {run.get(name)!r}"
            for name in sorted({*begun, *run})
            if begun.get(name) != run.get(name)
        ]
        if changed:
            raise WrongUseError(
                f"{self.folder}: holds an unfinished run of something else ({'; '.join(changed)}); "
                "run it as it was, or delete the folder to begin anew"
            )

    def last(self) -> tuple[pa.Schema, dict[str, int]] | None:
        """Return the columns and the checkpoint of the last part; None if there is no part."""
        if not self._count:
            return None
        with pa.ipc.open_file(pa.OSFile(str(self._path(self._count - 1)))) as reader:
            metadata = reader.get_batch_with_custom_metadata(reader.num_record_batches - 1).custom_metadata
            return reader.schema, json.loads(metadata[_CHECKPOINT])

    def add(self, rows: Iterable[Rows]) -> None:
        """Write rows, a part for each checkpoint among them.

        Raises:
            OSError: they cannot be written.
        """
        remaining = iter(rows)
        for first in remaining:
            with replacing(self._path(self._count)) as file, pa.ipc.new_file(file, first.batch.schema) as writer:
                current = first
                writer.write_batch(first.batch, _metadata(first))
                while current.checkpoint is None:
                    current = next(remaining)
                    writer.write_batch(current.batch, _metadata(current))
            self._count += 1

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all parts, in order."""
        for number in range(self._count):
            with pa.ipc.open_file(pa.OSFile(str(self._path(number)))) as reader:
                for at in range(reader.num_record_batches):
                    yield reader.get_batch(at)

    def finish(self, write: Callable[[BinaryIO], dict[str, Any]]) -> dict[str, Any]:
        """Put the output in its place and remove the parts.

        Args:
            write: writes the output, and returns a summary.

        Returns:
            The summary: of an earlier run, if that was killed when all was written.

        Raises:
            OSError: it cannot be written.
        """
        if not self.finished:
            whole = self.folder / _WHOLE
            with replacing(whole) as file:
                summary = write(file)
            _write_json(self.folder / _DONE, {"run": _read_json(self.folder / _RUN), "summary": summary})
            whole.replace(self._output)
        # Killed between these lines, the next run finds that all is done: the file that says so goes last,
        # and first the one without which no part is trusted.
        summary = dict(_read_json(self.folder / _DONE)["summary"])
        (self.folder / _RUN).unlink(missing_ok=True)
        _clear(self.folder, but=_DONE)
        (self.folder / _DONE).unlink()
        self.folder.rmdir()
        return summary

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.arrow"


def _clear(folder: Path, but: str) -> None:
    for path in list(folder.iterdir()):
        if path.name != but:
            path.unlink()


def _metadata(rows: Rows) -> dict[str, str] | None:
    return None if rows.checkpoint is None else {_CHECKPOINT: json.dumps(rows.checkpoint)}


def _locked(path: Path) -> BinaryIO | None:
    """Return an open file that this process alone has locked, until it is closed; None if another process has."""
    file = path.open("ab")
    try:
        import fcntl
    except ImportError:
        return file  # Windows: no lock
    try:
        # A lock of the process: worker processes, which may outlive a killed parent for a moment, do not have it.
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def _write_json(path: Path, value: dict[str, Any]) -> None:
    with replacing(path) as file:
        file.write(json.dumps(value, indent=1).encode("utf-8"))


def _read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value
