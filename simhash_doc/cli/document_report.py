"""The report of results of documents, on standard error: warnings, errors, progress, and a summary."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.cli.document_options import LIMIT_OPTIONS
from simhash_doc.console.messages import NO_URLS, Messages, Progress, counted, is_url, print_error, print_notice
from simhash_doc.console.sizes import shown_size
from simhash_doc.ingest import Results, Selection
from simhash_doc.ingest.results import UNREADABLE, AnyResult, Result
from simhash_doc.ingest.selection import ALL
from simhash_doc.ingest.walk import Walk, walk
from simhash_doc_extraction import LimitExceededError, MissingExtraError
from simhash_doc_extraction.base import ExceededLimit

_MISSING = "documents that need packages that are not installed: pip install 'simhash-doc[extract]'"
_LONGEST_PATH = 4096  # characters
_PARQUET = (".parquet", ".pq")


def find_sources(paths: Sequence[str], selection: Selection = ALL) -> Walk:
    """Return what a walk of paths found; print why files and directories are not read.

    Files of other formats are not printed: `report` counts them.
    """
    walked = walk(paths, selection)
    for skipped in walked.skipped:
        if skipped.failed:
            print_error(f"simhash-doc: {skipped.path}: {skipped.reason}")
        elif not skipped.format:
            print_notice(f"simhash-doc: {skipped.path}: skipped: {skipped.reason}")
    return walked


def report(
    results: Results[AnyResult], walked: Walk, noun: str = "document", unchanged: int = 0
) -> Iterator[AnyResult]:
    """Yield the results of sources; print warnings and errors as they come, progress on a terminal, and a summary.

    Args:
        results: the results.
        walked: the walk that found the sources.
        noun: what is counted.
        unchanged: number of documents that the walk found, and that need not be read again.
    """
    codes: Counter[str] = Counter()
    warned = 0
    messages = Messages()
    with Progress(results.expected, "documents") as progress:
        for result in results:
            progress.clear()
            progress.total = results.expected
            if result.path == STANDARD_INPUT and _is_list(result):
                print_notice(
                    "simhash-doc: -: warning: standard input is read as one document, but it lists files; --files-from "
                    "- reads these files"
                )
            for warning in result.warnings:
                print_notice(f"simhash-doc: {result.path}: warning: {warning}")
            warned += bool(result.warnings)
            if result.error:
                codes[result.code or "failed"] += 1
                _show_failure(result, messages)
            yield result
            progress.advance()
    messages.finish()
    if formats := walked.skipped_formats + results.skipped_formats:
        print_notice(f"simhash-doc: {counted(formats.total(), 'file')} of other formats skipped: {_listed(formats)}")
    if short := results.skipped_short:
        print_notice(f"simhash-doc: {counted(short, 'document')} with fewer tokens than --min-tokens left out")
    if results.count > 1 and warned:
        print_notice(f"simhash-doc: {counted(warned, 'document')} with warnings: {_listed(results.warned)}")
    if results.empty and not unchanged:
        print_error("simhash-doc: no documents found")
    count = results.count
    if results.skipped_records or (count > 1 and (codes or results.revisits or sys.stderr.isatty())):
        print_notice(f"simhash-doc: {_summary(counted(count, noun), count, codes, results)}")


def _is_list(result: Result) -> bool:
    """Return whether the text of a result begins with the path of a file on a line of its own, as `find` lists them."""
    found = getattr(result, "extracted", None)
    text = found.text if found else getattr(result, "text", None) or ""
    line = re.split("[\n\0]", text[:_LONGEST_PATH], maxsplit=1)[0]
    return os.path.exists(line.rstrip("\r"))


def _show_failure(result: Result, messages: Messages) -> None:
    """Print why a document has no result; a limit with its option and the size of the file."""
    error = kind = result.error or ""
    if result.code == UNREADABLE and is_url(result.path):
        error = kind = NO_URLS
    if limit := result.exceeded:
        error, kind = _limit_error(result.path, limit), f"{limit.subject or ''} over the limit {limit.field}"
    if result.code == LimitExceededError.code and result.path.lower().endswith(_PARQUET):
        error += "; `simhash-doc table fingerprint` reads the rows of a Parquet file, whatever its size"
    if result.code == MissingExtraError.code:
        messages.show(f"{result.path}: {error}", _MISSING, shown=1)
    else:
        messages.show(f"{result.path}: {error}", kind.lstrip())


def _limit_error(path: str, limit: ExceededLimit) -> str:
    subject = f"{limit.subject} is"
    if limit.size is not None:
        size = limit.size  # as far as it was read
        with suppress(OSError):
            size = os.path.getsize(path) or size
        subject = f"{shown_size(size)} are"
    return f"{subject} over the limit of {_shown_limit(limit)}; {LIMIT_OPTIONS[limit.field]} changes it"


def _shown_limit(limit: ExceededLimit) -> str:
    if limit.field == "seconds":
        return f"{limit.value:g} seconds, plus 1 per MiB"
    return shown_size(int(limit.value))


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in counts.most_common())


def _summary(documents: str, total: int, failures: Counter[str], results: Results[AnyResult]) -> str:
    failed = failures.total()
    parts = [f"{documents}: {total - failed:,} read"]
    if failed:
        codes = ", ".join(f"{count:,} {code}" for code, count in failures.most_common())
        parts.append(f"{failed:,} failed ({codes})")
    if results.revisits:
        parts.append(f"{counted(results.revisits, 'revisit record')} of earlier captures skipped")
    if results.skipped_records:
        skipped = results.skipped_records
        parts.append(f"{counted(skipped.total(), 'WARC record')} without a document skipped: {_listed(skipped)}")
    return ", ".join(parts)
