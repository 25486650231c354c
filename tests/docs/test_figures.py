"""The figures on the pages of measurements are those of the committed results, rounded as they are shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.calibration.similarity import SMALL_TEMPLATES
from benchmarks.tables import power
from simhash_doc import Policy, fingerprint
from simhash_doc.duplicates.numbers import ORDERED
from simhash_doc.lookup import plan, shards_to_search
from simhash_doc.lookup.external import OVERHEAD
from simhash_doc.lookup.joins import SortedJoin
from simhash_doc.lookup.planning.join import Nearness, plan_join
from simhash_doc.schemes import get_schemes
from simhash_doc.store.layout import expected_candidates

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/benchmarks"
HALVES = ("chosen", "confirmed")
CALIBRATION, RATES, LOOKUP, BULK, IMPLEMENTATIONS, PLANTED, SUPPORT, SIMILARITY, EXTRACTION, VALIDATION = (
    json.loads((FOLDER / f"{name}.json").read_bytes())
    for name in (
        *("calibration", "rates", "lookup", "bulk", "implementations"),
        *("planted", "support", "similarity", "extraction", "extraction-validation"),
    )
)
DEDUPLICATION, SPARK_TEXTS = (
    json.loads((FOLDER / f"{name}.json").read_bytes()) for name in ("deduplication", "spark-texts")
)
(SLOWEST,) = (
    row["first_mb_per_second"] for row in BULK["sizes"] if (row["utf8_size"], row["engine"]) == (10_000, "native")
)
# Sections of the page of searches, the results in them, and figures that follow from the rates or are parameters.
SECTIONS = {
    "A million fingerprints": ("million", {"17 times"}),
    "Measured: all pairs": ("disk", {"0.7 ns", "440 GB", "1", "4"}),
    "An index on disk": ("segments", set()),
    "Wide fingerprints": ("wide", set()),
    "The first 64 bits": ("first_lane wide", {"76 %", "95 %"}),
    "The nearest ten": ("top_k", set()),
    "Slice lists": ("issl", {"20 %"}),
}
UNITS = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1, "MB": 1e-6, "GB": 1e-9, "%": 100, "times": 1, "": 1}
_FIGURE = re.compile(r"(?<![\w.,^·-])(\d[\d,]*(?:\.\d+)?|\.\d+)(?: (ns|us|ms|s|MB|GB|%|times))?(?![\w^·.]|-\w)")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def flat(page: str) -> str:
    return " ".join(text_of(page).split())


def numbers(value: Any) -> Iterator[float]:
    """Yield the numbers of results."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from numbers(one)
    elif isinstance(value, int | float):
        yield float(value)


def figures(section: str) -> Iterator[tuple[str, str]]:
    """Yield the figures of the cells of tables but the first in a row, and those with a unit in sentences."""
    for line in re.sub(r"`[^`]*`|\]\([^)]*\)", "", section).splitlines():
        if line.startswith("|"):
            cells = line.strip("|").split("|")[1:]
            yield from ((found[1], found[2] or "") for cell in cells for found in _FIGURE.finditer(cell))
        elif not line.startswith("    "):
            yield from ((found[1], found[2]) for found in _FIGURE.finditer(line) if found[2])


def is_measured(shown: str, unit: str, measured: list[float]) -> bool:
    """Return True if a figure is a rounded result."""
    value, digits = float(shown.replace(",", "")), len(shown.partition(".")[2])
    factors = {UNITS[unit], *({1, 1e-3} if unit in ("MB", "GB") else ())}
    return any(abs(one * factor - value) <= 0.501 * 10**-digits for one in measured for factor in factors)


@pytest.mark.parametrize("title", SECTIONS)
def test_figures_of_searches_are_those_measured(title: str) -> None:
    page = text_of("docs/benchmarks/lookup.md")
    section = next(one for one in re.split(r"^##+ ", page, flags=re.MULTILINE) if one.startswith(title))
    parts, derived = SECTIONS[title]
    rows = [row for part in parts.split() for row in LOOKUP[part]]
    measured = list(numbers(rows))
    wrong = {
        f"{shown} {unit}".strip()
        for shown, unit in figures(re.sub(r"^.*\n\|---.*\n", "", section, flags=re.MULTILINE))
        if not is_measured(shown, unit, measured)
    }
    assert wrong - derived == set()


def test_figures_of_the_calibration_are_those_measured() -> None:
    page = flat("docs/benchmarks/calibration.md")
    curve = CALIBRATION["widths"]["64"]["false_positives"]
    bounds = curve["upper_bound_of_none"], curve["upper_bound_of_none_disjoint"]
    assert f"the {curve['pairs']:,} unrelated pairs" in page
    assert f"only the {curve['disjoint_pairs']} pairs that share no document" in page
    assert f"fewer than {1e5 * bounds[0]:.1f} in 100,000 pairs" in page
    assert f"fewer than {1e3 * bounds[1]:.0f} in 1,000" in page
    large = []
    for width, one in CALIBRATION["widths"].items():
        loose = get_schemes()[f"sd{width}"].loose
        assert not one["false_positives"]["within"][loose]
        found = one["recall"]["edit class"]["large"]
        large.append(found["within"][loose] / found["pairs"])
    said = "recall is {:.2f} with 64 bits, {:.2f} with 128, {:.2f} with 256 and {:.2f} with 512"
    assert said.format(*large) in page


