"""An index in a directory: files that never change, and a manifest that names those that count.

A change writes a segment, with what is added and removed, in time in proportion to the change. It happens at the moment
in which the manifest is replaced. The manifest names each file with the digest of its content, so that another file in
its place is rejected.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from simhash_doc.arrays import Lanes, sort_keys, sorted_rows
from simhash_doc.files import exclusive, intended_name
from simhash_doc.lookup import array_file, segments
from simhash_doc.lookup.array_file import PathName
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.ids import SortedIds
from simhash_doc.lookup.segments import (
    MALFORMED,
    MERGED_ARRAYS,
    Segment,
    SegmentWriter,
    Snapshot,
    check_segment,
    contradictions,
    load_segment,
    write_segment,
)
from simhash_doc.provenance import Provenance
from simhash_doc.schemes import scheme_of_bits

MANIFEST = "manifest.sdix"
_KIND = "segmented-index"
_SEGMENT_NAME = re.compile(r"segment-([0-9]{8,})\.sdix")
_LOCK = f".{MANIFEST}.lock"
# In a directory without a manifest: nothing in it is in use, because a build has not finished.
_BUILDING = f".{MANIFEST}.building"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an index in a directory consists of.

    Attributes:
        content: without its segments.
        segments: name and digest of each file, the oldest first.
        identity: random, of the index from its build on.
    """

    content: Snapshot
    segments: tuple[tuple[str, str], ...] = ()
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)


