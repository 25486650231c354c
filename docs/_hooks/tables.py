"""Align columns of numbers to the right, and let only heads with text be heads."""

from __future__ import annotations

import re
from html import unescape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

RIGHT = ' style="text-align: right;"'
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[hd])( style=[^>]*)?>(.*?)</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"[-−]?[\d.,]+(?: ?(?:%|[kMG]?B|[MG]iB|MB/s|[mnµu]?s|h))?|(?:[\d.]+·)?10(?:\^\d+|[⁻⁰¹²³⁴-⁹]+)")


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return _TABLE.sub(lambda table: aligned(table[0]), html)


def aligned(table: str) -> str:
    """Return a table whose columns of numbers, in which each cell is a number or empty, are aligned to the right."""
    rows = [[plain(cell[3]) for cell in _CELL.finditer(row)] for row in _ROW.findall(table)]
    columns = zip(*rows[1:], strict=False)
    numbers = [any(column) and all(not cell or _NUMBER.fullmatch(cell) for cell in column) for column in columns]

    def row_of(row: re.Match[str]) -> str:
        at = iter(numbers)

        def cell_of(cell: re.Match[str]) -> str:
            own = RIGHT if next(at, False) else ""
            tag = cell[1] if plain(cell[3]) else "td"
            return f"<{tag}{cell[2] or own}>{cell[3]}</{tag}>"

        return _CELL.sub(cell_of, row[0])

    return _ROW.sub(row_of, table)


def plain(html: str) -> str:
    return " ".join(unescape(_TAG.sub("", html)).split())
