"""The figures of near-duplicate search as a Markdown table and a plot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.measuring import version


def write_report(results: dict[str, Any], folder: Path) -> None:
    """Write `lookup-tables.md` and, if matplotlib is installed, the plots."""
    parts = ["<!-- Written by `python -m benchmarks.lookup`; do not edit. -->\n"]
    for name in ("million", "growth", "disk", "segments", "issl", "probing", "wide", "lanes"):
        if name in results:
            parts.append(f"## {TITLES[name]}\n")
            parts.append(_machine(results["machines"][name]))
            parts.append(
                _table(sorted(results[name], key=lambda row: row["task"]) if name == "million" else results[name])
            )
    (folder / "lookup-tables.md").write_text("\n".join(parts), encoding="utf-8")
    if "growth" in results and version("matplotlib"):
        _plot(results["growth"], folder / "lookup-growth.svg")
    if "disk" in results and version("matplotlib"):
        _plot_disk(results["disk"], folder / "lookup-disk.svg")


TITLES = {
    "million": "One million fingerprints, distance 3",
    "growth": "Growth, 5 blocks, distance 3",
    "disk": "Growth on disk, distance 3, both cores",
    "segments": "An index in a directory of segments, 5 blocks, distance 3",
    "issl": "Indexed signature slice lists",
    "probing": "Beyond distance 3: probing the least certain bits",
    "wide": "All pairs of 256 bits, measured once; simhash-doc and hammingbird on two cores",
    "lanes": "Pairs of 256 bits that 64 of them find within k bits",
}


def _machine(machine: dict[str, Any]) -> str:
    return (
        f"{machine['processor']}, {machine['cores']} cores, AVX-512 {'yes' if machine['avx512'] else 'no'}, "
        f"Python {machine['python']}, numpy {machine['numpy']}. Medians; one thread unless said otherwise.\n"
    )


def _table(rows: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = ["| " + " | ".join(name.replace("_", " ") for name in columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(name, row.get(name)) for name in columns) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(column: str, value: object) -> str:
    if value is None:
        return ""
    if "bytes" in column and isinstance(value, int | float):
        return f"{value / 1e6:,.1f} MB"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if "recall" in column:
        return f"{value:.3f}"
    if value >= 0.1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.2f} ms" if value >= 1e-3 else f"{value * 1e6:.1f} us"


def _pyplot() -> Any:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "lookup"  # so that the same figures give the same file
    from matplotlib import pyplot

    return pyplot


def _plot_disk(rows: list[dict[str, Any]], path: Path) -> None:
    figure, (time, memory) = _pyplot().subplots(1, 2, figsize=(10, 4))
    sizes = [row["fingerprints"] for row in rows]
    time.plot(sizes, [row["seconds"] for row in rows], marker="o", label="all pairs")
    time.plot(sizes, [row["processor_seconds"] for row in rows], marker="o", label="all pairs, sum of both cores")
    memory.plot(sizes, [row["peak_mb"] for row in rows], marker="o", label="process")
    memory.plot(sizes, [row["memory_limit_bytes"] / 1e6 for row in rows], marker="o", label="limit")
    _finish(figure, (time, memory), path)


def _plot(rows: list[dict[str, Any]], path: Path) -> None:
    figure, (time, memory) = _pyplot().subplots(1, 2, figsize=(10, 4))
    for task in ("all pairs", "clusters", "build"):
        of_task = [row for row in rows if row["task"] == task]
        sizes = [row["fingerprints"] for row in of_task]
        time.plot(sizes, [row["seconds"] for row in of_task], marker="o", label=task)
        memory.plot(sizes, [row["peak_mb"] for row in of_task], marker="o", label=f"{task}, process")
    built = [row for row in rows if row["task"] == "build"]
    sizes = [row["fingerprints"] for row in built]
    asked = "100,000 planted queries, all matches"
    time.plot(sizes, [row[asked] for row in built], marker="o", label="100,000 queries")
    memory.plot(sizes, [row["bytes"] / 1e6 for row in built], marker="o", label="tables of the corpus")
    _finish(figure, (time, memory), path)


def _finish(figure: Any, plots: tuple[Any, Any], path: Path) -> None:
    for axes, unit in zip(plots, ("seconds", "MB"), strict=True):
        axes.set(xscale="log", yscale="log", xlabel="fingerprints", ylabel=unit)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
