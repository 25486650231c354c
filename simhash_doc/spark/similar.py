"""Which rows of a table are duplicates by their fingerprints and their texts: those of `find_duplicates`.

Only the texts of rows that near fingerprints connect are compared. They are joined back by id and sorted by component
and preference, so that one task reads a component as a stream. It holds four bytes for each token of the component, and
about 700 for each row. Where a search for near fingerprints takes longer than that, as for letters of one frame, all
rows are one component.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from math import inf
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import Column, DataFrame

from simhash_doc.arrays import lanes_from_bytes, popcount
from simhash_doc.duplicates.component import NUMBERS, decide
from simhash_doc.duplicates.packed import PackedTexts
from simhash_doc.duplicates.parts import MOST_TOKENS
from simhash_doc.duplicates.policy import Policy
from simhash_doc.engines.select import get_setting, restore_setting
from simhash_doc.spark.components import labelled
from simhash_doc.spark.near_pairs import SparkPairs, find_connecting_pairs
from simhash_doc.spark.session import Cached, freed_on_error

_ROWS = 1 << 12  # in a batch of decisions
_CANDIDATES = 20_000  # of a fingerprint: they take some ms, and one task compares the text of a row in 0.1 ms


def identified(texts: DataFrame, policy: Policy) -> DataFrame:
    """Return columns id, fingerprint, reason, tokens, digest (of the text; null without one), place and text.

    Args:
        texts: columns id, text, fingerprint, reason, tokens, protected, and preferred if the policy names a column.
        policy: what is preferred. `decide` orders rows that are near further: here, equal texts have one order.
    """
    digest = F.when(F.octet_length("text") > 0, F.unhex(F.sha2(F.col("text").cast("binary"), 256))).alias("digest")
    return texts.select("id", "fingerprint", "reason", "tokens", digest, _place(policy), "text")


def _place(policy: Policy) -> Column:
    """Return what orders rows as they are given to `decide`: the least comes first."""
    columns: list[Column] = [(~F.col("protected")).alias("removable")]
    if policy.column is not None:
        columns += [F.col("preferred").isNull().alias("missing"), F.col("preferred").alias("value")]
    return F.struct(*columns, F.col("id")).alias("place")


@dataclass(frozen=True)
class SimilarRows(Cached):
    """The decision about each row.

    Attributes:
        documents: columns id, fingerprint, reason, cluster (the id of the row that is kept for it, or its own),
            distance, similarity and numbers (to the row that is kept, as in `DuplicateRows`; null if it is kept
            itself) and resembles (of a row that is kept because of its numbers alone, the id of the row that it would
            be left out for).
        pairs: pairs that connect rows with different texts, of which none is left out for a row of another component.
        rounds: see `Components`.
    """

    documents: DataFrame
    pairs: SparkPairs
    rounds: int


def find_similar(rows: DataFrame, texts: DataFrame, policy: Policy, sd64_distance: int | None) -> SimilarRows:
    """Find the rows that are duplicates.

    Args:
        rows: the columns of `identified`, which are read several times.
        texts: columns id and text, which are read once more.
        policy: what is left out, and what is preferred.
        sd64_distance: see `find_all`. Only pairs within it connect rows.
    """
    copied = rows.where(F.col("digest").isNotNull()).groupBy("digest").agg(F.min("place").alias("first"), F.count("*"))
    copied = copied.where(F.col("count(1)") > 1).select("digest", F.col("first.id").alias("original"))
    original = F.coalesce("original", "id").alias("original")
    numbered = rows.join(copied, "digest", "left")
    numbered = numbered.select("id", "fingerprint", "reason", "tokens", "place", original).persist()
    with freed_on_error(Cached([numbered])):
        compared = numbered.where((F.col("id") == F.col("original")) & (F.col("tokens") >= max(policy.min_tokens, 1)))
        tokens = compared.agg(F.sum("tokens")).first()
        fits = sd64_distance is None and tokens is not None and (tokens[0] or 0) <= MOST_TOKENS
        most = _CANDIDATES if fits else inf
        pairs = find_connecting_pairs(compared.select("id", "fingerprint"), policy.bits, sd64_distance, most)
        with freed_on_error(pairs):
            nodes, connected = labelled(pairs)
            members = compared.join(nodes, "fingerprint").select("id", "fingerprint", "component", "place")
            ordered = members.join(texts, "id").repartition("component").sortWithinPartitions("component", "place")
            ordered = ordered.select(
                "component", "id", "fingerprint", (~F.col("place.removable")).alias("protected"), "text"
            )
            kind = rows.schema["id"].dataType.simpleString()
            schema = (
                f"original {kind}, representative {kind}, distance int, similarity double, numbers string, "
                f"resembles {kind}"
            )
            decisions = ordered.mapInArrow(partial(decided, policy, get_setting()), schema)
            documents = _documents(numbered, decisions)
    return SimilarRows([numbered, *pairs.cached, *connected.cached], documents, pairs, connected.rounds)


def _documents(numbered: DataFrame, decisions: DataFrame) -> DataFrame:
    own = F.col("id")
    cluster = F.when(F.col("place.removable"), F.coalesce("representative", "original")).otherwise(own)
    dropped = cluster != own
    return numbered.join(decisions, "original", "left").select(
        "id",
        "fingerprint",
        "reason",
        cluster.alias("cluster"),
        F.when(dropped, F.coalesce("distance", F.lit(0))).alias("distance"),
        F.when(dropped, F.coalesce("similarity", F.lit(1.0))).alias("similarity"),
        F.when(dropped, F.coalesce("numbers", F.lit(NUMBERS[0]))).alias("numbers"),
        F.when(own == F.col("original"), F.col("resembles")).alias("resembles"),
    )


def decided(policy: Policy, engine_setting: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the decision about each row of components.

    Args:
        policy: what is left out.
        engine_setting: of the driver.
        batches: columns component, id, fingerprint, protected and text, in the order of the components and the places.
    """
    restore_setting(engine_setting)
    id_type = pa.null()

    def rows() -> Iterator[tuple[Any, ...]]:
        nonlocal id_type
        for batch in batches:
            id_type = batch.schema.field("id").type
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    found = (row for _, component in groupby(rows(), key=itemgetter(0)) for row in _decided(component, policy))
    while part := list(islice(found, _ROWS)):
        kinds = [id_type, id_type, pa.int32(), pa.float64(), pa.string(), id_type]
        names = ["original", "representative", "distance", "similarity", "numbers", "resembles"]
        columns = [pa.array(column, kind) for column, kind in zip(zip(*part, strict=True), kinds, strict=True)]
        yield pa.record_batch(columns, names=names)


def _decided(component: Iterator[tuple[Any, ...]], policy: Policy) -> Iterator[tuple[Any, ...]]:
    """Yield the decision about each row of one component."""
    ids: list[Any] = []
    fingerprints: list[bytes] = []
    protected: list[bool] = []

    def texts() -> Iterator[str]:
        for _, name, fingerprint, is_protected, text in component:
            ids.append(name)
            fingerprints.append(fingerprint)
            protected.append(is_protected)
            yield text.decode("utf-8", "replace") if isinstance(text, bytes) else text

    packed = PackedTexts(texts(), whole=policy.is_whole)
    values = lanes_from_bytes(b"".join(fingerprints), len(fingerprints[0]) // 8)
    done = decide(packed, values, policy, np.array(protected))
    distances = popcount(values ^ values[done.representatives])
    columns = done.representatives, distances, done.similarities, done.numbers, done.resembles
    for name, (first, bits, share, numbers, other) in zip(
        ids, zip(*(column.tolist() for column in columns), strict=True), strict=True
    ):
        yield name, ids[first], bits, share, NUMBERS[numbers], None if other < 0 else ids[other]
