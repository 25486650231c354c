"""`simhash-doc conformance fuzz`, `matrix` and `unicode`: check implementations beyond the vectors."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Container, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simhash_doc.command_line.help import Number
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import Progress
from simhash_doc.console.output import writing
from simhash_doc.console.termination import terminated
from simhash_doc_conformance.commands import (
    harness_errors,
    needs_hypothesis,
    read_suite,
    timeout_option,
)
from simhash_doc_conformance.formatting import printable

if TYPE_CHECKING:
    from simhash_doc_conformance.running.judge import Verdict
    from simhash_doc_conformance.running.session import Session

_REGISTER = Path("conformance/implementations.json")
Command = tuple[str, tuple[str, ...]]  # a name and the command of its adapter


def _show_checks(command: tuple[str, ...], timeout: float, checks: Callable[[Session], Iterator[Verdict]]) -> int:
    """Print the verdicts of checks of an adapter, up to the first failure; return the exit status."""
    from simhash_doc_conformance.running.session import CommandTarget, Session

    session, passed = Session(CommandTarget(command), timeout, read_suite(None).version, terminated), 0
    with harness_errors(), session:
        for verdict in checks(session):
            Progress.clear()
            click.echo(_lines(verdict))
            if verdict.bad:
                return 1
            passed += 1
        if passed:
            session.close()
            return 0
    click.echo("nothing was tested: the handshake declares no operation that is needed")
    return 1


def _lines(verdict: Verdict) -> str:
    kind, _, name = verdict.case.id.partition("/")
    if not verdict.bad:
        return f"{name}: {verdict.inputs:,} {'scalar values' if kind == 'sweep' else 'requests'} agree"
    lines = [f"{name}: {verdict.reason}", f"  request  {verdict.request}"]
    if verdict.expected:
        lines += [f"  expected {verdict.expected}", f"  given    {verdict.given}"]
    return "\n".join(map(printable, [*lines, *(f"  {line}" for line in verdict.diagnosis)]))


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
Examples:
  simhash-doc conformance fuzz -- ./my-adapter
  simhash-doc conformance fuzz --examples 20000 --seed 7 -- ./my-adapter
  simhash-doc conformance fuzz --op decode --op query -- ./my-adapter

Exit status: 0 nothing found; 1 a wrong answer, or nothing was tested; 2 usage error.
""",
)
@click.option("--examples", type=Number(1), default=1000, show_default=True, help="Requests per operation and scheme.")
@click.option("--seed", type=Number(0), default=None, help="The same seed gives the same requests.  [default: random]")
@click.option("--op", "operations", multiple=True, metavar="OP", help="Only this operation. Repeatable.")
@timeout_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND [ARG]...")
def fuzz(command: tuple[str, ...], examples: int, seed: int | None, operations: tuple[str, ...], timeout: float) -> int:
    """Compare answers to random requests to the reference.

    Requests are generated for each declared operation and scheme. A request with a wrong answer is shrunk and
    printed, with a test case that is ready to be submitted. The search ends with the first operation and scheme
    that fails. `run --full` includes a shorter search.
    """
    import secrets

    with needs_hypothesis():
        from simhash_doc_conformance.full import fuzzing
        from simhash_doc_conformance.generated.requests import OPERATIONS
    if unknown := sorted(set(operations) - set(OPERATIONS)):
        raise click.UsageError(f"--op: {unknown[0]!r} is not one of {', '.join(OPERATIONS)}")
    chosen = secrets.randbelow(2**32) if seed is None else seed
    click.echo(f"seed {chosen}")
    return _show_checks(command, timeout, lambda session: fuzzing(session, examples, chosen, operations or OPERATIONS))


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
Examples:
  simhash-doc conformance unicode -- node adapter.mjs

