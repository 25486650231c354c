"""Print the progress of a run, in one line on a terminal, and its summary."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, TextIO

from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.judge import BAD, STATUSES, Status, Verdict
from simhash_doc.conformance.report import (
    Report,
    all_rows,
    conclusion,
    failure_lines,
    generated,
    not_tested,
    order,
    title,
)
from simhash_doc.conformance.requirements import cite

_COLOURS = {"green": "32", "red": "31", "yellow": "33"}
_REDRAW = 0.1  # seconds between two progress lines
_STDERR_LINES = 15
_DETAILED = 5  # failures whose details are shown without --details


class Terminal:
    """Prints the summary to a stream, and the progress to standard error if that is a terminal.

    Args:
        total: number of cases.
        stream: where to print the summary; standard output by default.
        verbose: print a line per case.
    """

    def __init__(self, total: int, stream: TextIO | None = None, *, verbose: bool = False) -> None:
        self._total, self._verbose = total, verbose
        self._stream = stream or sys.stdout
        self._interactive = sys.stderr.isatty()
        self._coloured = self._stream.isatty() and not os.environ.get("NO_COLOR")
        self._counts: dict[Status, int] = dict.fromkeys(STATUSES, 0)
        self._drawn_at = 0.0

    def show(self, verdict: Verdict) -> None:
        """Redraw the progress; if verbose, print the verdict."""
        self._counts[verdict.status] += 1
        if self._verbose:
            colour = "green" if verdict.status == "passed" else "red" if verdict.bad else "yellow"
            reason = f" ({printable(verdict.reason)})" if verdict.reason else ""
            self.print(f"{self._paint(verdict.status, colour)} {verdict.case.id}{reason}")
        done = sum(self._counts.values())
        self._progress(f"{done} of {self._total} cases, {sum(self._counts[status] for status in BAD)} bad")

    def show_check(self, verdict: Verdict) -> None:
        """Print the verdict of a check if verbose."""
        if self._verbose:
            colour = "red" if verdict.bad else "green"
            self.print(f"{self._paint(verdict.status, colour)} {verdict.case.id} ({verdict.inputs} inputs)")

    def show_part(self, what: str, done: int, total: int) -> None:
        """Show the progress of a check."""
        self._progress(f"{what}, {done} of {total}")

    def summarize(self, report: Report, verdicts: Iterable[Verdict] = (), *, all_details: bool = False) -> None:
        """Print the failures by step, the likely bugs, details, the counts and the conclusion.

        Args:
            report: the report.
            verdicts: those of the report, which also have the output of failed processes.
            all_details: print the details of every failure instead of the first few.
        """
        if report["failures"]:
            self.print("Failed cases by step:", *(f"  {line}" for line in failure_lines(report["failures"])), "")
        self.print(*map(printable, report["diagnosis"]), *([""] if report["diagnosis"] else []))
        by_id = {verdict.case.id: verdict for verdict in verdicts if verdict.bad}
        ordered = _distinct(sorted((row for row in all_rows(report) if row["id"] in by_id), key=order))
        shown = ordered if all_details else ordered[:_DETAILED]
        for row in shown:
            self.print(*self._failure(by_id[row["id"]]), "")
        if len(shown) < len(ordered):
            self.print(f"{len(ordered) - len(shown)} more failures; show them with --details", "")
        counts = ", ".join(f"{report['counts'][status]} {status}" for status in STATUSES if report["counts"][status])
        self.print(printable(title(report)), counts, *map(printable, not_tested(report)))
        if report["full"]:
            self.print(generated(report))
        self.print(self._paint(conclusion(report), "green" if report["ok"] else "red"))

    def clear(self) -> None:
        """Remove the progress line."""
        if self._interactive:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

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

    def _progress(self, line: str) -> None:
        if self._interactive and time.monotonic() - self._drawn_at > _REDRAW:
            self._drawn_at = time.monotonic()
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    def _paint(self, text: str, colour: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._coloured else text

    def print(self, *lines: str) -> None:
        """Print lines to the stream of the summary."""
        self.clear()
        for line in lines:
            # A terminal that cannot show a character must not end the run.
            encoding = self._stream.encoding or "utf-8"
            self._stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        self._stream.flush()


def _distinct(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows; of consecutive cases that were not run for one reason, only the first."""
    kept = rows[:1]
    for before, row in pairwise(rows):
        if row["status"] != "not-run" or _reason(before) != _reason(row):
            kept.append(row)
    return kept


def _reason(row: dict[str, Any]) -> tuple[str, str]:
    return row["status"], row.get("reason", "")
