"""`simhash-doc conformance unicode`: compare every Unicode scalar value with the reference."""

from __future__ import annotations

import sys

import click

from simhash_doc.cli.conformance_options import harness_errors, read_suite, timeout_option
from simhash_doc.cli.messages import counted
from simhash_doc.cli.progress import Progress
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.judge import request_sender
from simhash_doc.conformance.runner import TIMEOUT
from simhash_doc.conformance.signals import end_adapters_on_exit
from simhash_doc.conformance.sweep import BLOCKS, Sweep
from simhash_doc.conformance.targets import CommandTarget


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
@timeout_option(TIMEOUT)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND [ARG]...")
def unicode(command: tuple[str, ...], max_differences: int, timeout: float) -> int:
    """Compare all 1,112,064 scalar values with the reference, alone and next to letters, digits and marks.

    The oracle is the specification in code (`simhash_doc.reference`), not an optimized engine. The command uses the
    operations `fold` and `tokens` if they are declared, with digests of ranges if the feature `digest` is declared,
    otherwise `buckets`, and prints the code points that differ. With `fingerprint` alone it sends one request per
    code point, which takes minutes.
    """
    with harness_errors(), end_adapters_on_exit():
        peer = CommandTarget(command).connect(timeout, read_suite(None).version)
        try:
            sweep = Sweep(
                request_sender(peer),
                frozenset(peer.handshake.operations),
                frozenset(peer.handshake.features),
                max_differences,
            )
            if not sweep.operations:
                click.echo(f"nothing can be compared: the handshake declares none of {', '.join(BLOCKS)}")
                return 1
            blocks = sweep.blocks()
            with Progress(len(blocks), "blocks") as progress:
                for first, last in blocks:
                    for found in sweep.check(first, last):
                        progress.clear()
                        click.echo(f"U+{found.code_point:04X} {found.name}: {found.op}")
                        click.echo(f"  expected {found.expected}\n  given    {found.given}")
                    progress.advance()
            peer.close()
        except PeerError as failure:
            click.echo(f"{failure.kind}: {failure.message}")
            return 1
        finally:
            peer.kill()
    for op in sweep.operations:
        count = sweep.wrong[op]
        differ = f"{counted(count, 'code point')} differ{'s' if count == 1 else ''}"
        stopped = ", where the sweep ended (--max-differences)" if count >= max_differences else ""
        click.echo(f"{op}: {f'{differ}{stopped}' if count else 'all scalar values agree'}")
    sys.stdout.flush()
    return 1 if sweep.wrong else 0
