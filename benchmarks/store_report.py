"""The figures of the store as Markdown tables and a plot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.measuring import version

Rows = list[dict[str, Any]]


def write_report(results: dict[str, Any], folder: Path) -> None:
    """Write `store-tables.md` and, if matplotlib is installed, `store-slices.svg`."""
    machine = results["machine"]
    where = f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, numpy {machine['numpy']}."
    parts = ["<!-- Written by `python -m benchmarks.store`; do not edit. -->\n", where + "\n"]
    million = [row for part in ("memory", "sqlite", "postgresql") for row in results.get(part, [])]
    if million:
        parts.append("## 1,000,000 documents, sd64 in 4 slices\n")
        parts.append(_million(million))
    if results.get("slices"):
        documents = results["slices"][0]["documents"]
        parts.append(f"## Slices and distance, {documents:,} uniform fingerprints of sd64 in SQLite\n")
        parts.append(_slices(results["slices"]))
    if results.get("wide"):
        parts.append("## Each width at its recommended threshold, 20,000 uniform fingerprints\n")
        parts.append(_wide(results["wide"]))
    (folder / "store-tables.md").write_text("\n".join(parts), encoding="utf-8")
    if results.get("slices") and version("matplotlib"):
        _plot(results["slices"], folder / "store-slices.svg")


def _million(rows: Rows) -> str:
    names = list(dict.fromkeys(row["name"] for row in rows))
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    by_place = {(row["task"], row["name"]): row for row in rows}
    lines = [_line(["task", *names]), _line(["---"] * (1 + len(names)))]
    for task in tasks:
        cells = [by_place.get((task, name)) for name in names]
        lines.append(_line([task, *(_time(cell) if cell else "" for cell in cells)]))
    for title, show in (
        ("load, documents a second", lambda cell: f"{cell['per_second']:,.0f}"),
        (
            "load, processor time of this process",
            lambda cell: f"{cell['processor']:.1f} s" if "processor" in cell else "",
        ),
        ("bytes a document, indexes included", lambda cell: f"{cell['bytes'] / 1e6:,.0f}"),
    ):
        cells = [by_place.get(("load", name)) for name in names]
        lines.append(_line([title, *(show(cell) if cell else "" for cell in cells)]))
    return "\n".join(lines) + "\n"


def _slices(rows: Rows) -> str:
    heads = ["slices", "distance", "query", "candidates expected", "measured", "bytes a document", "load, documents/s"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for row in rows:
        more = (
            [f"{row['expected']:,.1f}", f"{row['measured']:,.1f}", f"{row['bytes']:,.0f}", f"{row['per_second']:,.0f}"]
            if "expected" in row
            else [""] * 4
        )
        lines.append(_line([str(row["slices"]), str(row["distance"]), _time(row), *more]))
    return "\n".join(lines) + "\n"


def _wide(rows: Rows) -> str:
    heads = ["engine", "scheme", "slices", "distance", "query", "candidates expected", "measured", "load, documents/s"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    lines += [
        _line(
            [
                row["name"],
                row["scheme"],
                str(row["slices"]),
                str(row["distance"]),
                _time(row),
                f"{row['expected']:,.1f}",
                f"{row['measured']:,.1f}",
                f"{row['per_second']:,.0f}",
            ]
        )
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _time(row: dict[str, Any]) -> str:
    shown = _seconds(row["seconds"])
    return f"{shown} (99 %: {_seconds(row['p99'])})" if "p99" in row else shown


def _seconds(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.1f} us"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plot(rows: Rows, path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "simhash-doc"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.6))
    for slices in dict.fromkeys(row["slices"] for row in rows):
        chosen = [row for row in rows if row["slices"] == slices]
        distances, times = [row["distance"] for row in chosen], [row["seconds"] * 1e3 for row in chosen]
        axes.plot(distances, times, marker="o", label=f"{slices} slices")
    axes.set(yscale="log", xlabel="distance", ylabel="milliseconds a query")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
