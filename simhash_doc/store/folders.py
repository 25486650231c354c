"""Keeping a collection up to date with files: new, changed and deleted ones."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xxhash

from simhash_doc.entries.entry import escaped_name, unescaped_name
from simhash_doc.errors import SchemeMismatchError
from simhash_doc.ingest.results import FingerprintResult
from simhash_doc.ingest.walk import Source
from simhash_doc.provenance import ProvenanceCheck
from simhash_doc.store.committed import Committed
from simhash_doc.store.documents import Document, check_document
from simhash_doc.store.errors import BadDocumentError
from simhash_doc.versions import __version__

if TYPE_CHECKING:
    from simhash_doc.store.store import FingerprintStore

KEY = "file"  # of the metadata that identify the version of the file of a document
_BATCH = 1000  # documents
_SECONDS = 2.0  # after which documents are stored, although they are fewer
# A file that was changed just before it was stored may have been changed again without a newer time.
_SAFE_AGE_NS = 2_000_000_000


FingerprintSources = Callable[
    [list[Source], str, Callable[[Source], object]], Iterable[tuple[Source, FingerprintResult]]
]


@dataclass(slots=True)
class Changes:
    """Numbers of documents, and whether a file failed."""

    added: int = 0
    replaced: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: bool = False

    def __str__(self) -> str:
        return (
            f"{self.added:,} added, {self.replaced:,} replaced, {self.removed:,} removed, {self.unchanged:,} unchanged"
        )


@dataclass(slots=True)
class _Kept:
    """The stored documents of a file: its version, their ids, and when they were stored.

    `version` is None if the documents are of different versions, as an interruption may leave them.
    """

    version: dict[str, Any] | None
    stored_ns: int
    ids: list[str] = field(default_factory=list)


class FolderUpdate:
    """Adds documents of new files to a collection, replaces documents of changed files, removes those of deleted files.

    A document's id is the absolute path of its file. In an archive, a `#` and the name of the document follow.
    If that id is in use, as for a later capture of the same page, `#` and a number follow. A file counts as changed
    if its size or time differs, and so does its content. Documents are stored every few seconds, so that an interrupted
    update resumes.

    Args:
        store: the store; None if there is none.
        create_store: creates it, when the first document is stored.
        collection: name of the collection.
        scheme: short id of the scheme; None for the scheme of the collection, or sd64 if it does not exist.
        on_warning: called with a path and a message.

    Attributes:
        changes: counts what is stored, when it is.
        committed: counts what the database has stored, also after an interruption.

    Raises:
        CollectionError: the collection has another scheme.
        StoreError: the database fails.
    """

    def __init__(
        self,
        store: FingerprintStore | None,
        create_store: Callable[[], FingerprintStore],
        collection: str,
        scheme: str | None,
        on_warning: Callable[[str, str], object],
    ) -> None:
        self.changes = Changes()
        self.committed = Committed()
        self._create_store, self._collection, self._on_warning = create_store, collection, on_warning
        found = next((one for one in store.collections() if one.name == collection), None) if store else None
        self._scheme = scheme or (found.scheme.id if found else "sd64")
        if store and found and scheme:
            store.create_collection(collection, scheme=scheme)  # an error if it is of another one
        stored = store if found else None
        self._known = _known(stored, collection) if stored else {}
        # The file that each id is in use for.
        self._owners = {key: name for name, kept in self._known.items() for key in kept.ids}
        self._versions: dict[Source, dict[str, Any] | None] = {}  # of files that are read, from before they are read
        self._documents: list[Document] = []
        self._flushed = time.monotonic()
        self._provenances = ProvenanceCheck(stored.provenances(collection) if stored else ())

    @cached_property
    def _store(self) -> FingerprintStore:
        store = self._create_store()
        store.create_collection(self._collection, scheme=self._scheme)
        return store

    def run(self, sources: Sequence[Source], folders: Sequence[str], fingerprint_sources: FingerprintSources) -> None:
        """Update the collection.

        Args:
            sources: all files, those below `folders` included; a file that is given twice counts once.
            folders: directories whose deleted files are removed; no other files are.
            fingerprint_sources: returns the results for some sources and a scheme, each with its source, in the order
                of the sources, and calls its third argument with each source before it is read. It is called once, for
                the new and the changed files, when the unchanged ones are counted.
        """
        names = {os.path.abspath(source.path): source for source in reversed(sources)}
        self._owners |= {name: name for name in names}  # before documents of archives with such an id
        waiting = [source for name, source in reversed(names.items()) if not self._is_unchanged(name)]
        unread = dict.fromkeys(waiting)
        results = fingerprint_sources(waiting, self._scheme, self._note_version)
        for source, group in groupby(results, key=itemgetter(0)):
            del unread[source]
            self._replace(source, (result for _, result in group))
        for source in unread:
            self._replace(source, ())
        self._flush()
        for folder in map(os.path.abspath, folders):
            self._remove_deleted(folder, set(names))

    def _is_unchanged(self, name: str) -> bool:
        """Return True if the store has the documents of the current version of a file."""
        kept = self._known.get(name)
        if kept is None or kept.version is None or kept.version.get("version") != __version__:
            return False
        if any(self._owners[key] != name for key in kept.ids):
            return False
        try:
            status = os.stat(name)
        except OSError:
            return False
        if status.st_size != kept.version.get("size"):
            return False
        modified = status.st_mtime_ns
        if modified != kept.version.get("modified_ns") or modified > kept.stored_ns - _SAFE_AGE_NS:
            version = _version_of(name)
            if version is None or version["xxh128"] != kept.version.get("xxh128"):
                return False
            self._touch(kept, version)
        self.changes.unchanged += len(kept.ids)
        return True

    def _note_version(self, source: Source) -> None:
        self._versions[source] = _version_of(source.path)

    def _replace(self, source: Source, results: Iterable[FingerprintResult]) -> None:
        """Store the documents of a file, and remove earlier ones that it no longer contains."""
        name, version = os.path.abspath(source.path), self._versions.pop(source, None)
        ids: set[str] = set()
        repeats: Counter[str] = Counter()
        for result in results:
            if result.fingerprint is None or version is None:
                self.changes.failed = True
                continue
            key = wanted = name + result.path[len(source.path) :]
            while key in ids or self._owners.get(key, name) != name:
                repeats[wanted] += 1
                key = f"{wanted}#{repeats[wanted] + 1}"
            ids.add(key)
            self._owners[key] = name
            stored = escaped_name(key)
            document = Document(stored, result.fingerprint, stored, self._collection, {KEY: version})
            try:
                check_document(document)
                warning = self._provenances.add(result.provenance)
            except (BadDocumentError, SchemeMismatchError) as error:
                self._on_warning(result.path, f"cannot be stored: {error}")
                self.changes.failed = True
                continue
            if warning:
                self._on_warning(result.path, f"warning: {warning}")
            self._documents.append(document)
            if len(self._documents) >= _BATCH or time.monotonic() >= self._flushed + _SECONDS:
                self._flush()
        kept = self._known.get(name)
        if kept is not None and version is not None:
            self._flush()
            self._remove([key for key in kept.ids if key not in ids and self._owners[key] == name])

    def _flush(self) -> None:
        """Store the documents that wait, and their provenances before them."""
        if self._documents:
            self._store.add_provenances(self._provenances.known, collection=self._collection)
            written = self.committed.write(self._store, self._documents, update=True)
            self.changes.added += written.added
            self.changes.replaced += written.replaced
            self._documents.clear()
        self._flushed = time.monotonic()

    def _remove_deleted(self, folder: str, files: set[str]) -> None:
        prefix = os.path.join(folder, "")
        missing = [name for name in self._known if name.startswith(prefix) and name not in files]
        if missing and not any(name.startswith(prefix) for name in files):
            # Rather a disk that is not mounted than a folder that was emptied.
            self._on_warning(folder, "has no files: its documents are kept")
            self.changes.failed = True
            return
        for name in filter(_is_deleted, missing):
            self._remove(self._known[name].ids)

    def _remove(self, ids: list[str]) -> None:
        self.changes.removed += self._store.remove([*map(escaped_name, ids)], collection=self._collection) if ids else 0

    def _touch(self, kept: _Kept, version: dict[str, Any]) -> None:
        found = (self._store.get(escaped_name(key), collection=self._collection) for key in kept.ids)
        self._store.upsert_many(
            replace(one, metadata={**one.metadata, KEY: version}, time=None) for one in found if one
        )


def _known(store: FingerprintStore, collection: str) -> dict[str, _Kept]:
    """Return the files whose documents a collection has, by absolute path."""
    known: dict[str, _Kept] = {}
    for document in store.documents(collection):
        version = document.metadata.get(KEY)
        if not isinstance(version, dict) or not isinstance(name := version.get("path"), str) or document.time is None:
            continue
        stored = int(document.time.timestamp() * 1_000_000) * 1000
        kept = known.setdefault(unescaped_name(name), _Kept(version, stored))
        if kept.version != version:
            kept.version = None
        kept.stored_ns = min(kept.stored_ns, stored)
        kept.ids.append(unescaped_name(document.id))
    return known


def _is_deleted(path: str) -> bool:
    """Return True if there is no such file; a file in an unreadable folder is not deleted."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
    return False


def _version_of(path: str) -> dict[str, Any] | None:
    """Return what identifies the version of a file, which changes whenever its content changes; None if unreadable.

    Size and time are from before it is read.
    """
    try:
        status = os.stat(path)
        with Path(path).open("rb") as file:
            digest = hashlib.file_digest(file, xxhash.xxh3_128)
    except OSError:
        return None
    return {
        "path": escaped_name(os.path.abspath(path)),
        "size": status.st_size,
        "modified_ns": status.st_mtime_ns,
        "xxh128": digest.hexdigest(),
        "version": __version__,
    }
