"""Changes of an index in a directory: what is written, and the manifest with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simhash_doc.lookup.arrays import Values, distinct_values, from_ints, sorted_values, to_ints
from simhash_doc.lookup.ids import Id, SortedIds
from simhash_doc.lookup.segmented.manifest import Manifest
from simhash_doc.lookup.segmented.merging import write_segments
from simhash_doc.lookup.segmented.parts import write_removals
from simhash_doc.lookup.segmented.snapshot import IndexSnapshot
from simhash_doc.lookup.stored_ids import MergedIds


class Removed(NamedTuple):
    """What was removed: ids, and fingerprints that were given without an id."""

    ids: int
    fingerprints: int


def inserted(
    directory: Path, snapshot: IndexSnapshot, values: Values, names: Sequence[Id | None] | None
) -> tuple[Manifest, int]:
    """Write new fingerprints and new ids; return the manifest with them, and the number of new fingerprints.

    Raises:
        OSError: a part cannot be written.
    """
    manifest = snapshot.manifest
    distinct = distinct_values(sorted_values(values))
    new = distinct[~snapshot.contains(distinct)] if manifest.parts else distinct
    ids = _new_ids(snapshot, values, names)
    written = write_segments(directory, manifest.next_number, manifest.blocking, new, ids)
    changed = replace(
        manifest,
        parts=(*manifest.parts, *written),
        next_number=manifest.next_number + len(written),
        fingerprints=manifest.fingerprints + len(new),
        ids=manifest.ids + (len(ids) if ids else 0),
    )
    return changed, len(new)


def removed(
    directory: Path, snapshot: IndexSnapshot, values: Values, names: Sequence[Id | None] | None
) -> tuple[Manifest, Removed]:
    """Write what is removed; return the manifest with it.

    A fingerprint that keeps some of its ids is removed and inserted again with these.

    Raises:
        OSError: a part cannot be written.
    """
    manifest = snapshot.manifest
    named, unnamed = _by_name(values, names)
    remaining, removed_ids = _without(snapshot, named)
    emptied = {value for value, kept in remaining.items() if not kept}
    distinct = distinct_values(sorted_values(unnamed))
    complete = set(to_ints(distinct[snapshot.contains(distinct)])) - emptied
    lost_ids = sum(len(remaining[value] if value in remaining else snapshot.ids_of(value)) for value in complete)
    kept = [(value, name) for value, ids in remaining.items() if value not in complete for name in ids]
    gone = sorted({*remaining, *complete})
    written, lanes = [], manifest.blocking.lanes
    if gone:
        written.append(write_removals(directory, manifest.next_number, from_ints(gone, lanes)))
    if kept:
        ids = MergedIds.of(SortedIds.build(from_ints([value for value, _ in kept], lanes), [name for _, name in kept]))
        number = manifest.next_number + 1
        written += write_segments(directory, number, manifest.blocking, distinct_values(ids.values), ids)
    changed = replace(
        manifest,
        parts=(*manifest.parts, *written),
        next_number=manifest.next_number + len(written),
        fingerprints=manifest.fingerprints - len(emptied) - len(complete),
        ids=manifest.ids - removed_ids - lost_ids,
    )
    return changed, Removed(removed_ids, len(complete))


def _new_ids(snapshot: IndexSnapshot, values: Values, names: Sequence[Id | None] | None) -> MergedIds | None:
    """Return the ids that their fingerprints do not have yet; None if there are none."""
    named = [(at, name) for at, name in enumerate(names or ()) if name is not None]
    if not named:
        return None
    ids = SortedIds.build(values[[at for at, _ in named]], [name for _, name in named])
    if snapshot.manifest.ids:
        entries = list(zip(to_ints(ids.values), ids.ids, strict=True))
        known = {value: frozenset(snapshot.ids_of(value)) for value, _ in entries}
        new = [at for at, (value, name) in enumerate(entries) if name not in known[value]]
        ids = SortedIds(ids.values[new], [ids.ids[at] for at in new])
    return MergedIds.of(ids) if ids.ids else None


def _by_name(values: Values, names: Sequence[Id | None] | None) -> tuple[list[tuple[int, Id]], Values]:
    """Return the entries with an id, and the fingerprints of those without."""
    if names is None:
        return [], values
    named = np.array([name is not None for name in names], bool)
    with_id = zip(to_ints(values[named]), (name for name in names if name is not None), strict=True)
    return list(with_id), values[~named]


def _without(snapshot: IndexSnapshot, named: list[tuple[int, Id]]) -> tuple[dict[int, dict[Id, None]], int]:
    """Return for each fingerprint that loses ids those that it keeps, and how many ids are lost."""
    remaining: dict[int, dict[Id, None]] = {}
    lost = 0
    for value, name in named:
        ids = remaining[value] if value in remaining else dict.fromkeys(snapshot.ids_of(value))
        if name in ids:
            del ids[name]
            remaining[value] = ids
            lost += 1
    return remaining, lost
