"""Adapters that misbehave: each fault is named, no process stays behind, and the other cases run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from simhash_doc.console.termination import TerminatedError, cleanup_on_termination
from simhash_doc_conformance.commands import compare
from simhash_doc_conformance.errors import CannotStartError, PeerError
from simhash_doc_conformance.running import process, runner
from simhash_doc_conformance.running.process import AdapterProcess
from simhash_doc_conformance.running.runner import UNANSWERED, run
from simhash_doc_conformance.running.session import CommandTarget
from tests.commands import COMMAND
from tests.conformance.small import case_of, cases, fake, left_behind, row, run_fake, statuses, write_vectors
from tests.signals import InterruptedProcess

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")


@pytest.mark.parametrize(
    ("mode", "kind", "message"),
    [
        ("crash", "crash", "exited with status 3 before it answered"),
        ("signal", "crash", "killed by signal SIGKILL before it answered"),
        ("exit-in-the-middle", "crash", "exited with status 0 before it answered"),
        ("hang", "timeout", "no answer within 1 s: nothing is known about it; see --timeout"),
        pytest.param("late", "timeout", "no answer within 1 s", marks=pytest.mark.slow),
        pytest.param("ignore-sigterm", "timeout", "no answer within 1 s", marks=pytest.mark.slow),
        ("garbage", "garbage", 'not JSON (Expecting value: line 1 column 1 (char 0)): "Segmentation fault'),
        ("no-object", "garbage", "not a JSON object: "),
        ("nan", "garbage", "NaN is not a JSON number"),
        ("no-outcome", "garbage", "this one has none of them"),
        ("same-name-twice", "garbage", 'not JSON (two members are called "result")'),
        ("wrong-id", "wrong-id", "the answer has another id than the request"),
        ("previous-id", "wrong-id", "the answer has another id than the request"),
        ("twice", "extra-answer", "it wrote more than one answer to a request"),
        *(
            pytest.param(mode, "extra-answer", "it wrote more than one answer to a request", marks=pytest.mark.slow)
            for mode in ("twice-slowly", "thrice-slowly")
        ),
        ("close-output", "closed-output", "it closed its standard output and is still running"),
        ("child-keeps-pipe", "crash", "exited with status 1 before it answered"),
    ],
)
def test_a_fault_is_named_and_the_other_cases_run(mode: str, kind: str, message: str) -> None:
    outcome = run_fake(mode)
    assert statuses(outcome) == {"bad": f"broken:{kind}"}
    assert message in outcome.verdicts[3].reason
    assert left_behind() == []


def test_a_process_has_more_time_to_start_than_to_answer() -> None:
    assert run_fake("slow-start", cases=cases()[:2], timeout=0.5).ok


def test_an_error_after_the_last_answer_is_noticed() -> None:
    outcome = run_fake("error-at-the-end")
    assert statuses(outcome) == {"eight": "broken:crash"}
    assert outcome.verdicts[7].reason == "exited with status 3 after its last answer"


@pytest.mark.parametrize(
    ("members", "seconds"),
    [
        ({"op": "fold", "recipe": {"repeat": "ab", "count": 1 << 20}}, 1.5),
        ({"op": "find_all", "entries": [["a", ""]] * 7100, "scheme": "sd64"}, 0.5),
        ({"op": "find_all", "entries": [["a", ""]] * 7100, "scheme": "sd128"}, 1),
    ],
)
def test_a_long_request_has_more_time(members: dict[str, object], seconds: float) -> None:
    with pytest.raises(PeerError, match=f"within {seconds} s"):
        AdapterProcess(fake("hang").command, 0.5, "").ask({"text": "bad", **members})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "kind", "message"),
    [
        ("crash-at-once", "crash", "in the handshake: exited with status 1"),
        ("hang-at-once", "timeout", "in the handshake: no answer within 1.5 s"),
        ("garbage-at-once", "garbage", 'in the handshake: not JSON (Expecting value: line 1 column 1 (char 0)): "Load'),
        ("wrong-protocol", "handshake", "in the handshake: protocol 2 instead of 1"),
        ("true-protocol", "handshake", "in the handshake: protocol true instead of 1"),
        ("long-name", "handshake", "member 'name' must be a string of at most 200 characters, not \"xxx"),
        ("long-operation", "handshake", "member 'operations' must be a list, each item a string of at most 200"),
        ("impossible-version", "handshake", "member 'unicode' must be a version such as 15.0, not \"151.0\""),
    ],
)
def test_after_three_failed_starts_the_remaining_cases_are_not_run(mode: str, kind: str, message: str) -> None:
    outcome = run_fake(mode, timeout=0.5, jobs=2)
    assert [verdict.status for verdict in outcome.verdicts] == ["broken"] * 3 + ["not-run"] * 5
    assert {verdict.kind for verdict in outcome.verdicts[:3]} == {kind}
    assert message in outcome.verdicts[0].reason
    assert "stopped after 3 failed starts in a row; the last: in the handshake" in outcome.verdicts[7].reason
    assert (outcome.handshake, outcome.ok) == (None, False)
    assert left_behind() == []


@pytest.mark.parametrize(
    ("most", "jobs"), [(3, 1), *(pytest.param(UNANSWERED, jobs, marks=pytest.mark.slow) for jobs in (1, 2))]
)
def test_an_operation_is_given_up_after_cases_in_a_row_without_an_answer(
    most: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "UNANSWERED", most)
    good, bad = case_of(row("good", "x")), case_of(row("bad", "bad"))
    other = case_of(row("other", "x", op="fingerprint", input={"text": "x", "scheme": "sd64"}))
    given = [good, *[bad] * (most - 1), good, *[bad] * (most + 1), good, other]
    outcome = run_fake("crash", cases=given, jobs=jobs)
    found = [verdict.status for verdict in outcome.verdicts]
    crashes = ["broken"] * (most - 1)
    assert found == ["passed", *crashes, "passed", *crashes, "broken", "not-run", "not-run", "passed"]
    reason = f"stopped after {most} cases of fold in a row without an answer; the last: exited with status 3 before it"
    assert outcome.verdicts[-2].reason.startswith(reason)
    assert not outcome.ok


def test_an_implementation_that_answers_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "UNANSWERED", 3)
    other = case_of(row("other", "x", op="fingerprint", input={"text": "x", "scheme": "sd64"}))
    wide = case_of(row("wide", "x", op="fingerprint", input={"text": "x", "scheme": "sd128"}))
    outcome = run_fake("crash", cases=[*[case_of(row("bad", "bad"))] * 3, other, wide])
    assert [verdict.status for verdict in outcome.verdicts[3:]] == ["not-run", "unsupported"]


@pytest.mark.parametrize(("mode", "kind"), [("flood", "flood"), ("flood-of-lines", "extra-answer")])
def test_a_gigabyte_of_output_is_detected_early_in_bounded_memory(mode: str, kind: str) -> None:
    tracemalloc.start()
    try:
        outcome = run_fake(mode, timeout=60)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert statuses(outcome) == {"bad": f"broken:{kind}"}
    assert peak < 300 << 20
    assert left_behind() == []


def test_megabytes_on_standard_error_neither_block_nor_fail() -> None:
    assert statuses(run_fake("chatty", timeout=20)) == {}
    assert left_behind() == []


def test_a_request_that_is_never_read_times_out() -> None:
    big = case_of(row("big", "x" * 1_000_000))
    outcome = run_fake("never-read", cases=[big], timeout=0.5)
    assert statuses(outcome) == {"big": "broken:timeout"}
    assert outcome.verdicts[0].reason == (
        "no answer within 0.5 s; it has not read the complete request: nothing is known about it; see --timeout"
    )
    assert left_behind() == []


def test_an_extra_answer_to_the_last_request_is_found() -> None:
    assert statuses(run_fake("twice", cases=cases()[:4])) == {"bad": "broken:extra-answer"}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to another process than init")
@pytest.mark.parametrize("mode", ["daemon", "daemon-and-child"])
def test_a_daemon_that_an_adapter_left_behind_is_ended(mode: str) -> None:
    assert statuses(run_fake(mode)) == {}
    assert left_behind() == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to another process than init")
def test_a_daemon_that_one_look_misses_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    look, looks = process._marked, iter([True])  # it forked and ended during the first
    monkeypatch.setattr(process, "_marked", lambda mark: () if next(looks, False) else look(mark))
    assert statuses(run_fake("daemon")) == {}
    assert left_behind() == []


@pytest.mark.parametrize("mode", ["quiet-child", "child-in-a-session"])
def test_the_children_of_an_adapter_are_ended(mode: str) -> None:
    assert statuses(run_fake(mode)) == {}
    assert left_behind() == []


def test_all_processes_of_a_run_have_one_handshake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_FLAG", str(tmp_path / "flag"))
    outcome = run_fake("two-faced", jobs=2, cases=cases() * 20)
    reasons = {verdict.reason for verdict in outcome.verdicts if verdict.status == "broken"}
    given, before = '["encode"]', '["fold", "encode", "decode", "fingerprint"]'
    assert reasons == {f"in the handshake: 'operations' is {given}, but in that of the first process {before}"}
    assert outcome.handshake is not None
    assert (outcome.ok, outcome.handshake.operations[0]) == (False, "fold")


def test_faults_in_several_processes_keep_the_order() -> None:
    outcome = run_fake("crash", jobs=4, cases=cases() * 5)
    assert [verdict.case.id for verdict in outcome.verdicts] == [case.id for case in cases()] * 5
    assert [verdict.status for verdict in outcome.verdicts if verdict.case.id == "small/bad"] == ["broken"] * 5
    assert sum(verdict.status == "passed" for verdict in outcome.verdicts) == 35
    assert left_behind() == []


@pytest.mark.slow
def test_no_descriptor_is_left_open() -> None:
    run_fake("crash")
    before = os.listdir("/proc/self/fd")
    for mode in ("good", "crash", "garbage-at-once", "close-output", "twice"):
        run_fake(mode, jobs=2)
    with pytest.raises(CannotStartError):
        run(cases(), CommandTarget(["no-such-adapter"]), suite="0.1.0")
    assert os.listdir("/proc/self/fd") == before


def test_a_file_that_is_not_executable_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "adapter").write_text("text")
    with pytest.raises(CannotStartError, match="Permission denied"):
        run(cases(), CommandTarget([str(tmp_path / "adapter")]), suite="0.1.0")


@pytest.mark.parametrize(
    ("mode", "number"),
    [
        ("hang", signal.SIGTERM),
        *(
            pytest.param(mode, number, marks=pytest.mark.slow)
            for mode, number in product(("hang", "ignore-sigterm"), (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
            if (mode, number) != ("hang", signal.SIGTERM)
        ),
    ],
)
def test_an_interrupted_run_leaves_no_process_running(tmp_path: Path, mode: str, number: signal.Signals) -> None:
    vectors = write_vectors(tmp_path / "vectors", [row(str(n), "bad" if n == 5 else "x") for n in range(6)])
    command = [sys.executable, "-c", "from simhash_doc.cli import main; main()", "conformance", "run", "-v"]
    command += ["--vectors", str(vectors), "--timeout", "60", "--", *fake(mode).command]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with InterruptedProcess[bytes](command, stdout=subprocess.PIPE, env=environment) as runner:
        assert runner.stdout is not None
        while b"small/3" not in runner.stdout.readline():
            assert runner.poll() is None
        time.sleep(0.1)
        runner.send_signal(number)
        runner.communicate(timeout=20)
    assert runner.returncode == (128 + number)
    assert left_behind() == []


def test_an_exception_in_place_of_that_of_a_signal_does_not_hide_the_end_and_others_pass_through() -> None:
    # The signal may arrive while Hypothesis starts, and an assertion of its own then fails.
    def interrupted() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            raise AssertionError

    with pytest.raises(SystemExit) as ended, cleanup_on_termination():
        interrupted()
    assert ended.value.code == 128 + signal.SIGTERM
    with pytest.raises(SystemExit), cleanup_on_termination(), suppress(BaseException):  # as a callback may do
        signal.raise_signal(signal.SIGTERM)
    with pytest.raises(ZeroDivisionError), cleanup_on_termination():
        raise ZeroDivisionError


def test_a_signal_in_a_callback_that_loses_exceptions_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", printed.append)

    class Collected:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(SystemExit), cleanup_on_termination():
        Collected()
    assert printed == []


def test_fuzzing_ends_if_the_exception_of_a_signal_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypothesis has a callback of garbage collection, and what is raised in it is dropped."""
    lost = threading.Event()
    lost.set()
    monkeypatch.setattr(compare, "terminated", lost)
    with pytest.raises(TerminatedError):
        compare.fuzz.main(["--op", "encode", "--", *COMMAND, "conformance", "adapter"], standalone_mode=False)


@pytest.mark.slow
def test_an_interrupted_fuzzing_ends_at_once() -> None:
    # Hypothesis treats an ordinary exception, and SystemExit, as a wrong answer.
    command = [*COMMAND, "conformance", "fuzz", "--op", "encode", "--seed", "1", "--examples", "400", "--"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command += [*COMMAND, "conformance", "adapter", "--engine", "reference"]
    with InterruptedProcess[bytes](command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as fuzzing:
        assert fuzzing.stdout is not None
        assert fuzzing.stdout.readline() == b"seed 1\n"
        assert b"encode-sd64" in fuzzing.stdout.readline()
        fuzzing.send_signal(signal.SIGTERM)
        _, errors = fuzzing.communicate(timeout=20)
    assert (fuzzing.returncode, errors) == (128 + signal.SIGTERM, b"")
