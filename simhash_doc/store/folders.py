"""Keeping a collection up to date with files: new, changed and deleted ones."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xxhash

from simhash_doc import __version__
from simhash_doc.errors import SchemeMismatchError
from simhash_doc.ingest.provenance import ProvenanceCheck
from simhash_doc.ingest.results import FingerprintResult
from simhash_doc.store.documents import Document, check_document
from simhash_doc.store.errors import BadDocumentError

if TYPE_CHECKING:
    from simhash_doc.store.store import FingerprintStore

KEY = "file"  # of the metadata that identify the version of the file of a document
_BATCH = 1000  # documents
# A file that was changed just before it was stored may have been changed again without a newer time.
_SAFE_AGE_NS = 2_000_000_000


FingerprintFiles = Callable[[list[str], str], Iterable[tuple[str, FingerprintResult]]]
OnWarning = Callable[[str, str], object]


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


def update_from_files(
    store: FingerprintStore,
    collection: str,
    files: Sequence[str],
    folders: Sequence[str],
    fingerprint_files: FingerprintFiles,
    on_warning: OnWarning,
    scheme: str | None = None,
) -> Changes:
    """Add the documents of new files, replace those of changed ones, remove those of deleted ones.

    A document's id is the absolute path of its file; that of a document of an archive has a `#` and its name after it.
    If that id is in use, as for a later capture of the same page, `#` and a number follow. A file counts as changed
    if its size or time differs, and so does its content. Only files below `folders` are removed.

    Args:
        files: paths of all files, those below `folders` included; a file that is given twice counts once.
        folders: directories whose deleted files are removed.
        fingerprint_files: returns the results for some files and a scheme, each with the path of its file, in the
            order of the files.
        on_warning: called with a path and a message.
        scheme: short id of the scheme; None for that of the collection, or sd64 if it does not exist.

    Raises:
        CollectionError: the collection has another scheme.
        StoreError: the database fails.
    """
    known = _known(store, collection)
    names = {os.path.abspath(path): path for path in reversed(files)}
    update = _Update(store, collection, known, names, on_warning, scheme)
    for path in (waiting := [path for name, path in reversed(names.items()) if not update.is_unchanged(name)]):
        update.expect(path)
    for path, result in fingerprint_files(waiting, update.scheme) if waiting or not files else ():
        update.take(path, result)
    update.finish()
    _remove_deleted(update, folders, set(names), on_warning)
    return update.changes


@dataclass(slots=True)
class _Kept:
    """The stored documents of a file: its version, their ids, and when they were stored.

    `version` is None if the documents are of different versions, as an interruption may leave them.
    """

    version: dict[str, Any] | None
    stored_ns: int
    ids: list[str] = field(default_factory=list)


class _Update:
    def __init__(
        self,
        store: FingerprintStore,
        collection: str,
        known: dict[str, _Kept],
        names: Iterable[str],
        on_warning: OnWarning,
        scheme: str | None,
    ) -> None:
        self.changes = Changes()
        self._store, self._collection, self._known, self._on_warning = store, collection, known, on_warning
        found = next((one for one in store.collections() if one.name == collection), None)
        self.scheme = scheme or (found.scheme_id if found else "sd64")
        if found is None or scheme:
            store.create_collection(collection, self.scheme)
        # The file that each id is in use for; that of a file itself comes before those of archives.
        self._owners = {key: name for name, kept in known.items() for key in kept.ids} | {name: name for name in names}
        self._waiting: list[tuple[str, str, dict[str, Any] | None]] = []
        self._at = 0
        self._documents: list[Document] = []
        self._recorded = store.provenances(collection)
        self._provenances = ProvenanceCheck(self._recorded)
        self._repeats: Counter[str] = Counter()
        self._ids: set[str] = set()

    def is_unchanged(self, name: str) -> bool:
        """Return True if the store has the documents of the current version of a file."""
        kept = self._known.get(name)
        if kept is None or kept.version is None or kept.version.get("version") != __version__:
            return False
        if any(self._owners[key] != name for key in kept.ids):
            return False
        try:
            size, modified = _size_and_time(name)
            if size != kept.version.get("size"):
                return False
            if modified != kept.version.get("modified_ns") or modified > kept.stored_ns - _SAFE_AGE_NS:
                version = _version_of(name)
                if version["xxh128"] != kept.version.get("xxh128"):
                    return False
                self._touch(kept, version)
        except OSError:
            return False
        self.changes.unchanged += len(kept.ids)
        return True

    def expect(self, path: str) -> None:
        """Note a file that will be read, and its version before that."""
        try:
            version: dict[str, Any] | None = _version_of(path)
        except OSError:
            version = None  # reported when it is read
        self._waiting.append((path, os.path.abspath(path), version))

    def take(self, file: str, result: FingerprintResult) -> None:
        """Store the result of a document of a file; results come in the order of their files."""
        while file != self._waiting[self._at][0]:
            self._close_file()
        path, name, version = self._waiting[self._at]
        if result.fingerprint is None or version is None:
            self.changes.failed = True
            return
        key = self._unused_id(name, name + result.path[len(path) :])
        document = Document(key, result.fingerprint, key, self._collection, {KEY: version})
        try:
            check_document(document)
            warning = self._provenances.add(result.provenance)
        except (BadDocumentError, SchemeMismatchError) as error:
            self._on_warning(result.path, f"cannot be stored: {error}")
            self.changes.failed = True
            return
        if warning:
            self._on_warning(result.path, f"warning: {warning}")
        self._documents.append(document)
        if len(self._documents) >= _BATCH:
            self._flush()

    def finish(self) -> None:
        """Store the remaining documents."""
        while self._at < len(self._waiting):
            self._close_file()
        self._flush()

    def remove(self, ids: list[str]) -> None:
        self.changes.removed += self._store.remove(ids, self._collection)

    def known_below(self, folder: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the files of the store below a folder, and the ids of their documents."""
        prefix = os.path.join(folder, "")
        return ((name, kept.ids) for name, kept in self._known.items() if name.startswith(prefix))

    def _unused_id(self, name: str, key: str) -> str:
        """Return the id for a document of a file, with a number if another document has it."""
        candidate = key
        while candidate in self._ids or self._owners.get(candidate, name) != name:
            self._repeats[key] += 1
            candidate = f"{key}#{self._repeats[key] + 1}"
        self._ids.add(candidate)
        self._owners[candidate] = name
        return candidate

    def _close_file(self) -> None:
        """Remove the previous documents of a changed file that it no longer contains."""
        _, name, version = self._waiting[self._at]
        self._at += 1
        kept = self._known.get(name)
        if kept is not None and version is not None:
            self._flush()
            if stale := [key for key in kept.ids if key not in self._ids and self._owners[key] == name]:
                self.remove(stale)
        self._repeats.clear()
        self._ids.clear()

    def _flush(self) -> None:
        if new := self._provenances.known[len(self._recorded) :]:
            self._store.add_provenances(new, self._collection)
            self._recorded += tuple(new)
        written = self._store.upsert_many(self._documents)
        self.changes.added += written.added
        self.changes.replaced += written.replaced
        self._documents.clear()

    def _touch(self, kept: _Kept, version: dict[str, Any]) -> None:
        """Store the new time of a file with the same content."""
        found = [self._store.get(key, self._collection) for key in kept.ids]
        self._store.upsert_many(
            Document(one.id, one.fingerprint, one.uri, one.collection, {**one.metadata, KEY: version})
            for one in found
            if one is not None
        )


