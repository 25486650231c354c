"""Writes the page of tables of the rates of unrelated pairs, from docs/benchmarks/rates.json."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import floor, log10
from typing import Any

from benchmarks.tables import table

Results = dict[str, Any]
SHOWN = ("50", "200", "1000")  # lengths in tokens


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


def counted(results: Results) -> str:
    rows = []
    for length, row in results["lengths"].items():
        for group, one in row["groups"].items():
            name = "English" if group == "en" else f"{one['languages']} other languages"
            both = [one["different"], one["same"]]
            rows.append(
                [
                    tokens(length),
                    name,
                    f"{one['works']:,}",
                    f"{one['passages']:,}",
                    *(f"{part['pairs']:,}" for part in both),
                    f"{sum(part['compared'] for part in both):,}",
                    f"{sum(part['related'] for part in both):,}",
                    " / ".join(str(sum(part["related_within"]["sd64"][at] for part in both)) for at in (0, 1)),
                ]
            )
    head = (
        "Length",
        "Languages",
        "Works",
        "Passages",
        "Unrelated pairs, two collections",
        "Unrelated pairs, one collection",
        "Near pairs compared",
        "of which related",
        "of these, sd64 <= 3 / <= 6",
    )
    return table(head, rows)


def rates(results: Results) -> str:
    parts = []
    for length, row in results["lengths"].items():
        rows = []
        for name, rate in row["rates"].items():
            seen = (
                f"{rate['seen']:,} ({number(rate['seen'] / rate['trials'])})"
                if rate["seen"]
                else f"0 (under {number(rate['upper_bound_of_none'])})"
            )
            fitted = number(rate["expected"])
            low, high = rate["interval"]
            rows.append(
                [
                    name,
                    seen,
                    fitted,
                    number(rate["rate"]),
                    f"{number(low)} to {number(high)}",
                    " / ".join(number(rate[name]) for name in ("en", "others") if name in rate),
                    number(rate["beta_binomial"]),
                    "-" if rate["one_collection"] is None else number(rate["one_collection"]),
                ]
            )
        head = (
            "Within",
            "Seen (share)",
            "Expected",
            "Estimated rate",
            "95 %",
            "English / others",
            "By the beta-binomial law",
            "Within one collection",
        )
        trials = next(iter(row["rates"].values()))["trials"] // 8
        parts.append(f"### {tokens(length).capitalize()}, {trials:,} pairs\n\n{table(head, rows)}")
    return "\n".join(parts)


def distances(results: Results) -> str:
    rows = []
    for length, schemes in results["distances"].items():
        for scheme, found in schemes.items():
            name = scheme.replace("confirmed ", "confirmed by sd256 <= ")
            rows.append([tokens(length), name, *("none" if one < 0 else one for one in found)])
    return table(("Length", "Scheme", *(power(size) for size in results["collections"])), rows)


def models(results: Results) -> str:
    rows = []
    for length, by_model in results["models"].items():
        scores: Iterable[str] = (
            f"{one['log_likelihood']} ({number(one['expected'])} of {one['seen']})" for one in by_model.values()
        )
        rows.append([tokens(length), *scores])
    return table(("Length", *next(iter(results["models"].values()))), rows)


def languages(results: Results) -> str:
    lengths = [*SHOWN, "complete"]
    names = sorted({lang for length in lengths for lang in results["lengths"][length]["languages"]})
    rows = []
    for lang in names:
        cells = []
        for length in lengths:
            one = results["lengths"][length]["languages"].get(lang)
            shown = ["-" if one is None or one[way] is None else number(one[way]) for way in ("different", "same")]
            cells.append(" / ".join(shown))
        rows.append([lang, results["lengths"]["complete"]["languages"].get(lang, {"works": "-"})["works"], *cells])
    return table(("Language", "Works", *(tokens(length) for length in lengths)), rows)


def candidates(results: Results) -> str:
    rows = []
    for length, shares in results["candidates"].items():
        name = "random bits" if length == "uniform" else tokens(length)
        rows.append([name, *(number(share * size) for share in shares.values() for size in (10**6, 10**8))])
    head = [f"{blocks} blocks, {power(size)}" for blocks in results["candidates"]["uniform"] for size in (10**6, 10**8)]
    return table(("Fingerprints", *head), rows)


def one_word(results: Results) -> str:
    rows = []
    for length, by_language in results["one_word"].items():
        mean = by_language["all"]
        cells = []
        for scheme in ("sd64", "sd128", "sd256"):
            cells += [
                f"{_share(one['mean'])} ({_share(one['smallest'])} to {_share(one['largest'])})" for one in mean[scheme]
            ]
        rows.append([length, mean["languages"], f"{mean['trials']:,}", *cells])
    thresholds = (f"{scheme}, {name}" for scheme in ("sd64", "sd128", "sd256") for name in ("close", "loose"))
    return table(("Words", "Languages", "Texts", *thresholds), rows)


def _found(found: Results) -> str:
    """Return a row of counts per set of pairs, with the share of each."""
    head = list(next(iter(found.values())))[1:]
    rows = [
        [name, f"{row['pairs']:,}", *(f"{row[rule]} ({_share(row[rule] / row['pairs'])})" for rule in head)]
        for name, row in found.items()
    ]
    return table(("Pairs", "Number", *head), rows)


def confirmed(results: Results) -> str:
    return _found(results["confirmed"])


def scans(results: Results) -> str:
    return _found(results["scans"])


def _share(value: float) -> str:
    return f"{value:.2f}".removeprefix("0") if value < 0.995 else "1.00"


PAGE: dict[str, tuple[str, Callable[[Results], str]]] = {
    "Largest distances": (
        """With at most 1 expected unrelated hit per 100 queries by the estimated rate, and at most the loose threshold.
