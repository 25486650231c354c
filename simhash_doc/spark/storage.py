"""Tables in and out, as Parquet. An output is there whole or not at all.

All tables of a run are written to a folder beside the output, which is renamed when the last one is complete. On
HDFS and local disks that is one step; an object store copies, and there `_SUCCESS` comes last.
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

FORMATS = ("parquet", "json")
_REPORT, _SUCCESS = "report.json", "_SUCCESS"


def read(spark: SparkSession, paths: Sequence[str], form: str = "parquet") -> DataFrame:
    """Return the rows of Parquet files or folders, or of JSON-lines files.

    Raises:
        BadInputError: there are none, or they cannot be read.
    """
    try:
        reader = spark.read
        return reader.json(list(paths)) if form == "json" else reader.parquet(*paths)
    except (AnalysisException, Py4JJavaError) as error:
        raise BadInputError(f"{', '.join(paths)}: cannot be read: {_reason(error)}") from error


@dataclass(frozen=True)
class Output:
    """A folder that is being written."""

    spark: SparkSession
    target: str
    beside: str

    def write(self, table: DataFrame, name: str) -> DataFrame:
        """Write a table into the folder, and return it as it was written."""
        path = f"{self.beside}/{name}"
        table.write.parquet(path)
        return self.spark.read.schema(table.schema).parquet(path)

    def remove(self, name: str) -> None:
        """Delete a table that was written."""
        files, path = _files(self.spark, self.beside)
        files.delete(_child(self.spark, path, name), True)

    def report(self, facts: dict[str, Any]) -> None:
        """Write what the run did, as JSON."""
        files, path = _files(self.spark, self.beside)
        with _closing(files.create(_child(self.spark, path, _REPORT))) as stream:
            stream.write(bytearray((json.dumps(facts, indent=1) + "\n").encode()))


@contextmanager
def complete_or_absent(spark: SparkSession, target: str) -> Iterator[Output]:
    """Give a folder to write to that takes the name `target` when the block ends, and is deleted if it fails.

    A checkpoint directory is set for the session while the block runs, if it has none.

    Raises:
        OutputError: the target exists, or nothing can be written there; told before anything is computed.
    """
    target = target.rstrip("/")
    parent, _, name = target.rpartition("/")
    beside = f"{parent}/" * bool(parent) + f".{name}.{os.getpid()}.{os.urandom(4).hex()}.part"
    try:
        files, path = _files(spark, target)
        if files.exists(path):
            raise OutputError(f"{target}: exists already; a run writes a new folder")
        _, temporary = _files(spark, beside)
        if not files.mkdirs(temporary):
            raise OutputError(f"{target}: cannot be written: its folder cannot be made")
        files.createNewFile(_child(spark, temporary, ".writable"))
        files.delete(_child(spark, temporary, ".writable"), False)
    except Py4JJavaError as error:
        raise OutputError(f"{target}: cannot be written: {_reason(error)}") from error
    try:
        with _checkpoints_in(spark, f"{beside}/_checkpoints"):
            yield Output(spark, target, beside)
        files.delete(_child(spark, temporary, "_checkpoints"), True)
        files.create(_child(spark, temporary, _SUCCESS)).close()
        if files.exists(path) or not files.rename(temporary, path):
            raise OutputError(f"{target}: cannot be written: it came to exist during the run")
    except BaseException:
        with suppress(Py4JError, OSError):  # Java itself may be gone
            files.delete(temporary, True)
        raise


def read_report(spark: SparkSession, folder: str) -> dict[str, Any]:
    """Return what a finished run wrote about itself.

    Raises:
        BadInputError: the folder is no output of a finished run.
    """
    try:
        files, path = _files(spark, folder)
        if not files.exists(_child(spark, path, _SUCCESS)):
            raise BadInputError(f"{folder}: is no output of a finished run: it has no {_SUCCESS}")
        with _closing(files.open(_child(spark, path, _REPORT))) as stream:
            read: dict[str, Any] = json.loads(bytes(stream.readAllBytes()))
            return read
    except (Py4JJavaError, ValueError) as error:
        raise BadInputError(f"{folder}: is no output of a finished run: {_reason(error)}") from error


@contextmanager
def _checkpoints_in(spark: SparkSession, folder: str) -> Iterator[None]:
    """Set the checkpoint directory of a session that has none, and take it away again."""
    context = spark.sparkContext
    if context.getCheckpointDir():
        yield
        return
    context.setCheckpointDir(folder)
    try:
        yield
    finally:
        # There is no public way to unset it; a later checkpoint would make the folder again.
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
    """Return the first line of what Java or Spark says."""
    text = str(error.java_exception.getMessage() or error) if isinstance(error, Py4JJavaError) else str(error)
    return text.strip().partition("\n")[0]
