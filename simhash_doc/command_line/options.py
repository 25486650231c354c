"""Options that many commands share, and how errors of the package are reported."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.console.messages import set_quiet
from simhash_doc.console.output import STANDARD_OUTPUT
from simhash_doc.errors import SimhashDocError
from simhash_doc.schemes import get_schemes

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
SCHEME_VARIABLE = "SIMHASH_DOC_SCHEME"

output_option = click.option(
    "-o",
    "--output",
    default=STANDARD_OUTPUT,
    metavar="FILE",
    is_eager=True,  # the format depends on it
    help="Write to FILE atomically: after an error, it is unchanged. If the name ends with .gz, compress the output.  "
    "[default: standard output]",
)
required_output_option = click.option(
    "-o", "--output", required=True, metavar="FILE", help="Write to FILE atomically: after an error, it is unchanged."
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


_NULL = "simhash_doc.null"


def _set_null(context: click.Context, parameter: click.Parameter, null: bool) -> None:
    context.meta[_NULL] = null


null_option = click.option(
    "-0",
    "--null",
    is_flag=True,
    expose_value=False,
    callback=_set_null,
    help="End each path with NUL in the lists that the command reads and writes, as find -print0 and xargs -0 do.",
)


def is_null() -> bool:
    """Return whether the command that runs was called with --null."""
    return bool(click.get_current_context().meta.get(_NULL))


def computed_scheme_option(text: str, default: str | None) -> Callable[[Decorated], Decorated]:
    """Return the option --scheme of a command that computes fingerprints; a variable may change its default.

    Other commands have no such default: there, the stored fingerprints decide.

    Args:
        text: the help.
        default: the default; None if the command finds it.
    """
    return click.option(
        "--scheme",
        type=click.Choice(list(get_schemes())),
        default=default,
        show_default=default is not None,
        envvar=SCHEME_VARIABLE,
        show_envvar=True,
        help=text,
    )


def named_scheme(scheme: str | None) -> str | None:
    """Return the scheme that --scheme names; None if it is only the default of the environment variable."""
    source = click.get_current_context().get_parameter_source("scheme")
    return None if source is ParameterSource.ENVIRONMENT else scheme


def check_read_once(*names: str | None) -> None:
    """Raise a usage error if several inputs of a command are standard input (``-``)."""
    if names.count(STANDARD_INPUT) > 1:
        raise click.UsageError("- is given more than once: standard input can be read once")


def standard_input(expected: str) -> tuple[str, ...]:
    """Return standard input as the input of a command that names no other.

    Args:
        expected: the argument that would name one, for the message.

    Raises:
        click.UsageError: standard input is a terminal, from which the command would wait for a person.
    """
    if sys.stdin.isatty():
        path = click.get_current_context().command_path
        raise click.UsageError(
            f"Missing argument '{expected}': standard input is a terminal. Name {expected}, give it on standard input "
            f"(COMMAND | {path}), or type it after -"
        )
    return (STANDARD_INPUT,)


def failure(error: SimhashDocError, message: str = "") -> click.ClickException:
    """Return what reports an error of the package: a usage error for one of usage; a message takes the place of its."""
    return (click.UsageError if error.is_usage else click.ClickException)(message or str(error))
