"""The help of every command, and the completion of a shell."""

from __future__ import annotations

import inspect
import itertools
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from simhash_doc.cli import cli
from simhash_doc.command_line.groups import LazyGroup
from tests.commands import run

WIDTH = 80  # columns of a terminal
LONGEST = 25  # words of a sentence
SUMMARY = 55  # characters, which fit beside the longest name


def contexts(command: click.Command = cli, parent: click.Context | None = None) -> Iterator[click.Context]:
    """Yield the context of each command, also of the suite."""
    context = click.Context(command, parent, command.name if parent else "simhash-doc", terminal_width=WIDTH)
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from contexts(child, context)


@pytest.mark.parametrize("name", [[], ["store"], ["conformance"]], ids=" ".join)
def test_summaries_are_the_first_sentences_of_the_commands(name: list[str]) -> None:
    (group,) = (one.command for one in contexts() if one.command_path.split()[1:] == name)
    assert isinstance(group, LazyGroup)
    context = click.Context(group)
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
    first = {name: command.get_short_help_str(SUMMARY + 1) for name, command in commands.items() if command}
    assert first == group.summaries


def modules_of(*arguments: str) -> set[str]:
    """Return the modules that a new process has after a command."""
    code = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
    program = "from simhash_doc.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code + program, *arguments], capture_output=True, text=True, check=True
    )
    return {*done.stderr.split()}


@pytest.mark.parametrize("context", list(contexts()), ids=lambda context: context.command_path)
def test_the_help_of_a_command_loads_little(context: click.Context) -> None:
    loaded = modules_of(*context.command_path.split()[1:], "--help")
    assert "numpy" not in loaded
    assert len(loaded) < 150


@pytest.mark.parametrize("name", [[], ["store"], ["conformance"]], ids=" ".join)
def test_the_list_of_commands_loads_none_of_them(name: list[str]) -> None:
    loaded = modules_of(*name, "--help")
    assert not {"simhash_doc.cli.compare", "simhash_doc.cli.store_find"} & loaded
    assert ("simhash_doc_conformance" in loaded) == (name == ["conformance"])
    assert "simhash_doc_conformance.commands.run" not in loaded


def test_the_help_of_each_command_fits_a_terminal() -> None:
    long = {
        f"{context.command_path}: {line}"
        for context in contexts()
        for line in context.get_help().splitlines()
        if len(line) > WIDTH
    }
    assert long == set()


@pytest.mark.parametrize("context", list(contexts()), ids=lambda context: context.command_path)
def test_each_command_has_a_short_summary_and_examples(context: click.Context) -> None:
    summary, *_ = inspect.cleandoc(context.command.help or "").split("\n\n")
    assert re.fullmatch(r"[A-Z][^\n]*[^.\n]\.", summary), summary
    assert len(summary) <= SUMMARY, summary
    shown = context.get_help()
    assert f"\n  {summary}\n" in shown
    assert "…" not in shown
    assert "..." not in re.sub(r"[]A-Z]\.\.\.|\{.*\}", "", shown), "the help of a list of commands cuts a summary"
    examples = shown.partition("\n  Examples:\n")[2].partition("\n\n")[0].splitlines()
    assert any(f"{context.command_path} " in example for example in examples), "the help has no example"


@pytest.mark.parametrize("context", list(contexts()), ids=lambda context: context.command_path)
def test_the_examples_are_commands_with_their_options(
    context: click.Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.jsonl").touch()  # which must exist
    for line in context.get_help().partition("\n  Examples:\n")[2].partition("\n\n")[0].splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars="|>")
        words.whitespace_split = True
        for is_pipe, part in itertools.groupby(words, "|".__eq__):
            program, *arguments = itertools.takewhile(">".__ne__, part)
            if is_pipe or program != "simhash-doc":
                continue
            command: click.Command | None = cli
            while isinstance(command, click.Group):
                command = command.get_command(click.Context(command), arguments.pop(0))
            assert command is not None, line
            command.make_context("", arguments)


def test_the_sentences_of_the_help_are_short() -> None:
    texts = {
        text.partition("  [default")[0]
        for context in contexts()
        for text in (
            *(context.command.help or "").replace("\b", "").split("\n\n"),
            *(getattr(option, "help", None) or "" for option in context.command.params),
        )
    }
    sentences = {sentence for text in texts for sentence in re.split(r"[.:] |\n *- ", " ".join(text.split("\n   ")))}
    assert {sentence for sentence in sentences if len(sentence.split()) > LONGEST} == set()


def test_the_help_shows_no_notation_of_click() -> None:
    raw = re.compile(r"RANGE|\b(?:TEXT|INTEGER|FLOAT|DIRECTORY)\b|\dx?[<>]=?x|x[<>]=?\d")
    shown = {f"{context.command_path}: {line}" for context in contexts() for line in context.get_help().splitlines()}
    assert {line for line in shown if raw.search(line)} == set()


def test_limits_follow_all_other_options() -> None:
    options = run("dedupe", "--help").stdout.partition("\nLimits:\n")
    assert "--max-pages" in options[2]
    assert "--keep" in options[0]


@pytest.mark.parametrize(
    ("words", "position", "expected"),
    [
        ("simhash-doc ta", 1, {"table"}),
        ("simhash-doc table ", 2, {"confirm", "dedupe", "fingerprint"}),
        ("simhash-doc store d", 2, {"dedupe"}),
        ("simhash-doc store ", 2, {"add", "dedupe", "export", "find", "remove", "stats", "verify"}),
        ("simhash-doc conformance m", 2, {"matrix", "mutants"}),
        ("simhash-doc table dedupe --mi", 3, {"--min-similarity", "--min-tokens"}),
        ("simhash-doc store dedupe --keep ", 4, {"first", "longest", "newest", "oldest"}),
    ],
)
def test_a_shell_completes_commands_and_options(
    words: str, position: int, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SIMHASH_DOC_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(position))
    assert {line.partition(",")[2] for line in run().stdout.splitlines()} == expected
