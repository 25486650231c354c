"""Reports are reproducible, valid by their schemas, and escape all values of the implementation."""

from __future__ import annotations

import io
import json
import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from simhash_doc_conformance.commands.run import Terminal
from simhash_doc_conformance.reports.page import html_page
from simhash_doc_conformance.reports.report import (
    EXAMPLES,
    Checks,
    Report,
    RunOptions,
    claim_line,
    conclusion,
    failure_lines,
    failures,
    grouped,
    make_report,
    not_tested,
    order,
    report_json,
)
from simhash_doc_conformance.reports.writers import badge, junit, markdown
from simhash_doc_conformance.running.judge import Verdict
from simhash_doc_conformance.running.runner import Outcome
from simhash_doc_conformance.vectors.cases import Suite, load_suite
from simhash_doc_conformance.vectors.requirements import address
from tests.conformance.small import case_of, row, run_fake, schema, write_vectors
from tests.reports import parts, report_in, section, texts

WRITERS = [report_json, junit, html_page, markdown, badge]
MALICIOUS = "<script>alert(1)</script>\"'&]]>|`\x1b[31m\u202e\ud800\n"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return load_suite(write_vectors(tmp_path / "vectors"))


def report_of(suite: Suite, mode: str, **options: Any) -> Report:
    return make_report(suite, RunOptions(), run_fake(mode, cases=suite.cases, **options))


def report_of_page(report: Report) -> dict[str, Any]:
    """Return the report that the page of a run holds."""
    return report_in(html_page(report))


def facts(page: Any) -> list[Any]:
    return [fact for found in parts(page, "facts") for fact in found]


def malicious(suite: Suite) -> Report:
    """Return a report in which all external values contain markup."""
    outcome = run_fake("wrong", cases=suite.cases)
    assert outcome.handshake is not None
    handshake = replace(
        outcome.handshake, name=MALICIOUS, version=MALICIOUS, language=MALICIOUS, operations=(MALICIOUS,)
    )
    verdicts = tuple(replace(v, reason=MALICIOUS, diagnosis=[MALICIOUS], given=MALICIOUS) for v in outcome.verdicts)
    outcome = Outcome(handshake, outcome.classes, verdicts)
    return make_report(suite, RunOptions(select=[MALICIOUS]), outcome, diagnosis=[MALICIOUS])


@pytest.mark.parametrize(
    "mode",
    [
        "wrong",
        "crash",
        *(
            pytest.param(mode, marks=pytest.mark.slow)
            for mode in ("good", "twice", "twice-slowly", "wrong-id", "no-outcome", "crash-at-once")
        ),
    ],
)
def test_two_runs_give_the_same_bytes_in_every_form(suite: Suite, mode: str) -> None:
    first, second = (report_of(suite, mode, jobs=jobs) for jobs in (1, 3))
    for writer in WRITERS:
        assert writer(first) == writer(second)


@pytest.mark.parametrize("mode", ["good", "wrong", "crash", "crash-at-once"])
def test_a_published_report_is_valid_counts_passed_cases_and_renders_to_the_same_pages(suite: Suite, mode: str) -> None:
    report = report_of(suite, mode)
    published = json.loads(report_json(report))
    schema("report").validate(published)
    assert not schema("report").is_valid({**published, "host": "here"})
    assert published["counts"] == report["counts"]
    assert published["cases"] == [row for row in report["cases"] if row["status"] != "passed"]
    assert all(writer(published) == writer(report) for writer in (html_page, markdown, badge, report_json))


def test_after_a_time_out_nothing_is_known_about_the_requirements(suite: Suite) -> None:
    report = report_of(suite, "hang")
    assert [(row["kind"], row["requirements"]) for row in report["cases"] if row["status"] == "broken"] == [
        ("timeout", [])
    ]
    assert failure_lines(report["failures"]) == ["the adapter: 1"]
    unknown = "1 of them gave no answer in time, so that nothing is known about them"
    assert conclusion(report) == f"1 of 8 tested cases failed; {unknown}"
    assert "failed" not in report["classes"].values()


def test_what_is_not_tested_is_named_with_the_schemes_that_are_not_declared(tmp_path: Path) -> None:
    """The fake declares sd64 and four operations."""
    one = row("one", "x", op="decode", input={"text": "sd128:", "scheme": "sd128"}, expected={"error": "bad-length"})
    cases = [one, row("other", "x", op="tokens", expected={"result": []})]
    report = report_of(load_suite(write_vectors(tmp_path / "vectors", cases)), "good")
    assert not_tested(report) == [
        "Not tested: 1 of tokens, which the implementation does not support",
        "Not tested: 1 of decode, which need schemes that are not declared: sd128",
    ]


