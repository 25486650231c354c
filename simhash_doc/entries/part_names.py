"""What the names of the files that Spark writes say about missing files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice

_PART = re.compile(r"part-(\d{5,})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[-_.]")
_SHOWN = 5


class MissingPartsWarning(UserWarning):
    """The numbers of the files of a job have gaps: Spark writes no file for an empty partition, or files are gone."""


def missing_parts(files: Iterable[str]) -> list[str]:
    """Return what is missing below the highest number of each job, as text.

    >>> job = "0b6a5e0c-9a57-4f0e-8f4e-1f0d3c1f2a3b"
    >>> missing_parts(f"day=1/part-0000{number}-{job}-c000.snappy.parquet" for number in (0, 3))
    ['part-00001 and part-00002 of job 0b6a5e0c-9a57-4f0e-8f4e-1f0d3c1f2a3b']
    """
    found: defaultdict[str, set[int]] = defaultdict(set)
    for file in files:
        if part := _PART.match(file.rpartition("/")[2]):
            found[part[2]].add(int(part[1]))
    return [f"{gaps} of job {job}" for job, numbers in sorted(found.items()) if (gaps := _gaps(numbers))]


def _gaps(numbers: set[int]) -> str:
    """Return the names of the files below the highest number that are missing: a few, and how many more."""
    missing = max(numbers) + 1 - len(numbers)
    first = islice((number for number in range(max(numbers)) if number not in numbers), _SHOWN)
    named = [f"part-{number:05}" for number in first]
    if missing > _SHOWN:
        named.append(f"{missing - _SHOWN:,} more")
    return " and ".join(filter(None, [", ".join(named[:-1]), *named[-1:]]))
