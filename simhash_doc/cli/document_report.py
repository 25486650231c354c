"""What the commands that read documents print on standard error: warnings, errors, and what was left out."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, TypeVar

from simhash_doc.cli.documents import LIMIT_OPTIONS
from simhash_doc.cli.messages import counted
from simhash_doc.cli.progress import Progress
from simhash_doc.cli.streams import print_error, print_notice
from simhash_doc.ingest import Results, SkippedFile
from simhash_doc.ingest.results import Result

if TYPE_CHECKING:
    from simhash_doc.cli.failures import Failures

R = TypeVar("R", bound=Result)


def report(results: Results[R]) -> Iterator[R]:
    """Yield the results; print warnings and errors as they come, progress on a terminal, and a summary."""
    report_skipped(results.skipped_files)
    failures: Counter[str] = Counter()
    if len(results.paths) <= 1:
        yield from _reported(results, failures)
    else:
        with Progress(len(results.paths), "documents") as progress:
            yield from _reported(results, failures, progress)
    report_left_out(results.skipped_formats, results.skipped_short)
    if results.empty:
        print_error("simhash-doc: no documents found")
    if results.count > 1 and (failures or results.skipped_records or sys.stderr.isatty()):
        from simhash_doc.cli.failures import summary

        print_notice(f"simhash-doc: {summary(results.count, failures, results.skipped_records)}")


def report_skipped(skipped_files: list[SkippedFile]) -> None:
    """Print why files and directories are not read, except those that `report_left_out` counts."""
    for skipped in skipped_files:
        if skipped.failed:
            print_error(f"simhash-doc: {skipped.path}: {skipped.reason}")
        elif not skipped.format:
            print_notice(f"simhash-doc: {skipped.path}: skipped: {skipped.reason}")


def report_left_out(formats: Counter[str], short: int = 0) -> None:
    """Print how many files of which formats, and how many short documents, were left out."""
    if formats:
        named = ", ".join(f"{count:,} {name}" for name, count in formats.most_common())
        print_notice(f"simhash-doc: {counted(formats.total(), 'file')} of other formats skipped: {named}")
    if short:
        print_notice(f"simhash-doc: {counted(short, 'document')} with fewer tokens than --min-tokens left out")


def _reported(
    results: Results[R], failures: Counter[str], progress: Progress | None = None
) -> Generator[R, None, None]:
    """Yield the results, and print what is wrong with each."""
    shown: Failures | None = None
    for result in results:
        if progress:
            progress.clear()
            progress.total = results.expected
        for warning in result.warnings:
            print_notice(f"simhash-doc: {result.path}: warning: {warning}")
        if result.error:
            from simhash_doc.cli.failures import Failures

            failures[result.code or "failed"] += 1
            shown = shown or Failures(LIMIT_OPTIONS)
            shown.show(result)
        yield result
        if progress:
            progress.advance()
    if shown:
        shown.finish()
