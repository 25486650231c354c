"""What `table dedupe` writes: the rows that are kept, the clusters, a page; and what standard error tells of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simhash_doc.batch.batches import NO_TOKEN, NULL_TEXT
from simhash_doc.cli.cluster_page import STORED_CHARACTERS
from simhash_doc.cli.row_formats import id_column_type, write_rows
from simhash_doc.cli.table_page import ComparedRows, row_duplicates_report, shown_rows
from simhash_doc.command_line.help import command_line
from simhash_doc.command_line.output_formats import format_of_rows
from simhash_doc.console.messages import Messages, agreeing, counted, is_quiet, print_error, print_notice
from simhash_doc.console.output import writing
from simhash_doc.duplicates.differences import differing
from simhash_doc.duplicates.rows import TOO_FEW_TOKENS, DuplicateRows
from simhash_doc.own_outputs import ROW_CLUSTER_COLUMNS
from simhash_doc.report import html_page

if TYPE_CHECKING:
    from simhash_doc.tabular.deduplication import OpenedTables


@dataclass(frozen=True, slots=True)
class RowOutputs:
    """Where the rows that are kept, the clusters and the page are written; None if they are not."""

    output: str
    clusters: str | None
    html: str | None


@dataclass(frozen=True, slots=True)
class ClusterColumns:
    """The ids of rows as a file of clusters has them, and their Arrow type."""

    ids: list[Any]
    kind: Any

    @classmethod
    def of(cls, opened: OpenedTables, path: str | None) -> ClusterColumns:
        """Return those of opened tables, before anything is compared; none if there is no file.

        Raises:
            TabularUsageError: the format of the file cannot represent the ids.
        """
        form = format_of_rows(path or "")
        if not path:
            return cls([], None)
        ids, types = opened.rows.ids(opened.tables.id_column, form)
        return cls(ids, id_column_type(ids, types, form))


def write_outputs(opened: OpenedTables, found: DuplicateRows, outputs: RowOutputs, clusters: ClusterColumns) -> None:
    """Write the clusters, the page, and last the rows that are kept."""
    from simhash_doc.tabular.deduplication import cluster_rows

    if outputs.clusters:
        columns = ROW_CLUSTER_COLUMNS | {"id": clusters.kind, "representative": clusters.kind}
        write_rows(outputs.clusters, format_of_rows(outputs.clusters), columns, cluster_rows(clusters.ids, found))
    if outputs.html:
        with writing(outputs.html) as file:
            for line in _page(opened, found, outputs.output):
                file.write(f"{line}\n".encode())
    with writing(outputs.output) as file:
        opened.write(file, found)


def _page(opened: OpenedTables, found: DuplicateRows, output: str) -> Iterator[str]:
    """Return the lines of the page, for which a few texts are read once more."""
    samples, by_numbers, groups = shown_rows(found)
    shown = {*samples, *by_numbers, *(row for group in groups for row in group)}
    shown |= {int(of[row]) for row in shown for of in (found.representatives, found.resembles) if of[row] >= 0}
    tables, rows = opened.tables, opened.rows
    files = (*tables.paths, *tables.against)
    compared = ComparedRows(files, rows.count, output, opened.policy, rows.problems)
    texts = opened.beginnings(shown, STORED_CHARACTERS)
    return html_page(row_duplicates_report(found, compared, opened.name_of, texts, command_line()))


def report_rows(opened: OpenedTables, found: DuplicateRows, outputs: RowOutputs) -> None:
    """Print what cannot be read, the numbers of rows, and what a user may not expect to be kept or left out."""
    messages = Messages()
    for problem in opened.rows.problems:
        messages.show(problem, "rows that cannot be read")
    messages.finish()
    paths, against = opened.tables.paths, opened.tables.against
    where, start = paths[0] if len(paths) == 1 else f"{len(paths):,} files", opened.rows.count
    print_notice(f"simhash-doc: {where}: {counted(int(found.kept[start:].sum()), 'row')} kept of {len(opened.new):,}")
    if against:
        of_old = int((found.representatives[start:] < start).sum())
        old = against[0] if len(against) == 1 else f"{len(against):,} files"
        print_notice(f"simhash-doc: {where}: {counted(of_old, 'row')} left out for rows of {old}")
    _report_largest(where, opened, found)
    _report_words(where, opened, found)
    _report_numbers(where, found, start, outputs)
    reasons = Counter(found.reasons[start:].tolist())
    if short := reasons[TOO_FEW_TOKENS]:
        print_notice(f"simhash-doc: {where}: {counted(short, 'row')} with fewer tokens than --min-tokens kept")
    for why in (NO_TOKEN, NULL_TEXT, *dict.fromkeys(opened.rows.without_text.values())):
        if count := reasons[why]:
            print_notice(f"simhash-doc: {where}: {counted(count, 'row')} kept without comparison: {why}")


def _report_largest(where: str, opened: OpenedTables, found: DuplicateRows) -> None:
    """Print the largest cluster with its least similar pair."""
    if found.kept.all():
        return
    sizes = np.bincount(found.labels[found.labels >= 0])
    others = np.flatnonzero((found.labels == sizes.argmax()) & ~found.kept)
    row = int(others[found.similarities[others].argmin()])
    names = [opened.name_of(one) for one in (row, int(found.representatives[row]))]
    print_notice(
        f"simhash-doc: {where}: the largest cluster has {counted(int(sizes.max()), 'row')}; {names[0]} is the least "
        f"similar to {names[1]}, which is kept: {math.floor(100 * found.similarities[row])} % of the words"
    )


def _report_words(where: str, opened: OpenedTables, found: DuplicateRows) -> None:
    """Print how many rows are left out with other words, and an example of the cluster that has most of them."""
    others = np.flatnonzero(found.similarities < 1)
    if is_quiet() or not len(others):
        return
    clusters = found.labels[others]
    others_there = others[clusters == np.bincount(clusters).argmax()]
    row = int(others_there[found.similarities[others_there].argmin()])
    kept = int(found.representatives[row])
    texts = opened.beginnings({row, kept}, STORED_CHARACTERS)
    line = differing(texts[kept], texts[row]).line()
    print_notice(
        f"simhash-doc: {where}: {counted(len(others), 'row')} left out with other words than the kept row; "
        f"--min-similarity 100 keeps {agreeing(len(others), 'it', 'them')}"
        + (f"; for example {opened.name_of(row)}: {line}" if line else "")
    )


def _report_numbers(where: str, found: DuplicateRows, start: int, outputs: RowOutputs) -> None:
    """Print how many rows are kept because of their numbers, or left out whatever these are."""
    if by_numbers := int((found.resembles[start:] >= 0).sum()):
        print_notice(
            f"simhash-doc: {where}: {counted(by_numbers, 'row')} kept because of "
            f"{agreeing(by_numbers, 'its', 'their')} numbers; --numbers ignore leaves "
            f"{agreeing(by_numbers, 'it', 'them')} out"
        )
    if others := int((found.numbers[start:] == "other").sum()):
        tell = print_notice if outputs.clusters or outputs.html else print_error
        tell(
            f"simhash-doc: {where}: {counted(others, 'row')} left out with numbers that the kept row lacks; --numbers "
            f"keep keeps {agreeing(others, 'it', 'them')}"
        )
