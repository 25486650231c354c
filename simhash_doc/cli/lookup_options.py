"""Options that the commands of the look-up share, and the choice of blocks behind them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import click
import numpy as np

from simhash_doc.cli.entries import FORMS
from simhash_doc.lookup.errors import DegenerateDistributionWarning, LookupParameterError
from simhash_doc.lookup.planner import Plan, plan
from simhash_doc.lookup.values import BITS, Values

Command = TypeVar("Command", bound=Callable[..., Any])


def _number_of_blocks(context: click.Context, parameter: click.Parameter, text: str) -> int | None:
    """Return the number of blocks, or None for auto."""
    if text == "auto":
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= BITS):
        raise click.BadParameter(f"{text!r} is neither a number from 1 to {BITS} nor auto", context, parameter)
    return int(text)


input_option = click.option(
    "--input", "source", default="-", metavar="FILE", help="Fingerprints, one a line.  [default: standard input]"
)
form_option = click.option(
    "--form",
    type=click.Choice(["auto", *FORMS]),
    default="auto",
    show_default=True,
    help="How a line holds a fingerprint; json is the output of `fingerprint --format json`.",
)
output_option = click.option(
    "--output",
    default="-",
    metavar="FILE",
    help="Written beside FILE, then renamed: never half a file.  [default: standard output]",
)
distance_option = click.option(
    "--distance",
    type=click.IntRange(0, BITS - 1),
    default=3,
    show_default=True,
    help="Bits that may differ.",
)


def blocks_option(default: str) -> Callable[[Command], Command]:
    return click.option(
        "--blocks",
        callback=_number_of_blocks,
        default=default,
        show_default=True,
        metavar="N|auto",
        help="Changes speed and memory, never the answer; auto plans it from the input.",
    )


def planned(values: Values, blocks: int | None, distance: int) -> Plan:
    """Return the plan for fingerprints, shape (n,); a degenerate distribution is told on standard error.

    Raises:
        click.UsageError: not distance < blocks.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DegenerateDistributionWarning)
        try:
            made = plan(np.asarray(values), distance, blocks=blocks)
        except LookupParameterError as error:
            raise click.UsageError(str(error)) from error
    for warning in caught:
        click.echo(f"simhash-doc: warning: {warning.message}", err=True)
    return made
