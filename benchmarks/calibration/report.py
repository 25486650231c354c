"""Writes the committed files that show the results: a page of tables, plots, and marked tables of the rationale."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.calibration import decision_tables, plots, tables
from benchmarks.calibration.tables import Results
from benchmarks.markdown import table
from benchmarks.measuring import version

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "docs/benchmarks"
RATIONALE = ROOT / "spec/rationale.md"
COMMAND = "python -m benchmarks.calibration"
_MARKED = re.compile(r"(<!-- calibration: ([a-z-]+) -->\n\n).*?(\n<!-- end -->)", re.DOTALL)

QUOTED: dict[str, Callable[[Results], str]] = {
    "corpus": tables.corpus,
    "caps": decision_tables.caps,
    "caps-at-equal-false-positives": decision_tables.caps_at_equal_false_positives,
    "decisions": decision_tables.decisions,
    "spacing-marks": decision_tables.spacing_marks,
    "cuts": decision_tables.cuts,
    "saturation": decision_tables.saturation,
    "thresholds": tables.thresholds,
    "radius": tables.radius,
    "recall": tables.recall_by_similarity,
    "minhash": decision_tables.minhash,
    "extraction": tables.extraction,
    "extraction-originals": tables.extraction_by_originals,
}
PAGE: dict[str, Callable[[Results], str]] = {
    "The corpus": tables.corpus,
    "Licences of the documents": lambda results: table(
        ("Licence", "Documents"), list(results["corpus"]["licences"].items())
    ),
    "False positives by distance": tables.false_positives_by_distance,
    "False positives by language": tables.false_positives_by_language,
    "Recall of all true pairs": partial(tables.recall, way="group"),
    "Recall by kind of edit": partial(tables.recall, way="edit class"),
    "Recall of revisions by similarity": partial(tables.recall, way="revisions by similarity"),
    "Recall across formats by similarity": partial(tables.recall, way="cross-media by similarity"),
    "Recall by formats": partial(tables.recall, way="formats"),
    "Recall by formats, synthetic pairs": partial(tables.recall, way="formats, synthetic"),
    "Recall across formats, stored texts / extracted from the originals": tables.extraction,
    "Real pairs by the number of originals, stored / extracted": tables.extraction_by_originals,
    "Real pairs by formats, stored / extracted": tables.extraction_by_formats,
    "Thresholds": tables.thresholds,
    "The search radius": tables.radius,
    "Caps": decision_tables.caps,
    "Caps at equal false positives": decision_tables.caps_at_equal_false_positives,
    "Decisions changed one by one": decision_tables.decisions,
    "Mc": decision_tables.spacing_marks,
    "Scripts without spaces": decision_tables.cuts,
    "Counters that saturate in document order": decision_tables.saturation,
    "Compared with 1-bit MinHash": decision_tables.minhash,
}


def page(results: Results) -> str:
    """Return the page of all tables."""
    parts = [f"<!-- Written by `{COMMAND}`; do not edit. -->\n\n# Calibration, tables\n"]
    parts.append("Recall has its 95 % score interval in parentheses. [What the tables mean](calibration.md).\n")
    parts += [f"## {title}\n\n{make(results)}" for title, make in PAGE.items()]
    return "\n".join(parts)


def quoted(text: str, results: Results) -> str:
    """Return a text with its marked tables replaced by current ones.

    A marked table is between `<!-- calibration: NAME -->` and `<!-- end -->`.

    Raises:
        ValueError: a mark names an unknown table.
    """

    def replaced(match: re.Match[str]) -> str:
        if match[2] not in QUOTED:
            raise ValueError(f"{match[2]!r} is not the name of a table; the tables are {', '.join(QUOTED)}")
        return match[1] + QUOTED[match[2]](results) + match[3]

    return _MARKED.sub(replaced, text)


def write(results: Results) -> None:
    """Write the page, the plots (with matplotlib), and the tables of the rationale."""
    (FOLDER / "calibration-tables.md").write_text(page(results), encoding="utf-8")
    RATIONALE.write_text(quoted(RATIONALE.read_text(encoding="utf-8"), results), encoding="utf-8")
    if version("matplotlib"):
        plots.draw(results, FOLDER)
