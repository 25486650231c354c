"""When parts of an index are merged, and how.

Parts of about the same size are merged when there are several of them, as log-structured merge trees do. So each
fingerprint is written again only a few times while the index grows, and the number of parts grows with the logarithm of
its size.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simhash_doc.lookup.arrays import Values, among_any, distinct_values, empty_values, sort_keys, sorted_values
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.segmented.manifest import Manifest, Part
from simhash_doc.lookup.segmented.parts import check_merged_arrays, open_removals, write_removals, write_segment
from simhash_doc.lookup.segmented.snapshot import IndexSnapshot
from simhash_doc.lookup.stored_ids import MergedIds, StoredIds

_FANOUT = 4  # parts of one level become one
_SMALLEST_LEVEL = 4096  # all parts up to this size are of one level
# A segment of more fingerprints or ids is not written unless `merge` is called: it bounds the memory of a change.
MOST_MERGED = 1 << 25
_REMOVED_SHARE = 1 / 4  # of the stored fingerprints; beyond it, all parts are merged


def due(manifest: Manifest) -> slice | None:
    """Return the parts that are to be merged now, or None."""
    parts = manifest.parts
    if not parts:
        return None
    if manifest.stored - manifest.fingerprints > _REMOVED_SHARE * manifest.stored:
        return slice(0, len(parts))
    levels = [_level(part) for part in parts]
    start = len(parts)
    while start and levels[start - 1] <= levels[-1]:
        start -= 1
    if len(parts) - start < _FANOUT:
        return None
    while sum(part.size for part in parts[start:]) > MOST_MERGED:
        start += 1
    # What replaces them may be two parts: removals and a segment.
    return slice(start, len(parts)) if len(parts) - start > 2 else None


def merged(directory: Path, snapshot: IndexSnapshot, chosen: slice, *, limited: bool = True) -> Manifest:
    """Write the parts that replace some neighbouring ones; return the manifest with them.

    Args:
        snapshot: the index.
        chosen: a slice of its parts, with start and stop.
        limited: write segments of limited size; False for one segment.

    Raises:
        OSError: a part cannot be read or written.
        CorruptIndexError: a part is corrupt.
    """
    manifest = snapshot.manifest
    before, replaced, after = (
        manifest.parts[: chosen.start],
        manifest.parts[chosen],
        manifest.parts[chosen.stop :],
    )
    for part in replaced:
        check_merged_arrays(directory, part)
    number = manifest.next_number
    written: list[Part] = []
    removals = [part for part in replaced if not part.is_segment]
    if before and removals:
        removed = [open_removals(directory, part, manifest.blocking, verify=False) for part in removals]
        written.append(write_removals(directory, number, distinct_values(sorted_values(np.concatenate(removed)))))
    values, ids = _content(snapshot, chosen)
    written += write_segments(directory, number + len(written), manifest.blocking, values, ids, limited=limited)
    return Manifest(
        manifest.blocking,
        (*before, *written, *after),
        number + len(written),
        manifest.fingerprints,
        manifest.ids,
        manifest.provenances,
    )


def write_segments(
    directory: Path,
    number: int,
    blocking: Blocking,
    values: Values,
    ids: MergedIds | None,
    *,
    limited: bool = True,
) -> list[Part]:
    """Write fingerprints as segments of about equal sizes, none if there is nothing to write; return them.

    Args:
        number: of the first segment.
        values: distinct fingerprints, ascending.
        ids: their ids, or those of fingerprints in earlier segments.
        limited: in as many segments as their size requires; False for one segment.

    Raises:
        OSError: a segment cannot be written.
    """
    if not len(values) and not ids:
        return []
    count = max(1, -(-len(values) // MOST_MERGED)) if limited else 1
    edges = np.linspace(0, len(values), count + 1).astype(np.int64)
    keys = sort_keys(values[edges[1:-1]])
    id_edges = [0, *np.searchsorted(sort_keys(ids.values), keys), len(ids)] if ids else [0] * (count + 1)
    parts = []
    for at in range(count):
        own = ids.part(int(id_edges[at]), int(id_edges[at + 1])) if ids else None
        parts.append(write_segment(directory, number + at, blocking, values[edges[at] : edges[at + 1]], own or None))
    return parts


def _content(snapshot: IndexSnapshot, chosen: slice) -> tuple[Values, MergedIds | None]:
    """Return the fingerprints of some parts that still count, ascending, and their ids."""
    names = {part.name for part in snapshot.manifest.parts[chosen]}
    every = (part for part in snapshot.manifest.parts if part.is_segment)
    segments = [one for part, one in zip(every, snapshot.segments, strict=True) if part.name in names]
    sources = []
    kept = [empty_values(snapshot.manifest.blocking.lanes)]
    for one in segments:
        values = one.segment.values
        kept.append(values[~among_any(values, one.removed)] if one.removed else values)
        if one.ids and isinstance(one.ids.ids, StoredIds):
            sources.append((one.ids.values, one.ids.ids, ~among_any(one.ids.values, one.removed)))
    return sorted_values(np.concatenate(kept)), MergedIds.merge(sources) if sources else None


def _level(part: Part) -> int:
    """Return the level of a part; one over half the largest size that is merged is on the highest."""
    if part.size > MOST_MERGED // 2:
        return 64
    level, size = 0, _SMALLEST_LEVEL
    while part.size > size:
        level, size = level + 1, size * _FANOUT
    return level
