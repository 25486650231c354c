"""`--keep column:NAME`: which row is kept by numbers, dates and texts, and what is refused."""

from __future__ import annotations

import csv
import json
import random
import re
from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.tabular import TabularUsageError
from simhash_doc.tabular.preference import preferences, sortable
from tests.commands import run

TEXT = "the smith shod the grey horse before the fair opened in the morning"


def ordered(values: list[Any]) -> list[int]:
    """Return the rows in the order of preference, without those that have no value."""
    found = preferences(values, "date", lambda row: f"in.csv:{row}")
    return sorted((row for row, one in enumerate(found) if one is not None), key=found.__getitem__)


def test_numbers_are_exact_however_long() -> None:
    numbers = ["9" * 40_000, "10", "-3.5", "9.50", "1e3", " 7 ", "", "1" * 5000 + ".25", "1" * 5000 + ".125", "NaN"]
    assert ordered(numbers) == [2, 5, 3, 1, 4, 8, 7, 0]
    assert ordered([10**30 + 1, 10**30, 0.5, None, float("nan")]) == [2, 1, 0]


def test_moments_are_compared_as_instants() -> None:
    source = random.Random(3)
    moments = []
    for _ in range(200):
        zone = timezone(timedelta(minutes=source.randrange(-14 * 60, 14 * 60)))
        moments.append(datetime(2026, 3, 1, tzinfo=UTC).astimezone(zone) + timedelta(seconds=source.randrange(10**6)))
    expected = sorted(range(200), key=moments.__getitem__)
    assert ordered([moment.isoformat() for moment in moments]) == expected
    assert ordered([moment.strftime("%Y-%m-%d %H:%M:%S%z") for moment in moments]) == expected
    assert ordered([*moments[:100], *(moment.isoformat() for moment in moments[100:])]) == expected


def test_dates_and_times_without_a_zone() -> None:
    days = ["2026-03-02", "2026-03-01 24:00", "2026-03-01T23:59:60", "2026-03", "2026-W09-7T00:00:01", "2026-02-28"]
    assert ordered(days) == [5, 3, 4, 0, 1, 2]
    assert ordered([date(2026, 3, 2), "2026-03-01", datetime(2026, 3, 1, 12), None]) == [1, 2, 0]


def test_fractions_of_seconds_have_any_number_of_digits() -> None:
    source = random.Random(4)
    fractions = ["".join(source.choices("019", k=source.randrange(1, 30))) for _ in range(100)]
    expected = sorted(range(100), key=lambda at: Fraction(int(fractions[at]), 10 ** len(fractions[at])))
    assert ordered([f"2026-03-01T10:00:00.{part}Z" for part in fractions]) == expected


