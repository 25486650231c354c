"""Rank mutants over all verdicts: which mistakes explain the wrong answers, and are ruled out by no other case."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.analysis import published_wrong_answers

_MOST_TOGETHER = 3  # mistakes of one implementation that are distinguished
_MOST_ALIKE = 3  # mistakes that are named if no case tells them apart


@dataclass(frozen=True, slots=True)
class Ranking:
    """The mistakes that are named.

    Attributes:
        title: "Likely bug"; or "Possible bug" if the implementation has one of them, and no case shows which.
        names: of the mutants, the most likely first.
        explained: number of wrong answers that each explains.
        comparable: number of wrong answers that a mutant could explain.
    """

    title: str
    names: tuple[str, ...]
    explained: tuple[int, ...]
    comparable: int


class Observations:
    """What is observed of an implementation.

    Args:
        wrong: digests of the wrong answers by case id (see `mutants.analysis.digest`).
        right: ids of the cases with correct answers.
        large: those cases of which only some mutants have published answers.
    """

    def __init__(self, wrong: Mapping[str, str], right: Collection[str], large: Collection[str]) -> None:
        published = published_wrong_answers()
        self._wrong = {case: digest for case, digest in wrong.items() if case in published}
        self._unsure = set(large)
        self._must_be_explained = self._wrong.keys() - self._unsure
        self.predicted: dict[str, dict[str, str]] = {name: {} for name in mutants()}
        for case, answers in published.items():
            for digest, names in answers.items():
                for name in names:
                    self.predicted[name][case] = digest
        self._right = set(right)

    def rank(self, may_be: Callable[[str], bool] = lambda name: True) -> Ranking | None:
        """Return the mistakes that explain every wrong answer; None if none do.

        A mutant is ruled out if it answers wrongly where the implementation answered correctly, or differently where
        the implementation answered wrongly, too. If no single one remains that explains everything, two or three
        may do so together; where two of them are wrong, the answer may be any.

        Args:
            may_be: returns False for a mutant that something else rules out, as a single mistake.
        """
        suspects = {
            name: explained
            for name, answers in self.predicted.items()
            if not answers.keys() & self._right and (explained := self._explained(name))
        }
        alone = [name for name in suspects if self._explain([name]) and may_be(name)]
        if alone:
            most = max(len(suspects[name]) for name in alone)
            best = [name for name in alone if len(suspects[name]) == most]
            # Of the mistakes that no case distinguishes, those that predict the fewest other failures.
            fewest = min(len(self.predicted[name]) for name in best)
            best = [name for name in best if len(self.predicted[name]) == fewest]
            return self._ranking("Likely bug" if len(best) == 1 else "Possible bug", best[:_MOST_ALIKE])
        chosen = self._several(suspects)
        return self._ranking("Likely bug", chosen) if chosen else None

    def agrees(self, name: str, case: str) -> bool:
        """Return True if a mutant gives the wrong answer that was given to a case."""
        return case in self._wrong and self.predicted[name].get(case) == self._wrong[case]

    def _explained(self, name: str) -> set[str]:
        return {case for case in self.predicted[name].keys() & self._wrong.keys() if self.agrees(name, case)}

    def _explain(self, names: Sequence[str]) -> bool:
        """Return True if an implementation with these mistakes may give exactly the observed answers."""
        for case in self._wrong:
            involved = [name for name in names if case in self.predicted[name]]
            if not involved and case in self._must_be_explained:
                return False
            if len(involved) == 1 and not self.agrees(involved[0], case):
                return False
        return True

    def _several(self, suspects: Mapping[str, set[str]]) -> list[str]:
        chosen: list[str] = []
        unexplained = set(self._wrong)
        while len(chosen) < _MOST_TOGETHER:
            best = max(suspects, key=lambda name: len(suspects[name] & unexplained), default=None)
            if best is None or not suspects[best] & unexplained:
                break
            chosen.append(best)
            unexplained -= suspects[best]
            if len(chosen) > 1 and self._explain(chosen):
                return chosen
        return []

    def _ranking(self, title: str, names: Sequence[str]) -> Ranking:
        explained = tuple(len(self._explained(name)) for name in names)
        comparable = self._must_be_explained.union(*map(self._explained, names))
        return Ranking(title, tuple(names), explained, len(comparable))
