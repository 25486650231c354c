"""The documents in which duplicates are searched: from the results of files, and from a store."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace

from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.copies import Copies, find_copies
from simhash_doc.ingest.results import FingerprintResult
from simhash_doc.lookup.duplicates import CONFIRMING_SCHEME, DocumentEntry
from simhash_doc.schemes import get_scheme


def document_entries(results: Iterable[FingerprintResult], copies: Copies, scheme: str) -> list[DocumentEntry]:
    """Return the documents that have a fingerprint, exact copies included, each after the document that it copies.

    Args:
        results: of `copies.files`, in the scheme or a wider one.
        copies: which files are copies of others.
        scheme: short id of the scheme by which documents are compared.
    """
    copies_of = defaultdict(list)
    for path, first in copies.exact.items():
        copies_of[first].append(path)
    files = set(copies.files)
    entries = []
    for result in results:
        if result.fingerprint is None:
            continue
        file = source_file(result.path, files)
        entry = DocumentEntry(
            result.path,
            file,
            result.fingerprint.narrow(scheme),
            _wide(result.fingerprint),
            result.path,
            result.tokens,
            _modified(file),
            replace(result.provenance, scheme=scheme),
        )
        entries.append(entry)
        for copy in copies_of[file] if file else ():
            path = copy + result.path[len(file or "") :]
            entries.append(replace(entry, path=path, file=copy, modified=_modified(copy)))
    return entries


def stored_entries(
    groups: list[list[tuple[str, Fingerprint]]],
) -> tuple[list[list[DocumentEntry]], Copies]:
    """Return groups of stored documents, and which of their files are copies of others.

    The files are compared as they are now: a file that is a link to another is left out, and one with equal content
    is an exact copy.

    Args:
        groups: path and fingerprint of each document.
    """
    files = [path for group in groups for path, _ in group if os.path.isfile(path)]
    copies = find_copies(files)
    existing = set(files)
    found = []
    for group in groups:
        entries = [
            DocumentEntry(
                path,
                path if path in existing else None,
                fingerprint,
                _wide(fingerprint),
                copies.exact.get(path, path),
                modified=_modified(path),
            )
            for path, fingerprint in group
            if path not in copies.same
        ]
        if len(entries) > 1:
            found.append(entries)
    return found, copies


def source_file(path: str, files: Collection[str]) -> str | None:
    """Return the file that a document is in: the path itself, or the part before a #; None if neither is a file."""
    end = len(path)
    while end >= 0:
        if path[:end] in files:
            return path[:end]
        end = path.rfind("#", 0, end)
    return None


def _wide(fingerprint: Fingerprint) -> Fingerprint | None:
    confirming = get_scheme(CONFIRMING_SCHEME)
    return fingerprint.narrow(confirming.id) if fingerprint.scheme.bits >= confirming.bits else None


def _modified(path: str | None) -> int | None:
    with suppress(OSError):
        return os.stat(path).st_mtime_ns if path else None
    return None
