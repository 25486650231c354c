"""Clusters of documents: a representative, which is kept, its exact copies, near-duplicates and candidates.

Which documents these are says `simhash_doc.duplicates.definition`.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from simhash_doc.arrays import Lanes, lanes_from_ints
from simhash_doc.duplicates.compared import ComparedDocument
from simhash_doc.duplicates.component import NUMBERS, decide
from simhash_doc.duplicates.definition import assign
from simhash_doc.duplicates.document_texts import DocumentTexts
from simhash_doc.duplicates.policy import FIRST as IN_GIVEN_ORDER
from simhash_doc.duplicates.policy import OLDEST, Policy

Kind = Literal["representative", "exact", "near-duplicate", "candidate"]

_NEVER = 1 << 63  # after every time of a file


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a cluster.

    Attributes:
        document: the document.
        kind: ``representative``; ``exact``: an earlier member has the same content; ``near-duplicate``: the policy
            leaves it out for the representative; ``candidate``: its fingerprint is near the representative's, and it is
            kept.
        distance: bits in which its fingerprint differs from the representative's.
        similarity: of its text and the representative's, from 0 to 1; None if a text is not available.
        numbers: what the representative has of the numbers of a near-duplicate (`NUMBERS`); None for other kinds.
        copy_of: path of the member whose content it has, if the kind is ``exact``.
        protected: whether it is never removed, as the policy says.
        kept_by_numbers: whether it is kept because of its numbers alone.
        unconfirmed: whether it is a candidate because its text, or the representative's, is not available.
    """

    document: ComparedDocument
    kind: Kind
    distance: int = 0
    similarity: float | None = None
    numbers: str | None = None
    copy_of: str | None = None
    protected: bool = False
    kept_by_numbers: bool = False
    unconfirmed: bool = False


Cluster = list[Member]
"""Documents around a representative, which is the first and is kept; the others in the order of preference."""


def removable(cluster: Cluster) -> list[str]:
    """Return the paths of files that can be deleted: the exact copies and near-duplicates that are complete files.

    The representative, candidates, protected files, and documents inside a file with several documents are not listed.
    """
    removed = ("exact", "near-duplicate")
    found = (one for one in cluster if one.kind in removed and not one.protected)
    return [one.document.path for one in found if one.document.is_file]


def make_clusters(
    components: Iterable[list[ComparedDocument]], policy: Policy, texts: DocumentTexts | None = None
) -> list[Cluster]:
    """Return the clusters in components of near documents, the largest first, then by the path of the representative.

    A document without a duplicate and without a candidate is in none.

    Args:
        components: the connected components, each in the order given.
        policy: which documents are left out, and which are preferred.
        texts: the texts of the documents; without them, all that are not exact copies are candidates.
    """
    clusters = [cluster for component in components for cluster in _Component(component, policy, texts).clusters()]
    return sorted(clusters, key=lambda cluster: (-len(cluster), cluster[0].document.path))


