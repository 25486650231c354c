"""`simhash-doc conformance any-hash`, `fuzz`, `matrix` and `unicode`: check implementations beyond the vectors."""

from __future__ import annotations

import json
import secrets
import shlex
import shutil
import sys
from collections.abc import Container, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from simhash_doc.cli.conformance import (
    check_reports,
    harness_errors,
    needs_hypothesis,
    read_suite,
    timeout_option,
)
from simhash_doc.cli.output import Progress, counted, output_option, printing, text_or_json_option, writing
from simhash_doc.conformance.comparison import BLOCKS, blocks_of, reporting, sweep, swept_operations
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.judge import Verdict
from simhash_doc.conformance.register import FILE, read_register
from simhash_doc.conformance.runner import end_adapters_on_exit
from simhash_doc.conformance.session import CommandTarget, Session

_REGISTER = Path("conformance") / FILE
Command = tuple[str, tuple[str, ...]]  # a name and the command of its adapter


@click.command(
    "any-hash",
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
Examples:
  simhash-doc conformance any-hash -- ./my-hash
  simhash-doc conformance any-hash --format json -o report.json -- python my_hash.py

Exit status: 0 every requirement holds; 1 one fails, or the adapter does; 2 usage error.
""",
)
@timeout_option
@text_or_json_option
@output_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND [ARG]...")
def any_hash(command: tuple[str, ...], timeout: float, output_format: str, output: str) -> int:
    """Check a similarity hash of texts that need not follow the specification.

    COMMAND is an adapter with the operation `hash`, and `distance` if hashes are not compared by their differing bits:
    see "Any similarity hash" in conformance/PROTOCOL.md. Requirements pass or fail: different texts differ, equal texts
    are equal, a small edit moves a text little. Properties, such as the effect of upper case, are only reported.
    """
    from simhash_doc.conformance.any_hash import check

    check_reports(output)
    with harness_errors(), end_adapters_on_exit():
        report = check(CommandTarget(command), timeout)
    with printing(output) as show:
        if output_format == "json":
            show(json.dumps(report))
        else:
            for line in _findings(report):
                show(printable(line))
    return 0 if report["ok"] else 1


def _findings(report: dict[str, Any]) -> Iterator[str]:
    for finding in report["findings"]:
        yield f"{finding['status']:<8}  {finding['check']}: {finding['observed']}"
        yield from (f"            {example}" for example in finding["examples"])
    yield ""
    yield " ".join(report["implementation"].values()) + f"; {report['texts']} texts; distance: {report['distance']}"
    failed = sum(finding["status"] == "failed" for finding in report["findings"])
    required = sum(finding["kind"] == "requirement" for finding in report["findings"])
    yield f"{required - failed} of {required} requirements hold"


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
@click.option(
    "--examples", type=click.IntRange(min=1), default=1000, show_default=True, help="Requests per operation and scheme."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=None, help="The same seed gives the same requests.  [default: random]"
)
@click.option("--op", "operations", multiple=True, metavar="OP", help="Only this operation. Repeatable.")
@timeout_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND [ARG]...")
def fuzz(command: tuple[str, ...], examples: int, seed: int | None, operations: tuple[str, ...], timeout: float) -> int:
    """Compare the answers to generated requests with the reference, for each declared operation and scheme.

    A request with a wrong answer is shrunk and printed, with a test case that is ready to be submitted. The search
    ends with the first operation and scheme that fails. `run --full` includes a shorter search.
    """
    with needs_hypothesis():
        from simhash_doc.conformance.full import fuzzing
        from simhash_doc.conformance.generated_requests import OPERATIONS
    if unknown := sorted(set(operations) - set(OPERATIONS)):
        raise click.UsageError(f"--op: {unknown[0]!r} is not one of {', '.join(OPERATIONS)}")
    chosen = secrets.randbelow(2**32) if seed is None else seed
    verdicts = 0
    session = Session(CommandTarget(command), timeout, read_suite(None).version)
    with harness_errors(), end_adapters_on_exit(), session:
        for verdict in fuzzing(session, examples, chosen, operations or OPERATIONS):
            verdicts += 1
            click.echo(_line(verdict, chosen))
            if verdict.bad:
                return 1
        session.close()
    if not verdicts:
        click.echo("nothing was tested: no such operation is declared")
    return 0 if verdicts else 1


def _line(verdict: Verdict, seed: int) -> str:
    name = verdict.case.id.removeprefix("fuzz/")
    if not verdict.bad:
        return f"{name}: {verdict.inputs} requests agree (seed {seed})"
    lines = [f"{name}: {verdict.reason} (seed {seed})", f"  request  {verdict.request}"]
    if verdict.expected:
        lines += [f"  expected {verdict.expected}", f"  given    {verdict.given}"]
    return "\n".join(map(printable, [*lines, *(f"  {line}" for line in verdict.diagnosis)]))


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
    type=click.Path(dir_okay=False, path_type=Path),
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
@timeout_option
@click.option("--report", type=click.Path(), help="Write a JSON report.")
@click.option("--markdown", type=click.Path(), help="Write Markdown.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def matrix(
    names: tuple[str, ...],
    adapters: tuple[str, ...],
    register: Path,
    documents: int,
    seed: int,
    timeout: float,
    report: str | None,
    markdown: str | None,
) -> int:
    """Compare all implementations with each other: the answers of every two to the same requests.

    The requests are the vectors, every Unicode scalar value, all steps of generated documents, and generated requests
    of the other operations. A difference is shrunk and printed as a test case, with the answer of the reference.

    Without NAME, the implementations are those of the register whose command is installed; build the adapters of this
    repository with `python conformance/make_reports.py --build`. An operation that only one of two declares is not
    compared.
    """
    with needs_hypothesis():
        from simhash_doc.conformance.matrix import Participant, matrix_json, matrix_lines, matrix_markdown, run_matrix
    suite = read_suite(None)
    commands = dict(_given(adapters))
    if names or not adapters:
        commands |= dict(_registered(register, names, commands))
    absent = {name: why for name, command in commands.items() if (why := _absence(command))}
    if missing := [name for name in absent if name in names]:
        raise click.UsageError(f"{missing[0]}: {absent[missing[0]]}")
    present = {name: command for name, command in commands.items() if name not in absent}
    check_reports(report, markdown)
    participants = [
        Participant(name, CommandTarget(command), timeout, suite.version) for name, command in present.items()
    ]
    with harness_errors(), end_adapters_on_exit(), ExitStack() as sessions, Progress(None, "requests") as progress:
        for participant in participants:
            sessions.enter_context(participant.session)
        made = run_matrix(participants, suite, documents, seed, progress.show_part, absent=absent.items())
    for text in matrix_lines(made):
        click.echo(text)
    for written, content in ((report, matrix_json(made)), (markdown, matrix_markdown(made))):
        if written is not None:
            with writing(written) as file:
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
        yield name, tuple(entries[name]["adapter"])


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


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
Example:
  simhash-doc conformance unicode -- node adapter.mjs

Exit status: 0 all agree; 1 some differ, nothing can be compared, or the implementation failed; 2 usage error.
""",
)
@click.option(
    "--max-differences",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Code points to print per operation.",
)
@timeout_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND [ARG]...")
def unicode(command: tuple[str, ...], max_differences: int, timeout: float) -> int:
    """Compare all 1,112,064 scalar values with the reference, alone and next to letters, digits and marks.

    The oracle is the specification in code (`simhash_doc.reference`), not an optimized engine. The command uses the
    operations `fold` and `tokens` if they are declared, with digests of ranges if the feature `digest` is declared,
    otherwise `buckets`, and prints the code points that differ. With `fingerprint` alone it sends one request per
    code point, which takes minutes.
    """
    session = Session(CommandTarget(command), timeout, read_suite(None).version)
    with harness_errors(), end_adapters_on_exit(), session:
        handshake, counts = session.handshake, dict[str, int]()
        if not (operations := swept_operations(handshake.operations)):
            click.echo(f"nothing can be compared: the handshake declares none of {', '.join(BLOCKS)}")
            return 1
        digest = "digest" in handshake.features
        try:
            for op in operations:
                counts[op] = _sweep(session, op, max_differences, digest=digest)
            session.close()
        except PeerError as failure:
            click.echo(f"{failure.kind}: {failure.message}")
            return 1
    for op, count in counts.items():
        differ = f"{counted(count, 'code point')} differ{'s' if count == 1 else ''}"
        stopped = ", where the sweep ended (--max-differences)" if count >= max_differences else ""
        click.echo(f"{op}: {f'{differ}{stopped}' if count else 'all scalar values agree'}")
    sys.stdout.flush()
    return 1 if any(counts.values()) else 0


def _sweep(session: Session, op: str, most: int, *, digest: bool) -> int:
    """Print the code points that differ, and return their number."""
    blocks, count = blocks_of(op), 0
    with Progress(len(blocks), f"blocks: {op}") as progress:
        counted_blocks = reporting(blocks, op, lambda *_: progress.advance())
        for found in sweep(session.send, op, counted_blocks, most, digest=digest):
            progress.clear()
            click.echo(f"U+{found.code_point:04X} {found.name}: {found.op}")
            click.echo(f"  expected {found.expected}\n  given    {found.given}")
            count += 1
    return count
