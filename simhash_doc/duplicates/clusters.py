"""Clusters of documents: a representative, which is kept, its exact copies, near-duplicates and candidates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from simhash_doc.duplicates.compared import CONFIRMING_SCHEME, ComparedDocument
from simhash_doc.duplicates.texts import DocumentTexts
from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import LEAST_SUPPORT

Kind = Literal["representative", "exact", "near-duplicate", "candidate"]
Keep = Literal["longest", "oldest", "first"]
Confirm = Literal["none", "sd256", "text"]


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a cluster.

    Attributes:
        document: the document.
        kind: ``representative``; ``exact``: its content equals that of an earlier member; ``near-duplicate``: it is
            confirmed; ``candidate``: its fingerprint is near that of another member, and nothing confirms that the
            texts are.
        distance: bits in which its fingerprint differs from that of the representative.
        wide_distance: the same for the sd256 fingerprints; None if they are not known.
        similarity: of its text and that of the representative, from 0 to 1; None if it was not computed.
        copy_of: path of the member whose content it has, if the kind is ``exact``.
    """

    document: ComparedDocument
    kind: Kind
    distance: int = 0
    wide_distance: int | None = None
    similarity: float | None = None
    copy_of: str | None = None


Cluster = list[Member]
"""Documents that a chain of near fingerprints connects; the first is the representative, which is kept."""


def removable(cluster: Cluster) -> list[str]:
    """Return the paths of files that can be deleted: the exact copies and near-duplicates that are complete files.

    The representative, candidates, and documents inside a file with several documents are not listed.
    """
    removed = ("exact", "near-duplicate")
    return [one.document.path for one in cluster if one.kind in removed and one.document.is_file]


def make_clusters(
    groups: Iterable[list[ComparedDocument]],
    keep: Keep,
    confirm: Confirm,
    least: float,
    texts: DocumentTexts | None = None,
) -> list[Cluster]:
    """Return a cluster per group, the largest first.

    Args:
        groups: connected documents, each group in the order given.
        keep: the representative: the longest text, the least recently modified file, or the first of the group.
        confirm: which other documents are near-duplicates, not candidates. ``none``: all; ``sd256``: those whose sd256
            fingerprints are close to that of the representative, unless a text has too little support; ``text``: those
            whose texts are similar to that of the representative, or where a text is not available, as for ``sd256``.
        least: the minimum similarity of near-duplicates, from 0 to 1.
        texts: the texts of the documents, for ``text``.
    """
    clusters = []
    for group in groups:
        first = _representative(group, keep)
        first_of = {first.content: first.path}
        members = [Member(first, "representative", wide_distance=0 if first.wide else None)]
        for document in group:
            if document is not first:
                copied = first_of.get(document.content)
                first_of.setdefault(document.content, document.path)
                similarity = None
                if copied is None and texts and confirm == "text":
                    similarity = texts.similarity(first, document)
                members.append(_member(first, document, copied, similarity, confirm, least))
        clusters.append(members)
    return sorted(clusters, key=len, reverse=True)


def _member(
    first: ComparedDocument,
    document: ComparedDocument,
    copied: str | None,
    similarity: float | None,
    confirm: Confirm,
    least: float,
) -> Member:
    kind: Kind = "exact"
    wide = first.wide.distance(document.wide) if first.wide and document.wide else None
    if copied is None:
        if confirm == "none":
            is_confirmed = True
        elif similarity is not None:
            is_confirmed = similarity >= least
        else:
            is_weak = any(one.support is not None and one.support < LEAST_SUPPORT for one in (first, document))
            is_confirmed = wide is not None and wide <= get_scheme(CONFIRMING_SCHEME).close and not is_weak
        kind = "near-duplicate" if is_confirmed else "candidate"
    return Member(document, kind, first.fingerprint.distance(document.fingerprint), wide, similarity, copied)


def _representative(group: list[ComparedDocument], keep: Keep) -> ComparedDocument:
    if keep == "longest":
        return max(group, key=lambda document: document.tokens)
    if keep == "oldest":
        never = 1 << 63
        return min(group, key=lambda document: never if document.modified is None else document.modified)
    return group[0]
