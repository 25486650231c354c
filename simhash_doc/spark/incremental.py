"""Incremental clusters: each run adds new documents to those of the previous runs.

A document without a near-duplicate is a cluster by itself, with its id as the name. So a later document
that is near to it joins a cluster with an existing name, and no previous row changes. Only when a
document connects two clusters is one of them renamed, which is a row in a small separate table.

A later run does not read the rows of all documents, but the index of each run, two tables of packed rows. The
distinct fingerprints of each file of documents are searched, with 8 bytes for each lane; then only the files
are read in which something matches. The hashes of the ids show whether an id is used again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark import Broadcast
from pyspark.sql import Column, DataFrame, SparkSession

from simhash_doc.engines.lanes import LANE_BITS, Lanes
from simhash_doc.lookup.arrays import among, from_rows
from simhash_doc.spark.clusters import Clusters, components, find_clusters
from simhash_doc.spark.columns import BadColumnError, check_values, lanes_from_column, unpacked
from simhash_doc.spark.distinct import ID_HASHES, ONCE, each_once, flushed, under_one_label
from simhash_doc.spark.pairs import Cached
from simhash_doc.spark.queries import (
    BROADCAST_LIMIT,
    broadcast_tables,
    limited,
    near_some,
    of_stored,
    search,
)
from simhash_doc.spark.storage import Output, check_digests, read

DOCUMENTS, FINGERPRINTS, IDS = "documents", "index/fingerprints", "index/ids"
DOCUMENTS_PER_FILE = 1 << 17  # some 10 MB
_FINGERPRINTS, _HASHES = "run string, file string, lanes binary", "lanes binary"


@dataclass(frozen=True)
class Previous:
    """The documents and clusters of the previous runs.

    Attributes:
        documents: columns id, fingerprint and cluster; the cluster has the name that the run of the document gave it.
        merged: columns cluster and into: the clusters that were renamed since.
        index: of all the runs; an update reads it instead of their documents. None if there is none.
    """

    documents: DataFrame
    merged: DataFrame
    index: RunIndex | None = None

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
    compared with the new ones, and the rows of those that match are joined. With the index of the runs, only files
    of documents are read in which something matches.

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
        found, cached = _near_indexed(previous.index, clusters, distance, blocks)
    else:
        found, cached = _near_documents(previous.documents, clusters, distance, blocks, few)
    added = added.persist()
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
    return Update([*clusters.cached, *cached, added, edges, connected.stars, renamed], documents, merged, clusters)


def _near_documents(
    documents: DataFrame, clusters: Clusters, distance: int | None, blocks: int | None, few: bool
) -> tuple[DataFrame, list[DataFrame]]:
    """Return columns near (a new fingerprint) and cluster (of an earlier document near it), and cached tables."""
    new = clusters.pairs.distinct
    before = documents.select("id", "fingerprint", "cluster")
    check_values(before, "id", "fingerprint", "a previous run", new.bits if new.values else None)
    _reject_repeated_ids(before, clusters.pairs.members, few)
    near = near_some(before, "id", "fingerprint", new, distance, blocks, few=few)
    return near.rows.select("near", "cluster"), near.cached


def _near_indexed(
    index: RunIndex, clusters: Clusters, distance: int | None, blocks: int | None
) -> tuple[DataFrame, list[DataFrame]]:
    """Return what `_near_documents` does, by the indexes of the runs."""
    new, members = clusters.pairs.distinct, clusters.pairs.members
    if new.values:
        index.check_width(new.bits)
    if index.may_have(members):  # or another id has the same hash
        _reject_repeated_ids(index.documents, members, few=True)
    tables = broadcast_tables(new, distance, blocks)
    found = search(index.fingerprints, new, tables, unpacked).drop("distance").distinct().persist()
    rows = index.documents_of(found).select("fingerprint", "cluster")
    near = of_stored(rows, "fingerprint", limited(found.select("near", "stored").distinct()))
    return near.select("near", "cluster"), [found]


def _reject_repeated_ids(before: DataFrame, added: DataFrame, few: bool) -> None:
    suspects, ids = before.select("id"), added.select("id")
    if few:
        hashes = F.broadcast(added.select(id_hash()))
        suspects = F.broadcast(suspects.withColumn("hash", id_hash()).join(hashes, "hash", "left_semi").select("id"))
    repeated = ids.join(suspects, "id", "left_semi").limit(3).collect()
    if repeated:
        named = ", ".join(repr(row["id"]) for row in repeated)
        raise BadColumnError(f"column 'id' has ids of a previous run, such as {named}; an id identifies one entry")


def write_index(written: Output, documents: DataFrame, run: str, bits: int) -> None:
    """Write the index of the documents of a run; Spark reads them once more, without a shuffle.

    Args:
        documents: as written, columns id and fingerprint.
        run: the identifier of the run.
        bits: width of the fingerprints.
    """
    present = documents.where(F.col("fingerprint").isNotNull())
    of_files = present.select(F.col("_metadata.file_name").alias("file"), "fingerprint")
    written.write(of_files.mapInArrow(partial(pack_files, run, bits // LANE_BITS), _FINGERPRINTS), FINGERPRINTS)
    written.write(documents.select(id_hash()).mapInArrow(pack_hashes, _HASHES), IDS)


def read_index(spark: SparkSession, runs: dict[str, dict[str, Any]], documents: DataFrame) -> RunIndex:
    """Return the indexes of runs.

    Args:
        runs: the reports of the runs, by their folders.
        documents: those of all the runs.

    Raises:
        BadInputError: a file of the index is missing or damaged.
    """
    for folder in runs:
        for table in (FINGERPRINTS, IDS):
            check_digests(spark, folder, table)
    return RunIndex(
        documents,
        read(spark, [f"{folder}/{FINGERPRINTS}" for folder in runs]),
        read(spark, [f"{folder}/{IDS}" for folder in runs]),
        {run["runs"][-1]: folder for folder, run in runs.items()},
        {folder: run["bits"] for folder, run in runs.items() if run["distinct"]},
    )


@dataclass(frozen=True)
class RunIndex:
    """The indexes of several runs.

    Attributes:
        documents: those of all the runs.
        fingerprints: columns run, file and lanes: packed distinct fingerprints of a file of documents.
        ids: column lanes: packed hashes of ids.
        folders: the output of each run, by its identifier.
        bits: the width of each run's fingerprints, by its folder, without runs that have none.
    """

    documents: DataFrame
    fingerprints: DataFrame
    ids: DataFrame
    folders: dict[str, str]
    bits: dict[str, int]

    def check_width(self, bits: int) -> None:
        """Reject new fingerprints of another width than those of the runs.

        Raises:
            BadColumnError: the width differs.
        """
        for folder, width in self.bits.items():
            if width != bits:
                raise BadColumnError(
                    f"{folder}: column 'fingerprint' of a previous run holds fingerprints of {width // 8} bytes "
                    f"where {bits // 8} are expected: different schemes are never compared"
                )

    def may_have(self, ids: DataFrame) -> bool:
        """Return True if one of some ids has the hash of an id of the runs."""
        hashes = ids.select(id_hash()).toArrow().column(0).to_numpy().view(np.uint64)
        sent = ids.sparkSession.sparkContext.broadcast(np.unique(hashes))
        found: int = self.ids.mapInArrow(partial(_among, sent), "found boolean").count()
        return found > 0

    def documents_of(self, found: DataFrame) -> DataFrame:
        """Return the documents in the files that have matches."""
        files: dict[str, list[str]] = {}
        for row in found.select("run", "file").distinct().collect():
            files.setdefault(self.folders[row["run"]], []).append(row["file"])
        for folder, names in files.items():
            check_digests(found.sparkSession, folder, DOCUMENTS, names)
        paths = sorted(f"{folder}/{DOCUMENTS}/{name}" for folder, names in files.items() for name in names)
        return read(found.sparkSession, paths) if paths else self.documents.limit(0)


def id_hash() -> Column:
    """Return a hash of the column id, which is the same for integers of different types."""
    return F.xxhash64(F.col("id").cast("string")).alias("hash")


def pack_files(run: str, lanes: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of the index, given columns file and fingerprint, each file in one piece."""
    file, kept = "", list[Lanes]()
    for batch in batches:
        names = batch.column(0).dictionary_encode()
        codes = names.indices.to_numpy()
        values = lanes_from_column(batch.column(1), lanes)
        edges = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), len(codes)]
        for start, end in pairwise(edges):
            if start == end:
                continue
            name = batch.column(0)[start].as_py()
            if kept and name != file:
                yield _packed_file(run, file, kept)
                kept = []
            file = name
            kept.append(values[start:end])
    if kept:
        yield _packed_file(run, file, kept)


def _packed_file(run: str, file: str, kept: list[Lanes]) -> pa.RecordBatch:
    column = under_one_label(each_once(np.concatenate(kept))[0], ONCE).column("lanes")
    return pa.record_batch(
        {"run": pa.array([run] * len(column)), "file": pa.array([file] * len(column)), "lanes": column}
    )


def pack_hashes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield packed rows of ascending hashes, given a column of hashes."""
    hashes = (batch.column(0).to_numpy(zero_copy_only=False).view(np.uint64).reshape(-1, 1) for batch in batches)
    for part in flushed(hashes):
        yield under_one_label(np.sort(part, axis=0), ID_HASHES).select(["lanes"])


def _among(sent: Broadcast[np.ndarray], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if among(from_rows(unpacked(batch.column(0), 1)), sent.value).any():
            yield pa.record_batch({"found": pa.array([True])})
