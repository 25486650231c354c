"""Keeping a collection of a store up to date with files: what `dedupe --db` does before it reports."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import xxhash

from simhash_doc import __version__
from simhash_doc.cli.batch import fingerprint_documents
from simhash_doc.cli.documents import STANDARD_INPUT, walk
from simhash_doc.cli.outcomes import Outcome
from simhash_doc.cli.reading import Reading
from simhash_doc.store.documents import Document, check_document
from simhash_doc.store.errors import BadDocumentError

if TYPE_CHECKING:
    from simhash_doc.store import FingerprintStore

KEY = "file"  # of the metadata that tell which state of which file a document was made of
_BATCH = 1000  # documents
_BLOCK = 1 << 20
# A file that was changed just before it was stored may have been changed again without a newer time.
_SETTLED_NS = 2_000_000_000


@dataclass(slots=True)
class Kept:
    """What the store has of a file: its state, the ids of its documents, and when they were stored.

    `state` is None if the documents are of different states, as an interruption may leave them.
    """

    state: dict[str, Any] | None
    stored_ns: int
    ids: list[str] = field(default_factory=list)


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


def bring_up_to_date(
    store: FingerprintStore, collection: str, paths: tuple[str, ...], reading: Reading, jobs: int | None
) -> Changes:
    """Add the documents of new files, replace those of changed ones, remove those of files that are gone.

    A document's id is the absolute path of its file. A file is changed if its size or time is another,
    and its content too; files that are not below PATHS are left alone.

    Raises:
        click.UsageError: a path is standard input.
        StoreError: the database fails.
    """
    if STANDARD_INPUT in paths:
        raise click.UsageError("standard input has no path to be kept by: --db takes files and directories")
    known = _known(store, collection)
    update = _Update(store, collection, known)
    files = list(walk(paths))
    for path in (waiting := [path for path in files if not update.is_unchanged(path)]):
        update.expect(path)
    scheme = update.scheme
    for outcome in fingerprint_documents(waiting, scheme, reading=reading, jobs=jobs) if waiting or not files else ():
        update.take(outcome)
    update.finish()
    _remove_gone(update, paths, {os.path.abspath(path) for path in files})
    return update.changes


class _Update:
    def __init__(self, store: FingerprintStore, collection: str, known: dict[str, Kept]) -> None:
        self.changes = Changes()
        self._store, self._collection, self._known = store, collection, known
        found = next((one for one in store.collections() if one.name == collection), None)
        self.scheme = found.scheme_id if found else "sd64"
        if found is None:
            store.create_collection(collection, self.scheme)
        self._waiting: list[tuple[str, str, dict[str, Any] | None]] = []
        self._paths: set[str] = set()
        self._at = 0
        self._made: list[Document] = []
        self._names: Counter[str] = Counter()

    def is_unchanged(self, path: str) -> bool:
        """Say whether the store has the documents of a file as it is."""
        name = os.path.abspath(path)
        kept = self._known.get(name)
        if kept is None or kept.state is None or kept.state.get("version") != __version__:
            return False
        try:
            size, modified = _size_and_time(path)
            if size != kept.state.get("size"):
                return False
            if modified != kept.state.get("modified_ns") or modified > kept.stored_ns - _SETTLED_NS:
                state = _state(path)
                if state["xxh128"] != kept.state.get("xxh128"):
                    return False
                self._touch(kept, state)
        except OSError:
            return False
        self.changes.unchanged += len(kept.ids)
        return True

    def expect(self, path: str) -> None:
        """Note a file that is going to be read, and its state before that."""
        try:
            state: dict[str, Any] | None = _state(path)
        except OSError:
            state = None  # it will be named when it is read
        self._waiting.append((path, os.path.abspath(path), state))
        self._paths.add(path)

    def take(self, outcome: Outcome) -> None:
        """Store what was made of a document; documents come in the order of their files."""
        while not self._is_of(outcome.path, self._waiting[self._at][0]):
            self._close_file()
        path, name, state = self._waiting[self._at]
        if outcome.fingerprint is None or state is None:
            self.changes.failed = True
            return
        key = name + outcome.path[len(path) :]
        self._names[key] += 1
        if self._names[key] > 1:  # a capture of the same page, later in a WARC file
            key = f"{key}#{self._names[key]}"
        document = Document(key, outcome.fingerprint, key, self._collection, {KEY: state})
        try:
            check_document(document)
        except BadDocumentError as error:
            click.echo(f"simhash-doc: {outcome.path}: cannot be stored: {error}", err=True)
            self.changes.failed = True
            return
        self._made.append(document)
        if len(self._made) >= _BATCH:
            self._store_made()

    def finish(self) -> None:
        """Store what is left."""
        while self._at < len(self._waiting):
            self._close_file()
        self._store_made()

    def remove(self, ids: list[str]) -> None:
        self.changes.removed += self._store.remove(ids, self._collection)

    def known_below(self, folder: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the files of the store that are below a folder, and the ids of their documents."""
        prefix = os.path.join(folder, "")
        return ((name, kept.ids) for name, kept in self._known.items() if name.startswith(prefix))

    def _is_of(self, document: str, path: str) -> bool:
        """Say whether a document is a file, or of a WARC file, whose documents have its path before a `#`."""
        return document == path or (document.startswith(f"{path}#") and document not in self._paths)

    def _close_file(self) -> None:
        """Remove the documents that a file had before it was changed and has no more."""
        _, name, state = self._waiting[self._at]
        self._at += 1
        kept = self._known.get(name)
        if kept is not None and state is not None:
            self._store_made()
            if stale := [key for key in kept.ids if key not in self._names]:
                self.remove(stale)
        self._names.clear()

    def _store_made(self) -> None:
        written = self._store.upsert_many(self._made)
        self.changes.added += written.added
        self.changes.replaced += written.replaced
        self._made.clear()

    def _touch(self, kept: Kept, state: dict[str, Any]) -> None:
        """Note the new time of a file whose content is the same."""
        found = [self._store.get(key, self._collection) for key in kept.ids]
        self._store.upsert_many(
            Document(one.id, one.fingerprint, one.uri, one.collection, {**one.metadata, KEY: state})
            for one in found
            if one is not None
        )


