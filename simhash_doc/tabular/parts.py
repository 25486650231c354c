"""The finished parts of a result, kept next to the output until it is complete, so that a run can resume."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from simhash_doc import __version__
from simhash_doc.errors import SimhashDocError
from simhash_doc.files import DONE, OUTPUT, RUN, PartFolder, atomic_write
from simhash_doc.tabular.errors import TabularError, TabularUsageError
from simhash_doc.tabular.rows import Rows

_CHECKPOINT = "checkpoint"
_PART_NAME = r"[0-9]{6,}\.arrow"


class Parts:
    """The folder `OUTPUT.partial`: a description of the run, and each finished part of its result as an Arrow file.

    Parts are written atomically, so that a part is complete if it exists, whenever the run was killed. The last
    record batch of a part stores the position of the input from which the run resumes.

    Args:
        output: Path of the output.
        run: Everything that the result depends on. An existing folder must be of a run with the same values.

    Attributes:
        folder: The folder.
        finished: Whether an earlier run was killed after it had moved the output to its final path.

    Raises:
        TabularUsageError: The output exists, or the folder is of another run or was not created by this program.
        TabularError: The folder cannot be created or is corrupt, or another process uses it.
    """

    def __init__(self, output: str, run: dict[str, object]) -> None:
        self._output = Path(output)
        self.folder = Path(f"{output}.partial")
        run = {**run, "version": __version__}
        if os.path.lexists(output) and not (self.folder / DONE).exists():
            raise output_exists(output)
        self.finished = os.path.lexists(output)
        try:
            self._own = PartFolder(self.folder, _PART_NAME, TabularError, TabularUsageError)
        except OSError as error:
            raise unwritable(output, error) from error
        try:
            self._begin(run)
            self._count = self._own.count_parts()
        except OSError as error:
            self.close()
            raise unwritable(output, error) from error
        except TabularError:
            self.close()
            raise

    def close(self) -> None:
        """Release the folder, so that another process can use it."""
        self._own.close()

    def corrupt(self, name: str) -> SimhashDocError:
        """Return the error for a file of the folder with invalid content."""
        return self._own.corrupt(name)

    def _begin(self, run: dict[str, object]) -> None:
        if not self._own.exists(RUN) and not self.finished:
            self._own.clear()
            self._own.write(RUN, run)
        self._own.check_run(self._begun(), run)

    def _begun(self) -> dict[str, object]:
        """Return the description of the run that created the folder."""
        if not self._own.exists(DONE):
            return self._own.read(RUN)
        done = self._own.read(DONE)
        if not (isinstance(done.get("run"), dict) and isinstance(done.get("summary"), dict)):
            raise self.corrupt(DONE)
        begun: dict[str, object] = done["run"]
        return begun

    def last(self) -> tuple[pa.Schema, dict[str, int]] | None:
        """Return the columns and the checkpoint of the last part; None if there is no part.

        Raises:
            TabularError: The part is corrupt.
        """
        if not self._count:
            return None
        with self._opened(self._count - 1) as reader:
            metadata = reader.get_batch_with_custom_metadata(reader.num_record_batches - 1).custom_metadata
            position = json.loads(metadata[_CHECKPOINT])
            if not all(type(value) is int and value >= 0 for value in position.values()):
                raise ValueError("the checkpoint is not a position")
            return reader.schema, position

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

    def batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all parts, in order.

        Args:
            schema: The columns that each part must have.

        Raises:
            TabularError: A part is corrupt.
        """
        for number in range(self._count):
            with self._opened(number) as reader:
                if not reader.schema.equals(schema, check_metadata=True):
                    raise ValueError("the columns are others")
                for at in range(reader.num_record_batches):
                    yield reader.get_batch(at)

    def finish(self, write: Callable[[BinaryIO], dict[str, Any]]) -> dict[str, Any]:
        """Move the complete output to its final path and remove the parts.

        Args:
            write: Writes the output and returns a summary.

        Returns:
            The summary; that of an earlier run if it was killed after it had written everything.

        Raises:
            OSError: It cannot be written.
        """
        if not self.finished:
            complete = self.folder / OUTPUT
            with atomic_write(complete) as file:
                written = write(file)
            self._own.write(DONE, {"run": self._own.read(RUN), "summary": written})
            complete.replace(self._output)
        # A run that is killed between these lines is recognized as finished by the next one: the file that records it
        # is deleted last, and the file without which no part is trusted is deleted first.
        summary: dict[str, Any] = self._own.read(DONE)["summary"]
        (self.folder / RUN).unlink(missing_ok=True)
        self._own.clear(keep=DONE)
        self._own.remove()
        return summary

    @contextmanager
    def _opened(self, number: int) -> Iterator[pa.ipc.RecordBatchFileReader]:
        try:
            with pa.ipc.open_file(pa.OSFile(str(self._path(number)))) as reader:
                yield reader
        except (pa.ArrowException, AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise self.corrupt(self._path(number).name) from error

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.arrow"


def output_exists(output: str) -> TabularUsageError:
    """Return the error for an output that must not be replaced."""
    return TabularUsageError(f"{output}: exists already; delete it or choose another name")


def unwritable(output: str, error: OSError) -> TabularError:
    """Return the error for an output that cannot be written."""
    return TabularError(f"{output}: cannot be written: {error.strerror or error}")


def _metadata(rows: Rows) -> dict[str, str] | None:
    return None if rows.checkpoint is None else {_CHECKPOINT: json.dumps(rows.checkpoint)}