def checks(*statuses: str) -> Checks:
    """Return the result of checks of `fold`, and of none if there is no status."""
    case = case_of(row("check", "x", requirements=["SD-FOLD-1"]))
    verdicts = (
        Verdict(replace(case, id=f"fuzz/fold-{number}"), status, expected="a", given="b", inputs=100)  # type: ignore[arg-type]
        for number, status in enumerate(statuses)
    )
    return Checks(7, 20, "hypothesis 0", tuple(verdicts), ("operations that are not declared: trace",))


@pytest.mark.parametrize(
    ("mode", "name", "statuses", "expected", "options"),
    [
        ("good", "steps", ["passed"], "passed", {}),
        ("good", "steps", [], "passed", {}),
        ("good", "steps", ["passed", "failed"], "failed", {}),
        ("wrong", "steps", ["passed"], "failed", {}),
        ("good", "steps", ["passed"], "not-tested", {"most": 2}),
        ("good", "steps", ["passed"], "not-tested", {"skip": ["small/bad"]}),
        ("good", "index", ["passed"], "not-claimed", {}),
        ("good", "fingerprint", ["passed"], "not-tested", {}),  # no case of it
    ],
)
def test_only_a_run_of_all_cases_without_failures_passes_a_class(
    suite: Suite, mode: str, name: str, statuses: list[str], expected: str, options: dict[str, Any]
) -> None:
    outcome = run_fake(mode, cases=suite.cases[: options.pop("most", None)], classes=["steps"])
    found = checks(*statuses) if statuses else None
    report = make_report(suite, RunOptions(**options), outcome, checks=found)
    schema("report").validate(report)
    assert report["classes"][name] == expected


def full(suite: Suite, mode: str, *statuses: str) -> Report:
    return make_report(
        suite, RunOptions(), run_fake(mode, cases=suite.cases, classes=["steps"]), checks=checks(*statuses)
    )


def test_a_run_concludes_with_the_claim(suite: Suite) -> None:
    report = make_report(suite, RunOptions(), run_fake("good", cases=suite.cases, classes=["steps"]))
    assert (report["ok"], conclusion(report)) == (True, "Conforms: steps (8 cases passed)")
    assert claim_line(report).endswith("Generated requests were not run (--full).")
    report = full(suite, "good", "passed", "passed")
    schema("report").validate(report)
    assert "The claim rests on 8 cases of the vectors" in claim_line(report)
    assert suite.digest in claim_line(report)
    assert claim_line(report).endswith("It also passed 200 generated requests, seed 7.")
    assert report["ok"]
    assert conclusion(report) == "Conforms: steps (8 cases and 200 generated requests passed)"
    for writer in (markdown, html_page):
        assert "Not tested: operations that are not declared: trace" in writer(report).replace("\\", "")
        assert "seed 7" in writer(report)


def test_a_failed_check_fails_the_run_in_every_form(suite: Suite) -> None:
    report = full(suite, "good", "passed", "failed")
    assert not report["ok"]
    assert conclusion(report) == "1 of 2 checks beyond the vectors failed"
    for writer in (junit, html_page, markdown):
        assert "fuzz/fold-1" in writer(report).replace("\\", "")
    assert ">1 of 10 failed</text>" in badge(report)


def test_failures_are_counted_by_step_in_the_order_of_the_pipeline() -> None:
    def failed(op: str, step: str = "", **more: Any) -> dict[str, Any]:
        return {"op": op, "status": "failed", "expected": "a", "requirements": ["SD-RUN-1"], "step": step, **more}

    rows = [
        failed("decode", requirements=["SD-TEXT-3", "SD-TEXT-4"]),
        failed("fingerprint", "folded", requirements=["SD-FOLD-1"]),
        failed("fold", requirements=["SD-FOLD-1"]),
        {"op": "fold", "status": "passed", "requirements": ["SD-FOLD-2"]},
        {"op": "query", "status": "broken", "requirements": ["SD-LOOK-1"]},
    ]
    requests = ['{"op": "fold", "recipe": "a"}', '{"op": "fold", "text": "a"}', '{"op": "fold", "text": "ab"}']
    of_fold = [failed("fold", request=request) for request in requests]
    assert sorted([*of_fold, *rows[:2]], key=order) == [rows[1], *of_fold[1:], of_fold[0], rows[0]]
    assert failure_lines(failures(rows)) == [
        "the adapter: 1",
        "folding: 2 (SD-FOLD-1 2)",
        "reading text forms: 1 (SD-TEXT-3 1, SD-TEXT-4 1)",
    ]