def _known(store: FingerprintStore, collection: str) -> dict[str, Kept]:
    """Return the files whose documents a collection has, by absolute path."""
    known: dict[str, Kept] = {}
    if collection not in {one.name for one in store.collections()}:
        return known
    for document in store.documents(collection):
        state = document.metadata.get(KEY)
        if not isinstance(state, dict) or not isinstance(name := state.get("path"), str) or document.time is None:
            continue
        stored = int(document.time.timestamp() * 1_000_000) * 1000
        kept = known.setdefault(name, Kept(state, stored))
        if kept.state != state:
            kept.state = None
        kept.stored_ns = min(kept.stored_ns, stored)
        kept.ids.append(document.id)
    return known


def _remove_gone(update: _Update, paths: tuple[str, ...], files: set[str]) -> None:
    for folder in (os.path.abspath(path) for path in paths if os.path.isdir(path)):
        missing = {name: ids for name, ids in update.known_below(folder) if name not in files}
        if missing and not any(name.startswith(os.path.join(folder, "")) for name in files):
            # Rather a disk that is not mounted than a folder that was emptied.
            click.echo(f"simhash-doc: {folder}: has no files: its documents are kept", err=True)
            update.changes.failed = True
            continue
        for name, ids in missing.items():
            if _is_gone(name):
                update.remove(ids)


def _is_gone(path: str) -> bool:
    """Say whether there is no such file; one in a folder that cannot be looked into is not gone."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
    return False


def _size_and_time(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def _state(path: str) -> dict[str, Any]:
    """Return what tells one state of a file from another; size and time are from before it is read.

    Raises:
        OSError: it cannot be read.
    """
    size, modified = _size_and_time(path)
    digest = xxhash.xxh3_128()
    with Path(path).open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return {
        "path": os.path.abspath(path),
        "size": size,
        "modified_ns": modified,
        "xxh128": digest.hexdigest(),
        "version": __version__,
    }
