"""Near-duplicate search on Apache Spark, for more than one machine. Needs the extra `spark`, and Java 17 or newer."""

from __future__ import annotations

try:
    import pyarrow as _pyarrow  # noqa: F401
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    from simhash_doc.errors import MissingExtraError

    raise MissingExtraError(f"{error.name} is not installed: pip install 'simhash-doc[spark]'") from error

from simhash_doc.spark.columns import BadColumnError
from simhash_doc.spark.components import SparkClusters, find_clusters
from simhash_doc.spark.fingerprinting import fingerprints, simhash
from simhash_doc.spark.near_pairs import SparkPairs, TooManyPairsError, find_all
from simhash_doc.spark.partitioning import SparkPlan, plan
from simhash_doc.spark.queries import QueryMatches, query
from simhash_doc.spark.session import SparkConnectError
from simhash_doc.spark.storage import BadInputError, OutputError

__all__ = [
    "BadColumnError",
    "BadInputError",
    "OutputError",
    "QueryMatches",
    "SparkClusters",
    "SparkConnectError",
    "SparkPairs",
    "SparkPlan",
    "TooManyPairsError",
    "find_all",
    "find_clusters",
    "fingerprints",
    "plan",
    "query",
    "simhash",
]
