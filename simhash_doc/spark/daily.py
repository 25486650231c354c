"""Clusters that are kept up to date: each run adds the documents of its day to those of the runs before.

A document alone is a cluster of one, named after itself. So one that comes later and is near to it joins
a cluster that has its name already, and no earlier row changes. Only when a document connects two
clusters does one of them get another name, and that is a row in a small table beside.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.spark.cached import Cached
from simhash_doc.spark.clusters import Clusters, find_clusters
from simhash_doc.spark.components import components
from simhash_doc.spark.distinct import check_values
from simhash_doc.spark.errors import BadColumnError
from simhash_doc.spark.queries import SENT_WHOLE, near_any, near_some
from simhash_doc.spark.tables import Tables


@dataclass(frozen=True)
class Earlier:
    """The documents and clusters of the runs before.

    Attributes:
        documents: columns id, fingerprint and cluster, the cluster as it was named by the run of the document.
        merged: columns cluster and into: the clusters that have another name by now.
    """

    documents: DataFrame
    merged: DataFrame

    def clusters(self) -> DataFrame:
        """Return columns id and cluster as they are now, a row for each document with a fingerprint."""
        named = self.documents.where(F.col("cluster").isNotNull()).join(F.broadcast(self.merged), "cluster", "left")
        return named.select("id", F.coalesce("into", "cluster").alias("cluster"))


@dataclass(frozen=True)
class Day(Cached):
    """What the documents of a day add.

    Attributes:
        documents: columns id, fingerprint and cluster, a row for each document of the day with a fingerprint. The
            cluster is the id of one of its documents; that of a document without a near-duplicate is its own.
        merged: columns cluster and into: all clusters that have another name now, earlier ones among them.
        clusters: those of the day by itself.
    """

    documents: DataFrame
    merged: DataFrame
    clusters: Clusters


def add_day(
    df: DataFrame,
    earlier: Earlier | None = None,
    distance: int = 3,
    blocks: int | None = None,
    *,
    sent_whole: int = SENT_WHOLE,
) -> Day:
    """Find the clusters of new documents, among themselves and with earlier ones.

    The new documents go through the shuffles of `find_clusters`. Those of earlier runs are read twice, once for
    their ids and once for their fingerprints, and go through none.

    Args:
        df: columns id and fingerprint, see `find_all`.
        sent_whole: number of new fingerprints over which those of earlier runs are shuffled too.

    Raises:
        BadColumnError: as in `find_all`; an id is one of an earlier run; another width than in earlier runs.
    """
    clusters = find_clusters(df, "id", "fingerprint", distance, blocks)
    try:
        today = clusters.pairs.members.join(clusters.members, "id", "left").select(
            "id", "fingerprint", F.coalesce("cluster", "id").alias("cluster")
        )
        if earlier is None:
            empty = today.select("cluster", F.col("cluster").alias("into")).limit(0)
            return Day(clusters.cached, today, empty, clusters)
        return _joined(today, clusters, earlier, distance, blocks, sent_whole)
    except BaseException:
        clusters.unpersist()
        raise


def _joined(
    today: DataFrame, clusters: Clusters, earlier: Earlier, distance: int, blocks: int | None, sent_whole: int
) -> Day:
    new = clusters.pairs.distinct
    few = new.entries + new.missing <= sent_whole
    before = earlier.documents.select("id", "fingerprint", "cluster")
    check_values(before, "id", "fingerprint", "an earlier run", new.bits if new.values else None)
    _refuse_repeated_ids(before, clusters.pairs.members, few)
    today = today.persist()
    near = near_some(before, "id", "fingerprint", new, distance, blocks, few=few)
    found = near.rows.select("near", "cluster").join(F.broadcast(earlier.merged), "cluster", "left")
    found = found.select(F.col("near").alias("fingerprint"), F.coalesce("into", "cluster").alias("b")).distinct()
    of_today = today.select("fingerprint", F.col("cluster").alias("a"))
    edges = found.join(of_today, "fingerprint").select("a", "b").distinct().persist()
    connected = components(edges)
    known = edges.select(F.col("b").alias("node")).distinct()
    labels = connected.labels()
    names = labels.join(known, "node").groupBy("component").agg(F.min("node").alias("into"))
    renamed = labels.join(names, "component").where(F.col("node") != F.col("into"))
    renamed = renamed.select(F.col("node").alias("cluster"), "into").persist()
    documents = today.join(renamed, "cluster", "left").select(
        "id", "fingerprint", F.coalesce("into", "cluster").alias("cluster")
    )
    again = renamed.select(F.col("cluster").alias("into"), F.col("into").alias("now"))
    kept = earlier.merged.join(again, "into", "left").select("cluster", F.coalesce("now", "into").alias("into"))
    merged = kept.unionAll(renamed.join(known, renamed["cluster"] == known["node"], "left_semi"))
    return Day([*clusters.cached, *near.cached, today, edges, connected.stars, renamed], documents, merged, clusters)


def _refuse_repeated_ids(before: DataFrame, today: DataFrame, few: bool) -> None:
    name = F.unhex(F.lpad(F.hex(F.xxhash64("id")), F.lit(16), F.lit("0")))
    suspects = before.select("id")
    if few:
        rows = today.select(F.xxhash64("id")).distinct().toArrow().column(0)
        hashes = rows.to_numpy().astype("<i8").tobytes()
        suspects = near_any(suspects.withColumn("hash", name), "hash", hashes, Tables(64, 1, 0)).select("id")
    repeated = suspects.join(today.select("id"), "id", "left_semi").limit(3).collect()
    if repeated:
        named = ", ".join(repr(row["id"]) for row in repeated)
        raise BadColumnError(f"column 'id' names entries of an earlier run, such as {named}; an id is of one entry")
