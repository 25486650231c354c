"""Quotes in CSV that are not closed: which rows there are, in linear time and bounded memory."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator

import pytest

from simhash_doc.entries import csv_files
from simhash_doc.entries.csv_files import raw_rows

PIECES = (
    ['"', ",", "\n", "x"],
    ['"', '",', ',"', "\n", "x", '""', '"\n', 'x","\n', "a,b\n"],
    ['x","\n', '"\n', "x,y\n", '"a\nb",c\n', '"""\n'],
)


def plain_rows(lines: list[str], longest: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and fields of each row, none of a row that is not CSV: each begins to read again."""
    before = csv.field_size_limit(longest)
    width, at = 0, 0
    while at < len(lines):
        reader = csv.reader(lines[at:], strict=True)
        try:
            fields = next(reader)
            whole = reader.line_num == 1 or not width or len(fields) == width
        except csv.Error:
            fields, whole = [], False
        width = width or len(fields)
        if fields or not whole:
            yield at + 1, fields if whole else []
        at += reader.line_num if whole else 1
    csv.field_size_limit(before)


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("longest", [6, 1 << 17])
def test_rows_are_those_that_are_found_by_reading_again(pieces: list[str], longest: int) -> None:
    chance = random.Random(longest)
    for _ in range(1500):
        header = chance.choice(("id,b\n", "id\n", "id,b,c\n", '"id\nq",b\n'))
        content = header + "".join(chance.choices(pieces, k=chance.randrange(40)))
        found = [(row.number, row.fields) for row in raw_rows(io.BytesIO(content.encode()), ["id"], longest)]
        assert found == [*plain_rows([*io.StringIO(content, newline="")], longest)], content


@pytest.mark.parametrize("end", ["", '"\n', '"x\n', "y" * 200_000])
def test_lines_that_close_a_quote_and_open_another_are_read_twice_at_most(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, each such line read all lines after it: 2 MB took hours."""
    taken = 0
    take = csv_files._Lines.take

    def counted(self: csv_files._Lines) -> str:
        nonlocal taken
        taken += 1
        return take(self)

    monkeypatch.setattr(csv_files._Lines, "take", counted)
    lines = 3000
    rows = list(raw_rows(io.BytesIO(("id,text\n" + 'x","\n' * lines + end).encode()), ["id"]))
    assert len(rows) >= lines
    assert taken < 3 * lines


def test_a_row_of_too_many_lines_is_an_error_of_its_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_files, "LONGEST_ROW", 1 << 20)
    content = io.BytesIO(b'id,text\n1,"' + b'x","\n' * 20_000 + b"2,good\n")
    header, first, *others = raw_rows(content, ["id"])
    assert (header.problem, "a row takes over 1 MiB" in first.problem) == ("", True)
    assert others[-1].fields == ["2", "good"]


@pytest.mark.parametrize("start", ["1,text", '"1",text', '1,"\n","\n","\n"'])
@pytest.mark.parametrize("place", ["header", "row"])
def test_fields_count_for_the_size_of_a_row(start: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python needs eight bytes for each: a line of commas took 18 times its size."""
    monkeypatch.setattr(csv_files, "LONGEST_ROW", 1 << 20)
    before = "" if place == "header" else "id,text\n"
    found = list(raw_rows(io.BytesIO(f"{before}{start}{',' * 300_000}\n2,good\n".encode()), ["id"]))
    problems = [one.problem for one in found if one.problem]
    assert any("a row takes over 1 MiB" in problem for problem in problems)
    if place == "row":
        assert found[-1].fields == ["2", "good"]
