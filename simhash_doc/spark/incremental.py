"""Incremental clusters: each run adds new documents to those of the previous runs.

A cluster is named after its representative; a document without a duplicate is a cluster by itself. In the order of
preference, the documents of a run come after those of the runs before it. So a later document that is near a
representative joins its cluster, and no previous row changes.

A later run does not read the rows of all documents, but the index of each run, two tables of packed rows. The
fingerprints of the representatives in each file of documents are searched, with 8 bytes for each lane; then only the
files are read in which something matches. The hashes of the ids show whether an id is used again. Only if there are
too many new documents for that, those of all runs are shuffled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark import Broadcast
from pyspark.sql import Column, DataFrame, SparkSession

from simhash_doc.arrays import Lanes, is_among
from simhash_doc.schemes import LANE_BITS
from simhash_doc.spark.columns import (
    BadColumnError,
    entries,
    equal_runs,
    flushed,
    lanes_from_column,
    under_one_label,
    unpacked,
)
from simhash_doc.spark.distinct import ID_HASHES, ONCE, Distinct, each_once
from simhash_doc.spark.duplicates import find_representatives
from simhash_doc.spark.near_pairs import SparkPairs, find_connecting_pairs
from simhash_doc.spark.queries import BROADCAST_LIMIT, broadcast_tables, limited, near_many, search, with_matches
from simhash_doc.spark.session import Cached, freed_on_error
from simhash_doc.spark.storage import BadInputError, Output, check_digests, read_data_frame

DOCUMENTS, FINGERPRINTS, IDS = "documents", "index/fingerprints", "index/ids"
DOCUMENTS_PER_FILE = 1 << 17  # some 10 MB
_FINGERPRINTS, _HASHES = "run string, file string, lanes binary", "lanes binary"


@dataclass(frozen=True)
class Update(Cached):
    """The result of adding documents.

    Attributes:
        documents: columns id, fingerprint and cluster, a row for each new document with a fingerprint. The cluster is
            the id of the representative: of a previous run, or of this one; its own if it is not a duplicate.
        pairs: near pairs that connect the new documents.
        rounds: see `Duplicates`.
    """

    documents: DataFrame
    pairs: SparkPairs
    rounds: int


def add_documents(
    df: DataFrame, previous: PreviousRuns | None, distance: int | None, sd64_distance: int | None = None
) -> Update:
    """Find the representatives of new documents: the first of a previous run, or else of the new ones.

    Args:
        df: columns id and fingerprint, see `find_all`.
        sd64_distance: see `find_all`, for new documents without previous runs.

    Raises:
        BadColumnError: as in `find_all`; an id is one of a previous run; another width than in previous runs.
        BadInputError: a file of a previous run is missing or damaged.
    """
    pairs = find_connecting_pairs(entries(df), distance, sd64_distance)
    with freed_on_error(pairs):
        claimed, cached = previous.claimed(df.select("id"), pairs.distinct, distance) if previous else (None, [])
        with freed_on_error(Cached(cached)):
            found = find_representatives(pairs, claimed)
    return Update([*pairs.cached, *cached, *found.cached], found.members, pairs, found.rounds)


def write_index(written: Output, documents: DataFrame, run: str, bits: int) -> None:
    """Write the index of the documents of a run; Spark reads them once more, without a shuffle.

    Args:
        documents: as written, columns id, fingerprint and cluster.
        run: the identifier of the run.
        bits: width of the fingerprints.
    """
    of_files = representatives(documents).select(F.col("_metadata.file_name").alias("file"), "fingerprint")
    written.write(of_files.mapInArrow(partial(pack_files, run, bits // LANE_BITS), _FINGERPRINTS), FINGERPRINTS)
    written.write(documents.select(id_hash()).mapInArrow(pack_hashes, _HASHES), IDS)


@dataclass(frozen=True)
class PreviousRuns:
    """The documents of previous runs of dedupe.

    Attributes:
        spark: the session.
        folders: the output of each run and its report, first to last.
    """

    spark: SparkSession
    folders: dict[str, dict[str, Any]]

    def table(self, name: str) -> DataFrame:
        """Return a table of all runs. Of the files of documents only those that are used are checked.

        Raises:
            BadInputError: a file is missing or damaged.
        """
        if name != DOCUMENTS:
            check_digests(self.spark, name, dict.fromkeys(self.folders, ()))
        return _named(read_data_frame(self.spark, [f"{folder}/{name}" for folder in self.folders]))

    def claimed(self, ids: DataFrame, new: Distinct, distance: int | None) -> tuple[DataFrame, list[DataFrame]]:
        """Return the new fingerprints that are near a representative, and cached tables.

        Args:
            ids: the ids of all new documents.
            new: their distinct fingerprints.

        Returns:
            Columns fingerprint and cluster: the first representative that is near, by runs and ids.
        """
        for folder, report in self.folders.items():
            if new.values and report["distinct"] and report["bits"] != new.bits:
                raise BadColumnError(
                    f"{folder}: the fingerprints of a previous run have {report['bits'] // 8} bytes where "
                    f"{new.bits // 8} are expected: different schemes are never compared"
                )
        if new.entries + new.missing > BROADCAST_LIMIT:
            self._reject_repeated_ids(ids)
            near = near_many(self._representatives(dict.fromkeys(self.folders, ())), new, distance)
            return _first(near.rows), near.cached
        if self._may_have(ids):  # or another id has the same hash
            self._reject_repeated_ids(ids)
        tables = broadcast_tables(new, distance)
        found = search(self.table(FINGERPRINTS), new, tables, unpacked).drop("distance").distinct().persist()
        matches = limited(found.select("near", "stored").distinct())
        return _first(with_matches(self._representatives(self._files_of(found)), matches)), [found]

    def _may_have(self, ids: DataFrame) -> bool:
        """Return True if one of some ids has the hash of an id of the runs."""
        hashes = ids.select(id_hash()).toArrow().column(0).to_numpy().view(np.uint64)
        sent = self.spark.sparkContext.broadcast(np.unique(hashes))
        return not self.table(IDS).mapInArrow(partial(_among, sent), "found boolean").isEmpty()

    def _reject_repeated_ids(self, ids: DataFrame) -> None:
        check_digests(self.spark, DOCUMENTS, dict.fromkeys(self.folders, ()))
        repeated = ids.join(self.table(DOCUMENTS).select("id"), "id", "left_semi").limit(3).collect()
        if repeated:
            named = ", ".join(repr(row["id"]) for row in repeated)
            raise BadColumnError(f"the input has ids of a previous run, such as {named}; an id identifies one entry")

    def _files_of(self, found: DataFrame) -> dict[str, list[str]]:
        """Return the names of the files of documents that have matches, by the folder of the run."""
        folders = {report["runs"][-1]: folder for folder, report in self.folders.items()}
        files: dict[str, list[str]] = {}
        for row in found.select("run", "file").distinct().collect():
            if row["run"] not in folders:
                raise BadInputError(
                    f"{', '.join(self.folders)}: the index is of run {row['run']!r}, which no report names; restore "
                    "the files"
                )
            files.setdefault(folders[row["run"]], []).append(row["file"])
        check_digests(self.spark, DOCUMENTS, files)
        return files

    def _representatives(self, files: Mapping[str, Collection[str]]) -> DataFrame:
        """Return the representatives in files of documents, with the number of their run in the column order.

        Args:
            files: names by the folder of a run; empty for all files of the run.
        """
        tables = [
            _named(
                read_data_frame(self.spark, [f"{folder}/{DOCUMENTS}/{name}" for name in sorted(files[folder]) or [""]])
            ).withColumn("order", F.lit(number))
            for number, folder in enumerate(self.folders)
            if folder in files
        ]
        if not tables:
            return self.table(DOCUMENTS).withColumn("order", F.lit(0)).limit(0)
        return representatives(reduce(DataFrame.unionAll, tables))


def _named(written: DataFrame) -> DataFrame:
    """Return the documents of a run with the column cluster, whose name in the output says that texts decide."""
    return written.withColumnRenamed("candidate_of", "cluster")


def representatives(documents: DataFrame) -> DataFrame:
    """Return the documents that represent themselves and may represent others, which have a fingerprint."""
    return documents.where((F.col("cluster") == F.col("id")) & F.col("fingerprint").isNotNull())


def _first(near: DataFrame) -> DataFrame:
    """Return columns fingerprint and cluster, given representatives with the column near, a new fingerprint."""
    first = F.min(F.struct("order", "cluster"))["cluster"]
    return near.groupBy(F.col("near").alias("fingerprint")).agg(first.alias("cluster"))


def id_hash() -> Column:
    """Return a hash of the column id, which is the same for integers of different types."""
    return F.xxhash64(F.col("id").cast("string")).alias("hash")


def pack_files(run: str, lanes: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of the index, given columns file and fingerprint, each file in one piece."""
    file, kept = "", list[Lanes]()
    for batch in batches:
        values = lanes_from_column(batch.column(1), lanes)
        for start, end in equal_runs(batch.column(0).dictionary_encode().indices.to_numpy()):
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
        if is_among(unpacked(batch.column(0), 1), sent.value[:, None]).any():
            yield pa.record_batch({"found": pa.array([True])})
