"""Fingerprints of a column of texts or documents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from simhash_doc.bulk.engine import fingerprint_batch
from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.spark.columns import column_of
from simhash_doc.spark.errors import BadColumnError

# Documents in memory as Python objects at a time, beside the batch that Spark sends.
_DOCUMENTS = 256
NULL, NO_TOKEN = "null: there is no text", "no-token: the text holds no token, so it has no fingerprint"


def fingerprints(
    df: DataFrame,
    text_col: str = "text",
    scheme: str = "sd64",
    *,
    extract: bool = False,
    fp_col: str = "fingerprint",
    reason_col: str = "reason",
) -> DataFrame:
    """Add a column of fingerprints (binary, most significant byte first), and why there is none (string).

    In each row one of the two is null. A reason begins with a name and a colon: `null`, `no-token`, or the
    reason of an `ExtractionError` such as `encrypted`. All columns of `df` pass through Python; select
    what is needed first.

    Args:
        text_col: a column of texts (string, or binary in UTF-8; what is ill-formed counts as U+FFFD).
        scheme: short id or long name of the scheme.
        extract: the column holds documents (binary) such as HTML or PDF files; their text is extracted first.

    Raises:
        BadColumnError: the text column is absent or of another type, or a new column would replace one.
        UnknownSchemeError: the scheme is not in the registry.
    """
    words = find_scheme(scheme).words
    types = {field.name: field.dataType for field in df.schema.fields}
    if text_col not in types:
        raise BadColumnError(f"the input has no column {text_col!r}; it has {', '.join(map(repr, types)) or 'none'}")
    kind = types[text_col]
    if not isinstance(kind, BinaryType if extract else StringType | BinaryType):
        wanted = "documents to extract are binary" if extract else "texts are string, or binary in UTF-8"
        raise BadColumnError(f"column {text_col!r} is {kind.simpleString()}; {wanted}")
    for name in (fp_col, reason_col):
        if name in types:
            raise BadColumnError(f"the input has a column {name!r} already; name the new one otherwise")
    if extract:
        import simhash_doc.extract  # noqa: F401 - missing libraries are told here, not by every task
    added = [StructField(fp_col, BinaryType()), StructField(reason_col, StringType())]
    made = partial(_fingerprinted, text_col, fp_col, reason_col, words, extract)
    return df.mapInArrow(made, StructType([*df.schema.fields, *added]))


def _fingerprinted(
    text_col: str, fp_col: str, reason_col: str, words: int, extract: bool, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        texts = batch.column(batch.schema.names.index(text_col))
        parts = [
            _of_documents(texts.slice(start, _DOCUMENTS).to_pylist(), words, extract)
            for start in range(0, len(texts), _DOCUMENTS)
        ]
        made = pa.concat_arrays([part for part, _ in parts] or [pa.array([], pa.binary())])
        reasons = pa.array([reason for _, part in parts for reason in part], pa.string())
        yield batch.append_column(fp_col, made).append_column(reason_col, reasons)


def _of_documents(documents: list[str | bytes | None], words: int, extract: bool) -> tuple[pa.Array, list[str | None]]:
    reasons: list[str | None] = [NULL if document is None else None for document in documents]
    if extract:
        documents = [_extracted(document, reasons, at) for at, document in enumerate(documents)]
    made, missing = fingerprint_batch(documents, words)
    for at in np.flatnonzero(missing).tolist():
        reasons[at] = reasons[at] or NO_TOKEN
    column = column_of(made)
    if missing.any():
        column = pa.compute.if_else(pa.array(~missing), column, pa.scalar(None, pa.binary()))
    return column, reasons


def _extracted(document: str | bytes | None, reasons: list[str | None], at: int) -> str | None:
    from simhash_doc.extract import ExtractionError
    from simhash_doc.extract import extract as extracted

    if document is None:
        return None
    try:
        return extracted(document).text
    except ExtractionError as error:
        reasons[at] = f"{error.reason}: {error}"
        return None
