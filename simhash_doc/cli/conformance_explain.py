"""`simhash-doc conformance explain`: what a case is for, step by step."""

from __future__ import annotations

import textwrap

import click

from simhash_doc.cli.conformance_options import case_named
from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.differences import json_text, printable, shorten
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.judging import published_wrong_answers
from simhash_doc.conformance.requirements import clause_link, requirements
from simhash_doc.conformance.steps import Steps

_WITH_STEPS = {"fold", "tokens", "buckets", "fingerprint"}
_WIDTH = 100


@click.command()
@click.argument("case_id", metavar="CASE")
def explain(case_id: str) -> None:
    """Print what CASE is for: its requirements, the values of the steps in between, the mistakes that it shows."""
    case = case_named(case_id)
    click.echo(printable(case.comment))
    for requirement in case.requirements:
        click.echo(f"\n{requirement} ({clause_link(requirement)})")
        click.echo(textwrap.indent(textwrap.fill(requirements()[requirement], _WIDTH), "  "))
    click.echo("\ninput")
    for name, value in case.members.items():
        click.echo(f"  {name:<11} {shorten(json_text(value))}")
    if case.op in _WITH_STEPS:
        click.echo("\nsteps")
        traced = Adapter(Steps()).answer({"id": 0, "op": "trace", "scheme": "sd64", **case.members})["result"]
        for name, value in traced.items():
            click.echo(f"  {name:<11} {shorten(json_text(value))}")
    click.echo("\nexpected")
    click.echo(f"  {shorten(json_text(dict(case.expected)))}")
    wrong = sorted({name for names in published_wrong_answers().get(case.id, {}).values() for name in names})
    if wrong:
        click.echo("\nmistakes that it shows")
    for name in wrong:
        click.echo(f"  {name:<30} {mutants()[name].mistake}")
