"""Which rows of a column of texts are duplicates, which are kept, and why: for data frames and other columns."""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import popcount
from simhash_doc.batch.api import WorkerFailedError, compute
from simhash_doc.batch.batches import NO_TOKEN, NULL_TEXT, batches, is_column, known_size
from simhash_doc.duplicates.component import ComponentTexts
from simhash_doc.duplicates.definition import Positions
from simhash_doc.duplicates.keep_values import check_order, keep_values
from simhash_doc.duplicates.row_texts import RowTexts, encoded
from simhash_doc.duplicates.templates import Templates
from simhash_doc.lookup import find_clusters
from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import LEAST_SIMILARITY

UNIQUE, REPRESENTATIVE, EXACT, NEAR = "unique", "representative", "exact", "near-duplicate"
TOO_SHORT, TEMPLATE = "too few tokens", "template"
_RELATION = (
    "the texts are a DuckDB relation, which may give its rows in another order each time it is read; results are by "
    "position: give table = relation.to_arrow_table(), and take the rows that are kept from this table"
)


@dataclass(frozen=True, slots=True, eq=False)
class DuplicateRows:
    """Clusters of duplicates among rows, by position. Arrays of shape (n,).

    Attributes:
        clusters: number of the cluster of each row, from 0, in the order of their first rows; -1 for a row without
            duplicates.
        representatives: position of the row that is kept for each row: its own if it is kept.
        reasons: ``unique``; ``representative``: kept, and others are left out for it; ``exact``: its text equals the
            representative's; ``near-duplicate``: its text was compared with the representative's, and is similar;
            ``template``: it is like another row of a template, and kept;
            ``no token`` and ``too few tokens``: kept, because no text equals it, and it is not compared otherwise;
            ``the text is null``, or a reason that was given: kept. An empty text has no token, and equals none.
        distances: bits in which the fingerprint of each row that is left out differs from its representative's; -1 for
            a row that is kept.
        similarities: share of common tokens of each row that is left out and its representative, from 0 to 1; NaN for
            a row that is kept.
        templates: for each row of a template (over 100 rows that share most words, and differ in the others), the
            position of the most preferred of them; -1 for other rows.
        other_numbers: positions of the rows that are left out although the row that is kept has other numbers: digits
            belong to no token, so the fingerprints are equal.
    """

    clusters: Positions
    representatives: Positions
    reasons: npt.NDArray[np.object_]
    distances: Positions
    similarities: npt.NDArray[np.float64]
    templates: Positions
    other_numbers: Positions

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """True for each row that is kept."""
        kept: npt.NDArray[np.bool_] = self.representatives == np.arange(len(self.representatives))
        return kept


