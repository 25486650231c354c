"""Compare the answers to generated requests with the reference, and shrink the first that is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case, same_outcome
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.finding import Finding
from simhash_doc.conformance.fuzzing.strategies import Understood, long_requests, requests
from simhash_doc.conformance.fuzzing.texts import texts
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.requests import is_about

__all__ = ["GENERATOR", "Fuzzed", "Understood", "fuzz", "texts"]

Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]
GENERATOR = f"hypothesis {hypothesis.__version__}"
LONG_SHARE = 5  # one long text for so many short ones
# Bounds of the work for a smaller request after the first wrong answer; not seconds, so that results are reproducible.
_SHRINKING_REQUESTS, _SHRINKING_CHARACTERS = 500, 1_000_000


@dataclass(frozen=True, slots=True)
class Fuzzed:
    """The result of fuzzing: the number of answers that were compared, and the smallest wrong one, if any."""

    compared: int
    finding: Finding | None


class _ShrunkError(BaseException):
    """Ends Hypothesis. Not an `Exception`, which Hypothesis would treat as a wrong answer."""


def fuzz(
    ask: Ask, op: str, examples: int, seed: int, scheme: str = "sd64", understood: Understood | None = None
) -> Fuzzed:
    """Send generated requests of an operation until one is answered wrongly, and shrink that one.

    Args:
        ask: sends a request to the implementation. A failure of its process counts as a wrong answer.
        op: an operation of the protocol except `extract`.
        examples: number of requests; a fifth as many with long texts are added for the first scheme.
        seed: the same seed and version of Hypothesis give the same requests.
        scheme: short id of the scheme.
        understood: what the implementation supports; everything by default.
    """
    understood = understood or Understood()
    comparison = _Comparison(ask, op, scheme, seed, understood.schemes)
    stages = [(requests(op, scheme, understood), examples)]
    if (long := long_requests(op, scheme, understood)) is not None:
        stages.append((long, -(-examples // LONG_SHARE)))
    with TemporaryDirectory() as scratch:
        # Hypothesis stores Unicode tables, which do not belong in the caller's directory.
        set_hypothesis_home_dir(scratch)
        try:
            for strategy, count in stages:
                comparison.run(strategy, count)
                if comparison.finding is not None:
                    break
        finally:
            set_hypothesis_home_dir(None)
    return Fuzzed(comparison.compared, comparison.finding)


class _Comparison:
    def __init__(self, ask: Ask, op: str, scheme: str, seed: int, schemes: tuple[str, ...]) -> None:
        self._ask, self._op, self._scheme, self._seed, self._schemes = ask, op, scheme, seed, schemes
        self._reference = Adapter(Implementation())
        self._shrinking, self._characters, self._size = 0, 0, 0
        self.compared = 0
        self.finding: Finding | None = None

    def run(self, strategy: st.SearchStrategy[dict[str, Any]], examples: int) -> None:
        """Compare generated requests; keep the smallest with a wrong answer in `finding`."""

        @with_seed(self._seed)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        )
        @given(strategy)
        def compare(members: dict[str, Any]) -> None:
            finding = self._compare(members)
            if self.finding is not None or finding is not None:
                self._count(members)
            if finding is not None:
                self._keep(finding)
                raise AssertionError

        try:
            compare()
        except (_ShrunkError, AssertionError, hypothesis.errors.Flaky):
            # Flaky: the implementation does not always give the same answer. The wrong one was kept.
            if self.finding is None:
                raise

    def _compare(self, members: dict[str, Any]) -> Finding | None:
        request = {"op": self._op, **members}
        expected = {name: value for name, value in self._reference.answer(request).items() if name != "id"}
        name = f"fuzz/{self._op}-{self._scheme}-{self._seed}"
        case = Case(name, self._op, members, expected, (), "", ("fuzz",), "found by fuzzing")
        if not is_about(case, self._schemes):
            return None
        if self.finding is None:
            self.compared += 1
        try:
            answer = self._ask(request)
        except PeerError as failure:
            return Finding(case, {}, failure)
        return None if same_outcome(self._op, expected, answer) else Finding(case, answer)

    def _count(self, members: dict[str, Any]) -> None:
        self._shrinking += 1
        self._characters += len(json.dumps(members))
        if self.finding and (self._shrinking > _SHRINKING_REQUESTS or self._characters > _SHRINKING_CHARACTERS):
            raise _ShrunkError

    def _keep(self, finding: Finding) -> None:
        size = len(json.dumps(finding.case.members))
        # Hypothesis shrinks by its own order; of equal sizes the last is the simplest.
        if self.finding is None or size <= self._size:
            self.finding, self._size = finding, size
