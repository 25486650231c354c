"""A run that Ctrl-C or SIGTERM ends: a judgement of what was checked, and of the rest that it was not tested."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from simhash_doc.console.termination import TerminatedError
from simhash_doc_conformance import full
from simhash_doc_conformance.reports.page import html_page
from simhash_doc_conformance.reports.report import RunOptions, conclusion, make_report, not_tested
from simhash_doc_conformance.reports.writers import junit
from simhash_doc_conformance.running.judge import Verdict
from simhash_doc_conformance.running.runner import Bounds, run
from simhash_doc_conformance.running.session import Session
from simhash_doc_conformance.vectors.cases import load_suite
from tests.conformance.package import InProcess
from tests.conformance.small import cases, fake, left_behind, row, schema, write_vectors
from tests.signals import InterruptedProcess

COMMAND = [sys.executable, "-c", "from simhash_doc.cli import main; main()", "conformance", "run"]


def raising(number: int, signal_of: type[BaseException]) -> Callable[[Verdict], None]:
    """Return a callback that raises what a signal raises at the verdict with this number."""
    seen: list[Verdict] = []

    def raise_it(verdict: Verdict) -> None:
        seen.append(verdict)
        if len(seen) == number:
            raise signal_of

    return raise_it


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupted_run_judges_what_it_checked_and_names_the_rest(tmp_path: Path, number: signal.Signals) -> None:
    rows = [row(str(n), "bad" if n == 5 else "x") for n in range(9)]
    rows[2]["expected"] = {"result": "y"}
    vectors, written = write_vectors(tmp_path / "vectors", rows), tmp_path / "report.json"
    command = [*COMMAND, "-v", "--vectors", str(vectors), "--timeout", "60", "--report", str(written)]
    command += ["--", *fake("hang").command]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    pipe = subprocess.PIPE
    with InterruptedProcess[bytes](command, stdout=pipe, stderr=pipe, env=environment) as runner:
        assert runner.stdout is not None
        while b"small/3" not in runner.stdout.readline():
            assert runner.poll() is None
        runner.send_signal(number)
        output, errors = runner.communicate(timeout=20)
    assert (runner.returncode, errors.strip()) == (128 + number, b"")
    text, report = output.decode(), json.loads(written.read_text())
    left = 9 - sum(report["counts"].values())
    assert left >= 4  # the last answer before the fault may be held
    assert f"Not tested: {left} cases, because the run was interrupted" in text
    assert f"1 of {9 - left} tested cases failed" in text
    assert (report["ok"], report["complete"], report["classes"]["fingerprint"]) == (False, False, "not-tested")
    assert {"why": "not run, because the run was interrupted", "operations": {"fold": left}} in report["untested"]
    assert left_behind() == []


@pytest.mark.parametrize("signal_of", [KeyboardInterrupt, TerminatedError])
def test_an_interrupted_run_without_failures_is_neither_passed_nor_a_claim(
    tmp_path: Path, signal_of: type[BaseException]
) -> None:
    suite = load_suite(write_vectors(tmp_path))
    outcome = run(cases(), fake(), suite="0.1.0", on_verdict=raising(3, signal_of))
    assert isinstance(outcome.interruption, signal_of)
    assert (len(outcome.verdicts), len(outcome.left), outcome.ok) == (3, 5, False)
    report = make_report(suite, RunOptions(), outcome)
    schema("report").validate(report)
    assert conclusion(report) == "3 cases of a part of the suite passed: no claim of conformance"
    assert not_tested(report) == ["Not tested: 5 cases, because the run was interrupted"]
    assert "not run, because the run was interrupted" in html_page(report)
    root = ElementTree.fromstring(junit(report))
    assert (root.get("tests"), root.get("errors")) == ("4", "1")
    (error,) = root.findall("testsuite[@name='not tested']/testcase/error")
    assert error.get("message") == "not-run: 5 cases, because the run was interrupted"


def test_the_cases_after_the_limit_of_failures_are_not_tested(tmp_path: Path) -> None:
    suite = load_suite(write_vectors(tmp_path))
    outcome = run(cases(), fake("wrong"), suite="0.1.0", bounds=Bounds(max_failures=1))
    report = make_report(suite, RunOptions(), outcome)
    assert not_tested(report) == ["Not tested: 4 cases, because of --max-failures"]
    assert report["untested"] == [{"why": "not run, because of --max-failures", "operations": {"fold": 4}}]
    assert "not-run: 4 cases, because of --max-failures" in junit(report)


def test_interrupted_checks_of_a_full_run_keep_their_verdicts() -> None:
    with Session(InProcess(operations=["encode", "decode"], schemes=["sd64"], features=[]), 10, "0.1.0") as session:
        found = full.run_checks(session, 5, raising(1, KeyboardInterrupt))
    assert [verdict.case.id for verdict in found.verdicts] == ["fuzz/encode-sd64"]
    assert isinstance(found.interruption, KeyboardInterrupt)
    assert not found.ok
    assert "the checks after fuzz/encode-sd64, because the run was interrupted" in found.not_tested


def test_a_signal_in_the_middle_of_a_check_leaves_out_this_check() -> None:
    def interrupt(request: Any, answer: Any) -> Any:
        if request["op"] == "decode":
            raise KeyboardInterrupt
        return answer

    target = InProcess(change=interrupt, operations=["encode", "decode"], schemes=["sd64"], features=[])
    with Session(target, 10, "0.1.0") as session:
        found = full.run_checks(session, 5)
    assert [verdict.case.id for verdict in found.verdicts] == ["fuzz/encode-sd64"]
    assert isinstance(found.interruption, KeyboardInterrupt)


@pytest.mark.slow
def test_a_full_run_shows_its_progress_on_a_terminal_and_only_there(tmp_path: Path) -> None:
    vectors = write_vectors(tmp_path / "vectors", [row("one", "x", expected={"result": "x"})])
    command = [*COMMAND, "--full", "--examples", "1", "--vectors", str(vectors), "--"]
    command += [sys.executable, "-m", "simhash_doc", "conformance", "adapter"]
    ours, theirs = pty.openpty()
    with InterruptedProcess[bytes](command, stdout=subprocess.PIPE, stderr=theirs) as runner:
        os.close(theirs)
        shown = b""
        while b"fold, " not in shown:
            shown += os.read(ours, 4096)
        runner.send_signal(signal.SIGINT)
        output, _ = runner.communicate(timeout=60)
    os.close(ours)
    assert b"every Unicode scalar value: fold, " in shown
    assert runner.returncode == 130
    assert "Not tested: all checks beyond the vectors, because the run was interrupted" in output.decode()
