"""The package in this process as an implementation, and runs of it. It imports nothing that tests of Spark lack."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from threading import Event
from typing import Any

import pytest

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case, case_schemes, load_cases
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.judge import read_known_failures
from simhash_doc.conformance.package import PackageImplementation
from simhash_doc.conformance.protocol import Answer, read_handshake
from simhash_doc.conformance.runner import Outcome, run

CASES = load_cases()
_IN_A_STORE = Path(__file__).parents[2] / "conformance/known-failures-store.txt"


class Package:
    """A target and its peer. An exception is a crash."""

    kind = "command"

    def __init__(self, index: str) -> None:
        self._adapter = Adapter(PackageImplementation(index=index))
        self.handshake = read_handshake(self._adapter.answer({"op": "hello"}))

    def connect(self, timeout: float, suite: str, stop: Event | None = None) -> Package:
        return self

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        try:
            answer: Answer = json.loads(json.dumps(self._adapter.answer(request)))
        except Exception as error:
            raise PeerError("crash", repr(error)) from error
        return answer

    def close(self) -> None:
        pass

    kill = close


def shortest(op: str, count: int, scheme: str = "") -> list[Case]:
    """Return the shortest cases of an operation, and of a scheme if one is given, that have a result."""
    cases = [case for case in CASES if case.op == op and "result" in case.expected]
    cases = [case for case in cases if not scheme or scheme in case_schemes(case)]
    return sorted(cases, key=lambda case: len(json.dumps(case.members)))[:count]


def judged(cases: Iterable[Case], index: str = "memory") -> Outcome:
    """Run cases with the package, and its index of this name."""
    known = read_known_failures(_IN_A_STORE, CASES) if "sql" in index else ()
    return run(cases, Package(index), suite="", known=known)


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