KINDS = {
    "numbers": st.decimals(allow_nan=False).map(str) | st.integers().map(str) | st.floats(allow_nan=False).map(str),
    "times": st.tuples(st.datetimes(), st.integers(-14 * 60, 14 * 60)).map(
        lambda one: one[0].replace(tzinfo=timezone(timedelta(minutes=one[1]))).isoformat()
    ),
    "dates": st.dates().map(date.isoformat) | st.datetimes().map(lambda one: one.isoformat(" ")),
    "texts": st.text().filter(lambda text: sortable(text)[0] == "a text"),
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_sortable_texts_have_the_order_of_the_values(kind: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(KINDS[kind], min_size=2))
    keys, texts = preferences(values, "date", str), [sortable(value)[1] or "" for value in values]
    pairs = combinations(range(len(values)), 2)
    assert all((keys[a] < keys[b], keys[a] == keys[b]) == (texts[a] < texts[b], texts[a] == texts[b]) for a, b in pairs)


def test_fractions_and_exponents_are_sortable() -> None:
    for values in (
        ["2026-03-01T10:00:00.05Z", "2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00Z"],
        ["-1e999999999", "-1.23", "-1.2", "-1e-999999999", "-0", "0.0", "1e-9", "00.5", "5e1", "inf", "-Infinity"],
    ):
        by_value = sorted(values, key=lambda value: preferences([value], "date", str)[0])
        assert sorted(values, key=lambda value: sortable(value)[1] or "") == by_value
    assert [sortable(one) for one in ("", " NaN ", None)] == [("", None)] * 3


def test_texts_are_compared_as_texts() -> None:
    texts = ["high", "doc-0017", "10.0.0.1", "https://example.org/2026/01/02/x", "2026-03-01-fair.html", ""]
    assert ordered(texts) == sorted(range(5), key=texts.__getitem__)


WRONG = """02.01.2026|1/2/26|01/02/2026 10:00|5-Jan-26|January 5, 2026|Mon, 05 Jan 2026 10:00:00 GMT|5 janvier 2026
2. März 2026|2026年1月2日|2026/01/02|2026-1-2|2026-13-01|2026-02-30|2026-01-02T25:00|2026-01-02 10:00:00 UTC|Jan 2026
2026-01-02T10:00:00[Europe/Berlin]|01/2026|2026-032|10:30|9:30 pm|1,5|1.234,5|1,234|1 000|٢٠٢٦-٠١-٠٢|12026-01-02
31.12.99|Sun Nov 29 10:56:37 UTC 2026|5 de enero de 2026|2026-01-02T24:30|2026-01-02T10:00+25:00
5 января 2026 г.|1.10.3"""


@pytest.mark.parametrize("value", re.split(r"[|\n]", WRONG))
def test_what_looks_like_a_date_or_a_number_is_refused(value: str) -> None:
    for values in ([value], ["", value], ["2026-01-02", value], ["7", value], ["a", value]):
        row = len(values) - 1
        message = f"in.csv:{row}: column 'date' has {value!r}, no known form"
        with pytest.raises(TabularUsageError, match=f"^{re.escape(message)}.*; expected numbers, dates of ISO 8601"):
            ordered(values)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["10", "9", "x"], "'x', a text; a number is in in.csv:0"),
        (["2026-03-01", "7"], "'7', a number; a date without a time zone is in in.csv:0"),
        (["2026-03-01T10:00Z", "", "2026-03-01"], "'2026-03-01', a date without a time zone; a date with a time zone"),
        (["a", 3], "3, a number; a text is in in.csv:0"),
        ([[1], [2]], "[1], no known form"),
        ([{"day": 1}], "{'day': 1}, no known form"),
        ([b"a", "b"], "'b', a text; bytes is in"),
    ],
)
def test_values_of_two_kinds_have_no_order(values: list[Any], what: str) -> None:
    with pytest.raises(TabularUsageError, match=re.escape(f"column 'date' has {what}")):
        ordered(values)


@pytest.mark.parametrize("days", [["2026-01-02T00:30+02:00", "2026-01-01T23:00Z"], ["+5", "5.25"], ["a", "b"]])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_each_format_keeps_the_same_row(tmp_path: Path, form: str, days: list[str]) -> None:
    source, output = tmp_path / f"in.{form}", tmp_path / f"out.{form}"
    write(source, days[::-1])
    done = run("table", "dedupe", "--keep", "column:day", source, "-o", output)
    assert (done.returncode, days[0] in output.read_bytes().decode("latin-1")) == (0, True), done.stderr
    write(source, ["02.01.2026", "30.12.2019"])
    output.unlink()
    done = run("table", "dedupe", "--keep", "column:day", source, "-o", output)
    assert (done.returncode, output.exists()) == (2, False)
    assert f"{source}:{0 if form == 'parquet' else 2 - (form == 'jsonl')}: column 'day' has '02.01.2026'" in done.stderr


def test_rows_of_two_tables_have_one_order(tmp_path: Path) -> None:
    write(tmp_path / "old.parquet", ["2026-03-01"])
    write(tmp_path / "new.csv", ["1772323200"])
    options = ("--keep", "column:day", "--against", tmp_path / "old.parquet", "-o", tmp_path / "out.csv")
    done = run("table", "dedupe", tmp_path / "new.csv", *options)
    assert done.returncode == 2
    assert (
        f"new.csv:2: column 'day' has '1772323200', a number; a date without a time zone is in {tmp_path}"
        in done.stderr
    )


def write(path: Path, days: list[str]) -> None:
    rows = [{"text": TEXT, "day": day} for day in days]
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            writer = csv.DictWriter(file, ["text", "day"])
            writer.writeheader()
            writer.writerows(rows)
        else:
            file.writelines(f"{json.dumps(row)}\n" for row in rows)
