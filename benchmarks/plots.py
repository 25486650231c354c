"""Draw the results of the calibration as small SVG files, with text as text: `docs/benchmarks/calibration-*.svg`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.tables import WIDTHS, Results

_TRUE_PAIRS = {
    ("group", "cross-media"): "cross-media",
    ("edit class", "small"): "revisions, small",
    ("edit class", "medium"): "revisions, medium",
    ("edit class", "large"): "revisions, large",
}


def draw(results: Results, folder: Path) -> None:
    """Draw false positives and recall by distance, for each width, if matplotlib is installed.

    The same results give the same files.
    """
    try:
        import matplotlib as mpl
    except ModuleNotFoundError as error:
        print(f"the plots are not drawn: {error}", file=sys.stderr)
        return
    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "calibration", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    for name, panel in {"false-positives": _false_positives, "recall": _recall}.items():
        drawn, axes = pyplot.subplots(2, 2, figsize=(9, 6.5))
        for axis, width in zip(axes.flat, WIDTHS, strict=True):
            # The same number of distances for each width.
            panel(axis, results["widths"][str(width)], range(0, width // 4 + 1, width // 64))
            axis.set_title(f"sd{width}")
            axis.minorticks_off()
            axis.grid(visible=True, alpha=0.3)
        drawn.axes[0].legend(fontsize="small")
        drawn.tight_layout()
        path = folder / f"calibration-{name}.svg"
        drawn.savefig(path, metadata={"Date": None})
        pyplot.close(drawn)
        # Coordinates with one decimal keep the file small.
        path.write_text(re.sub(r"(\d\.\d)\d+", r"\1", path.read_text(encoding="utf-8")), encoding="utf-8")


def _false_positives(axis: Any, of_width: Results, distances: range, fewest_pairs: int = 250) -> None:
    # One path with gaps for all languages keeps the file small.
    lines: list[tuple[int, float | None]] = []
    for row in of_width["languages"].values():
        if row["pairs"] >= fewest_pairs:
            lines += [(d, row["within"][d] / row["pairs"] or None) for d in distances]
            lines.append((0, None))
    axis.plot(*zip(*lines, strict=True), color="grey", alpha=0.4, linewidth=0.7, label="each language")
    curve = of_width["false_positives"]
    total = [curve["within"][distance] / curve["pairs"] or None for distance in distances]
    low, high = ([curve[name][distance] for distance in distances] for name in ("low", "high"))
    axis.fill_between(distances, [max(value, 1e-9) for value in low], high, alpha=0.2, color="tab:blue", linewidth=0)
    axis.plot(distances, total, color="tab:blue", label="all languages, with 95 % band")
    fitted = [_fitted(curve, distance) for distance in distances]
    axis.plot(distances, fitted, color="tab:orange", linestyle="--", linewidth=1, label="fitted line")
    _mark(axis, of_width)
    axis.set(yscale="log", ylim=(1e-7, 1), xlabel="distance, bits", ylabel="share of unrelated pairs")


def _fitted(curve: Results, distance: int) -> float:
    return float(10 ** (curve["tail"]["at_zero"] + curve["tail"]["slope"] * distance))


def _recall(axis: Any, of_width: Results, distances: range) -> None:
    for label, recall in _recalls(of_width, distances):
        axis.plot(distances, recall, label=label)
    _mark(axis, of_width)
    axis.set(ylim=(0, 1.02), xlabel="distance, bits", ylabel="recall")


def _recalls(of_width: Results, distances: range) -> Iterator[tuple[str, list[float]]]:
    for (way, name), label in _TRUE_PAIRS.items():
        if found := of_width["recall"][way].get(name):
            yield label, [found["within"][d] / found["pairs"] for d in distances]


def _mark(axis: Any, of_width: Results) -> None:
    for name in ("close_in_registry", "loose_in_registry"):
        axis.axvline(of_width["recommended"][name], color="black", linestyle=":", linewidth=0.8)
