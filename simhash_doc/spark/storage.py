"""Reading tables of fingerprints in every form that a command writes, and writing outputs as Parquet.

All tables of a run are written to a temporary folder, which is renamed when the last one is complete. On
HDFS and local disks that is atomic; an object store copies, and `_SUCCESS` is copied last.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import subprocess
import time
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import psutil
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from simhash_doc.entries import UnreadableInputError, UnreadableLineError
from simhash_doc.entries.entry import escaped_name, parse_texts
from simhash_doc.entries.formats import detected
from simhash_doc.entries.line_formats import parse_line
from simhash_doc.entries.part_names import MissingPartsWarning, missing_parts
from simhash_doc.errors import SimhashDocError, SpecError, warn_caller
from simhash_doc.files import followed
from simhash_doc.provenance import (
    METADATA_KEY,
    InvalidProvenanceError,
    Provenance,
    ProvenanceCheck,
    ProvenanceWarning,
)
from simhash_doc.spark.columns import BadColumnError, column_types, entries

_TABLES = ("parquet", "json", "csv")
_PROBLEM = "problem"
_DETECTED_LINES = 100
_LINES = StructType(
    [StructField("id", StringType()), StructField("fingerprint", BinaryType()), StructField(_PROBLEM, StringType())]
)
_CLAIM = "_claim.json"
# Readers of Parquet folders skip names with an underscore.
_REPORT, _SUCCESS, _DIGESTS = "_report.json", "_SUCCESS", "_digests.json"
COLUMN_KEY = METADATA_KEY.decode()
_GRACE = 10.0  # seconds in which tasks, or Java, end after an interruption


class BadInputError(SimhashDocError):
    """An input does not exist or cannot be read."""

    code = "input"


class OutputError(SimhashDocError):
    """An output cannot be written."""

    code = "output"


class OutputExistsError(OutputError):
    """An output exists already."""

    code = "output-exists"
    is_usage = True


# Reading


def read_data_frame(spark: SparkSession, paths: Sequence[str], input_format: str = "parquet") -> DataFrame:
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
        if input_format == "parquet":  # damage to a page is an error that names the file
            return reader.option("parquet.page.verify-checksum.enabled", "true").parquet(*paths)
        reading: DataFrame = getattr(reader, input_format)(list(paths))
        return reading
    except (AnalysisException, Py4JJavaError) as error:
        raise BadInputError(f"{', '.join(paths)}: cannot be read: {_reason(error)}") from error


def read_table(spark: SparkSession, paths: Sequence[str], input_format: str = "auto") -> DataFrame:
    """Return the rows of Parquet files, JSON lines or CSV files.

    Raises:
        BadInputError: the files cannot be read, or are of another format.
    """
    form = _detected(spark, paths) if input_format == "auto" else input_format
    if form not in _TABLES:
        raise BadInputError(
            f"{', '.join(paths)}: not a Parquet file, JSON lines or CSV; --input-format sets the format"
        )
    return _read_input(spark, paths, form)


def _read_input(spark: SparkSession, paths: Sequence[str], form: str) -> DataFrame:
    """Return what `read_data_frame` does.

    Warns:
        MissingPartsWarning: files of Spark seem to be missing.
    """
    df = read_data_frame(spark, paths, form)
    for missing in missing_parts(df.inputFiles()):
        warnings.warn(
            f"{', '.join(paths)}: no {missing}: if these partitions were not empty, their rows are missing",
            MissingPartsWarning,
            stacklevel=3,
        )
    return df


def id_column_name(df: DataFrame, id_col: str | None) -> str:
    """Return the name of the column with the ids: as given, or the first of id and path that exists."""
    return id_col or ("path" if "path" in df.columns and "id" not in df.columns else "id")


def read_entry_table(
    spark: SparkSession,
    paths: Sequence[str],
    input_format: str = "auto",
    id_col: str | None = None,
    fp_col: str = "fingerprint",
    *,
    what: str = "the input",
    with_ids: bool = True,
) -> DataFrame:
    """Return fingerprints in any form that the commands write as columns id and fingerprint (binary).

    Args:
        paths: files or folders of one format.
        input_format: one of `entries.formats.FORMATS`, or auto, which detects it from the beginning of a file.
        id_col: the column with the ids; None for the first of id and path that exists. Lines have one of them.
        fp_col: the column with the fingerprints.
        what: the name of the table in messages.
        with_ids: False if ids are not needed: lines of digits have none.

    Raises:
        BadInputError: the files cannot be read, or have no ids.
        BadColumnError: a column does not exist or has another type, or a fingerprint cannot be read.
    """
    form = _detected(spark, paths) if input_format == "auto" else input_format
    if form in _TABLES:
        df = _read_input(spark, paths, form)
        id_col = id_column_name(df, id_col)
        if isinstance(column_types(df, id_col, fp_col, what=what)[fp_col], StringType):
            names = [id_col, fp_col, *(["scheme"] if "scheme" in df.columns else [])]
            fields = [df.schema[id_col], StructField(fp_col, BinaryType()), _LINES[_PROBLEM]]
            chosen = df.select(*(F.col(f"`{name}`") for name in names))
            df = _without_problems(chosen.mapInArrow(_parse_column, StructType(fields)), what)
        return entries(df, id_col, fp_col, what)
    lines = _read_input(spark, paths, "text").mapInArrow(partial(_parse_lines, form), _LINES)
    lines = _without_problems(lines, what)
    if form == "text":
        return lines
    if with_ids:
        raise BadInputError(
            f"{', '.join(paths)}: the fingerprints have no ids; write lines with paths, as `simhash-doc fingerprint` "
            "does, or use find-all with --values"
        )
    return lines.withColumn("id", F.monotonically_increasing_id())


def _detected(spark: SparkSession, paths: Sequence[str]) -> str:
    """Return the format of files from the beginning of one of them; Parquet if it is empty.

    Raises:
        BadInputError: a file does not exist or cannot be read.
    """
    try:
        lines = read_data_frame(spark, paths, "text").limit(_DETECTED_LINES).collect()
        return detected(io.BytesIO("\n".join(row["value"] for row in lines).encode()))[0] or "parquet"
    except (Py4JJavaError, UnreadableInputError) as error:
        raise BadInputError(f"{', '.join(paths)}: {_reason(error)}") from error


def _without_problems(parsed: DataFrame, what: str) -> DataFrame:
    """Read a table once, and reject fingerprints that cannot be read."""
    problems = parsed.where(F.col(_PROBLEM).isNotNull()).limit(3).collect()
    if problems:
        listed = "; ".join(row[_PROBLEM] if row[0] is None else f"{row[_PROBLEM]} (id {row[0]!r})" for row in problems)
        raise BadColumnError(f"{what} has fingerprints that cannot be read: {listed}")
    return parsed.drop(_PROBLEM)


def _parse_column(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        schemes = batch.column("scheme").to_pylist() if batch.num_columns > 2 else None
        found, problems = parse_texts(batch.column(1).to_pylist(), schemes)
        columns = [batch.column(0), pa.array(found, pa.binary()), _texts(problems, len(found))]
        yield pa.record_batch(columns, names=[*batch.schema.names[:2], _PROBLEM])


def _parse_lines(form: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        names: list[str | None] = []
        found: list[bytes | None] = []
        problems: dict[int, str] = {}
        for line in batch.column(0).cast(pa.binary()).to_pylist():
            text = line.decode("utf-8", "surrogateescape").strip()
            if not text:
                continue
            try:
                row = parse_line(text, form)
                names.append(None if row.name is None else escaped_name(str(row.name)))
                found.append(None if row.fingerprint is None else bytes(row.fingerprint))
            except (UnreadableLineError, SpecError) as error:
                problems[len(names)] = str(error)
                names.append(None)
                found.append(None)
        columns = [pa.array(names, pa.string()), pa.array(found, pa.binary()), _texts(problems, len(found))]
        yield pa.record_batch(columns, names=_LINES.names)


def _texts(problems: dict[int, str], rows: int) -> pa.Array:
    return pa.array([problems.get(at) for at in range(rows)], pa.string())


# The provenance of a column of fingerprints: metadata of the column, which Spark keeps in Parquet.


def column_provenance(rows: DataFrame, what: str) -> Provenance | None:
    """Return the provenance of the column fingerprint; None if it is not known.

    Args:
        what: the table, for messages.

    Raises:
        BadInputError: the metadata of the column are invalid.
    """
    text = rows.schema["fingerprint"].metadata.get(COLUMN_KEY)
    try:
        return None if text is None else Provenance.from_json(str(text))
    except InvalidProvenanceError as error:
        raise BadInputError(f"{what}: the metadata of the fingerprints: {error}") from error


def check_combined(later: Provenance | None, earlier: list[Provenance], what: str) -> None:
    """Compare the provenance of fingerprints with that of those they are combined with.

    Raises:
        SchemeMismatchError: they cannot be compared.

    Warns:
        ProvenanceWarning: distances between them are less reliable.
    """
    if warning := ProvenanceCheck(earlier).add(later):
        warn_caller(f"{what} are {warning}", ProvenanceWarning)


# Writing


@dataclass(frozen=True)
class Output:
    """A folder that is being written."""

    spark: SparkSession
    target: str
    temporary: str

    def write(self, table: DataFrame, name: str, rows_per_file: int = 0) -> DataFrame:
        """Write a table to the folder, and return the written table.

        Args:
            name: a folder below; empty for the folder itself, whose only table it is.
            rows_per_file: maximum number of rows in a file; 0 for any.
        """
        path = f"{self.temporary}/{name}".rstrip("/")
        table.write.mode("append").option("maxRecordsPerFile", rows_per_file).parquet(path)
        return self.spark.read.schema(table.schema).parquet(path)

    def remove(self, name: str) -> None:
        """Delete a table that was written."""
        files, path = _files(self.spark, f"{self.temporary}/{name}")
        files.delete(path, True)

    def report(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Write the report of the run as JSON, and return it."""
        _write_json(self.spark, f"{self.temporary}/{_REPORT}", facts)
        return facts

    def record_digests(self, *names: str) -> None:
        """Write the digests of all files of some tables, which `check_digests` compares."""
        found = _digests(self.spark, {f"{self.temporary}/{name}": () for name in names})
        _write_json(self.spark, f"{self.temporary}/{_DIGESTS}", dict(zip(names, found.values(), strict=True)))


