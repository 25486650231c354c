"""SQL of the store. Table and column names consist of schemes and numbers; every value is a bound parameter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from simhash_doc.store.layout import DATA_COLUMNS, Layout
from simhash_doc.store.slices import needed


def columns(layout: Layout, prefix: str = "") -> str:
    """Return the columns of a stored row, in the order of `StoredRow`, the lanes last."""
    metadata = f"CAST({prefix}metadata AS TEXT)"
    data = [f"{prefix}{name}" if name != "metadata" else metadata for name in DATA_COLUMNS]
    return ", ".join([f"{prefix}entry", *data, *(prefix + lane for lane in layout.lanes)])


def select_entries(layout: Layout) -> str:
    return f"SELECT {columns(layout)} FROM {layout.name}"


@lru_cache(maxsize=256)
def candidates(layout: Layout, distance: int, *, one_collection: bool) -> str:
    """Return a query of SQLite for the rows that share a slice: parameters are the keys and the collection.

    A row that shares several slices is returned several times.
    """
    last = len(needed(layout.bits, layout.slices, distance)) + 1
    condition = f" AND collection = ?{last}" if one_collection else ""
    return " UNION ALL ".join(
        f"SELECT entry, {', '.join(layout.lanes)} FROM {layout.name} WHERE s{number} = ?{at}{condition}"
        for at, number in enumerate(needed(layout.bits, layout.slices, distance), 1)
    )


@lru_cache(maxsize=256)
def search(layout: Layout, distance: int, filters: int, *, one_collection: bool) -> str:
    """Return a query of PostgreSQL for the matches of several fingerprints, with the number of each and the distance.

    Parameters: q0, q1, ..., arrays of the lanes; collection; distance; maximum; key0, value0, ...: the filter.
    """
    lanes = [f"q.q{number}" for number in range(len(layout.lanes))]
    bits = " + ".join(
        f"bit_count(CAST({lane} # {query} AS bit(64)))" for lane, query in zip(layout.lanes, lanes, strict=True)
    )
    condition = " AND collection = :collection" if one_collection else ""
    near = " UNION ".join(
        f"SELECT entry, {bits} AS distance FROM {layout.name} "
        f"WHERE s{number} = CAST({layout.cut[number].sql(lanes)} AS INTEGER){condition} AND {bits} <= :distance"
        for number in needed(layout.bits, layout.slices, distance)
    )
    tests = [f"e.metadata -> :key{number} = CAST(:value{number} AS jsonb)" for number in range(filters)]
    arrays = ", ".join(f"CAST(:q{number} AS bigint[])" for number in range(len(lanes)))
    names = ", ".join(f"q{number}" for number in range(len(lanes)))
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
    """Return the assignments of an upsert to an existing row."""
    names = [*(name for name in DATA_COLUMNS if name not in ("collection", "id")), *layout.lanes, *more]
    return ", ".join(f"{name} = excluded.{name}" for name in names)
