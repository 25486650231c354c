"""Many documents, with progress, warnings, errors and a summary on standard error."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO, Protocol, TypeVar

import click

from simhash_doc.cli.documents import open_document
from simhash_doc.cli.outcomes import Outcome, Text, fingerprint_source, fingerprint_text, text_of_source
from simhash_doc.cli.progress import Progress
from simhash_doc.cli.reading import Reading
from simhash_doc.cli.sources import HEAD, Ready, Source, Sources, is_pipe, is_plain_text
from simhash_doc.extract.detect import is_warc
from simhash_doc.workers import available_cores, ordered_map

_WORTH_WORKERS = 4 << 20  # bytes; starting processes costs more than reading less


class _Result(Protocol):
    @property
    def path(self) -> str: ...
    @property
    def error(self) -> str | None: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...


Result = TypeVar("Result", bound=_Result)


def fingerprint_documents(
    paths: list[str],
    scheme: str,
    *,
    reading: Reading | None = None,
    jobs: int | None = None,
    traced: bool = False,
) -> Iterator[Outcome]:
    """Yield the outcome of each document in order; what went wrong is told as it comes."""
    reading = reading or Reading()

    def on_text(path: str, file: BinaryIO, head: bytes) -> Outcome:
        return fingerprint_text(path, file, head, scheme, traced=traced)

    sources = Sources(paths, reading, on_text)
    work = partial(fingerprint_source, scheme=scheme, reading=reading, traced=traced)
    return _each(sources, paths, work, partial(_lost_outcome, scheme=scheme), reading, jobs)


def extract_documents(paths: list[str], *, reading: Reading, jobs: int | None = None) -> Iterator[Text]:
    """Yield the text of each document in order; what went wrong is told as it comes."""
    sources: Sources[Text] = Sources(paths, reading)
    return _each(sources, paths, partial(text_of_source, reading=reading), _lost_text, reading, jobs)


def _each(
    sources: Sources[Result],
    paths: list[str],
    work: Callable[[Source | Ready[Result]], Result],
    lost: Callable[[Source | Ready[Result], str], Result],
    reading: Reading,
    jobs: int | None,
) -> Iterator[Result]:
    total = 0
    failures: Counter[str] = Counter()
    with Progress(len(paths), "documents") as progress:
        for result in _results(sources, paths, work, lost, reading, jobs):
            total += 1
            progress.clear()
            for warning in result.warnings:
                click.echo(f"simhash-doc: {result.path}: warning: {warning}", err=True)
            if result.error:
                failures[result.reason or "failed"] += 1
                click.echo(f"simhash-doc: {result.path}: {result.error}", err=True)
            if not sources.counted:
                progress.total = None
            yield result
            progress.advance()
    if not paths:
        click.echo("simhash-doc: no files found in the given directories", err=True)
    elif total > 1 and (failures or sources.passed_over or sys.stderr.isatty()):
        click.echo(f"simhash-doc: {_summary(total, failures, sources.passed_over)}", err=True)


def _results(
    sources: Sources[Result],
    paths: list[str],
    work: Callable[[Source | Ready[Result]], Result],
    lost: Callable[[Source | Ready[Result], str], Result],
    reading: Reading,
    jobs: int | None,
) -> Iterator[Result]:
    items = iter(sources)
    if len(paths) == 1 and _is_pipe(paths[0]):  # plain text from a pipe is dealt with when it is drawn
        first = next(items)
        if isinstance(first, Ready):
            yield first.result
            return
        items = chain([first], items)
    workers = worker_count(paths, reading, jobs)
    seconds = partial(_seconds, reading=reading) if workers else None
    yield from ordered_map(work, items, workers, lost, seconds=seconds)


def worker_count(paths: list[str], reading: Reading, jobs: int | None) -> int:
    """Return the number of worker processes: none for a little plain text, which nothing can crash."""
    total = 0
    for path in paths:
        try:
            if is_pipe(path):
                break
            total += os.path.getsize(path)
            if total >= _WORTH_WORKERS and len(paths) > 1:
                break
            with open_document(path) as file:
                if not is_plain_text(file.read(HEAD), path, reading):
                    break
        except OSError:
            continue
    else:
        return 0
    wanted = jobs or available_cores()
    return wanted if any(map(_may_hold_many, paths[:wanted])) else min(wanted, len(paths))


def _may_hold_many(path: str) -> bool:
    """Whether a path may be that of a WARC file."""
    try:
        if is_pipe(path):
            return True
        with open_document(path) as file:
            return is_warc(file.read(HEAD))
    except OSError:
        return False


def _seconds(source: Source | Ready[Result], *, reading: Reading) -> float:
    return reading.seconds(source.size if isinstance(source, Source) else 0)


def _lost_outcome(source: Source | Ready[Outcome], reason: str, *, scheme: str) -> Outcome:
    return Outcome(_name(source), scheme, error=f"not read: {reason}", reason="lost")


def _lost_text(source: Source | Ready[Text], reason: str) -> Text:
    return Text(_name(source), error=f"not read: {reason}", reason="lost")


def _name(source: Source | Ready[Result]) -> str:
    return source.name if isinstance(source, Source) else source.result.path


def _is_pipe(path: str) -> bool:
    try:
        return is_pipe(path)
    except OSError:
        return False


def _summary(total: int, failures: Counter[str], passed_over: int) -> str:
    failed = failures.total()
    parts = [f"{total:,} documents: {total - failed:,} read"]
    if failed:
        kinds = ", ".join(f"{count:,} {reason}" for reason, count in failures.most_common())
        parts.append(f"{failed:,} failed ({kinds})")
    if passed_over:
        parts.append(f"{passed_over:,} WARC records passed over that hold no document")
    return ", ".join(parts)
