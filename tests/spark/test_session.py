"""The number of partitions of a shuffle is that of the user, or fits the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.spark.requirements import require_spark

require_spark()

from simhash_doc.spark.session import PARTITIONS, fit_partitions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_partitions_fit_the_tables_until_the_user_sets_them(spark: SparkSession) -> None:
    session = spark.newSession()
    small, large = session.range(10), session.range(2_000_000)
    session.conf.unset(PARTITIONS)
    fitted = fit_partitions(large)
    assert 1 < fitted < 200
    assert fit_partitions(small) == 1  # the value of the job before is not the user's
    session.conf.set(PARTITIONS, 7)
    assert fit_partitions(large) == 7
