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
    done = run("fingerprint", "--csv", *arguments, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, "")
    return [name for name in FILES if f"in/{name}" in done.stdout.replace('"', "")]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--include", "*.md", "--include", "a.*"], ["a.txt", "notes.md"]),
        (["--exclude", "node_modules", "--exclude", "*.md"], ["a.txt", "b.html.txt", "deep/c.txt", "two\nlines.txt"]),
        (["--include", "*.txt", "--exclude", "deep/*"], ["a.txt", "b.html.txt", "two\nlines.txt"]),
    ],
)
def test_patterns_apply_to_files_in_directories(folder: Path, options: list[str], names: list[str]) -> None:
    assert read(*options, "in") == names


def shown(*arguments: str) -> tuple[list[str], str, int]:
    done = run("fingerprint", *arguments)
    return [line.split("  ")[1].removeprefix("in/") for line in done.stdout.splitlines()], done.stderr, done.returncode


def test_files_of_other_formats_are_counted_unless_they_are_named(folder: Path) -> None:
    others = {"page.css": b"body { color: red }", "app.js": b"var x;", "a.png": b"\x89PNG", "b.js.download": b"var y;"}
    others |= {"make.sh": b"echo some words", "make.py": b"some words"}
    others |= {"photo": b"\xff\xd8\xff\x00\x01", "book.xls": b"PK\x03\x04xl/workbook.xml"}
    for name, data in others.items():
        Path("in", name).write_bytes(data)
    names, messages, status = shown("in")
    assert (len(names), status) == (len(FILES), 0)
    start, _, formats = messages.rstrip().rpartition(": ")
    assert start == "simhash-doc: 8 files of other formats skipped"
    assert {*formats.split(", ")} == {"JavaScript (2)", "script (2)", "image (2)", "CSS (1)", "Excel workbook (1)"}
    assert shown("in/page.css")[0] == ["page.css"]
    assert shown("--include", "*.css", "in")[0] == ["page.css"]
    assert "no text can be read from JPEG image content" in shown("in/photo")[1]
    assert shown("-q", "in")[1:] == ("", 0)
    report = run("dedupe", "in")
    assert (report.returncode, report.stderr) == (0, messages)
    for name in FILES:
        Path("in", name).unlink()
    names, messages, status = shown("in")
    assert (names, status, "simhash-doc: no documents found\n" in messages) == ([], 1, True)


def test_a_type_selects_files_in_directories(folder: Path) -> None:
    Path("in/page.html").write_text("<p>some words of a page", encoding="utf-8")
    names, messages, status = shown("--type", "html", "in")
    assert (names, status) == (["page.html"], 0)
    assert messages == "simhash-doc: 6 files of other formats skipped: text (5), markdown (1)\n"
    assert shown("--type", "html", "in/a.txt")[0] == ["a.txt"]


def test_hidden_files_and_links_are_read_on_request(folder: Path) -> None:
    for name in ("in/.profile", "in/.git/config", "elsewhere/e.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("some words", encoding="utf-8")
    Path("in/link").symlink_to("../elsewhere")
    Path("in/deep/up").symlink_to("../../in")
    assert len(shown("in")[0]) == len(FILES)
    assert {*shown("--hidden", "in")[0]} - {*shown("in")[0]} == {".git/config", ".profile"}
    names, messages, status = shown("--follow", "in")
    assert ({*names} - {*shown("in")[0]}, status) == ({"link/e.txt"}, 0)
    assert "in/deep/up: skipped: a link to a directory above it" in messages


def test_ignore_files_apply_below_each_directory(folder: Path) -> None:
    Path("rules").write_text("# built\nnode_modules/\n*.txt\n!/a.txt\n", encoding="utf-8")
    assert shown("--ignore-file", "rules", "in")[0] == ["a.txt", "notes.md"]
    done = run("fingerprint", "--ignore-file", "absent", "in")
    assert (done.returncode, "absent: cannot be read" in done.stderr) == (1, True)


def test_short_documents_are_left_out_on_request(folder: Path) -> None:
    Path("in/long").write_text("one two three four five six seven eight nine", encoding="utf-8")
    Path("in/digits").write_text("12 34", encoding="utf-8")
    names, messages, status = shown("--min-tokens", "9", "in")
    assert (names, status) == (["long"], 0)
    assert messages == "simhash-doc: 7 documents with fewer tokens than --min-tokens left out\n"


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lists_have_line_ends_and_marks_of_any_system(folder: Path, encoding: str, end: str) -> None:
    names = ["in/a.txt", "", "in/notes.md"]
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    for last in ("", end):
        Path("list").write_bytes(mark + (end.join(names) + last).encode(encoding))
        assert read("--files-from", "list") == ["a.txt", "notes.md"]
    Path("rules").write_bytes(mark + end.join(["a.txt", "*.md", "deep"]).encode(encoding))
    assert read("--ignore-file", "rules", "in") == ["b.html.txt", "two\nlines.txt"]


def test_a_missing_path_or_list_is_reported(folder: Path) -> None:
    done = run("fingerprint")
    assert (done.returncode, "simhash-doc: -: has no fingerprint: it is empty\n" in done.stderr) == (1, True)
    done = run("dedupe", "--files-from", "absent")
    assert (done.returncode, "absent: cannot be read" in done.stderr) == (1, True)
    assert run("extract", "--include", "*.none", "in").returncode == 1
