"""Pages that quote values: their examples are executed, their fingerprints and JSON are valid."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.requirements import traceability

ROOT = Path(__file__).parents[2]
PAGES = ["docs/why-your-simhash-differs.md"]
_BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_examples_hold(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # examples read files of the repository
    text = (ROOT / page).read_text(encoding="utf-8")
    names: dict[str, object] = {}
    examples = 0
    for number, block in enumerate(_BLOCK.findall(text), start=1):
        test = doctest.DocTestParser().get_doctest(block, names, f"{page}, block {number}", page, 0)
        examples += len(test.examples)
        report: list[str] = []
        result = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(
            test, out=report.append, clear_globs=False
        )
        names = test.globs
        assert not result.failed, "".join(report)
    assert examples


def test_every_block_of_python_is_executed() -> None:
    for page in PAGES:
        assert "```python" not in (ROOT / page).read_text(encoding="utf-8")


def test_bugs_found_name_mutants_and_requirements_that_exist() -> None:
    rows = [
        row
        for row in (ROOT / "docs/bugs-found.md").read_text(encoding="utf-8").splitlines()
        if row.startswith("| ") and not row.startswith("| Project")
    ]
    rules = [row.strip("|").rpartition("|")[2] for row in rows]
    named = {name for rule in rules for name in re.findall(r"`([a-z0-9-]+)`", rule)}
    required = {name for rule in rules for name in re.findall(r"SD-[A-Z]+-[0-9]+", rule)}
    assert named <= set(mutants())
    assert required <= {trace.requirement for trace in traceability([], mutants().values())}
    assert len(rows) > 20


def test_citation_and_deposit_name_one_version_and_date() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    for member, value in {
        "version": deposit["version"],
        "date-released": f'"{deposit["publication_date"]}"',
        "title": f'"{deposit["title"]}"',
    }.items():
        assert f"\n{member}: {value}\n" in citation
    for keyword in deposit["keywords"]:
        assert f"\n  - {keyword}\n" in citation
