"""The table that holds the documents of one scheme with one number of slices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from simhash_doc.engines.lanes import LANE_BITS
from simhash_doc.schemes import get_scheme
from simhash_doc.store.documents import Collection, scheme_text
from simhash_doc.store.slices import Slice, cut

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
        return cls(collection.scheme_id, collection.canonical, collection.slices)

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
        return cut(self.bits, self.slices)

    def index_name(self, number: int) -> str:
        return f"{self.name}_s{number}"

    def table(self, dialect: str) -> sa.Table:
        """Return the table with its indexes for a database system."""
        slices: list[sa.Column[int] | sa.CheckConstraint] = []
        for number, part in enumerate(self.cut):
            expression = part.sql(self.lanes)
            if dialect == "postgresql":
                generated = sa.Computed(f"CAST({expression} AS INTEGER)", persisted=True)
                slices.append(sa.Column(f"s{number}", sa.Integer, generated, nullable=False))
            else:
                slices.append(sa.Column(f"s{number}", sa.Integer, nullable=False))
                slices.append(sa.CheckConstraint(f"s{number} = ({expression})"))
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
        for number in range(self.slices):
            # The index holds all that a search compares, so only rows that match are read.
            more = [] if dialect == "postgresql" else self.lanes
            sa.Index(
                self.index_name(number),
                *(table.c[name] for name in (f"s{number}", "collection", *more)),
                postgresql_include=[*self.lanes, "entry"],
            )
        return table
