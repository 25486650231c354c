"""The documents that are compared: those of files that were read, or of a store."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from simhash_doc.duplicates.copies import Copies, find_copies
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import FingerprintResult
from simhash_doc.ingest.captures import capture_of, seconds_of
from simhash_doc.ingest.walk import Source
from simhash_doc.provenance import Provenance

_MOST_HASHES = 8  # in a path, before one of which the name of a web archive may end


@dataclass(frozen=True, slots=True)
class ComparedDocument:
    """A document that takes part in the search for duplicates.

    Attributes:
        path: its path; ``FILE#DATE/URI`` for a document of a WARC file.
        file: the file that it is in; None if it is not known.
        content: a key that exact copies share: the path of the first of them.
        fingerprint: its fingerprint.
        tokens: number of tokens; 0 if it is not known.
        modified: time of the last change of the file, or of the capture in a web archive, in nanoseconds; None if it is
            not known.
        provenance: where the fingerprint comes from; None if it is not known.
    """

    path: str
    file: str | None
    content: str
    fingerprint: Fingerprint
    tokens: int = 0
    modified: int | None = None
    provenance: Provenance | None = None

    @property
    def is_file(self) -> bool:
        """Return True if the document is a complete file, which can be deleted."""
        return self.file == self.path


def documents_of_results(results: Iterable[FingerprintResult], copies: Copies) -> list[ComparedDocument]:
    """Return the documents that have a fingerprint, exact copies included, each after the document that it copies.

    Args:
        results: of `copies.sources`.
        copies: which files are copies of others.
    """
    copies_of = defaultdict(list)
    for path, first in copies.exact.items():
        copies_of[first].append(path)
    files = {source.path for source in copies.sources}
    entries = []
    for result in results:
        if result.fingerprint is None:
            continue
        file = _source_file(result.path, files)
        entry = ComparedDocument(
            result.path,
            file,
            result.path,
            result.fingerprint,
            result.tokens,
            _modified(result.path, file),
            result.provenance,
        )
        entries.append(entry)
        for copy in copies_of[file] if file else ():
            path = copy + result.path[len(file or "") :]
            entries.append(replace(entry, path=path, file=copy, modified=_modified(path, copy)))
    return entries


def documents_of_store(
    parts: list[list[tuple[str, Fingerprint]]], given: Iterable[str] = ()
) -> tuple[list[list[ComparedDocument]], Copies]:
    """Return parts of a collection with what is known of the files, and which of the files are copies of others.

    The files are compared as they are now: a file that is a link to another is left out, and one with equal content
    is an exact copy.

    Args:
        parts: path and fingerprint of each document; see `find_parts`.
        given: absolute paths of files; documents in them come first, in this order, and all others as they are.
    """
    positions: dict[str, int] = {}
    for path in given:
        positions.setdefault(path, len(positions))

    def position(document: tuple[str, Fingerprint]) -> int:
        return positions.get(_source_file(document[0], positions) or "", len(positions))

    parts = [sorted(part, key=position) for part in parts]
    paths = [path for part in parts for path, _ in part]
    archives = {path[: one.start()] for path in paths for one in islice(re.finditer("#", path), _MOST_HASHES)}
    existing = {path for path in (*paths, *archives) if os.path.isfile(path)}
    copies = find_copies(Source(path) for path in paths if path in existing)
    found = []
    for part in parts:
        entries = [
            ComparedDocument(
                path,
                _source_file(path, existing),
                copies.exact.get(path, path),
                fingerprint,
                modified=_modified(path, path if path in existing else None),
            )
            for path, fingerprint in part
            if path not in copies.same
        ]
        if len(entries) > 1:
            found.append(entries)
    return found, copies


def _source_file(path: str, files: Collection[str]) -> str | None:
    """Return the file that a document is in: the path itself, or the part before a #; None if neither is a file."""
    end = len(path)
    while end >= 0:
        if path[:end] in files:
            return path[:end]
        end = path.rfind("#", 0, end)
    return None


def _modified(path: str, file: str | None) -> int | None:
    """Return the time of a document, in nanoseconds: of a file, its last change; inside of an archive, its capture."""
    if path == file:
        with suppress(OSError):
            return os.stat(path).st_mtime_ns
    elif capture := capture_of(path):
        seconds = seconds_of(capture[0])
        return None if seconds is None else seconds * 10**9
    return None
