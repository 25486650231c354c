"""`simhash-doc conformance list`, `show` and `requests`: the cases themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from simhash_doc.cli.conformance_options import case_named, case_options, read_suite, selected
from simhash_doc.cli.documents import output_option, printing
from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.inputs import without_recipe
from simhash_doc.conformance.requests import request_key
from simhash_doc.conformance.requirements import cite


@click.command("list")
@case_options
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_option
def list_cases(
    select: tuple[str, ...], skip: tuple[str, ...], vectors: Path | None, output_format: str, output: str
) -> None:
    """List the cases: id, operation and comment."""
    cases = selected(read_suite(vectors), select, skip)
    width = max((len(case.id) for case in cases), default=0)
    with printing(output) as show:
        for case in cases:
            if output_format == "json":
                show(json.dumps(_fields(case)))
                continue
            show(f"{case.id:<{width}}  {case.op:<11}  {printable(case.comment)}")


@click.command("show")
@click.argument("case_id", metavar="CASE")
@click.option(
    "--vectors",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory of vectors.  [default: those of the package]",
)
@output_option
def show_case(case_id: str, vectors: Path | None, output: str) -> None:
    """Print CASE in full: comment, requirements, input, expected answer."""
    case = case_named(case_id, vectors)
    with printing(output) as show:
        show(printable(case.comment))
        for requirement in case.requirements:
            show(f"requirement {cite(requirement)}")
        show(json.dumps(_fields(case), indent=2))


@click.command(
    epilog="""\b
Example:
  simhash-doc conformance requests > requests.jsonl
  (write {"case": ..., "result": ...} per line to answers.jsonl)
  simhash-doc conformance run --answers answers.jsonl
"""
)
@case_options
@click.option("--expand", "expanded", is_flag=True, help="Print the texts and bytes of recipes instead of the recipes.")
@output_option
def requests(select: tuple[str, ...], skip: tuple[str, ...], vectors: Path | None, expanded: bool, output: str) -> None:
    """Print the requests as JSON lines, to be answered without the runner.

    Each has the members of PROTOCOL.md, with `case` in place of `id`. An answer repeats `case` and has `result`,
    `error` or `unsupported`. A line without `case` is the handshake.
    """
    cases = selected(read_suite(vectors), select, skip)
    with printing(output) as show:
        for case in cases:
            for number, request in enumerate(case.requests()):
                line: dict[str, Any] = {"case": request_key(case.id, number), **request}
                show(json.dumps(without_recipe(line) if expanded else line))


def _fields(case: Case) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": case.id,
        "op": case.op,
        "input": dict(case.members),
        "expected": dict(case.expected),
        "requirements": list(case.requirements),
        "since": case.since,
        "flags": list(case.flags),
        "comment": case.comment,
    }
    if case.language:
        fields["language"] = case.language
    if case.same:
        fields["same"] = [dict(other) for other in case.same]
    return fields