@dataclass(slots=True)
class _Component:
    """Documents that near fingerprints connect, in the order in which they are given to `decide`."""

    documents: list[ComparedDocument]
    policy: Policy
    texts: DocumentTexts | None
    representatives: dict[int, int] = field(default_factory=dict)
    numbers: dict[int, str] = field(default_factory=dict)
    by_numbers: set[int] = field(default_factory=set)

    def clusters(self) -> list[Cluster]:
        """Return the clusters."""
        self.documents = sorted(self.documents, key=self._place)
        first_of: dict[str, int] = {}
        originals = [first_of.setdefault(document.content, at) for at, document in enumerate(self.documents)]
        order = self._decide(list(first_of.values()))
        centres = self._centres(order, {original for at, original in enumerate(originals) if original != at})
        rank = {at: number for number, at in enumerate(order)}
        found: dict[int, list[tuple[int, Member]]] = defaultdict(list)
        for at, original in enumerate(originals):
            centre = centres[self.representatives[original]]
            found[centre].append((at, self._member(at, original, centre)))
        for centre, members in found.items():
            members.sort(key=lambda one: (one[0] != centre, rank[originals[one[0]]], one[0]))
        return [[member for _, member in members] for members in found.values() if len(members) > 1]

    def _place(self, document: ComparedDocument) -> tuple[int, int, str]:
        given = 0 if self.policy.keep != OLDEST or document.modified is None else document.modified
        if self.policy.keep == OLDEST and document.modified is None:
            given = _NEVER
        return self._class(document), given, "" if self.policy.keep == IN_GIVEN_ORDER else document.path

    def _class(self, document: ComparedDocument) -> int:
        """Return 0 for a protected document, 1 for others, more for those behind symbolic links: these come last."""
        return 0 if is_protected(document, self.policy) else 1 + document.links

    def _decide(self, chosen: list[int]) -> list[int]:
        """Find the representatives of documents with different contents; return them in the order of preference."""
        self.representatives = {at: at for at in chosen}
        known = [at for at in chosen if self.texts and self.texts.has(self.documents[at])]
        if not known or not self.texts:
            return chosen
        documents = [self.documents[at] for at in known]
        place = np.array([self._class(document) for document in documents])
        found = decide(self.texts.packed(documents), self._fingerprints(known), self.policy, place == 0, place)
        for at, first, numbers in zip(known, found.representatives.tolist(), found.numbers.tolist(), strict=True):
            self.representatives[at] = known[first]
            self.numbers[at] = NUMBERS[numbers]
        self.by_numbers = {known[at] for at in np.flatnonzero(found.resembles >= 0).tolist()}
        return [*(known[at] for at in found.order.tolist()), *(at for at in chosen if at not in {*known})]

    def _centres(self, order: list[int], copied: set[int]) -> dict[int, int]:
        """Return the document around which each kept one is reported.

        A kept document for which others are left out is the representative of a cluster. Another is a candidate if it
        is near a representative, or near another kept one.
        """
        with_duplicates = copied | {first for at, first in self.representatives.items() if first != at}
        with_duplicates = {self.representatives[at] for at in with_duplicates}
        kept = [at for at in order if self.representatives[at] == at]
        kept.sort(key=lambda at: at not in with_duplicates)
        found = assign(self._fingerprints(kept), self.policy.bits, lambda _, other: kept[other] not in with_duplicates)
        return {at: kept[first] for at, first in zip(kept, found.tolist(), strict=True)}

    def _member(self, at: int, original: int, centre: int) -> Member:
        document, first = self.documents[at], self.documents[centre]
        distance = first.fingerprint.distance(document.fingerprint)
        protected = is_protected(document, self.policy)
        if at == centre:
            return Member(document, "representative", protected=protected, kept_by_numbers=at in self.by_numbers)
        if at != original:
            copy_of = self.documents[original].path
            return Member(document, "exact", distance, copy_of=copy_of, protected=protected)
        similarity = self.texts.similarity(first, document) if self.texts else None
        if self.representatives[at] != at:
            return Member(document, "near-duplicate", distance, similarity, self.numbers[at], protected=protected)
        by_numbers = at in self.by_numbers
        return Member(
            document, "candidate", distance, similarity, protected=protected, kept_by_numbers=by_numbers,
            unconfirmed=similarity is None,
        )  # fmt: skip

    def _fingerprints(self, chosen: list[int]) -> Lanes:
        lanes = self.documents[0].fingerprint.scheme.lanes
        return lanes_from_ints([self.documents[at].fingerprint.value for at in chosen], lanes)


def is_protected(document: ComparedDocument, policy: Policy) -> bool:
    """Return True if a document is in a protected directory, also by way of a symbolic link."""
    found = document.file or document.path
    return any(
        Path(place(found)).is_relative_to(place(folder))
        for folder in policy.protected
        for place in (os.path.abspath, os.path.realpath)
    )
