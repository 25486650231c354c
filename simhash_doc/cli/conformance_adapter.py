"""`simhash-doc conformance adapter`: this implementation, speaking the protocol."""

from __future__ import annotations

import sys

import click

from simhash_doc.cli.conformance_options import harness_errors


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance run -- simhash-doc conformance adapter
  simhash-doc conformance run -- simhash-doc conformance adapter --mutant cap-seven
"""
)
@click.option("--reference", is_flag=True, help="The reference implementation instead of the fast path.")
@click.option("--mutant", metavar="NAME", help="A known wrong port, to see how the suite diagnoses it.")
def adapter(reference: bool, mutant: str | None) -> None:
    """Answer requests on standard input, one JSON object a line, until its end."""
    from simhash_doc.conformance.adapter import Adapter
    from simhash_doc.conformance.mutants import mutants
    from simhash_doc.conformance.steps import PackageSteps, Steps

    if mutant is not None and mutant not in mutants():
        raise click.UsageError(f"there is no wrong port {mutant!r}; `simhash-doc conformance mutants` names them")
    if mutant is not None:
        served = Adapter(mutants()[mutant].steps(), name=f"wrong port {mutant}")
    elif reference:
        served = Adapter(Steps(), name="simhash-doc (Python, reference)")
    else:
        served = Adapter(PackageSteps())
    with harness_errors():
        served.serve(sys.stdin.buffer, sys.stdout.buffer)
