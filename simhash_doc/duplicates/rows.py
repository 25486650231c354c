"""Which rows of a column of texts are duplicates, which are kept, and why: for data frames and other columns."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from simhash_doc.arguments import Many, OnProgress, check_aligned, check_read, collection, function, integer
from simhash_doc.arrays import popcount
from simhash_doc.batch.api import Texts, WorkerFailedError, compute
from simhash_doc.batch.batches import NO_TOKEN, NULL_TEXT, batches, is_column, known_size
from simhash_doc.duplicates.component import NUMBERS, decide
from simhash_doc.duplicates.keep_values import check_order, keep_values
from simhash_doc.duplicates.packed import Mask, PackedTexts
from simhash_doc.duplicates.parts import find_parts, together
from simhash_doc.duplicates.policy import FIRST, LONGEST, Policy
from simhash_doc.duplicates.row_texts import RowTexts, as_utf8
from simhash_doc.errors import warn_caller
from simhash_doc.lookup.clusters import Clusters
from simhash_doc.lookup.positions import Positions
from simhash_doc.notebooks import SHOWN, html_table
from simhash_doc.schemes import get_scheme

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

UNIQUE, REPRESENTATIVE, EXACT, NEAR = "unique", "representative", "exact", "near-duplicate"
OWN_NUMBERS, TOO_FEW_TOKENS = "own numbers", "too few tokens"
_RELATION = (
    "the texts are a DuckDB relation, which may give its rows in another order each time it is read; results are by "
    "position: give table = relation.to_arrow_table(), and take the rows that are kept from this table"
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DuplicateRows:
    """Clusters of duplicates among rows, by position. Arrays of shape (n,).

    Attributes:
        labels: number of the cluster of each row, from 0, in the order of their first rows; -1 for a row without
            duplicates.
        representatives: position of the row that is kept for each row: its own if it is kept.
        reasons: ``unique``: kept, and no other is left out for it; ``representative``: kept, and others are left out
            for it; ``exact``: its text equals the representative's; ``near-duplicate``: its text was compared with
            the representative's, and the policy leaves it out. All others are kept: ``own numbers``: it would be
            left out if numbers were ignored; ``no token`` and ``too few tokens``: no text equals it, and it is not
            compared otherwise; ``the text is null``. An empty text has no token, and equals no other text.
        distances: bits in which the fingerprint of each row that is left out differs from its representative's; -1 for
            a row that is kept.
        similarities: share of common tokens of each row that is left out and its representative, from 0 to 1; NaN for
            a row that is kept.
        numbers: for each row that is left out, which of its numbers the representative contains: ``equal``: the same;
            ``more``: these and more; ``other``: not all of them, which the policy ``ignore`` allows; "" for a row
            that is kept.
        resembles: for each row that is kept because of its numbers alone, the position of the row that it would be left
            out for if numbers were ignored; -1 for other rows.
        index: the index of the pandas series or frame with the texts, which `to_pandas` uses; None for other texts.

    >>> text = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
    >>> found = find_duplicates([text, text + " indeed", "Trains left at noon"])
    >>> found.kept.tolist(), found.representatives.tolist(), found.distances.tolist()
    ([False, True, True], [1, 1, 2], [15, -1, -1])
    """

    labels: Positions
    representatives: Positions
    reasons: npt.NDArray[np.object_]
    distances: Positions
    similarities: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.str_]
    resembles: Positions
    index: pd.Index[Any] | None = None

    @property
    def kept(self) -> Mask:
        """True for each row that is kept."""
        kept: Mask = self.representatives == np.arange(len(self.representatives))
        return kept

    def clusters(self) -> Clusters:
        """Return the clusters of two or more rows, as positions, like `simhash_doc.lookup.find_clusters`.

        >>> found = find_duplicates(["a lamp at the pier", "Trains left at noon", "a lamp at the pier"])
        >>> [members.tolist() for members in found.clusters()], found.labels.tolist()
        ([[0, 2]], [0, -1, 0])
        """
        members = np.argsort(self.labels, kind="stable")[int((self.labels < 0).sum()) :]
        ends = np.cumsum(np.bincount(self.labels[members]), dtype=np.int64)
        return Clusters(members, np.concatenate([np.zeros(1, np.int64), ends]))

    def __len__(self) -> int:
        return len(self.representatives)

    def __repr__(self) -> str:
        return f"<DuplicateRows: {int(self.kept.sum()):,} of {len(self):,} rows are kept>"

    def _repr_html_(self) -> str:
        columns = self._columns()
        return html_table(repr(self), ("row", *columns), zip(range(SHOWN), *columns.values(), strict=False))

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame with one row for each input row: kept, representative, reason and other columns.

        It has the index of the texts, so `frame.join(found.to_pandas())` works with every index. The columns
        `representative` and `resembles` contain positions, not values of the index.

        Raises:
            ImportError: pandas is not installed.

        >>> find_duplicates(["a lamp at the pier", "a lamp at the pier"]).to_pandas()["kept"].tolist()
        [True, False]
        """
        import pandas as pd

        return pd.DataFrame(self._columns(), index=self.index)

    def to_polars(self) -> pl.DataFrame:
        """Return the same table as `to_pandas`, as a polars data frame.

        Raises:
            ImportError: polars is not installed.

        >>> find_duplicates(["a lamp at the pier", "a lamp at the pier"]).to_polars()["reason"].to_list()
        ['representative', 'exact']
        """
        import polars as pl

        return pl.DataFrame({name: column.tolist() for name, column in self._columns().items()})

    def _columns(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "kept": self.kept, "representative": self.representatives, "reason": self.reasons,
            "cluster": self.labels, "distance": self.distances, "similarity": self.similarities,
            "numbers": self.numbers, "resembles": self.resembles,
        }  # fmt: skip


