"""Formats the results as Markdown tables for the documentation and the rationale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.calibration.statistics import wilson
from benchmarks.markdown import table

Results = dict[str, Any]
WIDTHS = (64, 128, 256, 512)
FEW_PAIRS = 100  # languages with fewer unrelated pairs are only listed
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
    return _extraction_rows(results, "formats", list(results["extraction"]["formats"]))


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


def false_positives_by_language(results: Results) -> str:
    languages = results["widths"]["64"]["languages"]
    rows = []
    few: list[str] = []
    for lang, row in sorted(languages.items(), key=lambda item: -item[1]["pairs"]):
        if row["pairs"] < FEW_PAIRS:
            few.append(lang)
            continue
        wide = []
        for width in WIDTHS:
            one = results["widths"][str(width)]
            loose = one["recommended"]["loose_in_registry"]
            wide.append(f"{one['languages'][lang]['smallest']} ({one['languages'][lang]['within'][loose]})")
        rows.append([lang, f"{row['pairs']:,}", row["documents"], row["families"], row["mean"], *wide])
    head = ("Language", "Unrelated pairs", "Documents", "Families", "Mean distance, sd64")
    head += tuple(f"sd{width}: smallest (FP at loose)" for width in WIDTHS)
    note = f"\nFewer than {FEW_PAIRS} pairs: {', '.join(few)}.\n" if few else ""
    return table(head, rows) + note


def false_positives_by_distance(results: Results) -> str:
    rows = []
    for width in WIDTHS:
        curve = results["widths"][str(width)]["false_positives"]
        registry = results["widths"][str(width)]["recommended"]
        chosen = {registry["close_in_registry"], registry["loose_in_registry"]}
        chosen |= {width // 8, 5 * width // 32, 3 * width // 16}
        for distance in sorted(chosen):
            seen = curve["within"][distance]
            span = (
                f"{rate(curve['low'][distance])} to {rate(curve['high'][distance])}"
                if seen
                else f"under {rate(curve['upper_bound_of_none'])} if pairs were independent, "
                f"under {rate(curve['upper_bound_of_none_disjoint'])} from disjoint pairs alone"
            )
            rows.append([f"sd{width}", f"d <= {distance}", f"{seen:,}", rate(seen / curve["pairs"]), span])
    return table(("Scheme", "Distance", "FP", "Share", "95 %"), rows)


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
