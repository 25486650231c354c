"""Clusters of duplicate documents: exact copies, near-duplicates and candidates around a representative."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.provenance import Provenance

Kind = Literal["representative", "exact", "near-duplicate", "candidate"]
Keep = Literal["longest", "oldest", "first"]
Confirm = Literal["none", "sd256", "text"]

CONFIRMING_SCHEME = "sd256"


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document that takes part in the search for duplicates.

    Attributes:
        path: its path; ``FILE#URI`` for a document of a WARC file.
        file: the file that it is in; None if it is not known.
        fingerprint: in the scheme that is used for the comparison.
        wide: its sd256 fingerprint; None if it is not known.
        content: a key that exact copies share, such as the path of the first of them.
        tokens: number of tokens.
        modified: time of the last change of the file, in nanoseconds; None if it is not known.
        provenance: where the fingerprint comes from; None if it is not known.
    """

    path: str
    file: str | None
    fingerprint: Fingerprint
    wide: Fingerprint | None = None
    content: str | None = None
    tokens: int = 0
    modified: int | None = None
    provenance: Provenance | None = None

    @property
    def is_file(self) -> bool:
        """Return True if the document is a complete file, which can be deleted."""
        return self.file == self.path


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

    document: DocumentEntry
    kind: Kind
    distance: int = 0
    wide_distance: int | None = None
    similarity: float | None = None
    copy_of: str | None = None


@dataclass(frozen=True, slots=True)
class DuplicateCluster:
    """Documents that a chain of near fingerprints connects; the first member is the representative."""

    members: tuple[Member, ...]

    def __len__(self) -> int:
        return len(self.members)

    @property
    def representative(self) -> DocumentEntry:
        """The document to keep."""
        return self.members[0].document

    def count(self, kind: Kind) -> int:
        """Return the number of members of a kind."""
        return sum(member.kind == kind for member in self.members)

    def removable(self) -> list[str]:
        """Return the paths of files that can be deleted.

        These are the exact copies and near-duplicates that are complete files. The representative, candidates, and
        documents inside a file with several documents are not listed.
        """
        removed = ("exact", "near-duplicate")
        return [one.document.path for one in self.members if one.kind in removed and one.document.is_file]


def make_clusters(groups: Iterable[list[DocumentEntry]], keep: Keep) -> list[DuplicateCluster]:
    """Return a cluster per group, the largest first. All but the representative and exact copies are candidates.

    Args:
        groups: connected documents, each group in the order given.
        keep: the representative: the longest text, the least recently modified file, or the first of the group.
    """
    clusters = [_cluster(group, keep) for group in groups]
    return sorted(clusters, key=len, reverse=True)


def confirmed(
    cluster: DuplicateCluster,
    confirm: Confirm,
    similarity: Callable[[DocumentEntry, DocumentEntry], float | None],
    least: float,
) -> DuplicateCluster:
    """Return the cluster, with each confirmed candidate as a near-duplicate.

    Args:
        cluster: the cluster.
        confirm: ``none``: every candidate is a near-duplicate; ``sd256``: those whose sd256 fingerprints are close to
            that of the representative; ``text``: those whose texts are similar to that of the representative, or
            where a text is not available, as for ``sd256``.
        similarity: returns the similarity of the texts of two documents, None if one is not available.
        least: the minimum similarity of near-duplicates.
    """
    first = cluster.representative
    members = []
    for member in cluster.members:
        if member.kind == "candidate":
            found = similarity(first, member.document) if confirm == "text" else None
            member = replace(member, similarity=found)
            if _is_confirmed(member, confirm, least):
                member = replace(member, kind="near-duplicate")
        members.append(member)
    return DuplicateCluster(tuple(members))


def _is_confirmed(member: Member, confirm: Confirm, least: float) -> bool:
    if confirm == "none":
        return True
    if member.similarity is not None:
        return member.similarity >= least
    wide = member.document.wide
    return wide is not None and member.wide_distance is not None and member.wide_distance <= wide.scheme.close


def _cluster(group: list[DocumentEntry], keep: Keep) -> DuplicateCluster:
    first = _representative(group, keep)
    first_of = {first.content: first.path} if first.content is not None else {}
    members = [Member(first, "representative", wide_distance=0 if first.wide else None)]
    for document in group:
        if document is first:
            continue
        copied = first_of.get(document.content) if document.content is not None else None
        if copied is None and document.content is not None:
            first_of[document.content] = document.path
        wide = first.wide.distance(document.wide) if first.wide and document.wide else None
        distance = first.fingerprint.distance(document.fingerprint)
        kind: Kind = "candidate" if copied is None else "exact"
        members.append(Member(document, kind, distance, wide, copy_of=copied))
    return DuplicateCluster(tuple(members))


def _representative(group: list[DocumentEntry], keep: Keep) -> DocumentEntry:
    if keep == "longest":
        return max(group, key=lambda document: document.tokens)
    if keep == "oldest":
        never = 1 << 63
        return min(group, key=lambda document: never if document.modified is None else document.modified)
    return group[0]
