"""`simhash-doc dedupe --column`: the rows of a tabular file without duplicates."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from simhash_doc.cli.output import (
    STANDARD_OUTPUT,
    Messages,
    Progress,
    check_outputs,
    counted,
    print_error,
    print_notice,
)

_FITTING = {"paths", "output", "keep", "min_similarity", "scheme", "distance", "column", "id_column", "groups", "jobs"}
_COLUMN = "column:"


class KeepChoice(click.Choice[str]):
    """The values of `--keep`: some words, or ``column:NAME``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value; see `click.ParamType.convert`."""
        if isinstance(value, str) and value.startswith(_COLUMN):
            return value
        return super().convert(value, param, ctx)


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
    jobs: int | None,
    **_: Any,
) -> int:
    """Write the rows that are kept, and the groups on request; return the exit status."""
    context = click.get_current_context()
    given = [
        max(parameter.opts, key=len)
        for parameter in context.command.params
        if parameter.name not in _FITTING
        and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]
    given += ["--keep oldest"] * (keep == "oldest") + ["--distance auto"] * (distance == "auto")
    if given:
        raise click.UsageError(f"with --column, there is no {', '.join(given)}")
    if len(paths) != 1 or STANDARD_OUTPUT in (paths[0], output, groups):
        raise click.UsageError("--column takes one file PATH, and -o FILE for the rows that are kept")
    check_outputs(output, groups, inputs=paths)
    try:
        from simhash_doc.tabular.dedupe import fit_output, group_table, read_source, write_table
        from simhash_doc.tabular.duplicates import NO_TOKEN, NULL, find_duplicate_rows
        from simhash_doc.tabular.parquet import column_type
        from simhash_doc.tabular.rows import TabularError, TabularUsageError
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise click.ClickException("--column needs pyarrow: pip install 'simhash-doc[tables]'") from error
    path, scheme = paths[0], scheme or "sd256"
    try:
        source = read_source(path, column)
        fit_output(output, source.rows)
        ids = source.numbers
        if id_column is not None:
            column_type(path, source.rows.schema, id_column, f"columns: {', '.join(source.rows.column_names)}")
            ids = source.rows.column(id_column)
        if groups is not None:
            fit_output(groups, source.rows.select([id_column] if id_column else []))
        preferred = source.preference(path, keep.removeprefix(_COLUMN)) if keep.startswith(_COLUMN) else keep
        texts = source.texts(column)
        most = distance if isinstance(distance, int) else None
        with Progress(None).begin(f"comparing {len(texts):,} rows"):
            try:
                found = find_duplicate_rows(
                    texts,
                    keep=preferred,
                    scheme=scheme,
                    distance=most,
                    min_similarity=min_similarity / 100,
                    workers=jobs,
                )
            except (ValueError, TypeError) as error:  # values that have no order, a distance that is too large
                raise click.UsageError(f"{path}: {error}") from error
        if groups is not None:
            write_table(groups, group_table(texts, ids, found, scheme))
        write_table(output, source.rows.filter(found.kept))
    except TabularUsageError as error:
        raise click.UsageError(str(error)) from error
    except TabularError as error:
        raise click.ClickException(str(error)) from error
    messages = Messages()
    for number, why in source.errors.items():
        messages.show(f"{path}: line {number}: {why}", "lines that cannot be read")
    messages.finish()
    print_notice(f"simhash-doc: {path}: {counted(int(found.kept.sum()), 'row')} kept of {len(texts):,}")
    uncompared = {why: int((found.reasons == why).sum()) for why in (NO_TOKEN, NULL)}
    for why, count in uncompared.items():
        if count:
            print_error(f"simhash-doc: {path}: {counted(count, 'row')} kept without comparison: {why}")
    return 1 if source.errors or any(uncompared.values()) else 0
