"""Entries in every form that a command writes, as tables with binary fingerprints."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from simhash_doc.errors import SpecError
from simhash_doc.ingest.entries import FORMATS, parse_line, parse_texts, texts_of
from simhash_doc.ingest.entries.detect import detected
from simhash_doc.ingest.errors import UnreadableInputError, UnreadableLineError
from simhash_doc.spark.errors import BadColumnError, BadInputError
from simhash_doc.spark.storage import head_of, read

INPUT_FORMATS = ("auto", *FORMATS)
_TABLES = ("parquet", "json", "csv")
_NAMES = ("id", "path")
_PROBLEM = "problem"
_LINES = StructType(
    [StructField("id", StringType()), StructField("fingerprint", BinaryType()), StructField(_PROBLEM, StringType())]
)


@dataclass(frozen=True)
class Entries:
    """A table of fingerprints.

    Attributes:
        df: the table; a column of texts with fingerprints is converted to binary.
        id_col: its column with the ids.
        fp_col: its column with the fingerprints.
    """

    df: DataFrame
    id_col: str
    fp_col: str

    def renamed(self, id_col: str, fp_col: str) -> DataFrame:
        """Return the table with other names for the two columns."""
        if (id_col, fp_col) == (self.id_col, self.fp_col):
            return self.df
        return self.df.select(F.col(f"`{self.id_col}`").alias(id_col), F.col(f"`{self.fp_col}`").alias(fp_col))


def read_table(spark: SparkSession, paths: Sequence[str], input_format: str = "auto") -> DataFrame:
    """Return the rows of Parquet files, JSON lines or CSV files.

    Raises:
        BadInputError: the files cannot be read, or are of another format.
    """
    form = detect_format(spark, paths) if input_format == "auto" else input_format
    if form not in _TABLES:
        raise BadInputError(
            f"{', '.join(paths)}: not a Parquet file, JSON lines or CSV; --input-format sets the format"
        )
    return read(spark, paths, form)


def id_column(df: DataFrame, id_col: str | None) -> str:
    """Return the name of the column with the ids: as given, or the first of id and path that exists."""
    return id_col or next((name for name in _NAMES if name in df.columns), _NAMES[0])


def read_entries(
    spark: SparkSession,
    paths: Sequence[str],
    input_format: str = "auto",
    id_col: str | None = None,
    fp_col: str = "fingerprint",
    *,
    what: str = "the input",
    with_ids: bool = True,
) -> Entries:
    """Read fingerprints in every form that the commands write.

    Args:
        paths: files or folders of one format.
        input_format: one of `INPUT_FORMATS`; auto detects it from the first file.
        id_col: the column with the ids; None for the first of id and path that exists. Lines have one of them.
        fp_col: the column with the fingerprints.
        what: the name of the table in messages.
        with_ids: False if ids are not needed: lines of digits have none.

    Raises:
        BadInputError: the files cannot be read, or have no ids.
        BadColumnError: a column does not exist, or a fingerprint cannot be read.
    """
    form = detect_format(spark, paths) if input_format == "auto" else input_format
    if form in _TABLES:
        df = read(spark, paths, form)
        entries = Entries(df, id_column(df, id_col), fp_col)
        if {entries.id_col, fp_col} <= {*df.columns} and isinstance(df.schema[fp_col].dataType, StringType):
            return _converted(entries, what)
        return entries
    lines = read(spark, paths, "text").mapInArrow(partial(_parse_lines, form), _LINES)
    _check(lines, "id", what)
    if form != "text" and with_ids:
        raise BadInputError(
            f"{', '.join(paths)}: the fingerprints have no ids; write lines with paths, as `simhash-doc fingerprint` "
            "does, or use find-all with --values"
        )
    df = lines.drop(_PROBLEM)
    return Entries(df if form == "text" else df.withColumn("id", F.monotonically_increasing_id()), "id", "fingerprint")


def detect_format(spark: SparkSession, paths: Sequence[str]) -> str:
    """Return the format of files from the beginning of the first; Parquet if it is empty.

    Raises:
        BadInputError: a file does not exist or cannot be read.
    """
    try:
        head = next((head for head in (head_of(spark, path) for path in paths) if head), b"")
    except Py4JJavaError as error:
        raise BadInputError(f"{', '.join(paths)}: cannot be read: {error.java_exception.getMessage()}") from error
    if head.startswith(b"\x1f\x8b"):
        head = zlib.decompressobj(31).decompress(head)
    try:
        return detected(io.BytesIO(head))[0] or "parquet"
    except UnreadableInputError as error:
        raise BadInputError(f"{', '.join(paths)}: {error}") from error


def _converted(entries: Entries, what: str) -> Entries:
    """Return the entries with fingerprints in text form as binaries."""
    names = [entries.id_col, entries.fp_col, *(["scheme"] if "scheme" in entries.df.columns else [])]
    chosen = entries.df.select(*(F.col(f"`{name}`") for name in names))
    fields = [chosen.schema[entries.id_col], StructField(entries.fp_col, BinaryType()), _LINES[_PROBLEM]]
    parsed = chosen.mapInArrow(partial(_parse_column, entries.fp_col), StructType(fields))
    _check(parsed, entries.id_col, what)
    return Entries(parsed.drop(_PROBLEM), entries.id_col, entries.fp_col)


def _check(parsed: DataFrame, id_col: str, what: str) -> None:
    """Read a table once, and reject fingerprints that cannot be read."""
    problems = parsed.where(F.col(_PROBLEM).isNotNull()).select(f"`{id_col}`", _PROBLEM).limit(3).collect()
    if problems:
        listed = "; ".join(f"{problem} (id {name!r})" if name is not None else problem for name, problem in problems)
        raise BadColumnError(f"{what} has fingerprints that cannot be read: {listed}")


def _parse_column(fp_col: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        schemes = batch.column("scheme").to_pylist() if batch.num_columns > 2 else None
        found, problems = parse_texts(batch.column(1).to_pylist(), schemes)
        columns = [batch.column(0), pa.array(found, pa.binary()), _texts(problems, len(found))]
        yield pa.record_batch(columns, names=[batch.schema.names[0], fp_col, _PROBLEM])


def _parse_lines(form: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        names: list[str | None] = []
        found: list[bytes | None] = []
        problems: dict[int, str] = {}
        for _, text in texts_of(batch.column(0).cast(pa.binary()).to_pylist()):
            try:
                row = parse_line(text, form)
                names.append(row.name)
                found.append(None if row.fingerprint is None else bytes(row.fingerprint))
            except (UnreadableLineError, SpecError) as error:
                problems[len(names)] = str(error)
                names.append(None)
                found.append(None)
        columns = [pa.array(names, pa.string()), pa.array(found, pa.binary()), _texts(problems, len(found))]
        yield pa.record_batch(columns, names=_LINES.names)


def _texts(problems: dict[int, str], rows: int) -> pa.Array:
    return pa.array([problems.get(at) for at in range(rows)], pa.string())
