"""Writes the page of tables of the rates of unrelated pairs, from docs/benchmarks/rates.json."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, log10
from typing import Any

from benchmarks.tables import table

Results = dict[str, Any]
SHOWN = ("50", "200", "1000")  # lengths in tokens
RULES = ("sd64 <= 3", "sd256 <= 20", "sd64 <= 3, sd256 <= 20")


def number(value: float) -> str:
    """Return a number with two significant digits: plain from .001 to 99,999, else in powers of ten."""
    if not value:
        return "0"
    if 1e-3 <= value < 99_500:
        digits = max(0, 1 - floor(log10(value)))
        shown = f"{value:,.{digits}f}"
        return shown.removeprefix("0") if value < 1 else shown
    return f"{value:.1e}"


def power(size: int) -> str:
    """Return a power of ten such as 10^5."""
    return f"10^{round(log10(size))}"


def tokens(length: str) -> str:
    return "complete documents" if length == "complete" else f"{int(length):,} tokens"


def rates(results: Results) -> str:
    rows = []
    for length, row in results["lengths"].items():
        found = [row["rates"][rule] for rule in RULES]
        cells = [
            f"{rate['seen']:,}; {number(rate['rate'])} ({number(rate['interval'][0])} to {number(rate['interval'][1])})"
            for rate in found
        ]
        rows.append([tokens(length), f"{found[0]['trials'] // 8:,}", *cells])
    return table(("Length", "Pairs", *RULES), rows)


def languages(results: Results) -> str:
    lengths = [*SHOWN, "complete"]
    names = sorted({lang for length in lengths for lang in results["lengths"][length]["languages"]})
    rows = []
    for lang in names:
        found = [results["lengths"][length]["languages"].get(lang, {}).get("different") for length in lengths]
        rows.append([lang, *("-" if one is None else number(one) for one in found)])
    return table(("Language", *(tokens(length) for length in lengths)), rows)


def candidates(results: Results) -> str:
    rows = []
    for length, shares in results["candidates"].items():
        name = "random bits" if length == "uniform" else tokens(length)
        rows.append([name, *(number(share * size) for share in shares.values() for size in (10**6, 10**8))])
    head = [f"{blocks} blocks, {power(size)}" for blocks in results["candidates"]["uniform"] for size in (10**6, 10**8)]
    return table(("Fingerprints", *head), rows)


def confirmed(results: Results) -> str:
    found = results["confirmed"]
    head = list(next(iter(found.values())))[1:]
    rows = [
        [name, f"{row['pairs']:,}", *(f"{row[rule]} ({_share(row[rule] / row['pairs'])})" for rule in head)]
        for name, row in found.items()
    ]
    return table(("Pairs", "Number", *head), rows)


def _share(value: float) -> str:
    return f"{value:.2f}".removeprefix("0") if value < 0.995 else "1.00"


PAGE: dict[str, tuple[str, Callable[[Results], str]]] = {
    "Rates": (
        """Of pairs of passages from two collections: how many were seen (in 8 disjoint fingerprints of 64 bits, 2 of
256), the estimated rate of one pair, and its 95 % interval from a bootstrap over works. The rate times the number of
documents is the expected number of unrelated hits of a query. [rates.json](rates.json) has every distance.""",
        rates,
    ),
    "Rates by language": (
        """Of `sd64` within 3, for pairs from two collections. Estimated from the distances in 512 bits, without the
fitted tail.""",
        languages,
    ),
    "Candidates": (
        """How many fingerprints of a collection share the key of a query in a table of `sd64` at distance 3, over all
tables, if each table compares complete keys.""",
        candidates,
    ),
    "Confirmation of true pairs": (
        "How many true pairs `sd64` finds, and how many of them a confirmation by `sd256` keeps.",
        confirmed,
    ),
}


def page(results: Results) -> str:
    """Return the page of tables."""
    machine = results["machine"]
    parts = [
        "<!-- Written by `python -m benchmarks.calibration.rates`; do not edit. -->\n\n# Rates of unrelated pairs\n",
        (
            f"Measured on {results['date']}: {machine['processor']}, {machine['cores']} cores, "
            f"Python {machine['python']}, numpy {machine['numpy']}. "
            "[What the tables mean](calibration.md#collections-of-any-size).\n"
        ),
    ]
    for title, (about, make) in PAGE.items():
        parts.append(f"## {title}\n\n{about}\n\n{make(results)}")
    return "\n".join(parts)
