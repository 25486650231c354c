"""Clusters of near-duplicates in a table of fingerprints: the connected components of its pairs, in few rounds.

Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii, Connected components in MapReduce and beyond,
SoCC 2014: large-star and small-star in turn, O(log^2 n) rounds at worst and a handful in practice. Before
the first round each task replaces its own edges by a star for each component among them. A graph
that is small enough is finished in one task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.lookup.clusters import components as components_of
from simhash_doc.spark.columns import entries
from simhash_doc.spark.near_pairs import SparkPairs, find_connecting_pairs
from simhash_doc.spark.session import Cached, freed_on_error

_IN_ONE_TASK = 1 << 22  # edges that one task connects; more are connected in rounds
_CONTRACTED = 1 << 20  # edges that a task replaces by stars at a time


@dataclass(frozen=True)
class SparkClusters(Cached):
    """Clusters of entries: those that near pairs connect.

    Attributes:
        members: columns id and cluster, a row for each entry that has a near-duplicate. The name of a
            cluster is the smallest of its ids.
        pairs: some of the near pairs, enough to connect the members.
        rounds: number of rounds of the algorithm.
    """

    members: DataFrame
    pairs: SparkPairs
    rounds: int


def find_clusters(
    df: DataFrame,
    *,
    id_col: str = "id",
    fp_col: str = "fingerprint",
    distance: int | None = None,
    sd64_distance: int | None = None,
) -> SparkClusters:
    """Find the connected components of the entries within `distance` bits of each other.

    Entries with equal fingerprints belong together. Two members of a cluster may be further apart than the distance, if
    other members lie between them, so do not remove entries based on clusters. Arguments, errors and warnings are those
    of `find_all`.
    """
    pairs = find_connecting_pairs(entries(df, id_col, fp_col), distance, sd64_distance)
    with freed_on_error(pairs):
        nodes, connected = labelled(pairs)
    members = pairs.members.join(nodes, "fingerprint")
    names = members.groupBy("component").agg(F.min("id").alias("cluster"))
    named = members.join(names, "component").select("id", "cluster")
    return SparkClusters([*pairs.cached, *connected.cached], named, pairs, connected.rounds)


def labelled(pairs: SparkPairs) -> tuple[DataFrame, Components]:
    """Return columns fingerprint, component and copied, whether several entries have the fingerprint.

    It has a row for each fingerprint that is near that of another entry.
    """
    found = pairs.values.persist()
    with freed_on_error(Cached([found])):
        connected = connected_components(found.where(F.col("a") != F.col("b")))
    copies = found.where(F.col("a") == F.col("b")).select(F.col("a").alias("node"), F.lit(True).alias("copied"))
    nodes = connected.labels().join(copies, "node", "full_outer")
    of_node = nodes.select(
        F.col("node").alias("fingerprint"),
        F.coalesce("component", "node").alias("component"),
        F.coalesce("copied", F.lit(False)).alias("copied"),
    )
    return of_node, Components([found, *connected.cached], connected.stars, connected.rounds)


@dataclass(frozen=True)
class Components(Cached):
    """The component of each node that has an edge.

    Attributes:
        stars: columns a (a node) and b (the smallest node of its component, which has no row for itself).
        rounds: number of rounds of large-star and small-star.
    """

    stars: DataFrame
    rounds: int

    def labels(self) -> DataFrame:
        """Return columns node and component, with a row for every node."""
        roots = self.stars.select("b").distinct().select(F.col("b").alias("node"), F.col("b").alias("component"))
        return self.stars.select(F.col("a").alias("node"), F.col("b").alias("component")).unionAll(roots)


def connected_components(edges: DataFrame) -> Components:
    """Return the connected components of a graph whose nodes are binaries, strings or integers.

    If the session has a checkpoint directory, each round is written there, and the failure of a machine costs
    only its own computation. Otherwise the edges stay on the machines, and the job fails with any of them.

    Args:
        edges: columns a and b, of one type; no edge of a node with itself.
    """
    edges = edges.select("a", "b")
    contracted = edges.mapInArrow(partial(_contract, _CONTRACTED), edges.schema).persist()
    now, count, rounds = contracted, contracted.count(), 0
    checksum: tuple[object, ...] = ()
    while count > _IN_ONE_TASK:
        before = checksum
        now, count, checksum = _kept(_small_star(_large_star(now)))
        rounds += 1
        if checksum == before:
            return Components([contracted], now, rounds)
    finished = now.repartition(1).mapInArrow(partial(_contract, None), edges.schema).persist()
    return Components([contracted, finished], finished, rounds)


def _kept(edges: DataFrame) -> tuple[DataFrame, int, tuple[object, ...]]:
    """Compute the edges; return them with their number and a checksum that shows whether they changed."""
    # The plans of several rounds would grow without bounds, so each is cut off from those before.
    checkpoints = edges.sparkSession.sparkContext.getCheckpointDir()
    kept = edges.checkpoint() if checkpoints else edges.localCheckpoint()
    hashed = F.xxhash64("a", "b")
    row = kept.agg(F.count("*"), F.bit_xor(hashed), F.sum(hashed.cast("decimal(38,0)"))).first()
    assert row is not None
    return kept, row[0], tuple(row)


def _large_star(edges: DataFrame) -> DataFrame:
    """Connect each node's larger neighbours with the smallest node around it."""
    around = edges.unionAll(edges.select(F.col("b").alias("a"), F.col("a").alias("b")))
    smallest = around.groupBy("a").agg(F.min(F.least("a", "b")).alias("least"))
    larger = around.where(F.col("b") > F.col("a")).join(smallest, "a")
    return larger.select(F.col("b").alias("a"), F.col("least").alias("b")).distinct()


def _small_star(edges: DataFrame) -> DataFrame:
    """Connect each node and its smaller neighbours with the smallest of them."""
    down = edges.select(F.greatest("a", "b").alias("a"), F.least("a", "b").alias("b"))
    smallest = down.groupBy("a").agg(F.min("b").alias("least"))
    others = down.join(smallest, "a").where(F.col("b") > F.col("least"))
    return (
        others.select(F.col("b").alias("a"), F.col("least").alias("b"))
        .unionAll(smallest.select("a", F.col("least").alias("b")))
        .distinct()
    )


def _contract(size: int | None, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Replace edges by stars, `size` of them at a time; None for all at once."""
    kept: list[pa.RecordBatch] = []
    for batch in batches:
        kept.append(batch)
        if size and sum(part.num_rows for part in kept) >= size:
            yield from stars(pa.Table.from_batches(kept)).to_batches()
            kept = []
    if kept:
        yield from stars(pa.Table.from_batches(kept)).to_batches()


def stars(edges: pa.Table) -> pa.Table:
    """Return edges from each node to the smallest of its component; both with columns a and b."""
    nodes = pc.unique(pa.chunked_array([*edges["a"].chunks, *edges["b"].chunks]))
    nodes = nodes.take(pc.sort_indices(nodes))
    a, b = (pc.index_in(edges[name], nodes).to_numpy().astype(np.int64) for name in ("a", "b"))
    roots = components_of(len(nodes), a, b)
    leaves = np.flatnonzero(roots != np.arange(len(nodes)))
    return pa.table({"a": nodes.take(pa.array(leaves)), "b": nodes.take(pa.array(roots[leaves]))})
