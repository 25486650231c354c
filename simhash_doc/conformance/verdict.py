"""What the runner says of a case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.failures import Kind

Status = Literal[
    "passed",
    "failed",  # a wrong answer, or a required operation that is not supported
    "broken",  # no answer: the process failed in one of the named ways
    "unsupported",
    "skipped",  # by the caller
    "known-failure",  # failed or broken, and listed with a reason
    "unexpected-pass",  # passed, though listed as a known failure
    "not-run",
]
STATUSES: tuple[Status, ...] = (
    "passed",
    "failed",
    "broken",
    "unsupported",
    "skipped",
    "known-failure",
    "unexpected-pass",
    "not-run",
)
BAD: frozenset[Status] = frozenset(("failed", "broken", "unexpected-pass", "not-run"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one case.

    Attributes:
        reason: why, in a sentence; empty for a plain pass.
        required: whether `unsupported` would be a failure.
        kind: the named failure of a broken case.
        expected, given: for a wrong answer, both outcomes as text, shortened around the first difference.
        request: the request that was answered wrongly, as text, shortened.
        diagnosis: lines that say what is probably wrong.
        detail, stderr: what a process that failed wrote last, on standard output and standard error. Unlike
            all else they may hang on timing, and are in no report.
        seconds: time from the first request to the last answer.
    """

    case: Case
    status: Status
    reason: str = ""
    required: bool = False
    kind: Kind | None = None
    expected: str = ""
    given: str = ""
    request: str = ""
    diagnosis: list[str] = field(default_factory=list)
    detail: str = ""
    stderr: str = ""
    seconds: float = 0.0

    @property
    def bad(self) -> bool:
        """Whether the run fails because of it."""
        return self.status in BAD
