"""Pairs of ids that a search has found, confirmed by the texts in tables."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from simhash_doc.duplicates.row_texts import RowTexts
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.entries import UnreadableInputError
from simhash_doc.entries.csv_files import csv_rows
from simhash_doc.entries.entry import ParsedRow, repeated_name
from simhash_doc.entries.json_lines import json_rows
from simhash_doc.entries.parquet_files import (
    PARQUET_ERRORS,
    first_line,
    names_of,
    plain_values,
    type_of_ids,
)
from simhash_doc.errors import shown
from simhash_doc.tabular import TabularError, TabularUsageError
from simhash_doc.tabular.filtering import TabularFiles
from simhash_doc.tabular.job import open_source
from simhash_doc.tabular.json_and_csv import check_start, is_csv
from simhash_doc.tabular.parquet import open_file
from simhash_doc.tabular.table import id_problem, repeated_id

_ENDS = (("a", "b"), ("query", "match"))  # the columns of pairs, as the commands write them
_DISTANCE = "distance"
_EXPECTED = "expected the columns a and b, or query and match, or the objects of `index query` or `store find`"
_CACHED = 128  # texts whose tokens are in memory: pairs that follow each other share texts


class _Pair(NamedTuple):
    """Two ids, in the order of the file; the number of their row or line; the distance, if the file has one."""

    number: int
    first: Any
    second: Any
    distance: int | None


class IdPairFile:
    """Pairs of ids in a file that is read several times: Parquet, CSV or JSON lines of any command that finds pairs.

    Args:
        path: the file.
        form: in what they are written: parquet, json or csv. Only for Parquet, ids of Parquet keep other types than
            texts, numbers and booleans.

    Attributes:
        names: the columns of the ids.
        types: their Arrow types; None for a file without types.
        kind: parquet, json or csv.
        plain: whether ids are those that JSON can hold.
        unit: what the numbers of pairs count.

    Raises:
        TabularError: the file cannot be read.
        TabularUsageError: it has no pairs, or ids that the form cannot represent.
    """

    def __init__(self, path: str, form: str) -> None:
        self.path = path
        self.types: tuple[Any, Any] = (None, None)
        file, is_parquet = open_source(path)
        with file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise TabularError(f"{path}: is not a regular file; it has to be read several times")
            self.kind = (
                "parquet" if is_parquet else "csv" if any(is_csv(path, file, names[0]) for names in _ENDS) else "json"
            )
            if self.kind == "json":
                check_start(path, file.peek())
            try:
                found = open_file(path, file).schema_arrow.names if is_parquet else self._first_columns(file)
            except UnreadableInputError as error:
                raise TabularUsageError(f"{path}: {error}") from error
            self.names = next((names for names in _ENDS if {*names} <= {*found}), _ENDS["matches" in found])
            if repeated := repeated_name(found, (*self.names, _DISTANCE)):
                raise TabularUsageError(f"{path}: {repeated}")
            if found and "matches" not in found and not {*self.names} <= {*found}:
                raise TabularUsageError(f"{path}: has no pairs; {_EXPECTED}; found {', '.join(found)}")
            self.plain, self.unit = form != "parquet", "row" if is_parquet else "line"
            if is_parquet:
                schema = open_file(path, file).schema_arrow
                try:
                    first, second = (type_of_ids(schema, name, plain_ids=self.plain) for name in self.names)
                except UnreadableInputError as error:
                    raise TabularUsageError(f"{path}: {error}") from error
                self.types = first, second

    def _first_columns(self, file: Any) -> list[str]:
        return next(([*row.fields] for row in self._rows(file) if row.fields is not None), [])

    def _rows(self, file: Any) -> Iterator[ParsedRow]:
        used = (*(name for names in _ENDS for name in names), _DISTANCE)
        return csv_rows(file, used) if self.kind == "csv" else json_rows(file, used)

    def read(self, problem: Callable[[str], object]) -> Iterator[_Pair]:
        """Yield the pairs; call a function with what is wrong with each row that has none.

        Raises:
            TabularError: the file cannot be read to its end.
        """
        file, _ = open_source(self.path)
        with file:
            try:
                for number, found, why in self._of_parquet(file) if self.kind == "parquet" else self._of_lines(file):
                    ids = [one for pair in found for one in (pair.first, pair.second)]
                    if why or any(map(id_problem, ids)):
                        why = why or f"has no pair of ids; {_EXPECTED}"
                        problem(f"{self.path}: {self.unit} {number}: {why}")
                    else:
                        yield from found
            except (*PARQUET_ERRORS, UnreadableInputError) as error:
                reason = str(error) if isinstance(error, UnreadableInputError) else first_line(error)
                raise TabularError(f"{self.path}: cannot be read: {reason}") from error

    def _of_lines(self, file: Any) -> Iterator[tuple[int, list[_Pair], str]]:
        """Yield the number of each row, its pairs, and what is wrong with it."""
        for row in self._rows(file):
            if row.fields is None:
                yield row.number, [], row.problem
            else:  # also if it is not UTF-8, as names of files need not be
                yield row.number, [*self._of_fields(row.number, row.fields)], ""

    def _of_parquet(self, file: Any) -> Iterator[tuple[int, list[_Pair], str]]:
        opened = open_file(self.path, file)
        columns = [*self.names, *({_DISTANCE} & {*opened.schema_arrow.names})]
        number = 0
        for batch in opened.all_parts(1 << 14, columns):
            values = [batch.column(name) for name in columns]
            ids = [plain_values(one) if self.plain else names_of(one.to_pylist()) for one in values[:2]]
            distances = values[2].to_pylist() if values[2:] else [None] * len(batch)
            for first, second, distance in zip(*ids, distances, strict=True):
                yield number, [_Pair(number, first, second, _integer(distance))], ""
                number += 1

    def _of_fields(self, number: int, fields: Any) -> Iterator[_Pair]:
        if isinstance(fields.get("matches"), list):
            query = fields.get("id", fields.get("path"))
            for match in fields["matches"]:
                one = match if isinstance(match, dict) else {}
                for name in one.get("paths") or [one.get("id")]:
                    yield _Pair(number, query, name, _integer(one.get(_DISTANCE)))
        else:
            first, second = (fields.get(name) for name in self.names)
            yield _Pair(number, first, second, _integer(fields.get(_DISTANCE)))


def _integer(distance: object) -> int | None:
    """Return a distance, which CSV has as a text; None if it is none."""
    with suppress(ValueError, TypeError, OverflowError):
        return int(distance)  # type: ignore[call-overload, no-any-return]
    return None


class Confirmation:
    """The pairs of a file, and the texts of their ids, which are in a temporary file; memory holds the ids.

    Args:
        pairs: the pairs, which are read twice.
        tables: the tables with the texts of the first ids and of the second, or one table with both.
        id_column: their column of ids; None for the numbers of rows.

    Attributes:
        ids: of each side, those that occur.

    Raises:
        TabularError: a file cannot be read to its end.
        TabularUsageError: an id that is in a pair is in several rows.
    """

    def __init__(self, pairs: IdPairFile, tables: Sequence[TabularFiles], id_column: str | None) -> None:
        self._pairs = pairs
        as_texts = "csv" in (pairs.kind, *(one.kind for one in tables))
        self._key: Callable[[Any], Any] = str if as_texts else lambda one: one
        wanted: list[dict[Any, Any]] = [{} for _ in tables]
        for pair in pairs.read(lambda text: None):
            wanted[0][self._key(pair.first)] = pair.first
            wanted[-1][self._key(pair.second)] = pair.second
        is_plain = pairs.kind != "parquet" or pairs.plain or as_texts
        self.ids = wanted[0].values(), wanted[-1].values()
        # Parquet may have a date as a text, for example, where the table has it as a date.
        forms = ["json" if is_plain or kind == pa.string() else "parquet" for kind in pairs.types]
        self._sides = [
            _Side(table, table.ids(id_column, form)[0], ids, self._key)
            for table, ids, form in zip(tables, wanted, forms, strict=False)
        ]

    @property
    def difference(self) -> str:
        """How the types of the ids of the pairs and of a table differ, if none of these ids is in the table."""
        return next((side.difference for side in self._sides if side.difference), "")

    def similar(
        self, least: float, problem: Callable[[str], object], advance: Callable[[int], object] = lambda count: None
    ) -> Iterator[tuple[Any, Any, Any, float]]:
        """Yield the pairs of similar texts: both ids, the distance as it is given, and the similarity from 0 to 1.

        A pair is confirmed if at least a share of the tokens, and of the distinct tokens, is common. Numbers do not
        count: `find_duplicates` leaves out less.

        Args:
            least: this share; 0 for all pairs.
            problem: called with what is wrong with each pair that cannot be compared.
            advance: called with a number of pairs that are read.
        """
        for pair in self._pairs.read(problem):
            advance(1)
            first, second = self._sides[0].tokens(pair.first), self._sides[-1].tokens(pair.second)
            if isinstance(first, TextTokens) and isinstance(second, TextTokens):
                if first.is_similar(second, least):
                    yield pair.first, pair.second, pair.distance, first.similarity(second)
                continue
            reasons = dict.fromkeys(one for one in (first, second) if isinstance(one, str))
            problem(f"{self._pairs.path}: {self._pairs.unit} {pair.number}: {' and '.join(reasons)}")


class _Side:
    """The tokens of the texts of ids; or why an id has none."""

    def __init__(self, table: TabularFiles, ids: list[Any], wanted: Collection[Any], key: Callable[[Any], Any]) -> None:
        self._rows: dict[Any, int] = {}
        for row, one in enumerate(ids):
            if not id_problem(one) and key(one) in wanted and self._rows.setdefault(key(one), row) != row:
                raise repeated_id(one, table.name_of(self._rows[key(one)], None), table.name_of(row, None))
        self.difference = ""
        if not self._rows and wanted:
            given, own = (sorted({type(one).__name__ for one in some if one is not None}) for some in (wanted, ids))
            if not {*given} & {*own}:
                self.difference = f"{' and '.join(given)} in the pairs, {' and '.join(own)} in the table"
        self._key = key
        self._texts = RowTexts(table, np.array([*self._rows.values()], np.int64), len(table))
        self.tokens = lru_cache(_CACHED)(self._tokens)

    def _tokens(self, one: Any) -> TextTokens | str:
        row = self._rows.get(self._key(one))
        if row is None:
            return f"no row has the id {shown(str(one))}"
        text = self._texts.text(row)
        return f"the row with the id {shown(str(one))} has no text" if text is None else TextTokens(text)
