"""What `dedupe` and `store dedupe` write: clusters as text, JSON or a page, and the files that can be deleted."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from simhash_doc.cli.cluster_options import Outputs
from simhash_doc.cli.cluster_page import (
    NOT_SEARCHED,
    counted_kinds,
    counted_unique,
    document_duplicates_report,
)
from simhash_doc.command_line.options import is_null
from simhash_doc.console.messages import Messages, agreeing, counted, escape_path, is_quiet, print_error, print_notice
from simhash_doc.console.output import printing, writing
from simhash_doc.console.sizes import percent
from simhash_doc.duplicates.copies import Copies
from simhash_doc.duplicates.differences import Differing, differing
from simhash_doc.duplicates.document_clusters import Cluster, Kind, Member, removable
from simhash_doc.duplicates.document_texts import DocumentTexts
from simhash_doc.duplicates.documents import DocumentDuplicates
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


def write_clusters(found: DocumentDuplicates, places: tuple[str, ...], outputs: Outputs, command: str) -> None:
    """Write the clusters of documents in the files and directories that were given to a command."""
    _report_decisions(found, outputs)
    # The files come first: a closed pipe, as of `| head`, ends the command.
    if outputs.html:
        with printing(outputs.html) as show:
            for line in html_page(document_duplicates_report(found, places, command)):
                show(line)
    if outputs.remove_list:
        _write_remove_list(found.clusters, outputs.remove_list)
    with printing(outputs.report) as show:
        for line in _text_report(found) if outputs.form == "text" else _json_report(found):
            show(line)


def _report_decisions(found: DocumentDuplicates, outputs: Outputs) -> None:
    """Print what a user may not expect to be kept or left out, and the option that would change it."""
    members = [member for cluster in found.clusters for member in cluster]
    if by_numbers := sum(member.kept_by_numbers for member in members):
        print_notice(
            f"simhash-doc: {counted(by_numbers, 'document')} kept because of {agreeing(by_numbers, 'its', 'their')} "
            f"numbers; --numbers ignore makes {agreeing(by_numbers, 'it a near-duplicate', 'them near-duplicates')}"
        )
    if unconfirmed := sum(member.unconfirmed for member in members):
        print_notice(
            f"simhash-doc: {counted(unconfirmed, 'candidate')} unconfirmed: the text of the document or of the "
            "representative cannot be read, or has changed"
        )
    if not found.near:
        print_notice(f"simhash-doc: {NOT_SEARCHED}")
    if others := sum(member.numbers == "other" for member in members):
        # A list of names alone does not show it.
        tell = print_error if outputs.remove_list and not outputs.html else print_notice
        tell(
            f"simhash-doc: {counted(others, 'near-duplicate')} with numbers that the representative lacks; --numbers "
            f"keep makes {agreeing(others, 'it a candidate', 'them candidates')}"
        )
    edited = sum(member.kind == "near-duplicate" and (member.similarity or 0) < 1 for member in members)
    if edited and outputs.remove_list:
        print_notice(
            f"simhash-doc: {counted(edited, 'near-duplicate')} with other words than the representative; "
            f"--min-similarity 100 makes {agreeing(edited, 'it a candidate', 'them candidates')}"
        )


def _text_report(found: DocumentDuplicates) -> Iterator[str]:
    clusters, total = found.clusters, found.total
    for number, cluster in enumerate(clusters, 1):
        kinds = ", ".join(counted_kinds([cluster]))
        yield CLUSTER_LINE.format(number=number, documents=f"{len(cluster)} documents", kinds=kinds)
        for member in cluster:
            yield f"  {_text_row(member)}"
            differs = _differing(cluster[0], member, found.texts) if member.kind == "near-duplicate" else None
            if differs and (line := differs.line()):
                yield f"  {'':<14}  {line}"
        yield ""
    members, shown = f"{sum(map(len, clusters)):,}", counted(len(clusters), "cluster")
    yield TOTAL_LINE.format(documents=counted(total, "document"), members=members, clusters=shown)
    yield f"{', '.join(counted_kinds(clusters))}: {counted_unique(clusters, total)}"


def _json_report(found: DocumentDuplicates) -> Iterator[str]:
    written: list[Provenance] = []
    for number, cluster in enumerate(found.clusters, 1):
        fields = {
            "cluster": number,
            "size": len(cluster),
            "representative": cluster[0].document.path,
            "documents": [
                _member_fields(member, written) | _differences(cluster[0], member, found.texts) for member in cluster
            ],
        }
        yield json.dumps(fields)


def _write_remove_list(clusters: list[Cluster], path: str) -> None:
    """Write the paths of the files that can be deleted, one per line or with --null each followed by NUL.

    A name with a line end has no line of its own, and is left out without --null.
    """
    paths = [path for cluster in clusters for path in removable(cluster)]
    listed = [path for path in paths if is_null() or "\n" not in path]
    with writing(path) as file:
        file.writelines(os.fsencode(one) + (b"\0" if is_null() else b"\n") for one in listed)
    if unlisted := len(paths) - len(listed):
        print_error(f"simhash-doc: {path} leaves out {counted(unlisted, 'name')} with line ends: --null writes all")
    removed = [one for cluster in clusters for one in cluster if one.kind in ("exact", "near-duplicate")]
    if protected := sum(one.protected for one in removed):
        print_error(f"simhash-doc: {path} leaves out {counted(protected, 'duplicate')} in protected places")
    if inside := len(removed) - protected - len(paths):
        print_error(f"simhash-doc: {path} leaves out {counted(inside, 'duplicate')} inside other files")


def _text_row(member: Member) -> str:
    document, kind = member.document, _SHOWN_KINDS.get(member.kind, member.kind)
    similarity = percent(member.similarity)
    return f"{kind:<14}  {document.fingerprint}  {member.distance:2}  {similarity:>5}  {escape_path(document.path)}"


def _differences(first: Member, member: Member, texts: DocumentTexts) -> dict[str, Any]:
    found = _differing(first, member, texts)
    return {"differs": found.as_dict()} if found else {}


def _differing(first: Member, member: Member, texts: DocumentTexts) -> Differing | None:
    """Return the words and numbers in which a near-duplicate, or one but for its numbers, differs."""
    if member is first or (member.kind != "near-duplicate" and not member.kept_by_numbers):
        return None
    kept, own = texts.text(first.document), texts.text(member.document)
    return None if kept is None or own is None else differing(kept, own)


def _member_fields(member: Member, written: list[Provenance]) -> dict[str, Any]:
    """Return a document with its provenance, unless that is among those `written`."""
    document = member.document
    fields: dict[str, Any] = {
        "path": document.path,
        "kind": member.kind,
        "fingerprint": str(document.fingerprint),
        "distance": member.distance,
        "similarity": member.similarity,
    }
    if member.numbers is not None:
        fields["numbers"] = member.numbers
    for name in ("kept_by_numbers", "unconfirmed"):
        if getattr(member, name):
            fields[name] = True
    if member.copy_of is not None:
        fields["copy_of"] = member.copy_of
    if member.protected:
        fields["protected"] = True
    if document.provenance and document.provenance not in written:
        written.append(document.provenance)
        fields["provenance"] = document.provenance.to_dict()
    return fields
