"""The option `--scheme` of commands that compute fingerprints."""

from __future__ import annotations

from collections.abc import Callable

import click
from click.core import ParameterSource

from simhash_doc.command_line.options import Decorated
from simhash_doc.schemes import get_schemes

SCHEME_VARIABLE = "SIMHASH_DOC_SCHEME"


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
