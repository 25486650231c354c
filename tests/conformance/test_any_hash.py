"""The checks of any hash: a good hash passes, and each kind of bad one fails the requirement that it violates."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import xxhash

from any_hash import check as any_hash
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.protocol import Answer, Handshake

ADAPTER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        names = {"name": "tiny", "version": "1", "language": "Python", "unicode": "15.0"}
        answer = {"protocol": 1, **names, "operations": ["hash"], "schemes": [], "features": []}
    else:
        text = request["text"]
        answer = {"id": request["id"], "result": HASH}
    print(json.dumps(answer), flush=True)
"""
WINDOW = 3
FOLDER = Path(__file__).parents[2] / "conformance/any_hash"


def good(text: str) -> str | None:
    """Return a simhash of windows of characters, and of the complete text for a shorter one."""
    words = " ".join(text.casefold().split())
    if not any(character.isalnum() for character in words):
        return None
    sums = [0] * 64
    for start in range(max(1, len(words) - WINDOW + 1)):
        value = xxhash.xxh64_intdigest(words[start : start + WINDOW].encode())
        sums = [total + (1 if value >> bit & 1 else -1) for bit, total in enumerate(sums)]
    return f"{sum(1 << bit for bit, total in enumerate(sums) if total > 0):016x}"


class Tiny:
    """A target and its peers, in this process.

    Args:
        hashes: a function from a text and the number of the process to a hash, or None if it refuses the text.
        distance: of two hashes; that of the runner if None.
    """

    kind = "tiny"

    def __init__(
        self, hashes: Callable[[str, int], str | None], distance: Callable[[str, str], object] | None = None
    ) -> None:
        self._hashes, self._distance, self._processes = hashes, distance, 0
        operations = ("hash", "distance") if distance else ("hash",)
        self.handshake = Handshake("tiny", "1", "Python", "15.0", operations, (), ())

    def connect(self, *_: object) -> Tiny:
        self._processes += 1
        return self

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        if request["op"] == "distance":
            assert self._distance is not None
            return {"result": self._distance(request["a"], request["b"])}
        value = self._hashes(request["text"], self._processes)
        return {"error": "no-token"} if value is None else {"result": value}

    def close(self) -> None:
        """Do nothing."""

    kill = close


def failed(target: Tiny) -> set[str]:
    report = any_hash.check(target, 1)
    assert report["ok"] == all(finding["status"] != "failed" for finding in report["findings"])
    for finding in report["findings"]:
        assert (finding["status"] == "observed") == (finding["kind"] == "property")
        assert bool(finding["examples"]) == (finding["status"] == "failed")
    return {finding["check"] for finding in report["findings"] if finding["status"] == "failed"}


def observed(target: Tiny) -> dict[str, str]:
    return {finding["check"]: finding["observed"] for finding in any_hash.check(target, 1)["findings"]}


DIFFER = {"short texts differ", "texts of other alphabets differ", "texts of unspaced scripts differ"}
STABLE = {f"a small edit moves a text little: {language}" for language in any_hash.PARAGRAPHS}
EMPTY = "no text is equal to an empty one"
EQUAL = "equal texts have equal hashes"
DISTANCE = "the distance is symmetric, at least 0, and 0 for equal hashes"
ANSWERS = "every text has an answer"


def test_a_good_hash_passes() -> None:
    target = Tiny(lambda text, _: good(text))
    assert failed(target) == set()
    found = observed(target)
    assert found["upper case"] == found["two spaces for one"] == "equal"
    assert found["full-width letters"].startswith("far: ")
    assert found["texts without a word"] == f"{len(any_hash.TOKEN_LESS)} of {len(any_hash.TOKEN_LESS)} refused"
    constant = Tiny(lambda text, _: good(text) or "f" * 16)  # for texts without a word alone
    assert failed(constant) == set()
    assert "have the hash ffffffffffffffff" in observed(constant)["texts without a word"]


def short_constant(text: str, _: int) -> str:
    """Return 0 for a text under one window, which has no features, and for the empty text."""
    return (good(text) or "0" * 16) if len(text) >= WINDOW else "0" * 16


def seeded(text: str, process: int) -> str | None:
    return f"{int(value, 16) ^ process:016x}" if (value := good(text)) else None


def crashing(text: str, _: int) -> str | None:
    if text == "cat":
        raise PeerError("crash", "exited with status 1")
    return good(text)


@pytest.mark.parametrize(
    ("hashes", "expected"),
    [
        pytest.param(lambda *_: "00", {*DIFFER, *STABLE, EMPTY}, id="constant"),
        pytest.param(
            short_constant, {"short texts differ", EMPTY}, id="constant for short texts", marks=pytest.mark.slow
        ),
        pytest.param(seeded, {EQUAL}, id="seed per process"),
        pytest.param(
            lambda text, _: xxhash.xxh64_hexdigest(text.encode()),
            STABLE,
            id="digest of the complete text",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda text, _: good(text) if text.isascii() else None,
            {ANSWERS},
            id="refuses paragraphs",
            marks=pytest.mark.slow,
        ),
        pytest.param(crashing, {ANSWERS}, id="process that fails"),
    ],
)
def test_a_bad_hash_fails_what_it_violates(hashes: Callable[[str, int], str | None], expected: set[str]) -> None:
    assert failed(Tiny(hashes)) == expected


