"""The values of a column by which rows are preferred, as `table dedupe` compares them."""

from __future__ import annotations

import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DateType,
    DoubleType,
    FloatType,
    NumericType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from simhash_doc.spark.columns import BadColumnError
from simhash_doc.tabular.preference import check_kinds, sortable

_ORDERED = NumericType, DateType, TimestampType, TimestampNTZType, BooleanType, BinaryType


def with_sortable_preferences(texts: DataFrame, column: str) -> DataFrame:
    """Return a table whose column preferred sorts as `preferences` of `simhash_doc.tabular` does; null if missing.

    The values of a text column are read once: numbers, dates of ISO 8601, or texts, and never a mixture.

    Args:
        texts: columns id and preferred, and others.
        column: the name of the column preferred in the input.

    Raises:
        BadColumnError: the column is of a type that has no order.
        TabularUsageError: a value looks like a date or a number, but is in no known form; or two values have no order.
    """
    kind = texts.schema["preferred"].dataType
    if isinstance(kind, FloatType | DoubleType):
        return texts.withColumn("preferred", F.when(~F.isnan("preferred"), F.col("preferred")))
    if isinstance(kind, _ORDERED):
        return texts
    if not isinstance(kind, StringType):
        raise BadColumnError(f"column {column!r} is {kind.simpleString()}; expected numbers, dates or texts")
    # Spark warns of the types of a function that has some.
    parsed = F.udf(lambda text: sortable(text), "kind string, key string")("preferred")
    values = texts.select("id", "preferred", parsed.alias("parsed")).where("parsed.key IS NOT NULL")
    first = F.min(F.struct("id", "parsed.kind", "preferred")).alias("first")
    found = [row["first"] for row in values.groupBy("parsed.kind").agg(first).collect()]
    found.sort(key=lambda row: (row["id"] is not None, row["id"]))
    check_kinds(found, column, lambda row: f"the row with id {row!r}")
    return texts.withColumn("preferred", parsed["key"])
