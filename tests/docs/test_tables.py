"""Each row of a table has the cells of its heading: a renderer drops cells, or ends the table, without a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_TABLE = re.compile(r"^\|(?:[ :-]*-[ :-]*\|)+$", re.MULTILINE)
_END = re.compile(r"\n(?=\s|\Z|<)")


def cells(row: str) -> int:
    """Return the number of cells of a row; -1 if no line ends it."""
    return row.replace(r"\|", "").count("|") - 1 if row.endswith("|") else -1


def wrong_rows(text: str) -> Iterator[str]:
    """Yield the rows of tables that have more or fewer cells than the heading."""
    text = _CODE.sub("", _BLOCK.sub("", text))
    for heading in _TABLE.finditer(text):
        rows = _END.split(text[heading.end() + 1 :])[0].splitlines()
        yield from (row for row in rows if cells(row) != cells(heading[0]))


def test_each_row_of_a_table_has_the_cells_of_its_heading() -> None:
    pages = [*ROOT.glob("*.md"), *(path for folder in ("docs", "spec") for path in (ROOT / folder).rglob("*.md"))]
    pages += (ROOT / "conformance").glob("*.md")
    wrong = {page.name: rows for page in pages if (rows := [*wrong_rows(page.read_text(encoding="utf-8"))])}
    assert not wrong
    assert len(pages) > 50
    for row in ("| a |", "| a | b | c |", "| a | b", "b |"):
        assert [*wrong_rows(f"| A | B |\n|---|---|\n| a | b |\n{row}\n\nText\n")] == [row]
