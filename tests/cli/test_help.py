"""The help of every command, and the completion of a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from simhash_doc.cli import cli
from tests.commands import run

WIDTH = 80  # columns of a terminal


def contexts(command: click.Command = cli, parent: click.Context | None = None) -> Iterator[click.Context]:
    """Yield the context of each command, also of the suite."""
    context = click.Context(command, parent, command.name if parent else "simhash-doc")
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from contexts(child, context)


def test_the_help_of_each_command_fits_a_terminal() -> None:
    long = {
        f"{context.command_path}: {line}"
        for context in contexts()
        for line in context.get_help().splitlines()
        if len(line) > WIDTH
    }
    assert long == set()


@pytest.mark.parametrize("group", [[], ["archive"], ["conformance"], ["index"], ["spark"], ["store"], ["table"]])
def test_the_summaries_in_a_list_of_commands_are_whole(group: list[str]) -> None:
    listed = run(*group, "--help").stdout.partition("\nCommands:\n")[2].partition("\n\n")[0]
    for line in listed.splitlines():
        assert re.fullmatch(r"  [a-z-]+ +[A-Z].*[^.]\.", line), line


@pytest.mark.parametrize(
    ("words", "position", "expected"),
    [
        ("simhash-doc ta", 1, {"table"}),
        ("simhash-doc table ", 2, {"dedupe", "fingerprint"}),
        ("simhash-doc store d", 2, {"dedupe"}),
        ("simhash-doc store ", 2, {"add", "dedupe", "export", "find", "remove", "stats", "verify"}),
        ("simhash-doc conformance m", 2, {"matrix", "mutants"}),
        ("simhash-doc table dedupe --mi", 3, {"--min-similarity", "--min-tokens"}),
        ("simhash-doc store dedupe --keep ", 4, {"first", "oldest"}),
    ],
)
def test_a_shell_completes_commands_and_options(
    words: str, position: int, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SIMHASH_DOC_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(position))
    assert {line.partition(",")[2] for line in run().stdout.splitlines()} == expected
