"""Fingerprints of a column of texts or documents."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import BinaryType, LongType, StringType, StructField, StructType

from simhash_doc.engines.select import get_setting, restore_setting, select_engine
from simhash_doc.ingest import EXTRACTOR, extract_contents
from simhash_doc.provenance import Provenance
from simhash_doc.schemes import AnyScheme, get_scheme
from simhash_doc.spark.columns import BadColumnError, column_from_lanes, column_types
from simhash_doc.spark.storage import COLUMN_KEY

_DOCUMENTS = 256  # fingerprinted together
_TOKENS, _EXTRACTED = StructField("tokens", LongType()), StructField("extracted", StringType())
_NULL, _NO_TOKEN = "null: the row has no text", "no-token: the text holds no token, so it has no fingerprint"


_Text = tuple[str | bytes | None, str | None]
"""A text, or None and the reason why there is none."""


def fingerprints(
    df: DataFrame,
    *,
    text_col: str = "text",
    scheme: AnyScheme = "sd64",
    extract: bool = False,
    fp_col: str = "fingerprint",
    reason_col: str = "reason",
) -> DataFrame:
    """Add a column of fingerprints (binary, most significant byte first), and one of reasons (string).

    In each row, one of the two is null: the reason says why there is no fingerprint. It starts with a code and a colon:
    `null`, `no-token`, the code of an `ExtractionError` such as `encrypted`, or `worker-failed` if extraction hung or
    crashed. The metadata of the column of fingerprints contain the provenance. All columns of `df` pass through Python,
    so select the necessary columns first.

    Args:
        text_col: a column of texts (string, or binary in UTF-8; ill-formed parts count as U+FFFD).
        scheme: short id of the scheme.
        extract: the column holds documents (binary) such as HTML or PDF files; their text is extracted first.

    Raises:
        BadColumnError: the text column is absent or of another type, or a new column would replace one.
        UnknownSchemeError: the scheme is not in the registry.
    """
    return _with_fingerprints(df, text_col, get_scheme(scheme).id, extract, fp_col, reason_col)


def fingerprinted_texts(df: DataFrame, scheme: str, *, extract: bool) -> DataFrame:
    """Add the columns fingerprint, reason and tokens (their number, each counted at most 8 times) to a column text.

    If documents are extracted, the column text becomes their texts. Errors are those of `fingerprints`.
    """
    if not extract:
        return _with_fingerprints(df, "text", scheme, extract, "fingerprint", "reason", [_TOKENS])
    added = _with_fingerprints(df, "text", scheme, extract, "fingerprint", "reason", [_TOKENS, _EXTRACTED])
    return added.drop("text").withColumnRenamed(_EXTRACTED.name, "text")


def _with_fingerprints(
    df: DataFrame,
    text_col: str,
    scheme: str,
    extract: bool,
    fp_col: str,
    reason_col: str,
    more: Sequence[StructField] = (),
) -> DataFrame:
    lanes = get_scheme(scheme).lanes
    types = column_types(df, text_col)
    kind = types[text_col]
    if not isinstance(kind, BinaryType if extract else StringType | BinaryType):
        wanted = "documents to extract are binary" if extract else "texts are string, or binary in UTF-8"
        raise BadColumnError(f"column {text_col!r} is {kind.simpleString()}; {wanted}")
    for name in (fp_col, reason_col, *(field.name for field in more)):
        if name in types:
            raise BadColumnError(f"the input has a column {name!r} already; choose another name for the new one")
    provenance = Provenance.of_package(get_scheme(scheme).id, extractor=EXTRACTOR if extract else None)
    metadata = {COLUMN_KEY: provenance.to_json()}
    added = [StructField(fp_col, BinaryType(), metadata=metadata), StructField(reason_col, StringType()), *more]
    schema = StructType([*df.schema.fields, *added])
    added_columns = partial(_fingerprinted, text_col, [field.name for field in added], lanes, extract, get_setting())
    return df.mapInArrow(added_columns, schema)


def simhash(column: Column | str, scheme: AnyScheme = "sd64") -> Column:
    """Return the fingerprints of a column of texts as a column (binary), null where `fingerprints` gives a reason.

    Use it wherever Spark accepts a column, also in streams and with Spark Connect. It has no provenance.

    Args:
        column: texts (string, or binary in UTF-8).
        scheme: short id of the scheme.

    Raises:
        UnknownSchemeError: the scheme is not in the registry.
    """
    lanes, setting = get_scheme(scheme).lanes, get_setting()

    def of_texts(texts: pa.Array) -> pa.Array:
        restore_setting(setting)
        return _of_texts([(text, None) for text in texts.to_pylist()], lanes)[0]

    make: Any = arrow_udf  # its types have no function of one Arrow array
    function: Callable[[Column | str], Column] = make(of_texts, BinaryType())
    return function(column)


def _fingerprinted(
    text_col: str,
    names: Sequence[str],
    lanes: int,
    extract: bool,
    engine_setting: str,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """Yield batches with the first of these columns, under their names: fingerprint, reason, tokens, text."""
    restore_setting(engine_setting)
    for batch, texts in _extracted(text_col, batches) if extract else _texts(text_col, batches):
        parts = [_of_texts(texts[start : start + _DOCUMENTS], lanes) for start in range(0, len(texts), _DOCUMENTS)]
        added = [
            pa.concat_arrays([fingerprints for fingerprints, _, _ in parts] or [pa.array([], pa.binary())]),
            pa.array([reason for _, reasons, _ in parts for reason in reasons], pa.string()),
            pa.concat_arrays([tokens for _, _, tokens in parts] or [pa.array([], pa.int64())]),
        ]
        if len(names) > len(added):
            added.append(pa.array([text for text, _ in texts], pa.string()))
        for name, column in zip(names, added, strict=False):
            batch = batch.append_column(name, column)
        yield batch


def _of_texts(texts: Sequence[_Text], lanes: int) -> tuple[pa.Array, list[str | None], pa.Array]:
    """Return the fingerprints of texts, the reason of each that is null, and the number of tokens of each text."""
    reasons = [reason for _, reason in texts]
    measured = select_engine(0, parallel=True).measure_batch([text for text, _ in texts], lanes)
    for at in np.flatnonzero(measured.missing).tolist():
        reasons[at] = reasons[at] or _NO_TOKEN
    column = column_from_lanes(measured.values)
    if measured.missing.any():
        column = pc.if_else(pa.array(~measured.missing), column, pa.scalar(None, pa.binary()))
    return column, reasons, pa.array(measured.weight)


def _texts(text_col: str, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[pa.RecordBatch, list[_Text]]]:
    for batch in batches:
        texts = batch.column(batch.schema.names.index(text_col)).to_pylist()
        yield batch, [(text, _NULL if text is None else None) for text in texts]


def _extracted(text_col: str, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[pa.RecordBatch, list[_Text]]]:
    """Yield each batch with the texts of its documents, which a separate process extracts.

    If a parser hangs or crashes on a document, only this document fails, not the task.
    """
    waiting: deque[pa.RecordBatch] = deque()

    def documents() -> Iterator[bytes | None]:
        for batch in batches:
            if batch.num_rows:
                waiting.append(batch)
            yield from batch.column(batch.schema.names.index(text_col)).to_pylist()

    done: list[_Text] = []
    for result in extract_contents(documents()):
        if result is None:
            done.append((None, _NULL))
        elif result.extracted:
            done.append((result.extracted.text, None))
        else:
            done.append((None, f"{result.code}: {result.error}"))
        if len(done) == waiting[0].num_rows:
            yield waiting.popleft(), done
            done = []
