"""`simhash-doc conformance`: the group of the conformance suite's commands, and the options that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simhash_doc.command_line.groups import LazyGroup
from simhash_doc.command_line.help import Number
from simhash_doc.console import CommandError
from simhash_doc.console.termination import TerminatedError
from simhash_doc.errors import SimhashDocError
from simhash_doc_conformance.errors import PeerError, StoppedError
from simhash_doc_conformance.formatting import printable
from simhash_doc_conformance.protocol import TIMEOUT

if TYPE_CHECKING:
    from simhash_doc_conformance.vectors.cases import Case, Suite

_COMMANDS = {
    "adapter": "simhash_doc_conformance.commands.cases:adapter",
    "explain": "simhash_doc_conformance.commands.cases:explain",
    "fuzz": "simhash_doc_conformance.commands.compare:fuzz",
    "init": "simhash_doc_conformance.commands.cases:init",
    "list": "simhash_doc_conformance.commands.cases:list_cases",
    "matrix": "simhash_doc_conformance.commands.compare:matrix",
    "mutants": "simhash_doc_conformance.commands.cases:mutants",
    "requests": "simhash_doc_conformance.commands.cases:requests",
    "run": "simhash_doc_conformance.commands.run:run",
    "show": "simhash_doc_conformance.commands.cases:show_case",
    "unicode": "simhash_doc_conformance.commands.compare:unicode",
}
# The first sentences of the commands, so that --help loads none of them.
_SUMMARIES = {
    "adapter": "Answer requests on standard input, until its end.",
    "explain": "Print the purpose of a case or a requirement.",
    "fuzz": "Compare answers to random requests to the reference.",
    "init": "Write an adapter template to DIR.",
    "list": "List the cases: id, operation and comment.",
    "matrix": "Compare the implementations with each other.",
    "mutants": "Run the vectors against each mutant.",
    "requests": "Print the requests, for answers without the runner.",
    "run": "Check an implementation, and diagnose its failures.",
    "show": "Print a case: comment, requirements, input, answer.",
    "unicode": "Compare every Unicode scalar value to the reference.",
}
_SECTIONS = {
    "Check an implementation": ("run", "unicode", "fuzz", "matrix"),
    "Look at the cases": ("list", "show", "explain", "requests", "mutants"),
    "Write an adapter": ("init", "adapter"),
}
Decorated = Callable[..., Any]
STDERR_LINES = 15


@click.group(
    cls=LazyGroup,
    lazy=_COMMANDS,
    sections=_SECTIONS,
    summaries=_SUMMARIES,
    epilog="""\b
Examples:
  simhash-doc conformance init --lang go my-adapter
  simhash-doc conformance run -- ./my-adapter
  simhash-doc conformance explain SD-FOLD-1

Exit status: 0 everything required passed; 1 failures, or an output cannot be written; 2 usage error.
""",
)
def conformance() -> None:
    """Check an implementation against the published vectors."""


class HarnessError(click.ClickException):
    """A usage error, or a fault of the suite: status 2, to distinguish it from a fault of the implementation."""

    exit_code = 2


class ImplementationError(click.ClickException):
    """The implementation failed outside a single case: status 1.

    Attributes:
        lines: the message.
    """

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


@contextmanager
def harness_errors() -> Iterator[None]:
    """Turn errors into `HarnessError`, and failures of the implementation into `ImplementationError`."""
    try:
        yield
    except StoppedError as error:
        raise TerminatedError from error
    except PeerError as failure:
        lines = [str(failure), *failure.stderr.expandtabs(4).splitlines()[-STDERR_LINES:]]
        raise ImplementationError([*map(printable, lines)]) from failure
    except OSError as error:
        # Without a name it is the error of standard output.
        if isinstance(error, BrokenPipeError):
            raise
        name = error.filename or "standard output"
        kind = HarnessError if error.filename else click.ClickException
        raise kind(f"{name}: {error.strerror or error}") from error
    except CommandError:
        raise
    except SimhashDocError as error:
        raise HarnessError(str(error)) from error


@contextmanager
def needs_hypothesis() -> Iterator[None]:
    """Turn the error of an import that needs Hypothesis into `HarnessError`."""
    try:
        yield
    except ImportError as error:
        raise HarnessError(
            "generated requests need Hypothesis; install the extra `fuzz`: pip install 'simhash-doc[fuzz]'"
        ) from error


vectors_option = click.option(
    "--vectors",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Directory of vectors.  [default: those of the package]",
)


def case_options(command: Decorated) -> Decorated:
    """Add --select, --skip and --vectors."""
    patterns = "Glob over case ids, or op:GLOB, flag:GLOB, lang:GLOB, req:GLOB. Repeatable."
    for option in (
        vectors_option,
        click.option(
            "--skip", multiple=True, metavar="GLOB", help="Skip these cases; patterns as for --select. Repeatable."
        ),
        click.option("--select", multiple=True, metavar="GLOB", help=f"Use only these cases. {patterns}"),
    ):
        command = option(command)
    return command


timeout_option = click.option(
    "--timeout",
    type=Number(0, kind=float, above=True),
    default=TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="Seconds for the answer to a short request. Long requests get as many again for each MiB (PROTOCOL.md).",
)


def read_suite(directory: Path | None) -> Suite:
    """Return the suite.

    Raises:
        HarnessError: its files are missing or corrupt.
    """
    from simhash_doc_conformance.vectors.cases import load_suite

    with harness_errors():
        return load_suite(directory)


def case_named(case_id: str, vectors_directory: Path | None = None) -> Case:
    """Return the case with this id; for an unknown id, raise a usage error that suggests similar ones."""
    import difflib

    cases = {case.id: case for case in read_suite(vectors_directory).cases}
    if case_id not in cases:
        near = difflib.get_close_matches(case_id, cases, n=3)
        hint = f"; similar: {', '.join(near)}" if near else ""
        raise click.UsageError(f"{case_id!r} is not a case of the suite{hint}")
    return cases[case_id]


def selected(suite: Suite, select: Sequence[str], skip: Sequence[str] = ()) -> list[Case]:
    """Return the selected cases; reject patterns that match none, which are likely misspelt."""
    from simhash_doc_conformance.vectors import cases as vectors

    for pattern in (*select, *skip):
        if not any(vectors.matches(case, pattern) for case in suite.cases):
            raise click.UsageError(f"{pattern!r} matches no case; list them with `simhash-doc conformance list`")
    return vectors.select(suite.cases, only=select, skip=skip)
