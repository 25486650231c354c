"""Which rows of a table are duplicates by their fingerprints and their texts: those of `find_duplicate_rows`.

Only the texts of rows that near fingerprints connect are compared. They are joined back by id and sorted by component
and preference, so that one task reads a component as a stream. It holds four bytes for each token of the component, and
about 700 for each row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import Column, DataFrame
from pyspark.sql.types import DoubleType, FloatType

from simhash_doc.arrays import lanes_from_bytes, popcount
from simhash_doc.duplicates.component import ComponentTexts
from simhash_doc.duplicates.definition import BY_COLUMN
from simhash_doc.duplicates.templates import Templates
from simhash_doc.spark.clusters import labelled
from simhash_doc.spark.pairs import Pairs, connecting_pairs
from simhash_doc.spark.session import Cached, freed_on_error

_ROWS = 1 << 12  # in a batch of decisions


@dataclass(frozen=True)
class TextRule:
    """What confirms duplicates, and which of them is kept; the arguments of `find_duplicate_rows`.

    Attributes:
        keep: ``longest``: the longest text, in bytes; ``first``: the least id; or ``column:`` and a name: the least
            value in the column. Among equals, the least id is kept.
        min_similarity: the least share of common tokens, over 0, at most 1.
        min_tokens: rows with fewer tokens are duplicates only of equal texts.
        templates: whether rows of templates are kept, or dropped like others that are similar.
    """

    keep: str
    min_similarity: float
    min_tokens: int
    templates: Templates

    @property
    def column(self) -> str | None:
        """The name of the column whose least value is kept."""
        return self.keep.removeprefix(BY_COLUMN) if self.keep.startswith(BY_COLUMN) else None

    def place(self, texts: DataFrame) -> Column:
        """Return what orders rows of columns id, text and preferred: the least is preferred."""
        columns = {"longest": [-F.octet_length("text")], "first": []}.get(self.keep)
        if columns is None:
            value: Column = F.col("preferred")
            if isinstance(texts.schema["preferred"].dataType, FloatType | DoubleType):
                value = F.when(~F.isnan(value), value)
            columns = [value.isNull(), value]
        names = (f"part{number}" for number in range(len(columns)))
        parts = [column.alias(name) for column, name in zip(columns, names, strict=False)]
        return F.struct(*parts, F.col("id")).alias("place")


def identified(texts: DataFrame, rule: TextRule) -> DataFrame:
    """Return columns id, fingerprint, reason, tokens, digest (of the text; null without one), place and text.

    Args:
        texts: columns id, text, fingerprint, reason, tokens, and preferred if the rule names a column.
    """
    digest = F.when(F.octet_length("text") > 0, F.unhex(F.sha2(F.col("text").cast("binary"), 256))).alias("digest")
    return texts.select("id", "fingerprint", "reason", "tokens", digest, rule.place(texts), "text")


@dataclass(frozen=True)
class SimilarRows(Cached):
    """The decision about each row.

    Attributes:
        documents: columns id, fingerprint, reason, cluster (the id of the row that is kept for it, or its own),
            distance and similarity (to the row that is kept; null if it is kept itself), template (the id of the first
            row of its template; null if it is of none) and other_numbers (True if it is left out although its numbers
            are not those of the row that is kept).
        pairs: near pairs that connect rows with different texts.
        rounds: see `Components`.
    """

    documents: DataFrame
    pairs: Pairs
    rounds: int


def find_similar(
    rows: DataFrame, texts: DataFrame, rule: TextRule, distance: int | None, sd64_distance: int | None
) -> SimilarRows:
    """Find the rows that are duplicates.

    Args:
        rows: the columns of `identified`, which are read several times.
        texts: columns id and text, which are read once more.
        rule: what confirms duplicates, and what is kept.
        distance, sd64_distance: see `find_all`. With `sd64_distance`, only pairs within it connect rows.
    """
    copied = rows.where(F.col("digest").isNotNull()).groupBy("digest").agg(F.min("place").alias("first"), F.count("*"))
    copied = copied.where(F.col("count(1)") > 1).select("digest", F.col("first.id").alias("original"))
    original = F.coalesce("original", "id").alias("original")
    numbered = rows.join(copied, "digest", "left")
    numbered = numbered.select("id", "fingerprint", "reason", "tokens", "place", original).persist()
    with freed_on_error(Cached([numbered])):
        compared = numbered.where((F.col("id") == F.col("original")) & (F.col("tokens") >= max(rule.min_tokens, 1)))
        pairs = connecting_pairs(compared.select("id", "fingerprint"), distance, sd64_distance)
        with freed_on_error(pairs):
            nodes, connected = labelled(pairs)
            members = compared.join(nodes, "fingerprint").select("id", "fingerprint", "component", "copied", "place")
            ordered = members.join(texts, "id").repartition("component").sortWithinPartitions("component", "place")
            ordered = ordered.select("component", "id", "fingerprint", "copied", "text")
            kind = rows.schema["id"].dataType.simpleString()
            decided_schema = (
                f"original {kind}, representative {kind}, distance int, similarity double, template {kind}, "
                "other_numbers boolean"
            )
            decide = partial(decided, pairs.plan.distance, rule.min_similarity, rule.templates)
            decisions = ordered.mapInArrow(decide, decided_schema)
            documents = _documents(numbered, decisions)
    return SimilarRows([numbered, *pairs.cached, *connected.cached], documents, pairs, connected.rounds)


def _documents(numbered: DataFrame, decisions: DataFrame) -> DataFrame:
    cluster = F.coalesce("representative", "original")
    dropped = cluster != F.col("id")
    return numbered.join(decisions, "original", "left").select(
        "id",
        "fingerprint",
        "reason",
        cluster.alias("cluster"),
        F.when(dropped, F.coalesce("distance", F.lit(0))).alias("distance"),
        F.when(dropped, F.coalesce("similarity", F.lit(1.0))).alias("similarity"),
        "template",
        (dropped & F.coalesce("other_numbers", F.lit(False))).alias("other_numbers"),
    )


def decided(
    distance: int, least: float, templates: Templates, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield the decision about each row of components.

    Args:
        batches: columns component, id, fingerprint, copied and text, in the order of the components and of preference.
    """
    id_type = pa.null()

    def rows() -> Iterator[tuple[Any, ...]]:
        nonlocal id_type
        for batch in batches:
            id_type = batch.schema.field("id").type
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    found = (
        row
        for _, component in groupby(rows(), key=itemgetter(0))
        for row in _decided(component, distance, least, templates)
    )
    while part := list(islice(found, _ROWS)):
        kinds = [id_type, id_type, pa.int32(), pa.float64(), id_type, pa.bool_()]
        names = ["original", "representative", "distance", "similarity", "template", "other_numbers"]
        columns = [pa.array(column, kind) for column, kind in zip(zip(*part, strict=True), kinds, strict=True)]
        yield pa.record_batch(columns, names=names)


def _decided(
    component: Iterator[tuple[Any, ...]], distance: int, least: float, templates: Templates
) -> Iterator[tuple[Any, ...]]:
    """Yield the decision about each row of one component."""
    ids: list[Any] = []
    fingerprints: list[bytes] = []

    def documents() -> Iterator[tuple[str, bool]]:
        for _, name, fingerprint, copied, text in component:
            ids.append(name)
            fingerprints.append(fingerprint)
            yield text.decode("utf-8", "replace") if isinstance(text, bytes) else text, copied

    texts = ComponentTexts(documents())
    values = lanes_from_bytes(b"".join(fingerprints), len(fingerprints[0]) // 8)
    done = texts.assign(values, distance, least, templates)
    distances = popcount(values ^ values[done.representatives])
    other = (distances == 0) & (done.numbers != done.numbers[done.representatives])
    columns = (done.representatives, distances, done.similarities, done.templates, other)
    for name, (first, bits, share, template, others) in zip(
        ids, zip(*(column.tolist() for column in columns), strict=True), strict=True
    ):
        yield name, ids[first], bits, share, None if template < 0 else ids[template], others