def test_a_hash_with_state_fails() -> None:
    counts: dict[str, int] = {}

    def counted(text: str, _: int) -> str:
        counts[text] = counts.get(text, 0) + 1
        return f"{counts[text] % 2:x}{good(text) or '0' * 16}"

    assert EQUAL in failed(Tiny(counted))


def hamming(a: str, b: str) -> int:
    return (int(a, 16) ^ int(b, 16)).bit_count()


@pytest.mark.parametrize(
    "distance",
    [
        pytest.param(lambda a, b: hamming(a, b) + (a > b), id="asymmetric"),
        pytest.param(lambda a, b: hamming(a, b) - 8, id="negative", marks=pytest.mark.slow),
        pytest.param(lambda a, b: hamming(a, b) + 1, id="equal hashes are apart", marks=pytest.mark.slow),
    ],
)
def test_a_wrong_distance_fails(distance: Callable[[str, str], float]) -> None:
    assert DISTANCE in failed(Tiny(lambda text, _: good(text), distance))


def test_a_hash_blind_to_unspaced_scripts_fails() -> None:
    def spaced_only(text: str, _: int) -> str:
        return good(" ".join(word for word in text.split() if word < "\u0e00")) or "0" * 16

    found = failed(Tiny(spaced_only))
    assert found >= {"texts of unspaced scripts differ", EMPTY, "a small edit moves a text little: Chinese"}
    assert "a small edit moves a text little: English" not in found


@pytest.mark.parametrize(
    ("hashes", "distance", "message"),
    [
        (lambda text, _: "xyz" if text.startswith("The ferry") else good(text), None, "equally long hex"),
        (lambda text, _: "0" * 15 if text.startswith("The ferry") else good(text), None, "equally long hex"),
        (lambda text, _: good(text), lambda a, b: None, "a number as result"),
        (lambda text, _: good(text), lambda a, b: "1", "a number as result"),
        (lambda text, _: good(text), lambda a, b: True, "a number as result"),
    ],
)
def test_hashes_are_equally_long_hex_or_a_distance_is_a_number(hashes: Any, distance: Any, message: str) -> None:
    with pytest.raises(PeerError, match=message):
        any_hash.check(Tiny(hashes, distance), 1)


def test_the_texts_are_what_the_checks_assume() -> None:
    assert not any(character.isalnum() for text in any_hash.TOKEN_LESS for character in text)
    for language, paragraphs in any_hash.PARAGRAPHS.items():
        edit = any_hash.EDITS[language]
        assert paragraphs[0].count(edit["replaced"]) == 1, language
        assert edit["by"] not in paragraphs[0], language
    assert any_hash.VIETNAMESE.count(" ") > 50


@pytest.fixture
def adapter(tmp_path: Path) -> Callable[[str], list[str]]:
    """Return a function from an expression for the hash of `text` to the command of an adapter."""

    def write(expression: str) -> list[str]:
        script = tmp_path / "adapter.py"
        script.write_text(ADAPTER.replace("HASH", expression))
        return [sys.executable, str(script)]

    return write


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(FOLDER / "check.py"), *arguments], capture_output=True, text=True, check=False
    )


def test_the_script_reports_findings_and_status(adapter: Callable[[str], list[str]]) -> None:
    shown = run(*adapter("'00'"))
    assert shown.returncode == 1
    assert 'failed    short texts differ: 24 of 24 are equal to another\n            "a" and "b": 00\n' in shown.stdout
    assert shown.stdout.endswith(
        "tiny 1 Python; 81 texts; distance: differing bits of hexadecimal hashes\n3 of 11 requirements hold\n"
    )
    command = adapter("'00'")
    report = json.loads(run("--json", *command).stdout)
    assert report["implementation"] == {"name": "tiny", "version": "1", "language": "Python"}
    assert len(report["findings"]) == 20


def test_an_adapter_that_fails_is_named(adapter: Callable[[str], list[str]]) -> None:
    shown = run(*adapter("7"))
    assert shown.returncode == 1
    assert "garbage: the answer to hash must have a string as result" in shown.stderr
    assert run("./there-is-no-such-program").returncode == 2


def test_the_page_of_other_hashes_is_that_of_the_recorded_results() -> None:
    folder = FOLDER
    page = runpy.run_path(str(folder / "run.py"))["page"]
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert (folder / "RESULTS.md").read_text(encoding="utf-8") == page(results)
