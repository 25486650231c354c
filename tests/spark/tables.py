"""Tables of fingerprints to test with, and answers of the search in memory to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simhash_doc.lookup import find_all, find_clusters
from tests.lookup.distributions import Values, seeded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id string, fingerprint binary"


def values_of(kind: str, n: int, seed: int = 1) -> Values:
    """Return n fingerprints of 64 bits of a kind: planted, skewed or duplicate-heavy."""
    rng = np.random.default_rng(seed)
    if kind == "planted":
        return seeded("clustered", n, seed)
    if kind == "skewed":
        # A third share 40 bits, so that many tables have a popular key; the others are random.
        values = seeded("clustered", n, seed)
        return np.where(np.arange(n) % 3 == 0, values & np.uint64(0xFFFFFF) | np.uint64(0xABCD << 40), values)
    # Half are copies of ten fingerprints, which are near each other in pairs.
    values = seeded("clustered", n, seed)
    favourites = values[:10].copy()
    favourites[5:] = favourites[:5] ^ np.uint64(0b101)
    return np.where(rng.random(n) < 0.5, favourites[rng.integers(0, 10, n)], values)


def rows_of(spark: SparkSession, rows: Sequence[tuple[object, ...]], schema: str = SCHEMA) -> DataFrame:
    """Return a table that Java holds: from a list of rows, Spark would start a Python worker for each use."""
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    fields = to_arrow_schema(StructType.fromDDL(schema))
    columns = [pa.array([row[at] for row in rows], field.type) for at, field in enumerate(fields)]
    return spark.createDataFrame(pa.Table.from_arrays(columns, schema=fields))


def table(spark: SparkSession, values: Sequence[int] | Values, bits: int = 64, first: int = 0) -> DataFrame:
    """Return entries named after their positions, over several partitions."""
    return rows_of(
        spark, [(name(first + at), int(value).to_bytes(bits // 8, "big")) for at, value in enumerate(values)]
    )


def name(position: int) -> str:
    return f"{position:07}"


def expected_ids(values: Values, distance: int = 3) -> set[tuple[str, str, int]]:
    """Return every pair of entries, as the search in memory finds it."""
    return {(name(a), name(b), gap) for a, b, gap in find_all(values, distance=distance)}


def expected_clusters(values: Values, distance: int = 3) -> set[frozenset[str]]:
    clusters = find_clusters(values, distance=distance)
    return {frozenset(name(at) for at in members.tolist()) for members in clusters}


def brute_force(values: Sequence[int], distance: int) -> set[tuple[str, str, int]]:
    near = []
    for (at, a), (other, b) in combinations(enumerate(values), 2):
        if (a ^ b).bit_count() <= distance:
            near.append((name(at), name(other), (a ^ b).bit_count()))
    return set(near)


def clusters_of(df: DataFrame) -> set[frozenset[str]]:
    """Return the clusters of several entries, given columns id and cluster; each must be named after one of them."""
    groups: dict[str, set[str]] = {}
    for row in df.collect():
        groups.setdefault(row["cluster"], set()).add(row["id"])
    assert all(cluster in members for cluster, members in groups.items())
    return {frozenset(members) for members in groups.values() if len(members) > 1}