def _owner_of(spark: SparkSession, claim: str) -> str | None:
    """Return the process that holds a claim; None if it ran on this machine and has ended."""
    try:
        host, pid, started = _read_json(spark, claim)
    except (Py4JJavaError, ValueError, TypeError):
        return "its claim cannot be read"
    return None if host == socket.gethostname() and _started(pid) != started else f"process {pid} on {host}"


def _started(pid: int) -> float | None:
    """Return the time at which a process started, in seconds since 1970; None if there is none."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


@contextmanager
def atomic_output(spark: SparkSession, target: str) -> Iterator[Output]:
    """Yield a folder to write to, which is renamed to `target` when the block ends, and deleted if it fails.

    A checkpoint directory is set for the session while the block runs, if it has none.

    Raises:
        OutputError: the target exists, is not writable, or is being written by another run; raised before
            anything is computed.
    """
    target = target.rstrip("/")
    parent, _, name = target.rpartition("/")
    folder = f"{parent}/" * bool(parent) + f".{name}.part"
    try:
        files, path = _files(spark, target)
        if files.exists(path):
            raise OutputExistsError(f"{target}: exists; a run writes to a new folder")
        for name in (target, folder):
            _check_links(*_files(spark, name))
        temporary, claim = _path(spark, folder), f"{folder}/{_CLAIM}"
        local = _local(files, temporary)
        has_claim = files.exists(_path(spark, claim))
        if has_claim and (owner := _owner_of(spark, claim)):
            raise OutputError(
                f"{target}: another run writes to it ({owner}); if that run was killed, delete {folder} and repeat"
            )
        if not has_claim and files.exists(temporary) and len(files.listStatus(temporary)):
            raise OutputError(f"{target}: its unfinished results need {folder}, which is not of a run; rename it")
        files.delete(temporary, True)  # left by a run on this machine that was killed
    except (Py4JJavaError, OSError) as error:
        raise OutputError(f"{target}: cannot be written: {_reason(error)}") from error
    claimed = False
    try:
        try:
            if not files.mkdirs(temporary):
                raise OutputError(f"{target}: cannot be written: its folder cannot be created")
            _write_json(spark, claim, [socket.gethostname(), os.getpid(), _started(os.getpid())])
            claimed = True
        except (Py4JJavaError, OSError) as error:
            raise OutputError(f"{target}: cannot be written: {_reason(error)}") from error
        with _checkpoints_in(spark, f"{folder}/_checkpoints"):
            yield Output(spark, target, folder)
        files.delete(_path(spark, f"{folder}/_checkpoints"), True)
        files.create(_path(spark, f"{folder}/{_SUCCESS}")).close()
        if files.exists(path) or not files.rename(temporary, path):
            raise OutputError(f"{target}: cannot be written: it was created by another process during the run")
        files.delete(_path(spark, f"{target}/{_CLAIM}"), False)
    except BaseException as error:
        if isinstance(error, Exception) and not claimed:  # another run may have claimed the folder just now
            raise
        try:
            if not isinstance(error, Exception):
                _end_tasks(spark)
            files.delete(temporary, True)
        except (Py4JError, OSError):  # Java was ended, too
            if local and (java := spark.sparkContext._gateway.proc):
                with suppress(subprocess.TimeoutExpired):
                    java.wait(_GRACE)
                shutil.rmtree(local, ignore_errors=True)
        raise


def _end_tasks(spark: SparkSession) -> None:
    """End what the jobs of an interrupted run do: a task that goes on would create its folder again."""
    context = spark.sparkContext
    for _ in range(2):  # the first call after an interruption of another often fails
        with suppress(Py4JError):
            context.cancelAllJobs()
    tracker = context._jsc.sc().statusTracker()
    give_up = time.monotonic() + _GRACE
    while any(one.numRunningTasks() for one in tracker.getExecutorInfos()) and time.monotonic() < give_up:
        time.sleep(0.05)


def _local(files: Any, path: Any) -> str | None:
    """Return the path of a file on this machine, or None for one elsewhere."""
    return str(files.makeQualified(path).toUri().getPath()) if files.getUri().getScheme() == "file" else None


def _check_links(files: Any, path: Any) -> None:
    """Refuse the links of other users on the way to a path on this machine, which Hadoop follows, as `followed` does.

    Raises:
        OSError: there is one.
    """
    if local := _local(files, path):
        followed(local)


def _digests(spark: SparkSession, tables: Mapping[str, Collection[str]]) -> dict[str, dict[str, str]]:
    """Return the SHA-256 of Parquet files by folder and name.

    Args:
        tables: folders, and the names of files in each; empty for all.
    """
    paths = [f"{folder}/{name}" for folder, names in tables.items() for name in names or ("",)]
    found = spark.read.format("binaryFile").option("pathGlobFilter", "*.parquet").load(paths)
    by_folder = defaultdict[str, dict[str, str]](dict)
    for row in found.select("path", F.sha2("content", 256).alias("digest")).collect():
        folder, _, name = row["path"].rpartition("/")
        by_folder[folder][name] = row["digest"]
    qualified = {folder: files.makeQualified(path) for folder in tables for files, path in [_files(spark, folder)]}
    return {folder: by_folder[path.toString()] for folder, path in qualified.items()}


def check_digests(spark: SparkSession, table: str, runs: Mapping[str, Collection[str]]) -> None:
    """Compare the files of a table of finished runs with the digests that the runs recorded.

    Args:
        runs: the folder of each run, and the names of the files to compare; empty for all.

    Raises:
        BadInputError: a file is missing, damaged or not of the run.
    """
    recorded = {folder: read_json(spark, folder, _DIGESTS).get(table) for folder in runs}
    try:
        found = _digests(spark, {f"{folder}/{table}": names for folder, names in runs.items()})
    except (AnalysisException, Py4JJavaError) as error:
        raise BadInputError(f"{table} of {', '.join(runs)}: cannot be read: {_reason(error)}") from error
    for folder, names in runs.items():
        expected, present = recorded[folder], found[f"{folder}/{table}"]
        if not isinstance(expected, dict):
            raise BadInputError(f"{folder}/{_DIGESTS}: is invalid: it has no digests of {table}")
        for name in sorted({*(names or expected), *present}):
            if name not in present:
                raise BadInputError(f"{folder}/{table}/{name}: is missing; restore the file")
            if present[name] != expected.get(name):
                raise BadInputError(
                    f"{folder}/{table}/{name}: is damaged: its SHA-256 is not the one in {_DIGESTS}; restore the file"
                )


def read_json(spark: SparkSession, folder: str, name: str = _REPORT) -> dict[str, Any]:
    """Return the report of a finished run.

    Raises:
        BadInputError: the folder is not the output of a finished run.
    """
    try:
        files, success = _files(spark, f"{folder}/{_SUCCESS}")
        if not files.exists(success):
            raise BadInputError(f"{folder}: is not the output of a finished run: it has no {_SUCCESS}")
        facts = _read_json(spark, f"{folder}/{name}")
    except (Py4JJavaError, ValueError, RecursionError) as error:
        raise BadInputError(f"{folder}: is not the output of a finished run: {_reason(error)}") from error
    if not isinstance(facts, dict):
        raise BadInputError(f"{folder}: its report is invalid: {name} holds {facts!r:.60}, not an object")
    return facts


def _read_json(spark: SparkSession, name: str) -> Any:
    files, path = _files(spark, name)
    with closing(files.open(path)) as stream:
        return json.loads(bytes(stream.readAllBytes()))


def _write_json(spark: SparkSession, name: str, value: object) -> None:
    """Write a file that does not exist yet."""
    files, path = _files(spark, name)
    with closing(files.create(path, False)) as stream:
        stream.write(bytearray((json.dumps(value, indent=1) + "\n").encode()))


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
        for _ in range(2):  # the first call after an interruption of another often fails
            with suppress(Py4JError):
                if context._jsc is not None and context._jvm is not None:
                    getattr(context._jsc.sc(), "checkpointDir_$eq")(context._jvm.scala.Option.empty())


def _files(spark: SparkSession, name: str) -> tuple[Any, Any]:
    """Return Hadoop's file system of a path, and the path in it."""
    path = _path(spark, name)
    return path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()), path


def _path(spark: SparkSession, name: str) -> Any:
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    return jvm.org.apache.hadoop.fs.Path(name)


def _reason(error: Exception) -> str:
    """Return the first line of the message of Java or Spark."""
    text = str(error.java_exception.getMessage() or error) if isinstance(error, Py4JJavaError) else str(error)
    return text.strip().partition("\n")[0]
