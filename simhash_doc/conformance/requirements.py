"""The numbered requirements of the specification, and what tests them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.mutants import Mutant
from simhash_doc.resources import published

SPECIFICATION = "spec/simhash-doc.md"
_CLAUSE = re.compile(r'<a id="(SD-[A-Z]+-\d+)"></a>\*\*\1\*\* (.+?)(?=\n\n|\Z)', re.DOTALL)


@cache
def requirements() -> dict[str, str]:
    """Return the text of each requirement, on one line, by its identifier, in the order of the specification."""
    text = (published("spec") / "simhash-doc.md").read_text(encoding="utf-8")
    return {identifier: " ".join(clause.split()) for identifier, clause in _CLAUSE.findall(text)}


@dataclass(frozen=True, slots=True)
class Trace:
    """A requirement with the cases and the wrong ports that are about it."""

    requirement: str
    cases: tuple[str, ...]
    mutants: tuple[str, ...]


def traceability(cases: Iterable[Case], mutants: Iterable[Mutant]) -> list[Trace]:
    """Return the trace of each requirement, in the order of the specification."""
    cases, mutants = list(cases), list(mutants)
    return [
        Trace(
            identifier,
            tuple(case.id for case in cases if identifier in case.requirements),
            tuple(mutant.name for mutant in mutants if mutant.requirement == identifier),
        )
        for identifier in requirements()
    ]


def clause_link(requirement: str) -> str:
    """Return where a requirement stands, relative to the repository."""
    return f"{SPECIFICATION}#{requirement}"
