"""`simhash-doc conformance mutants`: run the vectors against mutants."""

from __future__ import annotations

import json

import click

from simhash_doc.batch.process_pool import available_cores, ordered_map
from simhash_doc.cli.conformance_options import read_suite
from simhash_doc.cli.documents import output_option, printing
from simhash_doc.cli.progress import Progress
from simhash_doc.conformance.mutants import mutants as catalogue
from simhash_doc.conformance.mutants.analysis import first_killer


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance mutants
  simhash-doc conformance mutants --format json

Exit status: 0 every mutant fails a case, or no input can distinguish it; 1 a mutant survives.
"""
)
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=None, help="Processes.  [default: all cores]")
@output_option
def mutants(output_format: str, jobs: int | None, output: str) -> int:
    """Run the vectors against each mutant, a wrong implementation made on purpose, and print the case that kills it."""
    read_suite(None)
    names = list(catalogue())
    killed, survivors, equivalent = 0, 0, 0
    with printing(output) as show, Progress(len(names), "mutants") as progress:
        for name, killer in zip(
            names, ordered_map(first_killer, names, jobs or available_cores(), _failed), strict=True
        ):
            mutant = catalogue()[name]
            progress.clear()
            killed += killer is not None
            equivalent += killer is None and mutant.equivalent is not None
            survivors += killer is None and mutant.equivalent is None
            if output_format == "json":
                fields = {"mutant": name, "requirement": mutant.requirement, "mistake": mutant.mistake}
                show(json.dumps({**fields, "killed_by": killer, "equivalent": mutant.equivalent}))
            else:
                unkilled = f"equivalent: {mutant.equivalent}" if mutant.equivalent else "SURVIVES"
                fate = f"killed by {killer}" if killer else unkilled
                show(f"{name:<32} {mutant.requirement:<13} {fate}")
            progress.advance()
        if output_format == "text":
            show(f"\nscore {killed} of {len(names) - equivalent}; {equivalent} equivalent; {survivors} survive")
    return 1 if survivors else 0


def _failed(name: str, reason: str) -> str | None:
    raise click.ClickException(f"the mutant {name} could not be run: {reason}")
