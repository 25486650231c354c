"""The sweep of all scalar values, and fuzzing, against correct and wrong implementations."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc import set_engine
from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.full import fuzz
from simhash_doc.conformance.generated_requests import OPERATIONS, Stage, Understood, smallest
from simhash_doc.conformance.generated_texts import in_pieces, inputs
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.package import PackageImplementation
from simhash_doc.conformance.sweep import BLOCKS, blocks_of, sweep
from simhash_doc.engines.select import get_setting
from tests import commands
from tests.conformance.small import schema
from tests.engines.engines import NUMBA_MARKS

ADAPTER = [*commands.COMMAND, "conformance", "adapter"]


def asking(steps: Implementation | PackageImplementation) -> Any:
    adapter = Adapter(steps)

    def ask(request: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            return adapter.answer({"id": 0, **request})
        except IndexError as error:  # a mutant may fail on an input in any way
            return {"error": type(error).__name__}

    return ask


def swept(ask: Any, op: str, *blocks: tuple[int, int], most: int = 200, digest: bool = True) -> list[int]:
    return sweep(ask, op, blocks, most, digest=digest)


@pytest.mark.parametrize(
    ("op", "digest"), [("fold", True), ("tokens", True), pytest.param("tokens", False, marks=pytest.mark.slow)]
)
def test_a_sweep_finds_exactly_the_code_points_that_differ(op: str, digest: bool) -> None:
    ask = asking(mutants()["fold-cherokee-kept"].implementation())
    assert swept(ask, op, (0x1000, 0x1FFF), (0xA000, 0xAFFF), digest=digest) == list(range(0xAB70, 0xABC0))


def test_a_sweep_by_buckets_finds_exactly_the_code_points_that_differ() -> None:
    blocks = [block for block in blocks_of("buckets") if block[0] in range(0xAB40, 0xAC00)]
    ask = asking(mutants()["fold-cherokee-kept"].implementation())
    assert swept(ask, "buckets", *blocks) == list(range(0xAB70, 0xABC0))


def test_a_sweep_by_fingerprints_alone() -> None:
    ask = asking(mutants()["run-without-mc"].implementation())
    assert swept(ask, "fingerprint", (0x903, 0x903), (0x904, 0x904)) == [0x903]


def test_a_sweep_compares_with_the_reference_not_with_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PackageImplementation, "fold", lambda self, text: text)
    assert swept(asking(PackageImplementation()), "fold", (0x41, 0x5A), most=3) == [0x41, 0x42, 0x43]


@pytest.mark.parametrize("op", BLOCKS)
def test_a_sweep_covers_every_scalar_value(op: str) -> None:
    covered = {code_point for first, last in blocks_of(op) for code_point in range(first, last + 1)}
    assert covered >= {*range(0xD800), *range(0xE000, 0x110000)}
    assert max(covered) == 0x10FFFF


@pytest.mark.parametrize("answer", [{"unsupported": True}, {"error": "no"}, {"result": None}])
def test_a_sweep_needs_answers(answer: Mapping[str, Any]) -> None:
    for digest in (False, True):
        assert swept(lambda request: answer, "fold", (0x41, 0x4F), most=3, digest=digest) == [0x41, 0x42, 0x43]


def test_a_sweep_stops_at_the_maximum_number_of_differences() -> None:
    ask = asking(mutants()["run-ascii-only"].implementation())
    assert len(swept(ask, "tokens", (0x1000, 0x1FFF), most=5)) == 5


@pytest.mark.parametrize("op", OPERATIONS)
def test_fuzzing_finds_nothing_in_the_package(op: str) -> None:
    in_bytes = Understood(pieces=frozenset({"bytes"}))
    compared, finding = fuzz(asking(PackageImplementation()), op, examples=15, seed=1, understood=in_bytes)
    assert (finding, compared >= 15) == (None, True)


def test_fuzzing_finds_what_only_pieces_show() -> None:
    finding = fuzz(asking(mutants()["cuts-end-text"].implementation()), "fingerprint", examples=400, seed=1)[1]
    assert finding
    cuts = finding.case.members["cuts"]
    joined = {name: value for name, value in finding.case.members.items() if name != "cuts"}
    adapter = Adapter(Implementation())
    assert cuts == sorted(cuts)
    assert adapter.answer({"id": 0, "op": "fingerprint", **joined}) == {"id": 0, **finding.case.expected}


@pytest.mark.parametrize("engine", ["python", "numpy", pytest.param("numba", marks=NUMBA_MARKS)])
@given(in_pieces(inputs(frozenset({"bytes"})), frozenset({"bytes"})))
@settings(max_examples=20, deadline=None)
def test_the_package_takes_pieces(engine: str, members: Mapping[str, Any]) -> None:
    """They go to the engine as they come: a short text is not kept until it is complete."""
    request = {"op": "fingerprint", "scheme": "sd64", **members}
    before = get_setting()
    try:
        assert asking(PackageImplementation(engine))(request) == asking(Implementation())(request)
    finally:
        set_engine(before)


@pytest.mark.parametrize("op", OPERATIONS)
def test_generated_requests_follow_the_protocol(op: str) -> None:
    request = schema("protocol", "request")
    seen = []

    def checked(sent: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append(sent)
        request.validate({"id": 1, **sent})
        return Adapter(Implementation()).answer({"id": 1, **sent})

    assert fuzz(checked, op, examples=20, seed=2, scheme="sd128")[1] is None
    assert len(seen) >= 20


def test_the_same_seed_gives_the_same_requests() -> None:
    def sent(seed: int) -> list[Mapping[str, Any]]:
        requests = []

        def ask(request: Mapping[str, Any]) -> Mapping[str, Any]:
            requests.append(request)
            return Adapter(Implementation()).answer(request)

        fuzz(ask, "query", examples=20, seed=seed)
        return requests

    first = sent(1)
    assert first == sent(1)
    assert first != sent(2)


def test_an_implementation_gets_only_what_it_understands() -> None:
    def ask(request: Mapping[str, Any]) -> Mapping[str, Any]:
        assert "bytes" not in request
        assert "utf16" not in request
        assert request.get("scheme") not in ("sd128", "sd256", "sd512")
        assert request["op"] != "decode" or not re.match(r"sd(128|256|512)(\+custom)?:", request["text"].lower())
        return Adapter(Implementation()).answer(request)

    understood = Understood(("sd64",), frozenset({"text"}))
    for op in ("fingerprint", "decode", "query"):
        assert fuzz(ask, op, examples=20, seed=1, understood=understood)[1] is None


@pytest.mark.parametrize(
    ("mutant", "op", "scheme", "smallest"),
    [
        # Only across a border.
        pytest.param("pieces-links65536", "tokens", "sd64", None, marks=pytest.mark.slow),
        ("surrogate-dropped", "fold", "sd64", None),
        ("fold-without-case", "fold", "sd64", 1),
        ("run-without-nd", "tokens", "sd64", 2),
        ("single-dropped", "tokens", "sd64", 1),
        ("cap-seven", "buckets", "sd64", 24),
        ("custom-mark-lost", "decode", "sd64", None),
        ("mismatch-custom", "decode", "sd64", None),
        ("decode-takes-spare-bits", "decode", "sd128", None),
        ("scheme-name-empty", "encode", "sd64", None),
        ("sign-tie-sets", "fingerprint", "sd256", None),
        ("texts-schemes-first", "distance", "sd64", None),
        ("lookup-drops-duplicates", "query", "sd64", None),
        ("lookup-skips-zero", "query", "sd512", None),
    ],
)
def test_fuzzing_finds_mistakes_of_every_kind_and_ends_in_a_small_text(
    mutant: str, op: str, scheme: str, smallest: int | None
) -> None:
    ask = asking(mutants()[mutant].implementation())
    _, finding = fuzz(ask, op, examples=3000 if smallest else 200, seed=5 if smallest else 4, scheme=scheme)
    assert finding is not None
    assert smallest is None or len(finding.case.members["text"]) <= smallest
    right = Adapter(Implementation()).answer({"id": 0, "op": op, **finding.case.members})
    assert finding.case.expected == {name: right[name] for name in ("result", "error") if name in right}
    assert dict(finding.answer) != right


def test_shrinking_is_bounded() -> None:
    asked = []

    def ask(request: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(request)
        return {"result": "always wrong"}

    assert fuzz(ask, "fold", examples=200, seed=1)[1] is not None
    assert len(asked) < 700


def test_a_text_of_words_is_shrunk_to_one_character() -> None:
    words = st.integers(1, 9).map(lambda count: {"text": "東 " * count + "."})
    stage = Stage("words", words, 20, [dict])
    assert smallest(stage, dict, 1, lambda found: found["text"] if "東" in found["text"] else None) == "東"


def test_fuzzing_treats_a_broken_process_as_a_wrong_answer() -> None:
    def crashing(request: Mapping[str, Any]) -> dict[str, Any]:
        if "東" in request.get("text", ""):
            raise PeerError("crash", "it exited with status 1")
        return Adapter(Implementation()).answer({"id": 0, **request})

    _, finding = fuzz(crashing, "tokens", examples=2000, seed=3)
    assert finding is not None
    assert finding.case.members["text"] == "東"
    assert finding.failure is not None
    assert finding.failure.kind == "crash"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return commands.run("conformance", *arguments)


def test_a_sweep_sends_no_undeclared_operation(tmp_path: Path) -> None:
    (tmp_path / "adapter.py").write_text(
        "import json\n"
        "assert json.loads(input())['op'] == 'hello'\n"
        "names = dict.fromkeys(['name', 'version', 'language', 'unicode'], '1')\n"
        "lists = {'operations': ['encode', 'decode'], 'schemes': ['sd64'], 'features': []}\n"
        "print(json.dumps({'protocol': 1, **names, **lists}), flush=True)\n"
        "input()\n"
    )
    done = run("unicode", "--", sys.executable, str(tmp_path / "adapter.py"))
    declares_none = "nothing was tested: the handshake declares no operation that is needed\n"
    assert (done.returncode, done.stdout) == (1, declares_none), done.stderr


@pytest.mark.slow
def test_fuzzing_leaves_no_files_in_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("fuzz", "--examples", "5", "--", *ADAPTER)
    assert (done.returncode, list(tmp_path.iterdir())) == (0, []), done.stderr


@pytest.mark.slow
def test_commands_end_with_the_status_of_the_outcome() -> None:
    done = run("fuzz", "--examples", "5", "--seed", "1", "--", *ADAPTER)
    assert (done.returncode, done.stdout.count("requests agree")) == (0, 39), done.stderr
    done = run(
        "fuzz", "--op", "tokens", "--examples", "500", "--seed", "1", "--", *ADAPTER, "--mutant", "run-without-mn"
    )
    assert done.returncode == 1
    submitted = json.loads(done.stdout.split("as a test case: ")[1])
    assert submitted["op"] == "tokens"
    done = run("fuzz", "--op", "extract", "--", *ADAPTER)
    assert (done.returncode, "'extract' is not one of" in done.stderr) == (2, True)
    done = run("adapter", "--mutant", "nobody")
    assert (done.returncode, "'nobody' is not a mutant" in done.stderr) == (2, True)


def test_explain_shows_requirement_steps_and_bugs() -> None:
    done = run("explain", "cap/nine")
    assert done.returncode == 0
    for shown in ("SD-CAP-1", "at most 8 times", "buckets", "cap-nine", "sd64:"):
        assert shown in done.stdout
    done = run("explain", "SD-TEXT-5")
    for shown in (
        "SD-TEXT-5 (specification, section 9)",
        "\n  4. If the digits",
        "If a spare bit is 1",
        "decode/name-55 ",
    ):
        assert shown in done.stdout
    assert "SD-TEXT-6" not in done.stdout
    mail = run("explain", "grammar/mail-local-first").stdout
    assert [rule for rule in ("alpha", "digit", "hex", "tail", "label") if f"\n  {rule} " in mail] == [
        "alpha",
        "digit",
        "label",
    ]
    done = run("explain", "cap/nein")
    assert (done.returncode, "cap/nine" in done.stderr) == (2, True)
