"""`simhash-doc decode`: the parts of a fingerprint."""

from __future__ import annotations

import json

import click

from simhash_doc.cli.documents import output_option, printing
from simhash_doc.fingerprint import Fingerprint


@click.command(
    epilog="""\b
Examples:
  simhash-doc decode sd64:larqgiqsckcca
  simhash-doc decode larqgiqsckcca --format json
"""
)
@click.argument("fingerprint")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_option
def decode(fingerprint: str, output_format: str, output: str) -> None:
    """Print the scheme, the hexadecimal value and the bits of FINGERPRINT.

    Without a prefix such as sd64:, the scheme follows from the length. A malformed fingerprint
    is rejected with the reason, and the status is 2.
    """
    parsed = Fingerprint.parse(fingerprint)
    fields = {
        "scheme": parsed.scheme_id,
        "canonical": parsed.canonical,
        "fingerprint": str(parsed),
        "base32": parsed.base32,
        "hex": parsed.hex,
        "bits": f"{parsed.value:0{parsed.scheme.bits}b}",
    }
    with printing(output) as show:
        if output_format == "json":
            show(json.dumps(fields))
        else:
            for name, value in fields.items():
                show(f"{name:<12} {str(value).lower()}")
