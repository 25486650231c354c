"""What the conformance commands have in common: choosing cases, and errors that are not the implementation's."""

from __future__ import annotations

import difflib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from simhash_doc.conformance import cases as vectors
from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.descendants import adopted_orphans
from simhash_doc.conformance.differences import printable
from simhash_doc.conformance.failures import PeerFailure
from simhash_doc.conformance.suite import Suite, load_suite
from simhash_doc.errors import SimhashDocError

Decorated = Callable[..., Any]
_STDERR_LINES = 15


class HarnessError(click.ClickException):
    """Wrong use, or a fault of the suite: status 2, so that 1 always means the implementation."""

    exit_code = 2


class ImplementationError(click.ClickException):
    """The implementation failed where no single case can be blamed: status 1."""


@contextmanager
def harness_errors() -> Iterator[None]:
    """Turn the package's errors and those of files into `HarnessError`, but failures of the implementation."""
    try:
        yield
    except PeerFailure as failure:
        lines = [str(failure), *failure.stderr.expandtabs(4).splitlines()[-_STDERR_LINES:]]
        raise ImplementationError("\n".join(map(printable, lines))) from failure
    except (SimhashDocError, OSError) as error:
        raise HarnessError(str(error)) from error


@contextmanager
def adapters_end_with_us() -> Iterator[None]:
    """Leave no adapter behind, also when this program is told to end: SIGTERM and SIGHUP then act as Ctrl-C does."""
    # What is ignored (nohup) stays so; Windows has no SIGHUP.
    ending = [signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if name in signal.Signals.__members__]
    changed = [number for number in ending if signal.getsignal(number) == signal.SIG_DFL]
    for number in changed:
        signal.signal(number, _exit_in_order)
    try:
        with adopted_orphans():
            yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _exit_in_order(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)


def case_options(command: Decorated) -> Decorated:
    """Add --select, --skip and --vectors."""
    patterns = "Glob over case ids, or op:GLOB, flag:GLOB, lang:GLOB, req:GLOB. May be given more than once."
    for option in (
        click.option(
            "--vectors",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="Directory of other vectors than those of the package.",
        ),
        click.option("--skip", multiple=True, metavar="GLOB", help="Leave out these cases; globs as for --select."),
        click.option("--select", multiple=True, metavar="GLOB", help=f"Take only these cases. {patterns}"),
    ):
        command = option(command)
    return command


def read_suite(directory: Path | None) -> Suite:
    """Return the suite.

    Raises:
        HarnessError: its files are missing or damaged.
    """
    with harness_errors():
        return load_suite(directory)


def case_named(case_id: str, vectors_directory: Path | None = None) -> Case:
    """Return the case with an id; refuse an unknown one, with those that are near."""
    cases = {case.id: case for case in read_suite(vectors_directory).cases}
    if case_id not in cases:
        near = difflib.get_close_matches(case_id, cases, n=3)
        hint = f"; near to it: {', '.join(near)}" if near else ""
        raise click.UsageError(f"there is no case {case_id!r}{hint}")
    return cases[case_id]


def selected(suite: Suite, select: Sequence[str], skip: Sequence[str] = ()) -> list[Case]:
    """Return the cases to take; refuse patterns that match none, which are likely misspelt."""
    for pattern in (*select, *skip):
        if not any(vectors.matches(case, pattern) for case in suite.cases):
            raise click.UsageError(f"{pattern!r} matches no case; `simhash-doc conformance list` prints them")
    return vectors.select(suite.cases, only=select, skip=skip)
