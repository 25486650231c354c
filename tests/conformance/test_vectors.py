"""The published vectors are complete, well-formed, protected by digests, and answered by this implementation."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from make_traceability import needs_tests, traceability
from simhash_doc_conformance.errors import InputError
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.mutants.analysis import published_wrong_answers
from simhash_doc_conformance.vectors.cases import load_cases
from simhash_doc_conformance.vectors.requirements import requirements
from tests.conformance.small import schema

CONFORMANCE = Path(__file__).parents[2] / "conformance"
VECTORS = CONFORMANCE / "vectors"
CASES = load_cases(VECTORS)


def test_there_are_at_least_600_cases_in_at_least_40_languages() -> None:
    assert len(CASES) >= 600
    assert len({case.language for case in CASES if case.language}) >= 40


def test_ids_are_unique() -> None:
    assert [i for i, count in Counter(case.id for case in CASES).items() if count > 1] == []


def test_no_request_has_a_part_of_the_answer() -> None:
    """An adapter receives these members, and cannot answer with what it received."""
    given = {name for case in CASES for request in case.requests() for name in request}
    assert not given & {"id", "case", "expected", "result", "error", "same", "requirements", "comment", "flags"}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stat().st_size > 100_000 else [], id=path.stem)
        for path in sorted(VECTORS.glob("cases-*.json"))
    ],
)
def test_files_follow_the_schema(path: Path) -> None:
    schema("vectors").validate(json.loads(path.read_text(encoding="utf-8")))


def test_the_core_is_small_and_detects_most_mutants() -> None:
    path = VECTORS / "core/cases-core.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["cases"]
    every = {row["id"]: row for file in VECTORS.glob("cases-*.json") for row in json.loads(file.read_bytes())["cases"]}
    assert all(every[row["id"]] == row for row in rows)
    answers = published_wrong_answers()
    killed_by = {case: {name for names in found.values() for name in names} for case, found in answers.items()}
    possible = {name for case, names in killed_by.items() if every[case]["op"] != "extract" for name in names}
    killed = {name for row in rows for name in killed_by[row["id"]]}
    assert path.stat().st_size < 100_000
    assert len(killed) > 0.7 * len(possible)


def test_the_plain_core_has_what_a_unit_test_can_use() -> None:
    path = VECTORS / "core/plain.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["cases"]
    answers = published_wrong_answers()
    assert path.stat().st_size < 60_000
    assert all(row.keys() == {"id", "op", "input", "expected"} for row in rows)
    assert not any({"recipe", "digest", "utf16"} & row["input"].keys() for row in rows)
    assert "\\u0000" not in path.read_text(encoding="utf-8")
    killed = {name for row in rows for names in answers[row["id"]].values() for name in names}
    assert len(killed) > 0.55 * len({name for found in answers.values() for names in found.values() for name in names})


def test_the_guide_describes_every_flag_and_scheme() -> None:
    guide = (VECTORS / "README.md").read_text(encoding="utf-8")
    files = {path.name: json.loads(path.read_bytes()) for path in VECTORS.glob("cases-*.json")}
    assert all(name == f"cases-{file['group']}.json" for name, file in files.items())
    flags = {flag for file in files.values() for row in file["cases"] for flag in row["flags"]}
    described = re.findall(r"^\| (`.+`) \|", guide, re.MULTILINE)
    assert flags <= {flag for row in described for flag in re.findall(r"`([a-z-]+)`", row)}
    schemes = {row["id"]: row["schemes"] for file in files.values() for row in file["cases"]}
    assert schemes == {case.id: sorted(case.schemes) for case in CASES}


def test_every_requirement_has_a_vector_and_a_mutant() -> None:
    required = {name for name in requirements() if needs_tests(name)}
    traces = traceability(CASES, mutants().values())
    assert [name for name, found in traces.items() if name in required and not all(found)] == []
    assert {name for case in CASES for name in case.requirements} == required
    assert {mutant.requirement for mutant in mutants().values()} == required


@pytest.mark.parametrize("change", ["edited", "missing", "added", "pipe", "directory"])
def test_corrupt_vectors_are_rejected_by_name(tmp_path: Path, change: str) -> None:
    copy = tmp_path / "vectors"
    shutil.copytree(VECTORS, copy)
    victim = copy / "cases-links.json"
    if change == "edited":
        victim.write_bytes(victim.read_bytes().replace(b"now", b"new", 1))
    elif change == "missing":
        victim.unlink()
    elif change in ("pipe", "directory"):
        victim.unlink()
        os.mkfifo(victim) if change == "pipe" else victim.mkdir()
    else:
        victim = copy / "cases-mine.json"
        victim.write_text("{}", encoding="utf-8")
    with pytest.raises((InputError, FileNotFoundError), match=victim.name):
        load_cases(copy)
