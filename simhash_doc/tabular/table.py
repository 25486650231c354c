"""A tabular file that was opened: the rows whose texts are fingerprinted, and what is asked of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import pyarrow as pa

from simhash_doc.batch.batches import Batch
from simhash_doc.errors import shown
from simhash_doc.schemes import get_scheme
from simhash_doc.tabular import TabularUsageError

NULL_ID = "the id is null"
ID_COLUMN = "id"
"""The column with the ids of the rows in our outputs; an input that has one may mean it, too."""
INVALID_ID = "the id is not a valid value of its type, such as a string that is not UTF-8"


def id_problem(value: object) -> str:
    """Return why a value of a column of ids names no row; empty if it names one."""
    if value is None or value == "":
        return NULL_ID if value is None else "the id is empty"
    if isinstance(value, list | dict):
        return f"the id is {'a list' if isinstance(value, list) else 'an object'}"
    return "the id is NaN" if value != value else ""


def repeated_id(value: object, first: str, other: str) -> TabularUsageError:
    """Return the error of an id that two rows have, whose places are given."""
    return TabularUsageError(
        f"the id {shown(str(value))} is in the rows {first} and {other}; expected one row for each id: "
        "name another column with --id, or leave it out to number the rows"
    )


@dataclass(frozen=True, slots=True)
class Request:
    """The column to fingerprint, and the form of the result.

    Attributes:
        column: Name of the column, or key of the JSON objects, with the texts.
        id_column: Name of the column or key with the ids; None numbers the rows.
        scheme: Short id of the scheme.
        min_tokens: Rows with fewer tokens get no fingerprint; each distinct token counts at most 8 times.
    """

    column: str
    id_column: str | None = None
    scheme: str = "sd64"
    min_tokens: int = 0

    @property
    def others(self) -> list[str]:
        """The columns besides that of the texts; the name of a column may be empty."""
        return [] if self.id_column is None else [self.id_column]

    @property
    def too_short(self) -> str:
        """The reason of rows with too few tokens."""
        return f"has fewer than {self.min_tokens:,} tokens"

    @property
    def lanes(self) -> int:
        """Number of 64-bit lanes of a fingerprint."""
        return get_scheme(self.scheme).lanes


@dataclass(frozen=True, slots=True)
class RowIds:
    """Consecutive rows of a file without their texts.

    Attributes:
        ids: The ids; null where there is none.
        reasons: Why a row has no fingerprint, by row, unless it contains no token.
        size: How much of the input was read for them, in the unit of the table.
    """

    ids: pa.Array
    reasons: dict[int, str]
    size: int


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A tabular file that was opened.

    Attributes:
        rows: Yields the rows in order, each batch of texts with its rows; read once.
        id_type: The type of all ids.
        nbytes: Size of the texts in bytes, about; None if it is not known.
        total: Size of the input, in `unit`; 0 if it is not known.
        unit: Rows or bytes.
        names: The columns, or the keys of the first object.
    """

    rows: Iterator[tuple[Batch, RowIds]]
    id_type: pa.DataType
    nbytes: int | None
    total: int
    unit: str
    names: Collection[str]

    @property
    def kind(self) -> str:
        """The format: parquet, which alone is measured in rows, or lines."""
        return "parquet" if self.unit == "rows" else "lines"
