"""Diagnose wrong answers: the first step that differs, made visible, and the known bugs that explain all of them.

The mutants and their answers are loaded when there is a wrong answer: they are many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case, same_outcome, same_result
from simhash_doc.conformance.extraction import differences
from simhash_doc.conformance.formatting import difference, outcome_text, shown_outcomes
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.judge import Finding, Verdict, outcome_of
from simhash_doc.conformance.requirements import cite
from simhash_doc.schemes import get_schemes

if TYPE_CHECKING:
    from simhash_doc.conformance.mutants import Mutant

Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]

# The steps in order: member of a trace, operation to compare it with, its title and first requirement.
_STEPS = {
    "folded": ("fold", "the folded text", "SD-FOLD-1"),
    "prepared": ("fold", "the link-free text", "SD-LINK-1"),
    "tokens": ("tokens", "the tokens", "SD-RUN-1"),
    "hashes": ("hash_tokens", "the hashes of the tokens", "SD-HASH-1"),
    "buckets": ("buckets", "the buckets", "SD-CAP-1"),
    "fingerprint": ("fingerprint", "the signs of the buckets, or their text form", "SD-SIGN-1"),
}
STEP_OF = {"fold": "folded", "tokens": "tokens", "hash_tokens": "hashes"}  # operations that are one step
_OPERATIONS = {  # operations without earlier steps
    "fold": "the folded text",
    "hash_tokens": "the hash of a token",
    "encode": "writing the text form",
    "decode": "reading the text form",
    "distance": "comparing two text forms",
    "narrow": "narrowing a fingerprint",
    "query": "the answers to queries",
    "find_all": "the pairs that are found",
}
_TEXT_OPERATIONS = {"tokens", "buckets", "fingerprint"}
_MOST_HASHED = 200  # tokens whose hashes are requested
_MOST_TOGETHER = 3  # mistakes of one implementation that are distinguished
_MOST_ALIKE = 3  # mistakes that are named if no case tells them apart


class Diagnosis:
    """Diagnoses each wrong answer, and at the end all of them together. May be called from several threads."""

    def __init__(self) -> None:
        self._wrong: dict[str, tuple[str, str]] = {}  # by case: the step that differs, and the digest of the answer
        self._ranking: Ranking | None = None

    def __call__(self, case: Case, answer: Mapping[str, Any], ask: Ask) -> list[str]:
        """Return lines that describe the first step that differs, and the difference."""
        from simhash_doc.conformance.mutants.analysis import digest

        lines, step = explain(case, answer, ask)
        self._wrong[case.id] = step, digest(case.op, answer)
        return lines

    def conclude(self, verdicts: Iterable[Verdict], findings: Iterable[Finding] = ()) -> tuple[Verdict, ...]:
        """Rank the mistakes over all verdicts, and return the verdicts with the wrong steps and likely mistakes.

        Args:
            verdicts: of the cases.
            findings: wrong answers to generated requests, which rule out mistakes, too.
        """
        verdicts, findings = tuple(verdicts), tuple(findings)
        if not self._wrong:
            return verdicts
        right = {verdict.case.id for verdict in verdicts if verdict.status == "passed"}
        large = {verdict.case.id for verdict in verdicts if "large" in verdict.case.flags}
        observed = Observations({case: digest for case, (_, digest) in self._wrong.items()}, right, large)
        self._ranking = observed.rank(lambda name: all(_may_give(name, finding) for finding in findings))
        return tuple(self._annotated(verdict, observed) for verdict in verdicts)

    def summary(self) -> list[str]:
        """Return a line for each mistake that explains the wrong answers. Call `conclude` first."""
        ranking = self._ranking
        if ranking is None:
            return []
        return [
            f"{ranking.title}: {_mistake(name)}; explains {_share(explained, ranking.comparable)} "
            f"comparable wrong answers; see {cite(_mutant(name).requirement)}"
            for name, explained in zip(ranking.names, ranking.explained, strict=True)
        ]

    def _annotated(self, verdict: Verdict, observed: Observations) -> Verdict:
        if verdict.status != "failed" or verdict.case.id not in self._wrong:
            return verdict
        lines = list(verdict.diagnosis)
        if ranking := self._ranking:
            names = [name for name in ranking.names if observed.agrees(name, verdict.case.id)]
            lines = [*(f"{ranking.title}: {_mistake(name)}" for name in names), *lines]
        return replace(verdict, diagnosis=lines, step=self._wrong[verdict.case.id][0])


def explain(case: Case, answer: Mapping[str, Any], ask: Ask) -> tuple[list[str], str]:
    """Return lines that show where an answer begins to differ, and the name of that step, or else of the operation."""
    if case.op in _TEXT_OPERATIONS and (found := first_difference(case, ask)):
        return found
    step = STEP_OF.get(case.op, case.op)
    if case.op == "extract":
        return (differences(case.members, answer["result"]) if isinstance(answer.get("result"), str) else []), step
    if case.expected and same_outcome(case.op, case.expected, answer):
        return [], step
    requirements = ", ".join(map(cite, case.requirements))
    if case.op in _OPERATIONS:
        lines = [f"first step that differs: {_OPERATIONS[case.op]}; see {requirements}"]
    else:
        lines = [f"no step before {case.op!r} is shown to differ; see {requirements}"]
    if "result" in case.expected and "result" in answer:
        lines += difference(case.op, case.expected["result"], answer["result"])
    return lines, step


def first_difference(case: Case, ask: Ask) -> tuple[list[str], str] | None:
    """Request the values of the steps; return lines on the first that differs from the reference, and its name."""
    members = {"scheme": "sd64", **case.members}
    if members["scheme"] not in get_schemes():
        return None  # the error of the scheme comes before all steps
    given = _steps(members, ask)
    hashes_tokens = "result" in ask({"op": "hash_tokens", "tokens": [], "scheme": members["scheme"]})
    if not (given or hashes_tokens):
        return None
    right = _reference({"op": "trace", **members})
    for name, (op, title, clause) in _STEPS.items():
        heading = f"first step that differs: {title}; see {cite(clause)}"
        if name == "hashes":
            if lines := _hash_difference(right["tokens"], members["scheme"], ask):
                return lines, name
        elif name in right and name in given:
            outcome = given[name]
            if "error" in outcome:
                return [heading, f"  given    {outcome_text(op, outcome)}"], name
            if not same_result(op, right[name], outcome["result"]):
                lines = [heading]
                if op != case.op or name == "prepared":  # otherwise the verdict shows both
                    expected, found = shown_outcomes(op, {"result": right[name]}, outcome)
                    lines += [f"  expected {expected}", f"  given    {found}"]
                return lines + difference(op, right[name], outcome["result"]), name
    return None


def _reference(request: Mapping[str, Any]) -> Any:
    """Return the result of the reference."""
    return Adapter(Implementation()).answer(request)["result"]


def _steps(members: Mapping[str, Any], ask: Ask) -> dict[str, dict[str, Any]]:
    """Return the results and errors of the steps that the implementation shows.

    They come from `trace`, or from the operations of single steps.
    """
    traced = ask({"op": "trace", **members}).get("result")
    if isinstance(traced, dict):
        return {name: {"result": value} for name, value in traced.items()}
    single = {"folded": "fold", "tokens": "tokens", "buckets": "buckets"}
    outcomes = {name: outcome_of(ask({"op": op, **members})) for name, op in single.items()}
    return {name: outcome for name, outcome in outcomes.items() if outcome}


def _hash_difference(tokens: list[str], scheme: str, ask: Ask) -> list[str]:
    distinct = sorted(set(tokens))[:_MOST_HASHED]
    request = {"op": "hash_tokens", "tokens": distinct, "scheme": scheme}
    given, right = ask(request).get("result"), _reference(request)
    if not isinstance(given, list) or len(given) != len(right) or given == right:
        return []
    token, expected, found = next(row for row in zip(distinct, right, given, strict=True) if row[1] != row[2])
    return [
        f"first step that differs: the hash of the token {token!r}; see {cite('SD-HASH-1')}",
        f"  expected {expected}",
        f"  given    {found}",
    ]


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


def _mistake(name: str) -> str:
    return f"{_mutant(name).mistake} [{name}]"


def _share(explained: int, comparable: int) -> str:
    return f"all {comparable}" if explained == comparable else f"{explained} of {comparable}"


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
        from simhash_doc.conformance.mutants import mutants
        from simhash_doc.conformance.mutants.analysis import published_wrong_answers

        published = published_wrong_answers()
        self._wrong = {case: digest for case, digest in wrong.items() if case in published}
        self._unsure = set(large)
        self._must_be_explained = self._wrong.keys() - self._unsure
        self.predicted: dict[str, dict[str, str]] = {name: {} for name in mutants()}
        for case, answers in published.items():
            for answered, names in answers.items():
                for name in names:
                    self.predicted[name][case] = answered
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