def test_figures_of_rates_are_those_measured() -> None:
    page = flat("docs/benchmarks/calibration.md")
    lengths = RATES["lengths"]
    deep = [row["rates"][rule] for row in lengths.values() for rule in ("sd256 <= 20", "sd64 <= 3, sd256 <= 20")]
    spans = [rate["interval"][1] / rate["interval"][0] for rate in deep]
    assert f"span factors of {min(spans):.0f} to {round(max(spans), -4):,.0f}" in page
    wide = {length: row["rates"]["sd256 <= 20"]["rate"] for length, row in lengths.items()}
    assert f"{power(wide['100'])} at 100 tokens, {power(wide['200'])} at 200 and {power(wide['500'])} at 500" in page
    assert f"{round(wide['complete'] / wide['1000'], -1):.0f} times that of texts with 1,000 tokens" in page
    ratios = [row["rates"]["sd64 <= 3"] for row in lengths.values()]
    near = [one["one_collection"] / one["rate"] for one in ratios if one["one_collection"]]
    assert f"{min(near):.0f} to {round(max(near), -1):.0f} times as likely to be within 3 of 64 bits" in page
    by_language = {
        name: one["different"]
        for length in ("50", "200", "1000", "complete")
        for name, one in lengths[length]["languages"].items()
        if one["different"]
    }
    fifty = lengths["50"]["languages"]["hu"]["different"]
    times = fifty / lengths["50"]["rates"]["sd64 <= 3"]["rate"]
    least = min(one["different"] for one in lengths["50"]["languages"].values() if one["different"])
    assert least <= min(by_language.values())
    assert f"from {power(least)} (Tamil) to {power(fifty)} (Hungarian passages of 50 tokens, {times:.0f} times" in page
    expected, seen = (sum(one[key] for one in RATES["lines"].values()) for key in ("expected", "seen"))
    assert f"For the other half, it predicts {expected:.0f} near pairs, where we saw {seen:.0f}" in page
    of_50, of_500 = (RATES["lines"][length] for length in ("50", "500"))
    assert f"At 50 tokens, it predicts {of_50['expected']:.3g} pairs; we saw {of_50['seen']}." in page
    assert f"At 500 tokens, it predicts {of_500['expected']:.3g} pairs; we saw {of_500['seen']}." in page


def test_the_first_lane_finds_the_share_that_is_said() -> None:
    """Of all true pairs within 26 of 256 bits: the counts of the confirmed search, over those of the calibration."""
    wide = sum(one["within"][26] for one in CALIBRATION["widths"]["256"]["recall"]["group"].values())
    totals = [one for name, one in RATES["confirmed"].items() if name.startswith("all: ")]
    found = [100 * sum(one[f"sd64 <= {distance}, sd256 <= 26"] for one in totals) / wide for distance in (3, 6)]
    said = f"finds {found[0]:.0f} % of them within 3 bits, and {found[1]:.0f} % within 6 bits"
    assert said in flat("docs/benchmarks/lookup.md")


def test_figures_of_short_texts_are_those_measured() -> None:
    page = flat("docs/search.md")
    counts = {}
    for scheme in ("sd64", "sd256"):
        groups = [group for group in SUPPORT["groups"] if group["scheme"] == scheme]
        assert f"Among {sum(group['sentences'] for group in groups):,} sentences" in page
        rows = [row for group in groups for row in group["rows"]]
        short, rest = [
            [
                sum(row[key] for row in rows if (row["support_to"] <= 15) == is_short)
                for key in ("shared_under_half", "pairs")
            ]
            for is_short in (True, False)
        ]
        counts[scheme] = (rest[0], f"{short[0]:,}", f"{short[1]:,}")
    assert (counts["sd64"][0], counts["sd256"][0]) == (0, 1)
    assert "we found no false pair for `sd64`, and one for `sd256`" in page
    ((_, narrow, of_narrow), (_, wide, of_wide)) = counts.values()
    said = f"Otherwise, {narrow} of {of_narrow} near pairs were false for `sd64`, and {wide} of {of_wide} for `sd256`"
    assert said in page
    short_words = RATES["one_word"]["35"]["all"]["sd64"][0]["mean"]
    readme = flat("README.md")
    assert f"within 3 bits in only {100 * short_words:.0f} % of cases" in readme
    light, heavy = (100 * RATES["replaced"]["500"][part]["sd256"][26] for part in ("0.06", "0.2"))
    copies = f"{light:.0f} % of copies with 6 % of their words replaced, and {heavy:.0f} % of copies with 20 % replaced"
    assert f"finds {copies}" in readme


