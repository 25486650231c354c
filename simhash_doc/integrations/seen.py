"""Texts that were seen, and which of them a new text is near: for hosts that pass documents one after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simhash_doc.batch.api import measure_many
from simhash_doc.engines.lanes import popcount
from simhash_doc.lookup import Corpus
from simhash_doc.schemes import LEAST_SUPPORT, get_scheme


class Near(NamedTuple):
    """A text that a text is near: its id, if it has one, and the distance in bits, 0 for an equal text."""

    id: str | None
    distance: int


class SeenTexts:
    """Remembers each text that is not near an earlier one.

    Texts whose support is under `LEAST_SUPPORT` are only near equal texts: one frequent word may outweigh the others
    (docs/search.md). A remembered text takes about 330 bytes of memory.

    Args:
        scheme: short id of the scheme.
        distance: most bits in which fingerprints differ; None for `close` of the scheme.
        against: a corpus of earlier texts, which is not changed; it decides on scheme and distance.
    """

    def __init__(self, scheme: str = "sd256", distance: int | None = None, against: Corpus | None = None) -> None:
        self._earlier = [] if against is None else [against]
        if against is not None:
            scheme, distance = against.scheme.id, against.distance
        self._scheme = get_scheme(scheme)
        self._seen = Corpus(distance=distance, scheme=scheme)
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
        chosen = np.flatnonzero(strong)
        for corpus in (*self._earlier, self._seen):
            for at, matches in zip(chosen.tolist(), corpus.matches_bulk(measured.fingerprints[chosen]), strict=True):
                for match in matches:
                    near = found[at]
                    if near is None or match.distance < near.distance:
                        found[at] = Near(str(match.ids[0]) if match.ids else None, match.distance)
        kept: list[int] = []
        for at, text in enumerate(texts):
            digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
            equal = self._digests.get(digest)
            if equal is not None:
                found[at] = Near(equal, 0)
            elif strong[at] and kept:
                distances = popcount(rows[kept] ^ rows[at])
                best = int(distances.argmin())
                near, bits = found[at], int(distances[best])
                if bits <= self._seen.distance and (near is None or bits < near.distance):
                    found[at] = Near(ids[kept[best]], bits)
            if found[at] is None:
                self._digests[digest] = ids[at]
                if strong[at]:
                    kept.append(at)
        self._seen.insert_bulk(measured.fingerprints[kept], ids=[ids[at] for at in kept])
        return found
