"""An index file as an index in a directory: its first segment is a copy of the file."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from simhash_doc.files import atomic_write
from simhash_doc.lookup.errors import LookupParameterError
from simhash_doc.lookup.index_file import load_corpus
from simhash_doc.lookup.segmented.corpus import SegmentedCorpus
from simhash_doc.lookup.segmented.directory import changing, commit, created, last_number
from simhash_doc.lookup.segmented.manifest import MANIFEST, SEGMENT, Manifest, Part

PathName = str | os.PathLike[str]


def convert_file(file: PathName, directory: PathName, *, force: bool = False) -> SegmentedCorpus:
    """Write a saved `Corpus` as an index in a directory, in the time of a copy of the file.

    Args:
        file: the saved corpus; all its checksums are compared. It stays as it is.
        directory: as for `SegmentedCorpus.build`.
        force: replace an index in the directory. Those who have it open keep it.

    Raises:
        FileExistsError: the directory has an index, or files that are not of an index.
        BlockingIOError: another process is writing the index.
        OSError: the file cannot be read, or the directory cannot be written.
        CorruptIndexError: the file is not a saved corpus, or is corrupt.
        LookupParameterError: the file is one of several shards.
    """
    if shard := load_corpus(file).shard:
        raise LookupParameterError(f"{os.fspath(file)}: is shard {shard[0]} of {1 << shard[1]}, not a complete index")
    path = Path(os.path.realpath(directory))
    with created(path), changing(path):
        if not force and (path / MANIFEST).exists():
            raise FileExistsError(errno.EEXIST, "has an index", str(path))
        number = last_number(path) + 1
        name = f"{SEGMENT}-{number:08}.sdix"
        with open(file, "rb") as source, atomic_write(path / name) as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
        saved = load_corpus(path / name, verify=False)  # of the copy: the file may have been replaced since
        part = Part(name, len(saved.segment), 0 if saved.ids is None else len(saved.ids.values))
        manifest = Manifest(
            saved.blocking, (part,), number + 1, part.fingerprints, part.ids, provenances=saved.provenances
        )
        commit(path, manifest)
    return SegmentedCorpus.open(path, verify=False)
