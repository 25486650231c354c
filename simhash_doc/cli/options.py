"""Options that many commands share, and how their errors are shown."""

from __future__ import annotations

import click

from simhash_doc.console.messages import set_quiet
from simhash_doc.console.output import STANDARD_OUTPUT
from simhash_doc.errors import SimhashDocError

output_option = click.option(
    "-o",
    "--output",
    default=STANDARD_OUTPUT,
    metavar="FILE",
    is_eager=True,  # --format depends on it
    help="Write to FILE, atomically: it is complete, or unchanged. A name with .gz at its end is compressed.  "
    "[default: standard output]",
)
required_output_option = click.option(
    "-o", "--output", required=True, metavar="FILE", help="Write to FILE, atomically: it is complete, or unchanged."
)


def _set_quiet(context: click.Context, parameter: click.Parameter, quiet: bool) -> None:
    set_quiet(quiet)


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_set_quiet,
    help="On standard error, print only errors: no warnings, counts or progress.",
)


def failure(error: SimhashDocError, message: str = "") -> click.ClickException:
    """Return what reports an error of the package: a usage error for one of usage; a message takes the place of its."""
    return (click.UsageError if error.is_usage else click.ClickException)(message or str(error))
