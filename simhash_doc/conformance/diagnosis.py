"""Diagnose wrong answers: the first step that differs, the bugs that explain all of them, and the order to mend in.

The mutants and their answers are loaded when there is a wrong answer: they are many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.judge import Finding, Verdict
from simhash_doc.conformance.report import STEPS, plainness
from simhash_doc.conformance.requirements import cite
from simhash_doc.conformance.steps import Ask, FirstDifference, explain

if TYPE_CHECKING:
    from simhash_doc.conformance.mutants import Mutant
    from simhash_doc.conformance.suspects import Explanation, Suspect

_MOST_LINES = 8  # of the order to mend in


class Diagnosis:
    """Diagnoses each wrong answer, and at the end all of them together. May be called from several threads."""

    def __init__(self) -> None:
        self._wrong: dict[str, tuple[Case, FirstDifference, str]] = {}  # by id; with the digest of the answer
        self._explanation: Explanation | None = None

    def __call__(self, case: Case, answer: Mapping[str, Any], ask: Ask) -> list[str]:
        """Return lines that describe the first step that differs, and the difference."""
        from simhash_doc.conformance.mutants.analysis import digest

        found = explain(case, answer, ask)
        self._wrong[case.id] = case, found, digest(case.op, answer)
        return found.lines

    def conclude(self, verdicts: Iterable[Verdict], findings: Iterable[Finding] = ()) -> tuple[Verdict, ...]:
        """Rank the mistakes over all verdicts, and return the verdicts with the wrong steps and likely mistakes.

        Args:
            verdicts: of the cases.
            findings: wrong answers to generated requests, which rule out mistakes, too.
        """
        verdicts, findings = tuple(verdicts), tuple(findings)
        if not self._wrong:
            return verdicts
        from simhash_doc.conformance.suspects import Observations

        right = {verdict.case.id for verdict in verdicts if verdict.status == "passed"}
        cases = {verdict.case.id: verdict.case for verdict in verdicts} | {
            name: case for name, (case, _, _) in self._wrong.items()
        }
        observed = Observations({name: digest for name, (_, _, digest) in self._wrong.items()}, right, cases)
        self._explanation = observed.explain(lambda name: all(_may_give(name, finding) for finding in findings))
        return tuple(map(self._annotated, verdicts))

    def summary(self) -> list[str]:
        """Return a line for each mistake and each step without one, in the order to mend. Call `conclude` first."""
        explanation = self._explanation
        if explanation is None:
            return []
        lines = [(_step_of(suspect.name), _described(suspect, explanation)) for suspect in explanation.suspects]
        if not lines or explanation.unexplained:
            lines += self._unexplained(explanation)
        if not lines:
            return []
        places = list(STEPS)
        lines.sort(key=lambda line: places.index(line[0]))
        if len(lines) == 1 or (all(suspect.title == "Possible bug" for suspect in explanation.suspects)):
            return [line for _, line in lines]
        shown = [f"{number}. {STEPS[step]}: {line}" for number, (step, line) in enumerate(lines[:_MOST_LINES], 1)]
        return ["Mend in this order, because a wrong step makes the later ones wrong:", *shown]

    def _unexplained(self, explanation: Explanation) -> list[tuple[str, str]]:
        """Return a line for each step with wrong answers that no named bug gives."""
        found: dict[str, list[str]] = {}
        for name in explanation.unexplained:
            found.setdefault(self._wrong[name][1].step, []).append(name)
        lines = []
        for step, names in found.items():
            plainest = min(names, key=lambda name: (plainness(str(self._wrong[name][0].members)), name))
            violated = Counter(self._requirement(name) for name in names).most_common(1)[0][0]
            what = "1 wrong answer" if len(names) == 1 else f"{len(names)} wrong answers"
            known = "the named bugs" if explanation.suspects else "a known bug"
            lines.append((step, f"{what} not explained by {known}; begin with {plainest}; see {cite(violated)}"))
        return lines

    def _requirement(self, name: str) -> str:
        case, found, _ = self._wrong[name]
        return found.requirement or case.requirements[0]

    def _annotated(self, verdict: Verdict) -> Verdict:
        if verdict.status != "failed" or verdict.case.id not in self._wrong or self._explanation is None:
            return verdict
        found = self._wrong[verdict.case.id][1]
        suspects = [suspect for suspect in self._explanation.suspects if verdict.case.id in suspect.cases]
        lines = [*(f"{suspect.title}: {_mistake(suspect.name)}" for suspect in suspects), *verdict.diagnosis]
        step, requirement = found.step, found.requirement
        if suspects and (earlier := _step_of(suspects[0].name)) in _steps_before(step):
            # The implementation does not show the step of its first mistake.
            step, requirement = earlier, _mutant(suspects[0].name).requirement
        return replace(verdict, diagnosis=lines, step=step, violated=requirement)


def _steps_before(step: str) -> list[str]:
    return list(STEPS)[: list(STEPS).index(step)]


def _described(suspect: Suspect, explanation: Explanation) -> str:
    explained, comparable = len(suspect.cases), explanation.comparable
    share = f"all {explained}" if explained == comparable else f"{explained} of {comparable}"
    agreement = (
        ""
        if suspect.agreeing == suspect.changed
        else (f"agrees with {suspect.agreeing} of the {suspect.changed} answers that it changes; ")
    )
    return (
        f"{suspect.title}: {_mistake(suspect.name)}; {agreement}explains {share} comparable wrong answers; "
        f"see {cite(_mutant(suspect.name).requirement)}"
    )


def _may_give(name: str, finding: Finding) -> bool:
    """Return True if a mutant gives the wrong answer of a finding."""
    from simhash_doc.conformance.mutants.analysis import digest, mutant_answer

    if finding.failure is not None:
        return True
    answer = mutant_answer(_mutant(name), {"id": 0, "op": finding.case.op, **finding.case.members})
    return digest(finding.case.op, answer) == digest(finding.case.op, finding.answer)


def _mutant(name: str) -> Mutant:
    from simhash_doc.conformance.mutants import mutants

    return mutants()[name]


def _step_of(name: str) -> str:
    from simhash_doc.conformance.mutants.analysis import step_of

    return step_of(_mutant(name))


def _mistake(name: str) -> str:
    return f"{_mutant(name).mistake} [{name}]"
