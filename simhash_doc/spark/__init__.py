"""Near-duplicates beyond one machine, on Apache Spark. Needs the extra `spark`, and Java 17 or newer."""

from __future__ import annotations

from simhash_doc.spark.pairs import Pairs, find_all

__all__ = ["Pairs", "find_all"]
