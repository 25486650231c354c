"""Draws the results as small SVG files, with text as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.calibration.tables import WIDTHS, Results

PLOTS = ("false-positives", "recall", "roc")
_LANGUAGE_PAIRS = 250  # languages with fewer unrelated pairs are not drawn
_SETS = {
    ("group", "cross-media"): "cross-media",
    ("edit class", "small"): "revisions, small",
    ("edit class", "medium"): "revisions, medium",
    ("edit class", "large"): "revisions, large",
}


def draw(results: Results, folder: Path) -> None:
    """Write `calibration-NAME.svg` for each plot."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "calibration", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    panels: dict[str, Callable[[Any, dict[str, Any], int], None]] = {
        "false-positives": _false_positives,
        "recall": _recall,
        "roc": _roc,
    }
    for name, panel in panels.items():
        figure, axes = pyplot.subplots(2, 2, figsize=(9, 6.5))
        for axis, width in zip(axes.flat, WIDTHS, strict=True):
            panel(axis, results["widths"][str(width)], width)
            axis.set_title(f"sd{width}")
            axis.grid(visible=True, alpha=0.3)
            axis.minorticks_off()
        axes.flat[0].legend(fontsize="small")
        figure.tight_layout()
        path = folder / f"calibration-{name}.svg"
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)
        # Coordinates with one decimal keep the file small.
        path.write_text(re.sub(r"(\d\.\d)\d+", r"\1", path.read_text(encoding="utf-8")), encoding="utf-8")


def _sparse(width: int) -> range:
    """Return the distances to draw, the same number for each width."""
    return range(0, width // 4 + 1, width // 64)


def _false_positives(axis: Any, of_width: dict[str, Any], width: int) -> None:
    distances = _sparse(width)
    # One path with gaps for all languages keeps the file small.
    lines: list[tuple[int, float | None]] = []
    for row in of_width["languages"].values():
        if row["pairs"] >= _LANGUAGE_PAIRS:
            lines += [(d, row["within"][d] / row["pairs"] or None) for d in distances]
            lines.append((0, None))
    axis.plot(*zip(*lines, strict=True), color="grey", alpha=0.4, linewidth=0.7, label="each language")
    curve = of_width["false_positives"]
    total = [curve["within"][distance] / curve["pairs"] or None for distance in distances]
    low, high = ([curve[name][distance] for distance in distances] for name in ("low", "high"))
    axis.fill_between(distances, [max(value, 1e-9) for value in low], high, alpha=0.2, color="tab:blue", linewidth=0)
    axis.plot(distances, total, color="tab:blue", label="all languages, with 95 % band")
    tail = curve["tail"]
    line = [10 ** (tail["at_zero"] + tail["slope"] * distance) for distance in distances]
    axis.plot(distances, line, color="tab:orange", linestyle="--", linewidth=1, label="fitted line")
    _mark(axis, of_width)
    axis.set(yscale="log", ylim=(1e-7, 1), xlabel="distance, bits", ylabel="share of unrelated pairs")


def _recall(axis: Any, of_width: dict[str, Any], width: int) -> None:
    distances = _sparse(width)
    for (way, name), label in _SETS.items():
        if found := of_width["recall"][way].get(name):
            axis.plot(distances, [found["within"][d] / found["pairs"] for d in distances], label=label)
    _mark(axis, of_width)
    axis.set(ylim=(0, 1.02), xlabel="distance, bits", ylabel="recall")


def _roc(axis: Any, of_width: dict[str, Any], width: int) -> None:
    curve = of_width["false_positives"]
    distances = _sparse(width)
    tail = curve["tail"]
    # Without an observed pair, the fitted line gives the expected share.
    shares = [
        curve["within"][d] / curve["pairs"] if curve["within"][d] else 10 ** (tail["at_zero"] + tail["slope"] * d)
        for d in distances
    ]
    for (way, name), label in _SETS.items():
        if found := of_width["recall"][way].get(name):
            axis.plot(shares, [found["within"][d] / found["pairs"] for d in distances], label=label)
    axis.axvspan(1e-10, 1 / curve["pairs"], color="grey", alpha=0.15, linewidth=0)
    axis.set(
        xscale="log",
        xlim=(1e-8, 0.1),
        ylim=(0, 1.02),
        xlabel="share of unrelated pairs (grey: by the line)",
        ylabel="recall",
    )


def _mark(axis: Any, of_width: dict[str, Any]) -> None:
    for name in ("close_in_registry", "loose_in_registry"):
        axis.axvline(of_width["recommended"][name], color="black", linestyle=":", linewidth=0.8)
