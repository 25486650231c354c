"""The table of the documents of one scheme, in which a fingerprint is found by its slices.

If fewer bits differ than there are slices, at least one slice is equal. If fewer than twice as many differ, at
least one slice differs in one bit at most. So the rows that share a slice with the query, or differ from it there in
one bit, include every match, and an index on each slice finds them. The slices are the blocks of
`simhash_doc.lookup`, counted from the most significant bit: with one block more than the distance, each
block is a table's key.
"""

from __future__ import annotations

import json
import struct
from array import array
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from simhash_doc.engines.base import SURROGATE
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.lookup import blocks
from simhash_doc.lookup.planning import costs
from simhash_doc.schemes import LANE_BITS, Scheme, get_scheme
from simhash_doc.store.documents import (
    DEEPEST,
    LONGEST_ID,
    LONGEST_TEXT,
    Collection,
    Document,
    is_integer,
    metadata_text,
    scheme_text,
)
from simhash_doc.store.errors import CorruptStoreError, StoreParameterError

EXACT_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")  # ordered by code point in both systems
TABLES = sa.MetaData()
SCHEMA_TABLE = sa.Table("simhash_schema", TABLES, sa.Column("version", sa.Integer, nullable=False))
COLLECTION_TABLE = sa.Table(
    "simhash_collection",
    TABLES,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("name", EXACT_TEXT, nullable=False, unique=True),
    sa.Column("scheme", sa.Text, nullable=False),
    sa.Column("slices", sa.Integer, nullable=False),
)
DATA_COLUMNS = ("collection", "id", "uri", "metadata", "time")
# A slice column holds the leading bits of its slice, 31 at most: a non-negative number in 4 bytes.
# Two slices that are equal have equal leading bits, so no match is missed.
KEY_BITS = 31


@dataclass(frozen=True, slots=True)
class Slice:
    """The `width` bits from `start` on, bit 0 being the most significant."""

    start: int
    width: int

    @property
    def key_bits(self) -> int:
        return min(self.width, KEY_BITS)

    def sql(self, lanes: list[str]) -> str:
        """Return the key as an SQL expression over the lanes, signed 64-bit integers; all operators wrap or mask."""
        lane, offset = divmod(self.start, LANE_BITS)
        over = offset + self.key_bits - LANE_BITS  # bits in the next lane
        if over <= 0:
            return f"({lanes[lane]} >> {-over}) & {(1 << self.key_bits) - 1}"
        upper = f"({lanes[lane]} & {(1 << (LANE_BITS - offset)) - 1}) << {over}"
        return f"({upper}) | (({lanes[lane + 1]} >> {LANE_BITS - over}) & {(1 << over) - 1})"

    def keys(self, value: int, bits: int, radius: int) -> list[int]:
        """Return the keys within `radius` bits, 0 or 1, of that of a fingerprint of `bits` bits, its own first."""
        own = self.key(value, bits)
        return [own ^ mask for mask in self.masks(radius)]

    def masks(self, radius: int) -> list[int]:
        """Return the numbers with at most `radius` bits of a key, 0 or 1."""
        return [0, *(1 << bit for bit in range(self.key_bits))] if radius else [0]

    def key(self, value: int, bits: int) -> int:
        """Return the key of a fingerprint of `bits` bits."""
        return value >> (bits - self.start - self.key_bits) & (1 << self.key_bits) - 1


@lru_cache(maxsize=1024, typed=True)
def cut_slices(bits: int, slices: int) -> tuple[Slice, ...]:
    """Return slices that cover all bits, the leading bits first; their widths are equal or differ by one.

    Raises:
        StoreParameterError: not 1 <= slices <= bits.
    """
    if not is_integer(slices) or not 1 <= slices <= bits:
        raise StoreParameterError(f"slices is {slices!r}; expected 1 to {bits} for a fingerprint of {bits} bits")
    return tuple(Slice(block.low, block.width) for block in blocks.cut_blocks(bits, slices))


