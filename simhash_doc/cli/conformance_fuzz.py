"""`simhash-doc conformance fuzz`: compare generated requests with the reference."""

from __future__ import annotations

import secrets

import click

from simhash_doc.cli.conformance_options import (
    NEEDS_HYPOTHESIS,
    HarnessError,
    harness_errors,
    read_suite,
    timeout_option,
)
from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.runner import TIMEOUT
from simhash_doc.conformance.session import Session
from simhash_doc.conformance.signals import end_adapters_on_exit
from simhash_doc.conformance.targets import CommandTarget
from simhash_doc.conformance.verdict import Verdict


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
@timeout_option(TIMEOUT)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND [ARG]...")
def fuzz(command: tuple[str, ...], examples: int, seed: int | None, operations: tuple[str, ...], timeout: float) -> int:
    """Compare the answers to generated requests with the reference, for each declared operation and scheme.

    A request with a wrong answer is shrunk and printed, with a test case that is ready to be submitted. The search
    ends with the first operation and scheme that fails. `run --full` includes a shorter search.
    """
    try:
        from simhash_doc.conformance.full import fuzzing
        from simhash_doc.conformance.fuzzing.strategies import OPERATIONS
    except ImportError as error:
        raise HarnessError(NEEDS_HYPOTHESIS) from error
    if unknown := sorted(set(operations) - set(OPERATIONS)):
        raise click.UsageError(f"--op: {unknown[0]!r} is not one of {', '.join(OPERATIONS)}")
    chosen = secrets.randbelow(2**32) if seed is None else seed
    verdicts = 0
    session = Session(CommandTarget(command), timeout, read_suite(None).version)
    with harness_errors(), end_adapters_on_exit(), session:
        for checked in fuzzing(session, examples, chosen, operations or OPERATIONS):
            verdicts += 1
            click.echo(_line(checked.verdict, chosen))
            if checked.verdict.bad:
                return 1
        session.finish()
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
