"""The speeds of the implementations as Markdown tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.markdown import table


def write_report(results: dict[str, Any], path: Path) -> None:
    """Write the tables of `benchmarks.implementations`."""
    machine = results["machine"]
    about = (
        f"One core of {machine['processor']} with {machine['cores']} cores, shared with other work. "
        f"Texts: {results['texts']}. MB/s are millions of bytes of UTF-8 per second: medians of {results['rounds']} "
        "rounds, in each of which all programs ran in turn. Ratios within a table are more reliable than MB/s. "
        "[The figures](implementations.json). To measure again: `python -m benchmarks.implementations`.\n"
    )
    parts = [
        "<!-- Written by `python -m benchmarks.implementations`; do not edit. -->\n",
        "# Implementations: measurements\n",
        about,
        f"## English documents of 10 KB, MB/s\n\n{_schemes(results['english'])}",
        f"## Other languages, documents of 10 KB, `sd64`, MB/s\n\n{_languages(results['languages'])}",
        f"## Worst-case texts\n\n{_worst(results['worst'], results['english'])}",
        f"## Long texts of distinct tokens, `sd64`, MB/s\n\n{_long(results['long'])}",
    ]
    path.write_text("\n".join(parts), encoding="utf-8")


def _schemes(results: dict[str, Any]) -> str:
    """Return a row per program, with each scheme and the ratio to the first program."""
    speeds = {name: files["English"] for name, files in results.items()}
    schemes = list(next(iter(speeds.values())))
    first = next(iter(speeds))
    best = speeds[first]["sd64"]
    rows = [
        [name, *(f"{rates[scheme]:.1f}" for scheme in schemes), f"{rates['sd64'] / best:.2f}"]
        for name, rates in speeds.items()
    ]
    return table(["Implementation", *(f"`{scheme}`" for scheme in schemes), f"`sd64`, ratio to {first}"], rows)


def _languages(results: dict[str, Any]) -> str:
    languages = list(next(iter(results.values())))
    rows = [[name, *(f"{files[language]['sd64']:.1f}" for language in languages)] for name, files in results.items()]
    return table(["Implementation", *languages], rows)


def _long(results: dict[str, Any]) -> str:
    sizes = list(next(iter(results.values())))
    rows = [[name, *(f"{files[size]['sd64']:.1f}" for size in sizes)] for name, files in results.items()]
    return table(["Random Han characters", *(f"{int(size) >> 10:,} KiB" for size in sizes)], rows)


def _worst(results: dict[str, Any], english: dict[str, Any]) -> str:
    """Return a row per program: the slowest texts, and how the time grows with the length."""
    small, large = results["sizes"]
    rows = []
    for name, files in results["speeds"].items():
        speeds = {number: files[f"{number}-{large}"]["sd64"] for number in results["names"]}
        growth = {
            number: large / speeds[number] / (small / files[f"{number}-{small}"]["sd64"]) for number in results["names"]
        }
        slowest = sorted(speeds, key=lambda number: speeds[number])[:3]
        steepest = max(growth, key=lambda number: growth[number])
        rows.append(
            [
                name,
                "; ".join(f"{results['names'][number]}: {speeds[number]:.1f}" for number in slowest),
                f"{english[name]['English']['sd64'] / speeds[slowest[0]]:.0f}",
                f"{sorted(growth.values())[len(growth) // 2]:.1f}",
                f"{growth[steepest]:.1f} ({results['names'][steepest]})",
            ]
        )
    head = [
        "Implementation",
        "slowest texts of 256 KiB, MB/s",
        "English is faster, times",
        "time of 256 KiB / 64 KiB, median",
        "and greatest",
    ]
    count = len(results["names"])
    times = large // small
    return (
        f"The {count} texts of `benchmarks/worst_texts.py`, each as one document; the best of the rounds. "
        f"Time is linear if {times} times the text takes about {times} times as long.\n\n{table(head, rows)}"
    )
