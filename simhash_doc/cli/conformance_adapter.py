"""`simhash-doc conformance adapter`: this implementation, speaking the protocol."""

from __future__ import annotations

import sys

import click


@click.command(
    epilog="""\b
Example:
  simhash-doc conformance run -- simhash-doc conformance adapter
"""
)
def adapter() -> None:
    """Answer requests on standard input, one JSON object a line, until its end."""
    from simhash_doc.conformance.adapter import Adapter
    from simhash_doc.conformance.steps import PackageSteps

    Adapter(PackageSteps()).serve(sys.stdin.buffer, sys.stdout.buffer)
