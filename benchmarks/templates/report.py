"""The figures of the template experiment as Markdown tables and plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Results = dict[str, Any]


def tables(results: Results) -> str:
    """Return the tables of the documentation page."""
    parts = ["<!-- Written by `python -m benchmarks.templates`; do not edit. -->\n"]
    parts.append(_table("By feature, 64 bits, distance at most 3", "Features", results["features"]))
    parts.append(_table("By distance, version 1", "Distance at most", results["distances"]))
    parts.append(_table("By tokens of the shorter text, version 1, distance at most 3", "Tokens", results["lengths"]))
    parts.append(_table("With a second look", "Rule", results["second_looks"]))
    parts.append(_table("By collection, version 1, distance at most 3", "Collection", results["collections"]))
    return "\n".join(parts)


def _table(title: str, first: str, rows: dict[str, dict[str, float | int | None]]) -> str:
    lines = [
        f"**{title}**\n",
        f"| {first} | Pairs | Precision | Mean | Bad | Recall |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, row in rows.items():
        shares = " | ".join(_share(row[column]) for column in ("precision", "mean_precision", "bad", "recall"))
        lines.append(f"| {name} | {row['pairs']:,} | {shares} |")
    return "\n".join(lines) + "\n"


def _share(value: float | int | None) -> str:
    return "-" if value is None else f"{value:.3f}".lstrip("0") if value < 1 else "1.00"


def draw(results: Results, path: Path) -> None:
    """Draw precision and recall by distance for each kind of feature."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "templates", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(7, 4.5))
    for name, curve in results["curves"].items():
        points = [(row["recall"], row["precision"]) for row in curve if row["precision"] is not None]
        axis.plot(*zip(*points, strict=True), marker=".", label=name)
    axis.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1))
    axis.grid(visible=True, alpha=0.3)
    axis.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
