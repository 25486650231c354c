"""`fingerprint --column` and `dedupe --column`: the rows of tabular files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
import numpy as np
from click.core import ParameterSource

from simhash_doc.cli.distance import check_distance
from simhash_doc.cli.guards import check_outputs
from simhash_doc.cli.messages import Messages, Progress, counted, print_error, print_notice
from simhash_doc.cli.output import STANDARD_OUTPUT, writing
from simhash_doc.cli.row_formats import chosen_format, write_json, write_rows
from simhash_doc.duplicates.rows import NO_TOKEN, NULL, TOO_SHORT, DuplicateRows, find_duplicate_rows
from simhash_doc.ingest import ReadOptions
from simhash_doc.schemes import get_scheme
from simhash_doc.tabular import TabularError, TabularUsageError

_FITTING = {
    "paths", "output", "keep", "min_similarity", "min_tokens", "scheme", "distance", "column", "id_column", "groups",
    "jobs", "quiet",
}  # fmt: skip
_GROUP = {"distance": "int64", "similarity": "float64", "reason": "string"}
COLUMN = "column:"  # before a name, as a value of --keep


def _save_memory() -> None:
    """Let pyarrow, before it is loaded, use the allocator of all else: its own keeps 30 MB that it has freed."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


@contextmanager
def _errors() -> Iterator[None]:
    """Report errors of a tabular file."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise click.ClickException("--column needs pyarrow: pip install 'simhash-doc[tables]'") from error
    except TabularUsageError as error:
        raise click.UsageError(str(error)) from error
    except TabularError as error:
        raise click.ClickException(str(error)) from error


def _row_format(output: str) -> str:
    form = chosen_format(None, output)
    if form == "text":
        raise click.UsageError(f"{output}: rows are written as Parquet (.parquet), CSV (.csv) or JSON lines (.jsonl)")
    return form


def fingerprint_rows(path: str, output: str, jobs: int | None, *request: Any) -> int:
    """Write the fingerprints of the rows of a file, and return the exit status.

    Args:
        path: the file.
        output: that of the result.
        jobs: number of workers.
        request: the members of `tabular.rows.Request`.
    """
    _save_memory()
    form = _row_format(output)
    check_outputs(output, inputs=[path])
    with _errors():
        from simhash_doc.tabular.job import json_objects, open_table, plain_rows, results
        from simhash_doc.tabular.parquet import write_parquet
        from simhash_doc.tabular.rows import Request, Tally, result_schema

        asked, tally = Request(*request), Tally()
        table = open_table(path, asked, form)
        schema = result_schema(table.id_type, asked)
        with Progress(table.total, table.unit) as progress:
            batches = results(table, asked, tally, jobs, progress.advance)
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
        print_error(f"simhash-doc: {path}: {reasons}")
        for reason, count in tally.without.most_common():
            print_error(f"  {count:,}: {reason}")
        if tally.failed:
            print_error(f"  {tally.failed:,}: cannot be read, such as: {tally.example}")
    return 1 if tally.failed else 0


def dedupe_rows(
    paths: tuple[str, ...],
    column: str,
    id_column: str | None,
    output: str,
    groups: str | None,
    *,
    keep: str,
    min_similarity: int,
    scheme: str | None,
    distance: int | str | None,
    options: ReadOptions,
    jobs: int | None,
    **_: Any,
) -> int:
    """Write the rows that are kept, and the groups on request; return the exit status."""
    _save_memory()
    context = click.get_current_context()
    given = [
        max(parameter.opts, key=len)
        for parameter in context.command.params
        if parameter.name not in _FITTING
        and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]
    if keep == "oldest":
        raise click.UsageError("with --column, rows have no time of their own: --keep column:NAME keeps the least date")
    if given or distance == "auto":
        raise click.UsageError(f"with --column, there is no {', '.join(given or ['--distance auto'])}")
    check_distance(distance, get_scheme(scheme or "sd256"))
    if STANDARD_OUTPUT in (*paths, output, groups) or not paths:
        raise click.UsageError("--column takes files PATH, and -o FILE for the rows that are kept")
    form, groups_form = chosen_format(None, output), _row_format(groups or "")
    preferred = keep.removeprefix(COLUMN) if keep.startswith(COLUMN) else None
    with _errors():
        from simhash_doc.tabular.dedupe import Source

        with Progress(None).begin("reading rows"):
            source = Source(paths, form, column, [name for name in (id_column, preferred) if name])
        with Progress(None).begin(f"comparing {len(source):,} rows"):
            try:
                found = find_duplicate_rows(
                    source,
                    keep=source.preference(preferred) if preferred else keep,
                    scheme=scheme or "sd256",
                    distance=distance if isinstance(distance, int) else None,
                    min_similarity=min_similarity / 100,
                    min_tokens=options.min_tokens,
                    workers=jobs,
                )
            except (ValueError, TypeError) as error:  # values that have no order, a distance that is too large
                raise click.UsageError(str(error)) from error
        if groups:
            ids = source.ids(id_column)
            kind = "int64" if all(type(one) is int and one.bit_length() < 64 for one in ids) else "string"
            write_rows(
                groups, groups_form, {"id": kind, "group": "int64", "keeper": kind, **_GROUP}, _group_rows(ids, found)
            )
        with writing(output) as file:
            source.write(file, found.kept)
    messages = Messages()
    for problem in source.problems:
        messages.show(problem, "rows that cannot be read")
    messages.finish()
    where = paths[0] if len(paths) == 1 else f"{len(paths):,} files"
    print_notice(f"simhash-doc: {where}: {counted(int(found.kept.sum()), 'row')} kept of {len(source):,}")
    uncompared = Counter(found.reasons.tolist())
    uncompared[NULL] -= source.without_text.total()
    uncompared += source.without_text
    if short := uncompared[TOO_SHORT]:
        print_notice(f"simhash-doc: {where}: {counted(short, 'row')} with fewer tokens than --min-tokens kept")
    for why in (NO_TOKEN, NULL, *source.without_text):
        if count := uncompared[why]:
            print_notice(f"simhash-doc: {where}: {counted(count, 'row')} kept without comparison: {why}")
    return 1 if source.problems else 0


def _group_rows(ids: list[Any], found: DuplicateRows) -> Iterator[tuple[Any, ...]]:
    members = np.argsort(found.groups, kind="stable")[int((found.groups < 0).sum()) :]
    columns = (found.groups, found.keepers, found.distances, found.similarities.round(4), found.reasons)
    rows = zip(members.tolist(), *(one[members].tolist() for one in columns), strict=True)
    for row, group, keeper, *pair, reason in rows:
        yield ids[row], group, ids[keeper], *([None, None] if row == keeper else pair), reason
