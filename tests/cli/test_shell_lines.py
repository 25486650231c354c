"""Lines that people who live in a shell try: each does the right thing, or names the right command."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from simhash_doc import fingerprint
from simhash_doc.cli import cli
from simhash_doc.command_line.help import complete_files
from tests.cli.test_help import contexts
from tests.commands import COMMAND, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda my ny xi omicron pi rho sigma tau"
FILES = {
    "a.txt": WORDS,
    "b.txt": f"{WORDS.upper()}!",
    "far.txt": "something else altogether, of more than fifteen words, which none of the others has in common",
    "two words.txt": f"{WORDS}.",
    "line\nend.txt": f"{WORDS}?",
    "-dash.txt": f"{WORDS};",
    "digits.txt": "12 34",
    "rows.csv": f"id,text\n1,{WORDS}\n",
}
FINGERPRINT = r"sd64:[a-z2-7]{13}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, an index, a database, and `simhash-doc` in a directory for PATH."""
    place = tmp_path_factory.mktemp("shell")
    for name, text in FILES.items():
        (place / name).write_text(text, encoding="utf-8")
    program = place / ".bin/simhash-doc"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    program.chmod(0o755)
    lines = run("fingerprint", place / "a.txt", place / "far.txt").stdout.encode()
    assert run("index", "build", place / "i.sdix", stdin=lines).returncode == 0
    assert run("store", "add", "--db", place / "s.sqlite", stdin=lines).returncode == 0
    return place


