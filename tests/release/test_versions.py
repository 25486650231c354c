"""The version of the specification is the same wherever it is written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from simhash_doc import SPEC_VERSION

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["simhash-doc.md", "appendices.md", "search.md"])
def test_documents(name: str) -> None:
    text = (ROOT / "spec" / name).read_text(encoding="utf-8")
    assert re.findall(r"^Version (\S+)", text, re.MULTILINE) == [SPEC_VERSION]
    changes = (ROOT / "spec/CHANGES.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+),", changes, re.MULTILINE)[0] == SPEC_VERSION


def test_vectors() -> None:
    for path in (ROOT / "conformance/vectors").glob("cases-*.json"):
        with path.open(encoding="utf-8") as file:
            assert f'"suite": "{SPEC_VERSION}"' in file.read(1000), path.name


def test_schemas_have_the_address_at_which_the_site_of_this_version_has_them() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    owner, name = re.findall(r"^repository-code: https://github.com/(.+)/(.+)$", citation, re.MULTILINE)[0]
    for folder in ("conformance/schemas", "spec/schemas"):
        for path in (ROOT / folder).iterdir():
            schema = json.loads(path.read_text(encoding="utf-8"))
            assert schema["$id"] == f"https://{owner}.github.io/{name}/{SPEC_VERSION}/{folder}/{path.name}"


def test_citation_and_deposit() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert deposit["version"] == SPEC_VERSION
    for member, value in {
        "version": SPEC_VERSION,
        "date-released": f'"{deposit["publication_date"]}"',
        "title": f'"{deposit["title"]}"',
    }.items():
        assert f"\n{member}: {value}\n" in citation
    for keyword in deposit["keywords"]:
        assert f"\n  - {keyword}\n" in citation
