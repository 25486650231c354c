"""`simhash-doc table`: the rows of Parquet, CSV and JSON-lines files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from simhash_doc.cli.document_options import jobs_option
from simhash_doc.cli.policy_options import Door, min_similarity_option, policy_options
from simhash_doc.cli.search_options import search_errors
from simhash_doc.command_line.help import Number, SectionedCommand
from simhash_doc.command_line.options import (
    computed_scheme_option,
    failure,
    output_option,
    quiet_option,
    standard_input,
)
from simhash_doc.command_line.output_formats import format_of_rows
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import Messages, Progress, counted, print_error, print_notice
from simhash_doc.console.output import STANDARD_OUTPUT, writing
from simhash_doc.duplicates.policy import BY_COLUMN, FIRST, LONGEST, Policy

_NUMBERS = "[default: row numbers of Parquet, from 0, and line numbers of other files, from 1]"


def _one_column(_: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> str:
    """Return the name of the column. Of two, the last would be compared, and the first lost without a word."""
    if len(names) > 1:
        raise click.BadParameter(f"{' and '.join(names)} are two columns: join them to one first", param=parameter)
    return names[0]


column_option = click.option(
    "--column",
    multiple=True,
    callback=_one_column,
    default=["text"],
    metavar="NAME",
    help="Column, or key of JSON objects, with the texts.  [default: text]",
)


def _save_memory() -> None:
    """Let pyarrow, before it is loaded, use the allocator of all else: its own keeps 30 MB that it has freed."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


@contextmanager
def _errors() -> Iterator[None]:
    """Report errors of a tabular file."""
    from simhash_doc.tabular import TabularError

    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise click.ClickException("tables need pyarrow: pip install 'simhash-doc[tables]'") from error
    except TabularError as error:
        raise failure(error) from error


def _numbers(kind: str) -> str:
    """Return what the ids of a table of a format are if no column is named."""
    return "row numbers" if kind == "parquet" else "line numbers"


def _tell_of_ids(path: str, kind: str, id_column: str | None, has_ids: bool) -> None:
    """Print that a column of ids is not used, if there is one and none is named: a join by these ids is wrong.

    `-q` does not hide it, because no file shows it.
    """
    if has_ids and id_column is None:
        print_error(f"simhash-doc: {path}: the ids are {_numbers(kind)}; --id id takes them from the column 'id'")


@click.group(
    epilog="""\b
Examples:
  simhash-doc table fingerprint texts.parquet -o fingerprints.parquet
  simhash-doc table dedupe texts.parquet -o kept.parquet
"""
)
def table() -> None:
    """Fingerprint table rows, or leave out duplicates.

    A table is a Parquet, CSV or JSON-lines file with a column of texts.
    """


@table.command(
    "fingerprint",
    epilog="""\b
Examples:
  simhash-doc table fingerprint texts.parquet -o fingerprints.parquet
  simhash-doc table fingerprint --id id --scheme sd256 texts.jsonl -o out.csv
  simhash-doc table fingerprint --column body texts.jsonl.gz -o out.jsonl
""",
)
@click.argument("path", required=False, metavar="[FILE]")
@column_option
@click.option("--id", "id_column", metavar="NAME", help=f"Column with the ids of the rows.  {_NUMBERS}")
@computed_scheme_option("Scheme of the fingerprints.", "sd64")
@click.option(
    "--min-tokens",
    type=Number(0),
    default=0,
    metavar="N",
    help="Rows with fewer tokens get no fingerprint. The distances of short texts are unreliable.",
)
@output_option
@jobs_option
@quiet_option
def _fingerprint(
    path: str | None, column: str, id_column: str | None, scheme: str, min_tokens: int, output: str, jobs: int | None
) -> int:
    """Write the fingerprint of each row of a table.

    FILE is Parquet, CSV or JSON lines. Without FILE, or for -, the command reads CSV or JSON lines from standard input.
    CSV may have a comma, a semicolon or a tab. Lines may be compressed with gzip.

    The output is .parquet, .csv or .jsonl, or - for JSON lines, and appears when it is complete. It has one row per
    input row: id, scheme, fingerprint, value (hex if not Parquet), distinct_tokens and support.

    A row without a fingerprint has a reason. The command counts such rows on standard error, and exits with status 0.
    If it cannot read a row, it exits with status 1.
    """
    from simhash_doc.cli.row_formats import write_json, write_rows

    _save_memory()
    form = format_of_rows(output)
    (path,) = (path,) if path is not None else standard_input("FILE")
    check_outputs(output, inputs=[path])
    with _errors():
        from simhash_doc.entries.parquet_files import write_parquet
        from simhash_doc.tabular.job import open_table, results
        from simhash_doc.tabular.results import Tally, json_objects, plain_rows, result_schema
        from simhash_doc.tabular.table import ID_COLUMN, Request

        asked, tally = Request(column, id_column, scheme, min_tokens), Tally()
        opened = open_table(path, asked, form)
        _tell_of_ids(path, opened.kind, id_column, ID_COLUMN in opened.names)
        schema = result_schema(opened.id_type, asked)
        with Progress(opened.total, opened.unit) as progress:
            batches = results(opened, asked, tally, jobs, progress.advance)
            if form == "parquet":
                with writing(output) as file:
                    write_parquet(file, schema, batches)
            elif form == "csv":
                columns = {"hex" if name == "value" else name: "string" for name in schema.names}
                write_rows(output, form, columns, (tuple(row.values()) for row in plain_rows(batches)))
            else:
                with writing(output) as file:
                    for row in json_objects(plain_rows(batches), asked):
                        write_json(file, row)
    if not tally.rows:
        print_notice(f"simhash-doc: {path}: has no rows")
    if without := tally.without.total() + tally.failed:
        reasons = f"{without:,} of {tally.rows:,} rows have no fingerprint; the output column 'reason' has the reasons:"
        show = print_error if tally.failed else print_notice
        show(f"simhash-doc: {path}: {reasons}")
        for reason, count in tally.without.most_common():
            show(f"  {count:,}: {reason}")
        if tally.failed:
            print_error(f"  {tally.failed:,}: cannot be read, for example {tally.example}")
    return 1 if tally.failed else 0


