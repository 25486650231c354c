"""The sweep of all scalar values, and fuzzing, against correct and wrong implementations."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc import set_engine
from simhash_doc.engines.select import get_setting
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.adapters.package import PackageImplementation
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.full import fuzz
from simhash_doc_conformance.generated.requests import OPERATIONS, Stage, Understood, smallest
from simhash_doc_conformance.generated.sweep import BLOCKS, blocks_of, sweep, sweeping
from simhash_doc_conformance.generated.texts import inputs, with_cuts
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.protocol import Answer
from simhash_doc_conformance.running.judge import Verdict
from simhash_doc_conformance.running.session import Session
from tests import commands
from tests.conformance.package import InProcess
from tests.conformance.small import fake, schema
from tests.engines.engines import ENGINES

ADAPTER = [*commands.COMMAND, "conformance", "adapter"]


def asking(steps: Implementation | PackageImplementation) -> Any:
    adapter = Adapter(steps)

    def ask(request: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            return adapter.answer({"id": 0, **request})
        except IndexError as error:  # a mutant may fail on an input in any way
            return {"error": type(error).__name__}

    return ask


CHEROKEE = [*range(0xAB70, 0xABC0)]  # small letters


@pytest.mark.parametrize(
    ("mutant", "op", "digest", "blocks", "expected"),
    [
        pytest.param(
            "fold-cherokee-kept", "fold", True, [(0x1000, 0x1FFF), (0xA000, 0xAFFF)], CHEROKEE, marks=pytest.mark.slow
        ),
        pytest.param(
            "fold-cherokee-kept", "tokens", True, [(0x1000, 0x1FFF), (0xA000, 0xAFFF)], CHEROKEE, marks=pytest.mark.slow
        ),
        pytest.param("fold-cherokee-kept", "tokens", False, [(0xA000, 0xAFFF)], CHEROKEE, marks=pytest.mark.slow),
        ("fold-cherokee-kept", "buckets", True, [(0xAB40, 0xAB7F), (0xAB80, 0xABBF)], CHEROKEE),
        ("run-without-mc", "fingerprint", True, [(0x903, 0x903), (0x904, 0x904)], [0x903]),
    ],
)
def test_a_sweep_finds_exactly_the_code_points_that_differ(
    mutant: str, op: str, digest: bool, blocks: list[tuple[int, int]], expected: list[int]
) -> None:
    assert sweep(asking(mutants()[mutant].implementation()), op, blocks, 200, digest=digest) == expected


def test_a_sweep_compares_with_the_reference_not_with_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PackageImplementation, "fold", lambda self, text: text)
    assert sweep(asking(PackageImplementation()), "fold", [(0x41, 0x5A)], 3) == [0x41, 0x42, 0x43]


@pytest.mark.parametrize("op", BLOCKS)
def test_a_sweep_covers_every_scalar_value(op: str) -> None:
    covered = {code_point for first, last in blocks_of(op) for code_point in range(first, last + 1)}
    assert covered >= {*range(0xD800), *range(0xE000, 0x110000)}
    assert max(covered) == 0x10FFFF


@pytest.mark.parametrize("answer", [{"unsupported": True}, {"error": "no"}, {"result": None}])
@pytest.mark.parametrize("digest", [False, True])
def test_a_sweep_needs_answers_and_stops_at_the_maximum(answer: Mapping[str, Any], digest: bool) -> None:
    assert sweep(lambda request: answer, "fold", [(0x41, 0x4F)], 3, digest=digest) == [0x41, 0x42, 0x43]


def test_code_points_that_differ_are_reported_as_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc_conformance.generated.sweep.blocks_of", lambda op: [(0xAB60, 0xABFF)])
    wrong = InProcess(mutants()["fold-cherokee-kept"].implementation(), operations=["fold"])
    with Session(wrong, 10, "") as session:
        (verdict,) = sweeping(session)
    assert (verdict.status, verdict.step, verdict.request) == ("failed", "folded", "U+AB70 CHEROKEE SMALL LETTER A")
    assert verdict.reason == "50 or more code points differ: U+AB70..U+ABA1"


def fuzzed(
    op: str,
    steps: Implementation | PackageImplementation | None = None,
    change: Callable[[Mapping[str, Any], Answer], Answer] = lambda request, answer: answer,
    **options: Any,
) -> Verdict:
    with Session(InProcess(steps or Implementation(), change), 10, "") as session:
        return fuzz(session, op, **{"examples": 20, "seed": 1, **options})


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("scheme", ["sd64", pytest.param("sd128", marks=pytest.mark.slow)])
def test_requests_follow_the_protocol_and_the_package_answers_as_the_reference(op: str, scheme: str) -> None:
    def validated(request: Mapping[str, Any], answer: Answer) -> Answer:
        if request["op"] != "hello":
            schema("protocol", "request").validate({"id": 1, **request})
        return answer

    in_bytes = Understood(pieces=frozenset({"bytes"}))
    verdict = fuzzed(op, PackageImplementation(), validated, examples=15, scheme=scheme, understood=in_bytes)
    assert (verdict.status, verdict.inputs >= 15) == ("passed", True)


@pytest.mark.slow
def test_fuzzing_finds_what_only_pieces_show() -> None:
    case = fuzzed("fingerprint", mutants()["cuts-end-text"].implementation(), examples=400).case
    joined = {name: value for name, value in case.members.items() if name != "cuts"}
    assert case.members["cuts"] == sorted(case.members["cuts"])
    assert Adapter(Implementation()).answer({"id": 0, "op": "fingerprint", **joined}) == {"id": 0, **case.expected}


@pytest.mark.parametrize("engine", ENGINES)
@given(with_cuts(inputs(frozenset({"bytes"})), frozenset({"bytes"})))
@settings(max_examples=20, deadline=None)
def test_the_package_takes_pieces(engine: str, members: Mapping[str, Any]) -> None:
    """They go to the engine as they come: a short text is not kept until it is complete."""
    request = {"op": "fingerprint", "scheme": "sd64", **members}
    before = get_setting()
    try:
        assert asking(PackageImplementation(engine))(request) == asking(Implementation())(request)
    finally:
        set_engine(before)


def test_the_same_seed_gives_the_same_requests() -> None:
    def sent(seed: int) -> list[Mapping[str, Any]]:
        target = InProcess(Implementation())
        with Session(target, 10, "") as session:
            fuzz(session, "query", examples=20, seed=seed)
        return target.sent

    assert sent(1) == sent(1) != sent(2)


def test_an_implementation_gets_only_what_it_understands() -> None:
    def understands(request: Mapping[str, Any], answer: Answer) -> Answer:
        assert not {"bytes", "utf16"} & request.keys()
        assert request.get("scheme") not in ("sd128", "sd256", "sd512")
        assert request["op"] != "decode" or not re.match(r"sd(128|256|512)(\+custom)?:", request["text"].lower())
        return answer

    for op in ("fingerprint", "decode", "query"):
        assert fuzzed(op, change=understands, understood=Understood(("sd64",), frozenset({"text"}))).status == "passed"


@pytest.mark.parametrize(
    ("mutant", "op", "scheme", "smallest"),
    [
        # Only across a border.
        pytest.param("pieces-ascii", "tokens", "sd64", None, marks=pytest.mark.slow),
        pytest.param("surrogate-dropped", "fold", "sd64", None, marks=pytest.mark.slow),
        pytest.param("fold-without-case", "fold", "sd64", 1, marks=pytest.mark.slow),
        ("run-without-nd", "tokens", "sd64", 2),
        ("single-dropped", "tokens", "sd64", 1),
        pytest.param("cap-seven", "buckets", "sd64", 24, marks=pytest.mark.slow),
        ("custom-mark-lost", "decode", "sd64", None),
        pytest.param("mismatch-custom", "decode", "sd64", None, marks=pytest.mark.slow),
        pytest.param("decode-takes-spare-bits", "decode", "sd128", None, marks=pytest.mark.slow),
        pytest.param("scheme-name-empty", "encode", "sd64", None, marks=pytest.mark.slow),
        ("sign-tie-sets", "fingerprint", "sd256", None),
        pytest.param("texts-schemes-first", "distance", "sd64", None, marks=pytest.mark.slow),
        ("lookup-drops-duplicates", "query", "sd64", None),
        pytest.param("lookup-skips-zero", "query", "sd512", None, marks=pytest.mark.slow),
    ],
)
def test_fuzzing_finds_mistakes_of_every_kind_and_ends_in_a_small_text(
    mutant: str, op: str, scheme: str, smallest: int | None
) -> None:
    steps = mutants()[mutant].implementation()
    verdict = fuzzed(op, steps, examples=3000 if smallest else 200, seed=5 if smallest else 4, scheme=scheme)
    assert verdict.status in ("failed", "broken")
    members = verdict.case.members  # four digits of UTF-16 for a character of a text
    assert smallest is None or len(members.get("text", "")) + len(members.get("utf16", "")) / 4 <= smallest
    right = Adapter(Implementation()).answer({"id": 0, "op": op, **verdict.case.members})
    assert verdict.case.expected == {name: right[name] for name in ("result", "error") if name in right}
    assert verdict.given != verdict.expected or verdict.status == "broken"


@pytest.mark.parametrize(
    ("mutant", "op"), [("kept-by-length", "fingerprint"), ("kept-by-ends8", "buckets"), ("kept-error", "fingerprint")]
)
def test_fuzzing_repeats_requests_and_finds_what_is_kept_between_them(mutant: str, op: str) -> None:
    """A fresh implementation answers the same request correctly."""
    verdict = fuzzed(op, mutants()[mutant].implementation(), examples=100, seed=3)
    assert verdict.status == "failed"
    again = Adapter(mutants()[mutant].implementation()).answer({"op": op, **verdict.case.members})
    assert verdict.case.expected.items() <= again.items()


def test_shrinking_is_bounded() -> None:
    target = InProcess(Implementation(), lambda request, answer: {**answer, "result": "always wrong"})
    with Session(target, 10, "") as session:
        assert fuzz(session, "fold", examples=200, seed=1).status == "failed"
    assert len(target.sent) < 700


def test_a_text_of_words_is_shrunk_to_one_character() -> None:
    words = st.integers(1, 9).map(lambda count: {"text": "東 " * count + "."})
    stage = Stage("words", words, 20)
    assert smallest(stage, 1, lambda found: found["text"] if "東" in found["text"] else None) == "東"


def test_fuzzing_treats_a_broken_process_as_a_wrong_answer() -> None:
    def crashing(request: Mapping[str, Any], answer: Answer) -> Answer:
        if "東" in request.get("text", ""):
            raise PeerError("crash", "it exited with status 1")
        return answer

    verdict = fuzzed("tokens", change=crashing, examples=2000, seed=3)
    assert (verdict.status, verdict.kind, verdict.case.members["text"]) == ("broken", "crash", "東")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return commands.run("conformance", *arguments)


def test_only_declared_operations_are_tested() -> None:
    with Session(InProcess(operations=["encode", "decode"]), 10, "") as session:
        assert list(sweeping(session)) == []
    done = run("fuzz", "--op", "query", "--", *fake().command)
    assert (done.returncode, done.stdout.splitlines()[-1].startswith("nothing was tested")) == (1, True)


@pytest.mark.slow
def test_commands_end_with_the_status_of_the_outcome_and_leave_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("fuzz", "--examples", "2", "--seed", "1", "--", *ADAPTER)
    assert (done.returncode, done.stdout.count("requests agree")) == (0, 43), done.stderr
    assert list(tmp_path.iterdir()) == []
    wrong = [*ADAPTER, "--mutant", "run-without-mn"]
    done = run("fuzz", "--op", "tokens", "--examples", "500", "--seed", "1", "--", *wrong)
    assert done.returncode == 1
    assert json.loads(done.stdout.split("as a test case: ")[1])["op"] == "tokens"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fuzz", "--op", "extract", "--", "true"], "'extract' is not one of"),
        (["adapter", "--mutant", "nobody"], "'nobody' is not a mutant"),
        (["explain", "cap/nein"], "similar: cap/nine"),
    ],
)
def test_usage_errors_name_what_is_wrong(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_explain_shows_requirement_steps_and_bugs() -> None:
    shown = run("explain", "cap/nine").stdout
    assert all(part in shown for part in ("SD-CAP-1", "at most 8 times", "buckets", "cap-nine", "sd64:"))
    clause = run("explain", "SD-TEXT-5").stdout
    parts = ("SD-TEXT-5 (specification, section 9)", "\n  4. If the digits", "If a spare bit is 1", "decode/name-55 ")
    assert all(part in clause for part in parts)
    assert "SD-TEXT-6" not in clause
    mail = run("explain", "grammar/mail-local-first").stdout
    rules = [rule for rule in ("alpha", "digit", "hex", "tail", "label") if f"\n  {rule} " in mail]
    assert rules == ["alpha", "digit", "label"]
