"""Near-duplicates beyond one machine, on Apache Spark. Needs the extra `spark`, and Java 17 or newer."""

from __future__ import annotations

from simhash_doc.spark.clusters import Clusters, find_clusters
from simhash_doc.spark.errors import BadColumnError, OutputError, SparkMissingError, TooManyPairsError
from simhash_doc.spark.fingerprinting import fingerprints
from simhash_doc.spark.pairs import Pairs, find_all
from simhash_doc.spark.planning import SparkPlan, plan
from simhash_doc.spark.queries import Matches, query

__all__ = [
    "BadColumnError",
    "Clusters",
    "Matches",
    "OutputError",
    "Pairs",
    "SparkMissingError",
    "SparkPlan",
    "TooManyPairsError",
    "find_all",
    "find_clusters",
    "fingerprints",
    "plan",
    "query",
]
