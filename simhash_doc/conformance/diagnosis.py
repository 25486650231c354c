"""Diagnose wrong answers: the first step that differs, made visible, and the mistakes that explain all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case, same_outcome, same_result
from simhash_doc.conformance.extraction import differences
from simhash_doc.conformance.finding import Finding
from simhash_doc.conformance.formatting import outcome_text, shown_outcomes
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.analysis import digest, mutant_answer
from simhash_doc.conformance.ranking import Observations, Ranking
from simhash_doc.conformance.requirements import cite
from simhash_doc.conformance.verdict import Verdict
from simhash_doc.conformance.visible import difference
from simhash_doc.schemes import get_schemes

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
    "query": "the answers to queries",
    "find_all": "the pairs that are found",
}
_TEXT_OPERATIONS = {"tokens", "buckets", "fingerprint"}
_MOST_HASHED = 200  # tokens whose hashes are requested


class Diagnosis:
    """Diagnoses each wrong answer, and at the end all of them together. May be called from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wrong: dict[str, str] = {}
        self._steps: dict[str, str] = {}
        self._observed: Observations | None = None
        self._ranking: Ranking | None = None

    def __call__(self, case: Case, answer: Mapping[str, Any], ask: Ask) -> list[str]:
        """Return lines that describe the first step that differs, and the difference."""
        lines, step = explain(case, answer, ask)
        with self._lock:
            self._steps[case.id] = step
            self._wrong[case.id] = _digest(case.op, answer)
        return lines

    def conclude(self, verdicts: Iterable[Verdict], findings: Iterable[Finding] = ()) -> tuple[Verdict, ...]:
        """Rank the mistakes over all verdicts, and return the verdicts with the wrong steps and likely mistakes.

        Args:
            verdicts: of the cases.
            findings: wrong answers to generated requests, which rule out mistakes, too.
        """
        verdicts, findings = tuple(verdicts), tuple(findings)
        right = {verdict.case.id for verdict in verdicts if verdict.status == "passed"}
        large = {verdict.case.id for verdict in verdicts if "large" in verdict.case.flags}
        self._observed = Observations(self._wrong, right, large)
        ranking = self._observed.rank(lambda name: all(_may_give(name, finding) for finding in findings))
        self._ranking = ranking if self._wrong else None
        return tuple(map(self._annotated, verdicts))

    def summary(self) -> list[str]:
        """Return a line for each mistake that explains the wrong answers. Call `conclude` first."""
        ranking = self._ranking
        if ranking is None:
            return []
        return [
            f"{ranking.title}: {_mistake(name)}; explains {_share(explained, ranking.comparable)} "
            f"comparable wrong answers; see {cite(mutants()[name].requirement)}"
            for name, explained in zip(ranking.names, ranking.explained, strict=True)
        ]

    def _annotated(self, verdict: Verdict) -> Verdict:
        if verdict.status != "failed" or verdict.case.id not in self._steps:
            return verdict
        names: list[str] = []
        if self._ranking is not None and self._observed is not None:
            names = [name for name in self._ranking.names if self._observed.agrees(name, verdict.case.id)]
        lines = [f"{self._ranking.title}: {_mistake(name)}" for name in names if self._ranking]
        return replace(verdict, diagnosis=[*lines, *verdict.diagnosis], step=self._steps[verdict.case.id])


def explain(case: Case, answer: Mapping[str, Any], ask: Ask) -> tuple[list[str], str]:
    """Return lines that show where an answer begins to differ, and the name of that step, or else of the operation."""
    if case.op in _TEXT_OPERATIONS:
        lines, step = first_difference(case, ask)
        if lines:
            return lines, step
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


def first_difference(case: Case, ask: Ask) -> tuple[list[str], str]:
    """Request the values of the steps; return lines on the first that differs from the reference, and its name."""
    members = dict(case.members)
    members.setdefault("scheme", "sd64")
    if members["scheme"] not in get_schemes():
        return [], ""  # the error of the scheme comes before all steps
    given, errors = _trace(members, ask)
    hashes_tokens = "result" in ask({"op": "hash_tokens", "tokens": [], "scheme": members["scheme"]})
    if not (given or errors or hashes_tokens):
        return [], ""
    expected_steps = Adapter(Implementation()).answer({"id": 0, "op": "trace", **members})["result"]
    for name, (op, title, clause) in _STEPS.items():
        if name == "hashes":
            if lines := _hash_difference(expected_steps["tokens"], members["scheme"], ask):
                return lines, name
        elif name in expected_steps and name in given and not same_result(op, expected_steps[name], given[name]):
            lines = [f"first step that differs: {title}; see {cite(clause)}"]
            if op != case.op or name == "prepared":  # otherwise the verdict shows both
                expected, found = shown_outcomes(op, {"result": expected_steps[name]}, {"result": given[name]})
                lines += [f"  expected {expected}", f"  given    {found}"]
            return lines + difference(op, expected_steps[name], given[name]), name
        elif name in expected_steps and name in errors:
            answered = outcome_text(op, {"error": errors[name]})
            return [f"first step that differs: {title}; see {cite(clause)}", f"  given    {answered}"], name
    return [], ""


def _trace(members: Mapping[str, Any], ask: Ask) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the results of the steps that the implementation shows, and its errors.

    They come from `trace`, or from the operations of single steps.
    """
    traced = ask({"op": "trace", **members}).get("result")
    if isinstance(traced, dict):
        return traced, {}
    answers = {
        name: ask({"op": op, **members})
        for name, op in (("folded", "fold"), ("tokens", "tokens"), ("buckets", "buckets"))
    }
    results = {name: answer["result"] for name, answer in answers.items() if "result" in answer}
    return results, {name: answer["error"] for name, answer in answers.items() if "error" in answer}


def _hash_difference(tokens: list[str], scheme: str, ask: Ask) -> list[str]:
    distinct = sorted(set(tokens))[:_MOST_HASHED]
    request = {"op": "hash_tokens", "tokens": distinct, "scheme": scheme}
    given_hashes = ask(request).get("result")
    expected_hashes = Adapter(Implementation()).answer({"id": 0, **request})["result"]
    if (
        not isinstance(given_hashes, list)
        or len(given_hashes) != len(expected_hashes)
        or given_hashes == expected_hashes
    ):
        return []
    token, expected, found = next(t for t in zip(distinct, expected_hashes, given_hashes, strict=True) if t[1] != t[2])
    return [
        f"first step that differs: the hash of the token {token!r}; see {cite('SD-HASH-1')}",
        f"  expected {expected}",
        f"  given    {found}",
    ]


def _may_give(name: str, finding: Finding) -> bool:
    """Return True if a mutant gives the wrong answer of a finding."""
    if finding.failure is not None:
        return True
    answer = mutant_answer(mutants()[name], {"id": 0, "op": finding.case.op, **finding.case.members})
    return _digest(finding.case.op, answer) == _digest(finding.case.op, finding.answer)


def _digest(op: str, answer: Mapping[str, Any]) -> str:
    try:
        return digest(op, answer)
    except TypeError:  # a result of a wrong type, which no mutant gives
        return ""


def _mistake(name: str) -> str:
    return f"{mutants()[name].mistake} [{name}]"


def _share(explained: int, comparable: int) -> str:
    return f"all {comparable}" if explained == comparable else f"{explained} of {comparable}"
