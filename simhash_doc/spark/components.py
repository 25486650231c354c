"""Connected components of a graph in few rounds.

Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii, Connected components in MapReduce and beyond,
SoCC 2014: large-star and small-star by turns, O(log^2 n) rounds at worst and a handful in practice. Before
the first round each task replaces its own edges by a star for each component among them, and what
has become small enough is finished in one task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.lookup.clusters import components as components_of
from simhash_doc.spark.columns import column_of, words_of
from simhash_doc.spark.tables import Words

_EDGES = "a binary, b binary"
IN_ONE_TASK = 1 << 22  # edges; 64 bits take some 500 MB and five seconds
_CONTRACTED = 1 << 20  # edges that a task replaces by stars at a time


@dataclass(frozen=True)
class Components:
    """The component of each node that has an edge.

    Attributes:
        stars: columns a (a node) and b (the smallest node of its component, which has no row of its own).
        rounds: number of rounds of large-star and small-star that it took.
    """

    stars: DataFrame
    rounds: int

    def labels(self) -> DataFrame:
        """Return columns node and component, with a row for every node."""
        roots = self.stars.select("b").distinct().select(F.col("b").alias("node"), F.col("b").alias("component"))
        return self.stars.select(F.col("a").alias("node"), F.col("b").alias("component")).unionAll(roots)


def components(edges: DataFrame, bits: int, in_one_task: int = IN_ONE_TASK) -> Components:
    """Return the connected components of a graph whose nodes are fingerprints of one width.

    If the session has a checkpoint directory, each round is written there, and a lost machine costs what it was
    computing. Otherwise the edges stay on the machines, and if one is lost the job fails.

    Args:
        edges: columns a and b, binary; no edge of a node with itself.
        in_one_task: number of edges that one task finishes.
    """
    contract = partial(_contract, bits // 64)
    now, count, mark = _kept(edges.select("a", "b").mapInArrow(contract, _EDGES))
    rounds = 0
    while count > in_one_task:
        before = mark
        now, count, mark = _kept(_small_star(_large_star(now)))
        rounds += 1
        if mark == before:
            return Components(now, rounds)
    finished, _, _ = _kept(now.repartition(1).mapInArrow(partial(_contract_all, bits // 64), _EDGES))
    return Components(finished, rounds)


def _kept(edges: DataFrame) -> tuple[DataFrame, int, tuple[object, ...]]:
    """Compute the edges; return them with their number and a mark that tells whether they changed."""
    # Plans of several rounds in a row would grow beyond bounds, so each is cut off from those before.
    reliable = edges.sparkSession.sparkContext.getCheckpointDir()
    kept = edges.checkpoint() if reliable else edges.localCheckpoint()
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
    return others.select(F.col("b").alias("a"), F.col("least").alias("b")).unionAll(
        smallest.select("a", F.col("least").alias("b"))
    ).distinct()


def _contract(words: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    kept: list[Words] = []
    for batch in batches:
        kept.append(_ends(batch, words))
        if sum(map(len, kept)) >= _CONTRACTED:
            yield _edges(stars(np.concatenate(kept)))
            kept = []
    if kept:
        yield _edges(stars(np.concatenate(kept)))


def _contract_all(words: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    kept = [_ends(batch, words) for batch in batches]
    if kept:
        yield _edges(stars(np.concatenate(kept)))


def _ends(batch: pa.RecordBatch, words: int) -> Words:
    """Return the ends of edges, shape (n, 2, words)."""
    return np.stack([words_of(batch.column(name), words) for name in ("a", "b")], axis=1)


def _edges(ends: Words) -> pa.RecordBatch:
    return pa.record_batch({"a": column_of(ends[:, 0]), "b": column_of(ends[:, 1])})


def stars(edges: Words) -> Words:
    """Return edges from each node to the smallest of its component; given and returned in shape (n, 2, words)."""
    flat = edges.reshape(-1, edges.shape[2])
    if flat.shape[1] == 1:
        values, at = np.unique(flat[:, 0], return_inverse=True)
        nodes = values.reshape(-1, 1)
    else:
        nodes, at = np.unique(flat, axis=0, return_inverse=True)
    at = at.reshape(-1, 2)
    roots = components_of(len(nodes), at[:, 0], at[:, 1])
    leaves = np.flatnonzero(roots != np.arange(len(nodes)))
    return np.stack([nodes[leaves], nodes[roots[leaves]]], axis=1)
