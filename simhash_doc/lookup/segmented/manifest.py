"""The manifest of an index in a directory: the parts that count, in the order in which they were written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simhash_doc.ingest.provenance import Provenance
from simhash_doc.lookup import array_file
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.errors import CorruptIndexError, LookupParameterError

MANIFEST = "manifest.sdix"
KIND = "segmented-index"
SEGMENT, REMOVALS = "segment", "removals"
_LARGEST_NUMBER = 10**17
_PART_NAME = re.compile(rf"(?:{SEGMENT}|{REMOVALS})-(?P<number>[0-9]{{8,18}})\.sdix")


@dataclass(frozen=True, slots=True)
class Part:
    """A file of the index.

    Attributes:
        name: of the file; it begins with its kind, SEGMENT or REMOVALS.
        fingerprints: how many it holds. Those of removals count no longer in the parts before them.
        ids: number of ids; a segment has ids of fingerprints of earlier segments, too.
    """

    name: str
    fingerprints: int
    ids: int = 0

    @property
    def is_segment(self) -> bool:
        return self.name.startswith(SEGMENT)

    @property
    def size(self) -> int:
        """What decides when it is merged."""
        return max(self.fingerprints, self.ids)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an index consists of.

    Attributes:
        blocking: the blocks of all segments.
        parts: the oldest first.
        next_number: the number of the next part; no number is used twice.
        fingerprints, ids: how many count.
        provenances: the different ones of the fingerprints, as far as they are known.
    """

    blocking: Blocking
    parts: tuple[Part, ...] = ()
    next_number: int = 1
    fingerprints: int = 0
    ids: int = 0
    provenances: tuple[Provenance, ...] = ()

    @property
    def stored(self) -> int:
        """Number of fingerprints in segments, with those that no longer count."""
        return sum(part.fingerprints for part in self.parts if part.is_segment)


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Replace the manifest atomically.

    Raises:
        OSError: it cannot be written.
    """
    parameters: dict[str, Any] = {
        "bits": manifest.blocking.bits,
        "blocks": manifest.blocking.blocks,
        "distance": manifest.blocking.distance,
        "fingerprints": manifest.fingerprints,
        "ids": manifest.ids,
        "next_number": manifest.next_number,
        "parts": [[part.name, part.fingerprints, part.ids] for part in manifest.parts],
    }
    if manifest.provenances:
        parameters["provenance"] = [provenance.to_dict() for provenance in manifest.provenances]
    array_file.write(directory / MANIFEST, KIND, parameters, {})


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of an index.

    Raises:
        OSError: it cannot be read.
        CorruptIndexError: it is not a manifest, or differs from what was written.
    """
    path = directory / MANIFEST
    try:
        found = array_file.read(path, KIND).parameters
    except FileNotFoundError as error:
        if directory.is_dir():
            raise CorruptIndexError(f"{directory}: is a directory without an index: it has no {MANIFEST}") from error
        raise
    try:
        numbers = {name: _natural(found[name]) for name in ("next_number", "fingerprints", "ids")}
        manifest = Manifest(
            Blocking(found["bits"], found["blocks"], found["distance"]),
            tuple(_part(*fields) for fields in found["parts"]),
            provenances=tuple(Provenance.from_dict(value) for value in found.get("provenance", ())),
            **numbers,
        )
        if not all(number_of(part.name) < manifest.next_number <= _LARGEST_NUMBER for part in manifest.parts):
            raise ValueError(f"the number of the next part is {manifest.next_number}")
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, LookupParameterError) as error:
        raise CorruptIndexError(f"{path}: its header does not describe the parts of an index ({error})") from error
    return manifest


def number_of(name: str) -> int:
    """Return the number of a part; 0 if this is not the name of one."""
    match = _PART_NAME.fullmatch(name)
    return int(match["number"]) if match else 0


def _natural(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r:.40} is not a natural number")
    return value


def _part(name: object, fingerprints: object, ids: object) -> Part:
    if not isinstance(name, str) or not number_of(name):
        raise ValueError(f"{name!r:.40} is not the name of a part")
    return Part(name, _natural(fingerprints), _natural(ids))
