"""Add plots to the rationale's table of caps, drawn from the figures of the table."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

PAGE = "rationale.md"
TABLE = re.compile(r"^\| Count per token \|.*\n\|[-|: ]+\|\n((?:\|.*\n)+)", re.MULTILINE)
ROW, LABELS, BARS, VALUES = 22, 190, 300, 60  # pixels


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    if page.file.src_uri != PAGE:
        return markdown
    table = TABLE.search(markdown)
    assert table, f"{PAGE} has no table of caps"
    return markdown[: table.end()] + figures(table[1]) + markdown[table.end() :]


def figures(rows: str) -> str:
    """Return the plots of the table's rows as inline SVG."""
    cells = [[cell.strip(" *") for cell in line.strip("| ").split("|")] for line in rows.splitlines()]
    labels = [re.sub(r", .*", " (literal)", row[0]) for row in cells]
    unrelated = [int(row[2].replace(",", "")) for row in cells]
    medium = [float(row[3].split(" / ")[1]) for row in cells]
    # Some counts are 0, so 1 is added before the logarithm.
    heights = [math.log10(1 + count) / math.log10(1 + max(unrelated)) for count in unrelated]
    return "\n".join(
        [
            "",
            figure("Unrelated pairs at d <= 6, logarithmic", labels, heights, [f"{count:,}" for count in unrelated]),
            figure("Recall of medium revisions at d <= 3", labels, medium, [f"{share:.2f}" for share in medium]),
            "",
        ]
    )


def figure(title: str, labels: Sequence[str], lengths: Sequence[float], shown: Sequence[str]) -> str:
    """Return horizontal bars of lengths from 0 to 1. Screen readers read the table above instead."""
    bars = []
    for i, (label, length, value) in enumerate(zip(labels, lengths, shown, strict=True)):
        y, width = i * ROW, max(1, length * BARS)
        bars.append(
            f'<text x="{LABELS - 8}" y="{y + 15}" text-anchor="end">{escape(label)}</text>'
            f'<rect x="{LABELS}" y="{y + 3}" width="{width:.1f}" height="{ROW - 6}"/>'
            f'<text x="{LABELS + width + 6:.1f}" y="{y + 15}">{escape(value)}</text>'
        )
    box = f"0 0 {LABELS + BARS + VALUES} {len(labels) * ROW}"
    image = f'<svg viewBox="{box}" role="img" aria-label="{escape(title)}, as in the table">{"".join(bars)}</svg>'
    return f'<figure class="plot">{image}<figcaption>{escape(title)}</figcaption></figure>'
