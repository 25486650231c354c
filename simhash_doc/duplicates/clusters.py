"""Clusters of documents: a representative, which is kept, its exact copies, near-duplicates and candidates.

Which documents these are says `simhash_doc.duplicates.definition`.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from simhash_doc.arrays import Lanes, lanes_from_ints
from simhash_doc.duplicates.compared import CONFIRMING_SCHEME, ComparedDocument
from simhash_doc.duplicates.definition import assign
from simhash_doc.duplicates.packed import assign_similar
from simhash_doc.duplicates.templates import Templates, texts_of_templates
from simhash_doc.duplicates.texts import DocumentTexts
from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import LEAST_SUPPORT

Kind = Literal["representative", "exact", "near-duplicate", "candidate"]
Keep = Literal["longest", "oldest", "first"]
Confirm = Literal["none", "sd256", "text"]

_NEVER = 1 << 63  # after every time of a file


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a cluster.

    Attributes:
        document: the document.
        kind: ``representative``; ``exact``: an earlier member has the same content; ``near-duplicate``: its
            fingerprint is near the representative's, and confirmed; ``candidate``: it is near, not confirmed, and kept.
        distance: bits in which its fingerprint differs from the representative's.
        wide_distance: the same for the sd256 fingerprints; None if they are not known.
        similarity: of its text and the representative's, from 0 to 1; None if it was not computed.
        copy_of: path of the member whose content it has, if the kind is ``exact``.
        protected: whether it is never removed, as the rule says.
        of_template: whether it is a candidate because a template makes it like the representative.
        other_numbers: whether it is a near-duplicate at distance 0 whose text has other digits.
    """

    document: ComparedDocument
    kind: Kind
    distance: int = 0
    wide_distance: int | None = None
    similarity: float | None = None
    copy_of: str | None = None
    protected: bool = False
    of_template: bool = False
    other_numbers: bool = False


Cluster = list[Member]
"""Documents around a representative, which is the first and is kept; the others in the order of preference."""


def removable(cluster: Cluster) -> list[str]:
    """Return the paths of files that can be deleted: the exact copies and near-duplicates that are complete files.

    The representative, candidates, protected files, and documents inside a file with several documents are not listed.
    """
    removed = ("exact", "near-duplicate")
    found = (one for one in cluster if one.kind in removed and not one.protected)
    return [one.document.path for one in found if one.document.is_file]


@dataclass(frozen=True, slots=True)
class Rule:
    """Which documents are kept, and which are confirmed.

    Attributes:
        distance: most bits in which near fingerprints differ.
        keep: the order of preference: the longest texts first, or the files that were modified least recently, both
            then by path; or the order in which documents are given. Files that are reached through a symbolic link
            come last: what the link points to may be removed by others.
        confirm: which near pairs are confirmed. ``none``: all; ``sd256``: those whose sd256 fingerprints are close,
            unless a text has too little support; ``text``: those whose texts are similar, or where a text is not
            available, as for ``sd256``.
        least: the least share of common tokens of similar texts, from 0 to 1.
        protected: directories whose files are never removed, and come before all others.
        templates: of ``text``, whether documents of one template are candidates (``keep``), or duplicates like others:
            see `simhash_doc.duplicates.templates`.
    """

    distance: int
    keep: Keep
    confirm: Confirm
    least: float
    protected: tuple[str, ...] = ()
    templates: Templates = "keep"

    def protects(self, document: ComparedDocument) -> bool:
        """Return True if a document is in a protected directory, also by way of a symbolic link."""
        found = document.file or document.path
        return any(
            Path(place(found)).is_relative_to(place(folder))
            for folder in self.protected
            for place in (os.path.abspath, os.path.realpath)
        )

    def preference(self, document: ComparedDocument) -> tuple[bool, int, int, str]:
        """Return a key that sorts documents by the order of preference."""
        own: tuple[int, str] = (0, "")  # for `first`, in the order given
        if self.keep == "longest":
            own = -document.tokens, document.path
        elif self.keep == "oldest":
            own = _NEVER if document.modified is None else document.modified, document.path
        return not self.protects(document), document.links, *own

    def confirms(self, a: ComparedDocument, b: ComparedDocument, texts: DocumentTexts | None) -> bool:
        """Return True if two documents with near fingerprints are duplicates."""
        if self.confirm == "none":
            return True
        if self.confirm == "text" and texts and (similar := texts.are_similar(a, b, self.least)) is not None:
            return similar
        weak = any(one.support is not None and one.support < LEAST_SUPPORT for one in (a, b))
        wide = _wide_distance(a, b)
        return wide is not None and wide <= get_scheme(CONFIRMING_SCHEME).close and not weak


