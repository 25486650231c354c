"""Which entries of a table are duplicates: the stars of `simhash_doc.duplicates.definition`, in order of the ids.

No star leaves a connected component of the near pairs. So the components are found first, in few rounds; then each is
sorted by id into one task, which looks for its stars in memory that is proportional to the component.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.duplicates.definition import assign
from simhash_doc.schemes import LANE_BITS
from simhash_doc.spark.columns import equal_runs, lanes_from_column
from simhash_doc.spark.components import connected_components
from simhash_doc.spark.near_pairs import SparkPairs
from simhash_doc.spark.session import Cached


@dataclass(frozen=True)
class Duplicates(Cached):
    """The cluster of each entry.

    Attributes:
        members: columns id, fingerprint and cluster, a row for each entry with a fingerprint. The cluster is the id of
            the representative, which is the entry itself if it is not a duplicate.
        rounds: number of rounds in which the components were found.
    """

    members: DataFrame
    rounds: int


def find_representatives(pairs: SparkPairs, claimed: DataFrame | None = None) -> Duplicates:
    """Find the representative of each entry; every near pair counts as confirmed.

    Args:
        pairs: the near pairs of the entries, or pairs that connect what they connect.
        claimed: columns fingerprint and cluster: the fingerprints whose entries are duplicates of a representative that
            comes before all entries, and its id.
    """
    connected = connected_components(pairs.values.where(F.col("a") != F.col("b")))
    nodes = connected.labels().withColumnRenamed("node", "fingerprint")
    # The entries with one fingerprint belong together. The least id decides when they come.
    first = pairs.members.groupBy("fingerprint").agg(F.min("id").alias("id"))
    if claimed is not None:
        nodes = nodes.join(claimed, "fingerprint", "left_anti")
    ordered = first.join(nodes, "fingerprint").select("component", "id", "fingerprint")
    ordered = ordered.repartition("component").sortWithinPartitions("component", "id")
    to_stars = partial(stars_of_components, pairs.distinct.bits // LANE_BITS, pairs.plan.distance)
    id_type = first.schema["id"].dataType.simpleString()
    named = ordered.mapInArrow(to_stars, f"fingerprint binary, cluster {id_type}")
    if claimed is not None:
        named = named.unionAll(claimed.select("fingerprint", "cluster"))
    cluster = F.coalesce("cluster", "id").alias("cluster")
    clusters = first.join(named, "fingerprint", "left").select("fingerprint", cluster)
    members = pairs.members.join(clusters, "fingerprint").select("id", "fingerprint", "cluster")
    return Duplicates(connected.cached, members, connected.rounds)


def stars_of_components(lanes: int, distance: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield columns fingerprint and cluster, the id of its representative.

    Args:
        batches: columns component, id and fingerprint, in the order of the components and the ids.
    """
    kept: list[pa.RecordBatch] = []  # of one component, which may continue in the next batch
    for batch in batches:
        if not batch.num_rows:
            continue
        last = list(equal_runs(_numbered(batch)))[-1][0]
        if last or (kept and kept[-1].column(0)[0] != batch.column(0)[0]):
            yield from _stars([*kept, batch.slice(0, last)], lanes, distance)
            kept = []
        kept.append(batch.slice(last))
    yield from _stars(kept, lanes, distance)


def _stars(batches: list[pa.RecordBatch], lanes: int, distance: int) -> Iterator[pa.RecordBatch]:
    """Yield the stars of complete components."""
    if batches:
        batch = pa.concat_batches(batches)
        values = lanes_from_column(batch.column("fingerprint"), lanes)
        representatives = np.empty(len(values), np.int64)
        for start, end in equal_runs(_numbered(batch)):
            representatives[start:end] = start + assign(values[start:end], distance)
        clusters = batch.column("id").take(pa.array(representatives))
        yield pa.record_batch({"fingerprint": batch.column("fingerprint"), "cluster": clusters})


def _numbered(batch: pa.RecordBatch) -> np.ndarray:
    numbers: np.ndarray = batch.column("component").dictionary_encode().indices.to_numpy()
    return numbers
