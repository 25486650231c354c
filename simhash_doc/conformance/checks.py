"""The result of the checks of a full run beyond the vectors."""

from __future__ import annotations

from dataclasses import dataclass

from simhash_doc.conformance.finding import Finding
from simhash_doc.conformance.verdict import Verdict

SEED, EXAMPLES = 1, 100


@dataclass(frozen=True, slots=True)
class FullOptions:
    """The options of the checks: the seed of the generated requests, and their number per operation and scheme."""

    seed: int = SEED
    examples: int = EXAMPLES


@dataclass(frozen=True, slots=True)
class Checks:
    """The result of the checks.

    Attributes:
        options: as given.
        generator: name and version of the library that generates requests; another version generates others.
        verdicts: one per check. Its case is the smallest request with a wrong answer, or has no members.
        findings: the wrong answers to generated requests.
        not_tested: lines that name what neither a check nor a vector tests.
    """

    options: FullOptions
    generator: str
    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...]
    not_tested: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """True if no check failed."""
        return not any(verdict.bad for verdict in self.verdicts)
