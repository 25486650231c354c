"""The figures of the jobs on Spark as a Markdown table and a plot."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.measuring import version


def write_report(results: dict[str, Any], folder: Path) -> None:
    """Write `spark-tables.md` and, if matplotlib is installed, `spark-growth.svg`."""
    machine, rows = results["machine"], results["rows"]
    where = (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, PySpark {machine['pyspark']}, "
        "`local[*]`; one run each in a warm session. 5 blocks, distance 3, a tenth of the fingerprints planted "
        "near others, ids of some 36 characters; days and `sd256` have the blocks that are planned for them. "
        "Results of days are new clusters. *In memory* is `simhash_doc.lookup` in one process on the same "
        "fingerprints.\n"
    )
    columns = ["task", "fingerprints", "results", "time", "in memory", "shuffle", "bytes per fingerprint"]
    columns += ["rows read", "read", "sent to Python"]
    lines = [
        "<!-- Written by `python -m benchmarks.spark`; do not edit. -->\n",
        where,
        f"| {' | '.join(columns)} |",
        "|---" * len(columns) + "|",
    ]
    for row in rows:
        alone = f"{row['search_seconds']:.2f} s" if "search_seconds" in row else ""
        lines.append(
            f"| {row['task']} | {row['fingerprints']:,} | {row['results']:,} | {row['seconds']:.1f} s | {alone} "
            f"| {row['shuffle_bytes'] / 1e6:,.1f} MB | {row['shuffle_bytes'] / row['fingerprints']:.1f} "
            f"| {row['read_rows']:,} | {row['read_bytes'] / 1e6:,.1f} MB | {row['python_bytes'] / 1e6:,.1f} MB |"
        )
    (folder / "spark-tables.md").write_text("\n".join([*lines, *_growth(rows)]) + "\n", encoding="utf-8")
    if version("matplotlib"):
        _plot(rows, folder / "spark-growth.svg")


def _growth(rows: list[dict[str, Any]]) -> list[str]:
    """Return a table of how time and shuffle bytes grow, over growth in proportion."""
    lines = ["\n## Growth\n", "1.00 is growth in proportion to the fingerprints.\n"]
    lines += ["| task | from | to | time | shuffle |", "|---|---|---|---|---|"]
    for task in dict.fromkeys(row["task"] for row in rows):
        of_task = [row for row in rows if row["task"] == task]
        for less, more in pairwise(of_task):
            factor = more["fingerprints"] / less["fingerprints"]
            time = more["seconds"] / less["seconds"] / factor
            shuffle = more["shuffle_bytes"] / max(1, less["shuffle_bytes"]) / factor
            lines.append(
                f"| {task} | {less['fingerprints']:,} | {more['fingerprints']:,} | {time:.2f} | {shuffle:.2f} |"
            )
    return lines


def _plot(rows: list[dict[str, Any]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "spark"  # so that the same figures give the same file
    from matplotlib import pyplot

    figure, (time, shuffle) = pyplot.subplots(1, 2, figsize=(10, 4))
    for task in ("pairs of fingerprints", "pairs of fingerprints, plain SQL join", "pairs of ids", "clusters"):
        of_task = [row for row in rows if row["task"] == task]
        sizes = [row["fingerprints"] for row in of_task]
        time.plot(sizes, [row["seconds"] for row in of_task], marker="o", label=task)
        shuffle.plot(sizes, [row["shuffle_bytes"] / 1e6 for row in of_task], marker="o", label=task)
    of_task = [row for row in rows if row["task"] == "pairs of fingerprints"]
    alone = [row["search_seconds"] for row in of_task]
    time.plot([row["fingerprints"] for row in of_task], alone, marker="s", color="black", label="one process")
    for axes, unit in ((time, "seconds"), (shuffle, "MB through shuffles")):
        axes.set(xscale="log", yscale="log", xlabel="fingerprints", ylabel=unit)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
