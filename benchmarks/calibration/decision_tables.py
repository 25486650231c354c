"""Formats the effect of each design decision as Markdown tables."""

from __future__ import annotations

from typing import Any

from benchmarks.calibration.tables import Results, interval, share
from benchmarks.markdown import table


def caps(results: Results) -> str:
    head = ("Count per token", "FP at d <= 3", "FP at d <= 6", "Recall at d <= 3: small / medium / large / cross-media")
    rows = []
    for name, row in results["caps"].items():
        within = row["false_positives"]["within"]
        recalls = " / ".join(_recall(row, which, 3) for which in ("small", "medium", "large", "cross-media"))
        cells = [name, f"{within[3]:,}", f"{within[6]:,}", recalls]
        rows.append([f"**{cell}**" for cell in cells] if name == "at most 8" else cells)
    return table(head, rows)


def caps_at_equal_false_positives(results: Results, allowed: int = 2) -> str:
    rows = []
    for name, row in results["caps"].items():
        within = row["false_positives"]["within"]
        distance = sum(count <= allowed for count in within) - 1
        if distance < 0:
            rows.append([name, "none", "", "", "", ""])
            continue
        cells = (_recall(row, which, distance) for which in ("small", "medium", "large", "cross-media"))
        rows.append([name, f"d <= {distance}", *cells])
    return table(
        ("Count per token", f"Distance with at most {allowed} FP", "small", "medium", "large", "cross-media"), rows
    )


def _recall(row: Any, which: str, distance: int) -> str:
    found = row["recall"].get(which)
    return share(found["within"][distance], found["pairs"]) if found else "-"


def decisions(results: Results) -> str:
    rows = []
    for name, row in results["decisions"].items():
        false = row["false_positives"]["within"]
        recalls = [
            f"{_recall(row, which, 3)} / {_recall(row, which, 6)}"
            for which in ("small", "medium", "large", "cross-media")
        ]
        moved = row["moved"]
        effect = (
            f"{moved['pairs']}: {share(moved['version 1'][6], moved['pairs'])} becomes "
            f"{share(moved['changed'][6], moved['pairs'])}"
            if moved["pairs"]
            else ""
        )
        rows.append([name, f"{false[3]:,} / {false[6]:,}", *recalls, effect])
    head = ("Changed", "FP", "small", "medium", "large", "cross-media", "True pairs that move, their recall at d <= 6")
    return table(head, rows)


def spacing_marks(results: Results) -> str:
    rows = [
        (lang, row["pairs"], row["without Mc"]["mean"], row["version 1"]["mean"])
        for lang, row in results["scripts"]["spacing_marks"].items()
    ]
    return table(("Language", "Unrelated pairs", "Mean distance without Mc", "with Mc"), rows)


def cuts(results: Results) -> str:
    names = {
        "scriptio continua whole": "whole runs",
        "version 1": "bigrams",
        "scriptio continua in trigrams": "trigrams",
        "scriptio continua in single characters": "single characters",
    }
    rows = []
    for lang, row in results["scripts"]["cuts"].items():
        cells = []
        for name in names:
            within = row[name]["within"]
            false = row[name].get("false_positives")
            cells.append(
                f"{share(within[3], row['pairs'])} / {share(within[6], row['pairs'])}"
                + (f"; FP {false[3]} / {false[6]}" if false and false[6] else "")
            )
        rows.append([lang, row["pairs"], row.get("unrelated_pairs", 0), *cells])
    return table(("Language", "True pairs", "Unrelated pairs", *names.values()), rows)


def saturation(results: Results) -> str:
    rows = []
    for length, row in results["saturation"].items():
        if not row["documents"]:
            continue
        spreads = [f"{row[name]['mean']} ({row[name]['largest']})" for name in ("from_exact", "halves_exchanged")]
        recalls = [
            interval(row[name][6], row["pairs"]) if row["pairs"] else ""
            for name in ("recall_exact", "recall_saturating")
        ]
        rows.append([length, row["documents"], *spreads, row["pairs"], *recalls])
    head = (
        "Tokens",
        "Documents",
        "Bits from the exact sums: mean (most)",
        "Bits moved by exchanging the halves",
        "True pairs",
        "Recall at d <= 6, exact",
        "saturating",
    )
    return table(head, rows)


def minhash(results: Results) -> str:
    rows = []
    for row in results["minhash"]:
        recalls = " / ".join(share(found, pairs) for pairs, found in row["recall"].values())
        rows.append([row["bits"], row["method"], f"d <= {row['distance']}", recalls])
    bands = " / ".join(results["minhash"][0]["recall"])
    return table(("Bits", "Method", "Distance", f"Recall by 3-gram Jaccard: {bands}"), rows)
