"""`simhash-doc conformance unicode`: every Unicode scalar value."""

from __future__ import annotations

import sys

import click

from simhash_doc.cli.conformance_options import adapters_end_with_us, harness_errors, read_suite
from simhash_doc.cli.progress import Progress
from simhash_doc.conformance.failures import PeerFailure
from simhash_doc.conformance.judge import questioner
from simhash_doc.conformance.runner import TIMEOUT
from simhash_doc.conformance.sweep import Sweep
from simhash_doc.conformance.targets import CommandTarget


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
Example:
  simhash-doc conformance unicode -- node adapter.mjs

Exit status: 0 all agree; 1 some do not, or the implementation failed; 2 wrong use.
""",
)
@click.option(
    "--most", type=click.IntRange(min=1), default=50, show_default=True, help="Code points to name, for each operation."
)
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=TIMEOUT, show_default=True)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND [ARG]...")
def unicode(command: tuple[str, ...], most: int, timeout: float) -> int:
    """Compare all 1,112,064 scalar values, alone and among letters, digits and marks.

    Uses the operations `fold` and `tokens` if they are declared, with digests of ranges if the
    feature `digest` is, and finds the very code points that differ. With `fingerprint` alone
    it asks for each code point and takes minutes.
    """
    with harness_errors(), adapters_end_with_us():
        peer = CommandTarget(command).connect(timeout, read_suite(None).version)
        try:
            sweep = Sweep(
                questioner(peer), frozenset(peer.handshake.operations), frozenset(peer.handshake.features), most
            )
            blocks = sweep.blocks()
            with Progress(len(blocks), "blocks") as progress:
                for first, last in blocks:
                    for found in sweep.check(first, last):
                        progress.clear()
                        click.echo(f"U+{found.code_point:04X} {found.name}: {found.op}")
                        click.echo(f"  expected {found.expected}\n  given    {found.given}")
                    progress.advance()
            peer.close()
        except PeerFailure as failure:
            click.echo(f"{failure.kind}: {failure.message}")
            return 1
        finally:
            peer.kill()
    for op in sweep.operations:
        count = sweep.wrong[op]
        more = ", and perhaps more: the search ended there" if count >= most else ""
        click.echo(f"{op}: {f'{count} code points differ{more}' if count else 'all scalar values agree'}")
    sys.stdout.flush()
    return 1 if sweep.wrong else 0