`simhash_doc.thresholds` returns these.""",
        distances,
    ),
    "Rates": (
        """Pairs of passages from two collections. *Seen* counts the disjoint fingerprints of 512 bits: 8 of 64 bits,
4 of 128, 2 of 256. If none was seen, the upper 95 % bound is given, which would hold if pairs were independent.
*Expected* is the number by the estimates for English and for the other languages. The *estimated rate* is the mean of
both, of one pair: times the number of documents, it is the expected number of unrelated hits of a query. Its interval
is from a bootstrap over works. *By the beta-binomial law* is the rate of another model.""",
        rates,
    ),
    "Pairs": (
        """Near pairs whose sets of token 3-grams have a Dice coefficient of at least .2 are *related*: they are not
counted as unrelated. The last column counts them in 8 lanes.""",
        counted,
    ),
    "Models of the tail": (
        """Each model is fitted to one half of the English works and scored on the other half, both ways: the log
likelihood of the pairs that are nearer than the 30th pair of the fitted half. In parentheses: how many pairs it expects
nearer than the third pair of the fitted half, and how many were seen.""",
        models,
    ),
    "Rates by language": (
        """Of `sd64` within 3: pairs from two collections / from one. Estimated from the distances in 512 bits, without
the fitted tail.""",
        languages,
    ),
    "Candidates": (
        """How many fingerprints of a collection share the key of a query in a table of `sd64` at distance 3, over all
tables, if each table compares complete keys.""",
        candidates,
    ),
    "One replaced word": (
        """Share of texts still found after one word was replaced by another: mean over languages, and the smallest and
the largest. Languages with at least 100 texts of this length, without those written without spaces.""",
        one_word,
    ),
    "Confirmation of true pairs": (
        "How many true pairs `sd64` finds, and how many of them a confirmation by `sd256` keeps.",
        confirmed,
    ),
    "Scans": (
        """Newspaper articles as recognised by OCR and as transcribed by people, of the Overproof collection in the
HIPE-OCRepair benchmark, by the share of wrong characters that the benchmark states.""",
        scans,
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
