"""What a standards body reads first, and what works before the repository is public."""

from __future__ import annotations

import json
import re
from pathlib import Path

from simhash_doc import Fingerprint
from simhash_doc.provenance import ProvenanceCheck

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/adopt.md").read_text(encoding="utf-8")


def test_the_figures_beside_iscc_are_those_of_the_comparison() -> None:
    rows = json.loads((ROOT / "docs/benchmarks/compare.json").read_bytes())["rows"]
    both = [row for name in ("ISCC text code, 256 bits", "simhash-doc sd256") for row in rows if row["method"] == name]
    shown = {name: cells for name, *cells in re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)}
    for label, edit in {"20 % of their words were replaced": "20 %", "they were cut in half": "half"}.items():
        expected = [f"{row['found'][edit]} of {row['passages']}" for row in both]
        assert shown[f"Passages found after {label}"] == expected
    assert shown["Distance for these searches"] == [f"{row['limit']} bits" for row in both]
    assert shown["Throughput, one core"] == [f"{row['mb_per_second']:.0f} MB/s" for row in both]


def test_the_version_of_iscc_is_the_one_that_was_measured() -> None:
    versions = json.loads((ROOT / "docs/benchmarks/compare.json").read_bytes())["versions"]
    compare = (ROOT / "docs/compare.md").read_text(encoding="utf-8")
    assert f"iscc-lib {versions['iscc-lib']} computed the ISCC codes." in compare


def test_the_record_is_valid() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    record = json.loads(block)
    fingerprint = Fingerprint.parse(record["fingerprint"])
    assert ProvenanceCheck().parse(record["provenance"], fingerprint.scheme.id, canonical=fingerprint.canonical)
