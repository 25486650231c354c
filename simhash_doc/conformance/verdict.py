"""The verdict on a case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.errors import Kind

Status = Literal[
    "passed",
    "failed",  # a wrong answer, or a required operation that is not supported
    "broken",  # no answer: the process failed in one of the named ways
    "unsupported",
    "skipped",  # by the caller
    "known-failure",  # failed or broken, and listed with a reason
    "unexpected-pass",  # passed, but listed as a known failure
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
        reason: why; empty for a pass.
        required: True if `unsupported` is a failure.
        kind: the named failure of a broken case.
        expected, given: both outcomes of a wrong answer as text, shortened around the first difference.
        request: the request with the wrong answer, as shortened text.
        diagnosis: lines with the likely bugs.
        detail, stderr: the last output of a failed process, on standard output and standard error. They may depend
            on timing, so no report has them.
        inputs: number of generated inputs of a check (see `full`); 0 for a case.
        step: step of the pipeline at which a wrong answer begins to differ, if it is known.
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
    inputs: int = 0
    step: str = ""
    seconds: float = 0.0

    @property
    def bad(self) -> bool:
        """True if the run fails because of it."""
        return self.status in BAD
