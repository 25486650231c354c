"""Fingerprints of many documents, with progress, warnings and errors on standard error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

import click

from simhash_doc.cli.documents import STANDARD_INPUT, Outcome, fingerprint_document
from simhash_doc.cli.progress import Progress
from simhash_doc.workers import available_cores, ordered_map

_WORTH_WORKERS = 4 << 20  # bytes; starting processes costs more than reading less


def fingerprint_documents(
    documents: list[str], scheme: str, *, jobs: int | None = None, traced: bool = False
) -> Iterator[Outcome]:
    """Yield the outcome of each document in order; what went wrong is told as it comes."""
    work = partial(fingerprint_document, scheme=scheme, traced=traced)
    with Progress(len(documents), "documents") as progress:
        for outcome in ordered_map(work, documents, _workers(documents, jobs), partial(_lost, scheme=scheme)):
            progress.clear()
            for warning in outcome.warnings:
                click.echo(f"simhash-doc: {outcome.path}: warning: {warning}", err=True)
            if outcome.error:
                click.echo(f"simhash-doc: {outcome.path}: {outcome.error}", err=True)
            yield outcome
            progress.advance()
    if not documents:
        click.echo("simhash-doc: no files found in the given directories", err=True)


def _workers(documents: list[str], jobs: int | None) -> int:
    files = [path for path in documents if path != STANDARD_INPUT]
    if len(files) < len(documents) or len(files) < 2:
        return 1
    total = 0
    for path in files:
        total += os.path.getsize(path) if os.path.exists(path) else 0
        if total >= _WORTH_WORKERS:
            return min(jobs or available_cores(), len(files))
    return 1


def _lost(path: str, reason: str, *, scheme: str) -> Outcome:
    return Outcome(path, scheme, error=f"not read: {reason}")
