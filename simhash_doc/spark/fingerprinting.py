"""Fingerprints of a column of texts or documents."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from simhash_doc.bulk.engine import fingerprint_batch
from simhash_doc.cli.confinement import confine
from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.spark.columns import column_of
from simhash_doc.spark.errors import BadColumnError
from simhash_doc.workers import ordered_map

_DOCUMENTS = 256  # whose tokens are counted at a time
_MEMORY = 2 << 30  # bytes that the extraction of a document may take
NULL, NO_TOKEN = "null: there is no text", "no-token: the text holds no token, so it has no fingerprint"


@dataclass(frozen=True, slots=True)
class NoText:
    """Why a document has no text."""

    reason: str


Text = str | bytes | NoText | None


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

    In each row one of the two is null. A reason begins with a name and a colon: `null`, `no-token`, the reason of
    an `ExtractionError` such as `encrypted`, or `lost` where extraction hung or crashed. All columns of `df` pass
    through Python; select what is needed first.

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
    for batch, texts in _extracted(text_col, batches) if extract else _texts(text_col, batches):
        parts = [_of_texts(texts[start : start + _DOCUMENTS], words) for start in range(0, len(texts), _DOCUMENTS)]
        made = pa.concat_arrays([part for part, _ in parts] or [pa.array([], pa.binary())])
        reasons = pa.array([reason for _, part in parts for reason in part], pa.string())
        yield batch.append_column(fp_col, made).append_column(reason_col, reasons)


def _of_texts(texts: Sequence[Text], words: int) -> tuple[pa.Array, list[str | None]]:
    """Return the fingerprints of texts, and why those that are null are so."""
    reasons = [text.reason if isinstance(text, NoText) else NULL if text is None else None for text in texts]
    made, missing = fingerprint_batch([None if isinstance(text, NoText) else text for text in texts], words)
    for at in np.flatnonzero(missing).tolist():
        reasons[at] = reasons[at] or NO_TOKEN
    column = column_of(made)
    if missing.any():
        column = pc.if_else(pa.array(~missing), column, pa.scalar(None, pa.binary()))
    return column, reasons


def _texts(text_col: str, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[pa.RecordBatch, list[Text]]]:
    for batch in batches:
        yield batch, batch.column(batch.schema.names.index(text_col)).to_pylist()


def _extracted(text_col: str, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[pa.RecordBatch, list[Text]]]:
    """Yield each batch with the texts of its documents, which a process beside this one extracts.

    A document on which a parser hangs or crashes costs itself, not the task.
    """
    from simhash_doc.extract import Limits

    waiting: deque[pa.RecordBatch] = deque()

    def documents() -> Iterator[bytes | None]:
        for batch, read in _texts(text_col, batches):
            if read:
                waiting.append(batch)
            yield from read  # type: ignore[misc]

    done: list[Text] = []
    for text in ordered_map(_extract, documents(), 1, _lost, seconds=Limits().seconds):
        done.append(text)
        if len(done) == waiting[0].num_rows:
            yield waiting.popleft(), done
            done = []


def _extract(document: bytes | None) -> Text:
    from simhash_doc.extract import ExtractionError, extract

    confine(_MEMORY)
    if document is None:
        return None
    try:
        return extract(document).text
    except ExtractionError as error:
        return NoText(f"{error.reason}: {error.message}")
    except MemoryError:
        return NoText(f"over-limit: it takes more than {_MEMORY >> 20:,} MiB of memory")


def _lost(_: bytes | None, reason: str) -> Text:
    return NoText(f"lost: {reason}")
