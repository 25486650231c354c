"""Diagnose wrong answers: the first step that differs, and the mutant that gives the same answer."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case, same_result
from simhash_doc.conformance.extraction import differences
from simhash_doc.conformance.formatting import shown_outcomes
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.analysis import killers, like, published_wrong_answers
from simhash_doc.conformance.requirements import cite
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
_TEXT_OPERATIONS = {"tokens", "buckets", "fingerprint"}
_MOST_HASHED = 200  # tokens whose hashes are requested
_MOST_NAMED = 3  # mutants that are named if several give the same answer


class Diagnosis:
    """Diagnoses each wrong answer, and at the end all of them together. May be called from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wrong = 0
        self._alike: Counter[str] = Counter()

    def __call__(self, case: Case, answer: Mapping[str, Any], ask: Ask) -> list[str]:
        """Return the likely bugs behind an answer, in lines."""
        alike = like(case, answer)
        with self._lock:
            # Other inputs of metamorphic cases have no published wrong answers to compare with. Large documents
            # have only those of the mutants of their own requirements.
            comparable = case.id in published_wrong_answers() and (alike or "large" not in case.flags)
            self._wrong += bool(comparable)
            self._alike.update(alike)
        title = "Likely bug" if len(alike) == 1 else "Possible bug"
        lines = [f"{title}: {mutants()[name].mistake} [{name}]" for name in alike[:_MOST_NAMED]]
        if len(alike) > _MOST_NAMED:
            lines.append(f"or one of {len(alike) - _MOST_NAMED} other known bugs with this answer")
        if case.op == "extract" and isinstance(answer.get("result"), str):
            lines += differences(case.members, answer["result"])
        if case.op in _TEXT_OPERATIONS:
            lines += first_difference(case, ask)
        return lines

    def summary(self) -> list[str]:
        """Return lines that name the mutant which explains most of the wrong answers, if one explains any."""
        with self._lock:
            if not self._alike:
                return []
            most = max(self._alike.values())
            # Of those that explain equally many, the one that fails the fewest other cases.
            named = sorted(name for name, count in self._alike.items() if count == most)
            expected = killers()
            fewest = min(len(expected[name]) for name in named)
            best = [name for name in named if len(expected[name]) == fewest]
            share = f"all {most}" if most == self._wrong else f"{most} of {self._wrong}"
        return [
            f"Likely bug: {mutants()[name].mistake} [{name}]; explains {share} comparable wrong answers; "
            f"see {cite(mutants()[name].requirement)}"
            for name in sorted(best)
        ]


def first_difference(case: Case, ask: Ask) -> list[str]:
    """Request the values of the steps, and name the first that differs from the reference's."""
    members = dict(case.members)
    members.setdefault("scheme", "sd64")
    if members["scheme"] not in get_schemes():
        return []  # the error of the scheme comes before all steps
    given = _trace(members, ask)
    hashes_tokens = "result" in ask({"op": "hash_tokens", "tokens": [], "scheme": members["scheme"]})
    if not given and not hashes_tokens:
        return []
    expected_steps = Adapter(Implementation()).answer({"id": 0, "op": "trace", **members})["result"]
    for name, (op, title, clause) in _STEPS.items():
        if name == "hashes":
            if lines := _hash_difference(expected_steps["tokens"], members["scheme"], ask):
                return lines
        elif name in expected_steps and name in given and not same_result(op, expected_steps[name], given[name]):
            lines = [f"first step that differs: {title}; see {cite(clause)}"]
            if op != case.op:  # otherwise the verdict shows both
                expected, found = shown_outcomes(op, {"result": expected_steps[name]}, {"result": given[name]})
                lines += [f"  expected {expected}", f"  given    {found}"]
            return lines
    return []


def _trace(members: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Return the values of the steps that the implementation shows, by `trace` or by the operations of single steps."""
    traced = ask({"op": "trace", **members}).get("result")
    if isinstance(traced, dict):
        return traced
    answers = {
        name: ask({"op": op, **members})
        for name, op in (("folded", "fold"), ("tokens", "tokens"), ("buckets", "buckets"))
    }
    return {name: answer["result"] for name, answer in answers.items() if "result" in answer}


def _hash_difference(tokens: list[str], scheme: str, ask: Ask) -> list[str]:
    asked = sorted(set(tokens))[:_MOST_HASHED]
    request = {"op": "hash_tokens", "tokens": asked, "scheme": scheme}
    given = ask(request).get("result")
    expected_hashes = Adapter(Implementation()).answer({"id": 0, **request})["result"]
    if not isinstance(given, list) or len(given) != len(expected_hashes) or given == expected_hashes:
        return []
    token, expected, found = next(t for t in zip(asked, expected_hashes, given, strict=True) if t[1] != t[2])
    return [
        f"first step that differs: the hash of the token {token!r}; see {cite('SD-HASH-1')}",
        f"  expected {expected}",
        f"  given    {found}",
    ]
