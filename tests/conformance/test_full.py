"""A full run: the vectors, every scalar value and generated requests, with one report and one status."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from simhash_doc_conformance import full
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.generated import sweep
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.protocol import Answer
from simhash_doc_conformance.reports.report import Checks
from simhash_doc_conformance.running.session import Session
from tests import commands
from tests.conformance.package import InProcess
from tests.conformance.small import fake, row, schema, write_vectors

TEXT_FORMS = ["encode", "decode", "distance", "narrow"]
ADAPTER = [*commands.COMMAND, "conformance", "adapter"]


@pytest.fixture
def short_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweep ASCII only."""
    monkeypatch.setattr(sweep, "blocks_of", lambda op: [(0, 0x7F)])


def checks(target: Any = None, examples: int = 5, **changes: Any) -> Checks:
    with Session(target or InProcess(**changes), 10, "0.1.0") as session:
        return full.run_checks(session, examples)


def statuses(found: Checks) -> dict[str, str]:
    return {verdict.case.id: verdict.status for verdict in found.verdicts}


@pytest.mark.slow
@pytest.mark.usefixtures("short_sweep")
def test_every_declared_operation_and_scheme_is_checked() -> None:
    found = checks(schemes=["sd64", "sd256"], formats=["html"])
    wide = {
        f"fuzz/{op}-{scheme}"
        for op in ("hash_tokens", "buckets", "fingerprint", *TEXT_FORMS, "query", "find_all", "update")
        for scheme in ("sd64", "sd256")
    }
    names = {"sweep/fold", "sweep/tokens", "fuzz/fold", "fuzz/tokens", "fuzz/trace-sd64", *wide}
    assert statuses(found) == dict.fromkeys(names, "passed")
    assert found.ok
    assert all(verdict.inputs for verdict in found.verdicts)
    assert "schemes that are not declared: sd128, sd512" in found.not_tested
    assert "generated documents: extract is tested by the vectors alone" in found.not_tested


def test_what_is_not_declared_is_reported_as_not_tested() -> None:
    found = checks(operations=TEXT_FORMS, schemes=["sd64"], features=[])
    assert statuses(found) == {f"fuzz/{op}-sd64": "passed" for op in TEXT_FORMS}
    assert found.not_tested[0].startswith("operations that are not declared: fold, tokens, hash_tokens")
    assert checks(operations=[]).verdicts == ()


@pytest.mark.usefixtures("short_sweep")
def test_bytes_and_surrogates_are_not_sent_to_an_implementation_that_does_not_read_them() -> None:
    def refuse(request: Mapping[str, Any], answer: Answer) -> Answer:
        return {"unsupported": True} if "bytes" in request else answer

    found = checks(InProcess(change=refuse, operations=["fold"], features=["recipes"]))
    assert statuses(found) == {"sweep/fold": "passed", "fuzz/fold": "passed"}
    assert "forms of input that are not supported: bytes, utf16" in found.not_tested


@pytest.mark.slow
@pytest.mark.usefixtures("short_sweep")
@pytest.mark.parametrize(
    ("features", "not_in_pieces"),
    [
        (["surrogates", "cuts"], ["utf16"]),
        pytest.param(["cuts"], [], marks=pytest.mark.slow),
        pytest.param([], ["bytes"], marks=pytest.mark.slow),
    ],
)
def test_pieces_are_sent_in_the_forms_in_which_they_are_taken(features: list[str], not_in_pieces: list[str]) -> None:
    sent = []

    def note(request: Mapping[str, Any], answer: Answer) -> Answer:
        sent.append(request)
        return {"unsupported": True} if "utf16" in request and "cuts" in request else answer

    found = checks(InProcess(change=note, operations=["fingerprint"], features=features, schemes=["sd64"]), examples=40)
    assert statuses(found)["fuzz/fingerprint-sd64"] == "passed"
    untested = [line.partition("in pieces: ")[2] for line in found.not_tested if "in pieces: " in line]
    assert untested == [", ".join(not_in_pieces)] * bool(not_in_pieces)
    cut = [request for request in sent if request.get("cuts") and "utf16" not in request]
    assert bool(cut) == ("cuts" in features)