def find_duplicate_rows(
    texts: Any,
    column: str | None = None,
    *,
    keep: str | Sequence[Any] | npt.NDArray[Any] = "longest",
    scheme: str = "sd256",
    distance: int | None = None,
    min_similarity: float = LEAST_SIMILARITY,
    min_tokens: int = 0,
    templates: Templates = "keep",
    earlier: int = 0,
    workers: int | None = None,
    without_text: Mapping[int, str] | None = None,
    advance: Callable[[int], object] = lambda count: None,
) -> DuplicateRows:
    """Return which rows are duplicates, which are kept, and why.

    `simhash_doc.duplicates.definition` says what a duplicate is. The fingerprint of a row that is left out is within
    the distance from the row that is kept for it. Their texts share at least `min_similarity` of their tokens and of
    their distinct tokens. So a word that is repeated in short texts makes no duplicates of unrelated ones. Digits,
    links and e-mail addresses belong to no token: texts that differ only in these are duplicates.

    The texts are read twice. Memory holds about 600 bytes per row, and four bytes for each token of the rows that are
    compared at a time: those whose near fingerprints connect them. Their texts are in a temporary file.

    Args:
        texts: a list of str or bytes, or a column of pandas, polars or pyarrow; with `column`, a data frame or table
            of them, or a DuckDB relation. None is a missing text. A relation is read in an order that may change
            later: `to_arrow_table()` keeps an order (a warning says so).
        column: name of the column with the texts.
        keep: ``longest``: the row with the longest text, in bytes; ``first``: the first; or a value for each row, of
            which the least is kept, such as times, to keep the oldest. Missing values come last.
        scheme: short id of the scheme.
        distance: most bits in which fingerprints differ; None for `loose` of the scheme: the texts confirm.
        min_similarity: the least share of common tokens, over 0, at most 1.
        min_tokens: rows with fewer tokens, each counted at most 8 times, are duplicates only of equal texts.
        templates: ``keep``: of over 100 rows that share a frame and differ in it, such as letters to different people,
            only those are left out that have all tokens and all numbers of another one; ``drop``: they are duplicates
            like others.
        earlier: number of the first rows that are always kept, and come before all others: rows of a table that was
            written earlier, for which new rows are left out.
        workers: as for `fingerprint_many`.
        without_text: by position, the reasons of rows whose text is None because it cannot be read, for example.
        advance: called with a number of rows, each twice: when it is read, and when it is decided.

    Raises:
        KeyError: the column is missing; the message lists the columns.
        TypeError: the texts are one str or bytes, or a polars LazyFrame.
        ValueError: a parameter is out of range, or `keep` does not have a value for each row.
        LookupParameterError: the distance is not supported.
        WorkerFailedError: a worker failed.

    >>> text = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
    >>> found = find_duplicate_rows([text, "Trains left at noon", text.upper() + " indeed", text])
    >>> found.reasons.tolist(), found.representatives.tolist()
    (['near-duplicate', 'unique', 'representative', 'near-duplicate'], [2, 1, 2, 2])
    """
    if not 0 < min_similarity <= 1:
        raise ValueError(f"min_similarity is {min_similarity}; expected a number over 0, at most 1")
    if earlier < 0:
        raise ValueError(f"earlier is {earlier}; expected a number of rows, 0 or more")
    if templates not in ("keep", "drop"):
        raise ValueError(f"templates is {templates!r}; expected 'keep' or 'drop'")
    source = _column_of(texts, column)
    rows = _Rows(source, get_scheme(scheme).lanes, workers, advance)
    assignment = _Assignment(rows, _rank(keep, rows.sizes, earlier), min_similarity, templates)
    distinct = assignment.add_equal_texts(np.flatnonzero(rows.sizes > 0))
    distinct = distinct[rows.weights[distinct] >= max(min_tokens, 1)]
    values = rows.values[distinct]
    distance = get_scheme(scheme).loose if distance is None else distance
    components = find_clusters(values, distance=distance, scheme=scheme)
    advance(len(rows.sizes) - len(components.members))
    texts_of_rows = rows.store(distinct[components.members])
    for component in components:
        assignment.add_near(distinct[component], distance, texts_of_rows)
        advance(len(component))
    return assignment.result(min_tokens, without_text or {}, earlier)


def _column_of(texts: Any, column: str | None) -> Any:
    """Return the texts as an iterable or a column that can be read several times."""
    if type(texts).__name__ == "LazyFrame":  # of polars
        raise TypeError("texts is a LazyFrame, which has no rows yet; give its collect()")
    if column is not None:
        texts = _named_column(texts, column)
    if type(texts).__module__.partition(".")[0] in ("duckdb", "_duckdb"):  # a relation of one column
        warnings.warn(_RELATION, stacklevel=3)
        texts = texts.to_arrow_table().column(0)
    if isinstance(texts, str | bytes):
        raise TypeError(f"texts is one {type(texts).__name__}; give a list or a column of texts")
    return list(texts) if not is_column(texts) and iter(texts) is texts else texts


def _named_column(frame: Any, column: str) -> Any:
    """Return a column of a data frame, a table or a relation; each library has an error of its own if it is absent."""
    try:
        return frame[column]
    except Exception as error:
        names = [str(name) for name in getattr(frame, "column_names", getattr(frame, "columns", ()))]
        if not names or column in names:
            raise
        raise KeyError(f"no column {column!r}; the columns are {', '.join(map(repr, names))}") from error


class _Rows:
    """What is known of the texts of rows: arrays of shape (n,) or (n, lanes).

    Attributes:
        sizes: in bytes; -1 for a missing text.
        digests: shape (n, 2); equal for equal texts.
        values: the fingerprints; 0 without a token.
        weights: number of tokens, each counted at most 8 times.
    """

    def __init__(
        self, source: Iterable[Any], lanes: int, workers: int | None, advance: Callable[[int], object]
    ) -> None:
        self._source = source
        sizes, digests, failures = [np.empty(0, np.int64)], [np.empty((0, 2), np.uint64)], []
        values, weights = [np.empty((0, lanes), np.uint64)], [np.empty(0, np.int64)]
        work = ((batch, batch) for batch in batches(source))
        for batch, measured, failure in compute(work, lanes, workers or 1, known_size(source)):
            texts = encoded(batch)
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


