"""Incremental clusters: each run adds new documents to those of the previous runs.

A document without a near-duplicate is a cluster by itself, with its id as the name. So a later document
that is near to it joins a cluster with an existing name, and no previous row changes. Only when a
document connects two clusters is one of them renamed, which is a row in a small separate table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.spark.cached import Cached
from simhash_doc.spark.clusters import Clusters, find_clusters
from simhash_doc.spark.components import components
from simhash_doc.spark.errors import BadColumnError
from simhash_doc.spark.queries import BROADCAST_LIMIT, limited, near_some, of_stored
from simhash_doc.spark.run_index import RunIndex, id_hash
from simhash_doc.spark.validation import check_values


@dataclass(frozen=True)
class Previous:
    """The documents and clusters of the previous runs.

    Attributes:
        documents: columns id, fingerprint and cluster; the cluster has the name that the run of the document gave it.
        merged: columns cluster and into: the clusters that were renamed since.
        index: of the runs that have one; an update reads it instead of their documents. None if no run has one.
        not_indexed: the documents of the other runs; None if each run has an index.
    """

    documents: DataFrame
    merged: DataFrame
    index: RunIndex | None = None
    not_indexed: DataFrame | None = None

    def clusters(self) -> DataFrame:
        """Return columns id and cluster with the current names, a row for each document with a fingerprint."""
        named = self.documents.where(F.col("cluster").isNotNull()).join(F.broadcast(self.merged), "cluster", "left")
        return named.select("id", F.coalesce("into", "cluster").alias("cluster"))


@dataclass(frozen=True)
class Update(Cached):
    """The result of adding documents.

    Attributes:
        documents: columns id, fingerprint and cluster, a row for each new document with a fingerprint. A cluster
            is named after one of its documents; a document without a near-duplicate is its own cluster.
        merged: columns cluster and into: all clusters that were renamed, including by previous runs.
        clusters: those of the new documents alone.
    """

    documents: DataFrame
    merged: DataFrame
    clusters: Clusters


def update_clusters(
    df: DataFrame,
    previous: Previous | None = None,
    distance: int | None = None,
    blocks: int | None = None,
    *,
    broadcast_limit: int = BROADCAST_LIMIT,
) -> Update:
    """Find the clusters of new documents, among themselves and with previous ones.

    The new documents are shuffled as in `find_clusters`. Those of previous runs are not: their fingerprints are
    compared with the new ones, and the rows of those that match are joined. With the index of a run, only files of
    documents are read in which something matches.

    Args:
        df: columns id and fingerprint, see `find_all`.
        broadcast_limit: number of new fingerprints above which those of previous runs are shuffled too.

    Raises:
        BadColumnError: as in `find_all`; an id is one of a previous run; another width than in previous runs.
    """
    clusters = find_clusters(df, "id", "fingerprint", distance, blocks)
    try:
        added = clusters.pairs.members.join(clusters.members, "id", "left").select(
            "id", "fingerprint", F.coalesce("cluster", "id").alias("cluster")
        )
        if previous is None:
            empty = added.select("cluster", F.col("cluster").alias("into")).limit(0)
            return Update(clusters.cached, added, empty, clusters)
        return _joined(added, clusters, previous, distance, blocks, broadcast_limit)
    except BaseException:
        clusters.unpersist()
        raise


def _joined(
    added: DataFrame,
    clusters: Clusters,
    previous: Previous,
    distance: int | None,
    blocks: int | None,
    broadcast_limit: int,
) -> Update:
    new = clusters.pairs.distinct
    few = new.entries + new.missing <= broadcast_limit
    if few and previous.index:
        near = [_near_indexed(previous.index, clusters, distance, blocks)]
        if previous.not_indexed is not None:
            near.append(_near_documents(previous.not_indexed, clusters, distance, blocks, few))
    else:
        near = [_near_documents(previous.documents, clusters, distance, blocks, few)]
    added = added.persist()
    found = reduce(DataFrame.unionAll, [part.rows for part in near])
    found = found.join(F.broadcast(previous.merged), "cluster", "left")
    found = found.select(F.col("near").alias("fingerprint"), F.coalesce("into", "cluster").alias("b")).distinct()
    of_added = added.select("fingerprint", F.col("cluster").alias("a"))
    edges = found.join(of_added, "fingerprint").select("a", "b").distinct().persist()
    connected = components(edges)
    known = edges.select(F.col("b").alias("node")).distinct()
    labels = connected.labels()
    names = labels.join(known, "node").groupBy("component").agg(F.min("node").alias("into"))
    renamed = labels.join(names, "component").where(F.col("node") != F.col("into"))
    renamed = renamed.select(F.col("node").alias("cluster"), "into").persist()
    documents = added.join(renamed, "cluster", "left").select(
        "id", "fingerprint", F.coalesce("into", "cluster").alias("cluster")
    )
    again = renamed.select(F.col("cluster").alias("into"), F.col("into").alias("now"))
    kept = previous.merged.join(again, "into", "left").select("cluster", F.coalesce("now", "into").alias("into"))
    merged = kept.unionAll(renamed.join(known, renamed["cluster"] == known["node"], "left_semi"))
    cached = [*clusters.cached, *(table for part in near for table in part.cached)]
    return Update([*cached, added, edges, connected.stars, renamed], documents, merged, clusters)


@dataclass(frozen=True)
class _Found(Cached):
    """Clusters of earlier documents: columns near (a new fingerprint) and cluster, a row for each match."""

    rows: DataFrame


def _near_documents(
    documents: DataFrame, clusters: Clusters, distance: int | None, blocks: int | None, few: bool
) -> _Found:
    """Find the earlier documents that are near new ones."""
    new = clusters.pairs.distinct
    before = documents.select("id", "fingerprint", "cluster")
    check_values(before, "id", "fingerprint", "a previous run", new.bits if new.values else None)
    _reject_repeated_ids(before, clusters.pairs.members, few)
    near = near_some(before, "id", "fingerprint", new, distance, blocks, few=few)
    return _Found(near.cached, near.rows.select("near", "cluster"))


def _near_indexed(index: RunIndex, clusters: Clusters, distance: int | None, blocks: int | None) -> _Found:
    """Find the earlier documents that are near new ones by their indexes."""
    new, members = clusters.pairs.distinct, clusters.pairs.members
    if new.values:
        index.check_width(new.bits)
    if index.may_have(members):  # or another id has the same hash
        _reject_repeated_ids(index.documents, members, few=True)
    found = index.search(new, distance, blocks).persist()
    rows = index.documents_of(found).select("fingerprint", "cluster")
    near = of_stored(rows, "fingerprint", limited(found.select("near", "stored").distinct()))
    return _Found([found], near.select("near", "cluster"))


def _reject_repeated_ids(before: DataFrame, added: DataFrame, few: bool) -> None:
    suspects, ids = before.select("id"), added.select("id")
    if few:
        hashes = F.broadcast(added.select(id_hash()))
        suspects = F.broadcast(suspects.withColumn("hash", id_hash()).join(hashes, "hash", "left_semi").select("id"))
    repeated = ids.join(suspects, "id", "left_semi").limit(3).collect()
    if repeated:
        named = ", ".join(repr(row["id"]) for row in repeated)
        raise BadColumnError(f"column 'id' has ids of a previous run, such as {named}; an id identifies one entry")
