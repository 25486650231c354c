"""Names of commands and options of other programs lead to the names here, and to no others."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from simhash_doc.cli.other_names import _COMMANDS, _OPTIONS
from tests.cli.test_help import contexts
from tests.commands import run

COMMANDS = [context.command for context in contexts()]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("hash a.txt", "'fingerprint'"),
        ("diff a.txt b.txt", "'compare'"),
        ("search a.txt", "'find-all' or 'index query' or 'store find'"),
        ("help", "'--help'"),
        ("store help", "'--help'"),
        ("version", "'--version'"),
        ("cluster a.txt", "'find-clusters'"),
        ("dedup a.txt", "'dedupe'"),
        ("fingerprints a.txt", "'fingerprint'"),
        ("store ls", "'export'"),
        ("index stats i.sdix", "'info'"),
        ("compare a.txt b.txt --format json", "'--json'"),
        ("compare a.txt b.txt --output-format=json", "'--json' or '--output'"),
        ("compare a.txt b.txt --threshold 3", "'--distance'"),
        ("dedupe --threshold 3 .", "'--distance' or '--min-similarity'"),
        ("dedupe --dry-run .", "'--remove-list'"),
        ("fingerprint --threads 2 .", "'--jobs'"),
        ("fingerprint --bits 256 .", "'--scheme'"),
        ("fingerprint --hlep", "'--help'"),
        ("find-all -d 3 a.txt", "'--distance'"),
        ("find-all --max-distance 3 a.txt", "'--distance'"),
        ("store find --database s.sqlite", "'--db'"),
    ],
)
def test_a_name_of_another_program_leads_to_ours(line: str, meant: str) -> None:
    done = run(*line.split())
    assert done.returncode == 2
    assert re.search(rf"simhash-doc: No such (command|option) '[a-z-]+'\. Did you mean {meant}\?\n$", done.stderr)


@pytest.mark.parametrize(
    "line", ["nonsense", "store nonsense", "dedupe --colour .", "compare a.txt b.txt -r", "decode -v"]
)
def test_a_name_that_nothing_here_resembles_is_answered_with_no_other(line: str) -> None:
    done = run(*line.split())
    assert (done.returncode, "Did you mean" in done.stderr, "always reads" in done.stderr) == (2, False, False)


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("a.sdix query b.txt", "simhash-doc COMMAND a.sdix"),
        ("index a.sdix query b.txt", "simhash-doc index COMMAND a.sdix"),
        ("store a.sdix find b.txt", "simhash-doc store COMMAND --db a.sdix"),
    ],
)
def test_a_file_before_the_command_is_told_its_place(
    line: str, right: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.sdix").mkdir()
    monkeypatch.chdir(tmp_path)
    done = run(*line.split())
    assert (done.returncode, done.stderr.endswith(f"The command comes first: {right}\n")) == (2, True)


@pytest.mark.parametrize("line", ["dedupe -r .", "fingerprint --recursive .", "extract -R ."])
def test_directories_need_no_option(line: str) -> None:
    assert "always reads what is below a directory" in run(*line.split()).stderr


def test_every_name_that_is_suggested_exists_and_no_name_hides_one_of_ours() -> None:
    options = {option for command in COMMANDS for parameter in command.params for option in parameter.opts}
    commands = {command.name for command in COMMANDS}
    assert _OPTIONS.keys() <= options
    assert {one.split()[-1] for meant in _COMMANDS.values() for one in meant} <= commands | {"--help", "--version"}


def test_a_group_alone_prints_its_help_once() -> None:
    for group in ((), ("store",)):
        done = run(*group)
        assert (done.stdout, done.returncode) == ("", 2)
        assert done.stderr.count("Usage:") == 1
        assert "simhash-doc: Usage" not in done.stderr


@pytest.mark.parametrize("context", list(contexts()), ids=lambda context: context.command_path)
def test_help_lists_no_argument_without_words(context: click.Context) -> None:
    assert not re.search(r"\n  \[?[A-Z_]+\]?(\.\.\.)? *\n", context.get_help().partition("Options:")[2])


def test_what_is_given_for_a_fingerprint_leads_to_the_command_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("the tide mill ground flour", encoding="utf-8")
    assert "`simhash-doc fingerprint a.txt` computes" in run("decode", "a.txt").stderr
    assert "a text is read from a file, or from standard input (-)" in run("compare", "two words", "a.txt").stderr
