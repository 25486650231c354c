"""Implementations in this process, and runs of the package. It imports nothing that tests of Spark lack."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from threading import Event
from typing import Any

import pytest

from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.adapters.package import PackageImplementation
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.protocol import Answer, Handshake, read_handshake
from simhash_doc_conformance.running.judge import read_known_failures
from simhash_doc_conformance.running.runner import Expected, Outcome, run
from simhash_doc_conformance.vectors.cases import Case, load_cases

CASES = load_cases()
_IN_A_STORE = Path(__file__).parents[2] / "conformance/known-failures-store.txt"


class InProcess:
    """An implementation as a target that starts no process. An exception is a crash.

    Args:
        steps: the implementation; the package by default.
        change: may replace or refuse its answers.
        changes: replace members of its handshake.
    """

    kind = "command"

    def __init__(
        self,
        steps: Implementation | PackageImplementation | None = None,
        change: Callable[[Mapping[str, Any], Answer], Answer] = lambda request, answer: answer,
        **changes: Any,
    ) -> None:
        self._adapter, self._change = Adapter(steps or PackageImplementation()), change
        hello = self._adapter.answer({"op": "hello", "protocol": 1})
        self.handshake: Handshake = read_handshake(change({"op": "hello"}, {**hello, **changes}))
        self.sent: list[Mapping[str, Any]] = []

    def connect(self, timeout: float, suite: str, stop: Event | None = None) -> InProcess:
        return self

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        self.sent.append({name: value for name, value in request.items() if name != "id"})
        try:
            answer: Answer = json.loads(json.dumps(self._adapter.answer(request)))
        except Exception as error:
            raise PeerError("crash", repr(error)) from error
        return self._change(request, answer)

    def close(self) -> None:
        pass

    kill = close


def shortest(op: str, count: int, scheme: str = "") -> list[Case]:
    """Return the shortest cases of an operation, and of a scheme if one is given, that have a result."""
    cases = [case for case in CASES if case.op == op and "result" in case.expected]
    cases = [case for case in cases if not scheme or scheme in case.schemes]
    return sorted(cases, key=lambda case: len(json.dumps(case.members)))[:count]


def judged(cases: Iterable[Case], index: str = "memory") -> Outcome:
    """Run cases with the package, and its index of this name."""
    known = read_known_failures(_IN_A_STORE, CASES) if "sql" in index else ()
    return run(cases, InProcess(PackageImplementation(index=index)), suite="", expected=Expected(known=known))


# What becomes of a function that must give the answers.
sabotages = pytest.mark.parametrize("raises", [True, False], ids=["raises", "returns nothing"])


def assert_fails_without(
    function: str, cases: Iterable[Case], index: str, patch: pytest.MonkeyPatch, *, raises: bool
) -> None:
    """Check that cases pass, and that some fail without a function, given as module:name or module:class.name."""
    assert judged(cases, index).ok

    def instead(*given: object, **named: object) -> None:
        if raises:
            raise RuntimeError("sabotaged")

    module, _, path = function.partition(":")
    owner, _, name = path.rpartition(".")
    patch.setattr(resolve_name(f"{module}:{owner}" if owner else module), name, instead)
    assert not judged(cases, index).ok
