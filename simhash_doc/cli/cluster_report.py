"""What `dedupe` and `store dedupe` write: clusters as text, JSON or a page, and the files that can be deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from simhash_doc.cli.cluster_page import Compared, counted_kinds, counted_unique, report_of
from simhash_doc.cli.help import command_line
from simhash_doc.console.messages import Messages, counted, escape_path, is_quiet, print_error, print_notice
from simhash_doc.console.output import printing
from simhash_doc.console.sizes import percent
from simhash_doc.duplicates.clusters import Cluster, Kind, Member, removable
from simhash_doc.duplicates.copies import Copies
from simhash_doc.duplicates.texts import DocumentTexts
from simhash_doc.own_outputs import CLUSTER_LINE, TOTAL_LINE
from simhash_doc.provenance import Provenance
from simhash_doc.report import html_page

_SHOWN_KINDS: dict[Kind, str] = {"representative": "keep", "exact": "exact copy"}


def report_same(copies: Copies) -> None:
    """Print which files are the same as others."""
    if is_quiet():
        return
    messages = Messages()
    for path, first in copies.same.items():
        messages.show(f"{path}: the same file as {first}: counted once", "files that are given twice: counted once")
    messages.finish()


def write_clusters(
    clusters: list[Cluster],
    total: int,
    texts: DocumentTexts | None,
    compared: Compared,
    *,
    output_format: str,
    output: str,
    html: str | None,
    remove_list: str | None,
) -> None:
    """Write the clusters among `total` documents; the page shows `texts`, and what was `compared`."""
    members = [member for cluster in clusters for member in cluster]
    if of_templates := sum(member.of_template for member in members):
        print_notice(
            f"simhash-doc: {counted(of_templates, 'document')} of templates kept: over 100 documents share most words "
            "and differ in the others; --templates drop makes them near-duplicates"
        )
    if other_numbers := sum(member.other_numbers for member in members):
        print_notice(
            f"simhash-doc: {counted(other_numbers, 'near-duplicate')} at distance 0 with other numbers than the "
            "representative: digits belong to no word"
        )
    # The files come first: a closed pipe, as of `| head`, ends the command.
    if html and texts:
        with printing(html) as show:
            for line in html_page(report_of(clusters, total, texts.text, compared, command_line())):
                show(line)
    if remove_list:
        _write_remove_list(clusters, remove_list)
    with printing(output) as show:
        for line in _text_report(clusters, total) if output_format == "text" else _json_report(clusters):
            show(line)


def _text_report(clusters: list[Cluster], total: int) -> Iterator[str]:
    for number, cluster in enumerate(clusters, 1):
        kinds = ", ".join(counted_kinds([cluster]))
        yield CLUSTER_LINE.format(number=number, documents=f"{len(cluster)} documents", kinds=kinds)
        for member in cluster:
            yield f"  {_text_row(member)}"
        yield ""
    members, shown = f"{sum(map(len, clusters)):,}", counted(len(clusters), "cluster")
    yield TOTAL_LINE.format(documents=counted(total, "document"), members=members, clusters=shown)
    yield f"{', '.join(counted_kinds(clusters))}: {counted_unique(clusters, total)}"


def _json_report(clusters: list[Cluster]) -> Iterator[str]:
    written: list[Provenance] = []
    for number, cluster in enumerate(clusters, 1):
        fields = {
            "cluster": number,
            "size": len(cluster),
            "representative": cluster[0].document.path,
            "documents": [_member_fields(member, written) for member in cluster],
        }
        yield json.dumps(fields)


def _write_remove_list(clusters: list[Cluster], path: str) -> None:
    """Write the paths of the files that can be deleted, one per line; names with line ends are left out."""
    paths = [path for cluster in clusters for path in removable(cluster)]
    listed = [path for path in paths if "\n" not in path]
    with printing(path) as show:
        for one in listed:
            show(one)
    if unlisted := len(paths) - len(listed):
        print_error(f"simhash-doc: {path} leaves out {counted(unlisted, 'name')} with line ends")
    removed = [one for cluster in clusters for one in cluster if one.kind in ("exact", "near-duplicate")]
    if protected := sum(one.protected for one in removed):
        print_error(f"simhash-doc: {path} leaves out {counted(protected, 'duplicate')} in protected directories")
    if inside := len(removed) - protected - len(paths):
        print_error(f"simhash-doc: {path} leaves out {counted(inside, 'duplicate')} inside other files")


def _text_row(member: Member) -> str:
    document, kind = member.document, _SHOWN_KINDS.get(member.kind, member.kind)
    similarity = percent(member.similarity)
    return f"{kind:<14}  {document.fingerprint}  {member.distance:2}  {similarity:>5}  {escape_path(document.path)}"


def _member_fields(member: Member, written: list[Provenance]) -> dict[str, Any]:
    """Return a document with its provenance, unless that is among those `written`."""
    document = member.document
    fields: dict[str, Any] = {
        "path": document.path,
        "kind": member.kind,
        "fingerprint": str(document.fingerprint),
        "distance": member.distance,
        "sd256_distance": member.wide_distance,
        "similarity": member.similarity,
    }
    if member.copy_of is not None:
        fields["copy_of"] = member.copy_of
    if member.protected:
        fields["protected"] = True
    if document.provenance and document.provenance not in written:
        written.append(document.provenance)
        fields["provenance"] = document.provenance.to_dict()
    return fields