@table.command(
    "dedupe",
    cls=SectionedCommand,
    epilog="""\b
Examples:
  simhash-doc table dedupe texts.parquet -o kept.parquet
  simhash-doc table dedupe --id id texts.csv -o kept.csv --clusters found.csv
  simhash-doc table dedupe --keep column:date parts/*.jsonl -o kept.jsonl
  simhash-doc table dedupe new.parquet --against old.parquet -o kept.parquet
""",
)
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="Copy the rows that are kept to FILE, in the same format."
)
@click.option(
    "--clusters",
    metavar="FILE",
    help="Write the clusters of duplicates to a .parquet, .csv or .jsonl file. The columns are id, cluster, "
    "representative, distance, similarity, numbers and reason.",
)
@click.option(
    "--against",
    multiple=True,
    metavar="OLD",
    help="Also leave out rows that are near and similar to a row of OLD, a table in any format. The command copies "
    "no row of OLD. Repeatable.",
)
@click.option(
    "--html",
    metavar="FILE",
    help="Also write an HTML page about the rows that are left out. It shows their similarities and distances, pairs "
    "near the threshold, and the largest clusters with the words and numbers that differ.",
)
@column_option
@click.option("--id", "id_column", metavar="NAME", help=f"Column with the ids for --clusters.  {_NUMBERS}")
@policy_options(Door("rows", (LONGEST, FIRST, BY_COLUMN), "FILE"))
@jobs_option
@quiet_option
def _dedupe(
    paths: tuple[str, ...],
    column: str,
    id_column: str | None,
    against: tuple[str, ...],
    policy: Policy,
    jobs: int | None,
    **outputs: Any,
) -> int:
    """Copy the rows of tables without duplicates.

    Each FILE is Parquet, CSV or JSON lines, all of one format. Lines may be compressed with gzip.

    The command compares rows by their fingerprints, their texts and their numbers. It leaves out a row if a kept row is
    near and similar, and contains all of its numbers. It keeps rows without a text or a token, and counts them on
    standard error. If it cannot read a row, it reports the row and exits with status 1.

    With --against, the command also leaves out duplicates of rows of OLD. --clusters names these by their ids, or by
    file and number.
    """
    from simhash_doc.cli.table_report import ClusterColumns, RowOutputs, report_rows, write_outputs
    from simhash_doc.parallel.pool import available_cores

    written = RowOutputs(**outputs)
    files = (*paths, *against)
    if STANDARD_OUTPUT in (*files, written.output, written.clusters, written.html):
        raise click.UsageError("- is given, but tables are read several times: name files, and -o FILE for the result")
    check_outputs(written.output, written.clusters, written.html, inputs=files)
    _save_memory()
    form = format_of_rows(written.output)
    with _errors():
        from simhash_doc.tabular.deduplication import ComparedTables, OpenedTables

        with Progress(None).begin("reading rows"):
            opened = OpenedTables(ComparedTables(paths, column, id_column, against), policy, form)
        clusters = ClusterColumns.of(opened, written.clusters)
        if written.clusters:
            _tell_of_ids(paths[0], opened.new.kind, id_column, opened.new.has_ids)
        with Progress(2 * len(opened.rows), "steps") as progress, search_errors():
            progress.begin(f"comparing {len(opened.rows):,} rows")
            found = opened.find(jobs or available_cores(), progress.update)
        write_outputs(opened, found, written, clusters)
    report_rows(opened, found, written)
    return 1 if opened.rows.problems else 0


