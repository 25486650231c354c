"""`simhash-doc conformance run`: check an implementation."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TextIO

import click

from simhash_doc.command_line.help import Number
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import Progress
from simhash_doc.console.output import STANDARD_OUTPUT, writing
from simhash_doc.errors import SimhashDocError
from simhash_doc_conformance.commands import (
    STDERR_LINES,
    case_options,
    harness_errors,
    needs_hypothesis,
    read_suite,
    selected,
    timeout_option,
)
from simhash_doc_conformance.formatting import printable
from simhash_doc_conformance.pipeline import ADAPTER
from simhash_doc_conformance.protocol import CLASSES, Answer, Ask

if TYPE_CHECKING:
    from simhash_doc_conformance.reports.report import Report
    from simhash_doc_conformance.running.judge import FirstDifference, Verdict
    from simhash_doc_conformance.running.session import Target
    from simhash_doc_conformance.vectors.cases import Case, Suite

_DETAILED = 5  # failures whose details are shown without --details
_EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
_OUTPUTS = ("report", "junit", "html", "markdown", "badge")


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
Examples:
  simhash-doc conformance run --quick -- ./my-adapter
  simhash-doc conformance run -- ./my-adapter
  simhash-doc conformance run --full --report report.json -- ./my-adapter
  simhash-doc conformance run --select 'fold/*' -- node adapter.js
  simhash-doc conformance run --select op:fingerprint --python module:function
  simhash-doc conformance run --answers answers.jsonl

Ctrl-C ends a run early: what was checked is judged, and written to the reports; the rest was not tested.

Exit status: 0 everything required passed; 1 failures, or nothing was tested, or an output cannot be
written; 2 usage error, or a fault of the suite; 130 Ctrl-C.
""",
)
@case_options
@click.option(
    "--full",
    is_flag=True,
    help="Also check every Unicode scalar value and generated requests, which find more bugs.",
)
@click.option("--quick", is_flag=True, help="Leave out the large cases.")
@click.option(
    "--examples",
    type=Number(1),
    default=100,
    show_default=True,
    help="With --full: generated requests per operation and scheme.",
)
@click.option(
    "--class",
    "classes",
    type=click.Choice(list(CLASSES)),
    multiple=True,
    help="Require the operations of this class, in addition to those that the implementation claims. Repeatable.",
)
@click.option(
    "--known-failures",
    type=_EXISTING,
    metavar="FILE",
    help="File with one pattern and reason per line; a listed case that passes is a failure.",
)
@click.option("--max-failures", type=Number(1), metavar="N", help="Stop after N failures.  [default: run all cases]")
@timeout_option
@click.option("-j", "--jobs", type=Number(1), default=1, show_default=True, help="Number of processes.")
@click.option("--python", "function", metavar="MODULE:FUNCTION", help="Check a Python function instead of a command.")
@click.option("--answers", type=_EXISTING, metavar="FILE", help="Check recorded answers; nothing is executed.")
@click.option(
    "--report",
    type=click.Path(),
    metavar="FILE",
    help="Write a JSON report, which is deterministic; - is standard output.",
)
@click.option("--junit", type=click.Path(), metavar="FILE", help="Write JUnit XML.")
@click.option("--html", type=click.Path(), metavar="FILE", help="Write an HTML page.")
@click.option("--markdown", type=click.Path(), metavar="FILE", help="Write Markdown.")
@click.option("--badge", type=click.Path(), metavar="FILE", help="Write an SVG badge.")
@click.option("--details", is_flag=True, help="Print the details of every failure, not only of the first few.")
@click.option("-v", "--verbose", is_flag=True, help="Print one line per case.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] [COMMAND [ARG]...]")
def run(**options: Any) -> int:
    """Check an implementation, and diagnose its failures.

    COMMAND is an adapter that implements the protocol (conformance/PROTOCOL.md) on its standard input and output.

    --full adds every Unicode scalar value, and generated requests of every operation and scheme that the implementation
    declares. It compares the answers with the reference.

    If the first parameter of the FUNCTION of --python is named `request`, the suite calls it with protocol requests.
    Otherwise it calls the function with a text, and with `scheme` if there is such a parameter. The function returns
    the fingerprint, or None for a text without tokens. Select its cases with --select op:fingerprint.
    """
    files = {name: path for name in _OUTPUTS if (path := options.pop(name)) is not None}
    chosen = SimpleNamespace(**options)
    if chosen.full and (chosen.quick or chosen.answers):
        raise click.UsageError(f"--full cannot be combined with {'--quick' if chosen.quick else '--answers'}")
    if chosen.full:  # before a long run
        with needs_hypothesis():
            import simhash_doc_conformance.full  # noqa: F401
    read = [chosen.known_failures, chosen.answers, *filter(os.path.isfile, chosen.command)]
    check_outputs(*files.values(), inputs=read, folders=[chosen.vectors])
    suite = read_suite(chosen.vectors)
    cases = _in_order_of_running(selected(suite, chosen.select), quick=chosen.quick)
    selected(suite, chosen.skip)
    stream = sys.stderr if STANDARD_OUTPUT in files.values() else sys.stdout
    terminal = Terminal(len(cases), stream, verbose=chosen.verbose)
    with harness_errors():
        try:
            report, interruption = _run(suite, cases, chosen, terminal)
            for name, path in files.items():
                with writing(path) as file:
                    file.write(_written(name, report).encode())
        except (OSError, SimhashDocError, click.ClickException):
            raise
        except Exception:
            import traceback

            # Status 1 would mean a failure of the implementation.
            traceback.print_exc()
            return 2
        finally:
            terminal.progress.clear()
    if interruption:
        raise interruption
    return 0 if report["ok"] else 1


