"""The duplicates among documents of files: read, compared and decided in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from simhash_doc.arrays import lanes_from_ints
from simhash_doc.duplicates.compared import documents_of_results
from simhash_doc.duplicates.copies import Copies, find_copies
from simhash_doc.duplicates.document_clusters import Cluster, make_clusters
from simhash_doc.duplicates.document_texts import DocumentTexts
from simhash_doc.duplicates.parts import find_parts
from simhash_doc.duplicates.policy import Policy
from simhash_doc.ingest import FingerprintResult, ReadOptions, Results, fingerprint_documents
from simhash_doc.ingest.walk import Source
from simhash_doc.schemes import get_scheme

Watch = Callable[[Results[FingerprintResult], Copies], Iterable[FingerprintResult]]
"""Yields the results, and may report them as they come."""


@dataclass(slots=True)
class DocumentDuplicates:
    """What was found among documents.

    Attributes:
        policy: what is left out.
        near: whether candidates were searched by near fingerprints; see `make_clusters`.
        total: number of documents with a fingerprint.
        clusters: see `make_clusters`.
        failures: path and reason of each document that could not be read.
        texts: the beginnings of the texts that are near others, for a report.
        complete: whether there were documents, and all could be read.
    """

    policy: Policy
    near: bool = True
    total: int = 0
    clusters: list[Cluster] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    texts: DocumentTexts = field(default_factory=DocumentTexts)
    complete: bool = True


def find_duplicate_documents(
    sources: Sequence[Source],
    policy: Policy | None = None,
    options: ReadOptions | None = None,
    workers: int | None = None,
    *,
    watch: Watch = lambda results, copies: results,
    shown: int = 0,
) -> DocumentDuplicates:
    """Return the clusters of duplicates among the documents of files. Nothing is changed or deleted.

    Args:
        sources: the files, for example `walk(["articles/"]).sources` of `simhash_doc.ingest.walk`.
        policy: what is left out; None for the defaults.
        options: how documents are read; None for the defaults.
        workers: number of worker processes; None for one per core.
        watch: see `Watch`.
        shown: how many characters of each text the result keeps for a report.

    Raises:
        LookupParameterError: the distance is not supported.
    """
    policy, options = policy or Policy(), options or ReadOptions()
    found = DocumentDuplicates(policy)
    copies = find_copies(sources)
    scheme, kept = get_scheme(policy.scheme), replace(options, with_text=True, remainder=policy.is_whole)
    computed = fingerprint_documents(copies.sources, scheme, options=kept, workers=workers)
    results = list(found.texts.store(watch(computed, copies)))
    documents = documents_of_results(results, copies)
    values = lanes_from_ints([document.fingerprint.value for document in documents], scheme.lanes)
    parts = find_parts(values, policy.bits, sum(document.tokens for document in documents))
    members = [[documents[at] for at in part.tolist()] for part in parts.members]
    found.texts.load((document for part in members for document in part), policy, options, workers, shown)
    found.clusters = make_clusters(members, policy, found.texts, near=parts.near)
    found.near, found.total = parts.near, len(documents)
    found.failures = [(result.path, result.error) for result in results if result.error]
    found.complete = not computed.empty and all(result.fingerprint for result in results)
    return found
