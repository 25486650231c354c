"""The messages of documents without a result: with the option that changes a limit, and a count of similar ones."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

from simhash_doc.cli.messages import Messages, counted
from simhash_doc.extract.errors import LimitExceededError, MissingExtraError
from simhash_doc.ingest.results import Result

_LIMIT = re.compile(r"(?:([0-9,]+) bytes are|is) over the limit (\w+)=([0-9,]+)")
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_MISSING = "documents that need packages that are not installed: pip install 'simhash-doc[extract]'"
_PARQUET = (".parquet", ".pq")


class Failures:
    """Prints why documents have no result; of equal reasons the first ten, and at the end the number of the others.

    Args:
        options: the option for each limit, by the name of its field.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        self._messages = Messages()

    def show(self, result: Result) -> None:
        """Print the error of a result."""
        reason = explained(result, self._options)
        if result.code == MissingExtraError.code:
            self._messages.show(f"{result.path}: {reason}", _MISSING, shown=1)
            return
        kind = result.error or ""
        self._messages.show(f"{result.path}: {reason}", _LIMIT.sub(r"over the limit \2", kind))

    def finish(self) -> None:
        """Print how many messages were left out."""
        self._messages.finish()


def explained(result: Result, options: Mapping[str, str]) -> str:
    """Return the error of a result, a limit with its option and the size of the file."""
    error = result.error or ""
    if result.code != LimitExceededError.code:
        return error
    size = None
    with suppress(OSError):
        size = os.path.getsize(result.path)

    def named(match: re.Match[str]) -> str:
        given, field, limit = match.groups()
        option = options.get(field)
        if option is None:
            return match[0]
        actual = size if given and size else int(given.replace(",", "")) if given else None
        subject = f"{shown_size(actual)} are" if actual is not None else "is"
        shown = shown_size(int(limit.replace(",", ""))) if field.endswith("bytes") else limit
        return f"{subject} over the limit of {shown}; {option} changes it"

    error = _LIMIT.sub(named, error)
    if result.path.lower().endswith(_PARQUET):
        error += "; --column NAME fingerprints the rows of a Parquet file, whatever its size"
    return error


def shown_size(size: int) -> str:
    """Return a number of bytes in the largest unit that it reaches, rounded to one digit.

    >>> shown_size(104_857_601), shown_size(1536), shown_size(7)
    ('100 MiB', '1.5 KiB', '7 bytes')
    """
    unit, amount = 0, float(size)
    while amount >= 1024 and unit < len(_UNITS) - 1:
        unit, amount = unit + 1, amount / 1024
    return f"{amount:.1f}".removesuffix(".0") + f" {_UNITS[unit]}"


def summary(documents: str, total: int, failures: Counter[str], skipped_records: int) -> str:
    """Return how many of the counted documents were read, and how many failed by each error."""
    failed = failures.total()
    parts = [f"{documents}: {total - failed:,} read"]
    if failed:
        codes = ", ".join(f"{count:,} {code}" for code, count in failures.most_common())
        parts.append(f"{failed:,} failed ({codes})")
    if skipped_records:
        parts.append(f"{counted(skipped_records, 'WARC record')} without a document skipped")
    return ", ".join(parts)