Exit status: 0 all agree; 1 some differ, nothing can be compared, or the implementation failed; 2 usage error.
""",
)
@timeout_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND [ARG]...")
def unicode(command: tuple[str, ...], timeout: float) -> int:
    """Compare every Unicode scalar value to the reference.

    The command sends the 1,112,064 values alone and next to letters, digits and marks. It prints the first 50 code
    points that differ. The oracle is the specification in code (`simhash_doc.reference`), not an optimized engine.

    If the adapter declares them, the command uses the operations `fold` and `tokens`. With the feature `digest` it
    compares digests of ranges, otherwise `buckets`. With `fingerprint` alone it sends one request per 16 code points,
    which takes minutes.
    """
    from simhash_doc_conformance.generated.sweep import sweeping

    return _show_checks(command, timeout, lambda session: sweeping(session, Progress(None).show_part))


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance matrix
  simhash-doc conformance matrix go rust --documents 500
  simhash-doc conformance matrix --adapter mine=./my-adapter python
  simhash-doc conformance matrix --report matrix.json

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
    "--documents",
    type=Number(1),
    default=10_000,
    show_default=True,
    help="Number of generated documents for each step.",
)
@timeout_option
@click.option("--report", type=click.Path(), metavar="FILE", help="Write a JSON report.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def matrix(
    names: tuple[str, ...], adapters: tuple[str, ...], documents: int, timeout: float, report: str | None
) -> int:
    """Compare the implementations with each other.

    The command compares the answers of every two to the same requests. The requests are the vectors, every Unicode
    scalar value, all steps of generated documents, and generated requests of the other operations. The command shrinks
    each difference and prints it as a test case, with the answer of the reference.

    Without NAME, the implementations are those of the register (conformance/implementations.json) whose command is
    installed; build the adapters of this repository with `python conformance/make_reports.py --build`. An operation
    that only one of two declares is not compared.
    """
    from simhash_doc_conformance.running.session import CommandTarget

    with needs_hypothesis():
        from simhash_doc_conformance.reports.matrix import Participant, matrix_json, matrix_lines, run_matrix
    suite = read_suite(None)
    commands = dict(_given(adapters))
    if names or not adapters:
        commands |= dict(_registered(names, commands))
    absent = {name: why for name, command in commands.items() if (why := _absence(command))}
    if missing := [name for name in absent if name in names]:
        raise click.UsageError(f"{missing[0]}: {absent[missing[0]]}")
    present = {name: command for name, command in commands.items() if name not in absent}
    words = [word for command in present.values() for word in command if os.path.isfile(word)]
    check_outputs(report, inputs=[_REGISTER, *words])
    participants = [
        Participant(name, CommandTarget(command), timeout, suite.version) for name, command in present.items()
    ]
    with harness_errors(), ExitStack() as sessions, Progress(None, "requests") as progress:
        for participant in participants:
            sessions.enter_context(participant.session)
        made = run_matrix(participants, suite, documents, progress.show_part, absent=absent.items())
    for text in matrix_lines(made):
        click.echo(text)
    if report is not None:
        with writing(report) as file:
            file.write(matrix_json(made).encode())
    return 0 if made["ok"] else 1


def _registered(names: tuple[str, ...], given: Container[str]) -> Iterator[Command]:
    """Yield the names and commands of the register; those named, if any are."""
    with harness_errors():
        content = _REGISTER.read_bytes()
    try:
        commands = {entry["id"]: tuple(entry["adapter"]) for entry in json.loads(content)["implementations"]}
    except (ValueError, KeyError, TypeError) as error:
        raise click.UsageError(f"{_REGISTER} is not a register of implementations: {error!r}") from error
    for name in names or commands:
        if name not in commands:
            raise click.UsageError(f"{name!r} is not one of {', '.join(commands)} in {_REGISTER}")
        if name in given:
            raise click.UsageError(f"--adapter {name}: the register has an implementation with this name")
        yield name, commands[name]


def _given(adapters: tuple[str, ...]) -> Iterator[Command]:
    import shlex

    for adapter in adapters:
        name, equals, command = adapter.partition("=")
        if not (name and equals and command):
            raise click.UsageError(f"--adapter {adapter!r}: expected NAME=COMMAND")
        if why := _absence(words := tuple(shlex.split(command))):
            raise click.UsageError(f"--adapter {name}: {why}")
        yield name, words


def _absence(command: tuple[str, ...]) -> str:
    """Return why a command cannot be run; empty if it can."""
    import shutil

    if not command:
        return "its adapter is not public"
    return "" if shutil.which(command[0]) else f"{command[0]} is not installed"
