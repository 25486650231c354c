"""Which rows of a column of texts are duplicates, which are kept, and why: for data frames and other columns."""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import popcount
from simhash_doc.batch.api import WorkerFailedError, compute
from simhash_doc.batch.batches import NO_TOKEN, NULL_TEXT, Batch, batches, is_column, known_size
from simhash_doc.duplicates.definition import Positions, assign
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.lookup import find_clusters
from simhash_doc.schemes import get_scheme

UNIQUE, REPRESENTATIVE, EXACT, NEAR = "unique", "representative", "exact", "near-duplicate"
TOO_SHORT = "too few tokens"
_CACHED_TEXTS = 1 << 12
_MISSING = ("NAType", "NaTType")  # of pandas
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
        reasons: ``unique``; ``representative``: kept, and others are left out for it; ``exact``: its text equals that
            of the representative; ``near-duplicate``: its text was compared with that of the representative, and is
            similar;
            ``no token`` and ``too few tokens``: kept, because no text equals it, and it is not compared otherwise;
            ``the text is null``, or a reason that was given: kept. An empty text has no token, and equals none.
        distances: bits in which the fingerprint of each row that is left out differs from that of its representative;
            -1 for a row that is kept.
        similarities: share of common tokens of each row that is left out and its representative, from 0 to 1; NaN for
            a row that is kept.
    """

    clusters: Positions
    representatives: Positions
    reasons: npt.NDArray[np.object_]
    distances: Positions
    similarities: npt.NDArray[np.float64]

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
    min_similarity: float = 0.5,
    min_tokens: int = 0,
    workers: int | None = None,
    without_text: Mapping[int, str] | None = None,
) -> DuplicateRows:
    """Return which rows are duplicates, which are kept, and why.

    Duplicates are those of `simhash_doc.duplicates.definition`: the fingerprint of a row that is left out is within the
    distance of that of the row that is kept for it, and their texts share at least `min_similarity` of their tokens and
    of their distinct tokens. So a word that is repeated in short texts makes no duplicates of unrelated ones. Digits,
    links and e-mail addresses belong to no token: texts that differ only in these are duplicates.

    The texts are read twice. Memory holds about 400 bytes per row, and the texts of rows whose fingerprint is near
    that of another.

    Args:
        texts: a list of str or bytes, or a column of pandas, polars or pyarrow; with `column`, a data frame or table
            of them, or a DuckDB relation. None is a missing text. Of a relation, results are those of the order in
            which it is read here: `to_arrow_table()` keeps an order (a warning says so).
        column: name of the column with the texts.
        keep: ``longest``: the row with the longest text, in bytes; ``first``: the first; or a value for each row, of
            which the least is kept, such as times, to keep the oldest. Missing values come last.
        scheme: short id of the scheme.
        distance: most bits in which fingerprints differ; None for `loose` of the scheme: the texts confirm.
        min_similarity: the least share of common tokens, over 0, at most 1.
        min_tokens: rows with fewer tokens, each counted at most 8 times, are duplicates only of equal texts.
        workers: as for `fingerprint_many`.
        without_text: by position, the reasons of rows whose text is None because it cannot be read, for example.

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
    source = _column_of(texts, column)
    rows = _Rows(source, get_scheme(scheme).lanes, workers)
    assignment = _Assignment(rows, _rank(keep, rows.sizes), min_similarity)
    distinct = assignment.add_equal_texts(np.flatnonzero(rows.sizes > 0))
    distinct = distinct[rows.weights[distinct] >= max(min_tokens, 1)]
    values = rows.values[distinct]
    distance = get_scheme(scheme).loose if distance is None else distance
    components = find_clusters(values, distance=distance, scheme=scheme)
    assignment.add_near([distinct[component] for component in components], distance)
    return assignment.result(min_tokens, without_text or {})


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
    """What is known of the texts of rows: arrays of shape (n,) or (n, lanes), and tokens on request.

    Attributes:
        sizes: in bytes; -1 for a missing text.
        digests: shape (n, 2); equal for equal texts.
        values: the fingerprints; 0 without a token.
        weights: number of tokens, each counted at most 8 times.
    """

    def __init__(self, source: Iterable[Any], lanes: int, workers: int | None) -> None:
        self._source = source
        sizes, digests, failures = [np.empty(0, np.int64)], [np.empty((0, 2), np.uint64)], []
        values, weights = [np.empty((0, lanes), np.uint64)], [np.empty(0, np.int64)]
        work = ((batch, batch) for batch in batches(source))
        for batch, measured, failure in compute(work, lanes, workers or 1, known_size(source)):
            texts = _texts(batch)
            sizes.append(np.array([-1 if text is None else len(text) for text in texts], np.int64))
            joined = b"".join(hashlib.blake2b(text or b"", digest_size=16).digest() for text in texts)
            digests.append(np.frombuffer(joined, np.uint64).reshape(-1, 2))
            values.append(measured.values)
            weights.append(measured.weight.copy())  # not the other columns, too
            if failure:
                failures.append((batch.documents, failure))
        if failures:
            raise WorkerFailedError(failures)
        self.sizes, self.digests = np.concatenate(sizes), np.concatenate(digests)
        self.values, self.weights = np.concatenate(values), np.concatenate(weights)
        self._stored: dict[int, bytes] = {}
        self.tokens = lru_cache(_CACHED_TEXTS)(self._tokens)

    def store(self, components: Iterable[Positions]) -> None:
        """Store the texts of components of rows, for `tokens`."""
        chosen = {row for component in components for row in component.tolist()}
        if chosen:
            texts = (text for batch in batches(self._source) for text in _texts(batch))
            self._stored = {row: text for row, text in enumerate(texts) if row in chosen and text is not None}

    def _tokens(self, row: int) -> TextTokens:
        return TextTokens(self._stored[row].decode("utf-8", "replace"))