class IndexDirectory(SegmentWriter):
    """The files of an index; makes the segments of a snapshot as files.

    Attributes:
        path: the directory.
        manifest: as it was when it was last read or written.

    Args:
        mapped: map the files; False reads them into memory.
    """

    in_memory = False

    def __init__(self, path: Path, manifest: Manifest, *, mapped: bool = True) -> None:
        super().__init__(manifest.content.blocking)
        self.path, self.manifest, self.mapped = path, manifest, mapped

    @classmethod
    def open(cls, path: Path, *, verify: bool, mapped: bool) -> tuple[IndexDirectory, Snapshot]:
        """Return the directory of an index and its content; arguments and errors are those of `Corpus.open`."""
        manifest = read_manifest(path)
        while True:
            directory = cls(path, manifest, mapped=mapped)
            try:
                opened = tuple(directory._open_segment(*segment, verify=verify) for segment in manifest.segments)
                break
            except (FileNotFoundError, CorruptIndexError) as error:
                # Another process may have merged the segments, or replaced the index, since the manifest was read.
                newer = read_manifest(path)
                if newer == manifest:
                    if isinstance(error, CorruptIndexError):
                        raise
                    raise CorruptIndexError(f"{error.filename}: is missing; the manifest names it") from error
                manifest = newer
        return directory, replace(manifest.content, segments=opened)

    @classmethod
    @contextmanager
    def create(cls, path: Path, blocking: Blocking, *, force: bool) -> Iterator[IndexDirectory]:
        """Yield the directory of a new index, which no other process changes before the block ends.

        The directory is created unless it exists, and deleted if the block fails before there is an index.

        Args:
            force: replace what is in the directory.

        Raises:
            FileExistsError: the directory has files, other than those of an interrupted build; or, with `force`, other
                than those of an index.
            BlockingIOError: another process is writing the index.
            OSError: it cannot be created or written to.
        """
        is_new = not os.path.lexists(path)
        if is_new:
            path.mkdir()
        else:
            _check_replaceable(path, force=force)
        try:
            with exclusive(path / MANIFEST):
                if not is_new:
                    _check_replaceable(path, force=force)
                if not (path / MANIFEST).exists():
                    (path / _BUILDING).touch()
                try:
                    with _cleaned(path):
                        yield cls(path, Manifest(Snapshot(blocking)))
                finally:
                    (path / _BUILDING).unlink(missing_ok=True)
        except BaseException:
            if is_new and not (path / MANIFEST).exists():
                with suppress(OSError):
                    _remove(path, {MANIFEST})
                    path.rmdir()
            raise

    @contextmanager
    def locked(self) -> Iterator[Manifest]:
        """Let no other process change the index before the block ends; yield its manifest.

        Deletes what is not in use before and after the block. Errors are those of `Corpus.add_many`.
        """
        read_manifest(self.path)  # before a lock is written into what may not be an index
        with exclusive(self.path / MANIFEST), _cleaned(self.path):
            yield read_manifest(self.path)

    def commit(self, snapshot: Snapshot) -> None:
        """Make the index what a snapshot is, whose segments are written."""
        names = tuple((segment.name, segment.digest) for segment in snapshot.segments)
        manifest = Manifest(replace(snapshot, segments=()), names, self.manifest.identity)
        _sync(self.path)
        _write_manifest(self.path, manifest)
        _sync(self.path)
        self.manifest = manifest

    def files(self) -> list[str]:
        """Return the names of the files of the index."""
        return [MANIFEST, *(name for name, _ in self.manifest.segments)]

    def segments(
        self, values: Lanes, ids: SortedIds | None, removed: Lanes | None = None, *, limited: bool = True
    ) -> list[Segment]:
        values = sorted_rows(values)
        count = max(1, -(-len(values) // segments.MOST_MERGED)) if limited else 1
        edges = np.linspace(0, len(values), count + 1).astype(np.int64).tolist()
        id_edges = [0] * (count + 1)
        if ids:
            id_edges[1:] = [*np.searchsorted(sort_keys(ids.values), sort_keys(values[edges[1:-1]])).tolist(), len(ids)]
        cut: list[Segment] = []
        for at in range(count):
            own = ids.between(id_edges[at], id_edges[at + 1]) if ids else None
            cut += super().segments(values[edges[at] : edges[at + 1]], own or None, None if at else removed)
        return [self.write(segment) for segment in cut]

    def write(self, segment: Segment) -> Segment:
        """Write a segment to a new file, and return it from there."""
        # A number may be that of a deleted segment, whose manifest a reader still has: it notices by the digest.
        name = f"segment-{1 + max(map(_number_of, os.listdir(self.path)), default=0):08}.sdix"
        write_segment(self.path / name, segment, like=self.path / MANIFEST)
        return self._open_segment(name)

    def check(self, segment: Segment) -> None:
        load_segment(self.path / segment.name, verify=MERGED_ARRAYS)

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the files of the segments, or, if nothing is, with the manifest."""
        opened: list[Segment] = []
        for name, digest in self.manifest.segments:
            path = self.path / name
            try:
                opened.append(self._open_segment(name, digest, verify=True))
                check_segment(path, opened[-1], self.blocking)
            except CorruptIndexError as error:
                yield str(error)
                opened = []
            except OSError as error:
                yield f"{path}: cannot be read: {error.strerror or error}"
        if len(opened) == len(self.manifest.segments):
            path = self.path / MANIFEST
            yield from (
                f"{path}: {found}" for found in contradictions(replace(self.manifest.content, segments=tuple(opened)))
            )

    def _open_segment(self, name: str, digest: str | None = None, *, verify: bool = False) -> Segment:
        """Open the file of a segment, which must be the one with the digest that the manifest names."""
        segment = load_segment(self.path / name, verify=verify, mapped=self.mapped)
        if digest not in (None, segment.digest):
            raise CorruptIndexError(
                f"{self.path / name}: is not the file that the manifest names: its content has another digest"
            )
        segment.name = name
        return segment


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of an index; errors are those of `read_arrays`."""
    path = directory / MANIFEST
    try:
        found = array_file.read_arrays(path, _KIND).parameters
    except FileNotFoundError as error:
        if directory.is_dir():
            raise CorruptIndexError(f"{directory}: is a directory without an index: it has no {MANIFEST}") from error
        raise
    try:
        content = Snapshot(
            Blocking(scheme_of_bits(found["bits"]).bits, found["blocks"], found["distance"]),
            fingerprints=_natural(found["fingerprints"]),
            ids=_natural(found["ids"]),
            provenances=tuple(Provenance.from_dict(value) for value in found.get("provenance", ())),
            canonical=_mark(found.get("canonical")),
        )
        return Manifest(content, tuple(_named(*segment) for segment in found["parts"]), str(found["identity"]))
    except MALFORMED as error:
        raise CorruptIndexError(f"{path}: its header does not describe the segments of an index ({error})") from error


def find_problems(path: PathName) -> list[str]:
    """Return what is wrong with an index, each with the name of the file; empty if it is valid.

    Compares all checksums, checks each segment as `check_segment` does, and compares them with the manifest.

    Raises:
        OSError: the manifest cannot be read.
        CorruptIndexError: the manifest is corrupt.
    """
    while True:
        manifest = read_manifest(Path(path))
        problems = list(IndexDirectory(Path(path), manifest).problems())
        # Another process may have deleted merged segments meanwhile.
        if not problems or read_manifest(Path(path)) == manifest:
            return problems


def _write_manifest(directory: Path, manifest: Manifest) -> None:
    content = manifest.content
    parameters: dict[str, Any] = {
        "bits": content.blocking.bits,
        "blocks": content.blocking.blocks,
        "distance": content.blocking.distance,
        "fingerprints": content.fingerprints,
        "ids": content.ids,
        "identity": manifest.identity,
        "parts": manifest.segments,
    }
    if content.provenances:
        parameters["provenance"] = [provenance.to_dict() for provenance in content.provenances]
    if content.canonical is not None:
        parameters["canonical"] = content.canonical
    array_file.write_arrays(directory / MANIFEST, _KIND, parameters, {})


def _check_replaceable(directory: Path, *, force: bool) -> None:
    """Check that a directory is empty, or left by an interrupted build, or with `force` has only files of an index."""
    names = sorted(os.listdir(directory))
    for name in names:
        if not _is_own(name):
            raise FileExistsError(errno.EEXIST, f"is a directory with another file, {name!r}", str(directory))
    if force or MANIFEST in names:
        if not force:
            raise FileExistsError(errno.EEXIST, "has an index", str(directory))
    elif _BUILDING not in names and (kept := [name for name in names if _number_of(name)]):
        raise FileExistsError(
            errno.EEXIST,
            f"has files of an index without its manifest, {kept[0]!r}; force replaces them",
            str(directory),
        )


@contextmanager
def _cleaned(directory: Path) -> Iterator[None]:
    """Delete the segments that were merged, and what a killed process has left, before and after the block."""
    _remove_unused(directory)
    try:
        yield
    finally:
        _remove_unused(directory)


def _remove_unused(directory: Path) -> None:
    """Delete what is not in use; nothing if the manifest cannot be read."""
    with suppress(OSError, CorruptIndexError):
        if (directory / MANIFEST).exists():
            _remove(directory, {MANIFEST, _LOCK, *(name for name, _ in read_manifest(directory).segments)})
        elif (directory / _BUILDING).exists():
            _remove(directory, {_LOCK, _BUILDING})


def _remove(directory: Path, kept: set[str]) -> None:
    for name in os.listdir(directory):
        if name not in kept and _is_own(name):
            with suppress(PermissionError):  # Windows: another process has it mapped; the next change deletes it
                (directory / name).unlink()


def _is_own(name: str) -> bool:
    """Return True for the name of a file that this package writes into the directory of an index."""
    name = intended_name(name)
    return name in (MANIFEST, _LOCK, _BUILDING) or _number_of(name) > 0


def _number_of(name: str) -> int:
    """Return the number of a segment; 0 if this is not the name of one."""
    match = _SEGMENT_NAME.fullmatch(name)
    return int(match[1]) if match else 0


def _sync(directory: Path) -> None:
    """Wait until the names of the files in a directory are on the disk."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _natural(value: object) -> int:
    if type(value) is not int or not 0 <= value <= sys.maxsize:
        raise ValueError(f"{value!r:.40} is not a natural number")
    return value


def _mark(value: object) -> bool | None:
    if not isinstance(value, bool | None):
        raise ValueError(f"{value!r:.40} is not a bool")
    return value


def _named(name: object, digest: object) -> tuple[str, str]:
    if not isinstance(name, str) or not _number_of(name) or not isinstance(digest, str):
        raise ValueError(f"{name!r:.40} is not the name of a segment")
    return name, digest
