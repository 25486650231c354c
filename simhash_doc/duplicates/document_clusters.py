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
from simhash_doc.duplicates.policy import NEWEST, OLDEST, Policy

Kind = Literal["representative", "exact", "near-duplicate", "candidate"]

_NEVER = 1 << 63  # after every time of a file


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a cluster.

    Attributes:
        document: the document.
        kind: ``representative``; ``exact``: its content is the representative's; ``near-duplicate``: the policy leaves
            it out for the representative; ``candidate``: its fingerprint is near the representative's, and it is kept.
        distance: bits in which its fingerprint differs from the representative's.
        similarity: of its text and the representative's, from 0 to 1; None if a text is not available.
        numbers: what the representative has of the numbers of a near-duplicate (`NUMBERS`); None for other kinds.
        copy_of: path of the earlier member whose content it has; None if there is none.
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
    parts: Iterable[list[ComparedDocument]], policy: Policy, texts: DocumentTexts | None = None, *, near: bool = True
) -> list[Cluster]:
    """Return the clusters in parts of a collection, the largest first, then by the path of the representative.

    A document without a duplicate and without a candidate is in none.

    Args:
        parts: see `find_parts`; the documents of each in the order given.
        policy: which documents are left out, and which are preferred.
        texts: the texts of the documents; without them, all that are not exact copies are candidates.
        near: whether near fingerprints connect the parts. Otherwise, a document is a candidate because of its numbers
            alone: a search for near fingerprints takes too long.
    """
    places = _Places(policy)
    clusters = [cluster for part in parts for cluster in _Part(part, policy, texts, places, near).clusters()]
    return sorted(clusters, key=lambda cluster: (-len(cluster), cluster[0].document.path))


class _Places:
    """Where documents are: in protected places, or behind symbolic links. It resolves each directory once."""

    def __init__(self, policy: Policy) -> None:
        self._protected = [place(one) for one in policy.protected for place in (os.path.abspath, os.path.realpath)]
        self._links: dict[str, int] = {}
        self._real: dict[str, str] = {}

    def rank(self, document: ComparedDocument) -> int:
        """Return 0 for a protected document, 1 for others, more for those behind symbolic links: these come last."""
        path = os.path.abspath(document.file or document.path)
        return 0 if self._is_protected(path) else 1 + self._links_to(path)

    def _is_protected(self, path: str) -> bool:
        if not self._protected:
            return False
        folder, name = os.path.split(path)
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        real = os.path.realpath(path) if os.path.islink(path) else os.path.join(self._real[folder], name)
        return any(Path(one).is_relative_to(other) for one in (path, real) for other in self._protected)

    def _links_to(self, path: str) -> int:
        folder = os.path.dirname(path)
        if folder not in self._links:
            self._links[folder] = 0 if folder == path else self._links_to(folder)
        return os.path.islink(path) + self._links[folder]


@dataclass(slots=True)
class _Part:
    """Documents of which each can be left out for another one, in the order in which they are given to `decide`."""

    documents: list[ComparedDocument]
    policy: Policy
    texts: DocumentTexts | None
    places: _Places
    near: bool
    ranks: list[int] = field(default_factory=list)
    representatives: dict[int, int] = field(default_factory=dict)
    numbers: dict[int, str] = field(default_factory=dict)
    by_numbers: dict[int, int] = field(default_factory=dict)

    def clusters(self) -> list[Cluster]:
        """Return the clusters."""
        ranked = sorted(((self.places.rank(one), one) for one in self.documents), key=self._order)
        self.ranks, self.documents = [rank for rank, _ in ranked], [one for _, one in ranked]
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

    def _order(self, ranked: tuple[int, ComparedDocument]) -> tuple[int, int, str]:
        rank, document = ranked
        given = 0
        if self.policy.keep in (OLDEST, NEWEST):
            age = 1 if self.policy.keep == OLDEST else -1
            given = _NEVER if document.modified is None else age * document.modified
        return rank, given, "" if self.policy.keep == IN_GIVEN_ORDER else document.path

    def _decide(self, chosen: list[int]) -> list[int]:
        """Find the representatives of documents with different contents; return them in the order of preference."""
        self.representatives = {at: at for at in chosen}
        known = [at for at in chosen if self.texts and self.texts.has(self.documents[at])]
        if not known or not self.texts:
            return chosen
        documents = [self.documents[at] for at in known]
        place = np.array([self.ranks[at] for at in known])
        found = decide(self.texts.packed(documents), self._fingerprints(known), self.policy, place == 0, place)
        for at, first, numbers in zip(known, found.representatives.tolist(), found.numbers.tolist(), strict=True):
            self.representatives[at] = known[first]
            self.numbers[at] = NUMBERS[numbers]
        resembling = np.flatnonzero(found.resembles >= 0)
        others = found.resembles[resembling].tolist()
        self.by_numbers = {known[at]: known[other] for at, other in zip(resembling.tolist(), others, strict=True)}
        without_text = {*chosen}.difference(known)
        return [*(known[at] for at in found.order.tolist()), *(at for at in chosen if at in without_text)]

    def _centres(self, order: list[int], copied: set[int]) -> dict[int, int]:
        """Return the document around which each kept one is reported.

        A kept document for which others are left out is the representative of a cluster. Another is a candidate if it
        is near a representative, or near another kept one; without near fingerprints, if it is kept by its numbers.
        """
        with_duplicates = copied | {first for at, first in self.representatives.items() if first != at}
        with_duplicates = {self.representatives[at] for at in with_duplicates}
        kept = [at for at in order if self.representatives[at] == at]
        if not self.near:
            alike = {at: self.representatives[other] for at, other in self.by_numbers.items()}
            return {at: at if at in with_duplicates else alike.get(at, at) for at in kept}
        kept.sort(key=lambda at: at not in with_duplicates)
        found = assign(self._fingerprints(kept), self.policy.bits, lambda _, other: kept[other] not in with_duplicates)
        return {at: kept[first] for at, first in zip(kept, found.tolist(), strict=True)}

    def _member(self, at: int, original: int, centre: int) -> Member:
        document, first = self.documents[at], self.documents[centre]
        distance = first.fingerprint.distance(document.fingerprint)
        protected = self.ranks[at] == 0
        if at == centre:
            return Member(document, "representative", protected=protected, kept_by_numbers=at in self.by_numbers)
        copy_of = None if at == original else self.documents[original].path
        if original == centre:
            return Member(document, "exact", distance, copy_of=copy_of, protected=protected)
        similarity = self.texts.similarity(first, self.documents[original]) if self.texts else None
        if self.representatives[original] != original:
            numbers = self.numbers[original]
            return Member(document, "near-duplicate", distance, similarity, numbers, copy_of, protected=protected)
        by_numbers = at in self.by_numbers
        return Member(
            document, "candidate", distance, similarity, protected=protected, kept_by_numbers=by_numbers,
            unconfirmed=similarity is None,
        )  # fmt: skip

    def _fingerprints(self, chosen: list[int]) -> Lanes:
        lanes = self.documents[0].fingerprint.scheme.lanes
        return lanes_from_ints([self.documents[at].fingerprint.value for at in chosen], lanes)