def _texts(batch: Batch) -> list[bytes | None]:
    return [text.encode("utf-8", "replace") if isinstance(text, str) else text for text in batch.texts]


def _rank(keep: str | Sequence[Any] | npt.NDArray[Any], sizes: Positions) -> Positions:
    """Return the place of each row in the order in which rows are preferred."""
    n = len(sizes)
    if isinstance(keep, str):
        if keep not in ("longest", "first"):
            raise ValueError(f"keep is {keep!r}; expected 'longest', 'first', or a value for each row")
        order = np.argsort(-sizes, kind="stable") if keep == "longest" else np.arange(n)
    else:
        listed = list(keep)
        if len(listed) != n:
            raise ValueError(f"keep has {len(listed)} values; expected {n}, one for each row")
        missing = np.array([one is None or one != one or type(one).__name__ in _MISSING for one in listed], np.bool_)
        ordered = sorted(np.flatnonzero(~missing).tolist(), key=listed.__getitem__)
        order = np.concatenate([np.array(ordered, np.int64), np.flatnonzero(missing)])
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    return rank


class _Assignment:
    """Assigns rows to the rows that are kept for them."""

    def __init__(self, rows: _Rows, rank: Positions, least: float) -> None:
        self._rows = rows
        self._rank = rank
        self._least = least
        self._representatives = np.arange(len(rank))
        self._similarities = np.ones(len(rank))

    def add_equal_texts(self, rows: Positions) -> Positions:
        """Assign rows with equal texts to the preferred one of them; return those that are preferred, ascending."""
        digests = self._rows.digests
        order = rows[np.lexsort((self._rank[rows], digests[rows, 0], digests[rows, 1]))]
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = (digests[order[1:]] != digests[order[:-1]]).any(axis=1)
        first = order[is_first]
        self._representatives[order] = first[np.cumsum(is_first) - 1]
        return np.sort(first)

    def add_near(self, components: Sequence[Positions], distance: int) -> None:
        """Assign rows to a preferred row that is near and similar.

        Args:
            components: rows with different texts, connected by near fingerprints.
            distance: most bits in which near fingerprints differ.
        """
        self._rows.store(components)
        for component in components:
            leaders, followers = self._by_tokens(component[np.argsort(self._rank[component])])
            found = assign(self._rows.values[leaders], distance, partial(self._are_similar, leaders))
            tokens = self._rows.tokens
            for row, first in zip(leaders.tolist(), leaders[found].tolist(), strict=True):
                assigned = [row, *followers.get(row, ())]
                self._representatives[assigned] = first
                self._similarities[assigned] = 1.0 if row == first else tokens(first).similarity(tokens(row))

    def _by_tokens(self, rows: Positions) -> tuple[Positions, dict[int, list[int]]]:
        """Return the first of the rows with the same fingerprint and tokens, and the others of each.

        Texts that differ only in numbers may be many; they are compared once.
        """
        fingerprints = [value.tobytes() for value in self._rows.values[rows]]
        counts = Counter(fingerprints)
        first: dict[tuple[bytes, bytes], int] = {}
        followers: dict[int, list[int]] = defaultdict(list)
        leaders = []
        for row, fingerprint in zip(rows.tolist(), fingerprints, strict=True):
            if counts[fingerprint] > 1:
                leader = first.setdefault((fingerprint, self._rows.tokens(row).digest()), row)
                if leader != row:
                    followers[leader].append(row)
                    continue
            leaders.append(row)
        return np.array(leaders, np.int64), followers

    def _are_similar(self, rows: Positions, a: int, b: int) -> bool:
        left, right = self._rows.tokens(int(rows[a])), self._rows.tokens(int(rows[b]))
        return left.is_similar(right, self._least)

    def result(self, min_tokens: int, without_text: Mapping[int, str]) -> DuplicateRows:
        """Return the clusters; equal rows follow the row that they equal."""
        rows = self._rows
        representatives = self._representatives[self._representatives]
        n = len(representatives)
        others = representatives != np.arange(n)
        sizes = np.bincount(representatives, minlength=n)
        reasons = np.full(n, UNIQUE, object)
        reasons[sizes > 1] = REPRESENTATIVE
        reasons[others] = NEAR
        reasons[others & (rows.digests == rows.digests[representatives]).all(axis=1)] = EXACT
        alone = sizes[representatives] == 1
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
        return DuplicateRows(clusters, representatives, reasons, distances, similarities)
