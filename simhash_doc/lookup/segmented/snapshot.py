"""An index in a directory as a manifest describes it: searched in mapped files, which stay when they are deleted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.arrays import Values, among_any, from_ints
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.ids import Id
from simhash_doc.lookup.permuted_tables import Matches
from simhash_doc.lookup.probe import Probe, probe_of
from simhash_doc.lookup.segmented.manifest import Manifest, read_manifest
from simhash_doc.lookup.segmented.parts import OpenSegment, open_removals, open_segment
from simhash_doc.lookup.segments import Snapshot


class IndexSnapshot:
    """The content of an index at one moment; it never changes.

    Args:
        manifest: what it consists of.
        segments: its segments, the oldest first.
    """

    def __init__(self, manifest: Manifest, segments: tuple[OpenSegment, ...]) -> None:
        self.manifest, self.segments = manifest, segments
        self._lanes = manifest.blocking.lanes
        self._set = Snapshot(tuple((one.segment, one.removed) for one in segments if len(one.segment)))

    @classmethod
    def open(cls, directory: Path, *, verify: bool) -> IndexSnapshot:
        """Map the parts of an index.

        Args:
            verify: compare all checksums, which reads all of the files.

        Raises:
            OSError: a file cannot be read.
            CorruptIndexError: the manifest or a part is missing or corrupt; the message names the file.
        """
        manifest = read_manifest(directory)
        while True:
            try:
                return cls(manifest, _opened(directory, manifest, verify))
            except FileNotFoundError as error:
                # Another process may have merged the parts since the manifest was read.
                newer = read_manifest(directory)
                if newer == manifest:
                    raise CorruptIndexError(f"{error.filename}: is missing; the manifest names it") from error
                manifest = newer

    def contains(self, values: Values) -> npt.NDArray[np.bool_]:
        """Return for each value, shape (n,), True if it is stored."""
        return self._set.contains(values)

    def search(self, queries: Values, *, first_only: bool = False) -> Matches:
        """Return (query positions, stored values) of the matches, queries ascending; see `Snapshot.search`."""
        return self._set.search(queries, first_only=first_only)

    def find(self, query: int) -> set[int]:
        """Return the stored values within the distance of a query."""
        found: set[int] = set()
        for (_, removed), probe in zip(self._set.parts, self._probes, strict=True):
            close = list(set(probe.search(query)))
            if close and removed:
                gone = among_any(from_ints(close, self._lanes), removed)
                close = [value for value, is_gone in zip(close, gone.tolist(), strict=True) if not is_gone]
            found.update(close)
        return found

    def ids_of(self, value: int) -> tuple[Id, ...]:
        """Return the ids of a stored value in the order of insertion."""
        return tuple(name for segment in self._with_ids(value) for name in segment)

    def values(self) -> Values:
        """Return the stored values, ascending."""
        return self._set.values(self._lanes)

    @cached_property
    def _probes(self) -> list[Probe]:
        return [probe_of(segment) for segment, _ in self._set.parts]

    def _with_ids(self, value: int) -> Iterator[list[Id]]:
        row = from_ints([value], self._lanes)
        for one in self.segments:
            if one.ids and (names := one.ids.of(value)) and not among_any(row, one.removed)[0]:
                yield names


def _opened(directory: Path, manifest: Manifest, verify: bool) -> tuple[OpenSegment, ...]:
    segments: list[OpenSegment] = []
    removed: tuple[Values, ...] = ()
    for part in reversed(manifest.parts):
        if part.is_segment:
            segments.append(open_segment(directory, part, manifest.blocking, removed, verify))
        else:
            removed = (*removed, open_removals(directory, part, manifest.blocking, verify))
    return tuple(reversed(segments))
