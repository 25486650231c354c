"""Print verdicts as they arrive: a progress line on a terminal, lines in a pipe, the details of each failure."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.reports.markdown import conclusion, title
from simhash_doc.conformance.reports.report import Report
from simhash_doc.conformance.requirements import cite
from simhash_doc.conformance.verdict import BAD, STATUSES, Status, Verdict

_COLOURS = {"green": "32", "red": "31", "yellow": "33"}
_REDRAW = 0.1  # seconds between two progress lines
_PIPE_STEP = 100  # cases between two progress lines in a pipe
_STDERR_LINES = 15


class Terminal:
    """Prints verdicts to a stream.

    Args:
        total: number of cases.
        stream: where to print; standard output by default.
        verbose: print a line per case.
    """

    def __init__(self, total: int, stream: TextIO | None = None, *, verbose: bool = False) -> None:
        self._total, self._verbose = total, verbose
        self._stream = stream or sys.stdout
        self._interactive = self._stream.isatty()
        self._coloured = self._interactive and not os.environ.get("NO_COLOR")
        self._counts: dict[Status, int] = dict.fromkeys(STATUSES, 0)
        self._drawn_at = 0.0
        self._not_run = ""

    def show(self, verdict: Verdict) -> None:
        """Print a verdict that is bad, or every one if verbose, and redraw the progress."""
        self._counts[verdict.status] += 1
        if verdict.bad and not self._repeated(verdict):
            self._print(*self._failure(verdict))
        elif self._verbose:
            status = self._paint(verdict.status, "green" if verdict.status == "passed" else "yellow")
            self._print(f"{status} {verdict.case.id}{f' ({printable(verdict.reason)})' if verdict.reason else ''}")
        self._progress()

    def summarize(self, report: Report) -> None:
        """Print the counts and the conclusion."""
        counts = ", ".join(f"{report['counts'][status]} {status}" for status in STATUSES if report["counts"][status])
        missing = sum(row["status"] == "failed" and "expected" not in row for row in report["cases"])
        self._print(
            "", printable(title(report)), counts, self._paint(conclusion(report), "green" if report["ok"] else "red")
        )
        for line in report["diagnosis"]:
            self._print(printable(line))
        if missing:
            self._print(f"{missing} of the failed cases need an unsupported operation or scheme.")

    def clear(self) -> None:
        """Remove the progress line."""
        if self._interactive:
            self._stream.write("\r\x1b[K")

    def _repeated(self, verdict: Verdict) -> bool:
        """Return True if a case was not run for the same reason as the previous one."""
        if verdict.status != "not-run":
            return False
        repeated, self._not_run = verdict.reason == self._not_run, verdict.reason
        return repeated

    def _failure(self, verdict: Verdict) -> list[str]:
        case = verdict.case
        status = f"{verdict.status}: {verdict.kind}" if verdict.kind else verdict.status
        lines = [f"{self._paint(status, 'red')} {case.id}", f"  {case.comment}", f"  {verdict.reason}"]
        lines += [f"  requirement {cite(name)}" for name in case.requirements]
        lines += [
            f"  {name:<9} {value}"
            for name, value in (
                ("request", verdict.request),
                ("expected", verdict.expected),
                ("given", verdict.given),
                ("output", verdict.detail),
            )
            if value
        ]
        lines += [f"  {line}" for line in verdict.diagnosis]
        errors = verdict.stderr.expandtabs(4).splitlines()[-_STDERR_LINES:]
        if errors:
            lines += ["  end of its standard error:", *(f"  | {line}" for line in errors)]
        return [lines[0], *map(printable, lines[1:])]

    def _progress(self) -> None:
        done = sum(self._counts.values())
        bad = sum(self._counts[status] for status in BAD)
        line = f"{done} of {self._total} cases, {bad} bad"
        if self._interactive:
            if time.monotonic() - self._drawn_at > _REDRAW:
                self._drawn_at = time.monotonic()
                self._stream.write(f"\r\x1b[K{line}")
                self._stream.flush()
        elif done % _PIPE_STEP == 0 and done < self._total:
            self._print(line)

    def _paint(self, text: str, colour: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._coloured else text

    def _print(self, *lines: str) -> None:
        self.clear()
        for line in lines:
            # A terminal that cannot show a character must not end the run.
            encoding = self._stream.encoding or "utf-8"
            self._stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        self._stream.flush()