@pytest.mark.slow
@pytest.mark.usefixtures("short_sweep")
def test_a_wrong_answer_is_shrunk_and_shown_like_a_failed_case() -> None:
    found = checks(
        InProcess(mutants()["fold-without-case"].implementation(), operations=["fold", "fingerprint"]), examples=50
    )
    assert statuses(found)["fuzz/fold"] == statuses(found)["sweep/fold"] == "failed"
    by_id = {verdict.case.id: verdict for verdict in found.verdicts}
    sweep, fuzzed = by_id["sweep/fold"], by_id["fuzz/fold"]
    assert "U+0041..U+005A" in sweep.reason
    assert len(fuzzed.case.members["text"]) == 1
    assert fuzzed.expected != fuzzed.given
    assert any(line.startswith("  at position 0: expected U+") for line in fuzzed.diagnosis)
    assert any(line.startswith("as a test case: {") for line in fuzzed.diagnosis)
    assert not found.ok
    assert sum(verdict.status == "failed" for verdict in found.verdicts) == 6  # of fingerprint in four schemes too


def test_a_process_that_fails_breaks_the_check_and_an_undeclared_answer_fails_it() -> None:
    def crash(request: Mapping[str, Any], answer: Answer) -> Answer:
        if request["op"] == "encode":
            raise PeerError("crash", "it exited with status 3")
        return {"unsupported": True} if request["op"] == "narrow" else answer

    found = checks(InProcess(change=crash, operations=TEXT_FORMS, schemes=["sd64"]))
    assert statuses(found) == {
        "fuzz/encode-sd64": "broken",
        "fuzz/decode-sd64": "passed",
        "fuzz/distance-sd64": "passed",
        "fuzz/narrow-sd64": "failed",
    }


class Restarting(InProcess):
    """An implementation whose processes crash at `fold`. Only the first one starts, and it exits with an error."""

    starts = 0

    def connect(self, *given: Any) -> InProcess:
        self.starts += 1
        if self.starts > 1:
            raise PeerError("crash", "in the handshake: exited with status 1 before it answered")
        return super().connect(*given)

    def close(self) -> None:
        raise PeerError("crash", "exited with status 1 after its last answer")


@pytest.mark.usefixtures("short_sweep")
def test_a_process_that_does_not_start_again_ends_neither_the_checks_nor_the_run() -> None:
    def crash(request: Mapping[str, Any], answer: Answer) -> Answer:
        if request["op"] == "fold":
            raise PeerError("crash", "it exited with status 3")
        return answer

    found = checks(Restarting(change=crash, operations=["fold", *TEXT_FORMS], schemes=["sd64"]))
    names = ("sweep/fold", "fuzz/fold", *(f"fuzz/{op}-sd64" for op in TEXT_FORMS))
    assert statuses(found) == dict.fromkeys(names, "broken")


def test_an_error_at_the_end_of_a_run_without_checks_is_not_one_of_the_suite() -> None:
    assert checks(Restarting(operations=["extract"])).verdicts == ()


def test_a_full_run_of_the_command_has_one_report(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    vectors = write_vectors(tmp_path / "vectors", [row("one", "", op="encode", **encoded("0" * 16, "aaaaaaaaaaaaa"))])
    module = tmp_path / "their_adapter.py"
    module.write_text(SCRIPT)
    done = commands.run(
        *("conformance", "run", "--full", "--examples", "20", "--vectors", vectors, "--report", report),
        *("--", commands.COMMAND[0], module),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "seed 1, 20 per operation and scheme, hypothesis " in done.stdout
    content = json.loads(report.read_text())
    schema("report").validate(content)
    assert [check["id"] for check in content["full"]["checks"]] == [
        "fuzz/encode-sd64",
        "fuzz/decode-sd64",
        "fuzz/narrow-sd64",
    ]
    assert content["ok"]


def encoded(hex_digits: str, text: str) -> dict[str, Any]:
    return {
        "input": {"hex": hex_digits, "scheme": "sd64", "canonical": True},
        "expected": {"result": f"sd64:{text}"},
    }


SCRIPT = """
import sys
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation

class TextForms(Implementation):
    undeclared = frozenset(
        "fingerprint fold tokens hash_tokens buckets distance query find_all update trace extract".split()
    )

class Narrow(Adapter):
    def _hello(self):
        return {**super()._hello(), "schemes": ["sd64"]}

Narrow(TextForms()).serve(sys.stdin.buffer, sys.stdout.buffer)
"""


def test_a_full_run_without_hypothesis_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simhash_doc_conformance.full", None)
    vectors = write_vectors(tmp_path / "vectors")
    done = commands.run("conformance", "run", "--full", "-v", "--vectors", vectors, "--", *fake("good").command)
    assert (done.returncode, done.stdout) == (2, "")
    assert "install the extra `fuzz`" in done.stderr
