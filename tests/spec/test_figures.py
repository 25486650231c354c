"""The figures of the specification are those of the measurements in `docs/benchmarks/`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from simhash_doc.thresholds import threshold_for

ROOT = Path(__file__).parents[2]
SEARCH = (ROOT / "spec/search.md").read_text(encoding="utf-8")
RATES: dict[str, Any] = json.loads((ROOT / "docs/benchmarks/rates.json").read_bytes())
SIZES = (10**5, 10**6, 10**7, 10**8, 10**9, 10**10)
LENGTHS = ("50", "200", "1000")


def rows(head: str) -> list[list[str]]:
    """Return the cells of the table that begins with this head."""
    lines = SEARCH[SEARCH.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("row", rows("| Within | n = 10^5"), ids=lambda row: row[0])
def test_expected_hits_are_the_measured_rates(row: list[str]) -> None:
    """Published with two digits."""
    name = re.sub(r"`(sd\d+)` (\d+)", r"\1 <= \2", row[0]).replace(", then ", ", ")
    for size, cell in zip(SIZES, row[1:], strict=True):
        for length, figure in zip(LENGTHS, cell.split(" / "), strict=True):
            expected = size * RATES["lengths"][length]["rates"][name]["rate"]
            if figure.startswith("<"):
                assert expected < float(figure[1:])
            else:
                assert float(figure.replace(",", "")) == pytest.approx(expected, rel=0.06)


def test_recommended_distances_are_those_of_the_package() -> None:
    classes = [(50, 75, 99), (100, 150, 199), (200, 400, 1000, 2000)]
    for size, row in zip(SIZES, rows("| Documents | 50 to 99 tokens")[:3], strict=False):
        for lengths, cell in zip(classes, row[1:], strict=True):
            distances = [threshold_for("sd256", tokens=length, collection=size) for length in lengths]
            assert re.findall(r"within (\d+)", cell) == [str(min(found or 0 for found in distances))]


def test_recall_of_one_replaced_word() -> None:
    short, long = (RATES["one_word"][length]["all"] for length in ("35", "100"))
    (said,) = re.findall(r"in (\d+) % of cases, and `sd256` within 26 in (\d+) %; in\s.*`sd64` in (\d+) %", SEARCH)
    measured = [short["sd64"][0]["mean"], short["sd256"][0]["mean"], long["sd64"][0]["mean"]]
    assert [int(figure) for figure in said] == [pytest.approx(100 * figure, abs=0.6) for figure in measured]


def test_near_pairs_of_unrelated_passages() -> None:
    """Of the lengths 200, 500 and 1,000, in eight lanes each."""
    pattern = r"among (\d+) million pairs .*? none was within 3 bits, and (\d+) of these (\d+) million"
    (said,) = re.findall(pattern, SEARCH, re.DOTALL)
    lengths = [RATES["lengths"][length] for length in ("200", "500", "1000")]
    pairs = sum(group["different"]["pairs"] for found in lengths for group in found["groups"].values())
    seen = [sum(found["rates"][f"sd64 <= {distance}"]["seen"] for found in lengths) for distance in (3, 6)]
    assert [int(figure) for figure in said] == [round(pairs / 10**6), seen[1], round(8 * pairs / 10**6)]
    assert seen[0] == 0


def test_scans_are_found_as_measured() -> None:
    rationale = (ROOT / "spec/rationale.md").read_text(encoding="utf-8")
    table = rationale[rationale.index("| Distance at most | Recall |") :].split("\n\n")[0].splitlines()[2:]
    for line in table:
        distance, *recall, unrelated = (cell.strip() for cell in line.strip("|").split("|"))
        key = re.sub(r"`(sd\d+)` (\d+)", r"\1 <= \2", distance)
        scans = [RATES["scans"][kind] for kind in ("all", "at most .05", ".05 to .10", ".10 to .20")]
        assert [float(figure) for figure in recall] == [round(row[key] / row["pairs"], 2) for row in scans]
        assert int(unrelated) == RATES["scans"]["unrelated"][key]
