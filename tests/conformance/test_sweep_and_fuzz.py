"""The sweep of all scalar values, and fuzzing, against correct and wrong implementations."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.fuzz import fuzz
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.package_implementation import PackageImplementation
from simhash_doc.conformance.sweep import LAST, Sweep
from tests import commands

ADAPTER = [*commands.COMMAND, "conformance", "adapter"]
STEPS = frozenset({"fold", "tokens", "fingerprint"})


def asking(steps: Implementation) -> Any:
    adapter = Adapter(steps)
    return lambda request: adapter.answer({"id": 0, **request})


@pytest.mark.parametrize("features", [frozenset(), frozenset({"digest"})])
def test_sweep_finds_exactly_the_code_points_that_differ(features: frozenset[str]) -> None:
    sweep = Sweep(asking(mutants()["fold-cherokee-kept"].implementation()), STEPS, features, most=200)
    found = {(d.op, d.code_point) for d in sweep.check(0xA000, 0xAFFF)}
    assert found == {(op, code_point) for op in ("fold", "tokens") for code_point in range(0xAB70, 0xABC0)}
    assert list(sweep.check(0x1000, 0x1FFF)) == []


def test_sweep_compares_with_the_reference_not_with_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PackageImplementation, "fold", lambda self, text: text)
    sweep = Sweep(asking(PackageImplementation()), frozenset({"fold"}), frozenset({"digest"}), most=3)
    assert [found.code_point for found in sweep.check(0x41, 0x5A)] == [0x41, 0x42, 0x43]


@pytest.mark.slow
def test_sweep_covers_every_scalar_value() -> None:
    for operations in (STEPS, frozenset({"buckets"}), frozenset({"fingerprint"})):
        covered = 0
        for first, last in Sweep(asking(Implementation()), operations, frozenset(), most=1).blocks():
            covered += sum(1 for edge in (first, last) if edge > LAST)
            covered += len(range(first, last + 1)) - len(range(max(first, 0xD800), min(last, 0xDFFF) + 1))
        assert covered == 1_112_064


def test_sweep_by_buckets_finds_exactly_the_code_points_that_differ() -> None:
    sweep = Sweep(
        asking(mutants()["fold-cherokee-kept"].implementation()), frozenset({"buckets"}), frozenset(), most=200
    )
    found = {
        d.code_point
        for first, last in sweep.blocks()
        if first in range(0xAB40, 0xAC00)
        for d in sweep.check(first, last)
    }
    assert found == set(range(0xAB70, 0xABC0))


def test_sweep_by_fingerprints_alone() -> None:
    sweep = Sweep(asking(mutants()["run-without-mc"].implementation()), frozenset({"fingerprint"}), frozenset(), most=3)
    assert [d.code_point for d in sweep.check(0x903, 0x903)] == [0x903]
    assert list(sweep.check(0x904, 0x904)) == []


def test_sweep_stops_at_the_maximum_number_of_differences() -> None:
    sweep = Sweep(asking(mutants()["run-ascii-only"].implementation()), STEPS, frozenset({"digest"}), most=5)
    assert sum(d.op == "tokens" for d in sweep.check(0x1000, 0x1FFF)) == 5


@pytest.mark.parametrize("op", ["fold", "tokens", "buckets", "fingerprint"])
def test_fuzzing_finds_nothing_in_the_package(op: str) -> None:
    assert fuzz(asking(PackageImplementation()), op, examples=100, seed=1) is None


@pytest.mark.parametrize(
    ("mutant", "op", "smallest"),
    [
        ("run-without-nd", "tokens", 2),
        ("fold-without-case", "fold", 1),
        ("cap-seven", "buckets", 24),
        ("single-dropped", "tokens", 1),
    ],
)
def test_fuzzing_ends_in_a_small_failing_text(mutant: str, op: str, smallest: int) -> None:
    finding = fuzz(asking(mutants()[mutant].implementation()), op, examples=3000, seed=5)
    assert finding is not None
    assert len(finding.case.members["text"]) <= smallest
    right = Adapter(Implementation()).answer({"id": 0, "op": op, **finding.case.members})
    assert finding.case.expected["result"] == right["result"]


def test_fuzzing_treats_a_broken_process_as_a_wrong_answer() -> None:
    from simhash_doc.conformance.errors import PeerError

    def crashing(request: Mapping[str, Any]) -> dict[str, Any]:
        if "東" in request["text"]:
            raise PeerError("crash", "it exited with status 1")
        return Adapter(Implementation()).answer({"id": 0, **request})

    finding = fuzz(crashing, "tokens", examples=2000, seed=3)
    assert finding is not None
    assert finding.case.members["text"] == "東"
    assert finding.answer == {"error": "crash"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return commands.run("conformance", *arguments)


def test_fuzzing_leaves_no_files_in_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("fuzz", "--examples", "5", "--", *ADAPTER)
    assert (done.returncode, list(tmp_path.iterdir())) == (0, []), done.stderr


@pytest.mark.slow
def test_commands_end_with_the_status_of_the_outcome() -> None:
    done = run("fuzz", "--examples", "20", "--seed", "1", "--", *ADAPTER)
    assert (done.returncode, done.stdout.count("20 texts agree")) == (0, 4), done.stderr
    done = run("fuzz", "--examples", "500", "--seed", "1", "--", *ADAPTER, "--mutant", "run-without-mn")
    assert done.returncode == 1
    submitted = json.loads(done.stdout.split("as a test case: ")[1])
    assert submitted["op"] == "tokens"
    assert run("fuzz", "--", "/no/such/command").returncode == 2
    done = run("unicode", "--", sys.executable, "-c", "raise SystemExit(3)")
    assert (done.returncode, "crash: in the handshake" in done.stderr) == (1, True)
    done = run("adapter", "--mutant", "nobody")
    assert (done.returncode, "'nobody' is not a mutant" in done.stderr) == (2, True)


def test_explain_shows_requirement_steps_and_bugs() -> None:
    done = run("explain", "cap/nine")
    assert done.returncode == 0
    for shown in ("SD-CAP-1", "at most 8 times", "buckets", "cap-nine", "sd64:"):
        assert shown in done.stdout
    done = run("explain", "cap/nein")
    assert (done.returncode, "cap/nine" in done.stderr) == (2, True)
