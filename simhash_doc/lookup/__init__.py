"""Look-up: which fingerprints are within a few bits of a given one, and of each other.

`find_all` and `find_clusters` work on one list of fingerprints; a `Corpus` is kept, changed,
saved and queried; an `IsslIndex` finds the nearest of wide signatures.
"""

from __future__ import annotations

from simhash_doc.lookup.clusters import Clusters, find_clusters
from simhash_doc.lookup.corpus import Corpus, Match, Matches
from simhash_doc.lookup.errors import (
    BadValueError,
    DamagedIndexError,
    DegenerateDistributionWarning,
    LookupParameterError,
)
from simhash_doc.lookup.issl import IsslIndex
from simhash_doc.lookup.pairs import Pairs, find_all
from simhash_doc.lookup.planner import Plan, plan
from simhash_doc.lookup.probing import find_probable
from simhash_doc.lookup.ranked import Ranked, merge_ranked, recall
from simhash_doc.lookup.shards import Shards

__all__ = [
    "BadValueError",
    "Clusters",
    "Corpus",
    "DamagedIndexError",
    "DegenerateDistributionWarning",
    "IsslIndex",
    "LookupParameterError",
    "Match",
    "Matches",
    "Pairs",
    "Plan",
    "Ranked",
    "Shards",
    "find_all",
    "find_clusters",
    "find_probable",
    "merge_ranked",
    "plan",
    "recall",
]
