"""The options of a search in memory or on disk, and its errors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from simhash_doc.cli.distance import WIDEST
from simhash_doc.command_line.options import failure
from simhash_doc.command_line.sizes import Size
from simhash_doc.console.messages import print_notice


def _number_of_blocks(context: click.Context, parameter: click.Parameter, text: str) -> int | None:
    """Return the number of blocks, or None for auto."""
    if text == "auto":
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= WIDEST):
        raise click.BadParameter(f"{text!r} is neither a number from 1 to {WIDEST} nor auto", context, parameter)
    return int(text)


blocks_option = click.option(
    "--blocks",
    callback=_number_of_blocks,
    default="auto",
    show_default=True,
    metavar="N|auto",
    help="Number of blocks of the permuted tables. It affects speed and memory, never the answer. "
    "auto chooses by the number of fingerprints.",
)
memory_option = click.option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    help="Limit the memory of the search, without the input. The command reads a .npy file in pieces. Requires "
    "--output FILE. If you repeat an interrupted search, it resumes from FILE.partial.",
)


@contextmanager
def search_errors() -> Iterator[None]:
    """Report invalid parameters as usage errors, and degenerate distributions as warnings on standard error."""
    from simhash_doc.lookup.errors import DegenerateDistributionWarning, LookupParameterError

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DegenerateDistributionWarning)
        try:
            yield
        except LookupParameterError as error:
            raise failure(error) from error
    for warning in caught:
        print_notice(f"simhash-doc: warning: {warning.message}")