def test_figures_of_planted_rows_are_those_measured() -> None:
    page = flat("docs/benchmarks/deduplication.md")
    found = {}
    for least in (3, 5, 10, 15, 20):
        rows = [row for row in PLANTED["recall"] if row["words_from"] == least or row["words_from"] > least == 20]
        found[least] = sum(row["planted"] * row["found"] for row in rows) / sum(row["planted"] for row in rows)
    shown = {least: f"{100 * share:.0f} %" for least, share in found.items()}
    planted = sum(row["planted"] for row in PLANTED["recall"])
    assert f"Among {PLANTED['rows']:,} rows, we planted copies of {planted:,} sentences" in page
    assert "| Words | under 5 | 5 to 9 | 10 to 14 | 15 to 19 | 20 or more |" in page
    assert f"| copies found | {' | '.join(shown.values())} |" in page
    assert "A process with the rows in a list takes under 200 MB" in page
    assert 170 < PLANTED["peak_mb"] < 200


def test_figures_of_similarities_are_those_measured() -> None:
    page = text_of("docs/benchmarks/deduplication.md")
    halves = [{row["min_similarity"]: row for row in SIMILARITY[half]["by_min_similarity"]} for half in HALVES]
    shown = re.findall(r"^\| (\d+) % \|(.*) \|$", page, re.MULTILINE)
    assert len(shown) == 6
    for least, cells in shown:
        first, other = (half[int(least)] for half in halves)
        figures = [f"{100 * row['duplicates']:.1f} %" for row in (first, other)]
        figures += [f"{100 * row['recall']:.0f} %" for row in (first, other)]
        assert [cell.strip() for cell in cells.split("|")] == figures
    default = round(100 * Policy().min_similarity)
    assert min(half[default]["duplicates"] for half in halves) > 0.99
    small = [half[default]["of_small_templates"] for half in halves]
    assert f"at {default} %, {small[0]} and {small[1]} of {sum(SMALL_TEMPLATES)} such letters were left out" in page
    for name in ("docs/search.md", "docs/how-to/cluster-a-data-frame.md"):
        assert f"at least {default} % of the" in flat(name).replace("their", "the")
    assert 22_500 < min(SIMILARITY[half]["rows"] for half in HALVES) < 23_500


def test_figures_of_other_algorithms_are_those_measured() -> None:
    page = text_of("docs/compare.md")
    algorithms = json.loads((FOLDER / "others.json").read_bytes())["algorithms"]
    for row in algorithms:
        english, equal = row["english"], row["other_languages"]["equal"]
        found = {kind: f"{some / pairs:.2f}" for kind, (pairs, some) in english["found"].items()}
        revisions = " / ".join(found[kind] for kind in ("small", "medium", "large"))
        cells = f"{english['distance']} of {row['bits']} | {revisions} | {found['cross-media']}"
        assert f"| {row['algorithm']} | {equal} | {cells if english['distance'] >= 0 else 'none | |'} |" in page
    assert f"two of {algorithms[0]['english']['unrelated']:,} unrelated pairs" in page
    assert f"of {algorithms[0]['other_languages']['unrelated']:,} unrelated pairs" in page


def test_sizes_of_signatures_are_those_measured() -> None:
    rows = json.loads((FOLDER / "methods.json").read_bytes())["rows"]
    sizes = sorted({row["bytes"] for row in rows if "MinHash" in row["method"]})
    assert "32 bytes instead of {}".format(*sizes) in flat("docs/how-to/migrate.md")
    assert "a MinHash takes {} bytes".format(*sizes) in flat("docs/compare.md")


def test_what_is_said_of_other_hashes_is_what_was_measured() -> None:
    page, rows = flat("docs/compare.md"), json.loads((FOLDER / "compare.json").read_bytes())["rows"]
    found, total = {row["method"]: row["found"] for row in rows}, rows[0]["passages"]
    minhash, ours = (
        [one for name, one in found.items() if name.startswith(kind)] for kind in ("MinHash", "simhash-doc")
    )
    least, sd256 = min(one["30 %"] for one in minhash), found["simhash-doc sd256"]
    shares = (100 * least / total, 100 * sd256["30 %"] / total)  # rounded as in the table below
    assert "finds {:.0f} % of the passages; `sd256` finds {:.0f} %".format(*shares) in page
    assert all(one["half"] == total for one in minhash)
    iscc = found["ISCC text code, 256 bits"]["half"]
    assert f"found {iscc} of {total} passages that were cut in half; with `sd256`, {sd256['half']}" in page
    assert [found[name]["capitals"] for name in ("TLSH", "ssdeep")] == [0, 0]
    assert all(one["capitals"] == total for one in ours)
    policy = [row for row in json.loads((FOLDER / "methods.json").read_bytes())["rows"] if "find_dup" in row["method"]]
    assert {row["unrelated"] for row in policy} == {0}


def test_the_three_rates_of_one_thread_are_those_measured() -> None:
    (thread,) = [
        row["mb_per_second"]
        for row in BULK["processes"]
        if (row["engine"], row["processes"], row["input"]) == ("native", 1, "list")
    ]
    best = IMPLEMENTATIONS["english"]["Python, native"]["English"]["sd64"]
    said = f"Three runs gave {SLOWEST:.0f} MB/s (*sizes*), {thread:.0f} MB/s (*threads*) and {best:.0f} MB/s ("
    assert said in flat("docs/benchmarks/bulk.md")


