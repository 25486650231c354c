"""`simhash-doc dedupe --column`: the rows of a tabular file without duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click
import numpy as np
from click.core import ParameterSource

from simhash_doc.cli.output import (
    STANDARD_OUTPUT,
    Messages,
    Progress,
    check_outputs,
    chosen_format,
    counted,
    print_notice,
    write_rows,
    writing,
)
from simhash_doc.duplicates.rows import NO_TOKEN, NULL, TOO_SHORT, DuplicateRows, find_duplicate_rows
from simhash_doc.ingest import ReadOptions

_FITTING = {
    "paths", "output", "keep", "min_similarity", "min_tokens", "scheme", "distance", "column", "id_column", "groups",
    "jobs",
}  # fmt: skip
_GROUP = {"distance": "int64", "similarity": "float64", "reason": "string"}
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
    options: ReadOptions,
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
    if keep == "oldest":
        raise click.UsageError("with --column, rows have no time of their own: --keep column:NAME keeps the least date")
    if given or distance == "auto":
        raise click.UsageError(f"with --column, there is no {', '.join(given or ['--distance auto'])}")
    if STANDARD_OUTPUT in (*paths, output, groups) or not paths:
        raise click.UsageError("--column takes files PATH, and -o FILE for the rows that are kept")
    check_outputs(output, groups, inputs=paths)
    try:
        from simhash_doc.tabular.dedupe import Source
        from simhash_doc.tabular.rows import TabularError, TabularUsageError
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise click.ClickException("--column needs pyarrow: pip install 'simhash-doc[tables]'") from error
    form, groups_form = chosen_format(None, output), chosen_format(None, groups or "")
    preferred = keep.removeprefix(_COLUMN) if keep.startswith(_COLUMN) else None
    try:
        with Progress(None).begin("reading rows"):
            source = Source(paths, form, column, [name for name in (id_column, preferred) if name])
        with Progress(None).begin(f"comparing {len(source):,} rows"):
            found = find_duplicate_rows(
                source,
                keep=source.preference(preferred) if preferred else keep,
                scheme=scheme or "sd256",
                distance=distance if isinstance(distance, int) else None,
                min_similarity=min_similarity / 100,
                min_tokens=options.min_tokens,
                workers=jobs,
            )
        if groups:
            ids = source.ids(id_column)
            kind = "int64" if all(type(one) is int and one.bit_length() < 64 for one in ids) else "string"
            write_rows(
                groups, groups_form, {"id": kind, "group": "int64", "keeper": kind, **_GROUP}, _group_rows(ids, found)
            )
        with writing(output) as file:
            source.write(file, found.kept)
    except TabularUsageError as error:
        raise click.UsageError(str(error)) from error
    except TabularError as error:
        raise click.ClickException(str(error)) from error
    except (ValueError, TypeError) as error:  # values that have no order, a distance that is too large
        raise click.UsageError(str(error)) from error
    messages = Messages()
    for problem in source.problems:
        messages.show(problem, "rows that cannot be read")
    messages.finish()
    where = paths[0] if len(paths) == 1 else f"{len(paths):,} files"
    print_notice(f"simhash-doc: {where}: {counted(int(found.kept.sum()), 'row')} kept of {len(source):,}")
    uncompared = Counter(found.reasons.tolist())
    if short := uncompared[TOO_SHORT]:
        print_notice(f"simhash-doc: {where}: {counted(short, 'row')} with fewer tokens than --min-tokens kept")
    for why in (NO_TOKEN, NULL):
        if count := uncompared[why]:
            print_notice(f"simhash-doc: {where}: {counted(count, 'row')} kept without comparison: {why}")
    return 1 if source.problems else 0


def _group_rows(ids: list[Any], found: DuplicateRows) -> Iterator[tuple[Any, ...]]:
    """Yield each member of a group, the groups in order."""
    members = np.argsort(found.groups, kind="stable")[int((found.groups < 0).sum()) :]
    columns = (found.groups, found.keepers, found.distances, found.similarities.round(4), found.reasons)
    for row, group, keeper, *rest in zip(members.tolist(), *(one[members].tolist() for one in columns), strict=True):
        yield ids[row], group, ids[keeper], *rest
