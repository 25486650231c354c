"""The index of a run: what later runs read of all its documents, instead of their rows.

It has two tables of packed rows. The distinct fingerprints of each file of documents are searched by a later run, with
8 bytes for each lane; then only the files are read in which something matches. The hashes of the ids show whether an
id is used again.
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
from simhash_doc.spark.broadcast_search import broadcast_tables, search_packed
from simhash_doc.spark.columns import lanes_from_column, unpacked
from simhash_doc.spark.distinct import FLUSHED, ID_HASHES, ONCE, Distinct, each_once, under_one_label
from simhash_doc.spark.errors import BadColumnError
from simhash_doc.spark.storage import Output, read

DOCUMENTS, FINGERPRINTS, IDS = "documents", "index/fingerprints", "index/ids"
DOCUMENTS_PER_FILE = 1 << 17  # some 10 MB
_FINGERPRINTS, _HASHES = "run string, file string, lanes binary", "lanes binary"


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
        BadInputError: a table does not exist or cannot be read.
    """
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

    def search(self, some: Distinct, distance: int | None, blocks: int | None) -> DataFrame:
        """Return columns near (one of some fingerprints), stored, run and file, each match in a file once."""
        tables = broadcast_tables(some, distance, blocks)
        return search_packed(self.fingerprints, some, tables).drop("distance").distinct()

    def documents_of(self, found: DataFrame) -> DataFrame:
        """Return the documents in the files that have matches."""
        files = found.select("run", "file").distinct().collect()
        paths = [f"{self.folders[row['run']]}/{DOCUMENTS}/{row['file']}" for row in files]
        return read(found.sparkSession, sorted(paths)) if paths else self.documents.limit(0)


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
    kept = list[Lanes]()
    for batch in batches:
        kept.append(batch.column(0).to_numpy(zero_copy_only=False).view(np.uint64).reshape(-1, 1))
        if sum(map(len, kept)) >= FLUSHED:
            yield _sorted_hashes(kept)
            kept = []
    if kept:
        yield _sorted_hashes(kept)


def _sorted_hashes(kept: list[Lanes]) -> pa.RecordBatch:
    return under_one_label(np.sort(np.concatenate(kept), axis=0), ID_HASHES).select(["lanes"])


def _among(sent: Broadcast[np.ndarray], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if among(from_rows(unpacked(batch.column(0), 1)), sent.value).any():
            yield pa.record_batch({"found": pa.array([True])})