@lru_cache(maxsize=1024, typed=True)
def needed(bits: int, slices: int, distance: int) -> dict[int, int]:
    """Return the radius within which a query searches each slice, by the number of the slice, ascending.

    The radius is 0 or 1: a row whose slice differs in more bits is not looked up there. The sum of all radii + 1 is
    distance + 1, so a row within the distance is found: if it were in no slice within the radius, more bits would
    differ. The widest slices are searched, or have the radius 1: they have the fewest candidates.

    Raises:
        StoreParameterError: not 0 <= distance < 2 * slices.
    """
    check_distance(slices, distance)
    every = cut_slices(bits, slices)
    widest = sorted(range(slices), key=lambda number: (-every[number].key_bits, number))
    farther = max(0, distance + 1 - slices)
    return {number: int(number in widest[:farther]) for number in sorted(widest[: distance + 1])}


def check_distance(slices: int, distance: int) -> None:
    """Reject a distance that is too large for the slices.

    Raises:
        StoreParameterError: not 0 <= distance < 2 * slices.
    """
    if not is_integer(distance) or distance < 0:
        raise StoreParameterError(f"distance is {distance!r}; expected 0 bits or more")
    if distance >= 2 * slices:
        raise StoreParameterError(
            f"distance {distance} needs a collection of at least {distance // 2 + 1} slices; this one has {slices}, "
            f"for queries up to distance {2 * slices - 1}"
        )


def default_slices(scheme: Scheme) -> int:
    """Return the number of slices of a collection, by which queries within the close threshold are fast.

    Wide schemes have as few slices as the threshold allows: fewer are wider, so few unrelated rows share one. Those of
    sd64 are wide enough, and other programs can search them without looking at neighbours of a slice.
    """
    return scheme.close + 1 if scheme.lanes == 1 else scheme.close // 2 + 1


def expected_candidates(documents: int, bits: int, slices: int, distance: int) -> float:
    """Return how many rows a query compares on average, if the fingerprints are uniform.

    >>> round(expected_candidates(1_000_000, 64, 4, 3))
    61
    """
    every = cut_slices(bits, slices)
    widths: Counter[int] = Counter()
    for number, radius in needed(bits, slices, distance).items():
        widths[every[number].key_bits] += len(every[number].masks(radius))
    return costs.uniform_candidates(documents, widths)


def to_signed_lanes(value: int, lanes: int) -> tuple[int, ...]:
    """Return a fingerprint as signed 64-bit integers, most significant first, as a database holds them.

    >>> to_signed_lanes(2**64 - 1, 2)
    (0, -1)
    """
    return struct.unpack(f">{lanes}q", value.to_bytes(8 * lanes, "big"))


def from_signed_lanes(lanes: tuple[int, ...]) -> int:
    """Return the fingerprint that `to_signed_lanes` split."""
    return int.from_bytes(struct.pack(f">{len(lanes)}q", *lanes), "big")


def integer_table(rows: Iterable[Iterable[int]], columns: int) -> npt.NDArray[np.int64]:
    """Return n rows of integers as an array of shape (n, columns).

    Raises:
        CorruptStoreError: a value is not an integer.
    """
    try:
        # Number by number: creating an array from a list of rows takes ten times as long. NumPy would round 1.5.
        return np.array(array("q", chain.from_iterable(rows)), np.int64).reshape(-1, columns)
    except (TypeError, ValueError, OverflowError) as error:
        raise CorruptStoreError(f"a column of integers holds another type: {error}") from error


