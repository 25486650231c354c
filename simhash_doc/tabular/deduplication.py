"""The duplicates among the rows of tables: opened, compared and decided, and the rows that are kept are copied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from simhash_doc.arguments import OnProgress
from simhash_doc.batch.batches import batches
from simhash_doc.duplicates.packed import Mask
from simhash_doc.duplicates.policy import Policy
from simhash_doc.duplicates.rows import DuplicateRows, find_duplicates
from simhash_doc.tabular.filtering import TabularFiles
from simhash_doc.tabular.together import Together


@dataclass(frozen=True, slots=True)
class ComparedTables:
    """The tables whose rows are compared.

    Attributes:
        paths: Parquet, CSV or JSON-lines files, all of one format.
        column: name of the column, or key of JSON objects, with the texts.
        id_column: name of the column with the ids; None for the numbers of rows.
        against: earlier tables in any format: rows are left out for theirs, which are all kept and not copied.
    """

    paths: tuple[str, ...]
    column: str = "text"
    id_column: str | None = None
    against: tuple[str, ...] = ()


class OpenedTables:
    """The rows of tables that are read several times.

    Args:
        tables: the tables.
        policy: what is left out.
        form: the format of the copy: parquet, json or csv; None if none is written.

    Attributes:
        new: the rows that may be left out.
        rows: those of earlier tables, then these.

    Raises:
        TabularError: a file cannot be read.
        TabularUsageError: the files, their columns or the format do not fit.
    """

    def __init__(self, tables: ComparedTables, policy: Policy, form: str | None = None) -> None:
        self.tables, self.policy = tables, policy
        others = [name for name in (tables.id_column, policy.column) if name is not None]
        self.new = TabularFiles(tables.paths, form, tables.column, others)
        earlier = TabularFiles(tables.against, None, tables.column, others) if tables.against else None
        self.rows = Together(earlier, self.new)
        if tables.id_column is not None:
            self.rows.check_ids(tables.id_column)

    def find(
        self,
        workers: int | None = None,
        progress: OnProgress = lambda done, total: None,
    ) -> DuplicateRows:
        """Return the decision about each row: those of earlier tables, then the new ones.

        Args:
            workers: as for `fingerprint_many`.
            progress: as for `find_duplicates`.

        Raises:
            TabularUsageError: a protected table is not among the new ones.
            LookupParameterError: the distance is not supported.
        """
        preferred = self.rows.preference(self.policy.column) if self.policy.column is not None else None
        rows: Any = self.rows  # which has no __contains__, as a checker wants
        found = find_duplicates(
            rows, policy=self.policy, preferred=preferred, protected=self._protected(), workers=workers,
            progress=progress,
        )  # fmt: skip
        for row, reason in self.rows.without_text.items():
            found.reasons[row] = reason
        return found

    def _protected(self) -> Mask:
        earlier = np.ones(self.rows.count, np.bool_)
        return np.concatenate([earlier, self.new.rows_of(self.policy.protected)])

    def write(self, output: BinaryIO, found: DuplicateRows) -> None:
        """Copy the new rows that are kept: lines and records byte for byte."""
        self.new.write(output, found.kept[self.rows.count :])

    def name_of(self, row: int) -> str:
        """Return what a row is called in a message."""
        return self.rows.name_of(row, self.tables.id_column)

    def beginnings(self, rows: set[int], characters: int) -> dict[int, str]:
        """Return the beginnings of the texts of some rows, for which the tables are read once more."""
        texts = islice((text for batch in batches(self.rows) for text in batch.texts), max(rows, default=-1) + 1)
        found = ((row, text) for row, text in enumerate(texts) if row in rows and text is not None)
        return {
            row: (text.decode("utf-8", "replace") if isinstance(text, bytes) else text)[:characters]
            for row, text in found
        }


def dedupe_tables(
    tables: ComparedTables, output: str, policy: Policy | None = None, workers: int | None = None
) -> DuplicateRows:
    """Copy the rows of tables that are kept to a file, atomically, and return the decision about each row.

    Raises: see `OpenedTables` and `OpenedTables.find`; an OSError if the output cannot be written.
    """
    from simhash_doc.files import atomic_write

    opened = OpenedTables(tables, policy or Policy())
    found = opened.find(workers)
    with atomic_write(output) as file:
        opened.write(file, found)
    return found


def cluster_rows(ids: list[Any], found: DuplicateRows) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of `ROW_CLUSTER_COLUMNS` of each row of a cluster."""
    members = found.clusters().members
    columns = found.distances, found.similarities.round(4), found.numbers, found.reasons
    places = zip(members.tolist(), found.labels[members].tolist(), found.representatives[members].tolist(), strict=True)
    for (row, cluster, first), *pair, reason in zip(places, *(one[members].tolist() for one in columns), strict=True):
        yield ids[row], cluster, ids[first], *([None] * 3 if row == first else pair), reason
