"""The texts of documents that near fingerprints connect, compared with each other: the same in tables and on Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lanes
from simhash_doc.duplicates.definition import Positions
from simhash_doc.duplicates.packed import PackedTexts, Shares, assign_similar
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.duplicates.templates import Templates, numbers_of, texts_of_templates


@dataclass(frozen=True, slots=True, eq=False)
class Assigned:
    """What becomes of documents, by position in the order of preference. Arrays of shape (n,).

    Attributes:
        representatives: position of the document that is kept for each: its own if it is kept.
        similarities: share of common tokens of each and its representative.
        templates: position of the first document of the template of each; -1 if it is of none.
        numbers: a hash of the numbers in each text whose fingerprint has copies; 0 for others.
    """

    representatives: Positions
    similarities: Shares
    templates: Positions
    numbers: npt.NDArray[np.int64]


class ComponentTexts:
    """Different texts in the order of preference. Of texts with the same tokens, only the first is compared.

    Args:
        documents: each text, and whether another one has its fingerprint; read once.
    """

    def __init__(self, documents: Iterable[tuple[str, bool]]) -> None:
        self._numbers: list[int] = []
        self._groups: list[list[int]] = []  # positions of texts with the same tokens, which may be many
        self._packed = PackedTexts(self._distinct(documents))

    def _distinct(self, documents: Iterable[tuple[str, bool]]) -> Iterator[TextTokens]:
        firsts: dict[bytes, int] = {}
        for at, (stored, is_copied) in enumerate(documents):
            text, group = TextTokens(stored), len(self._groups)
            if is_copied:
                group = firsts.setdefault(text.digest(), group)
            self._numbers.append(hash(numbers_of(stored)) if is_copied else 0)
            if group < len(self._groups):
                self._groups[group].append(at)
            else:
                self._groups.append([at])
                yield text

    def assign(self, fingerprints: Lanes, distance: int, least: float, templates: Templates) -> Assigned:
        """Assign each document to the first representative that is near and similar; keep those of templates.

        Args:
            fingerprints: shape (n, lanes).
            distance: most bits in which near fingerprints differ.
            least: the least share of common tokens, over 0.
            templates: keep, or drop like others that are similar.
        """
        n = len(self._numbers)
        done = Assigned(np.arange(n), np.ones(n), np.full(n, -1), np.array(self._numbers, np.int64))
        leaders = np.array([group[0] for group in self._groups], np.int64)
        found, similarities = assign_similar(fingerprints[leaders], distance, self._packed, least)
        for first, similarity, group in zip(leaders[found].tolist(), similarities, self._groups, strict=True):
            done.representatives[group] = first
            done.similarities[group] = similarity
        if templates == "keep":
            for members in texts_of_templates(self._packed, found):
                groups = [self._groups[at] for at in members.tolist()]
                for group in groups:
                    self._keep(group, done)
                    done.templates[group] = groups[0][0]
        return done

    def _keep(self, group: list[int], done: Assigned) -> None:
        """Keep those of texts with the same tokens that have different numbers."""
        of_numbers: dict[int, int] = {}
        done.representatives[group] = [of_numbers.setdefault(self._numbers[at], at) for at in group]
        done.similarities[group] = 1.0