@dataclass(frozen=True)
class Layout:
    """The properties that determine the columns of a table; collections with the same layout share the table.

    The columns w0, w1, ... hold the lanes of the fingerprint, most significant first, as signed 64-bit
    integers; the columns s0, s1, ... hold the slices. The database keeps them consistent: PostgreSQL
    generates the slices, SQLite checks them (its indexes on generated columns cannot cover a query).
    """

    scheme_id: str
    canonical: bool
    slices: int

    @classmethod
    def of(cls, collection: Collection) -> Layout:
        return cls(collection.scheme.id, collection.canonical, collection.slices)

    @cached_property
    def name(self) -> str:
        """Name of the table, such as simhash_sd64_4."""
        return f"simhash_{scheme_text(self.scheme_id, self.canonical).replace('+', '_')}_{self.slices}"

    @cached_property
    def bits(self) -> int:
        return get_scheme(self.scheme_id).bits

    @cached_property
    def lanes(self) -> list[str]:
        return [f"w{number}" for number in range(self.bits // LANE_BITS)]

    @cached_property
    def cut(self) -> tuple[Slice, ...]:
        return cut_slices(self.bits, self.slices)

    @cached_property
    def slice_columns(self) -> list[str]:
        return [f"s{number}" for number in range(self.slices)]

    def columns(self, dialect: str, time: str = "time") -> str:
        """Return the columns of a `StoredRow`, in this order, the lanes last; `time` is how that is selected."""
        texts = [f"{text_column(name, dialect)} AS {name}" for name in ("id", "uri")]
        if dialect == "sqlite":
            texts += [text_column("metadata", dialect), text_column(time, dialect)]
        else:
            texts += [text_column("CAST(metadata AS TEXT)", dialect, 2 * LONGEST_TEXT), time]  # which has spaces
        return ", ".join(["entry", integer_column("collection", dialect), *texts, self.lanes_of(dialect)])

    def lanes_of(self, dialect: str) -> str:
        """Return the columns of the lanes."""
        return ", ".join(integer_column(lane, dialect) for lane in self.lanes)

    def select_rows(self, dialect: str) -> str:
        return f"SELECT {self.columns(dialect)} FROM {self.name}"

    def index_name(self, number: int) -> str:
        return f"{self.name}_s{number}"

    def table(self, dialect: str) -> sa.Table:
        """Return the table with its indexes for a database system."""
        slices: list[sa.Column[int] | sa.CheckConstraint] = []
        for name, part in zip(self.slice_columns, self.cut, strict=True):
            expression = part.sql(self.lanes)
            if dialect == "postgresql":
                generated = sa.Computed(f"CAST({expression} AS INTEGER)", persisted=True)
                slices.append(sa.Column(name, sa.Integer, generated, nullable=False))
            else:
                slices += [sa.Column(name, sa.Integer, nullable=False), sa.CheckConstraint(f"{name} = ({expression})")]
        table = sa.Table(
            self.name,
            sa.MetaData(),
            # In SQLite only an INTEGER PRIMARY KEY is the row id.
            sa.Column(
                "entry", sa.BigInteger().with_variant(sa.Integer, "sqlite"), sa.Identity(always=False), primary_key=True
            ),
            sa.Column("collection", sa.Integer, nullable=False),
            sa.Column("id", EXACT_TEXT, nullable=False),
            sa.Column("uri", sa.Text),
            sa.Column("metadata", sa.Text().with_variant(JSONB(), "postgresql"), nullable=False),
            sa.Column("time", sa.Text().with_variant(sa.TIMESTAMP(timezone=True), "postgresql"), nullable=False),
            *(sa.Column(lane, sa.BigInteger, nullable=False) for lane in self.lanes),
            *slices,
            sa.UniqueConstraint("collection", "id", name=f"{self.name}_id"),
        )
        for number, slice_column in enumerate(self.slice_columns):
            # The index holds all that a search compares, so only rows that match are read.
            more = [] if dialect == "postgresql" else self.lanes
            sa.Index(
                self.index_name(number),
                *(table.c[name] for name in (slice_column, "collection", *more)),
                postgresql_include=[*self.lanes, "entry"],
            )
        return table


def text_column(column: str, dialect: str, longest: int = LONGEST_TEXT) -> str:
    """Return the SQL of a column of texts, in which another program may store a value of a gigabyte.

    Python does not copy a longer value, or one of another type: SQLite returns an empty blob, and PostgreSQL cuts the
    text one character after the limit.
    """
    if dialect != "sqlite":
        return f"left({column}, {longest + 1})"
    is_other = f"typeof({column}) = 'blob' OR length(CAST({column} AS BLOB)) > {longest}"
    return f"CASE WHEN {is_other} THEN x'' ELSE {column} END"


def integer_column(column: str, dialect: str) -> str:
    """Return the SQL of a column of integers; in SQLite, any other value is NULL."""
    return f"CASE WHEN typeof({column}) = 'integer' THEN {column} END" if dialect == "sqlite" else column


class NewRow(NamedTuple):
    """A document as it is written to a collection; `lanes` are signed."""

    id: str
    uri: str | None
    metadata: str
    time: datetime
    lanes: tuple[int, ...]


class StoredRow(NamedTuple):
    """A document as it is read, with the columns of `Layout.columns`: nothing is checked before `document` does."""

    entry: int
    collection: int
    id: str
    uri: str | None
    metadata: str
    time: object  # text in SQLite, a datetime in PostgreSQL
    lanes: tuple[int, ...]

    @classmethod
    def of(cls, row: Any) -> StoredRow:
        """Return a row of the database."""
        entry, collection, name, uri, metadata, time, *lanes = row
        return cls(entry, collection, name, uri, metadata, time, tuple(lanes))


def document(row: StoredRow, collection: Collection | None) -> Document:
    """Return the document of a row of a collection as `checked_document` does, with an error of the store."""
    try:
        return checked_document(row, collection)
    except ValueError as error:
        raise CorruptStoreError(f"entry {row.entry} is corrupt: {error}; `store verify` lists all problems") from error


def checked_document(row: StoredRow, collection: Collection | None) -> Document:
    """Return the document of a row; other programs can write to the database, so every column is checked.

    Args:
        collection: that of the row; None if no collection has its number.

    Raises:
        ValueError: a column holds data that this program did not store.
    """
    if collection is None:
        raise ValueError(f"its collection number {row.collection} is unknown")
    texts: list[tuple[str, object, int]] = [("id", row.id, LONGEST_ID), ("metadata", row.metadata, 2 * LONGEST_TEXT)]
    if row.uri is not None:
        texts.append(("uri", row.uri, LONGEST_TEXT))
    for name, text, longest in texts:
        if not _is_text(text, longest):
            raise ValueError(f"the {name} is not a text in UTF-8 of at most {longest:,} bytes")
    if not row.id:
        raise ValueError("the id is empty")
    if not all(map(is_integer, row.lanes)):
        raise ValueError("a lane of the fingerprint is not an integer")
    fingerprint = Fingerprint(from_signed_lanes(row.lanes), collection.scheme, canonical=collection.canonical)
    metadata, time = _parsed_metadata(row.metadata), _parsed_time(row.time)
    return Document(row.id, fingerprint, row.uri, collection.name, metadata, time)


def _is_text(text: object, longest: int) -> bool:
    """Return True for a text that this program would store."""
    if not isinstance(text, str) or "\0" in text:
        return False
    if text.isascii():
        return len(text) <= longest
    return not SURROGATE.search(text) and len(text.encode("utf-8")) <= longest


def _parsed_metadata(text: str) -> dict[str, Any]:
    metadata = None
    with suppress(ValueError, RecursionError):
        metadata = _JSON.decode(text)
    if not isinstance(metadata, dict):
        raise ValueError("the metadata are not a JSON object")
    if "\\u" in text or len(text) > LONGEST_TEXT or text.count("{") + text.count("[") > DEEPEST:
        try:
            metadata_text(metadata)
        except ValueError as error:
            raise ValueError(f"the metadata are {error}") from error
    return metadata


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


_JSON = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


def _parsed_time(time: object) -> datetime:
    try:
        if isinstance(time, str):
            time = datetime.fromisoformat(time)
            time = time if time.tzinfo else time.replace(tzinfo=UTC)
        if isinstance(time, datetime):
            return time.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("the time is not an ISO 8601 timestamp")
