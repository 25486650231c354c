"""The options of commands that read files of fingerprints."""

from __future__ import annotations

import click

from simhash_doc.entries.format_names import FORMATS
from simhash_doc.schemes import get_schemes

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
    help="Narrow all fingerprints to this scheme.  [default: the scheme of the index or collection, "
    "or else of the first fingerprint; others are reported]",
)


documents_option = click.option(
    "--document",
    "documents",
    multiple=True,
    metavar="PATH",
    help="Find what is near a document, or the documents of a directory, as `fingerprint` reads them. Repeatable.",
)
ids_option = click.option(
    "--ids",
    "id_files",
    multiple=True,
    metavar="FILE",
    help="Remove the ids of FILE: columns or keys `id` and `path` of Parquet, CSV or JSON lines, or lines of text. "
    "Repeatable.",
)