class TextTable(Protocol):
    """A data frame or table, of which a column is taken by its name."""

    def __getitem__(self, name: str, /) -> Any: ...


def find_duplicates(
    texts: Texts | Many[Mapping[str, Any]] | TextTable,
    column: str | None = None,
    *,
    policy: Policy | None = None,
    preferred: Many[Any] | npt.NDArray[Any] | None = None,
    protected: Many[bool] | Mask | None = None,
    workers: int | None = None,
    progress: OnProgress = lambda done, total: None,
) -> DuplicateRows:
    """Return which rows are duplicates, which rows are kept, and why.

    A row is left out for a kept row with a near fingerprint and nearly the same tokens, which contains all numbers of
    the row. `Policy` contains the defaults.

    The texts are read twice. Memory holds about 600 bytes per row, and four bytes for each token of the rows that are
    compared at a time: those whose near fingerprints connect them, or all, if it takes less time to compare the texts
    than to find near fingerprints, and 2 GB hold the tokens. The texts are in a temporary file.

    Args:
        texts: a list of str or bytes, or a column of pandas, polars or pyarrow; with `column`, a data frame or table
            of them, a list of dicts, or a DuckDB relation. None is a missing text. A relation is read in an order that
            may change later: `to_arrow_table()` keeps an order (a warning says so).
        column: name of the column, or key of the dicts, with the texts.
        policy: what is left out; None for the defaults.
        preferred: a value for each row, for example a time: the row with the lowest value is kept. It replaces the rule
            `keep` of the policy. Missing values come last.
        protected: a bool for each row: True keeps the row in any case, and prefers it to all others. For example,
            protect the rows of an earlier table, so that only new rows are left out.
        workers: as for `fingerprint_many`.
        progress: called with the number of finished steps and of all steps (None if the texts have no length). Each row
            takes two steps: reading and deciding.

    Raises:
        KeyError: the column or the key is missing; the message lists those that exist.
        TypeError: the texts are not a collection with an order, for example one str, or a frame without `column`; or
            another argument has the wrong type.
        ValueError: there is no preferred value for each row, or the policy names a column, times or protected paths
            without them; or several columns have the name; or pandas series have different indexes.
        LookupParameterError: the distance is not supported.
        WorkerFailedError: a worker failed.

    >>> text = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
    >>> found = find_duplicates([text, "Trains left at noon", text.upper() + " indeed", text, text + " 7", text + " 8"])
    >>> found.reasons.tolist()
    ['near-duplicate', 'unique', 'near-duplicate', 'near-duplicate', 'representative', 'own numbers']
    >>> found.representatives.tolist()
    [4, 1, 4, 4, 4, 5]
    """
    policy = Policy() if policy is None else policy
    if not isinstance(policy, Policy):
        raise TypeError(f"policy is {type(policy).__name__}; expected a Policy")
    workers = 1 if workers is None else integer(workers, "workers", 1)
    function(progress, "progress")
    source = _column_of(texts, column)
    check_aligned(texts=source, preferred=preferred, protected=protected)
    if policy.protected and protected is None:
        raise ValueError(f"the policy protects {policy.protected[0]!r}; rows need a bool each: give `protected`")
    if preferred is not None:  # the order given decides, and the rows are given in the order of these values
        policy = replace(policy, keep=FIRST)
    steps = _Steps(progress, 2 * len(source) if isinstance(source, Sized) else None)
    rows = _Rows(source, get_scheme(policy.scheme).lanes, workers, steps.advance)
    assignment = _Assignment(rows, policy, _place(policy, preferred, len(rows.sizes)), _mask(protected, rows))
    distinct = assignment.add_equal_texts(np.flatnonzero(rows.sizes > 0))
    distinct = distinct[rows.weights[distinct] >= max(policy.min_tokens, 1)]
    parts = find_parts(rows.values[distinct], policy.bits, int(rows.weights[distinct].sum())).members
    steps.advance(len(rows.sizes) - sum(map(len, parts)))
    texts_of_rows = rows.store(distinct[np.concatenate([np.empty(0, np.int64), *parts])])
    for some in together(parts, rows.weights[distinct]):
        assignment.add_near([distinct[part] for part in some], texts_of_rows)
        steps.advance(sum(map(len, some)))
    index = source.index if hasattr(source, "iloc") else None  # of pandas
    return replace(assignment.result(), index=index)


