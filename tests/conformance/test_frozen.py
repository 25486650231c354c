"""Frozen cases keep their inputs and answers for good."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import freeze

CONFORMANCE = Path(__file__).parents[2] / "conformance"


def test_no_frozen_case_has_changed() -> None:
    done = subprocess.run([sys.executable, CONFORMANCE / "freeze.py", "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_changed_answer_and_a_missing_case_are_found(tmp_path: Path) -> None:
    cases = freeze.present()
    ids = sorted(cases)
    frozen = tmp_path / "1.0.0.txt"
    frozen.write_text("".join(f"{case_id} {cases[case_id]}\n" for case_id in ids), encoding="utf-8")
    assert freeze.differences(frozen, cases) == []
    changed = {**cases, ids[0]: "0" * 32}
    del changed[ids[1]]
    assert freeze.differences(frozen, changed) == ids[:2]


def test_the_digest_is_of_the_question_and_the_answer_only() -> None:
    case = json.loads((freeze.VECTORS / "cases-links.json").read_text("utf-8"))["cases"][0]
    assert freeze.digest({**case, "comment": "other words", "flags": ["x"]}) == freeze.digest(case)
    assert freeze.digest({**case, "expected": {"error": "no-token"}}) != freeze.digest(case)
