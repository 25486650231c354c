"""Rows of earlier tables and of new ones as one input, so that new rows can be left out for earlier ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from simhash_doc.tabular import TabularUsageError
from simhash_doc.tabular.filtering import TabularFiles
from simhash_doc.tabular.preference import preferences
from simhash_doc.tabular.table import id_problem, repeated_id


class Together:
    """The rows of earlier tables, then those of new ones; iteration yields their texts.

    Args:
        earlier: the earlier tables; None if there are none.
        new: the new tables.

    Attributes:
        count: number of earlier rows, which come first.
        problems: what cannot be read, and where.
        without_text: by position, why rows have no text.
    """

    def __init__(self, earlier: TabularFiles | None, new: TabularFiles) -> None:
        self._parts = [new] if earlier is None else [earlier, new]
        self.count = 0 if earlier is None else len(earlier)
        self.problems = [problem for part in self._parts for problem in part.problems]
        self.without_text = {} if earlier is None else dict(earlier.without_text)
        self.without_text |= {self.count + row: reason for row, reason in new.without_text.items()}

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self._parts)

    def ids(self, column: str | None, form: str) -> tuple[list[Any], set[object]]:
        """Return the id of each row, and the Arrow types of all; see `TabularFiles.ids`."""
        found = [part.ids(column, form, with_path=self.count > 0) for part in self._parts]
        return [one for ids, _ in found for one in ids], {one for _, types in found for one in types}

    def check_ids(self, column: str) -> None:
        """Check that each row has an id in a column, which no other earlier row, or no other new row, has.

        Raises:
            TabularUsageError: an id is missing, a list, an object or NaN, or several rows have it.
        """
        for part in self._parts:
            first: dict[tuple[type, Any], int] = {}
            for row, one in enumerate(part.values[column]):
                if problem := id_problem(one):
                    raise TabularUsageError(f"{part.name_of(row, None)}: {problem}; expected one id for each row")
                if (other := first.setdefault((type(one), one), row)) != row:
                    raise repeated_id(one, part.name_of(other, None), part.name_of(row, None))

    def name_of(self, row: int, column: str | None) -> str:
        """Return the id of a row for a message."""
        if row < self.count:
            return self._parts[0].name_of(row, column)
        return self._parts[-1].name_of(row - self.count, column)

    def preference(self, column: str) -> list[Any]:
        """Return what sorts as the values of a column do, by which rows are preferred; see `preferences`."""
        values = [value for part in self._parts for value in part.values[column]]
        return preferences(values, column, lambda row: self.name_of(row, None))
