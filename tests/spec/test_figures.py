"""The figures of the specification are those of the measurements in `docs/benchmarks/`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.tables import share
from simhash_doc.lookup.planning.index import plan
from simhash_doc.thresholds import largest_distance

ROOT = Path(__file__).parents[2]
SEARCH = (ROOT / "spec/search.md").read_text(encoding="utf-8")
RATIONALE = (ROOT / "spec/rationale.md").read_text(encoding="utf-8")
VALIDATION: dict[str, Any] = json.loads((ROOT / "docs/benchmarks/extraction-validation.json").read_bytes())
RATES: dict[str, Any] = json.loads((ROOT / "docs/benchmarks/rates.json").read_bytes())
CALIBRATION: dict[str, Any] = json.loads((ROOT / "docs/benchmarks/calibration.json").read_bytes())
# The measured lengths that the columns of the table of hits span.
COLUMNS = (("25", "50"), ("50", "100", "200"), ("200", "500", "1000", "2000"), ("complete",))
RECOMMENDED = "| Documents | 25 to 50 tokens"


def rows(head: str) -> list[list[str]]:
    """Return the cells of the table that begins with this head."""
    lines = SEARCH[SEARCH.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def rule(text: str) -> str:
    """Return the name that the measurements have for a rule such as "`sd64` 3 and `sd256` 20"."""
    return re.sub(r"`(sd\d+)` (\d+)", r"\1 <= \2", text).replace(" and ", ", ")


def rate_of(name: str, column: int) -> dict[str, Any]:
    """Return the highest rate of the lengths of a column of the table of hits."""
    rates = [RATES["lengths"][length]["rates"][name] for length in COLUMNS[column]]
    return max(rates, key=lambda rate: rate["rate"])


@pytest.mark.parametrize("row", rows("| Within | 25 to 50 tokens"), ids=lambda row: row[0])
def test_expected_hits_are_the_measured_rates(row: list[str]) -> None:
    """Published with two digits."""
    for column, cell in enumerate(row[1:]):
        rate = rate_of(rule(row[0]), column)
        shown = [float(figure) for figure in re.findall(r"[.\d]+", cell)]
        assert shown == pytest.approx([10**6 * figure for figure in (rate["rate"], *rate["interval"])], rel=0.06)


def test_recommended_distances_are_those_of_the_package() -> None:
    classes = [(25, 49, 50), (51, 75, 100, 150, 199), (200, 400, 1000, 2000)]
    for size, row in zip((10**5, 10**6, 10**7), rows(RECOMMENDED)[:3], strict=True):
        for lengths, cell in zip(classes, row[1:4], strict=True):
            distances = [largest_distance("sd256", tokens=length, collection=size) for length in lengths]
            assert re.findall(r"within (\d+)", cell) == [str(min(found or 0 for found in distances))]


def test_recall_of_the_recommended_searches() -> None:
    """Of the distances for longer texts; of the last row, of pairs that both fingerprints find."""
    recall = CALIBRATION["widths"]["256"]["recall"]
    kinds = [recall["edit class"][name] for name in ("small", "medium", "large")] + [recall["group"]["cross-media"]]
    confirmed = [RATES["confirmed"][name] for name in ("small", "medium", "large", "all: cross-media")]
    for row in rows(RECOMMENDED):
        distance = re.match(r"within (\d+)", row[3])
        found = [one["within"][int(distance[1])] / one["pairs"] for one in kinds] if distance else []
        found = found or [one["sd64 <= 3, sd256 <= 20"] / one["pairs"] for one in confirmed]
        assert [float(figure) for figure in row[4].split(" / ")] == pytest.approx(found, abs=0.0051)


def test_recall_by_length_of_the_recommended_searches() -> None:
    """After 2, 6 and 20 % of the words were replaced, of texts in the middle of the range of a column."""
    for row in rows(RECOMMENDED):
        for length, cell in zip(("35", "100", "500"), row[1:4], strict=True):
            rule, _, shown = cell.partition(": ")
            distance = re.match(r"(?:`sd256` )?within (\d+)$", rule)
            measured = [
                found["sd256"][int(distance[1])] if distance else found["sd64 confirmed 20"][3]
                for found in map(RATES["replaced"][length].get, ("0.02", "0.06", "0.2"))
            ]
            assert [float(figure) for figure in shown.split(" / ")] == pytest.approx(measured, abs=0.0051)


def test_limits_of_the_recommendation() -> None:
    (said,) = re.findall(r"`sd256` within (\d+) finds (0\.\d+) of medium", SEARCH)
    medium = CALIBRATION["widths"]["256"]["recall"]["edit class"]["medium"]
    distance = largest_distance("sd256", tokens=500, collection=10**8)
    assert [float(figure) for figure in said] == [
        distance,
        pytest.approx(medium["within"][10] / medium["pairs"], abs=0.01),
    ]
    limits = [10**size * rate_of(f"sd256 <= {bits}", 3)["rate"] for size, bits in ((5, 36), (6, 26), (7, 20))]
    said = re.findall(r"(0\.\d+) at 10\^[567] \(within", " ".join(SEARCH.split()))
    assert [float(figure) for figure in said] == pytest.approx(limits, rel=0.01)
    (said,) = re.findall(r"predict (0\.\d) unrelated hits, and complete documents (\d)\.", " ".join(SEARCH.split()))
    hits = [10**9 * rate_of("sd64 <= 3, sd256 <= 20", column)["rate"] for column in (2, 3)]
    assert [float(figure) for figure in said] == pytest.approx(hits, rel=0.07)
    (said,) = re.findall(r"starts at about (\d)·10\^7 documents for .*? at (\d)·10\^8", " ".join(SEARCH.split()))
    highest = [max(rate_of(name, at)["rate"] for at in range(4)) for name in ("sd64 <= 3", "sd64 <= 3, sd256 <= 20")]
    assert [float(figure) for figure in said] == [
        round(1 / rate / size) for rate, size in zip(highest, (10**7, 10**8), strict=True)
    ]


@pytest.mark.parametrize("row", rows("| m | Tables | p |"), ids=lambda row: row[0])
def test_candidates_are_those_measured(row: list[str]) -> None:
    shares = [10**6 * RATES["candidates"][length][row[0]] for length in ("50", "1000", "uniform")]
    shown = [float(figure.replace(",", "")) for figure in re.findall(r"[.,\d]+", row[3] + " " + row[4])]
    assert shown == pytest.approx(shares, rel=0.03)


def test_recall_of_one_replaced_word() -> None:
    short, long = (RATES["one_word"][length]["all"] for length in ("35", "100"))
    shares = (
        r"within 3 bits in {} of texts of 35 words, and in {} of texts of 100 words. `sd256` stays within 26 bits in {}"
    )
    (said,) = re.findall(shares.format(*[r"(\d+) %"] * 3), " ".join(SEARCH.split()))
    measured = [short["sd64"][0]["mean"], long["sd64"][0]["mean"], short["sd256"][0]["mean"]]
    assert [int(figure) for figure in said] == [pytest.approx(100 * figure, abs=0.6) for figure in measured]


def test_near_pairs_of_unrelated_passages() -> None:
    """Of the lengths 200, 500 and 1,000, in eight lanes each."""
    pattern = (
        r"compared (\d+) million pairs .*? these (\d+) million comparisons, none was within 3 bits, and (\d+) were"
    )
    (said,) = re.findall(pattern, " ".join(SEARCH.split()))
    lengths = [RATES["lengths"][length] for length in ("200", "500", "1000")]
    pairs = sum(group["different"]["pairs"] for found in lengths for group in found["groups"].values())
    seen = [sum(found["rates"][f"sd64 <= {distance}"]["seen"] for found in lengths) for distance in (3, 6)]
    assert [int(figure) for figure in said] == [round(pairs / 10**6), round(8 * pairs / 10**6), seen[1]]
    assert seen[0] == 0


def table_of(head: str) -> list[list[str]]:
    lines = RATIONALE[RATIONALE.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_confirmed_pairs_are_those_that_were_counted() -> None:
    text = " ".join(RATIONALE.split())
    (said,) = re.findall(r"finds (\d+) true pairs \(revisions[^;]*; (\d+) of them are also within 20 bits", text)
    both = [RATES["confirmed"][kind] for kind in ("all: revision", "all: cross-media")]
    assert [int(figure) for figure in said] == [
        sum(one[rule] for one in both) for rule in ("sd64 <= 3", "sd64 <= 3, sd256 <= 20")
    ]


def test_passages_of_one_source_are_near_more_often() -> None:
    ((least, most),) = re.findall(
        r"(\d+) to (\d+) times as likely to be within 3 bits as passages", " ".join(RATIONALE.split())
    )
    rates = [found["rates"]["sd64 <= 3"] for found in RATES["lengths"].values()]
    ratios = [rate["one_collection"] / rate["rate"] for rate in rates if rate.get("one_collection")]
    assert (round(min(ratios)), round(max(ratios), -1)) == (int(least), int(most))


def test_distances_without_an_unrelated_pair() -> None:
    text = " ".join(RATIONALE.split())
    pattern = (
        r"the ([\d,]+) unrelated pairs are (\d+) bits for `sd64`, (\d+) for `sd128`, (\d+) for `sd256` and (\d+) for"
    )
    ((pairs, *said),) = re.findall(pattern, text)
    curves = [one["false_positives"] for one in CALIBRATION["widths"].values()]
    assert int(pairs.replace(",", "")) == curves[0]["pairs"]
    assert [int(distance) for distance in said] == [curve["largest_unseen"] for curve in curves]


def test_labelled_pages_are_as_near_as_measured() -> None:
    text = " ".join(RATIONALE.split())
    share = r"(0\.\d+)"
    within = f"in {share} of cases and within 6 in {share}"
    pattern = rf"texts of (\d+) web pages .*? complete page is within 3 bits {within}\. .*? are {share} and {share}"
    ((pages, *said),) = re.findall(pattern, text)
    found = {name: figures["all"] for name, figures in VALIDATION.items()}
    measured = [found[name][at] for name in ("the complete page", "simhash_doc") for at in ("close", "loose")]
    assert int(pages) == found["simhash_doc"]["pages"]
    assert [float(figure) for figure in said] == [round(share, 2) for share in measured]


def test_the_page_of_the_calibration_says_what_was_measured() -> None:
    page = " ".join((ROOT / "docs/benchmarks/calibration.md").read_text(encoding="utf-8").split())
    corpus = CALIBRATION["corpus"]
    assert f"{corpus['documents']:,} documents in {corpus['languages']} languages from {corpus['sources']} open" in page
    pairs = max(
        sum(group[kind]["pairs"] for group in found["groups"].values() for kind in ("different", "same"))
        for found in RATES["lengths"].values()
    )
    assert f"compares up to {pairs / 1e6:.0f} million pairs of passages of each length" in page


def test_a_larger_radius_costs_what_is_said() -> None:
    near, far = (plan(10**8, distance=distance) for distance in (3, 4))
    assert 3.5 < far.bytes / near.bytes < 4, "nearly four times the memory"
    assert 2 < far.candidates / near.candidates < 3, "more than twice as many comparisons"
    groups = [CALIBRATION["widths"]["64"]["recall"]["group"][kind] for kind in ("cross-media", "revision")]
    more = [(one["within"][4] - one["within"][3]) / one["pairs"] for one in groups]
    assert "recall is {:.2f} to {:.2f} higher".format(*more) in " ".join(RATIONALE.split())


def test_other_caps_find_what_is_said() -> None:
    """Each at the largest distance with at most two false positives."""
    said = []
    for name in ("once", "at most 8"):
        row = CALIBRATION["caps"][name]
        distance = sum(count <= 2 for count in row["false_positives"]["within"]) - 1
        kinds = [row["recall"][kind] for kind in ("medium", "cross-media")]
        shares = [share(kind["within"][distance] / kind["pairs"]) for kind in kinds]
        said.append((distance, *shares))
    (once, medium, formats), (eight, *rest) = said
    assert (
        f"A cap of 1 allows {once} bits; recall is {medium} for medium revisions and {formats} for cross-media pairs. "
        f"A cap of 8 allows {eight} bits; recall is {rest[0]} for medium revisions and {rest[1]} for cross-media pairs."
        in " ".join(RATIONALE.split())
    )


def test_scans_are_found_as_measured() -> None:
    for distance, *recall, unrelated in table_of("| Distance at most | Recall, all |"):
        key = re.sub(r"`(sd\d+)` (\d+)", r"\1 <= \2", distance)
        scans = [RATES["scans"][kind] for kind in ("all", "at most 0.05", "0.05 to 0.10", "0.10 to 0.20")]
        assert [float(figure) for figure in recall] == [round(row[key] / row["pairs"], 2) for row in scans]
        assert int(unrelated) == RATES["scans"]["unrelated"][key]


def test_languages_with_more_hits_are_those_measured() -> None:
    """Of `sd64` within 3: those above the intervals of all columns that span their length, with their highest rate."""
    lines = SEARCH[SEARCH.index("| Language | Hungarian") :].split("\n\n")[0].splitlines()
    columns = zip(*([cell.strip() for cell in line.split("|")[2:-1]] for line in lines), strict=True)
    names = {"Hungarian": "hu", "Thai": "th", "Vietnamese": "vi", "Hindi": "hi", "French": "fr", "Spanish": "es"}
    shown = {names[name]: (float(rate), length.replace(",", "").split()[0]) for name, _, length, rate in columns}
    above: dict[str, tuple[float, str]] = {}
    for length in ("50", "200", "1000", "complete"):
        ends = [rate_of("sd64 <= 3", at)["interval"][1] for at, lengths in enumerate(COLUMNS) if length in lengths]
        for name, found in RATES["lengths"][length]["languages"].items():
            if found["different"] and found["different"] > max(ends):
                above[name] = max(above.get(name, (0.0, "")), (10**6 * found["different"], length))
    assert {name: (float(f"{rate:.2g}"), length) for name, (rate, length) in above.items()} == shown


def test_recall_by_language_is_that_measured() -> None:
    text = " ".join(SEARCH.split())
    replaced = {name: row["sd64"][0] / row["trials"] for name, row in RATES["one_word"]["100"].items() if name != "all"}
    least, most = (choose(replaced, key=lambda name: replaced[name]) for choose in (min, max))
    assert (least, most) == ("te", "hi")
    said = (
        f"In {len(replaced)} languages with spaces, after one replaced word in 100, the share of texts that stay within"
    )
    assert f"{said} 3 bits is {replaced[least]:.2f} (Telugu) to {replaced[most]:.2f} (Hindi)." in text
    for name, language in (("ja", "Japanese"), ("zh", "Chinese"), ("th", "Thai")):
        found = CALIBRATION["scripts"]["cuts"][name]
        shares = [f"{found['version 1']['within'][distance] / found['pairs']:.2f}" for distance in (3, 6)]
        assert f"{' / '.join(shares)} in {language}" in text