@table.command(
    "confirm",
    epilog="""\b
Examples:
  simhash-doc table confirm --pairs found.jsonl --id id texts.parquet
  simhash-doc table confirm --pairs found.csv new.csv --against old.csv
  simhash-doc extract --json articles/ -o texts.jsonl
  simhash-doc table confirm --pairs found.jsonl --id path texts.jsonl
""",
)
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--pairs",
    "pairs_path",
    required=True,
    metavar="PAIRS",
    help="The output of `find-all`, `index query` or `store find`, or any table with the columns a and b.",
)
@click.option(
    "--against",
    multiple=True,
    metavar="OLD",
    help="A table with the texts of the second ids; FILE contains the texts of the first ids. Repeatable.",
)
@column_option
@click.option("--id", "id_column", metavar="NAME", help=f"Column with the ids.  {_NUMBERS}")
@min_similarity_option("Minimum share of common words, and of common distinct words. 0 writes all pairs.", least=0)
@output_option
@quiet_option
def _confirm(
    paths: tuple[str, ...],
    pairs_path: str,
    against: tuple[str, ...],
    column: str,
    id_column: str | None,
    min_similarity: int,
    output: str,
) -> int:
    """Write the pairs of similar texts.

    PAIRS contains pairs of ids, and FILE the texts. The command compares the texts of each pair as `table dedupe` does.
    The output has both ids, the distance of PAIRS, and the similarity, from 0 to 1.

    If an id or its text is missing, the command reports the pair on standard error and exits with status 1.

    PAIRS and FILE are Parquet, CSV or JSON lines. Ids keep their type: 7 and "7" are two ids. If one of the files is
    CSV, the command compares ids as texts.
    """
    from simhash_doc.cli.row_formats import id_column_type, write_rows

    if STANDARD_OUTPUT in (*paths, *against, pairs_path):
        raise click.UsageError("- is given, but tables and pairs are read several times: name files")
    check_outputs(output, inputs=(*paths, *against, pairs_path))
    _save_memory()
    form = format_of_rows(output)
    messages = Messages()
    count = problems = 0

    def problem(text: str) -> None:
        nonlocal problems
        problems += 1
        messages.show(text, "pairs that cannot be compared")

    with _errors():
        from simhash_doc.tabular.confirming import Confirmation, IdPairFile
        from simhash_doc.tabular.filtering import TabularFiles

        pairs = IdPairFile(pairs_path, form)
        others = [] if id_column is None else [id_column]
        with Progress(None).begin("reading rows"):
            tables = [TabularFiles(one, None, column, others) for one in (paths, against) if one]
            confirmation = Confirmation(pairs, tables, id_column)
        _tell_of_ids(paths[0], tables[0].kind, id_column, any(table.has_ids for table in tables))
        sides = zip(pairs.names, confirmation.ids, pairs.types, strict=True)
        columns = {name: id_column_type(ids, {None if pairs.plain else kind}, form) for name, ids, kind in sides}
        with Progress(None, "pairs") as progress:

            def rows() -> Iterator[tuple[Any, ...]]:
                nonlocal count
                for *pair, similarity in confirmation.similar(min_similarity / 100, problem, progress.advance):
                    count += 1
                    yield *pair, round(similarity, 4)

            write_rows(output, form, columns | {"distance": "int64", "similarity": "float64"}, rows())
    lost = [one for table in tables for one in table.problems]
    for one in lost:
        messages.show(one, "rows that cannot be read")
    messages.finish()
    if problems and not count and id_column is None:
        print_notice(f"simhash-doc: the ids were {_numbers(tables[0].kind)}; --id names a column of ids")
    elif problems and not count and confirmation.difference:
        print_notice(f"simhash-doc: the types of the ids differ, and so do the ids: {confirmation.difference}")
    print_notice(f"simhash-doc: {pairs_path}: {counted(count, 'pair')} written, {problems:,} not compared")
    return 1 if problems or lost else 0
