"""The finished parts of a result, kept next to the output until it is complete, so that a run can resume."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from simhash_doc import __version__
from simhash_doc.ingest.atomic_write import atomic_write
from simhash_doc.tabular.errors import TabularError, TabularUsageError
from simhash_doc.tabular.rows import Rows

_RUN = "run.json"
_DONE = "done.json"
_OUTPUT = "output"
_LOCK = "lock"
_CHECKPOINT = "checkpoint"


class Parts:
    """The folder `OUTPUT.partial`: a description of the run, and each finished part of its result as an Arrow file.

    Parts are written atomically, so that a part is complete if it exists, whenever the run was killed. The last
    record batch of a part stores the position of the input from which the run resumes.

    Args:
        output: Path of the output.
        run: All that the result depends on. An existing folder must have been begun with the same.

    Attributes:
        folder: The folder.
        finished: Whether an earlier run was killed after it had put the output in its place.

    Raises:
        TabularUsageError: The output exists, or the folder is of another run.
        TabularError: The folder cannot be created, or another process uses it.
    """

    def __init__(self, output: str, run: dict[str, object]) -> None:
        self._output = Path(output)
        self.folder = Path(f"{output}.partial")
        run = {**run, "version": __version__}
        if os.path.lexists(output) and not (self.folder / _DONE).exists():
            raise output_exists(output)
        self.finished = os.path.lexists(output)
        try:
            self.folder.mkdir(exist_ok=True)
            lock = _locked(self.folder / _LOCK)
        except OSError as error:
            raise unwritable(output, error) from error
        if lock is None:
            raise TabularError(f"{output}: another process is writing it, in {self.folder}; wait until it has finished")
        self._lock = lock
        try:
            self._begin(run)
        except OSError as error:
            self.close()
            raise unwritable(output, error) from error
        except TabularError:
            self.close()
            raise
        self._count = len(list(self.folder.glob("[0-9]*.arrow")))

    def close(self) -> None:
        """Release the folder, so that another process can use it."""
        self._lock.close()

    def _begin(self, run: dict[str, object]) -> None:
        if not (self.folder / _RUN).exists() and not self.finished:
            _clear(self.folder, keep=_LOCK)
            _write_json(self.folder / _RUN, run)
        done = self.folder / _DONE
        begun = _read_json(done)["run"] if done.exists() else _read_json(self.folder / _RUN)
        changed = [
            f"{name} was {begun.get(name)!r}, is {run.get(name)!r}"
            for name in sorted({*begun, *run})
            if begun.get(name) != run.get(name)
        ]
        if changed:
            raise TabularUsageError(
                f"{self.folder}: contains an unfinished run with other options or input ({'; '.join(changed)}); "
                "repeat that run, or delete the folder to start again"
            )

    def last(self) -> tuple[pa.Schema, dict[str, int]] | None:
        """Return the columns and the checkpoint of the last part; None if there is no part."""
        if not self._count:
            return None
        with pa.ipc.open_file(pa.OSFile(str(self._path(self._count - 1)))) as reader:
            metadata = reader.get_batch_with_custom_metadata(reader.num_record_batches - 1).custom_metadata
            return reader.schema, json.loads(metadata[_CHECKPOINT])

    def add(self, rows: Iterable[Rows]) -> None:
        """Write rows, one part per checkpoint among them.

        Raises:
            OSError: They cannot be written.
        """
        remaining = iter(rows)
        for first in remaining:
            with atomic_write(self._path(self._count)) as file, pa.ipc.new_file(file, first.batch.schema) as writer:
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
            write: Writes the output and returns a summary.

        Returns:
            The summary; that of an earlier run if it was killed after it had written everything.

        Raises:
            OSError: It cannot be written.
        """
        if not self.finished:
            complete = self.folder / _OUTPUT
            with atomic_write(complete) as file:
                summary = write(file)
            _write_json(self.folder / _DONE, {"run": _read_json(self.folder / _RUN), "summary": summary})
            complete.replace(self._output)
        # A run that is killed between these lines is recognized as finished by the next one: the file that records it
        # is deleted last, and the file without which no part is trusted is deleted first.
        summary = dict(_read_json(self.folder / _DONE)["summary"])
        (self.folder / _RUN).unlink(missing_ok=True)
        _clear(self.folder, keep=_DONE)
        (self.folder / _DONE).unlink()
        self.folder.rmdir()
        return summary

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.arrow"


def output_exists(output: str) -> TabularUsageError:
    """Return the error for an output that must not be replaced."""
    return TabularUsageError(f"{output}: exists already; delete it or choose another name")


def unwritable(output: str, error: OSError) -> TabularError:
    """Return the error for an output that cannot be written."""
    return TabularError(f"{output}: cannot be written: {error.strerror or error}")


def _clear(folder: Path, keep: str) -> None:
    for path in list(folder.iterdir()):
        if path.name != keep:
            path.unlink()


def _metadata(rows: Rows) -> dict[str, str] | None:
    return None if rows.checkpoint is None else {_CHECKPOINT: json.dumps(rows.checkpoint)}


def _locked(path: Path) -> BinaryIO | None:
    """Return an open file that only this process has locked, until it is closed; None if another process has."""
    file = path.open("ab")
    try:
        import fcntl
    except ImportError:
        return file  # Windows: no lock
    try:
        # This lock belongs to the process: worker processes, which may outlive a killed parent briefly, do not hold it.
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def _write_json(path: Path, value: dict[str, Any]) -> None:
    with atomic_write(path) as file:
        file.write(json.dumps(value, indent=1).encode("utf-8"))


def _read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value
