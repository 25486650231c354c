"""Options that the search commands share, and the choice of blocks for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from simhash_doc.cli.documents import Size
from simhash_doc.cli.output import print_error
from simhash_doc.ingest.text_forms import FORMATS
from simhash_doc.lookup.errors import DegenerateDistributionWarning, LookupParameterError
from simhash_doc.schemes import get_schemes

Command = TypeVar("Command", bound=Callable[..., Any])
_WIDEST = max(scheme.bits for scheme in get_schemes().values())


def _number_of_blocks(context: click.Context, parameter: click.Parameter, text: str) -> int | None:
    """Return the number of blocks, or None for auto."""
    if text == "auto":
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _WIDEST):
        raise click.BadParameter(f"{text!r} is neither a number from 1 to {_WIDEST} nor auto", context, parameter)
    return int(text)


files_argument = click.argument("files", nargs=-1, metavar="[FILE]...")
input_format_option = click.option(
    "--input-format",
    type=click.Choice(["auto", *FORMATS]),
    default="auto",
    show_default=True,
    help="Format of the input; text is base32 and a path, as `fingerprint` prints it.",
)
scheme_option = click.option(
    "--scheme",
    type=click.Choice(list(get_schemes())),
    help="Narrow all fingerprints to this scheme.  [default: scheme of the first fingerprint]",
)
distance_option = click.option(
    "--distance",
    type=click.IntRange(0, _WIDEST - 1),
    help="Maximum number of differing bits.  [default: close threshold of the scheme, 3 for sd64]",
)
blocks_option = click.option(
    "--blocks",
    callback=_number_of_blocks,
    default="auto",
    show_default=True,
    metavar="N|auto",
    help="Number of blocks of the permuted tables. It affects speed and memory, never the answer; "
    "auto chooses by the number of fingerprints.",
)

memory_option = click.option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    help="Limit the memory of the search, without the input; a .npy file is read in pieces. Requires --output FILE. "
    "An interrupted search resumes when it is repeated, from FILE.partial.",
)


@contextmanager
def search_errors() -> Iterator[None]:
    """Report invalid parameters as usage errors, and degenerate distributions as warnings on standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DegenerateDistributionWarning)
        try:
            yield
        except LookupParameterError as error:
            raise click.UsageError(str(error)) from error
    for warning in caught:
        print_error(f"simhash-doc: warning: {warning.message}")
