"""`simhash-doc conformance run`: check an implementation."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import click

from simhash_doc.cli.conformance_options import (
    HarnessError,
    adapters_end_with_us,
    case_options,
    harness_errors,
    read_suite,
    selected,
)
from simhash_doc.conformance.answers import AnswersTarget
from simhash_doc.conformance.badge import badge
from simhash_doc.conformance.cases import CLASSES
from simhash_doc.conformance.diagnosis import Diagnosis
from simhash_doc.conformance.files import write_whole
from simhash_doc.conformance.html import html_page
from simhash_doc.conformance.junit import junit
from simhash_doc.conformance.known_failures import read_known_failures
from simhash_doc.conformance.markdown import markdown
from simhash_doc.conformance.report import Report, RunOptions, make_report, report_json
from simhash_doc.conformance.runner import TIMEOUT
from simhash_doc.conformance.runner import run as run_cases
from simhash_doc.conformance.suite import Suite
from simhash_doc.conformance.targets import CommandTarget, PythonTarget, Target
from simhash_doc.conformance.terminal import Terminal
from simhash_doc.errors import SimhashDocError

_FILE = click.Path(dir_okay=False, path_type=Path)
_EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
_WRITERS: dict[str, Callable[[Report], str]] = {
    "report": report_json,
    "junit": junit,
    "html": html_page,
    "markdown": markdown,
    "badge": badge,
}


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
Examples:
  simhash-doc conformance run -- ./my-adapter
  simhash-doc conformance run --select 'fold/*' --report report.json -- node adapter.js
  simhash-doc conformance run --select op:fingerprint --python my_module:my_function
  simhash-doc conformance run --answers answers.jsonl

Exit status: 0 everything required passed; 1 failures; 2 wrong use, or the suite itself is at fault.
""",
)
@case_options
@click.option(
    "--class",
    "classes",
    type=click.Choice(list(CLASSES)),
    multiple=True,
    help="Require the operations of this class, besides those that the implementation claims.",
)
@click.option("--known-failures", type=_EXISTING, help="Lines of a glob and a reason; an unexpected pass fails.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=TIMEOUT, show_default=True)
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Number of processes.")
@click.option("--python", "function", metavar="MODULE:FUNCTION", help="Check a Python function instead of a command.")
@click.option("--answers", type=_EXISTING, help="Check answers made elsewhere; nothing is executed.")
@click.option("--report", type=_FILE, help="Write a JSON report, the same bytes in each run.")
@click.option("--junit", type=_FILE, help="Write JUnit XML.")
@click.option("--html", type=_FILE, help="Write a page of HTML.")
@click.option("--markdown", type=_FILE, help="Write Markdown.")
@click.option("--badge", type=_FILE, help="Write an SVG badge.")
@click.option("--timings", is_flag=True, help="Put the time of each case into the reports.")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each case.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] [COMMAND [ARG]...]")
def run(
    command: tuple[str, ...],
    select: tuple[str, ...],
    skip: tuple[str, ...],
    vectors: Path | None,
    classes: tuple[str, ...],
    known_failures: Path | None,
    timeout: float,
    jobs: int,
    function: str | None,
    answers: Path | None,
    timings: bool,
    verbose: bool,
    **files: Path | None,
) -> int:
    """Run the cases against an implementation and say what is wrong with each answer.

    COMMAND is an adapter that speaks the protocol (conformance/PROTOCOL.md) on its standard
    input and output. The FUNCTION of --python is called with protocol requests if its first parameter is
    named `request`, and otherwise with a text (and `scheme`, if it has that parameter),
    for which it returns the fingerprint.
    """
    written = _checked_files(files)
    suite = read_suite(vectors)
    cases = selected(suite, select)
    selected(suite, skip)
    with harness_errors():
        target = _target(suite, command, function, answers)
        known = read_known_failures(known_failures, suite.cases) if known_failures else ()
    options = RunOptions(target.kind, timeout, select, skip, classes, known)
    diagnosis = Diagnosis()
    terminal = Terminal(len(cases), verbose=verbose)
    try:
        with adapters_end_with_us():
            outcome = run_cases(
                cases,
                target,
                suite=suite.version,
                timeout=timeout,
                jobs=jobs,
                classes=classes,
                skip=skip,
                known=known,
                diagnose=diagnosis,
                on_verdict=terminal.show,
            )
        report = make_report(suite, options, outcome, diagnosis=diagnosis.summary(), timings=timings)
        terminal.summarize(report)
        for name, path in written.items():
            write_whole(path, _WRITERS[name](report))
    except BrokenPipeError:
        # The reader went away. As in `main`, which click does not let this reach: it would exit with 1.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (SimhashDocError, OSError) as error:
        raise HarnessError(str(error)) from error
    except Exception:
        # Status 1 would blame the implementation.
        traceback.print_exc()
        return 2
    finally:
        terminal.clear()
    return 0 if outcome.ok else 1


def _checked_files(files: dict[str, Path | None]) -> dict[str, Path]:
    """Refuse reports that cannot be written before the run, not after it."""
    written = {name: path for name, path in files.items() if path is not None}
    for name, path in written.items():
        if not path.absolute().parent.is_dir():
            raise click.UsageError(f"--{name}: there is no directory {path.parent}")
    return written


def _target(suite: Suite, command: tuple[str, ...], function: str | None, answers: Path | None) -> Target:
    if sum(map(bool, (command, function, answers))) != 1:
        raise click.UsageError("give one of: a command after --, --python, --answers")
    if answers:
        return AnswersTarget(answers, suite.cases)
    return PythonTarget(function) if function else CommandTarget(command)
