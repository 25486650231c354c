"""`simhash-doc conformance explain`: the purpose of a case, step by step."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from simhash_doc.cli.conformance_options import case_named
from simhash_doc.cli.documents import output_option, printing
from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.formatting import json_text, printable, shorten
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.mutants.analysis import published_wrong_answers
from simhash_doc.conformance.requirements import cite, requirements

_WITH_STEPS = {"fold", "tokens", "buckets", "fingerprint"}
_WIDTH = 100


@click.command()
@click.argument("case_id", metavar="CASE")
@output_option
def explain(case_id: str, output: str) -> None:
    """Print the purpose of CASE: its requirements, the values of all steps, the bugs that it detects."""
    case = case_named(case_id)
    with printing(output) as show:
        for line in _explanation(case):
            show(line)


def _explanation(case: Case) -> Iterator[str]:
    yield printable(case.comment)
    for requirement in case.requirements:
        yield f"\n{cite(requirement)}"
        yield textwrap.indent(textwrap.fill(requirements()[requirement], _WIDTH), "  ")
    yield "\ninput"
    for name, value in case.members.items():
        yield f"  {name:<11} {shorten(json_text(value))}"
    if case.op in _WITH_STEPS:
        yield "\nsteps"
        traced = Adapter(Implementation()).answer({"id": 0, "op": "trace", "scheme": "sd64", **case.members})["result"]
        for name, value in traced.items():
            yield f"  {name:<11} {shorten(json_text(value))}"
    yield "\nexpected"
    yield f"  {shorten(json_text(dict(case.expected)))}"
    wrong = sorted({name for names in published_wrong_answers().get(case.id, {}).values() for name in names})
    if wrong:
        yield "\nbugs that it detects"
    for name in wrong:
        yield f"  {name:<30} {mutants()[name].mistake}"
