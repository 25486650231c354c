"""Measure the diagnosis: known bugs at random, alone, unknown to the catalogue, and three at once.

    python -m benchmarks.diagnosis --seed 1

Each implementation is the reference with the mistakes of mutants. It answers the cases that one of them fails, except
the large ones. All others count as passed.
An *unknown* bug is one that was removed from the catalogue: the diagnosis has to find its step by the answers alone.
With three bugs at once, the advice is followed: each round mends the bug of the first line, by its name or else by its
step, and runs the cases again. Each implementation has a line as soon as it is measured; the figures come at the end.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.diagnosis import suspects
from simhash_doc_conformance.diagnosis.findings import conclude, explain
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.mutants.analysis import first_step, killers, published_wrong_answers
from simhash_doc_conformance.pipeline import STEPS
from simhash_doc_conformance.protocol import Answer, Handshake, read_handshake
from simhash_doc_conformance.running.judge import Verdict
from simhash_doc_conformance.running.runner import run
from simhash_doc_conformance.vectors.cases import Case, load_cases

DECLARED = {
    "all": ("fingerprint", "encode", "decode", "distance", "narrow", "fold", "tokens", "hash_tokens", "buckets",
            "query", "find_all", "update", "trace"),
    "fingerprint": ("fingerprint", "encode", "decode"),
}  # fmt: skip
_ROUNDS = 4


@dataclass
class InProcess:
    """An implementation with these mistakes as a target that starts no process."""

    mistakes: Sequence[str]
    operations: Collection[str]
    kind: str = "command"
    handshake: Handshake = field(init=False)

    def __post_init__(self) -> None:
        parts = tuple(mutants()[name].implementation for name in self.mistakes)
        self._adapter = Adapter(type("wrong", parts, {})())
        hello = self._adapter.answer({"op": "hello", "protocol": 1})
        self.handshake = read_handshake({**hello, "operations": list(self.operations)})

    def connect(self, timeout: float, suite: str, stop: Event | None = None) -> InProcess:
        """Return this object: there is nothing to start."""
        return self

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        """Return the answer; an exception becomes an error, as in the published answers of the mutants."""
        try:
            answer: Answer = json.loads(json.dumps(self._adapter.answer(request)))
        except Exception as error:
            return {"error": type(error).__name__}
        return answer

    def close(self) -> None:
        """Do nothing."""

    kill = close


@dataclass
class Found:
    """What the diagnosis says: its lines, and the step and the names of each of its mistakes."""

    lines: list[str]
    first_step: str
    names: list[str]


def diagnosed(mistakes: Sequence[str], operations: Collection[str], cases: Sequence[Case]) -> Found | None:
    """Return what the diagnosis says of an implementation; None if it passes all cases."""
    failing = {case for name in mistakes for case in killers()[name]}
    answered = [case for case in cases if case.id in failing]
    outcome = run(answered, InProcess(mistakes, operations), suite="", diagnose=explain)
    if not any(verdict.bad for verdict in outcome.verdicts):
        return None
    others = (Verdict(case, "passed") for case in cases if case.id not in failing and case.op in operations)
    verdicts, lines = conclude([*outcome.verdicts, *others])
    by_id = {verdict.case.id: verdict for verdict in verdicts}
    findings = [line for line in lines if "; begin with " in line]
    names = [line.rpartition("[")[2].partition("]")[0] for line in findings if "]; " in line]
    first = by_id[findings[0].partition("; begin with ")[2].partition(";")[0]]
    title = findings[0].partition(". ")[2].partition(":")[0]
    step = next((name for name, known in STEPS.items() if known.title == title), first.step)
    return Found(lines, step, names)


@dataclass
class Counts:
    """Of how many implementations the first step is right, and all bugs are named; and the rounds until they pass."""

    failing: int = 0
    steps: int = 0
    named: int = 0
    rounds: list[int] = field(default_factory=list)


def count(mistakes: Sequence[str], found: Found | None, counts: Counts, *, details: bool) -> None:
    """Add one implementation to the counts; one that passes all cases is left out."""
    if found is None:
        return
    right = min((first_step(mutants()[name]) for name in mistakes), key=list(STEPS).index)
    named = set(mistakes) <= set(found.names)
    counts.failing += 1
    counts.steps += found.first_step == right
    counts.named += named
    said = f"step {'right' if found.first_step == right else f'{found.first_step} instead of {right}'}"
    print("  ", "+".join(mistakes), f"{said}, {'named' if named else 'not named'}", flush=True)
    if details and (found.first_step != right or not named):
        print(*(f"      {line}" for line in found.lines), sep="\n", flush=True)


def follow(mistakes: Sequence[str], cases: Sequence[Case], counts: Counts, *, details: bool) -> None:
    """Mend the bug that the first line names, or else one of its step, and run the cases again, until they pass."""
    left, number = list(mistakes), 1
    while left and number <= _ROUNDS and (found := diagnosed(left, DECLARED["all"], cases)) is not None:
        if number == 1:
            count(mistakes, found, counts, details=details)
        at_step = [name for name in left if first_step(mutants()[name]) == found.first_step]
        mended = ([name for name in found.names[:1] if name in left] or at_step)[:1]
        left = [name for name in left if name not in mended]
        number += 1
    counts.rounds.append(number)
    print("  ", "+".join(mistakes), "rounds:", number, flush=True)


def unknown(name: str, cases: Sequence[Case], counts: Counts, *, details: bool) -> None:
    """Count an implementation whose bug is not in the catalogue of the diagnosis."""
    predicted = suspects._predicted()
    answers = predicted.pop(name)
    try:
        found = diagnosed([name], DECLARED["all"], cases)
    finally:
        predicted[name] = answers
    count([name], found, counts, details=details)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alone", type=int, default=40, help="number of bugs")
    parser.add_argument("--together", type=int, default=20, help="number of implementations with three bugs")
    parser.add_argument("--details", action="store_true", help="print what the diagnosis says if it is wrong")
    options = parser.parse_args()
    published = published_wrong_answers()
    cases = [case for case in load_cases() if "large" not in case.flags and case.op in DECLARED["all"]]
    small = {case.id for case in cases if case.id in published}
    known = [name for name, found in killers().items() if small & set(found)]
    generator = random.Random(options.seed)
    alone = generator.sample(known, options.alone)
    together = [generator.sample(known, 3) for _ in range(options.together)]
    three = Counts()
    for mistakes in together:
        follow(mistakes, cases, three, details=options.details)
    passed = sum(number <= _ROUNDS for number in three.rounds)
    print(f"three bugs: earliest step first {three.steps}, all named {three.named} of {three.failing}", flush=True)
    print(f"three bugs: pass in at most {_ROUNDS} rounds {passed} of {options.together}", three.rounds, flush=True)
    for declared, operations in DECLARED.items():
        one = Counts()
        for name in alone:
            count([name], diagnosed([name], operations, cases), one, details=options.details)
        print(f"one bug, {declared} declared: step {one.steps}, name {one.named} of {one.failing}", flush=True)
    one = Counts()
    for name in alone:
        unknown(name, cases, one, details=options.details)
    print(f"one unknown bug: step {one.steps} of {one.failing}")


if __name__ == "__main__":
    main()