def _written(form: str, report: Report) -> str:
    """Return a report in one of the forms `_OUTPUTS`."""
    from simhash_doc_conformance.reports.page import html_page
    from simhash_doc_conformance.reports.report import report_json
    from simhash_doc_conformance.reports.writers import badge, junit, markdown

    writers: tuple[Callable[[Report], str], ...] = (report_json, junit, html_page, markdown, badge)
    return dict(zip(_OUTPUTS, writers, strict=True))[form](report)


class Terminal:
    """Prints the summary to a stream, and the progress to standard error if that is a terminal.

    Args:
        total: number of cases.
        stream: where to print the summary.
        verbose: print a line per case.
    """

    def __init__(self, total: int, stream: TextIO, *, verbose: bool = False) -> None:
        self._total, self._stream, self._verbose = total, stream, verbose
        self.progress = Progress(None)
        self._colour = False if os.environ.get("NO_COLOR") else None  # None: if the stream is a terminal
        self._done = self._bad = 0

    def show(self, verdict: Verdict) -> None:
        """Redraw the progress; if verbose, print the verdict."""
        self._done += 1
        self._bad += verdict.bad
        self._show_verdict(verdict, verdict.reason)
        self.progress.show(f"{self._done} of {self._total} cases, {self._bad} bad")

    def show_check(self, verdict: Verdict) -> None:
        """Print the verdict of a check if verbose."""
        self._show_verdict(verdict, f"{verdict.inputs} inputs")

    def _show_verdict(self, verdict: Verdict, about: str) -> None:
        if self._verbose:
            colour = "green" if verdict.status == "passed" else "red" if verdict.bad else "yellow"
            status = click.style(verdict.status, fg=colour)
            self.print(f"{status} {verdict.case.id}{printable(about and f' ({about})')}")

    def summarize(self, report: Report, verdicts: Iterable[Verdict] = (), *, all_details: bool = False) -> None:
        """Print the failures by step, the likely bugs, details, the counts and the conclusion.

        Args:
            report: the report.
            verdicts: those of the report, which also have the output of failed processes.
            all_details: print the details of every failure instead of the first few.
        """
        from simhash_doc_conformance.reports.report import (
            all_rows,
            claim_line,
            conclusion,
            failure_lines,
            generated,
            grouped,
            not_tested,
            title,
        )
        from simhash_doc_conformance.running.judge import STATUSES

        if report["failures"]:
            self.print("Failed cases by step:", *(f"  {line}" for line in failure_lines(report["failures"])), "")
        self.print(*map(printable, report["diagnosis"]), *([""] if report["diagnosis"] else []))
        by_id = {verdict.case.id: verdict for verdict in verdicts if verdict.bad}
        groups = [group.rows for group in grouped(row for row in all_rows(report) if row["id"] in by_id)]
        # The cases that the diagnosis names first, then the plainest of each group, and after these all others; of
        # those not run for one reason only the first.
        first_of_groups = [id(rows[0]) for rows in groups]
        rows = sorted(
            (row for rows in groups for row in rows),
            key=lambda row: ("example" not in row, id(row) not in first_of_groups),
        )
        first: dict[str, Verdict] = {}
        for row in rows:
            first.setdefault(row["reason"] if row["status"] == "not-run" else row["id"], by_id[row["id"]])
        ordered = [*first.values()]
        shown = ordered if all_details else ordered[:_DETAILED]
        for verdict in shown:
            self.print(*self._failure(verdict), "")
        if len(shown) < len(ordered):
            self.print(f"{len(ordered) - len(shown)} more failures; show them with --details", "")
        if ordered:
            self.print("The rule that a case tests: simhash-doc conformance explain CASE", "")
        counts = ", ".join(f"{report['counts'][status]} {status}" for status in STATUSES if report["counts"][status])
        self.print(printable(title(report)), counts, *map(printable, not_tested(report)))
        if report["full"]:
            self.print(generated(report))
        self.print(click.style(conclusion(report), fg="green" if report["ok"] else "red"))
        self.print(*filter(None, [claim_line(report)]))

    def _failure(self, verdict: Verdict) -> list[str]:
        from simhash_doc_conformance.vectors.requirements import cite

        case = verdict.case
        status = f"{verdict.status}: {verdict.kind}" if verdict.kind else verdict.status
        known = verdict.violated or verdict.status == "broken" or verdict.step == ADAPTER
        values = {
            "request": verdict.request,
            "expected": verdict.expected,
            "given": verdict.given,
            "output": verdict.detail,
        }
        lines = [
            case.comment,
            verdict.reason,
            *(f"requirement {cite(name)}" for name in verdict.requirements if not known),
            *(f"{name:<9} {value}" for name, value in values.items() if value),
            *verdict.diagnosis,
        ]
        if errors := verdict.stderr.expandtabs(4).splitlines()[-STDERR_LINES:]:
            lines += ["end of its standard error:", *(f"| {line}" for line in errors)]
        return [f"{click.style(status, fg='red')} {case.id}", *(f"  {printable(line)}" for line in lines)]

    def print(self, *lines: str) -> None:
        """Print lines to the stream of the summary."""
        self.progress.clear()
        for line in lines:
            click.echo(line, file=self._stream, color=self._colour)