def _column_of(texts: Any, column: str | None) -> Any:
    """Return the texts as an iterable or a column that can be read several times."""
    check_read(texts, "texts")
    if column is not None:
        texts = _named_column(texts, column)
    if type(texts).__module__.partition(".")[0] in ("duckdb", "_duckdb"):  # a relation of one column
        warn_caller(_RELATION, UserWarning)
        texts = texts.to_arrow_table().column(0)
    elif hasattr(texts, "columns") or hasattr(texts, "column_names"):
        if column is not None:
            raise ValueError(f"several columns have the name {column!r}; rename all but one")
        raise TypeError(f"texts is a {type(texts).__name__}; name its column with the texts: column=...")
    collection(texts, "texts", "str, bytes or None")
    return list(texts) if not is_column(texts) and iter(texts) is texts else texts


def _named_column(frame: Any, column: Any) -> Any:
    """Return a column of a data frame, a table or a relation; each library has an error of its own if it is absent."""
    if not isinstance(column, str):
        raise TypeError(f"column is {type(column).__name__}; expected a str")
    if isinstance(frame, list | tuple):
        return [_of_key(row, column, number) for number, row in enumerate(frame)]
    try:
        return frame[column]
    except Exception as error:
        listed = frame if isinstance(frame, Mapping) else getattr(frame, "column_names", getattr(frame, "columns", ()))
        names = [*map(str, listed)]
        if column in names:
            raise
        if not names and not hasattr(frame, "columns"):
            expected = "a list of dicts, a dict of columns, or a data frame or table"
            raise TypeError(f"texts is {type(frame).__name__}; expected {expected}, as column says") from error
        raise KeyError(f"no column {column!r}; the columns are {', '.join(map(repr, names)) or 'none'}") from error


