"""The man page, written from the help of the commands when a wheel is built.

    python release/man_page.py > simhash-doc.1

Hatchling calls `ManPage` (`tool.hatch.build` in pyproject.toml), so that every wheel installs `man simhash-doc`.
"""

from __future__ import annotations

import inspect
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parents[1]
INSTALLED = "share/man/man1/simhash-doc.1"


class ManPage(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the man page to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the page, and name it among the shared data of the wheel."""
        self._folder = tempfile.TemporaryDirectory()
        page = Path(self._folder.name, "simhash-doc.1")
        page.write_text(man_page(), encoding="utf-8")
        build_data["shared_data"][str(page)] = INSTALLED

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete the page, which is in the wheel."""
        self._folder.cleanup()


def man_page() -> str:
    """Return the page in the language of man(7)."""
    sys.path[:0] = [str(ROOT), str(ROOT / "extraction"), str(ROOT / "conformance")]  # they are not installed yet
    from simhash_doc import SPEC_VERSION, __version__
    from simhash_doc.cli import cli
    from simhash_doc.cli.exit_status import MEANINGS

    lines = [
        f'.TH SIMHASH\\-DOC 1 "" "simhash\\-doc {__version__}" "User Commands"',
        ".SH NAME",
        "simhash\\-doc \\- find near\\-duplicate documents with fingerprints",
        ".SH SYNOPSIS",
        "\\fBsimhash\\-doc\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]",
        ".SH DESCRIPTION",
        *_paragraphs(cli.help or ""),
        ".PP",
        _escaped(f"This version follows version {SPEC_VERSION} of the specification."),
        ".SH COMMANDS",
    ]
    for context in _contexts(cli, None, "simhash-doc"):
        lines += _section(context)
    lines += [".SH EXIT STATUS"]
    for status, meaning in MEANINGS.items():
        lines += [".TP", f"\\fB{status}\\fR", _escaped(meaning)]
    return "\n".join(lines) + "\n"


def _contexts(command: Any, parent: Any, name: str) -> Iterator[Any]:
    """Yield the context of each command that is not a group."""
    import click

    context = click.Context(command, parent, name, terminal_width=80)
    if not isinstance(command, click.Group):
        yield context
        return
    for each in command.list_commands(context):
        yield from _contexts(command.get_command(context, each), context, each)


def _section(context: Any) -> Iterator[str]:
    """Yield the lines about a command: its usage, description, options and examples."""
    usage = " ".join(context.command.collect_usage_pieces(context))
    yield f'.SS "{_escaped(context.command_path)}"'
    yield f"\\fB{_escaped(context.command_path)}\\fR {_escaped(usage)}"
    yield from (".PP", *_paragraphs(context.command.help or ""))
    for parameter in context.command.get_params(context):
        if parameter.param_type_name == "option" and (record := parameter.get_help_record(context)):
            yield from (".TP", f"\\fB{_escaped(record[0])}\\fR", _escaped(record[1]))
    if context.command.epilog:
        yield from (".PP", *_paragraphs(context.command.epilog))


def _paragraphs(text: str) -> Iterator[str]:
    r"""Yield the lines of the paragraphs of a help; one that begins with \b keeps its lines."""
    for number, paragraph in enumerate(inspect.cleandoc(text).split("\n\n")):
        if number:
            yield ".PP"
        start, _, rest = paragraph.partition("\n")
        if start.strip() == "\b":
            yield from (".nf", *map(_escaped, rest.split("\n")), ".fi")
        else:
            yield _escaped(" ".join(paragraph.split()))


def _escaped(text: str) -> str:
    """Return text that roff shows as it is."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return re.sub(r"^(?=[.'])", "\\&", escaped, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.stdout.write(man_page())
