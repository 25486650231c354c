"""Create the page of the command line from the help of the commands."""

from __future__ import annotations

from collections.abc import Iterator

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from simhash_doc.cli import cli

WIDTH = 80  # columns, which fit beside the menus of a small screen
HEAD = """# Command line

The output of `--help` for `simhash-doc` and for each of its commands.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    context = click.Context(cli, info_name="simhash-doc", max_content_width=WIDTH, terminal_width=WIDTH)
    content = "\n".join([HEAD, *sections(cli, context)])
    files.append(File.generated(config, "reference/command-line.md", content=content))
    return files


def sections(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the section of a command and, if it is a group, the section of each command in it."""
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            inner = click.Context(child, info_name=name, parent=context, max_content_width=WIDTH, terminal_width=WIDTH)
            yield from sections(child, inner)
