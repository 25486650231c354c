"""The pages of the calibration and of the rates of unrelated pairs, and the tables that the rationale quotes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from math import floor, log10
from typing import Any

from benchmarks.calibration.statistics import wilson
from benchmarks.tables import WIDTHS, Results, page, share, table

FEW_PAIRS = 10  # formats with fewer pairs are in the JSON file only
SIMILARITIES = ("revisions by similarity", "cross-media by similarity")


def found(row: Results, distance: int) -> str:
    """Return the share of pairs within a distance."""
    return share(row["within"][distance] / row["pairs"])


def interval(successes: int, of: int) -> str:
    """Return a share with its 95 % score interval, such as `.93 (.90 to .95)`."""
    low, high = map(share, wilson(successes, of))
    return f"{share(successes / of)} ({low} to {high})"


def rate(value: float) -> str:
    """Return a small share of pairs, such as `1.2e-06`, or 0."""
    return f"{value:.1e}" if value else "0"


def corpus(results: Results) -> str:
    held = results["corpus"]
    pairs = results["widths"]["64"]["false_positives"]
    english = results["widths"]["64"]["languages"].get("en", {"pairs": 0})["pairs"]
    unrelated = (
        f"{pairs['pairs']:,} of {held['unrelated_documents']:,} documents, in {held['unrelated_languages']} languages; "
        f"{english:,} of them English"
    )
    rows = [
        ("documents", f"{held['documents']:,}, in {held['languages']} languages, from {held['sources']} sources"),
        ("unrelated pairs", unrelated),
        ("pairs among these that share no document", f"{pairs['disjoint_pairs']:,}"),
        ("left out because they overlap a little", f"{held['left_out_as_residue']} pairs"),
    ]
    rows += [(f"true pairs: {name}", f"{count:,}") for name, count in held["pairs"].items()]
    rows.append(("median length", f"{held['tokens_median']:,} tokens"))
    return table(("", ""), rows)


def thresholds(results: Results) -> str:
    rows = []
    for width in WIDTHS:
        row = results["widths"][str(width)]["recommended"]
        unseen = results["widths"][str(width)]["false_positives"]["largest_unseen"]
        spans = ["({:.1f} to {:.1f})".format(*row[f"{name}_interval"]) for name in ("close", "loose")]
        if width == 64:
            spans = ["(given)", "(given)"]
        rows.append(
            [
                f"sd{width}",
                f"{row['close']:.1f} {spans[0]}",
                f"{row['loose']:.1f} {spans[1]}",
                unseen,
                f"{row['close_by_rule']} / {row['loose_by_rule']}",
                f"**{row['close_in_registry']} / {row['loose_in_registry']}**",
                f"{rate(row['share_at_registered_close'])} / {rate(row['share_at_registered_loose'])}",
            ]
        )
    head = (
        "Scheme",
        "As many FP as sd64 at 3",
        "As many FP as sd64 at 6",
        "Largest distance without an FP",
        "By the rule: close / loose",
        "Registry: close / loose",
        "Expected share of unrelated pairs there",
    )
    return table(head, rows)


def radius(results: Results) -> str:
    narrow = results["widths"]["64"]
    revision, cross = (narrow["recall"]["group"].get(name) for name in ("revision", "cross-media"))
    rows = []
    for row in results["radius"]:
        distance = row["distance"]
        recalls = [found(one, distance) if one else "-" for one in (revision, cross)]
        plans = [
            f"{one['tables']} tables, {one['bytes'] / 1e9:.3g} GB, {one['candidates']:,.0f} candidates"
            for one in row["plans"]
        ]
        rows.append([distance, *recalls, narrow["false_positives"]["within"][distance], *plans])
    head = ("k", "Recall, revisions", "Recall, cross-media", "FP seen", "10^6 fingerprints", "10^8 fingerprints")
    return table(head, rows)


def recall_by_similarity(results: Results) -> str:
    rows = []
    for way in SIMILARITIES:
        for name, narrow in results["widths"]["64"]["recall"][way].items():
            cells = []
            for width in WIDTHS:
                registry = results["widths"][str(width)]["recommended"]
                row = results["widths"][str(width)]["recall"][way][name]
                at = (registry["close_in_registry"], registry["loose_in_registry"])
                cells.append(" / ".join(found(row, distance) for distance in at))
            rows.append([way.removesuffix(" by similarity"), name, narrow["pairs"], *cells])
    head = ("True pairs", "3-gram Jaccard", "Pairs", *(f"sd{width}: close / loose" for width in WIDTHS))
    return table(head, rows)


def extraction_by_formats(results: Results) -> str:
    """Return recall by formats with stored texts and with texts from the originals."""
    rows = []
    for name, one in results["extraction"]["formats"].items():
        narrow = one["extracted"]["64"]
        if narrow["pairs"] < FEW_PAIRS:
            continue
        cells = []
        for width, thresholds in ((64, ("close", "loose")), (128, ("loose",)), (256, ("loose",))):
            registry = results["widths"][str(width)]["recommended"]
            for threshold in thresholds:
                at = registry[f"{threshold}_in_registry"]
                cells.append(" / ".join(found(one[kind][str(width)], at) for kind in ("stored", "extracted")))
        rows.append([name, narrow["pairs"], *cells, interval(narrow["within"][6], narrow["pairs"])])
    thresholds_shown = ("sd64, close", "sd64, loose", "sd128, loose", "sd256, loose", "sd64, loose, extracted")
    return table(("Formats", "Pairs", *thresholds_shown), rows)


def recall(results: Results, way: str) -> str:
    rows = []
    for name, narrow in results["widths"]["64"]["recall"][way].items():
        cells = []
        for width in WIDTHS:
            registry = results["widths"][str(width)]["recommended"]
            found = results["widths"][str(width)]["recall"][way][name]["within"]
            chosen = ("close_in_registry", "loose_in_registry") if width == 64 else ("loose_in_registry",)
            cells += [interval(found[registry[at]], narrow["pairs"]) for at in chosen]
        rows.append([name, narrow["pairs"], narrow["works"], *cells])
    head = (
        "True pairs",
        "Pairs",
        "Works",
        "sd64, close",
        "sd64, loose",
        "sd128, loose",
        "sd256, loose",
        "sd512, loose",
    )
    return table(head, rows)


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
    return found(row["recall"][which], distance) if which in row["recall"] else "-"


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
            f"{moved['pairs']}: {share(moved['version 1'][6] / moved['pairs'])} becomes "
            f"{share(moved['changed'][6] / moved['pairs'])}"
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
                f"{share(within[3] / row['pairs'])} / {share(within[6] / row['pairs'])}"
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
        recalls = " / ".join(share(near / pairs) for pairs, near in row["recall"].values())
        rows.append([row["bits"], row["method"], f"d <= {row['distance']}", recalls])
    bands = " / ".join(results["minhash"][0]["recall"])
    return table(("Bits", "Method", "Distance", f"Recall by 3-gram Jaccard: {bands}"), rows)


_MARKED = re.compile(r"(<!-- calibration: ([a-z-]+) -->\n\n).*?(\n<!-- end -->)", re.DOTALL)

QUOTED: dict[str, Callable[[Results], str]] = {
    "corpus": corpus,
    "caps": caps,
    "caps-at-equal-false-positives": caps_at_equal_false_positives,
    "decisions": decisions,
    "spacing-marks": spacing_marks,
    "cuts": cuts,
    "saturation": saturation,
    "thresholds": thresholds,
    "radius": radius,
    "recall": recall_by_similarity,
    "minhash": minhash,
}
PAGE: dict[str, Callable[[Results], str]] = {
    "Recall of all true pairs": partial(recall, way="group"),
    "Recall by kind of edit": partial(recall, way="edit class"),
    "Real pairs by formats": extraction_by_formats,
}


def calibration(results: Results) -> str:
    """Return the page of the tables of the calibration that the rationale does not quote."""
    about = (
        "Recall has its 95 % score interval in parentheses; with two figures, the first is of the stored text, the "
        "second of the text extracted from the original. [Formats of few pairs](calibration.json). "
        "[What the tables mean](calibration.md). The "
        "[rationale](../../spec/rationale.md) has those of thresholds and of the decisions of the scheme.\n"
    )
    tables = (f"## {title}\n\n{make(results)}" for title, make in PAGE.items())
    return page("calibration", "# Calibration, tables\n", about, *tables)


def quoted(text: str, results: Results) -> str:
    """Return a text with its marked tables replaced by current ones.

    A marked table is between `<!-- calibration: NAME -->` and `<!-- end -->`.

    Raises:
        ValueError: a mark names an unknown table.
    """

    def replaced(match: re.Match[str]) -> str:
        if match[2] not in QUOTED:
            raise ValueError(f"{match[2]!r} is not the name of a table; the tables are {', '.join(QUOTED)}")
        return match[1] + QUOTED[match[2]](results) + match[3]

    return _MARKED.sub(replaced, text)


# Rates of unrelated pairs.

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


def rates_by_length(results: Results) -> str:
    rows = []
    for length, row in results["lengths"].items():
        of_rules = [row["rates"][rule] for rule in RULES]
        cells = [
            f"{rate['seen']:,}; {number(rate['rate'])} ({number(rate['interval'][0])} to {number(rate['interval'][1])})"
            for rate in of_rules
        ]
        rows.append([tokens(length), f"{of_rules[0]['trials'] // 8:,}", *cells])
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
    kinds = results["confirmed"]
    head = list(next(iter(kinds.values())))[1:]
    rows = [
        [name, f"{row['pairs']:,}", *(f"{row[rule]} ({share(row[rule] / row['pairs'])})" for rule in head)]
        for name, row in kinds.items()
    ]
    return table(("Pairs", "Number", *head), rows)


OF_RATES: dict[str, tuple[str, Callable[[Results], str]]] = {
    "Rates": (
        """Of pairs of passages from two collections: how many were seen (in 8 disjoint fingerprints of 64 bits, 2 of
256), the estimated rate of one pair, and its 95 % interval from a bootstrap over works. The rate times the number of
documents is the expected number of unrelated hits of a query. [rates.json](rates.json) has every distance.""",
        rates_by_length,
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


def rates(results: Results) -> str:
    """Return the page of the rates of unrelated pairs."""
    machine = results["machine"]
    about = (
        f"Measured on {results['date']}: {machine['processor']}, {machine['cores']} cores, "
        f"Python {machine['python']}, numpy {machine['numpy']}. "
        "[What the tables mean](calibration.md#collections-of-any-size).\n"
    )
    tables = (f"## {title}\n\n{text}\n\n{make(results)}" for title, (text, make) in OF_RATES.items())
    return page("calibration.rates", "# Rates of unrelated pairs\n", about, *tables)