def test_the_badge_claims_a_class_only_if_it_was_passed(suite: Suite) -> None:
    assert ">0.1.0 steps</text>" in badge(full(suite, "good", "passed"))
    assert ">8 of 8 passed</text>" in badge(report_of(suite, "good"))
    assert ">1 of 8 failed</text>" in badge(report_of(suite, "wrong"))
    assert ">does not start</text>" in badge(report_of(suite, "crash-at-once"))
    part = make_report(suite, RunOptions(select=["x"]), run_fake("good", cases=suite.cases[:2]))
    assert ">2 of 2 passed</text>" in badge(part)


def test_failures_are_counted_among_what_was_tested_in_every_form(suite: Suite) -> None:
    done = run_fake("wrong", cases=suite.cases, skip=["small/one", "small/two"])
    wrong = make_report(suite, RunOptions(skip=["small/one", "small/two"]), done)
    assert conclusion(wrong) == "1 of 6 tested cases failed"
    assert report_of_page(wrong)["heading"] == "fake fake does not conform: 1 of 6 tested cases failed"
    assert r"**1 of 6 tested cases failed**" in markdown(wrong)
    assert ">1 of 6 failed</text>" in badge(wrong)
    verdicts = tuple(replace(verdict, status="not-run", reason="no answer") for verdict in done.verdicts[:3])
    partly = make_report(suite, RunOptions(), replace(done, verdicts=(*verdicts, *done.verdicts[3:])))
    assert conclusion(partly) == "1 of 5 tested cases failed; 3 further cases were not run"
    assert report_of_page(partly)["heading"].endswith(" does not conform: 1 of 5 tested cases failed")
    assert report_of_page(partly)["lines"][0] == "3 further cases were not run"
    silent = make_report(suite, RunOptions(), replace(done, verdicts=verdicts))
    assert conclusion(silent) == "3 cases were not run"
    assert report_of_page(silent)["heading"].endswith(" does not conform: 3 cases were not run")
    assert ">3 not run</text>" in badge(silent)


