"""Clusters of near-duplicates in a table of fingerprints."""

from __future__ import annotations

from dataclasses import dataclass

import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.spark.cached import Cached
from simhash_doc.spark.components import IN_ONE_TASK, components
from simhash_doc.spark.pairs import Pairs, find_all


@dataclass(frozen=True)
class Clusters(Cached):
    """Groups of entries that are connected by near-duplicates.

    Attributes:
        members: columns id and cluster, a row for each entry that has a near-duplicate. The name of a
            cluster is the smallest of its ids.
        pairs: the pairs that connect them.
        rounds: number of rounds of the algorithm.
    """

    members: DataFrame
    pairs: Pairs
    rounds: int


def find_clusters(
    df: DataFrame,
    id_col: str = "id",
    fp_col: str = "fingerprint",
    distance: int | None = None,
    blocks: int | None = None,
    *,
    in_one_task: int = IN_ONE_TASK,
) -> Clusters:
    """Find the connected components of the entries within `distance` bits of each other.

    Entries with equal fingerprints belong together. Two members of a cluster may be further apart
    than the distance, if others lie between. Arguments, errors and warnings are those of `find_all`.

    Args:
        in_one_task: number of edges that one task connects; more are connected in rounds.
    """
    pairs = find_all(df, id_col, fp_col, distance, blocks)
    try:
        found = pairs.values.persist()
        apart = found.where(F.col("a") != F.col("b"))
        connected = components(apart, in_one_task)
        labels = connected.labels()
        copied = found.where(F.col("a") == F.col("b")).select(F.col("a").alias("node"))
        alone = copied.join(labels, "node", "left_anti").select("node", F.col("node").alias("component"))
        of_node = labels.unionAll(alone).withColumnRenamed("node", "fingerprint")
        named = name_components(pairs.members.join(of_node, "fingerprint"))
        return Clusters([*pairs.cached, found, connected.stars], named, pairs, connected.rounds)
    except BaseException:
        pairs.unpersist()
        raise


def name_components(entries: DataFrame) -> DataFrame:
    """Return columns id and cluster, the smallest id of each component; given columns id and component."""
    names = entries.groupBy("component").agg(F.min("id").alias("cluster"))
    return entries.join(names, "component").select("id", "cluster")
