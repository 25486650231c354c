"""The file of known failures: a pattern and a reason per line. An unexpected pass is reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from simhash_doc.conformance.cases import Case, matches
from simhash_doc.conformance.errors import KnownFailuresError


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One line of the file."""

    line: int
    pattern: str
    reason: str


def read_known_failures(path: Path, cases: Iterable[Case]) -> tuple[KnownFailure, ...]:
    """Read a file of known failures.

    Each line has a pattern as for `select`, white space, and the reason. Lines that begin with `#` are comments.

    Raises:
        KnownFailuresError: a line has no reason, or its pattern matches none of the suite's `cases`.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise KnownFailuresError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise KnownFailuresError(f"{path} is not UTF-8 text: {error}") from error
    suite = list(cases)
    known = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        pattern, *reason = line.split(maxsplit=1)
        if not reason:
            raise KnownFailuresError(f"{path}, line {number}: {pattern!r} has no reason; write PATTERN REASON")
        if not any(matches(case, pattern) for case in suite):
            raise KnownFailuresError(f"{path}, line {number}: {pattern!r} matches no case of the suite")
        known.append(KnownFailure(number, pattern, reason[0].strip()))
    return tuple(known)


def known_failure(case: Case, known: Sequence[KnownFailure]) -> KnownFailure | None:
    """Return the first line that matches a case."""
    return next((entry for entry in known if matches(case, entry.pattern)), None)
