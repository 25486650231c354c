"""The names of the files of Spark: gaps in their numbers are named."""

from __future__ import annotations

import pytest

from simhash_doc.entries.part_names import missing_parts

A, B = "0b6a5e0c-9a57-4f0e-8f4e-1f0d3c1f2a3b", "7c6a5e0c-9a57-4f0e-8f4e-1f0d3c1f2a3b"


def names(job: str, *numbers: int, form: str = "part-{:05}-{}-c000.snappy.parquet") -> list[str]:
    return [f"file:///days/{form.format(number, job)}" for number in numbers]


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        ([], []),
        (names(A, 0, 1, 2), []),
        (names(A, 0, 2), [f"part-00001 of job {A}"]),
        (names(A, 1, 4), [f"part-00000, part-00002 and part-00003 of job {A}"]),
        ([*names(A, 0, 1), *names(B, 1)], [f"part-00000 of job {B}"]),
        (names(A, 9), [f"part-00000, part-00001, part-00002, part-00003, part-00004 and 4 more of job {A}"]),
        (
            names(A, 0, 10**18),
            [f"part-00001, part-00002, part-00003, part-00004, part-00005 and {10**18 - 6:,} more of job {A}"],
        ),
        (names(A, 0, 2, form="part-{:05}-{}_00007.c000.csv"), [f"part-00001 of job {A}"]),
        (names(A, 0, 2, form="lang=de/part-{:05}-{}.c000.json.gz"), [f"part-00001 of job {A}"]),
        (["part-0.parquet", "part-2.parquet", "part-00002.parquet", "part-r-00002"], []),  # of other programs
    ],
)
def test_a_gap_in_the_numbers_of_the_files_of_a_job_is_named(files: list[str], missing: list[str]) -> None:
    assert missing_parts(files) == missing
