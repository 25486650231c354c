"""`simhash-doc fingerprint --column`: the rows of a Parquet or JSON-lines file (needs the extra `tables`)."""

from __future__ import annotations

import click

from simhash_doc.cli.output import Progress, print_error, print_notice
from simhash_doc.tabular.job import Job
from simhash_doc.tabular.rows import Request, TabularError, TabularUsageError, Tally

_SHOWN_REASONS = 10


def fingerprint_rows(path: str, request: Request, output: str, jobs: int | None) -> int:
    """Fingerprint the rows of a file, print a summary of those without a fingerprint, and return the exit status."""
    try:
        job = Job(path, request, output, jobs)
        with Progress(job.total, job.unit) as progress:
            tally = job.run(progress.advance)
    except TabularUsageError as error:
        raise click.UsageError(str(error)) from error
    except TabularError as error:
        raise click.ClickException(str(error)) from error
    if not tally.rows:
        print_notice(f"simhash-doc: {path}: has no rows")
    if tally.without:
        for line in _summary(path, tally).split("\n"):
            print_error(line)
    return 1 if tally.without else 0


def _summary(path: str, tally: Tally) -> str:
    without = f"{tally.without:,} of {tally.rows:,} rows have no fingerprint"
    lines = [f"simhash-doc: {path}: {without}; the output column 'reason' has the reasons:"]
    common = tally.reasons.most_common(_SHOWN_REASONS)
    lines += [f"  {count:,}: {reason}" for reason, count in common]
    if others := tally.without - sum(count for _, count in common):
        lines.append(f"  {others:,}: other reasons")
    return "\n".join(lines)
