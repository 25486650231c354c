"""The report of `simhash-doc dedupe` as text, JSON lines or rows, and the list of files that can be removed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from simhash_doc.cli.documents import escape_path, text_form
from simhash_doc.cli.messages import counted
from simhash_doc.cli.outputs import writing
from simhash_doc.cli.streams import print_error
from simhash_doc.lookup.duplicates import DuplicateCluster, Kind, Member

MEMBER_COLUMNS = {
    "cluster": "int64",
    "size": "int64",
    "representative": "string",
    "path": "string",
    "kind": "string",
    "fingerprint": "string",
    "distance": "uint16",
    "similarity": "float64",
}
_SHOWN_KINDS: dict[Kind, str] = {"representative": "keep", "exact": "exact copy"}


@dataclass(frozen=True, slots=True)
class Findings:
    """What a run found.

    Attributes:
        clusters: the clusters, the largest first.
        total: number of documents with a fingerprint.
    """

    clusters: list[DuplicateCluster]
    total: int

    def count(self, kind: Kind) -> int:
        """Return the number of documents of a kind."""
        return sum(cluster.count(kind) for cluster in self.clusters)

    @property
    def unique(self) -> int:
        """Number of documents without exact copies and near-duplicates."""
        return self.total - self.count("exact") - self.count("near-duplicate")


def text_report(found: Findings, *, bare: bool) -> Iterator[str]:
    """Yield the lines of the report for people."""
    for number, cluster in enumerate(found.clusters, 1):
        yield f"cluster {number}: {len(cluster)} documents ({', '.join(parts(cluster.count))})"
        for member in cluster.members:
            yield f"  {_text_row(member, bare=bare)}"
        yield ""
    clusters = counted(len(found.clusters), "cluster")
    yield f"{counted(found.total, 'document')}, {sum(map(len, found.clusters)):,} of them in {clusters}"
    yield f"{', '.join(parts(found.count))}: {counted(found.unique, 'unique document')}"


def json_report(found: Findings, *, bare: bool) -> Iterator[str]:
    """Yield one JSON object per cluster."""
    for number, cluster in enumerate(found.clusters, 1):
        fields = {
            "cluster": number,
            "size": len(cluster),
            "representative": cluster.representative.path,
            "documents": [_member_fields(member, bare=bare) for member in cluster.members],
        }
        yield json.dumps(fields)


def member_rows(found: Findings, *, bare: bool) -> Iterator[tuple[Any, ...]]:
    """Yield one row per member, in the order of `MEMBER_COLUMNS`."""
    for number, cluster in enumerate(found.clusters, 1):
        for member in cluster.members:
            document = member.document
            fingerprint = text_form(document.fingerprint, bare=bare)
            place = (number, len(cluster), cluster.representative.path, document.path, member.kind)
            yield (*place, fingerprint, member.distance, member.similarity)


def percent(similarity: float | None) -> str:
    """Return a similarity as people read it; only equal token counts are 100 %."""
    if similarity is None:
        return ""
    return "100 %" if similarity == 1 else f"{min(99, int(100 * similarity + 0.5))} %"


def write_remove_list(found: Findings, path: str, *, null_separated: bool) -> None:
    """Write the paths of the files that can be deleted, one per line, or each followed by NUL.

    Raises:
        click.ClickException: the file cannot be written.
    """
    paths = [path for cluster in found.clusters for path in cluster.removable()]
    unlisted = [] if null_separated else [path for path in paths if "\n" in path]
    listed = [path for path in paths if path not in set(unlisted)]
    end = b"\0" if null_separated else b"\n"
    with writing(path) as file:
        file.write(b"".join(path.encode("utf-8", "surrogateescape") + end for path in listed))
    if unlisted:
        print_error(f"simhash-doc: {path} leaves out {counted(len(unlisted), 'name')} with line ends: use -0")
    inside = found.count("exact") + found.count("near-duplicate") - len(paths)
    if inside:
        print_error(f"simhash-doc: {path} leaves out {counted(inside, 'duplicate')} inside other files")


def parts(count: Callable[[Kind], int]) -> list[str]:
    """Return the numbers of duplicates of each kind, as people read them."""
    named = [
        counted(count("exact"), "exact copy", "exact copies"),
        counted(count("near-duplicate"), "near-duplicate"),
        counted(count("candidate"), "candidate"),
    ]
    return [one for one in named if not one.startswith("0 ")] or ["no duplicates"]


def _text_row(member: Member, *, bare: bool) -> str:
    document = member.document
    kind = _SHOWN_KINDS.get(member.kind, member.kind)
    fingerprint = text_form(document.fingerprint, bare=bare)
    similarity = percent(member.similarity)
    return f"{kind:<14}  {fingerprint}  {member.distance:2}  {similarity:>5}  {escape_path(document.path)}"


def _member_fields(member: Member, *, bare: bool) -> dict[str, Any]:
    document = member.document
    fields: dict[str, Any] = {
        "path": document.path,
        "kind": member.kind,
        "fingerprint": text_form(document.fingerprint, bare=bare),
        "distance": member.distance,
        "sd256_distance": member.wide_distance,
        "similarity": member.similarity,
    }
    if member.copy_of is not None:
        fields["copy_of"] = member.copy_of
    if document.provenance:
        fields["provenance"] = document.provenance.to_dict()
    return fields
