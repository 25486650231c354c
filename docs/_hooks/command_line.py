"""Create the page of the command line from the help of the commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from simhash_doc.cli import cli
from simhash_doc.cli.exit_status import MEANINGS

WIDTH = 80  # columns, which fit beside the menus of a small screen
COMMON = 2  # commands with the same option, from which on it is described once
HEAD = """# Command line

This page shows the output of `--help` for `simhash-doc` and each of its commands. [Shared options](#shared-options)
follow at the end.

| Exit status | Meaning |
|---|---|
{statuses}

With `compare --check`, the statuses are 0 near, 1 far and 2 trouble, as for `diff` and `cmp`.

With `-o FILE`, the output file appears when it is complete. `-` is standard input. Without an input, a command reads
standard input, unless it is a terminal. `man simhash-doc` shows the same help, and `simhash-doc completion` adds
completion to your shell.
"""
SHARED = """## Shared options { #shared-options }

These options have the same meaning in all commands.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    commands = list(walk(cli, context_of(cli, "simhash-doc")))
    counts = Counter(record for context in commands for record in records(context).values())
    shared = {record for record, count in counts.items() if count >= COMMON}
    formatter = click.HelpFormatter(width=WIDTH)
    formatter.write_dl(sorted(shared, key=lambda record: record[0].lstrip("-").lower()))
    statuses = "\n".join(f"| {status} | {meaning} |" for status, meaning in MEANINGS.items())
    sections = (section(context, shared) for context in commands)
    parts = [HEAD.format(statuses=statuses), *sections, SHARED, f"```text\n{formatter.getvalue()}```\n"]
    files.append(File.generated(config, "reference/command-line.md", content="\n".join(parts)))
    return files


def context_of(command: click.Command, name: str, parent: click.Context | None = None) -> click.Context:
    return click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH, terminal_width=WIDTH)


def walk(command: click.Command, context: click.Context) -> Iterator[click.Context]:
    """Yield the context of a command and, if it is a group, those of the commands in it."""
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from walk(child, context_of(child, name, context))


def records(context: click.Context) -> dict[click.Option, tuple[str, str]]:
    """Return the lines of the help about each option of a command."""
    options = (one for one in context.command.get_params(context) if isinstance(one, click.Option))
    found = {option: option.get_help_record(context) for option in options}
    return {option: record for option, record in found.items() if record is not None}


def section(context: click.Context, shared: set[tuple[str, str]]) -> str:
    """Return the section of a command, which only names the shared options."""
    common = [option for option, record in records(context).items() if record in shared]
    for option in common:
        option.hidden = True
    text = context.command.get_help(context)
    for option in common:
        option.hidden = False
    names = ", ".join(f"`{max(option.opts, key=len)}`" for option in common if "--help" not in option.opts)
    also = f"\nAnd [shared options](#shared-options): {names}.\n" if names else ""
    return f"## {context.command_path}\n\n```text\n{text}\n```\n{also}"
