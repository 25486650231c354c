"""Texts that were seen, and for which of them a new one is left out: for hosts that pass one after the other."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from simhash_doc.arrays import Lanes
from simhash_doc.batch.api import fingerprint_many
from simhash_doc.duplicates.arrivals import KeptTexts
from simhash_doc.duplicates.policy import Policy
from simhash_doc.files import atomic_write
from simhash_doc.lookup import Corpus
from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import LEAST_SUPPORT

_DIGEST = 16  # bytes


class Near(NamedTuple):
    """What a text is left out for, or may be a duplicate of.

    Attributes:
        id: of the other text, if it has one.
        distance: bits in which the fingerprints differ; 0 for an equal text.
        candidate: whether the text is kept: the other one is in an index, which has no texts to compare.
    """

    id: str | None
    distance: int
    candidate: bool = False


class SeenTexts:
    """Remembers each text that is not left out for an earlier one that it remembers.

    It leaves out what `find_duplicates` does with the rule `first`: the fingerprints are near, the words are similar,
    and the remembered text has all numbers of the other one. The order of arrival decides: of two texts, the first is
    kept, also if the second is longer. `KeptTexts` says what it remembers in place of the texts, and the memory.

    An index of earlier texts has fingerprints only. A text that is near one of them is a candidate: it is kept, and
    remembered. Texts whose support is under `LEAST_SUPPORT` are candidates of none: one frequent word may outweigh the
    others (docs/search.md). An empty text is near none.

    A text is compared with the fingerprints of all remembered ones, or of those with its numbers: time in proportion to
    their number.

    Args:
        policy: what is left out; None for the defaults. `keep` may be ``longest``, as by default: it keeps the first.
        against: a corpus of earlier texts, which is not changed.

    Raises:
        ValueError: the policy has a rule for what is kept that a stream cannot follow.
    """

    def __init__(self, policy: Policy | None = None, against: Corpus | None = None) -> None:
        self._policy, self._against = policy or Policy(), against
        self._kept = KeptTexts(self._policy)
        self._ids: list[str] = []
        self._digests: dict[bytes, str] = {}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what is remembered to a file, atomically. It holds no texts, but the distinct words of all of them."""
        about = {"policy": asdict(self._policy), "ids": self._ids, "texts": [*self._digests.values()]}
        with atomic_write(path) as file:
            np.savez(
                file,
                about=np.frombuffer(json.dumps(about).encode(), np.uint8),
                digests=np.frombuffer(b"".join(self._digests), np.uint8).reshape(-1, _DIGEST),
                **self._kept.state(),
            )

    def load(self, path: str | os.PathLike[str]) -> None:
        """Remember what `save` has written, before anything else.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no such file, or of another policy.
        """
        with np.load(path, allow_pickle=False) as saved:
            about = json.loads(saved["about"].tobytes())
            if about["policy"] != json.loads(json.dumps(asdict(self._policy))):
                raise ValueError(
                    f"{os.fspath(path)}: is of the policy {about['policy']}, not of {asdict(self._policy)}: delete it, "
                    "or set this policy again"
                )
            self._kept.restore(saved)
            self._ids = about["ids"]
            self._digests = dict(zip(map(bytes, saved["digests"]), about["texts"], strict=True))

    def add(self, texts: Sequence[str], ids: Sequence[str]) -> list[Near | None]:
        """Return for each text the one that it is left out for, or a candidate; None for all others.

        A text is left out for the earliest that the policy allows. Its candidate is the nearest of the index.

        Args:
            texts: at most some thousands at a time.
            ids: one for each text.
        """
        rows = fingerprint_many(texts, get_scheme(self._policy.scheme)).measurements.values
        candidates = self._candidates(texts)
        return [
            self._take(text, row, own) or candidate
            for text, row, own, candidate in zip(texts, rows, ids, candidates, strict=True)
        ]

    def _take(self, text: str, fingerprint: Lanes, own: str) -> Near | None:
        """Return what a text is left out for; otherwise remember it."""
        if not text:  # an empty text equals none, as in `find_duplicates`
            return None
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).digest()
        if digest in self._digests:
            return Near(self._digests[digest], 0)
        if found := self._kept.take(text, fingerprint):
            return Near(self._ids[found[0]], found[1])
        self._digests[digest] = own
        if len(self._kept) > len(self._ids):
            self._ids.append(own)
        return None

    def _candidates(self, texts: Sequence[str]) -> list[Near | None]:
        found: list[Near | None] = [None] * len(texts)
        if self._against is not None:
            measured = fingerprint_many(texts, self._against.scheme)
            chosen = np.flatnonzero(measured.support >= LEAST_SUPPORT)
            for at, matches in zip(chosen.tolist(), self._against.find_many(measured[chosen], limit=1), strict=True):
                if matches:
                    found[at] = Near(str(matches[0].ids[0]) if matches[0].ids else None, matches[0].distance, True)
        return found
