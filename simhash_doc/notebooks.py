"""How notebooks show results: as tables of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

SHOWN = 10
"""Number of rows, and of items in a row, that are shown of a result."""


def html_table(caption: str, names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with a caption and the names of its columns."""

    def row(tag: str, cells: Iterable[object]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"

    body = "".join(row("td", cells) for cells in rows)
    return f"<table><caption>{escape(caption)}</caption>{row('th', names)}{body}</table>"
