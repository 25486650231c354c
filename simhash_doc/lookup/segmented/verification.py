"""The thorough check of an index in a directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from simhash_doc.lookup.arrays import among, among_any, differs_from_previous
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.index_file import check_tables, load_corpus
from simhash_doc.lookup.segmented.manifest import Manifest, Part, read_manifest
from simhash_doc.lookup.segmented.parts import open_removals, open_segment
from simhash_doc.lookup.segmented.snapshot import IndexSnapshot


def find_problems(directory: Path) -> list[str]:
    """Return what is wrong with an index, each with the name of the file; empty if it is valid.

    Compares all checksums, checks each segment as `check_tables` does, and that the parts fit each other.

    Raises:
        OSError: the manifest cannot be read.
        CorruptIndexError: the manifest is corrupt.
    """
    while True:
        manifest = read_manifest(directory)
        problems = [problem for part in manifest.parts for problem in _problems_of(directory, part, manifest)]
        # Another process may have deleted merged parts meanwhile.
        if not problems or read_manifest(directory) == manifest:
            break
    if problems:
        return problems
    return [f"{directory}: {problem}" for problem in _misfits(IndexSnapshot.open(directory, verify=False))]


def _problems_of(directory: Path, part: Part, manifest: Manifest) -> Iterator[str]:
    path = directory / part.name
    try:
        if part.is_segment:
            open_segment(directory, part, manifest.blocking, (), verify=True)
            check_tables(path, load_corpus(path, verify=False))
        else:
            removed = open_removals(directory, part, manifest.blocking, verify=True)
            if not differs_from_previous(removed).all():
                yield f"{path}: a removed fingerprint occurs twice"
    except CorruptIndexError as error:
        yield str(error)
    except OSError as error:
        yield f"{path}: cannot be read: {error.strerror or error}"


def _misfits(snapshot: IndexSnapshot) -> Iterator[str]:
    manifest, values = snapshot.manifest, snapshot.values()
    if not differs_from_previous(values).all():
        yield "a fingerprint is in two segments"
    if len(values) != manifest.fingerprints:
        yield f"holds {len(values):,} fingerprints; its manifest says {manifest.fingerprints:,}"
    ids = 0
    for one in snapshot.segments:
        if one.ids:
            named = one.ids.values[~among_any(one.ids.values, one.removed)]
            ids += len(named)
            if not among(named, values).all():
                yield "an id is of a fingerprint that is not stored"
    if ids != manifest.ids:
        yield f"holds {ids:,} ids; its manifest says {manifest.ids:,}"