def _of_key(row: Any, key: str, number: int) -> Any:
    if not isinstance(row, Mapping):
        raise TypeError(f"row {number} is {type(row).__name__}; expected a dict with the key {key!r}, as column says")
    if key not in row:
        raise KeyError(f"no key {key!r} in row {number}; its keys are {', '.join(map(repr, row))}")
    return row[key]


class _Steps:
    """Counts finished steps for `progress` of `find_duplicates`."""

    def __init__(self, progress: OnProgress, total: int | None) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def advance(self, count: int) -> None:
        self._done += count
        self._progress(self._done, self._total)


class _Rows:
    """What is known of the texts of rows: arrays of shape (n,) or (n, lanes).

    Attributes:
        sizes: in bytes; -1 for a missing text.
        digests: shape (n, 2); equal for equal texts.
        values: the fingerprints; 0 without a token.
        weights: number of tokens, each counted at most 8 times.
    """

    def __init__(self, source: Iterable[Any], lanes: int, workers: int, advance: Callable[[int], object]) -> None:
        self._source = source
        sizes, digests, failures = [np.empty(0, np.int64)], [np.empty((0, 2), np.uint64)], []
        values, weights = [np.empty((0, lanes), np.uint64)], [np.empty(0, np.int64)]
        work = ((batch, batch) for batch in batches(source))
        for batch, measured, failure in compute(work, lanes, workers, known_size(source)):
            texts = [*map(as_utf8, batch.texts)]
            sizes.append(np.array([-1 if text is None else len(text) for text in texts], np.int64))
            joined = b"".join(hashlib.blake2b(text or b"", digest_size=16).digest() for text in texts)
            digests.append(np.frombuffer(joined, np.uint64).reshape(-1, 2))
            values.append(measured.values)
            weights.append(measured.weight.copy())  # not the other columns, too
            if failure:
                failures.append((batch.documents, failure))
            advance(len(batch))
        if failures:
            raise WorkerFailedError(failures)
        self.sizes, self.digests = np.concatenate(sizes), np.concatenate(digests)
        self.values, self.weights = np.concatenate(values), np.concatenate(weights)

    def store(self, rows: Positions) -> RowTexts:
        """Return the texts of rows."""
        return RowTexts(self._source, rows, len(self.sizes))


def _place(policy: Policy, preferred: object, n: int) -> Positions:
    """Return the place of each row in the order in which rows are given to `decide`."""
    if preferred is None:
        if policy.keep not in (LONGEST, FIRST):
            raise ValueError(f"keep is {policy.keep!r}; rows need a value each: give `preferred`")
        return np.arange(n)
    listed = keep_values(preferred)
    if len(listed) != n:
        raise ValueError(f"preferred has {len(listed)} values; expected {n}, one for each row")
    missing = np.array([one is None for one in listed], np.bool_)
    present = np.flatnonzero(~missing).tolist()
    try:
        ordered = sorted(present, key=listed.__getitem__)
    except TypeError:
        check_order(listed, present)
        raise
    place = np.empty(n, np.int64)
    place[np.concatenate([np.array(ordered, np.int64), np.flatnonzero(missing)])] = np.arange(n)
    return place


def _mask(protected: object, rows: _Rows) -> Mask:
    n = len(rows.sizes)
    if protected is None:
        return np.zeros(n, np.bool_)
    given: Any = collection(protected, "protected", "bool")
    found = np.asarray(given if hasattr(given, "__array__") else list(given))
    if len(found) and found.dtype != np.bool_:
        raise TypeError(f"protected has items of another type than bool, for example {found.flat[0]!r}")
    if found.shape != (n,):
        raise ValueError(f"protected has {len(found)} values; expected {n}, one for each row")
    return found


