"""`simhash-doc conformance adapter`: the adapter of this implementation."""

from __future__ import annotations

import sys

import click

from simhash_doc.cli.conformance_options import harness_errors

_ENGINES = ("auto", "python", "numpy", "numba", "reference")


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance run -- simhash-doc conformance adapter
  simhash-doc conformance run -- simhash-doc conformance adapter --engine numba
  simhash-doc conformance run -- simhash-doc conformance adapter --mutant cap-seven
"""
)
@click.option(
    "--engine",
    type=click.Choice(_ENGINES),
    help="Engine that computes fingerprints; `reference` is the specification in code.  [default: as configured]",
)
@click.option("--mutant", metavar="NAME", help="A wrong implementation made on purpose, to see its diagnosis.")
def adapter(engine: str | None, mutant: str | None) -> None:
    """Answer requests on standard input, one JSON object per line, until its end."""
    from simhash_doc.conformance.adapter import Adapter
    from simhash_doc.conformance.implementation import Implementation
    from simhash_doc.conformance.mutants import mutants
    from simhash_doc.conformance.package_implementation import PackageImplementation

    if mutant is not None and engine is not None:
        raise click.UsageError("--mutant has no engine: give either --engine or --mutant")
    if mutant is not None and mutant not in mutants():
        raise click.UsageError(f"{mutant!r} is not a mutant; list them with `simhash-doc conformance mutants`")
    with harness_errors():
        if mutant is not None:
            served = Adapter(mutants()[mutant].implementation(), name=f"mutant {mutant}")
        elif engine == "reference":
            served = Adapter(Implementation())
        else:
            served = Adapter(PackageImplementation(engine))
        served.serve(sys.stdin.buffer, sys.stdout.buffer)