def _rank(keep: str | Sequence[Any] | npt.NDArray[Any], sizes: Positions, earlier: int) -> Positions:
    """Return the place of each row in the order in which rows are preferred."""
    n = len(sizes)
    if isinstance(keep, str):
        if keep not in ("longest", "first"):
            raise ValueError(f"keep is {keep!r}; expected 'longest', 'first', or a value for each row")
        order = np.argsort(-sizes, kind="stable") if keep == "longest" else np.arange(n)
    else:
        listed = keep_values(keep)
        if len(listed) != n:
            raise ValueError(f"keep has {len(listed)} values; expected {n}, one for each row")
        missing = np.array([one is None for one in listed], np.bool_)
        present = np.flatnonzero(~missing).tolist()
        try:
            ordered = sorted(present, key=listed.__getitem__)
        except TypeError:
            check_order(listed, present)
            raise
        order = np.concatenate([np.array(ordered, np.int64), np.flatnonzero(missing)])
    rank = np.empty(n, np.int64)
    rank[order[np.argsort(order >= earlier, kind="stable")]] = np.arange(n)
    return rank


class _Assignment:
    """Assigns rows to the rows that are kept for them."""

    def __init__(self, rows: _Rows, rank: Positions, least: float, templates: Templates) -> None:
        self._rows = rows
        self._rank = rank
        self._least = least
        self._keep: Templates = templates
        self._representatives = np.arange(len(rank))
        self._similarities = np.ones(len(rank))
        self._templates = np.full(len(rank), -1)
        self._numbers = np.zeros(len(rank), np.int64)  # a hash of those in the text, if the fingerprint has copies

    def add_equal_texts(self, rows: Positions) -> Positions:
        """Assign rows with equal texts to the preferred one of them; return those that are preferred, ascending."""
        digests = self._rows.digests
        order = rows[np.lexsort((self._rank[rows], digests[rows, 0], digests[rows, 1]))]
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = (digests[order[1:]] != digests[order[:-1]]).any(axis=1)
        first = order[is_first]
        self._representatives[order] = first[np.cumsum(is_first) - 1]
        self._originals = self._representatives.copy()
        return np.sort(first)

    def add_near(self, component: Positions, distance: int, stored: RowTexts) -> None:
        """Assign rows to a preferred row that is near and similar.

        Args:
            component: rows with different texts, connected by near fingerprints.
            distance: most bits in which near fingerprints differ.
            stored: their texts.
        """
        ordered = component[np.argsort(self._rank[component])]
        values = self._rows.values[ordered]
        fingerprints = [value.tobytes() for value in values]
        counts = Counter(fingerprints)
        texts = ComponentTexts(
            (stored.text(row) or "", counts[fingerprint] > 1)
            for row, fingerprint in zip(ordered.tolist(), fingerprints, strict=True)
        )
        found = texts.assign(values, distance, self._least, self._keep)
        self._representatives[ordered] = ordered[found.representatives]
        self._similarities[ordered] = found.similarities
        self._templates[ordered] = np.where(found.templates < 0, -1, ordered[found.templates])
        self._numbers[ordered] = found.numbers

    def result(self, min_tokens: int, without_text: Mapping[int, str], earlier: int) -> DuplicateRows:
        """Return the clusters; equal rows follow the row that they equal."""
        rows = self._rows
        representatives = self._representatives[self._representatives]
        representatives[:earlier] = np.arange(earlier)
        n = len(representatives)
        others = representatives != np.arange(n)
        sizes = np.bincount(representatives, minlength=n)
        reasons = np.full(n, UNIQUE, object)
        reasons[sizes > 1] = REPRESENTATIVE
        reasons[others] = NEAR
        reasons[others & (rows.digests == rows.digests[representatives]).all(axis=1)] = EXACT
        alone = sizes[representatives] == 1
        reasons[alone & (self._templates >= 0)] = TEMPLATE
        reasons[alone & (rows.weights < min_tokens)] = TOO_SHORT
        reasons[alone & (rows.weights == 0)] = NO_TOKEN
        reasons[rows.sizes < 0] = NULL_TEXT
        for row, reason in without_text.items():
            reasons[row] = reason
        clusters = np.full(n, -1, np.int64)
        inside = np.flatnonzero(sizes[representatives] > 1)
        _, first, number = np.unique(representatives[inside], return_index=True, return_inverse=True)
        order = np.empty(len(first), np.int64)
        order[np.argsort(first)] = np.arange(len(first))
        clusters[inside] = order[number]
        least = np.minimum(self._similarities, self._similarities[self._representatives])
        similarities = np.where(others, least, np.nan)
        distances = np.full(n, -1, np.int64)
        distances[others] = popcount(rows.values[others] ^ rows.values[representatives[others]])
        equal = np.flatnonzero((distances == 0) & (reasons == NEAR))
        numbers = self._numbers[self._originals]
        other_numbers = equal[numbers[equal] != numbers[representatives[equal]]]
        templates = self._templates[self._representatives]
        return DuplicateRows(clusters, representatives, reasons, distances, similarities, templates, other_numbers)
