"""Incremental clusters: each run adds new documents to those of the previous runs.

A document without a near-duplicate is a cluster by itself, with its id as the name. So a later document
that is near to it joins a cluster with an existing name, and no previous row changes. Only when a
document connects two clusters is one of them renamed, which is a row in a small separate table.

A later run does not read the rows of all documents, but the index of each run, two tables of packed rows. The
distinct fingerprints of each file of documents are searched, with 8 bytes for each lane; then only the files
are read in which something matches. The hashes of the ids show whether an id is used again. Only if there are
too many new documents for that, those of all runs are shuffled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark import Broadcast
from pyspark.sql import Column, DataFrame, SparkSession

from simhash_doc.arrays import LANE_BITS, Lanes, among
from simhash_doc.spark.clusters import Clusters, components, find_clusters
from simhash_doc.spark.columns import BadColumnError, flushed, lanes_from_column, runs, under_one_label, unpacked
from simhash_doc.spark.distinct import ID_HASHES, ONCE, Distinct, each_once
from simhash_doc.spark.queries import BROADCAST_LIMIT, broadcast_tables, limited, near_many, search, with_matches
from simhash_doc.spark.session import Cached, freed_on_error
from simhash_doc.spark.storage import Output, check_digests, read

DOCUMENTS, MERGED, FINGERPRINTS, IDS = "documents", "merged", "index/fingerprints", "index/ids"
DOCUMENTS_PER_FILE = 1 << 17  # some 10 MB
_FINGERPRINTS, _HASHES = "run string, file string, lanes binary", "lanes binary"


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


def update_clusters(df: DataFrame, previous: PreviousRuns | None, distance: int | None) -> Update:
    """Find the clusters of new documents, among themselves and with previous ones.

    Args:
        df: columns id and fingerprint, see `find_all`.

    Raises:
        BadColumnError: as in `find_all`; an id is one of a previous run; another width than in previous runs.
        BadInputError: a file of a previous run is missing or damaged.
    """
    clusters = find_clusters(df, distance=distance)
    with freed_on_error(clusters):
        added = clusters.pairs.members.join(clusters.members, "id", "left").select(
            "id", "fingerprint", F.coalesce("cluster", "id").alias("cluster")
        )
        if previous is None:
            empty = added.select("cluster", F.col("cluster").alias("into")).limit(0)
            return Update(clusters.cached, added, empty, clusters)
        found = previous.near(df.select("id"), clusters.pairs.distinct, distance)
        return _joined(added.persist(), clusters, previous.merged, *found)


def _joined(
    added: DataFrame, clusters: Clusters, merged: DataFrame, found: DataFrame, cached: list[DataFrame]
) -> Update:
    found = found.join(F.broadcast(merged), "cluster", "left")
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
    kept = merged.join(again, "into", "left").select("cluster", F.coalesce("now", "into").alias("into"))
    merged = kept.unionAll(renamed.join(known, renamed["cluster"] == known["node"], "left_semi"))
    return Update([*clusters.cached, *cached, added, edges, *connected.cached, renamed], documents, merged, clusters)


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


@dataclass(frozen=True)
class PreviousRuns:
    """The documents and clusters of previous runs of dedupe.

    Attributes:
        spark: the session.
        folders: the output of each run and its report, first to last.
    """

    spark: SparkSession
    folders: dict[str, dict[str, Any]]

    def table(self, name: str, *, of_last: bool = False) -> DataFrame:
        """Return a table of all runs, or of the last. Of the files of documents only those that are used are checked.

        Raises:
            BadInputError: a file is missing or damaged.
        """
        folders = list(self.folders)[-1:] if of_last else list(self.folders)
        if name != DOCUMENTS:
            check_digests(self.spark, name, dict.fromkeys(folders, ()))
        return read(self.spark, [f"{folder}/{name}" for folder in folders])

    @property
    def merged(self) -> DataFrame:
        """Columns cluster and into: the clusters that were renamed since a run named them."""
        return self.table(MERGED, of_last=True)

    def clusters(self) -> DataFrame:
        """Return columns id and cluster with the current names, a row for each document with a fingerprint."""
        named = self.table(DOCUMENTS).where(F.col("cluster").isNotNull())
        renamed = named.join(F.broadcast(self.merged), "cluster", "left")
        return renamed.select("id", F.coalesce("into", "cluster").alias("cluster"))

    def near(self, ids: DataFrame, new: Distinct, distance: int | None) -> tuple[DataFrame, list[DataFrame]]:
        """Return columns near (a new fingerprint) and cluster (of an earlier document near it), and cached tables.

        Args:
            ids: the ids of all new documents.
            new: their distinct fingerprints.
        """
        for folder, report in self.folders.items():
            if new.values and report["distinct"] and report["bits"] != new.bits:
                raise BadColumnError(
                    f"{folder}: the fingerprints of a previous run have {report['bits'] // 8} bytes where "
                    f"{new.bits // 8} are expected: different schemes are never compared"
                )
        if new.entries + new.missing > BROADCAST_LIMIT:
            self._reject_repeated_ids(ids)
            near = near_many(self.table(DOCUMENTS), new, distance)
            return near.rows.select("near", "cluster"), near.cached
        if self._may_have(ids):  # or another id has the same hash
            self._reject_repeated_ids(ids)
        tables = broadcast_tables(new, distance)
        found = search(self.table(FINGERPRINTS), new, tables, unpacked).drop("distance").distinct().persist()
        matches = limited(found.select("near", "stored").distinct())
        return with_matches(self._documents_of(found), matches).select("near", "cluster"), [found]

    def _may_have(self, ids: DataFrame) -> bool:
        """Return True if one of some ids has the hash of an id of the runs."""
        hashes = ids.select(id_hash()).toArrow().column(0).to_numpy().view(np.uint64)
        sent = self.spark.sparkContext.broadcast(np.unique(hashes))
        return not self.table(IDS).mapInArrow(partial(_among, sent), "found boolean").isEmpty()

    def _reject_repeated_ids(self, ids: DataFrame) -> None:
        repeated = ids.join(self.table(DOCUMENTS).select("id"), "id", "left_semi").limit(3).collect()
        if repeated:
            named = ", ".join(repr(row["id"]) for row in repeated)
            raise BadColumnError(f"the input has ids of a previous run, such as {named}; an id identifies one entry")

    def _documents_of(self, found: DataFrame) -> DataFrame:
        """Return the documents in the files that have matches."""
        folders = {report["runs"][-1]: folder for folder, report in self.folders.items()}
        files: dict[str, list[str]] = {}
        for row in found.select("run", "file").distinct().collect():
            files.setdefault(folders[row["run"]], []).append(row["file"])
        if not files:
            return self.table(DOCUMENTS).limit(0)
        check_digests(self.spark, DOCUMENTS, files)
        return read(self.spark, sorted(f"{run}/{DOCUMENTS}/{name}" for run, names in files.items() for name in names))


def id_hash() -> Column:
    """Return a hash of the column id, which is the same for integers of different types."""
    return F.xxhash64(F.col("id").cast("string")).alias("hash")


def pack_files(run: str, lanes: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of the index, given columns file and fingerprint, each file in one piece."""
    file, kept = "", list[Lanes]()
    for batch in batches:
        values = lanes_from_column(batch.column(1), lanes)
        for start, end in runs(batch.column(0).dictionary_encode().indices.to_numpy()):
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
        if among(unpacked(batch.column(0), 1), sent.value[:, None]).any():
            yield pa.record_batch({"found": pa.array([True])})
