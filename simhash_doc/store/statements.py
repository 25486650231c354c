"""SQL of the store. Only names made of schemes and numbers are part of it; every value is bound."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from simhash_doc.store.layout import DATA_COLUMNS, Layout
from simhash_doc.store.slices import needed


def columns(layout: Layout, prefix: str = "") -> str:
    """Return the columns that make a stored row, in the order of `StoredRow`, the words last."""
    metadata = f"CAST({prefix}metadata AS TEXT)"
    data = [f"{prefix}{name}" if name != "metadata" else metadata for name in DATA_COLUMNS]
    return ", ".join([f"{prefix}entry", *data, *(prefix + word for word in layout.words)])


def select_entries(layout: Layout) -> str:
    return f"SELECT {columns(layout)} FROM {layout.name}"


@lru_cache(maxsize=256)
def candidates(layout: Layout, distance: int, *, one_collection: bool) -> str:
    """Return the rows that share a slice with a query, by SQLite: parameters are the keys and the collection.

    A row that shares several slices comes several times.
    """
    last = len(needed(layout.bits, layout.slices, distance)) + 1
    condition = f" AND collection = ?{last}" if one_collection else ""
    return " UNION ALL ".join(
        f"SELECT entry, {', '.join(layout.words)} FROM {layout.name} WHERE s{number} = ?{at}{condition}"
        for at, number in enumerate(needed(layout.bits, layout.slices, distance), 1)
    )


@lru_cache(maxsize=256)
def search(layout: Layout, distance: int, filters: int, *, one_collection: bool) -> str:
    """Return the matches of each of several queries, by PostgreSQL, with the query's number and the distance.

    Parameters: q0, q1, ..., arrays of the queries' words; collection; distance; maximum; key0, value0, ...: the filter.
    """
    words = [f"q.q{number}" for number in range(len(layout.words))]
    bits = " + ".join(
        f"bit_count(CAST({word} # {query} AS bit(64)))" for word, query in zip(layout.words, words, strict=True)
    )
    condition = " AND collection = :collection" if one_collection else ""
    near = " UNION ".join(
        f"SELECT entry, {bits} AS distance FROM {layout.name} "
        f"WHERE s{number} = CAST({layout.cut[number].sql(words)} AS INTEGER){condition} AND {bits} <= :distance"
        for number in needed(layout.bits, layout.slices, distance)
    )
    tests = [f"e.metadata -> :key{number} = CAST(:value{number} AS jsonb)" for number in range(filters)]
    arrays = ", ".join(f"CAST(:q{number} AS bigint[])" for number in range(len(words)))
    names = ", ".join(f"q{number}" for number in range(len(words)))
    return (
        f"SELECT q.number, m.* FROM unnest({arrays}) WITH ORDINALITY AS q({names}, number) CROSS JOIN LATERAL ("
        f"SELECT near.distance, {columns(layout, 'e.')} "
        f"FROM ({near}) AS near JOIN {layout.name} AS e ON e.entry = near.entry"
        f"{' WHERE ' + ' AND '.join(tests) if tests else ''} "
        f"ORDER BY near.distance, e.collection, e.id LIMIT CAST(:maximum AS bigint)"
        f") AS m ORDER BY q.number, m.distance, m.collection, m.id"
    )


def numbered(first: int, count: int) -> list[str]:
    return [f"?{number}" for number in range(first, first + count)]


def assignments(layout: Layout, more: Sequence[str] = ()) -> str:
    """Return what an upsert sets in a row that is there."""
    names = [*(name for name in DATA_COLUMNS if name not in ("collection", "id")), *layout.words, *more]
    return ", ".join(f"{name} = excluded.{name}" for name in names)
