"""The page about vectors in unit tests: its examples run, and the runner has the same numbers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("mkdocs", reason="pip install 'simhash-doc[docs]'")

import vectors
from simhash_doc import SPEC_VERSION, fingerprint
from simhash_doc_conformance.protocol import CLASSES, Handshake
from simhash_doc_conformance.running.judge import is_required
from simhash_doc_conformance.vectors.cases import load_cases, load_suite

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "conformance/vectors"
PAGE = (ROOT / "docs/vectors-in-unit-tests.md").read_text(encoding="utf-8")
CASES = load_cases()
FINGERPRINTS = [case for case in CASES if case.op == "fingerprint"]
TRIED = sum("text" in case.members and "result" in case.expected for case in FINGERPRINTS)


def example(language: str) -> str:
    (block,) = re.findall(rf"^    ```{language}\n(.*?)^    ```$", PAGE, re.MULTILINE | re.DOTALL)
    return textwrap.dedent(block)


@pytest.fixture
def testdata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "testdata").mkdir()
    (tmp_path / "testdata/vectors").symlink_to(VECTORS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_examples_run_as_many_cases_as_the_page_says() -> None:
    assert "These examples run half of the `fingerprint` cases: those with a text and an expected result." in PAGE
    assert 0.5 <= TRIED / len(FINGERPRINTS) < 0.55


def test_the_example_in_python_runs_them(testdata: Path) -> None:
    names: dict[str, Any] = {"my": SimpleNamespace(fingerprint=lambda text, scheme: str(fingerprint(text, scheme)))}
    exec(compile(example("python"), "vectors-in-unit-tests.md", "exec"), names)
    assert names["tried"] == TRIED
    names["my"] = SimpleNamespace(fingerprint=lambda text, scheme: "sd64:aaaaaaaaaaaaa")
    with pytest.raises(AssertionError):
        exec(compile(example("python"), "vectors-in-unit-tests.md", "exec"), names)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="no Node.js")
def test_the_example_in_javascript_runs_them(testdata: Path) -> None:
    head = f'import assert from "node:assert";\nimport {{ fingerprint }} from "{ROOT / "ports/js/src/index.js"}";\n'
    (testdata / "test.mjs").write_text(f"{head}{example('js')}console.log(tried);\n", encoding="utf-8")
    done = subprocess.run(["node", "test.mjs"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{TRIED}\n", "")


def test_a_claim_needs_the_cases_that_the_runner_requires() -> None:
    head, _, *rows = (
        [cell.strip() for cell in row.strip("|").split("|")] for row in vectors.cases_to_pass().split("\n")
    )
    assert head[2:] == ["`sd64`", "`sd64`, `sd256`", "all four"]
    claimed = [("sd64",), ("sd64", "sd256"), ("sd64", "sd128", "sd256", "sd512")]
    for name, operations, *counts in rows:
        assert re.findall(r"`(\w+)`", operations) == list(CLASSES[name])
        for schemes, count in zip(claimed, counts, strict=True):
            handshake = Handshake("x", "1", "x", "15.0", CLASSES[name], schemes, ())
            required = sum(is_required(case, [name], handshake) for case in CASES)
            assert int(count.replace(",", "")) == required > 1000
    assert [row[0] for row in rows] == ["fingerprint", "compare", "steps", "index"]


def test_the_page_names_every_member_that_a_case_may_have() -> None:
    rows = [row for path in VECTORS.glob("cases-*.json") for row in json.loads(path.read_bytes())["cases"]]
    fingerprints = [row for row in rows if row["op"] == "fingerprint"]
    members = {name for row in fingerprints for name in (*row["input"], *row["expected"])}
    members |= {name for row in fingerprints for name in row} & {"same", "before"}
    named = set(re.findall(r"`(\w+)`", PAGE.partition("## Run all cases")[2]))
    assert members - {"scheme"} <= named


def test_the_claim_names_what_the_specification_asks_for() -> None:
    suite, claim = load_suite(), vectors.claim()
    for part in (f"simhash-doc {SPEC_VERSION}:", suite.digest, suite.data_digest, f"vectors {suite.version} "):
        assert part in claim
