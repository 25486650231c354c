"""Input and output of tables as Parquet. An output is written atomically.

All tables of a run are written to a temporary folder, which is renamed when the last one is complete. On
HDFS and local disks that is atomic; an object store copies, and `_SUCCESS` is copied last.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from simhash_doc.spark.errors import BadInputError, OutputError

_HEAD = 1 << 16
_REPORT, _SUCCESS = "report.json", "_SUCCESS"


def read(spark: SparkSession, paths: Sequence[str], input_format: str = "parquet") -> DataFrame:
    """Return the rows of files or folders.

    Args:
        input_format: parquet, json (JSON lines), csv (with a header), or text, which has one column, value.

    Raises:
        BadInputError: they do not exist or cannot be read.
    """
    try:
        reader = spark.read
        if input_format == "csv":  # quoted as RFC 4180 does, with line ends in paths
            return reader.csv(list(paths), header=True, multiLine=True, escape='"')
        return reader.parquet(*paths) if input_format == "parquet" else getattr(reader, input_format)(list(paths))
    except (AnalysisException, Py4JJavaError) as error:
        raise BadInputError(f"{', '.join(paths)}: cannot be read: {_reason(error)}") from error


def head_of(spark: SparkSession, path: str) -> bytes:
    """Return the first bytes of a file, or of the first file below a folder that is not hidden; empty if it has none.

    Raises:
        Py4JJavaError: it cannot be read.
    """
    files, pattern = _files(spark, path)
    waiting = list(files.globStatus(pattern) or ())[::-1]
    while waiting:
        status = waiting.pop()
        if status.isDirectory():
            below = sorted(files.listStatus(status.getPath()), key=lambda one: one.getPath().getName(), reverse=True)
            waiting += [one for one in below if not one.getPath().getName().startswith(("_", "."))]
        elif status.getLen():
            with _closing(files.open(status.getPath())) as stream:
                return bytes(stream.readNBytes(_HEAD))
    return b""


@dataclass(frozen=True)
class Output:
    """A folder that is being written."""

    spark: SparkSession
    target: str
    temporary: str

    def write(self, table: DataFrame, name: str, rows_per_file: int = 0) -> DataFrame:
        """Write a table to the folder, and return the written table.

        Args:
            rows_per_file: maximum number of rows in a file; 0 for any.
        """
        path = f"{self.temporary}/{name}"
        table.write.option("maxRecordsPerFile", rows_per_file).parquet(path)
        return self.spark.read.schema(table.schema).parquet(path)

    def remove(self, name: str) -> None:
        """Delete a table that was written."""
        files, path = _files(self.spark, self.temporary)
        files.delete(_child(self.spark, path, name), True)

    def report(self, facts: dict[str, Any]) -> None:
        """Write the report of the run as JSON."""
        files, path = _files(self.spark, self.temporary)
        with _closing(files.create(_child(self.spark, path, _REPORT))) as stream:
            stream.write(bytearray((json.dumps(facts, indent=1) + "\n").encode()))


@contextmanager
def atomic_output(spark: SparkSession, target: str) -> Iterator[Output]:
    """Yield a folder to write to, which is renamed to `target` when the block ends, and deleted if it fails.

    A checkpoint directory is set for the session while the block runs, if it has none.

    Raises:
        OutputError: the target exists or is not writable; raised before anything is computed.
    """
    target = target.rstrip("/")
    parent, _, name = target.rpartition("/")
    folder = f"{parent}/" * bool(parent) + f".{name}.{os.getpid()}.{os.urandom(4).hex()}.part"
    try:
        files, path = _files(spark, target)
        if files.exists(path):
            raise OutputError(f"{target}: exists; a run writes to a new folder")
        _, temporary = _files(spark, folder)
        if not files.mkdirs(temporary):
            raise OutputError(f"{target}: cannot be written: its folder cannot be created")
        files.createNewFile(_child(spark, temporary, ".writable"))
        files.delete(_child(spark, temporary, ".writable"), False)
    except Py4JJavaError as error:
        raise OutputError(f"{target}: cannot be written: {_reason(error)}") from error
    try:
        with _checkpoints_in(spark, f"{folder}/_checkpoints"):
            yield Output(spark, target, folder)
        files.delete(_child(spark, temporary, "_checkpoints"), True)
        files.create(_child(spark, temporary, _SUCCESS)).close()
        if files.exists(path) or not files.rename(temporary, path):
            raise OutputError(f"{target}: cannot be written: it was created by another process during the run")
    except BaseException:
        with suppress(Py4JError, OSError):  # Java itself may be gone
            files.delete(temporary, True)
        raise


def read_report(spark: SparkSession, folder: str) -> dict[str, Any]:
    """Return the report of a finished run.

    Raises:
        BadInputError: the folder is not the output of a finished run.
    """
    try:
        files, path = _files(spark, folder)
        if not files.exists(_child(spark, path, _SUCCESS)):
            raise BadInputError(f"{folder}: is not the output of a finished run: it has no {_SUCCESS}")
        with _closing(files.open(_child(spark, path, _REPORT))) as stream:
            facts = json.loads(bytes(stream.readAllBytes()))
    except (Py4JJavaError, ValueError, RecursionError) as error:
        raise BadInputError(f"{folder}: is not the output of a finished run: {_reason(error)}") from error
    if not isinstance(facts, dict):
        raise BadInputError(f"{folder}: its report is invalid: {_REPORT} holds {facts!r:.60}, not an object")
    return facts


@contextmanager
def _checkpoints_in(spark: SparkSession, folder: str) -> Iterator[None]:
    """Set the checkpoint directory of a session that has none, and unset it at the end."""
    context = spark.sparkContext
    if context.getCheckpointDir():
        yield
        return
    context.setCheckpointDir(folder)
    try:
        yield
    finally:
        # There is no public way to unset it; a later checkpoint would create the folder again.
        if context._jsc is not None and context._jvm is not None:
            getattr(context._jsc.sc(), "checkpointDir_$eq")(context._jvm.scala.Option.empty())


@contextmanager
def _closing(stream: Any) -> Iterator[Any]:
    try:
        yield stream
    finally:
        stream.close()


def _files(spark: SparkSession, name: str) -> tuple[Any, Any]:
    """Return Hadoop's file system of a path, and the path in it."""
    context = spark.sparkContext
    jvm = context._jvm
    assert jvm is not None
    path = jvm.org.apache.hadoop.fs.Path(name)
    return path.getFileSystem(context._jsc.hadoopConfiguration()), path


def _child(spark: SparkSession, folder: Any, name: str) -> Any:
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    return jvm.org.apache.hadoop.fs.Path(folder, name)


def _reason(error: Exception) -> str:
    """Return the first line of the message of Java or Spark."""
    text = str(error.java_exception.getMessage() or error) if isinstance(error, Py4JJavaError) else str(error)
    return text.strip().partition("\n")[0]