def test_figures_of_many_documents_are_those_measured() -> None:
    page = flat("docs/many-documents.md")
    distinct = []
    for name in ("Python, numpy", "Python, native"):
        rate = IMPLEMENTATIONS["long"][name][str(1 << 24)]["sd64"]
        distinct.append(IMPLEMENTATIONS["english"][name]["English"]["sd64"] / rate)
    assert (
        "A document of 16 MiB with hardly any repeated bigram takes {:.0f} to {:.0f}".format(*sorted(distinct)) in page
    )
    worst = []
    for name in ("Python, numpy", "Python, native"):
        rates = [rate["sd64"] for rate in IMPLEMENTATIONS["worst"][name].values()]
        worst.append(IMPLEMENTATIONS["english"][name]["English"]["sd64"] / min(rates))
    assert "Some texts take {:.0f} to {:.0f} times".format(*sorted(worst)) in page
    (longest,) = BULK["memory"]
    assert (longest["bytes"] > 10**10, longest["processes"], longest["engine"]) == (True, 2, "native")
    assert 140 < longest["rss_peak_mb"] < 150
    assert "used less than 150 MB" in page


def test_the_costs_on_the_page_for_archives_are_those_that_were_measured() -> None:
    page, pages, size = text_of("docs/how-to/a-billion-pages.md"), 10**9, 10_000
    assert f"[{SLOWEST:.0f}](../benchmarks/bulk.md#sizes) in another `sd64` run" in page
    for language, part, most in (
        ("English", "english", f" to {pages * size / SLOWEST / 3.6e9:.0f}"),
        ("Japanese", "languages", ""),
    ):
        sd64, sd256 = (IMPLEMENTATIONS[part]["Python, native"][language][scheme] for scheme in ("sd64", "sd256"))
        hours = [f"{pages * size / rate / 3.6e9:.0f}" for rate in (sd64, sd256)]
        more = " or more" if most else ""
        assert f"| {hours[0]}{most} hours | {hours[1]} hours{more} | [{sd64:.0f} and {sd256:.0f} MB/s]" in page
    each, saved = VALIDATION["simhash_doc"]["median_ms"], json.loads((FOLDER / "archive.json").read_bytes())
    mean = 1000 * saved["cpu_seconds"] / saved["captures"]
    days = f"{pages * each / 86400e3:,.0f} to {pages * mean / 86400e3:,.0f}"
    assert f"Extraction takes {days} core days" in page
    assert f"| {days} days | the same | if each page takes {each:.0f} ms, the [median]" in page
    size_kb = 1000 * saved["megabytes"] / saved["captures"]
    assert f"or {mean:.0f} ms, the mean of [saved pages](../benchmarks/archive.json) of {size_kb:.0f} kB |" in page
    search = LOOKUP["disk"][-1]
    assert search["fingerprints"] == pages
    assert f"for comparisons, {search['processor_seconds']:.0f} s for other steps" in page
    assert f"(two cores: {search['seconds'] + 0.01:.0f} s)" in page  # half a second is rounded up


