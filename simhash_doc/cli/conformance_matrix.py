"""`simhash-doc conformance matrix`: all implementations against all."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Container, Iterator
from contextlib import ExitStack
from pathlib import Path

import click

from simhash_doc.cli.conformance_options import (
    NEEDS_HYPOTHESIS,
    HarnessError,
    harness_errors,
    read_suite,
    timeout_option,
)
from simhash_doc.conformance.register import FILE, read_register
from simhash_doc.conformance.reports.terminal import Terminal
from simhash_doc.conformance.runner import TIMEOUT
from simhash_doc.conformance.signals import end_adapters_on_exit
from simhash_doc.conformance.targets import CommandTarget
from simhash_doc.files import atomic_write, check_writable

_FILE = click.Path(dir_okay=False, path_type=Path)
Command = tuple[str, tuple[str, ...]]  # a name and the command of its adapter

_REGISTER = Path("conformance") / FILE


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance matrix
  simhash-doc conformance matrix go rust --documents 500
  simhash-doc conformance matrix --adapter mine=./my-adapter python
  simhash-doc conformance matrix --report matrix.json --markdown matrix.md

Exit status: 0 all implementations agree; 1 some differ or failed, or nothing was compared; 2 usage error.
"""
)
@click.option(
    "--adapter",
    "adapters",
    multiple=True,
    metavar="NAME=COMMAND",
    help="An implementation that is not in the register. Repeatable.",
)
@click.option(
    "--register",
    "register",
    type=_FILE,
    default=_REGISTER,
    show_default=True,
    help="Register of implementations. Its commands are run in the current directory.",
)
@click.option(
    "--documents", type=click.IntRange(min=1), default=10_000, show_default=True, help="Number of generated documents."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="The same seed gives the same documents."
)
@timeout_option(TIMEOUT)
@click.option("--report", type=_FILE, help="Write a JSON report.")
@click.option("--markdown", type=_FILE, help="Write Markdown.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def matrix(
    names: tuple[str, ...],
    adapters: tuple[str, ...],
    register: Path,
    documents: int,
    seed: int,
    timeout: float,
    report: Path | None,
    markdown: Path | None,
) -> int:
    """Compare all implementations with each other: the answers of every two to the same requests.

    The requests are the vectors, every Unicode scalar value, all steps of generated documents, and generated requests
    of the other operations. A difference is shrunk and printed as a test case, with the answer of the reference.

    Without NAME, the implementations are those of the register whose command is installed; build the adapters of this
    repository with `python conformance/make_reports.py --build`. An operation that only one of two declares is not
    compared.
    """
    try:
        from simhash_doc.conformance.matrix.participant import Participant
        from simhash_doc.conformance.matrix.run import MatrixOptions, run_matrix
        from simhash_doc.conformance.reports.matrix import make_matrix, matrix_json, matrix_lines, matrix_markdown
    except ImportError as error:
        raise HarnessError(NEEDS_HYPOTHESIS) from error
    suite = read_suite(None)
    commands = dict(_given(adapters))
    if names or not adapters:
        commands |= dict(_registered(register, names, commands))
    absent = {name: why for name, command in commands.items() if (why := _absence(command))}
    if missing := [name for name in absent if name in names]:
        raise click.UsageError(f"{missing[0]}: {absent[missing[0]]}")
    present = {name: command for name, command in commands.items() if name not in absent}
    for path in filter(None, (report, markdown)):
        with harness_errors():
            check_writable(path)
    participants = [
        Participant(name, CommandTarget(command), timeout, suite.version) for name, command in present.items()
    ]
    terminal = Terminal(len(suite.cases), sys.stderr, verbose=False)
    with harness_errors(), end_adapters_on_exit(), ExitStack() as sessions:
        for participant in participants:
            sessions.enter_context(participant.session)
        result = run_matrix(participants, suite.cases, MatrixOptions(documents, seed), terminal.show_part)
        terminal.clear()
    made = make_matrix(result, suite, [*absent.items(), *((p.name, p.absent) for p in participants if p.absent)])
    for text in matrix_lines(made):
        click.echo(text)
    for written, content in ((report, matrix_json(made)), (markdown, matrix_markdown(made))):
        if written is not None:
            with harness_errors(), atomic_write(written) as file:
                file.write(content.encode())
    return 0 if made["ok"] else 1


def _registered(register: Path, names: tuple[str, ...], given: Container[str]) -> Iterator[Command]:
    """Yield the names and commands of the register; those named, if any are."""
    with harness_errors():
        entries = read_register(register)
    if unknown := sorted(set(names) - set(entries)):
        raise click.UsageError(f"{unknown[0]!r} is not one of {', '.join(entries)} in {register}")
    for name in names or entries:
        if name in given:
            raise click.UsageError(f"--adapter {name}: the register has an implementation with this name")
        yield name, entries[name].adapter


def _given(adapters: tuple[str, ...]) -> Iterator[Command]:
    for adapter in adapters:
        name, equals, command = adapter.partition("=")
        if not (name and equals and command):
            raise click.UsageError(f"--adapter {adapter!r}: expected NAME=COMMAND")
        if why := _absence(words := tuple(shlex.split(command))):
            raise click.UsageError(f"--adapter {name}: {why}")
        yield name, words


def _absence(command: tuple[str, ...]) -> str:
    """Return why a command cannot be run; empty if it can."""
    if not command:
        return "its adapter is not public"
    return "" if shutil.which(command[0]) else f"{command[0]} is not installed"