class _Assignment:
    """Assigns rows to the rows that are kept for them."""

    def __init__(self, rows: _Rows, policy: Policy, place: Positions, protected: Mask) -> None:
        self._rows, self._policy, self._place, self._protected = rows, policy, place, protected
        n = len(place)
        self._originals, self._representatives = np.arange(n), np.arange(n)
        self._similarities = np.ones(n)
        self._numbers = np.zeros(n, np.int8)
        self._resembles = np.full(n, -1)

    def add_equal_texts(self, rows: Positions) -> Positions:
        """Assign rows with equal texts to the preferred one of them; return those that are preferred, ascending."""
        digests = self._rows.digests
        keys = self._place[rows], ~self._protected[rows], digests[rows, 0], digests[rows, 1]
        order = rows[np.lexsort(keys)]
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = (digests[order[1:]] != digests[order[:-1]]).any(axis=1)
        first = order[is_first]
        self._originals[order] = first[np.cumsum(is_first) - 1]
        return np.sort(first)

    def add_near(self, parts: list[Positions], stored: RowTexts) -> None:
        """Assign rows with different texts to a preferred row of their part."""
        rows = np.concatenate(parts)
        order = np.argsort(self._place[rows])
        given, part_of = rows[order], np.repeat(np.arange(len(parts)), [len(part) for part in parts])[order]
        texts = PackedTexts((stored.text(row) or "" for row in given.tolist()), whole=self._policy.is_whole)
        found = decide(texts, self._rows.values[given], self._policy, self._protected[given], parts=part_of)
        self._representatives[given] = given[found.representatives]
        self._similarities[given] = found.similarities
        self._numbers[given] = found.numbers
        self._resembles[given] = np.where(found.resembles < 0, -1, given[found.resembles])

    def result(self) -> DuplicateRows:
        """Return the clusters; equal rows follow the row that they equal."""
        rows, n = self._rows, len(self._place)
        originals = self._originals
        representatives = self._representatives[originals]
        protected = np.flatnonzero(self._protected)
        representatives[protected] = protected
        others = representatives != np.arange(n)
        sizes = np.bincount(representatives, minlength=n)
        distances = np.full(n, -1, np.int64)
        distances[others] = popcount(rows.values[others] ^ rows.values[representatives[others]])
        similarities = np.where(others, self._similarities[originals], np.nan)
        numbers = np.array(NUMBERS)[self._numbers[originals]]
        reasons = self._reasons(representatives, sizes)
        clusters, numbers = _numbered(representatives, sizes), np.where(others, numbers, "")
        return DuplicateRows(clusters, representatives, reasons, distances, similarities, numbers, self._resembles)

    def _reasons(self, representatives: Positions, sizes: Positions) -> npt.NDArray[np.object_]:
        rows, n = self._rows, len(representatives)
        others = representatives != np.arange(n)
        reasons = np.full(n, UNIQUE, object)
        reasons[self._resembles >= 0] = OWN_NUMBERS
        reasons[sizes > 1] = REPRESENTATIVE
        reasons[others] = NEAR
        reasons[others & (rows.digests == rows.digests[representatives]).all(axis=1)] = EXACT
        alone = sizes[representatives] == 1
        reasons[alone & (rows.weights < self._policy.min_tokens)] = TOO_FEW_TOKENS
        reasons[alone & (rows.weights == 0)] = NO_TOKEN
        reasons[rows.sizes < 0] = NULL_TEXT
        return reasons


def _numbered(representatives: Positions, sizes: Positions) -> Positions:
    """Return the number of the cluster of each row, in the order of the first rows; -1 for a row without others."""
    clusters = np.full(len(representatives), -1, np.int64)
    inside = np.flatnonzero(sizes[representatives] > 1)
    _, first, number = np.unique(representatives[inside], return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    clusters[inside] = order[number]
    return clusters
