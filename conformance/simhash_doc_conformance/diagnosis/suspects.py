"""Find the known bugs that explain the wrong answers of an implementation: one, several together, or similar ones.

The known bugs are the mutants. Where several mistakes meet, no mutant gives the answer that is seen; so mutants are
composed, one after another, as long as the answers of the composition come nearer to those of the implementation.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from simhash_doc_conformance.mutants import Mutant, mutants
from simhash_doc_conformance.mutants.analysis import (
    digest,
    first_step,
    may_differ,
    mutant_answer,
    published_wrong_answers,
)
from simhash_doc_conformance.pipeline import step_of
from simhash_doc_conformance.vectors.cases import Case, same_outcome
from simhash_doc_conformance.vectors.inputs import described_size

_MOST_TOGETHER = 5  # mistakes of one implementation that are distinguished
_MOST_ALIKE = 3  # mistakes that are named if no case tells them apart
_SIMILAR, _LIKELY = 0.6, 0.95  # agreement of a suspect from which it is named
_FEWEST = 3  # wrong answers that a suspect must explain if other answers speak against it
_TRIED = 8  # suspects that are composed with those already found, in each round
_SHORT, _SHORT_ENOUGH = 1500, 15_000  # characters of the requests to which compositions are run: to find and to judge
_RIGHT = ""  # stands for the digest of a right answer


@dataclass(frozen=True, slots=True)
class Suspect:
    """A known bug that is named.

    Attributes:
        title: "Likely bug"; "Possible bug" if the implementation has one of several, and no case shows which, or if
            there is one wrong answer only; "Similar to" if it explains most, but not all, of the answers that it
            changes, and half of those that are wrong at its step.
        name: of the mutant.
        changed: number of compared answers that the bug changes, in addition to the other named bugs; if other
            mistakes hide it in most of them, of those that show its step alone.
        agreeing: how many of these are the answers of the implementation.
        cases: ids of the wrong answers that the bug explains, alone or together with the other named bugs.
    """

    title: str
    name: str
    changed: int
    agreeing: int
    cases: frozenset[str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The suspects, in the order in which to mend them: that of the pipeline.

    Attributes:
        suspects: empty if no known bug resembles what was seen.
        comparable: number of wrong answers that a known bug could explain.
        unexplained: ids of the wrong answers that all suspects together do not give.
    """

    suspects: tuple[Suspect, ...]
    comparable: int
    unexplained: frozenset[str]


@dataclass(frozen=True, slots=True)
class Nearest:
    """The known bug that is nearest to some wrong answers, however far it is.

    Attributes:
        name: of the mutant.
        agreeing: how many of the wrong answers are its answers.
        also_wrong: how many of these cases it answers wrongly in any way.
        cases: number of the wrong answers.
        contradicted: number of right answers of the same operations that it would change.
    """

    name: str
    agreeing: int
    also_wrong: int
    cases: int
    contradicted: int


@cache
def _predicted() -> dict[str, dict[str, str]]:
    """Return the digests of the published wrong answers of each mutant, by case id."""
    found: dict[str, dict[str, str]] = {name: {} for name in mutants()}
    for case, answers in published_wrong_answers().items():
        for answered, names in answers.items():
            for name in names:
                found[name][case] = answered
    return found


