"""`simhash-doc conformance list`, `show`, `requests`, `explain`, `mutants`, `adapter` and `init`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simhash_doc.command_line.options import output_option
from simhash_doc.command_line.output_formats import check_text_output, chosen_format, text_or_json_option
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import Progress, escape_path
from simhash_doc.console.output import print_exactly, printing
from simhash_doc_conformance.adapters.scaffold import LANGUAGES, library_of, write_adapter
from simhash_doc_conformance.commands import (
    case_named,
    case_options,
    harness_errors,
    read_suite,
    selected,
    vectors_option,
)
from simhash_doc_conformance.formatting import json_text, printable, shorten

if TYPE_CHECKING:
    from simhash_doc_conformance.vectors.cases import Case

_ENGINES = ("auto", "python", "numpy", "native", "reference")
_WIDTH = 100


@click.command(
    "list",
    epilog="""\b
Examples:
  simhash-doc conformance list --select 'fold/*'
  simhash-doc conformance list --json -o cases.jsonl
""",
)
@case_options
@text_or_json_option
@output_option
def list_cases(
    select: tuple[str, ...], skip: tuple[str, ...], vectors: Path | None, output_format: str, output: str
) -> None:
    """List the cases: id, operation and comment."""
    check_outputs(output, folders=[vectors])
    cases = selected(read_suite(vectors), select, skip)
    width = max((len(case.id) for case in cases), default=0)
    with printing(output) as show:
        for case in cases:
            if output_format == "json":
                show(json.dumps(_fields(case)))
                continue
            show(f"{case.id:<{width}}  {case.op:<11}  {printable(case.comment)}")


@click.command(
    "show",
    epilog="""\b
Examples:
  simhash-doc conformance show fold/case-sharp-s
""",
)
@click.argument("case_id", metavar="CASE")
@vectors_option
@output_option
def show_case(case_id: str, vectors: Path | None, output: str) -> None:
    """Print a case: comment, requirements, input, answer."""
    from simhash_doc_conformance.vectors.requirements import cite

    check_text_output(output)
    check_outputs(output, folders=[vectors])
    case = case_named(case_id, vectors)
    with printing(output) as show:
        show(printable(case.comment))
        for requirement in case.requirements:
            show(f"requirement {cite(requirement)}")
        show(json.dumps(_fields(case), indent=2))


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance requests > requests.jsonl
  (write {"case": ..., "result": ...} per line to answers.jsonl)
  simhash-doc conformance run --answers answers.jsonl
"""
)
@case_options
@click.option("--expand", "expanded", is_flag=True, help="Print the texts and bytes of recipes instead of the recipes.")
@output_option
def requests(select: tuple[str, ...], skip: tuple[str, ...], vectors: Path | None, expanded: bool, output: str) -> None:
    """Print the requests, for answers without the runner.

    A request is one line of JSON, with the members of PROTOCOL.md, and `case` instead of `id`. An answer repeats
    `case` and has `result`, `error` or `unsupported`. A line without `case` is the handshake.
    """
    from simhash_doc_conformance.vectors.cases import request_key
    from simhash_doc_conformance.vectors.inputs import without_recipe

    chosen_format(None, output, formats=("json",))
    check_outputs(output, folders=[vectors])
    cases = selected(read_suite(vectors), select, skip)
    with printing(output) as show:
        for case in cases:
            for number, request in enumerate(case.requests()):
                line: dict[str, Any] = {"case": request_key(case.id, number), **request}
                show(json.dumps(without_recipe(line) if expanded else line))


class Template(click.Choice[str]):
    """A language with a template; an error says what serves the others."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            known = ", ".join(name for name in self.choices if name != "other")
            self.fail(
                f"there is no template for {value!r}; use other, which is pseudo-code to translate, or {known}",
                param,
                ctx,
            )
        return str(value)


def _fields(case: Case) -> dict[str, Any]:
    fields = {"input" if name == "members" else name: value for name, value in asdict(case).items()}
    always = {"input", "expected", "requirements", "flags"}
    return {name: value for name, value in fields.items() if (value or name in always) and name != "format"}


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance explain SD-FOLD-1
"""
)
@click.argument("name", metavar="NAME")
@output_option
def explain(name: str, output: str) -> None:
    """Print the purpose of a case or a requirement.

    For a case, print its requirements, the values of all steps, and the bugs that it detects. For a requirement,
    such as SD-FOLD-1, print its clause and its cases.
    """
    from simhash_doc_conformance.vectors.requirements import requirements

    check_text_output(output)
    lines = _of_requirement(name) if name in requirements() else _explanation(case_named(name))
    with printing(output) as show:
        for line in lines:
            show(line)


def _clause(requirement: str) -> Iterator[str]:
    import textwrap

    from simhash_doc_conformance.vectors.requirements import cite, wording

    yield cite(requirement)
    for paragraph in wording(requirement):
        yield textwrap.indent(textwrap.fill(paragraph, _WIDTH), "  ")


def _of_requirement(requirement: str) -> Iterator[str]:
    yield from _clause(requirement)
    if cases := [case for case in read_suite(None).cases if requirement in case.requirements]:
        yield "\ncases"
    for case in cases:
        yield f"  {case.id:<30} {printable(case.comment)}"