def in_shell(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a line in bash, with an empty standard input."""
    missing = [
        name for name in ("jq", "xargs", "parallel") if re.search(rf"\b{name} ", line) and not shutil.which(name)
    ]
    if missing:
        pytest.skip(f"needs {missing[0]}")
    path = f"{folder / '.bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)} | variables
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


LINES = [
    # Standard input, where nothing else is named.
    ("cat a.txt | simhash-doc fingerprint", 0, rf"{FINGERPRINT}  -\n", ""),
    ("simhash-doc fingerprint < a.txt", 0, rf"{FINGERPRINT}  -\n", ""),
    ("simhash-doc fingerprint - < a.txt", 0, rf"{FINGERPRINT}  -\n", ""),
    ("simhash-doc fingerprint /dev/stdin < a.txt", 0, rf"{FINGERPRINT}  /dev/stdin\n", ""),
    ("simhash-doc fingerprint <(cat a.txt)", 0, rf"{FINGERPRINT}  /dev/fd/\d+\n", ""),
    ("cat a.txt | simhash-doc extract", 0, rf"{WORDS}\n", ""),
    ("cat a.txt | simhash-doc dedupe", 0, r"(?s).*\n", ""),
    ("cat b.txt | simhash-doc compare a.txt -", 0, r"close: 0 of 64 bits differ.*\n", ""),
    ("cat rows.csv | simhash-doc table fingerprint", 0, r'\{"id": 2.*\}\n', r"--id id takes them from the column 'id'"),
    ("cat rows.csv | simhash-doc table fingerprint --id id", 0, r'\{"id": "1".*\}\n', ""),
    ("simhash-doc fingerprint a.txt b.txt | simhash-doc find-all --text", 0, r"  0  a\.txt  b\.txt\n", ""),
    ("simhash-doc fingerprint a.txt | simhash-doc index query i.sdix --csv", 0, r"(?s)query,.*a\.txt.*", ""),
    ("simhash-doc fingerprint a.txt | simhash-doc store find --db s.sqlite", 0, r".*\"matches\": \[\{.*\n", ""),
    ("simhash-doc fingerprint a.txt b.txt --json | simhash-doc decode --json | wc -l", 0, r" *2\n", ""),
    ("simhash-doc fingerprint a.txt | cut -d' ' -f1 | xargs simhash-doc decode", 0, r"(?s)scheme +sd64\n.*", ""),
    ("simhash-doc index query i.sdix --document a.txt", 0, r'.*"distance": 0.*\n', ""),
    ("simhash-doc compare a.txt", 2, "", r"`compare a\.txt -` reads B from standard input"),
    # Lists of paths.
    ("find . -name a.txt | simhash-doc fingerprint", 0, r".*  -\n", r"--files-from - reads these files"),
    ("find . -name a.txt | simhash-doc fingerprint --files-from -", 0, rf"{FINGERPRINT}  \./a\.txt\n", ""),
    ("find . -name 'line*' -print0 | simhash-doc fingerprint -0 --files-from -", 0, r".*  \\\./line\\nend\.txt\n", ""),
    ("find . -name 'two*' -print0 | xargs -0 simhash-doc fingerprint", 0, r".*  \./two words\.txt\n", ""),
    ("printf 'two words.txt' | simhash-doc fingerprint --null --files-from -", 0, r".*  two words\.txt\n", ""),
    ("simhash-doc dedupe -0 --remove-list - -o /dev/null a.txt line* | xargs -0 ls", 0, r"(?s)'?(a|line).*", ""),
    ("simhash-doc dedupe --remove-list - -o /dev/null --keep first a.txt line*", 0, "", r"--null writes all"),
    ("simhash-doc fingerprint [a-z]*.txt 2>/dev/null | wc -l", 0, r" *5\n", ""),
    ("simhash-doc fingerprint -- -dash.txt", 0, rf"{FINGERPRINT}  -dash\.txt\n", ""),
    ("simhash-doc fingerprint ./-dash.txt", 0, rf"{FINGERPRINT}  \./-dash\.txt\n", ""),
    ("simhash-doc fingerprint *.txt", 2, "", r"No such option.*-dash\.txt is a file: write \./-dash\.txt, or --"),
    # The exit status.
    ("if simhash-doc compare --check -q a.txt b.txt; then echo near; fi", 0, r"near\n", ""),
    ("simhash-doc compare --check -q a.txt far.txt || echo far", 0, r"far\n", ""),
    ("simhash-doc compare --check a.txt far.txt", 1, r"distinct: .*, not within 3\n", ""),
    ("simhash-doc compare --check a.txt far.txt --distance 31", 1, r"distinct: .*\n", ""),
    ("simhash-doc compare --check a.txt digits.txt", 2, "", r"no token"),
    ("simhash-doc compare --check a.txt absent.txt", 2, "", r"no such file"),
    ("simhash-doc compare --check a.txt a.txt > /dev/full", 2, "", r"standard output: No space left on device"),
    ("simhash-doc fingerprint digits.txt 2>/dev/null || echo $?", 0, r"1\n", ""),
    ("simhash-doc fingerprint --json [a-z]*.txt 2>/dev/null | head -n 1", 0, r"\{.*\}\n", ""),
    # JSON, and other forms.
    ("simhash-doc fingerprint a.txt --json | jq -r .fingerprint", 0, rf"{FINGERPRINT}\n", ""),
    ("simhash-doc compare a.txt b.txt --json | jq .distance", 0, r"0\n", ""),
    ("simhash-doc find-all --json < <(simhash-doc fingerprint a.txt b.txt) | jq -r .b", 0, r"b\.txt\n", ""),
    ("simhash-doc fingerprint a.txt -o out.jsno", 2, "", r"unknown extension \.jsno; expected one of \.jsonl"),
    ("simhash-doc index info i.sdix --json | jq .fingerprints", 0, r"2\n", ""),
    # Names that are no files, options that are missing, help.
    ("simhash-doc fingerprint https://example.org/", 1, "", r"simhash-doc reads no URLs: save it as a file \(curl"),
    ("simhash-doc compare a.txt https://example.org/", 2, "", r"simhash-doc reads no URLs: save it as a file \(curl"),
    ("simhash-doc find-all https://example.org/x.jsonl", 1, "", r"simhash-doc reads no URLs: save it as a file"),
    ("simhash-doc store find --db TYPO a.txt", 1, "", r"TYPO"),
    ("simhash-doc store stats", 2, "", r"Missing option '--db' \(env var: 'SIMHASH_DOC_DB'\)"),
    ("simhash-doc fingerprnt a.txt", 2, "", r"No such command 'fingerprnt'"),
    ("simhash-doc -V", 0, r"simhash-doc \S+ \(specification \S+\)\n", ""),
    ("simhash-doc -h | head -n 1", 0, r"Usage: simhash-doc .*\n", ""),
    ("source <(simhash-doc completion bash) && complete -p simhash-doc", 0, r"complete .*simhash-doc\n", ""),
]  # fmt: skip


def is_slow(line: str) -> bool:
    """Return whether a line starts several programs, or loads a database or tables."""
    return line.count("simhash-doc") > 1 or " store " in line or " table " in line


@pytest.mark.parametrize(
    ("line", "status", "printed", "message"),
    [
        pytest.param(*one, id=one[0], marks=[pytest.mark.slow] if at % 2 or is_slow(one[0]) else [])
        for at, one in enumerate(LINES)
    ],
)
def test_a_line_works_or_names_the_right_command(
    line: str, status: int, printed: str, message: str, folder: Path
) -> None:
    done = in_shell(line, folder)
    assert done.returncode == status, done.stderr
    assert re.fullmatch(printed, done.stdout), done.stdout
    assert re.search(message, done.stderr) if message else done.stderr == ""


def test_a_variable_changes_the_default_scheme_of_what_is_computed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SIMHASH_DOC_SCHEME", "sd128")
    (printed, given) = (run("fingerprint", "a.txt", *option).stdout for option in ((), ("--scheme", "sd256")))
    assert (printed[:6], given[:6]) == ("sd128:", "sd256:")
    assert "of 128 bits" in run("compare", "a.txt", "b.txt").stdout
    narrow = run("index", "query", "i.sdix", "--document", "a.txt").stdout
    assert '"distance": 0' in narrow, "what is stored decides, not the variable"
    assert "of 64 bits" in run("compare", "a.txt", "larqgiqsckcca").stdout
    monkeypatch.setenv("SIMHASH_DOC_SCHEME", "sd65")
    wrong = run("fingerprint", "a.txt")
    assert (wrong.returncode, "(env var: 'SIMHASH_DOC_SCHEME'): 'sd65' is not one of" in wrong.stderr) == (2, True)


def test_the_status_of_a_crash_is_no_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*arguments: object, **given: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("simhash_doc.cli.document_report.find_sources", crash)
    done = run("compare", "--check", folder / "a.txt", folder / "b.txt")
    assert (done.returncode, "RuntimeError: broken" in done.stderr) == (2, True)


def at_a_terminal(*arguments: str) -> tuple[str, int]:
    """Return what a command prints if all of its standard streams are a terminal, and its status."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        try:
            while data := os.read(ours, 4096):
                seen += data
        except OSError:  # the terminal is gone with the process
            pass
    os.close(ours)
    return seen.decode(), process.returncode


@pytest.mark.parametrize("command", ["fingerprint", "find-all", "decode"])
def test_a_command_does_not_wait_for_a_person_without_a_word(command: str) -> None:
    seen, status = at_a_terminal(command)
    assert (status, "standard input is a terminal" in seen, f"COMMAND | simhash-doc {command}" in seen) == (
        2,
        True,
        True,
    )


@pytest.mark.parametrize(
    "command", [("extract",), ("extract", "--json"), ("fingerprint", "--csv"), ("dedupe",)], ids=" ".join
)
def test_a_terminal_gets_no_control_characters_of_documents(command: tuple[str, ...], tmp_path: Path) -> None:
    """Progress uses some of its own, but at most one document is read here."""
    text = f"{WORDS} \x1b]0;title\x07 \x9b1m\r\n"
    (tmp_path / "n\x1b[31m.txt").write_bytes(text.encode())
    seen, status = at_a_terminal(*command, str(tmp_path))
    own = seen.replace("\r\n", "\n").replace("\r\x1b[K", "")
    assert (
        status,
        re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", re.sub(r"comparing files|searching.*?fingerprints", "", own)),
    ) == (0, None)
    assert text.strip() in run("extract", tmp_path).stdout, "a pipe gets every character"


HOSTILE = "x\x1b]0;title\x07\x9d\u202e\u200b\nforged"


@pytest.mark.parametrize(
    "command",
    [
        ("index", "info", HOSTILE),
        ("index", "verify", HOSTILE),
        ("index", "info", f"{HOSTILE} of nothing"),
        ("index", "build", f"{HOSTILE} of nothing/index", "lines.jsonl"),
        ("store", "stats", "--db", f"{HOSTILE}.sqlite"),
        ("store", "verify", "--db", f"{HOSTILE}.sqlite"),
        ("compare", "--explain", "a.txt", f"{HOSTILE}.txt"),
        ("conformance", "init", "--lang", HOSTILE),
        ("conformance", "init", "--lang", "r", f"{HOSTILE} new"),
    ],
    ids=lambda command: " ".join(command).replace(HOSTILE, "X"),
)
def test_names_forge_no_line_of_a_terminal_and_are_seen(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"id": HOSTILE, "fingerprint": str(fingerprint(WORDS))}
    (tmp_path / "lines.jsonl").write_text(json.dumps({**row, "collection": HOSTILE}))
    (tmp_path / "a.txt").write_text(WORDS)
    (tmp_path / f"{HOSTILE}.txt").write_text(f"{WORDS} more")
    run("index", "build", HOSTILE, "lines.jsonl")
    run("store", "add", "--db", f"{HOSTILE}.sqlite", "lines.jsonl")
    seen, status = at_a_terminal(*command)
    assert status in (0, 1, 2)
    assert r"\x1b]0;title\x07\x9d\u202e\u200b\nforged" in seen
    shell = re.sub(r"(?m)^    cd '[^']*'\r\n", "", seen)  # quoted for a shell, in which each character counts
    own = shell.replace("\r\n", "\n").replace("\r\x1b[K", "")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]|\nforged", own)


