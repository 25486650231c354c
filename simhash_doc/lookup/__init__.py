"""Look-up: which fingerprints are within a few bits of a given one, and of each other.

`find_all` and `find_clusters` work on one list of fingerprints; a `Corpus` is kept, changed,
saved and queried.
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
from simhash_doc.lookup.pairs import Pairs, find_all
from simhash_doc.lookup.planner import Plan, plan
from simhash_doc.lookup.shards import Shards

__all__ = [
    "BadValueError",
    "Clusters",
    "Corpus",
    "DamagedIndexError",
    "DegenerateDistributionWarning",
    "LookupParameterError",
    "Match",
    "Matches",
    "Pairs",
    "Plan",
    "Shards",
    "find_all",
    "find_clusters",
    "plan",
]