def _explanation(case: Case) -> Iterator[str]:
    from simhash_doc_conformance.adapters.adapter import Adapter
    from simhash_doc_conformance.adapters.implementation import Implementation
    from simhash_doc_conformance.mutants import mutants as catalogue
    from simhash_doc_conformance.mutants.analysis import published_wrong_answers
    from simhash_doc_conformance.pipeline import ON_INPUTS

    yield printable(case.comment)
    for requirement in case.requirements:
        yield ""
        yield from _clause(requirement)
    yield "\ninput"
    for name, value in case.members.items():
        yield f"  {name:<11} {shorten(json_text(value))}"
    if case.op in ON_INPUTS and case.op != "trace":
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
        yield f"  {name:<30} {catalogue()[name].mistake}"


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance mutants -o mutants.txt

Exit status: 0 every mutant fails a case, or no input can distinguish it; 1 a mutant survives.
"""
)
@output_option
def mutants(output: str) -> int:
    """Run the vectors against each mutant.

    A mutant is a deliberately wrong implementation. The output shows a case that detects it.
    """
    from simhash_doc.parallel.channel import JsonWire
    from simhash_doc.parallel.pool import available_cores, ordered_map
    from simhash_doc_conformance.mutants import mutants as catalogue
    from simhash_doc_conformance.mutants.analysis import first_killer

    check_text_output(output)
    read_suite(None)
    names, counts = list(catalogue()), Counter[str]()
    killers = ordered_map(first_killer, names, available_cores(), _failed, JsonWire(str | None))
    with printing(output) as show, Progress(len(names), "mutants") as progress:
        for name, killer in zip(names, killers, strict=True):
            mutant = catalogue()[name]
            progress.clear()
            counts["killed" if killer else "equivalent" if mutant.equivalent else "survive"] += 1
            unkilled = f"equivalent: {mutant.equivalent}" if mutant.equivalent else "SURVIVES"
            show(f"{name:<32} {mutant.requirement:<13} {f'killed by {killer}' if killer else unkilled}")
            progress.advance()
        killed, equivalent, survive = (counts[fate] for fate in ("killed", "equivalent", "survive"))
        show(f"\nscore {killed} of {killed + survive}; {equivalent} equivalent; {survive} survive")
    return 1 if survive else 0


def _failed(name: str, error: Exception) -> str | None:
    raise click.ClickException(f"the mutant {name} could not be run: {error}")


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance run -- simhash-doc conformance adapter
  simhash-doc conformance adapter --engine native
  simhash-doc conformance adapter --index directory
  simhash-doc conformance adapter --mutant cap-seven
"""
)
@click.option(
    "--engine",
    type=click.Choice(_ENGINES),
    help="Engine that computes fingerprints; `reference` is the specification in code.  [default: as configured]",
)
@click.option(
    "--index",
    metavar="NAME",
    default="memory",
    show_default=True,
    help="What answers searches: memory, directory, clusters, sqlite, spark, or the URL of a PostgreSQL database.",
)
@click.option("--mutant", metavar="NAME", help="A deliberately wrong implementation, to see its diagnosis.")
def adapter(engine: str | None, index: str, mutant: str | None) -> None:
    """Answer requests on standard input, until its end.

    A request is one JSON object per line.
    """
    from simhash_doc_conformance.adapters.adapter import Adapter
    from simhash_doc_conformance.adapters.implementation import Implementation
    from simhash_doc_conformance.mutants import mutants as catalogue

    if mutant is not None and engine is not None:
        raise click.UsageError("--mutant has no engine: give either --engine or --mutant")
    if mutant is not None and mutant not in catalogue():
        raise click.UsageError(f"{mutant!r} is not a mutant; list them with `simhash-doc conformance mutants`")
    with harness_errors():
        if mutant is not None:
            served = Adapter(catalogue()[mutant].implementation(), name=f"mutant {mutant}")
        elif engine == "reference":
            served = Adapter(Implementation())
        else:
            from simhash_doc_conformance.adapters.package import PackageImplementation

            served = Adapter(PackageImplementation(engine, index))
        served.serve(sys.stdin.buffer, sys.stdout.buffer)


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance init --lang go my-adapter
  simhash-doc conformance init --lang c tests/conformance
"""
)
@click.option(
    "--lang",
    type=Template(list(LANGUAGES)),
    required=True,
    help="Language of the adapter; `other` for any that is not listed.",
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
def init(lang: str, directory: Path) -> None:
    """Write an adapter template to DIR.

    The adapter builds, runs and answers the handshake. A comment shows where to plug in your implementation. For a
    language without a template, `--lang other` writes pseudo-code. The command creates DIR if needed. It never
    overwrites files: if one exists with other content, it names the file and ends with status 2. You can repeat an
    interrupted run.
    """
    import shlex

    with harness_errors():
        written = write_adapter(lang, directory)
    language = LANGUAGES[lang]
    for path in written:
        click.echo(f"wrote {escape_path(str(path))}")
    adapter = escape_path(str(directory / language.adapter))
    click.echo(f'\nNext: put your implementation at "Plug in here" in {adapter}, then\n')
    enter = [] if directory == Path() else [f"cd {shlex.quote(str(directory))}"]
    for command in (*enter, *language.commands):
        print_exactly(f"    {command}")
    click.echo(f"\n{library_of(lang)}")
