"""Which rows of a column of texts are duplicates, which are kept, and why: for data frames and other columns."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.batch.api import fingerprint_many
from simhash_doc.batch.batches import batches, is_column
from simhash_doc.duplicates import TextTokens
from simhash_doc.lookup import find_all
from simhash_doc.schemes import get_scheme

Positions = npt.NDArray[np.int64]

UNIQUE, KEPT, EXACT, NEAR, NO_TOKEN, NULL = (
    "unique",
    "representative",
    "exact",
    "near-duplicate",
    "no token",
    "the text is null",
)
_CACHED_TEXTS = 1 << 12


@dataclass(frozen=True, slots=True, eq=False)
class DuplicateRows:
    """Groups of duplicates among rows, by position. Arrays of shape (n,).

    Attributes:
        groups: number of the group of each row, from 0, in the order of their first rows; -1 for a row without
            duplicates.
        keepers: position of the row that is kept for each row: its own if it is kept.
        reasons: ``unique``; ``representative``: kept, and others are left out for it; ``exact``: its text equals that
            of the keeper; ``near-duplicate``: its text was compared with that of the keeper, and is similar;
            ``no token`` and ``the text is null``: kept, because it cannot be compared.
    """

    groups: Positions
    keepers: Positions
    reasons: npt.NDArray[np.object_]

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """True for each row that is kept."""
        kept: npt.NDArray[np.bool_] = self.keepers == np.arange(len(self.keepers))
        return kept


def find_duplicate_rows(
    texts: Any,
    column: str | None = None,
    *,
    keep: str | Sequence[Any] | npt.NDArray[Any] = "longest",
    scheme: str = "sd256",
    distance: int | None = None,
    min_similarity: float = 0.5,
    workers: int | None = None,
) -> DuplicateRows:
    """Return which rows are duplicates, which are kept, and why.

    A row is a duplicate of the row that is kept for it, not of a chain: their fingerprints are within the distance, and
    their texts share at least `min_similarity` of their tokens and of their distinct tokens. So a word that is repeated
    in short texts connects none that are unrelated.

    Args:
        texts: a list of str or bytes, or a column of pandas, polars or pyarrow; with `column`, a data frame or table
            of them, or a DuckDB relation. None is a missing text.
        column: name of the column with the texts.
        keep: ``longest``: the row with the longest text, in bytes; ``first``: the first; or a value for each row, of
            which the least is kept, such as times, to keep the oldest. Missing values come last.
        scheme: short id of the scheme.
        distance: most bits in which fingerprints differ; None for `loose` of the scheme: the texts confirm.
        min_similarity: the least share of common tokens, over 0, at most 1.
        workers: as for `fingerprint_many`.

    Raises:
        ValueError: a parameter is out of range, or `keep` does not have a value for each row.
        LookupParameterError: the distance is not supported.

    >>> text = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
    >>> found = find_duplicate_rows([text, "Trains left at noon", text.upper() + " indeed", text])
    >>> found.reasons.tolist(), found.keepers.tolist()
    (['near-duplicate', 'unique', 'representative', 'near-duplicate'], [2, 1, 2, 2])
    """
    if not 0 < min_similarity <= 1:
        raise ValueError(f"min_similarity is {min_similarity}; expected a number over 0, at most 1")
    source = _column_of(texts, column)
    rows = _Rows(source)
    rank = _rank(keep, rows.sizes)
    values = fingerprint_many(source, scheme, workers)
    masked: npt.NDArray[np.bool_] = np.ma.getmaskarray(values)
    mask = masked if masked.ndim == 1 else masked[:, 0]
    groups = _Grouping(rows, rank, min_similarity)
    groups.add_equal_texts(~mask)
    pairs = find_all(values, distance=get_scheme(scheme).loose if distance is None else distance, scheme=scheme)
    members = pairs.members()
    at, ranks = pairs.locate(members)
    groups.add_near(at, ranks, pairs.ends(members), len(members))
    return groups.result(mask)


def _column_of(texts: Any, column: str | None) -> Any:
    """Return the texts as a list or a column that can be read several times."""
    if column is not None:
        texts = texts[column]
    if type(texts).__module__.partition(".")[0] in ("duckdb", "_duckdb"):  # a relation of one column
        texts = texts.to_arrow_table().column(0)
    if isinstance(texts, str | bytes):
        raise TypeError(f"texts is one {type(texts).__name__}; give a list or a column of texts")
    return texts if is_column(texts) or isinstance(texts, Sequence) else list(texts)


class _Rows:
    """Size, digest and, on request, tokens of the texts of rows."""

    def __init__(self, source: Any) -> None:
        self._source = source
        sizes: list[int] = []
        digests: list[bytes] = []
        for text in _texts(source):
            data = text if text is not None else b""
            sizes.append(-1 if text is None else len(data))
            digests.append(hashlib.blake2b(data, digest_size=16).digest())
        self.sizes = np.array(sizes, np.int64)
        self.digests = digests
        self._kept: dict[int, bytes] = {}
        self.tokens = lru_cache(_CACHED_TEXTS)(self._tokens)

    def keep(self, wanted: npt.NDArray[np.bool_]) -> None:
        """Keep the texts of some rows, for `tokens`."""
        self._kept = {row: text for row, text in enumerate(_texts(self._source)) if wanted[row] and text is not None}

    def _tokens(self, row: int) -> TextTokens:
        return TextTokens(self._kept[row].decode("utf-8", "replace"))


def _texts(source: Iterable[Any]) -> Iterator[bytes | None]:
    for batch in batches(source):
        found = [text.encode("utf-8", "replace") if isinstance(text, str) else text for text in batch.texts]
        yield from found if batch.places is None else (found[place] for place in batch.places.tolist())


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
        missing = [value is None or value != value or type(value).__name__ in ("NAType", "NaTType") for value in listed]
        order = np.array(sorted(range(n), key=lambda row: (missing[row], None if missing[row] else listed[row])), int)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    return rank


class _Grouping:
    """Assigns rows to the rows that are kept for them."""

    def __init__(self, rows: _Rows, rank: Positions, least: float) -> None:
        self._rows = rows
        self._rank = rank
        self._least = least
        self._keepers = np.arange(len(rank))

    def add_equal_texts(self, present: npt.NDArray[np.bool_]) -> None:
        """Assign rows with equal texts to the preferred one of them."""
        first_of: dict[bytes, int] = {}
        for row in np.argsort(self._rank).tolist():
            if present[row]:
                self._keepers[row] = first_of.setdefault(self._rows.digests[row], row)

    def add_near(self, at: Positions, ranks: Positions, ends: Positions, members: int) -> None:
        """Assign rows to a preferred row that is near and similar.

        Args:
            at: rows whose fingerprint is near another.
            ranks: number of the fingerprint of each.
            ends: pairs of numbers of near fingerprints; one with itself if several rows have it.
            members: how many fingerprints.
        """
        wanted = np.zeros(len(self._rank), np.bool_)
        wanted[at] = True
        wanted &= self._keepers == np.arange(len(wanted))
        self._rows.keep(wanted)
        # Rows of one fingerprint with the same tokens are one: texts that differ in numbers may be many.
        same: list[dict[bytes, list[int]]] = [defaultdict(list) for _ in range(members)]
        shared = np.bincount(ranks[wanted[at]], minlength=members) > 1
        order = np.argsort(self._rank[at], kind="stable")
        chosen = []
        for row, number in zip(at[order].tolist(), ranks[order].tolist(), strict=True):
            if wanted[row]:
                alike = same[number][self._rows.tokens(row).digest() if shared[number] else b""]
                alike.append(row)
                if len(alike) == 1:
                    chosen.append((row, number))
        near: dict[int, set[int]] = defaultdict(set)
        for a, b in ends.tolist():
            near[a].add(b)
            near[b].add(a)
        waiting: list[dict[int, list[int]]] = [{alike[0]: alike for alike in one.values()} for one in same]
        for row, number in chosen:
            if row not in waiting[number]:
                continue
            self._assign(waiting[number].pop(row), row)
            for other in sorted(near[number] | {number}):
                for candidate in [one for one in waiting[other] if self._is_similar(row, one)]:
                    self._assign(waiting[other].pop(candidate), row)

    def _is_similar(self, a: int, b: int) -> bool:
        left, right = self._rows.tokens(a), self._rows.tokens(b)
        return left.similarity(right) >= self._least and left.distinct_similarity(right) >= self._least

    def _assign(self, rows: list[int], keeper: int) -> None:
        self._keepers[rows] = keeper

    def result(self, mask: npt.NDArray[np.bool_]) -> DuplicateRows:
        """Return the groups; equal rows follow the row that they equal."""
        keepers = self._keepers[self._keepers]
        n = len(keepers)
        own = np.arange(n)
        others = keepers != own
        sizes = np.bincount(keepers, minlength=n)
        reasons = np.full(n, UNIQUE, object)
        reasons[sizes > 1] = KEPT
        reasons[others] = NEAR
        digests = self._rows.digests
        exact = [row for row in np.flatnonzero(others).tolist() if digests[row] == digests[keepers[row]]]
        reasons[exact] = EXACT
        reasons[mask] = NO_TOKEN
        reasons[self._rows.sizes < 0] = NULL
        groups = np.full(n, -1, np.int64)
        inside = np.flatnonzero(sizes[keepers] > 1)
        _, first, number = np.unique(keepers[inside], return_index=True, return_inverse=True)
        order = np.empty(len(first), np.int64)
        order[np.argsort(first)] = np.arange(len(first))
        groups[inside] = order[number]
        return DuplicateRows(groups, keepers, reasons)
