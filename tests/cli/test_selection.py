"""Which files are read: patterns and lists of paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import run

FILES = ["a.txt", "b.html.txt", "deep/c.txt", "deep/node_modules/d.txt", "notes.md", "two\nlines.txt"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in FILES:
        path = Path("in", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"some words of {name}", encoding="utf-8")
    return tmp_path


def read(*arguments: str, stdin: bytes = b"") -> list[str]:
    done = run("fingerprint", "--format", "csv", *arguments, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, "")
    return [name for name in FILES if f"in/{name}" in done.stdout.replace('"', "")]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--include", "*.md"], ["notes.md"]),
        (["--include", "*.md", "--include", "a.*"], ["a.txt", "notes.md"]),
        (["--exclude", "node_modules", "--exclude", "*.md"], ["a.txt", "b.html.txt", "deep/c.txt", "two\nlines.txt"]),
        (["--include", "*.txt", "--exclude", "deep/*"], ["a.txt", "b.html.txt", "two\nlines.txt"]),
        (["--include", "deep/c*"], ["deep/c.txt"]),
    ],
)
def test_patterns_apply_to_files_in_directories(folder: Path, options: list[str], names: list[str]) -> None:
    assert read(*options, "in") == names


def test_a_named_file_is_always_read(folder: Path) -> None:
    assert read("--exclude", "*", "in/a.txt") == ["a.txt"]


@pytest.mark.parametrize("separator", ["\n", "\0"])
def test_paths_come_from_a_list(folder: Path, separator: str) -> None:
    names = ["in/a.txt", "in/notes.md"] + (["in/two\nlines.txt"] if separator == "\0" else [])
    content = separator.join([*names, ""]).encode()
    Path("list").write_bytes(content)
    expected = [name.removeprefix("in/") for name in names]
    assert read("--files-from", "list") == expected
    assert read("--files-from", "-", stdin=content) == expected
    assert read("--files-from", "list", "in/deep/c.txt") == [
        name for name in FILES if name in [*expected, "deep/c.txt"]
    ]


def test_a_missing_path_or_list_is_reported(folder: Path) -> None:
    done = run("fingerprint")
    assert (done.returncode, "Missing argument 'PATH...'" in done.stderr) == (2, True)
    done = run("dedupe", "--files-from", "absent")
    assert (done.returncode, "absent: cannot be read" in done.stderr) == (1, True)
    assert run("extract", "--include", "*.none", "in").returncode == 1