class Observations:
    """What is observed of an implementation.

    A known bug is judged by the operations that answer something wrongly. An operation without a wrong answer decides
    only between bugs that explain equally much: an adapter often takes it from other code than the wrong one.

    Args:
        wrong: digests of the wrong answers by case id (see `mutants.analysis.digest`).
        right: ids of the cases with correct answers.
        cases: the cases by id.
        steps: the first step that differs, of wrong answers that show it.
    """

    def __init__(
        self,
        wrong: Mapping[str, str],
        right: Collection[str],
        cases: Mapping[str, Case],
        steps: Mapping[str, str] | None = None,
    ) -> None:
        published = published_wrong_answers()
        self._wrong = {case: answered for case, answered in wrong.items() if case in published}
        failing = {cases[case].op for case in wrong}
        self._right = {case for case in right if cases[case].op in failing}
        self._right_elsewhere = set(right) - self._right
        self._cases = cases
        self._steps = steps or {}
        # Of a large case only some mutants have published answers.
        self._comparable = {case for case in self._wrong if "large" not in cases[case].flags}
        self.predicted = dict(_predicted())

    def explain(self) -> Explanation:
        """Return the bugs that explain the wrong answers best.

        A single bug explains all if it gives exactly the answers that were seen. If none does, bugs are composed.
        """
        alone = [name for name in self.predicted if self._explains_all(name)]
        if not alone:
            return self._composed()
        explained = {name: self._explained(name) for name in alone}
        best = [name for name in alone if len(explained[name]) == max(map(len, explained.values()))]
        # Of the mistakes that no case distinguishes, those that predict the fewest other failures.
        fewest = min(len(self.predicted[name]) for name in best)
        best = [name for name in best if len(self.predicted[name]) == fewest]
        best.sort(key=self._contradicted)
        title = "Likely bug" if len(best) == 1 and len(explained[best[0]]) > 1 else "Possible bug"
        named = best[:_MOST_ALIKE]
        comparable = len(self._comparable.union(*(explained[name] for name in named)))
        suspects = (
            Suspect(title, name, len(explained[name]), len(explained[name]), frozenset(explained[name]))
            for name in named
        )
        return Explanation(tuple(suspects), comparable, frozenset())

    def nearest(self, cases: Collection[str]) -> Nearest | None:
        """Return the known bug that is nearest to some wrong answers; None if none changes any of them.

        Near is what gives most of the answers and changes few others; if none gives any, what changes the same cases.
        """
        found = [known for name in self.predicted if (known := self._distance_to(name, cases)).also_wrong]
        return max(found, key=_nearness, default=None)

    def _distance_to(self, name: str, cases: Collection[str]) -> Nearest:
        answers = self.predicted[name]
        also = [case for case in cases if case in answers]
        agreeing = sum(self._agrees(name, case) for case in also)
        contradicted = len(self._right & answers.keys()) if also else 0
        return Nearest(name, agreeing, len(also), len(cases), contradicted)

    def _agrees(self, name: str, case: str) -> bool:
        """Return True if a mutant alone gives the wrong answer that was given to a case."""
        return case in self._wrong and self.predicted[name].get(case) == self._wrong[case]

    def _explained(self, name: str) -> set[str]:
        return {case for case in self.predicted[name] if self._agrees(name, case)}

    def _explains_all(self, name: str) -> bool:
        answers = self.predicted[name]
        if not self._comparable <= answers.keys() or not self._right.isdisjoint(answers):
            return False
        involved = [case for case in answers if case in self._wrong]
        return bool(involved) and all(self._agrees(name, case) for case in involved)

    def _composed(self) -> Explanation:
        observed = {case: self._wrong.get(case, _RIGHT) for case in sorted(self._comparable | self._small_right())}
        found: list[Mutant] = []
        answers = dict.fromkeys(observed, _RIGHT)
        while len(found) < _MOST_TOGETHER and answers != observed:
            candidates = self._candidates(observed, answers, found)
            tried = [(mutant, self._answers([*found, mutant], observed)) for mutant in candidates]
            mutant, better = max(tried, key=lambda item: _agreement(observed, item[1]), default=(None, answers))
            if mutant is None or _agreement(observed, better) <= _agreement(observed, answers):
                break
            found.append(mutant)
            answers = better
        suspects = self._judged(found, observed)
        names = {suspect.name for suspect in suspects}
        answers = self._answers([mutant for mutant in found if mutant.name in names], observed, exact=True)
        unexplained = frozenset(case for case in self._comparable if answers[case] != self._wrong[case])
        return Explanation(tuple(suspects), len(self._comparable), unexplained)

    def _small_right(self) -> set[str]:
        published = published_wrong_answers().keys()
        return {case for case in self._right & published if "large" not in self._cases[case].flags}

    def _candidates(
        self,
        observed: Mapping[str, str],
        answers: Mapping[str, str],
        found: Sequence[Mutant],
    ) -> list[Mutant]:
        """Return the mutants that alone give the most answers that are not yet explained, and the fewest others."""

        def gain(name: str) -> int:
            return sum(
                (answered == observed[case]) - (observed[case] == answers[case])
                for case, answered in self.predicted[name].items()
                if case in observed
            )

        gains = {name: gain(name) for name in self.predicted}
        promising = (name for name in gains if gains[name] > 0)
        best = sorted(promising, key=lambda name: (-gains[name], self._contradicted(name)))[:_TRIED]
        return [mutants()[name] for name in best if mutants()[name] not in found]

    def _contradicted(self, name: str) -> int:
        """Return how many answers of operations without a wrong one a mutant would change."""
        return len(self._right_elsewhere & self.predicted[name].keys())

    def _answers(self, composed: Sequence[Mutant], cases: Iterable[str], *, exact: bool = False) -> dict[str, str]:
        """Return the digests of the answers of a composition of mutants.

        It is run where two of them alone are wrong, if the input is short. Where one is wrong, the answer is known,
        unless it keeps what another would have treated wrongly, such as links: to be exact, it is run there, too.
        """
        mutant = _composition(composed)
        found = {}
        for name in cases:
            alone = [answers[name] for part in composed if name in (answers := self.predicted[part.name])]
            found[name] = alone[0] if alone else _RIGHT
            case = self._cases[name]
            run = len(alone) > 1
            if exact and (alone or name in self._wrong):
                run = sum(may_differ(part, case.op) for part in composed) > 1
            if run and mutant is not None and _size(case) <= (_SHORT_ENOUGH if exact else _SHORT):
                answer = mutant_answer(mutant, {"id": 0, "op": case.op, **case.members}, case.requests_before())
                found[name] = _RIGHT if same_outcome(case.op, case.expected, answer) else digest(case.op, answer)
        return found

    def _judged(self, found: Sequence[Mutant], observed: Mapping[str, str]) -> list[Suspect]:
        """Return the suspects that agree well enough, each in the presence of the others."""
        answers = self._answers(found, observed, exact=True)
        left = [case for case in self._comparable if answers[case] != observed[case]]
        suspects = []
        for mutant in found:
            without = self._answers([other for other in found if other is not mutant], observed, exact=True)
            changed = [case for case in observed if answers[case] != without[case]]
            explained = frozenset(case for case in changed if _RIGHT != observed[case] == answers[case])
            agreeing = [case for case in changed if answers[case] == observed[case]]
            if len(agreeing) < _SIMILAR * len(changed) and (alone := self._showing_alone(mutant, changed)):
                changed, agreeing = alone, [case for case in alone if case in agreeing]
            # A few answers are enough only if no other answer speaks against the suspect.
            enough = len(explained) >= _FEWEST or (explained and len(agreeing) == len(changed))
            if enough and len(agreeing) >= _SIMILAR * len(changed):
                near = len(agreeing) >= _LIKELY * len(changed)
                others = sum(may_differ(mutant, self._cases[case].op) for case in left)
                title = "Likely bug" if near and len(explained) >= 2 * others else "Similar to"
                if title == "Similar to" and 2 * len(explained) < len(self._wrong_at(first_step(mutant))):
                    continue
                if len(explained) == 1:
                    title = "Possible bug"
                suspects.append(Suspect(title, mutant.name, len(changed), len(agreeing), explained))
        order = list(mutants())
        return sorted(suspects, key=lambda suspect: order.index(suspect.name))

    def _wrong_at(self, step: str) -> Collection[str]:
        """Return the wrong answers that show a step as the first that differs, or all if none shows it."""
        return [case for case in self._comparable if self._steps.get(case) == step] or self._comparable

    def _showing_alone(self, mutant: Mutant, changed: Iterable[str]) -> list[str]:
        """Return the cases that show the step of a mutant and no later one; none if they are too few.

        Elsewhere other mistakes, which no mutant has, would hide that a mutant is like the implementation.
        """
        first = first_step(mutant)
        shown = "tokens" if first == "prepared" else first  # no operation returns the link-free text
        alone = [
            case for case in changed if step_of(self._cases[case].op) == shown and self._steps.get(case, first) == first
        ]
        return alone if len(alone) >= _FEWEST else []


def _nearness(known: Nearest) -> tuple[float, float, int]:
    """Return the Dice coefficient of the answers, of the cases, and the number of answers that are changed else."""
    changed = known.also_wrong + known.contradicted + known.cases
    return 2 * known.agreeing / changed, 2 * known.also_wrong / changed, -known.contradicted


def _composition(parts: Sequence[Mutant]) -> Mutant | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    implementation = type("composed", tuple(mutant.implementation for mutant in parts), {})
    return Mutant("+".join(mutant.name for mutant in parts), parts[0].requirement, "", implementation)


def _agreement(observed: Mapping[str, str], answers: Mapping[str, str]) -> int:
    return sum(answers[case] == answered for case, answered in observed.items())


def _size(case: Case) -> int:
    return len(json.dumps(case.members)) + described_size(case.members.get("recipe", ""))