def _run(
    suite: Suite, cases: list[Case], options: SimpleNamespace, terminal: Terminal
) -> tuple[Report, BaseException | None]:
    """Run the cases and the checks, and print the summary. Return the report, and what a signal raised.

    The first Ctrl-C or SIGTERM ends the run, and what was checked is judged; the second ends the command.
    """
    from simhash_doc_conformance.reports.report import RunOptions, make_report
    from simhash_doc_conformance.running.judge import read_known_failures
    from simhash_doc_conformance.running.runner import Bounds, Expected
    from simhash_doc_conformance.running.runner import run as run_cases
    from simhash_doc_conformance.running.session import Session

    target = _target(suite, options)
    known = read_known_failures(options.known_failures, suite.cases) if options.known_failures else ()
    checks = None
    outcome = run_cases(
        cases,
        target,
        suite=suite.version,
        bounds=Bounds(timeout=options.timeout, jobs=options.jobs, max_failures=options.max_failures),
        expected=Expected(classes=options.classes, skip=options.skip, known=known),
        diagnose=_explain,
        on_verdict=terminal.show,
    )
    if options.full and outcome.handshake is not None and not outcome.left:
        from simhash_doc_conformance.full import run_checks

        with Session(target, options.timeout, suite.version, expected=outcome.handshake) as session:
            checks = run_checks(session, options.examples, terminal.show_check, terminal.progress.show_part)
    interruption = checks.interruption if checks else outcome.interruption
    lines: list[str] = []
    if any(verdict.first or verdict.status == "broken" for verdict in outcome.verdicts):
        from simhash_doc_conformance.diagnosis.findings import conclude

        def fresh(request: Mapping[str, Any]) -> Answer:
            with Session(target, options.timeout, suite.version, expected=outcome.handshake) as session:
                return session.send(request)

        terminal.progress.begin("looking for the bugs that explain the wrong answers")
        if options.answers or interruption:
            concluded, lines = conclude(outcome.verdicts)
        else:
            with Session(target, options.timeout, suite.version, expected=outcome.handshake) as session:
                concluded, lines = conclude(outcome.verdicts, fresh, session.send_quietly)
        outcome = replace(outcome, verdicts=concluded)
    report = make_report(
        suite,
        RunOptions(target.kind, options.timeout, options.select, options.skip, options.classes, options.quick, known),
        outcome,
        checks=checks,
        diagnosis=lines,
    )
    verdicts = (*outcome.verdicts, *(checks.verdicts if checks else ()))
    terminal.summarize(report, verdicts, all_details=options.details)
    if outcome.left:
        why = "Interrupted" if interruption else "Stopped by --max-failures"
        terminal.print(f"{why}: {len(outcome.verdicts):,} of {len(cases):,} cases were run")
    return report, interruption


def _explain(case: Case, answer: Answer, ask: Ask) -> FirstDifference:
    from simhash_doc_conformance.diagnosis.findings import explain  # only if something is wrong: it loads the mutants

    return explain(case, answer, ask)


def _in_order_of_running(cases: list[Case], *, quick: bool) -> list[Case]:
    """Return the cases with the large ones at the end, or without them.

    The first case of each operation comes first: so a run knows soon whether an adapter answers anything, before an
    operation without answers makes it give up.
    """
    from simhash_doc_conformance.vectors.cases import is_late

    large = [case for case in cases if is_late(case)]
    small = [case for case in cases if not is_late(case)]
    first = {case.id: case for case in {case.op: case for case in reversed(small)}.values()}
    return [*first.values(), *(case for case in small if case.id not in first), *([] if quick else large)]


def _target(suite: Suite, options: SimpleNamespace) -> Target:
    from simhash_doc_conformance.running.session import AnswersTarget, CommandTarget, python_target

    if sum(map(bool, (options.command, options.function, options.answers))) != 1:
        raise click.UsageError("give exactly one of: a command after --, --python, --answers")
    if options.answers:
        return AnswersTarget(options.answers, suite.cases)
    return python_target(options.function) if options.function else CommandTarget(options.command)