def test_the_figures_of_searches_at_a_billion_follow_from_the_code_and_from_what_was_measured() -> None:
    page = flat("docs/how-to/a-billion-pages.md")
    rows = np.random.default_rng(1).integers(2**64, size=(1000, 4), dtype=np.uint64)
    planned = plan_join(rows, Nearness(20, 3, 5), in_memory=False)
    assert planned.tables is not None
    join = SortedJoin(rows, planned.tables)
    for said, size in (
        ("are read {} times; with 4 GiB, {} times", rows[0].nbytes),
        ("{} or {}", join.bytes_per_value),
    ):
        reads = [len(join.blocking.groups) * -(-(10**9) * size // ((limit << 30) - OVERHEAD)) for limit in (32, 4)]
        assert said.format(*reads) in page
    shares = RATES["candidates"]
    met = {blocks: [shares[length][blocks] * 10**9 for length in ("50", "1000")] for blocks in ("5", "6")}
    seconds = [candidates * 10**6 * 0.7e-9 for candidates in (*met["5"], *met["6"])]
    assert "| {:.0f} to {:.0f} s | {:.0f} to {:.0f} s |".format(*seconds) in page
    assert " | ".join(f"{plan(10**9, blocks=blocks).bytes / 1e9:.0f} GB" for blocks in (5, 6)) in page
    near = [f"{len(shards_to_search(0, bits=bits, distance=3))} of {2**bits}" for bits in (4, 6, 8)]
    assert f"{near[0]} shards, {near[1]}, or {near[2]}" in page
    large = {row["task"]: row for row in reversed(LOOKUP["segments"]) if row["fingerprints"] == 10**8}
    queries = large["100,000 queries"]
    assert queries["segments"] == 3
    assert f"takes {1e6 * queries['one_query']:.0f} µs" in page
    assert f"the first 100,000 queries take {queries['first_seconds']:.0f} s" in page
    assert f"Adding 100,000 fingerprints then takes {large['add 100,000']['seconds']:.1f} s" in page
    assert round(large["merge into one segment"]["seconds"] / 60) == 3


def test_the_speeds_on_the_page_about_migration_are_those_that_were_measured() -> None:
    ratios = [
        IMPLEMENTATIONS[part]["Python, native"][language]["sd256"]
        / IMPLEMENTATIONS[part]["Python, numpy"][language]["sd256"]
        for part, language in (("english", "English"), ("languages", "Japanese"))
    ]
    assert [round(ratio) for ratio in sorted(ratios)] == [5, 7]
    assert "[five to seven times](" in flat("docs/how-to/migrate.md")


def test_figures_of_extraction_are_those_measured() -> None:
    page = text_of("docs/benchmarks/extraction.md")
    recall = EXTRACTION["recall"]["real"]
    for text, way in (("plain dump", "dumped"), ("text files of", "stored"), ("extracted from", "extracted")):
        assert re.search(rf"^\| {text}.* \| {recall[way]['loose']:.3f} \|$", page, re.MULTILINE)
    (both,) = [row for row in EXTRACTION["by_originals"] if row["originals"] == 2]
    said = f"extraction reaches a recall of {both['extracted']:.3f}, and plain dumps reach {both['dumped']:.3f}"
    assert said in flat("docs/benchmarks/extraction.md")
    by_rule = VALIDATION["simhash_doc, a rule in place of the classifier"]
    extractors = [found for name, found in VALIDATION.items() if name != "the complete page" and found != by_rule]
    names = {"lists": "listing", "all other types": "all", "documentation": "documentation", "news": "news"}
    names["news in five languages"] = "five languages"
    (table,) = re.findall(r"(?:^\| Pages .* F1.*\n)(?:^\|.*\n)+", page, re.MULTILINE)
    shown = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    kinds = {kind: names.get(kind, kind.removesuffix("s")) for kind, *_ in shown}
    assert len(kinds) == 11
    for kind, pages, *cells in shown:
        rows = [library[kinds[kind]] for library in extractors]
        assert int(pages) == rows[0]["pages"]
        assert cells == [f"{row[key]:.3f}" for key in ("f1", "loose") for row in rows]
    spreads = [max(extractors[0][kind][key] for kind in kinds.values()) for key in ("f1_spread", "loose_spread")]
    assert "our F1 varies by up to {:.3f}, and our share of near pages by up to {:.3f}".format(*spreads) in page
    ours, trafilatura, resiliparse = extractors
    for library, key in ((trafilatura, "precision"), (resiliparse, "recall"), (by_rule, "recall")):
        *first, last = (
            kind
            for kind, name in kinds.items()
            if kind != "all other types" and round(library[name][key], 3) > round(ours[name][key], 3)
        )
        assert f"has higher {key} on {', '.join(first)} and {last}." in " ".join(page.split())
    for library in (*extractors, by_rule):
        assert " | ".join(f"{library['segments'][key]:.3f}" for key in ("precision", "recall", "f1")) in page
    assert all(f" {library['median_ms']:.0f} ms" in page for library in extractors)
    said = " and ".join(
        f"{by_rule[kind]['f1']:.3f} on {name}" for kind, name in (("news", "news"), ("all", "all other types"))
    )
    assert f"Its F1 is {said}" in " ".join(page.split())


def test_unrelated_pairs_of_a_billion_texts_follow_from_the_rates() -> None:
    """The rates of long passages, the highest of four lengths, and of complete documents, as in the specification."""
    said = []
    for rule in ("sd64 <= 3", "sd64 <= 3, sd256 <= 20"):
        rates = {length: row["rates"][rule]["rate"] for length, row in RATES["lengths"].items()}
        said.append((max(rates[length] for length in ("200", "500", "1000", "2000")), rates["complete"]))
    narrow, confirmed = ([10**18 / 2 * rate for rate in pair] for pair in said)
    sizes = "{:.0f} to {:.0f} GB".format(*(16 * pairs / 1e9 for pairs in narrow))
    archives, lookup = (flat(f"docs/{page}.md") for page in ("how-to/a-billion-pages", "benchmarks/lookup"))
    assert f"| {sizes} | {64 * confirmed[0] / 1e9:.0f} to {64 * confirmed[1] / 1e9:.0f} GB, confirmed |" in archives
    pairs = f"{narrow[0] / 1e9:.0f} to {int(narrow[1] / 1e9)}·10⁹"
    assert f"{pairs} unrelated pairs" in lookup
    few = f"{confirmed[0] / 1e9:.1f} to {confirmed[1] / 1e9:.1f}·10⁹"
    assert f"| {pairs} | {few}, confirmed |" in archives


def test_figures_of_statements_in_sql_are_those_measured() -> None:
    page, measured = text_of("docs/how-to/search-in-sql.md"), json.loads((FOLDER / "sql.json").read_bytes())
    systems = [name for name in measured if name not in ("machine", "made_by")]
    assert systems
    for name in systems:
        assert sql_row(name, measured[name]) in page
    (skewed,) = {row["comparisons"] for name in systems for row in measured[name] if row.get("values") == "skewed"}
    assert f"{skewed / 1e6:.1f} million" in page


def sql_row(name: str, rows: list[dict[str, Any]]) -> str:
    """Return the row of a system in the table of the page: a scan and a search within 3 and 6 bits, and all pairs."""
    ms = {(row["task"], row["distance"]): f"{row['ms']:.1f} ms" for row in rows if "ms" in row}
    pairs = [f"{row['seconds']} s" for row in rows if "seconds" in row]
    keyed = name in ("PostgreSQL", "MariaDB")  # the others search by a scan
    searches = [ms["search", distance] if keyed else "none" for distance in (3, 6)]
    return " | ".join([f"| {name}", ms["scan", 3], *searches, *pairs]) + " |"


def test_candidates_of_real_texts_follow_from_the_rates() -> None:
    shares, uniform = RATES["candidates"], RATES["candidates"]["uniform"]
    lookup, search = (flat(f"docs/{page}.md") for page in ("benchmarks/lookup", "search"))
    for blocks in ("5", "6"):
        found = "{:,.0f} to {:,.0f}".format(*(shares[length][blocks] * 10**9 for length in ("50", "1000")))
        assert found in lookup
        assert f"{plan(10**9, blocks=int(blocks)).bytes / 1e9:.0f} GB" in lookup
    ratios = [round(shares[length]["5"] / uniform["5"], -2 if length == "1000" else 0) for length in ("50", "1000")]
    assert "{:.0f} to {:.0f} times".format(*ratios) in lookup
    bytes_at = [f"{plan(10**size, blocks=5).bytes / 10**size:.0f} at 10{'⁶⁷⁸⁹'[size - 6]}" for size in (6, 8, 9)]
    assert f"| 5 | {', '.join(bytes_at)} |" in search
    assert f"| 6 | {plan(10**9, blocks=6).bytes / 10**9:.0f} at 10⁹ |" in search
    assert f"| 4 | {plan(10**9, blocks=4).bytes / 10**9:.0f} |" in search


def test_candidates_in_lucene_follow_from_the_rates() -> None:
    """Of random bits by the sizes of the blocks that the class cuts, of real texts by the measured shares."""
    page, shares = flat("docs/how-to/use-in-a-pipeline.md"), RATES["candidates"]
    ends = [block * 256 // 21 for block in range(22)]
    random = sum(2.0 ** (begin - end) for begin, end in pairwise(ends))
    cells = [f"{float(f'{size * random:.2g}'):,.0f}" for size in (10**6, 10**7, 10**8)]
    assert f"not measured) | {' | '.join(cells)} |" in page
    for terms, blocks in (("four", "4"), ("20", "6")):
        met = [[size * shares[length][blocks] for length in ("50", "1000")] for size in (10**6, 10**7, 10**8)]
        cells = [" to ".join(f"{one:.1f}" if one < 10 else f"{one:,.0f}" for one in pair) for pair in met]
        assert f"{terms} terms, real texts | {' | '.join(cells)} |" in page


def test_the_request_to_solr_has_the_terms_of_its_text() -> None:
    page = flat("docs/how-to/use-in-a-pipeline.md")
    ((text, terms),) = re.findall(r'searches for "([^"]*?)":.*?f=simhash_block\}(\S+)\'', page)
    bits, ends = f"{fingerprint(text, 'sd256').value:0256b}", [block * 256 // 21 for block in range(22)]
    blocks = [f"{number}_{int(bits[begin:end], 2):x}" for number, (begin, end) in enumerate(pairwise(ends))]
    assert terms.split(",") == blocks


def test_the_times_by_slices_are_those_measured() -> None:
    page, measured = text_of("docs/store.md"), json.loads((FOLDER / "slices.json").read_bytes())
    for count, name in (("100000", "10⁵"), ("1000000", "10⁶")):
        for row in measured.get(count, ()):
            times = [f"{row[f'ms_within_{distance}']:.1f} ms" for distance in (17, 26)]
            assert f"| {row['slices']} | {name} | {row['bytes']:,} | {' | '.join(times)} |" in page
            for distance in (17, 26):
                rows = expected_candidates(int(count), 256, row["slices"], distance)
                assert row[f"candidates_within_{distance}"] == round(rows)


def test_the_hours_on_spark_follow_from_what_was_measured() -> None:
    found, page = json.loads((FOLDER / "spark.json").read_bytes()), flat("docs/spark.md")
    each, comparison = found["microseconds_per_fingerprint"], found["nanoseconds_per_comparison"]
    assert f"{each} µs of CPU for each `sd64` fingerprint with 5 blocks" in page
    assert f"{comparison:.1f} ns for each comparison" in page
    linear = 1e9 * each * 1e-6 / 3600
    assert f"| {linear:.1f} core hours | {2 * linear:.1f}, if twice" in page
    met = [1e9 * RATES["candidates"][length][blocks] for blocks in ("5", "6") for length in ("50", "1000")]
    hours = [1e9 * candidates / 2 * comparison * 1e-9 / 3600 for candidates in met]
    assert "| {:.0f} to {:.0f} | {:.0f} to {:.0f} |".format(*hours) in page


def test_the_pace_in_hosts_is_that_measured() -> None:
    page, measured = text_of("docs/benchmarks/hosts.md"), json.loads((FOLDER / "hosts.json").read_bytes())
    for row in measured["rows"]:
        kept = "" if row["kept"] is None else f"{row['kept']:,}"
        pace = float(f"{row['texts']:.2g}")
        assert f"| {row['host']} | {row['step']} | {pace:,.0f} | {kept} |" in page


def test_the_cost_of_annotating_an_index_is_that_measured() -> None:
    page, found = flat("docs/how-to/archives.md"), json.loads((FOLDER / "archive.json").read_bytes())
    assert f"{found['captures']:,} captures ({found['megabytes'] / 1000:.1f} GB of HTML)" in page
    assert f"[{found['cpu_seconds']} s of processor time]" in page
    assert f"{found['seconds']:,} s in total" in page
    days = found["cpu_seconds"] / found["captures"] * 10**8 / 86_400
    assert f"10⁸ captures take about {days:.0f} core days" in page
    assert f"The largest process used {found['peak_mb']} MB." in page


def test_the_programs_that_leave_out_rows_are_compared_as_measured() -> None:
    page, rows = text_of("docs/benchmarks/deduplication.md"), DEDUPLICATION["rows"]
    names = ["`find_duplicates`", "80 %, numbers ignored", "datasketch", "rensa"]
    for name, row in zip(names, rows, strict=True):
        errors = sum(row["errors"].values())
        taken = f"{row['cpu_seconds']:.0f} s | {row['peak_mb']:,} MB"
        assert f"| {name} | {taken} | {row['left_out']:,} | {errors:,} | {100 * row['recall']:.0f} % |" in page
    for edit in rows[0]["recall_by_edit"]:
        shares = [row["recall_by_edit"][edit] for row in rows]
        line = "".join(f" {100 * one:.0f} % |" for one in shares)
        assert f"| {edit} |{line}\n" in page or min(shares) == 1 or f"| {edit} |" not in page
    all_found = ("passage, same", "tweet, same", "passage, capitals", "passage, two parts swapped")
    assert {row["recall_by_edit"][edit] for row in rows for edit in all_found} == {1.0}
    assert f"a table of {DEDUPLICATION['total']:,} rows" in page
    assert set(rows[0]["errors"]) == {"letter"}
    assert f"With the defaults, all {rows[0]['errors']['letter']} errors are form letters" in page
    for row in DEDUPLICATION["growth"]:
        figures = f"{row['rows']:,} | {row['microseconds_of_a_row']} µs | {row['peak_mb']:,} MB | {row['kept']:,}"
        assert f"| {row['kind']} | {figures} |" in page


def test_the_guide_to_tables_has_the_figures_that_decide() -> None:
    guide = flat("docs/how-to/cluster-a-data-frame.md")
    for row in DEDUPLICATION["rows"][:2]:
        left_out, errors = f"{row['left_out']:,}", f"{sum(row['errors'].values()):,}"
        assert f"| {left_out} | {errors} | {100 * row['recall']:.0f} % |" in guide
    default, _, _, rensa = DEDUPLICATION["rows"]
    million = [row["microseconds_of_a_row"] for row in DEDUPLICATION["growth"] if row["rows"] == 10**6]
    assert f"MinHash, which finds {100 * rensa['recall']:.0f} % of the edits" in guide
    assert f"take {default['cpu_seconds']:.0f} s, and a million rows {min(million)} to {max(million)} s" in guide
    assert f"Rows left out of {DEDUPLICATION['total']:,}" in guide


def test_what_programs_leave_out_is_as_measured() -> None:
    page, found = text_of("docs/what-is-left-out.md"), json.loads((FOLDER / "left-out.json").read_bytes())
    shown = {line.split("|")[1].split(",")[0].strip(): line for line in page.splitlines() if line.startswith("| ")}
    for row in found["collections"]:
        (line,) = (line for name, line in shown.items() if name.startswith(row["collection"]))
        cells = [f"{one['left_out']:,}, {one['wrong']:,} wrong" for one in row["programs"].values()]
        assert line.endswith(f"| {row['texts']:,} | {' | '.join(cells)} |")
        assert not row.get("planted") or f", {row['planted']} " in line
    for row in found["pairs"]:
        assert re.search(rf"^\| .* \| {row['pairs']} \| {100 * row['share']:.0f} % \|$", page, re.MULTILINE)


def test_the_rule_on_the_page_is_the_policy() -> None:
    page, policy = text_of("docs/what-is-left-out.md"), Policy()
    for said in (
        f"within {policy.bits} of 256 bits",
        f"at least {100 * policy.min_similarity:.0f} % of the words",
        f"if there are at most {ORDERED}, also in the same order",
        f"more than {ORDERED} numbers",
    ):
        assert said in page


def spark_run(policy: str, rows: int) -> dict[str, Any]:
    (run,) = (row for row in SPARK_TEXTS["runs"] if (row["policy"], row["rows"]) == (policy, rows))
    return dict(run)


def errors(run: dict[str, Any]) -> int:
    return int(sum(run["errors"].values()))


def test_the_table_of_spark_is_as_measured() -> None:
    page = text_of("docs/benchmarks/deduplication.md")
    now = [spark_run("defaults", 10**5), spark_run("defaults", 10**6), spark_run("training text", 10**6)]
    former = spark_run("a former rule", 10**7)  # what it left out is not shown
    runs = [*now, former]
    for what, figures in {
        "processor time, Java and Python": [f"{row['cpu_seconds']:,.0f} s" for row in runs],
        "memory, largest sum of all processes": [f"{row['peak_mb'] / 1000:.1f} GB" for row in runs],
        "shuffled for the search": [f"{row['shuffle_bytes'] / 1e6:,.0f} MB" for row in runs],
        "output": [f"{row['output_mb']} MB" for row in runs],
        "rows left out": [*(f"{row['left_out']:,}" for row in now), "–"],
        "errors among them": [*(f"{sum(row['errors'].values()):,}" for row in now), "–"],
        "edits found": [*(f"{100 * row['recall']:.0f} %" for row in now), "–"],
    }.items():
        assert f"| {what} | {' | '.join(figures)} |" in page
    compared = now[1], DEDUPLICATION["rows"][0], DEDUPLICATION["rows"][3]
    edits = re.findall(r"^\| ((?:passage|tweet), [^|]+) \|", page.partition("## Spark")[2], re.MULTILINE)
    assert len(edits) == 5
    for edit in edits:
        shares = (100 * one["recall_by_edit"][edit] for one in compared)
        assert f"| {edit} | {' | '.join(f'{share:.0f} %' for share in shares)} |" in page
    assert f"{now[1]['tables']} for a million, {former['tables']} for ten million" in " ".join(page.split())


def test_a_table_of_fifty_million_rows_is_extrapolated_from_what_was_measured() -> None:
    page, row = flat("docs/how-to/50-million-rows.md"), spark_run("a former rule", 10**7)
    million, training, rensa = spark_run("defaults", 10**6), spark_run("training text", 10**6), DEDUPLICATION["rows"][3]
    times = 50_000_000 / row["rows"]
    hours = row["cpu_seconds"] * times / 3600
    more = 50_000_000 / DEDUPLICATION["total"]
    found = million, training, rensa
    assert set(million["errors"]) == {"letter"}
    wrong = [100 * errors(one) / one["left_out"] for one in found]
    recalls = " | ".join(f"{100 * one['recall']:.0f} %" for one in found)
    for figure in (
        f"| edits found | {recalls} |",
        f"| left out wrongly, of the rows left out | {wrong[0]:.1f} % | {wrong[1]:.0f} % | {wrong[2]:.0f} % |",
        f"| processor time | {hours:.0f} to {hours * times:.0f} core hours, plus [reserve](#4-plan-the-cluster) |",
        f"| {training['cpu_seconds'] / million['cpu_seconds']:.1f} times as long |",
        f"| {more * rensa['cpu_seconds'] / 3600:.1f} core hours |",
        f"| {row['peak_mb'] / 1000:.1f} GB measured with 10 million rows; the rest is on disk |",
        f"| {more * rensa['peak_mb'] / 1000:.0f} GB |",
        f"| {hours:.0f} core hours | if the time grows with the rows |",
        f"| {hours * times:.0f} core hours | if it grows with their square |",
        f"| {row['shuffle_bytes'] * times / 1e9:.0f} GB of shuffled fingerprints | {row['tables']} tables with 32",
        f"| {row['output_mb'] * times / 1000:.0f} GB of output | {row['output_mb'] * 1e6 / row['rows']:.0f} bytes",
        f"{errors(spark_run('defaults', 10**5))} among 100,000 rows, {errors(million)} among a million",
        f"[{100 * million['recall_by_edit']['passage, 5 % replaced']:.0f} % of the passages]",
    ):
        assert figure in page


def test_the_page_of_100_million_fingerprints_has_the_sizes_that_plan_calculates() -> None:
    page = text_of("docs/how-to/100-million-fingerprints.md").partition("## An index for repeated queries")[2]
    cells = re.findall(r"([\d.]+) GB, ([\d,]+)(?= \|)", page)
    choices = [(10**power, *choice) for power in (6, 7, 8, 9) for choice in ((3, 5), (3, 6), (6, 8), (6, 9))]
    assert len(cells) == len(choices)
    for (size, candidates), (n, distance, blocks) in zip(cells, choices, strict=True):
        planned = plan(n, distance=distance, blocks=blocks)
        assert float(size) == pytest.approx(planned.bytes / 1e9, rel=0.05)
        assert float(candidates.replace(",", "")) == pytest.approx(planned.candidates, rel=0.06)


def test_the_page_of_100_million_fingerprints_has_the_measured_times() -> None:
    page = text_of("docs/how-to/100-million-fingerprints.md").partition("## All pairs once")[2]
    rows = [line.split("|")[2:5] for line in page.splitlines() if line.startswith("| 10")][:4]
    shown = [float(cell.removesuffix(" s ")) for row in rows for cell in row if "*" not in cell]
    at_3, at_6 = ([row["processor_seconds"] for row in LOOKUP["growth"] if row["distance"] == near] for near in (3, 6))
    on_disk = {row["fingerprints"]: row["processor_seconds"] for row in reversed(LOOKUP["disk"])}
    wide = [
        row["processor_seconds"]
        for row in LOOKUP["wide"]
        if "uniform" in row["task"] and row["distance"] == 26 and row["fingerprints"] >= 10**6
    ]
    measured = [at_3[0], at_6[0], wide[0], at_3[1], at_6[1], wide[1], on_disk[10**8], on_disk[10**9]]
    assert shown == pytest.approx(measured, rel=0.05)
