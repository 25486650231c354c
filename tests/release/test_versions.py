"""The version of the specification is the same wherever it is written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from simhash_doc import SPEC_VERSION

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["simhash-doc.md", "index.md", "extraction.md", "provenance.md"])
def test_documents(name: str) -> None:
    text = (ROOT / "spec" / name).read_text(encoding="utf-8")
    assert re.findall(r"^Version (\S+)", text, re.MULTILINE) == [SPEC_VERSION]


def test_vectors() -> None:
    suites = {json.loads(path.read_text())["suite"] for path in (ROOT / "conformance/vectors").glob("cases-*.json")}
    assert suites == {SPEC_VERSION}


def test_citation() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (\S+)", citation, re.MULTILINE) == [SPEC_VERSION]
    assert json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))["version"] == SPEC_VERSION
