"""The register of implementations: entries come from reports, and say whether an implementation conforms."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import register
from simhash_doc_conformance.errors import InputError
from simhash_doc_conformance.reports.writers import badge
from simhash_doc_conformance.vectors.cases import suite_digest

CONFORMANCE = Path(__file__).parents[2] / "conformance"
REPORT = (CONFORMANCE / "reports/js.json").read_bytes()
KNOWN: dict[str, Any] = {
    "id": "other",
    "maintainer": "Ada Example",
    "repository": "https://example.org/other",
    "licence": "0BSD",
    "limits": ["At most 1 MB."],
    "adapter": ["other-adapter", "-q"],
}
NEW = ["--maintainer", "Ada Example", "--repository", "https://example.org/other", "--licence", "0BSD"]


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    content = json.loads(REPORT)
    change(content)
    return json.dumps(content).encode()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a directory with an empty register."""
    (tmp_path / "reports").mkdir()
    (tmp_path / register.FILE).write_text(register.register_json({}), encoding="utf-8")
    return tmp_path


def add(directory: Path, report: bytes, *options: str) -> subprocess.CompletedProcess[str]:
    file = directory / "new.json"
    file.write_bytes(report)
    code = f"import add_report, pathlib; add_report.main({[str(file), *options]!r}, pathlib.Path({str(directory)!r}))"
    return subprocess.run([sys.executable, "-c", code], cwd=CONFORMANCE, capture_output=True, text=True, check=False)


def test_a_register_is_read_as_it_was_written() -> None:
    entries = register.read_register(CONFORMANCE / register.FILE)
    text = register.register_json(entries)
    assert text == (CONFORMANCE / register.FILE).read_text(encoding="utf-8")
    assert set(entries) >= {"python", "js", "go", "rust", "java", "c"}


def test_the_state_follows_from_the_report() -> None:
    report, digest = json.loads(REPORT), suite_digest()
    assert register.state_of(report, digest) == "conformant"
    assert register.state_of(report, "0" * 64) == "outdated"
    assert register.state_of({**report, "ok": False}, digest) == "failing"
    assert register.state_of({**report, "ok": False}, "0" * 64) == "failing"
    no_class = dict.fromkeys(report["classes"], "not-claimed")
    assert register.state_of({**report, "classes": no_class}, digest) == "failing"


def test_the_badge_of_an_older_report_says_so() -> None:
    report = json.loads(REPORT)
    assert ("outdated: " in badge(report, outdated=True), "outdated" in badge(report)) == (True, False)


def test_a_report_and_its_entry_belong_together(directory: Path) -> None:
    entry = register.recorded(KNOWN, REPORT, "2026-11-22")
    reports = directory / "reports"
    assert "is missing" in str(register.fault_of(entry, reports))
    (reports / "other.json").write_bytes(REPORT)
    assert register.fault_of(entry, reports) is None
    other = {**entry, "version": "9", "classes": ["extract"]}
    assert "version, classes differ" in str(register.fault_of(other, reports))
    (reports / "other.json").write_bytes(REPORT + b" ")
    assert "digest" in str(register.fault_of(entry, reports))


def test_a_third_party_registers_with_its_report(directory: Path) -> None:
    done = add(directory, REPORT, "--id", "other", *NEW, "--limit", "At most 1 MB.", "--adapter", "other-adapter -q")
    assert (done.returncode, "classes fingerprint, compare, steps, index" in done.stdout) == (0, True), done.stderr
    entry = register.read_register(directory / register.FILE)["other"]
    assert entry == register.recorded(KNOWN, REPORT, entry["report"]["date"])
    assert register.fault_of(entry, directory / "reports") is None
    newer = changed(lambda report: report["implementation"].update(version="2"))
    assert add(directory, newer, "--id", "other").returncode == 0
    after = register.read_register(directory / register.FILE)["other"]
    assert after == register.recorded(KNOWN, newer, entry["report"]["date"])
    assert after["version"] == "2"


@pytest.mark.parametrize(
    ("report", "options", "message"),
    [
        (REPORT, [], "other is not registered; give --maintainer, --repository, --licence"),
        (b"{}", NEW, "not a report"),
        (changed(lambda report: report.update(full=None)), NEW, "not of a full run"),
        pytest.param(
            changed(lambda report: report.update(complete=False)), NEW, "not of a full run", marks=pytest.mark.slow
        ),
        pytest.param(
            changed(lambda report: report.update(implementation=None)), NEW, "did not start", marks=pytest.mark.slow
        ),
    ],
)
def test_what_supports_no_entry_is_refused(directory: Path, report: bytes, options: list[str], message: str) -> None:
    before = (directory / register.FILE).read_bytes()
    done = add(directory, report, "--id", "other", *options)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert (directory / register.FILE).read_bytes() == before
    assert list((directory / "reports").iterdir()) == []


ENTRY = register.recorded(KNOWN, REPORT, "2026-11-22")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "is not a register"),
        ("{", "is not a register"),
        ('{"register": 2}', "has format 2, not 1"),
        (json.dumps({"register": 1, "implementations": [ENTRY, ENTRY]}), "two entries with the id other"),
    ],
)
def test_a_corrupt_register_is_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "implementations.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        register.read_register(path)
