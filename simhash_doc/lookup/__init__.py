"""Near-duplicate search: the fingerprints within a few bits of a query, and of each other.

`find_all` and `find_clusters` work on one list of fingerprints; a `Corpus` is kept, changed, saved and
queried, in memory or in a directory; an `IsslIndex` finds the nearest of many signatures approximately.
"""

from __future__ import annotations

from simhash_doc.lookup.blocks import shard_of, shards_to_search
from simhash_doc.lookup.clusters import Clusters, clusters_of, find_clusters
from simhash_doc.lookup.corpus import Corpus, RemoveResult
from simhash_doc.lookup.errors import (
    BadValueError,
    CorruptIndexError,
    DegenerateDistributionWarning,
    LookupParameterError,
    TooExpensiveError,
    TooLargeError,
)
from simhash_doc.lookup.external import PairFile
from simhash_doc.lookup.issl import IsslIndex, merge_topk, recall
from simhash_doc.lookup.matches import Match, Matches
from simhash_doc.lookup.nearest import TopK
from simhash_doc.lookup.pairs import Pairs, find_all
from simhash_doc.lookup.planning.index import Plan, plan

__all__ = [
    "BadValueError",
    "Clusters",
    "Corpus",
    "CorruptIndexError",
    "DegenerateDistributionWarning",
    "IsslIndex",
    "LookupParameterError",
    "Match",
    "Matches",
    "PairFile",
    "Pairs",
    "Plan",
    "RemoveResult",
    "TooExpensiveError",
    "TooLargeError",
    "TopK",
    "clusters_of",
    "find_all",
    "find_clusters",
    "merge_topk",
    "plan",
    "recall",
    "shard_of",
    "shards_to_search",
]
