"""`simhash-doc decode`: what a fingerprint's text form says."""

from __future__ import annotations

import json

import click

from simhash_doc.value import Fingerprint


@click.command(
    epilog="""\b
Examples:
  simhash-doc decode sd64:larqgiqsckcca
  simhash-doc decode larqgiqsckcca --format json
"""
)
@click.argument("fingerprint")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def decode(fingerprint: str, output_format: str) -> None:
    """Print the scheme, the hexadecimal value and the bits of FINGERPRINT.

    Without a scheme prefix, the length tells the scheme. A malformed fingerprint is
    refused with the reason and status 2.
    """
    parsed = Fingerprint.parse(fingerprint)
    fields = {
        "scheme": parsed.scheme_id,
        "canonical": parsed.canonical,
        "fingerprint": str(parsed),
        "hex": parsed.hex,
        "bits": f"{parsed.value:0{parsed.scheme.bits}b}",
    }
    if output_format == "json":
        click.echo(json.dumps(fields))
    else:
        for name, value in fields.items():
            click.echo(f"{name:<12} {str(value).lower()}")
