"""Texts that were seen, and which of them a new text is near: for hosts that pass documents one after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simhash_doc.arrays import Lanes, popcount
from simhash_doc.batch.api import measure_many
from simhash_doc.lookup import Corpus
from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import LEAST_SUPPORT

_CHUNK = 1 << 15  # rows that are compared at a time, in the cache


class Near(NamedTuple):
    """A text that a text is near: its id, if it has one, and the distance in bits, 0 for an equal text."""

    id: str | None
    distance: int


class SeenTexts:
    """Remembers each text that is not near an earlier one.

    Texts whose support is under `LEAST_SUPPORT` are only near equal texts: one frequent word may outweigh the others
    (docs/search.md). A text is compared with every remembered one: at distances as wide as those of sd256,
    the tables of a corpus take longer. A remembered text takes about 200 bytes of memory.

    Args:
        scheme: short id of the scheme.
        distance: most bits in which fingerprints differ; None for `close` of the scheme.
        against: a corpus of earlier texts, which is not changed; it decides on scheme and distance.
    """

    def __init__(self, scheme: str = "sd256", distance: int | None = None, against: Corpus | None = None) -> None:
        self._against = against
        if against is not None:
            scheme, distance = against.scheme.id, against.distance
        self._scheme = get_scheme(scheme)
        self._distance = self._scheme.or_close(distance)
        # The first `len(self._ids)` are the fingerprints of remembered texts, each lane in one piece.
        self._rows: Lanes = np.empty((_CHUNK, self._scheme.lanes), np.uint64, order="F")
        self._ids: list[str] = []
        self._digests: dict[bytes, str] = {}

    def add(self, texts: Sequence[str], ids: Sequence[str]) -> list[Near | None]:
        """Return for each text the nearest that was remembered before it; None for those that are remembered now.

        Args:
            texts: at most some thousands at a time.
            ids: one for each text.
        """
        measured = measure_many(texts, self._scheme.id)
        rows = measured.fingerprints.data.reshape(len(texts), -1)
        strong = measured.support >= LEAST_SUPPORT
        found: list[Near | None] = [None] * len(texts)
        if self._against:
            chosen = np.flatnonzero(strong)
            for at, matches in zip(
                chosen.tolist(), self._against.matches_bulk(measured.fingerprints[chosen]), strict=True
            ):
                if matches:
                    found[at] = Near(str(matches[0].ids[0]) if matches[0].ids else None, matches[0].distance)
        for at, text in enumerate(texts):
            digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
            equal = self._digests.get(digest)
            near = self._nearest(rows[at]) if strong[at] and equal is None else None
            earlier = found[at]
            if equal is not None:
                found[at] = Near(equal, 0)
            elif near and (earlier is None or near.distance < earlier.distance):
                found[at] = near
            if found[at] is None:
                self._digests[digest] = ids[at]
                if strong[at]:
                    self._remember(rows[at], ids[at])
        return found

    def _nearest(self, row: Lanes) -> Near | None:
        """Return the nearest remembered fingerprint within the distance."""
        best: Near | None = None
        for start in range(0, len(self._ids), _CHUNK):
            distances = popcount(self._rows[start : min(start + _CHUNK, len(self._ids))] ^ row)
            at = int(distances.argmin())
            if distances[at] <= self._distance and (best is None or distances[at] < best.distance):
                best = Near(self._ids[start + at], int(distances[at]))
        return best

    def _remember(self, row: Lanes, name: str) -> None:
        if len(self._ids) == len(self._rows):
            larger: Lanes = np.empty((2 * len(self._rows), self._scheme.lanes), np.uint64, order="F")
            larger[: len(self._rows)] = self._rows
            self._rows = larger
        self._rows[len(self._ids)] = row
        self._ids.append(name)