def test_malicious_values_are_escaped_in_every_form(suite: Suite) -> None:
    report = malicious(suite)
    for writer in WRITERS:
        text = writer(report)
        text.encode("utf-8")
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "<script>alert" not in text.replace(r"\<script", "") or writer is report_json
    for writer in (junit, badge):
        assert ElementTree.fromstring(writer(report)) is not None
    rows = [line for line in markdown(report).splitlines() if line.startswith("| small")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {7}


def very_wrong(cases: int, causes: int) -> Report:
    """Return the report of an implementation that answers everything wrongly, with values as long as they are shown."""
    template = case_of(row("case", "x", requirements=["SD-FOLD-1"]))
    verdicts = tuple(
        Verdict(
            replace(template, id=f"small/case-{number}"), "failed", "wrong answer", required=True, step="folded",
            violated=f"SD-FOLD-{number % causes + 1}", request="|" * 240, expected="<" * 240, given="*" * 240,
            diagnosis=["_" * 240],
        )
        for number in range(cases)
    )  # fmt: skip
    handshake = run_fake("good", cases=(template,)).handshake
    suite = Suite("0.1.0", 1, "0" * 64, "0" * 64, tuple(verdict.case for verdict in verdicts))
    return make_report(suite, RunOptions(), Outcome(handshake, ("steps",), verdicts))


@pytest.mark.parametrize("causes", [3, pytest.param(300, marks=pytest.mark.slow)])
def test_reports_of_a_very_wrong_implementation_stay_small(causes: int) -> None:
    report = very_wrong(1500, causes)
    page = report_of_page(report)
    assert sum(len(rows) for rows in parts(section(page, "What to fix first"), "rows")) == min(1500, EXAMPLES * causes)
    assert f"{1500 // causes - EXAMPLES} more like these" in texts(page) or causes == 300
    assert "small/case-1499" in texts(page)
    text = markdown(report)
    assert len(text.encode()) <= 200_000
    assert "1,500 of 1,500 tested cases failed" in text
    shown = sum(line.startswith("| small") for line in text.splitlines())
    counted = [int(number) for number in re.findall(r"^(\d+) more", text, re.MULTILINE)]
    assert shown + sum(counted) == 1500
    root = ElementTree.fromstring(junit(report))
    assert len(root.findall("testsuite/testcase/failure")) == 1500
    assert sum(failure.text is not None for failure in root.iter("failure")) == min(1500, EXAMPLES * causes)


def test_the_example_of_a_finding_comes_before_plainer_cases_of_its_step() -> None:
    rows = very_wrong(3, 1)["cases"]
    rows[2] |= {"example": True, "request": "a longer request than the others"}
    assert grouped(rows)[0].rows[0]["id"] == rows[2]["id"]


def test_failures_are_grouped_by_step_and_cause() -> None:
    rows = very_wrong(5, 2)["cases"]
    rows[2]["diagnosis"] = ["Likely bug: does not fold [fold-nothing]"]
    assert [(group.step, group.cause, len(group.rows)) for group in grouped(rows)] == [
        ("folding", "SD-FOLD-1", 2),
        ("folding", "SD-FOLD-2", 2),
        ("folding", "Likely bug: does not fold [fold-nothing]", 1),
    ]


@pytest.mark.parametrize("make", [malicious, lambda suite: report_of(suite, "good")])
def test_the_links_of_the_page_lead_to_requirements_and_its_own_parts(suite: Suite, make: Any) -> None:
    page = report_in(html_page(make(suite), lambda name: f"https://example.org/spec#{name}"))
    links = set(parts(page, "href"))
    assert {link[1:] for link in links if link.startswith("#")} <= set(parts(page, "id"))
    others = {link for link in links if not link.startswith("#")}
    assert others == ({"https://example.org/spec#SD-FOLD-1"} if make is malicious else set())


def test_the_page_links_requirements_shows_code_points_and_counts_what_was_not_tested() -> None:
    texts = {"one": "caf\u0301", "two": "two", "other": "x", "skipped": "y"}
    rows = [row(name, text, expected={"result": "?"}, input={"text": text}) for name, text in texts.items()]
    rows[2] |= {"op": "distance", "input": {"a": "", "b": ""}}
    cases = tuple(map(case_of, rows))
    suite = Suite("0.1.0", 1, "0" * 64, "0" * 64, cases)
    report = make_report(suite, RunOptions(), run_fake("good", cases=cases, skip=["small/skipped"]))
    schema("report").validate(report)
    assert report["untested"] == [
        {"why": "what the implementation does not support", "operations": {"distance": 1}},
        {"why": "skipped by --skip", "operations": {"fold": 1}},
    ]
    page = report_of_page(report)
    assert ["skipped by --skip", "1", "fold 1"] in section(page, "What was not tested")["blocks"][0]["rows"]
    assert [value for name, value in facts(page) if name == "Code points"] == ["U+0063 U+0061 U+0066 U+0301"]
    assert {"text": "SD-FOLD-1", "href": address("SD-FOLD-1")} in parts(page, "text", "SD-FOLD-1")


def test_the_page_marks_where_answers_differ_and_names_marks() -> None:
    report = very_wrong(2, 1)
    report["cases"][0] |= {"expected": "e\u0301 one end", "given": "e two end"}
    report["cases"][1] |= {"expected": "sd64:aaaaaaaaaaaaa", "given": "sd64:aaaaaaaaaaaac"}
    page = report_of_page(report)
    assert ["Expected", ["e", {"text": "\u0301 one", "style": "mark"}, " end"]] in facts(page)
    assert ["Given", ["e", {"text": " two", "style": "mark"}, " end"]] in facts(page)
    assert ["Marks", "U+0301 combining acute accent"] in facts(page)
    assert ["Distance", "1 of 64 bits"] in facts(page)
    assert page["heading"].endswith(" does not conform: 2 of 2 tested cases failed")
    assert {"value": "2 wrong", "label": "folding", "tone": "bad", "show": "folding"} in parts(page, "value", "2 wrong")
    assert parts(page, "parts") == [[{"count": 2, "label": "failed", "tone": "bad"}]]


def test_the_page_says_a_diagnosis_of_a_group_once() -> None:
    report = very_wrong(3, 1)
    for case in report["cases"]:
        case["diagnosis"] = ["Likely bug: does not fold [fold-nothing]", "of one case"]
    assert [value for name, value in facts(report_of_page(report)) if name == "Diagnosis"] == [["of one case"]] * 3


def test_the_engine_is_in_the_report_if_the_adapter_names_it(suite: Suite) -> None:
    report = report_of(suite, "engine")
    schema("report").validate(report)
    assert report["implementation"]["engine"] == "numpy"
    assert all("numpy" in writer(report) for writer in (markdown, html_page))
    assert "engine" not in report_of(suite, "good")["implementation"]


def test_junit_counts_and_groups(suite: Suite) -> None:
    root = ElementTree.fromstring(junit(report_of(suite, "crash")))
    (group,) = root.findall("testsuite")
    assert (group.get("name"), group.get("tests"), group.get("errors")) == ("small", "8", "1")
    error = group.find("testcase[@name='small/bad']/error")
    assert error is not None
    assert error.get("message") == "broken: exited with status 3 before it answered"


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal_output(
    stream: io.StringIO, suite: Suite, mode: str, *, verbose: bool = False, details: bool = False
) -> str:
    terminal = Terminal(len(suite.cases), stream, verbose=verbose)
    outcome = run_fake(mode, cases=suite.cases, on_verdict=terminal.show)
    report = make_report(suite, RunOptions(), outcome, diagnosis=["Likely bug: reads backwards"] * (mode == "wrong"))
    terminal.summarize(report, outcome.verdicts, all_details=details)
    return stream.getvalue()


def test_a_pipe_gets_the_summary_before_the_details_of_failures(suite: Suite) -> None:
    assert terminal_output(io.StringIO(), suite, "wrong").splitlines() == [
        "Failed cases by step:",
        "  folding: 1 (SD-FOLD-1 1)",
        "",
        "Likely bug: reads backwards",
        "",
        "failed small/bad",
        "  The text bad.",
        "  wrong answer",
        "  requirement SD-FOLD-1 (specification, section 4)",
        '  request   {"op": "fold", "text": "bad"}',
        '  expected  "dab"',
        '  given     "\\u202ewrong\\u001b[31m<b>&\\ud800"',
        "",
        "The rule that a case tests: simhash-doc conformance explain CASE",
        "",
        "simhash-doc conformance: fake fake",
        "7 passed, 1 failed",
        "1 of 8 tested cases failed",
    ]


def test_details_of_all_failures_are_shown_on_request(tmp_path: Path) -> None:
    wrong = [row(f"case-{number}", f"{number}x", expected={"result": "?"}) for number in range(8)]
    suite = load_suite(write_vectors(tmp_path / "vectors", wrong))
    few = terminal_output(io.StringIO(), suite, "good")
    assert few.count("failed small/") == 5
    assert "3 more failures; show them with --details" in few
    assert terminal_output(io.StringIO(), suite, "good", details=True).count("failed small/") == 8


@pytest.mark.parametrize(
    ("mode", "shown"),
    [
        ("crash", "broken: crash small/bad"),
        ("crash", "  | Traceback: index out of range"),
        ("crash-at-once", "not-run small/"),
    ],
)
def test_a_failure_is_shown_once_with_the_end_of_standard_error(suite: Suite, mode: str, shown: str) -> None:
    assert terminal_output(io.StringIO(), suite, mode).count(shown) == 1


def test_progress_is_shown_on_a_terminal_alone(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = io.StringIO()
    for errors, seen in ((io.StringIO(), False), (_Screen(), True)):
        monkeypatch.setattr(sys, "stderr", errors)
        terminal = Terminal(200, summary)
        monkeypatch.setattr(time, "monotonic", lambda: 1e12)
        terminal.show(Verdict(suite.cases[0], "passed"))
        assert ("1 of 200 cases, 0 bad" in errors.getvalue()) == seen
        monkeypatch.undo()
    assert summary.getvalue() == ""


def test_a_verbose_run_names_every_case_and_has_colour_only_on_terminals_that_allow_it(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[31mfailed\x1b[0m" in terminal_output(_Screen(), suite, "wrong")
    monkeypatch.setenv("NO_COLOR", "1")
    output = terminal_output(_Screen(), suite, "wrong", verbose=True)
    assert "\x1b[3" not in output
    assert all(f" {case.id}" in output for case in suite.cases)


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "Small"},
        {"op": "trace"},
        {"input": {"text": "a", "bytes": "61"}},
        {"input": {"recipe": {"repeat": "a"}}},
        {"op": "encode", "input": {"hex": "00", "scheme": "sd64"}},
        {"op": "buckets", "input": {"text": "a", "scheme": "sd64"}, "expected": {"result": [128]}},
        {"expected": {"error": "acceptable"}},
        {"expected": {"result": "a", "error": "padding"}},
        {"requirements": []},
        {"same": []},
    ],
)
def test_the_schema_rejects_wrong_vectors(changes: dict[str, Any]) -> None:
    head = {"suite": "0.1.0", "specification": 1, "generated_by": "a command", "group": "small"}
    assert not schema("vectors").is_valid({**head, "cases": [row("x", "x", **changes)]})
