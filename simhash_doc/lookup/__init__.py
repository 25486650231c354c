"""Near-duplicate search: the fingerprints within a few bits of a query, and of each other.

`find_all` and `find_clusters` work on one list of fingerprints; a `Corpus` is kept, changed, saved and
queried, a `SegmentedCorpus` on disk; an `IsslIndex` finds the nearest of many signatures approximately.
"""

from __future__ import annotations

from simhash_doc.lookup.clusters import Clusters, clusters_of, find_clusters
from simhash_doc.lookup.corpus import Corpus, Match, Matches
from simhash_doc.lookup.errors import (
    BadValueError,
    CorruptIndexError,
    DegenerateDistributionWarning,
    LookupParameterError,
    PairSearchError,
    TooExpensiveError,
)
from simhash_doc.lookup.external import find_all_on_disk
from simhash_doc.lookup.issl import IsslIndex
from simhash_doc.lookup.multiprobe import find_probable
from simhash_doc.lookup.pairs import Pairs, find_all
from simhash_doc.lookup.planner import Plan, plan
from simhash_doc.lookup.segmented.conversion import convert_file
from simhash_doc.lookup.segmented.corpus import SegmentedCorpus
from simhash_doc.lookup.shards import Shards
from simhash_doc.lookup.topk import TopK, merge_topk, recall

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
    "PairSearchError",
    "Pairs",
    "Plan",
    "SegmentedCorpus",
    "Shards",
    "TooExpensiveError",
    "TopK",
    "clusters_of",
    "convert_file",
    "find_all",
    "find_all_on_disk",
    "find_clusters",
    "find_probable",
    "merge_topk",
    "plan",
    "recall",
]
