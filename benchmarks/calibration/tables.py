"""Writes the page of tables of the calibration, and the marked tables of the rationale."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks import plots
from benchmarks.calibration.statistics import wilson
from benchmarks.plots import FOLDER, WIDTHS
from benchmarks.tables import table

Results = dict[str, Any]
FEW_PAIRS = 10  # formats with fewer pairs are in the JSON file only
SIMILARITIES = ("revisions by similarity", "cross-media by similarity")


def share(found: int, of: int) -> str:
    """Return a share with two decimals, such as `.93`."""
    return f"{found / of:.2f}".removeprefix("0") if found < of else "1.00"


def interval(found: int, of: int) -> str:
    """Return a share with its 95 % score interval, such as `.93 (.90 to .95)`."""
    low, high = (f"{end:.2f}".removeprefix("0") for end in wilson(found, of))
    return f"{share(found, of)} ({low} to {high})"


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
        recalls = [share(one["within"][distance], one["pairs"]) if one else "-" for one in (revision, cross)]
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
                found = results["widths"][str(width)]["recall"][way][name]
                at = (registry["close_in_registry"], registry["loose_in_registry"])
                cells.append(" / ".join(share(found["within"][distance], found["pairs"]) for distance in at))
            rows.append([way.removesuffix(" by similarity"), name, narrow["pairs"], *cells])
    head = ("True pairs", "3-gram Jaccard", "Pairs", *(f"sd{width}: close / loose" for width in WIDTHS))
    return table(head, rows)


def extraction(results: Results) -> str:
    """Return recall across formats with stored texts and with texts from the originals."""
    return _extraction_rows(results, "group", ("cross-media", "cross-media, synthetic", "cross-media, hard"))


def extraction_by_originals(results: Results) -> str:
    return _extraction_rows(results, "originals", ("0", "1", "2"))


def extraction_by_formats(results: Results) -> str:
    formats = results["extraction"]["formats"]
    return _extraction_rows(results, "formats", [name for name in formats if _pairs(formats[name]) >= FEW_PAIRS])


def _pairs(found: Any) -> int:
    return int(found["extracted"]["64"]["pairs"])


def _extraction_rows(results: Results, way: str, names: Sequence[str]) -> str:
    rows = []
    for name in names:
        of_name = results["extraction"][way].get(name)
        if of_name is None:
            continue
        cells = []
        for width, thresholds in ((64, ("close", "loose")), (128, ("loose",)), (256, ("loose",))):
            registry = results["widths"][str(width)]["recommended"]
            for threshold in thresholds:
                at = registry[f"{threshold}_in_registry"]
                found = [of_name[kind][str(width)] for kind in ("stored", "extracted")]
                cells.append(" / ".join(share(one["within"][at], one["pairs"]) for one in found))
        narrow = of_name["extracted"]["64"]
        cells.append(interval(narrow["within"][6], narrow["pairs"]))
        rows.append([name, narrow["pairs"], *cells])
    titles = {"group": "Pairs of", "originals": "Originals in the pair", "formats": "Formats"}
    head = (
        titles[way],
        "Pairs",
        "sd64, close",
        "sd64, loose",
        "sd128, loose",
        "sd256, loose",
        "sd64, loose, extracted",
    )
    return table(head, rows)


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


RATIONALE = FOLDER.parent.parent / "spec/rationale.md"
COMMAND = "python -m benchmarks.calibration"
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
    "extraction": extraction,
    "extraction-originals": extraction_by_originals,
}
PAGE: dict[str, Callable[[Results], str]] = {
    "Licences of the documents": lambda results: table(
        ("Licence", "Documents"), list(results["corpus"]["licences"].items())
    ),
    "Recall of all true pairs": partial(recall, way="group"),
    "Recall by kind of edit": partial(recall, way="edit class"),
    "Real pairs by formats": extraction_by_formats,
}


def page(results: Results) -> str:
    """Return the page of the tables that the rationale does not quote."""
    parts = [f"<!-- Written by `{COMMAND}`; do not edit. -->\n\n# Calibration, tables\n"]
    parts.append(
        "Recall has its 95 % score interval in parentheses; with two figures, the first is of the stored text, the "
        "second of the text extracted from the original. [Formats of few pairs](calibration.json). "
        "[What the tables mean](calibration.md). The "
        "[rationale](../../spec/rationale.md) has those of thresholds and of the decisions of the scheme.\n"
    )
    parts += [f"## {title}\n\n{make(results)}" for title, make in PAGE.items()]
    return "\n".join(parts)


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


def write(results: Results) -> None:
    """Write the page, the plots (with matplotlib), and the tables of the rationale."""
    (FOLDER / "calibration-tables.md").write_text(page(results), encoding="utf-8")
    RATIONALE.write_text(quoted(RATIONALE.read_text(encoding="utf-8"), results), encoding="utf-8")
    plots.draw("calibration", results, FOLDER)
