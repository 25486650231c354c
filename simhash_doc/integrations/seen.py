"""Texts that were seen, and which of them a new text is near: for hosts that pass documents one after the other."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simhash_doc.batch.api import fingerprint_many
from simhash_doc.duplicates.definition import Representatives
from simhash_doc.files import atomic_write
from simhash_doc.lookup import Corpus
from simhash_doc.schemes import AnyScheme, get_scheme
from simhash_doc.thresholds import LEAST_SUPPORT

_DIGEST = 16  # bytes


class Near(NamedTuple):
    """A text that a text is near: its id, if it has one, and the distance in bits, 0 for an equal text."""

    id: str | None
    distance: int


class SeenTexts:
    """Remembers each text that is not near an earlier one that it remembers.

    It cannot promise what `find_duplicates` does. The order of arrival decides: of two texts, the first is remembered,
    also if the second has more numbers or is longer. No texts are kept, so near fingerprints are not confirmed: a text
    that differs from an earlier one in words or numbers may count as near, for example a bill, and its numbers are
    lost if it is dropped. So keep what is dropped, and confirm it by `find_duplicates`.

    Texts of an index come before all others. An empty text is near none. Texts whose support is under `LEAST_SUPPORT`
    are only near equal texts: one frequent word may outweigh the others (docs/search.md). A text is compared with the
    remembered ones one after the other: at distances as wide as those of sd256, the tables of a corpus take longer. A
    remembered text takes about 200 bytes of memory.

    Args:
        scheme: short id of the scheme.
        distance: most bits in which fingerprints differ; None for `close` of the scheme.
        against: a corpus of earlier texts, which is not changed; it decides on scheme and distance.
    """

    def __init__(self, scheme: AnyScheme = "sd256", distance: int | None = None, against: Corpus | None = None) -> None:
        self._against = against
        if against is not None:
            scheme, distance = against.scheme, against.distance
        self._scheme = get_scheme(scheme)
        self._distance = self._scheme.or_close(distance)
        self._remembered = Representatives(self._scheme.lanes, self._distance)
        self._ids: list[str] = []
        self._digests: dict[bytes, str] = {}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what is remembered to a file, atomically. It holds no texts."""
        about = {
            "scheme": self._scheme.id,
            "distance": self._distance,
            "ids": self._ids,
            "texts": [*self._digests.values()],
        }
        with atomic_write(path) as file:
            np.savez(
                file,
                about=np.frombuffer(json.dumps(about).encode(), np.uint8),
                fingerprints=self._remembered.fingerprints,
                digests=np.frombuffer(b"".join(self._digests), np.uint8).reshape(-1, _DIGEST),
            )

    def load(self, path: str | os.PathLike[str]) -> None:
        """Remember what `save` has written, before anything else.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no such file, or of another scheme or distance.
        """
        with np.load(path, allow_pickle=False) as saved:
            about = json.loads(saved["about"].tobytes())
            if (about["scheme"], about["distance"]) != (self._scheme.id, self._distance):
                raise ValueError(
                    f"{os.fspath(path)}: is of {about['scheme']} within {about['distance']} bits, not of "
                    f"{self._scheme.id} within {self._distance}: delete it, or set these again"
                )
            for fingerprint in saved["fingerprints"]:
                self._remembered.add(fingerprint)
            self._ids = about["ids"]
            self._digests = dict(zip(map(bytes, saved["digests"]), about["texts"], strict=True))

    def add(self, texts: Sequence[str], ids: Sequence[str]) -> list[Near | None]:
        """Return for each text the one that it is near; None for those that are remembered now.

        It is the nearest of the index, or else the earliest that was remembered.

        Args:
            texts: at most some thousands at a time.
            ids: one for each text.
        """
        measured = fingerprint_many(texts, self._scheme)
        rows = measured.measurements.values
        strong = measured.support >= LEAST_SUPPORT
        found: list[Near | None] = [None] * len(texts)
        if self._against:
            chosen = np.flatnonzero(strong)
            nearest = self._against.find_many(measured[chosen], limit=1)
            for at, matches in zip(chosen.tolist(), nearest, strict=True):
                if matches:
                    found[at] = Near(str(matches[0].ids[0]) if matches[0].ids else None, matches[0].distance)
        for at, text in enumerate(texts):
            if found[at] is not None or not text:  # an empty text equals none, as in `find_duplicate_rows`
                continue
            digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).digest()
            if digest in self._digests:
                found[at] = Near(self._digests[digest], 0)
            elif strong[at] and (near := next(self._remembered.near(rows[at]), None)):
                found[at] = Near(self._ids[near[0]], near[1])
            else:
                self._digests[digest] = ids[at]
                if strong[at]:
                    self._remembered.add(rows[at])
                    self._ids.append(ids[at])
        return found