def make_clusters(
    components: Iterable[list[ComparedDocument]], rule: Rule, texts: DocumentTexts | None = None
) -> list[Cluster]:
    """Return the clusters in components of near documents, the largest first, then in the order of preference.

    A document without a duplicate and without a candidate is in none.

    Args:
        components: the connected components, each in the order given.
        rule: which documents are kept and confirmed.
        texts: the texts of the documents, for ``text``.
    """
    clusters = [cluster for component in components for cluster in _clusters_of(component, rule, texts)]
    return sorted(clusters, key=lambda cluster: (-len(cluster), *rule.preference(cluster[0].document)))


def _clusters_of(component: list[ComparedDocument], rule: Rule, texts: DocumentTexts | None) -> list[Cluster]:
    documents = sorted(component, key=rule.preference)
    first_of: dict[str, int] = {}
    originals = [first_of.setdefault(document.content, at) for at, document in enumerate(documents)]

    duplicate_of, of_templates = _duplicates(documents, list(first_of.values()), rule, texts)
    # A kept document with near-duplicates is the representative of a cluster. Another is a candidate if it is near one.
    with_duplicates = {kept for at, kept in duplicate_of.items() if kept != at}
    kept = sorted(set(duplicate_of.values()), key=lambda at: (at not in with_duplicates, at))
    candidate_of = _assigned(documents, kept, rule.distance, lambda _, other: other not in with_duplicates)
    representatives = [candidate_of[duplicate_of[original]] for original in originals]
    clusters: dict[int, Cluster] = defaultdict(list)
    for at in sorted(range(len(documents)), key=lambda at: (representatives[at] != at, at)):
        first, document = documents[representatives[at]], documents[at]
        kind: Kind = "near-duplicate"
        copy_of = similarity = None
        if document is first:
            kind = "representative"
        elif originals[at] != at:
            kind, copy_of = "exact", documents[originals[at]].path
        else:
            if duplicate_of[at] == at or rule.confirm == "none":
                kind = "candidate"
            if texts and rule.confirm == "text":
                similarity = texts.similarity(first, document)
        distance = first.fingerprint.distance(document.fingerprint)
        of_template = kind == "candidate" and at in of_templates
        equal = kind == "near-duplicate" and not distance
        other_numbers = equal and texts is not None and texts.numbers(first) != texts.numbers(document)
        wide = _wide_distance(first, document)
        protected = rule.protects(document)
        member = Member(document, kind, distance, wide, similarity, copy_of, protected, of_template, other_numbers)
        clusters[representatives[at]].append(member)
    return [cluster for cluster in clusters.values() if len(cluster) > 1]


def _duplicates(
    documents: list[ComparedDocument], chosen: list[int], rule: Rule, texts: DocumentTexts | None
) -> tuple[dict[int, int], set[int]]:
    """Return the representative of each of the chosen documents, and those of templates."""
    packed = texts.packed(documents[at] for at in chosen) if texts and rule.confirm == "text" else None
    if not texts or not packed:

        def confirms(first: int, other: int) -> bool:
            return rule.confirms(documents[first], documents[other], texts)

        return _assigned(documents, chosen, rule.distance, confirms), set()
    found, _ = assign_similar(_fingerprints(documents, chosen), rule.distance, packed, rule.least)
    of_templates = set[int]()
    for members in texts_of_templates(packed, found) if rule.templates == "keep" else ():
        firsts: dict[Hashable, int] = {}
        for place in members.tolist():
            key = packed.tokens(place).tobytes(), texts.numbers(documents[chosen[place]])
            found[place] = firsts.setdefault(key, place)
            of_templates.add(chosen[place])
    return {at: chosen[first] for at, first in zip(chosen, found.tolist(), strict=True)}, of_templates


def _assigned(
    documents: list[ComparedDocument], chosen: list[int], distance: int, confirms: Callable[[int, int], bool]
) -> dict[int, int]:
    """Return the representative of each of the chosen documents, which are in the order of preference."""
    fingerprints = _fingerprints(documents, chosen)
    found = assign(fingerprints, distance, lambda first, other: confirms(chosen[first], chosen[other]))
    return {at: chosen[first] for at, first in zip(chosen, found.tolist(), strict=True)}


def _fingerprints(documents: list[ComparedDocument], chosen: list[int]) -> Lanes:
    lanes = documents[0].fingerprint.scheme.lanes
    return lanes_from_ints([documents[at].fingerprint.value for at in chosen], lanes)


def _wide_distance(a: ComparedDocument, b: ComparedDocument) -> int | None:
    return a.wide.distance(b.wide) if a.wide and b.wide else None
