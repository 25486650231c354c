"""Compare the answers to generated requests with the reference, and shrink the first that is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

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

__all__ = ["GENERATOR", "Fuzzed", "Understood", "fuzz", "generate", "smallest", "texts"]

Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]
Members = dict[str, Any]
Found = TypeVar("Found")
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
    for strategy, count in stages:
        finding = smallest(strategy, count, seed, comparison.finding)
        if finding is not None:
            return Fuzzed(comparison.compared, finding)
    return Fuzzed(comparison.compared, None)


def generate(strategy: st.SearchStrategy[Members], count: int, seed: int, visit: Callable[[Members], None]) -> None:
    """Call `visit` with `count` generated values. The same seed and version of Hypothesis give the same ones."""
    _run(strategy, count, seed, visit, [Phase.generate])


def smallest(
    strategy: st.SearchStrategy[Members], count: int, seed: int, find: Callable[[Members], Found | None]
) -> Found | None:
    """Return the finding at the smallest generated value that has one; None if none has.

    Args:
        strategy, count, seed: the same values as those of `generate`, up to the first with a finding.
        find: returns the finding at a value; None if it has none.
    """
    shrinking = _Shrinking(find)
    try:
        _run(strategy, count, seed, shrinking.visit, [Phase.generate, Phase.shrink])
    except (_ShrunkError, AssertionError, hypothesis.errors.Flaky):
        # Flaky: the implementation does not always give the same answer. The wrong one was kept.
        if shrinking.found is None:
            raise
    shrinking.delete_characters()
    return shrinking.found


def _run(
    strategy: st.SearchStrategy[Members], count: int, seed: int, visit: Callable[[Members], None], phases: list[Phase]
) -> None:
    @with_seed(seed)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=phases,
    )
    @given(strategy)
    def test(members: Members) -> None:
        visit(members)

    with TemporaryDirectory() as scratch:
        # Hypothesis stores Unicode tables, which do not belong in the caller's directory.
        set_hypothesis_home_dir(scratch)
        try:
            test()
        finally:
            set_hypothesis_home_dir(None)


class _Shrinking(Generic[Found]):
    """Keeps the finding at the smallest value, and bounds the work for it."""

    def __init__(self, find: Callable[[Members], Found | None]) -> None:
        self._find = find
        self._requests, self._characters, self._size = 0, 0, 0
        self._members: Members = {}
        self.found: Found | None = None

    def visit(self, members: Members) -> None:
        if self._has_finding(members):
            raise AssertionError

    def delete_characters(self) -> None:
        """Delete what the text of the finding does not need.

        Hypothesis stays with the alternatives that it drew: a text of generated words keeps the space after a word.
        """
        text = self._members.get("text", "")
        length = len(text)
        with suppress(_ShrunkError):
            while length:
                at = 0
                while at < len(text):
                    shorter = text[:at] + text[at + length :]
                    if self._has_finding({**self._members, "text": shorter}):
                        text = shorter
                    else:
                        at += length
                length //= 2

    def _has_finding(self, members: Members) -> bool:
        found, before, size = self._find(members), self.found, len(json.dumps(members))
        if found is None and before is None:
            return False
        self._requests += 1
        self._characters += size
        if before and (self._requests > _SHRINKING_REQUESTS or self._characters > _SHRINKING_CHARACTERS):
            raise _ShrunkError
        # Hypothesis shrinks by its own order; of equal sizes the last is the simplest.
        if found is not None and (before is None or size <= self._size):
            self.found, self._members, self._size = found, members, size
        return found is not None


class _Comparison:
    """Compares answers with those of the reference, and counts them up to the first that is wrong."""

    def __init__(self, ask: Ask, op: str, scheme: str, seed: int, schemes: tuple[str, ...]) -> None:
        self._ask, self._op, self._scheme, self._seed, self._schemes = ask, op, scheme, seed, schemes
        self._reference = Adapter(Implementation())
        self._counting = True
        self.compared = 0

    def finding(self, members: Members) -> Finding | None:
        """Return the wrong answer to a request; None if it is right."""
        request = {"op": self._op, **members}
        expected = {name: value for name, value in self._reference.answer(request).items() if name != "id"}
        name = f"fuzz/{self._op}-{self._scheme}-{self._seed}"
        case = Case(name, self._op, members, expected, (), "", ("fuzz",), "found by fuzzing")
        if not is_about(case, self._schemes):
            return None
        self.compared += self._counting
        try:
            answer = self._ask(request)
        except PeerError as failure:
            self._counting = False
            return Finding(case, {}, failure)
        if same_outcome(self._op, expected, answer):
            return None
        self._counting = False
        return Finding(case, answer)