def _known(store: FingerprintStore, collection: str) -> dict[str, _Kept]:
    """Return the files whose documents a collection has, by absolute path."""
    known: dict[str, _Kept] = {}
    if collection not in {one.name for one in store.collections()}:
        return known
    for document in store.documents(collection):
        version = document.metadata.get(KEY)
        if not isinstance(version, dict) or not isinstance(name := version.get("path"), str) or document.time is None:
            continue
        stored = int(document.time.timestamp() * 1_000_000) * 1000
        kept = known.setdefault(name, _Kept(version, stored))
        if kept.version != version:
            kept.version = None
        kept.stored_ns = min(kept.stored_ns, stored)
        kept.ids.append(document.id)
    return known


def _remove_deleted(update: _Update, folders: Sequence[str], files: set[str], on_warning: OnWarning) -> None:
    for folder in map(os.path.abspath, folders):
        missing = {name: ids for name, ids in update.known_below(folder) if name not in files}
        if missing and not any(name.startswith(os.path.join(folder, "")) for name in files):
            # Rather a disk that is not mounted than a folder that was emptied.
            on_warning(folder, "has no files: its documents are kept")
            update.changes.failed = True
            continue
        for name, ids in missing.items():
            if _is_deleted(name):
                update.remove(ids)


def _is_deleted(path: str) -> bool:
    """Return True if there is no such file; a file in an unreadable folder is not deleted."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
    return False


def _size_and_time(path: str) -> tuple[int, int]:
    """Return the size of a file in bytes, and the time of its last change in nanoseconds."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def _version_of(path: str) -> dict[str, Any]:
    """Return what identifies the version of a file, which changes whenever its content changes.

    Size and time are from before it is read.

    Raises:
        OSError: it cannot be read.
    """
    size, modified = _size_and_time(path)
    with Path(path).open("rb") as file:
        digest = hashlib.file_digest(file, xxhash.xxh3_128)
    return {
        "path": os.path.abspath(path),
        "size": size,
        "modified_ns": modified,
        "xxh128": digest.hexdigest(),
        "version": __version__,
    }