@pytest.mark.parametrize("context", list(contexts()), ids=lambda context: context.command_path)
def test_values_that_are_files_complete_to_files(context: click.Context) -> None:
    complete_files(context.command)
    for parameter in context.command.params:
        if re.search(r"\b(FILE|PATH|DIR|INDEX|OLD)\b", parameter.metavar or "") and parameter.name != "command":
            assert [item.type for item in parameter.type.shell_complete(context, parameter, "a")] in (["file"], ["dir"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_asks_this_program(shell: str) -> None:
    done = run("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_SIMHASH_DOC_COMPLETE" in done.stdout
    assert "simhash-doc" in done.stdout


def test_the_man_page_has_every_command_and_option() -> None:
    pytest.importorskip("hatchling")
    from release.man_page import man_page

    page = man_page().replace("\\-", "-")
    for context in contexts():
        if isinstance(context.command, click.Group):
            continue
        section = page.partition(f'.SS "{context.command_path}"')[2].partition(".SS ")[0]
        options = {max(one.opts, key=len) for one in context.command.params if isinstance(one, click.Option)}
        assert {one for one in options if f"{one}" not in section} == set(), context.command_path
    if shutil.which("groff"):
        rendered = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8"], input=man_page().encode(), capture_output=True, check=True
        )
        assert (b"SIMHASH-DOC(1)" in rendered.stdout, rendered.stderr) == (True, b"")


def test_the_program_has_the_name_that_the_man_page_has() -> None:
    assert cli.get_help(click.Context(cli, info_name="simhash-doc")).startswith("Usage: simhash-doc")
