"""The help of commands: options and commands in sections, and numbers without the notation of click for ranges."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_OTHER = "Options"
_ARGUMENTS = "simhash_doc.arguments"
_FILES = {"A", "B", "CRAWL", "DATABASE", "DIR", "FILE", "FOLDER", "INDEX", "OLD", "PAIRS", "PATH"}


def help_width() -> int:
    """Return the number of columns of a help, as click chooses it, but without `shutil` and its five compressors."""
    columns = os.environ.get("COLUMNS", "")
    if not columns.isdecimal() or not int(columns):
        try:
            columns = str(os.get_terminal_size(sys.__stdout__.fileno()).columns)  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            columns = "80"
    return max(min(int(columns), 80) - 2, 50)


class Option(click.Option):
    """An option that the help shows in a section of its own, after the other options."""

    def __init__(self, *args: Any, section: str = _OTHER, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help shows each `Option` in its section, in the order of their first options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {_OTHER: []}
        for parameter in self.get_params(ctx):
            record = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            if record:
                sections.setdefault(getattr(parameter, "section", _OTHER), []).append(record)
        for section, records in sections.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records)


def command_line(secret: str = "", shown: str = "") -> str:
    """Return how the `SectionedCommand` that runs was called, as one types it in a shell.

    Args:
        secret: a text in the arguments that is left out.
        shown: what is shown instead.
    """
    import shlex

    context = click.get_current_context()
    arguments = [one.replace(secret, shown) if secret else one for one in context.meta[_ARGUMENTS]]
    return shlex.join([*context.command_path.split(), *arguments])


def write_commands(
    formatter: click.HelpFormatter,
    commands: Mapping[str, click.Command],
    sections: Mapping[str, Sequence[str]],
) -> None:
    """Write the commands of a group with their summaries, in sections."""
    width = max(map(len, commands))
    for section, names in sections.items():
        with formatter.section(section):
            room = formatter.width - width - 6
            formatter.write_dl([(f"{name:<{width}}", commands[name].get_short_help_str(room)) for name in names])


class _FileName(click.ParamType):  # type: ignore[type-arg] # click 8.1 has no type argument
    """A name that a shell completes to files. It is not opened here: each command says what it cannot read."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


def complete_files(command: click.Command) -> None:
    """Let a shell complete files for the parameters whose value, as the help shows it, is a file."""
    for parameter in command.params:
        shown = parameter.metavar or (parameter.name or "").upper()
        if parameter.type is click.STRING and not _FILES.isdisjoint(re.findall("[A-Z]+", shown)):
            parameter.type = _FileName()
    if isinstance(command, click.Group):
        for one in filter(None, command.commands.values()):  # a lazy one is None
            complete_files(one)


class Number(click.ParamType):  # type: ignore[type-arg] # click 8.1 has no type argument
    """A number in a range, which only the error shows.

    Args:
        least: the least number.
        most: the greatest number.
        kind: int or float.
        above: `least` itself is not accepted.
    """

    def __init__(
        self, least: int, most: int | None = None, kind: type[int] | type[float] = int, *, above: bool = False
    ) -> None:
        self.name = "n" if kind is int else "number"
        self._least, self._most, self._kind, self._above = least, most, kind, above

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        try:
            number = self._kind(value)
        except ValueError:
            number = self._kind(self._least) - 1
        too_large = self._most is not None and number > self._most
        if not (number > self._least or (number == self._least and not self._above)) or too_large:
            self.fail(f"{value!r} is not a {self._expected()}", param, ctx)
        return number

    def _expected(self) -> str:
        kind = "whole number" if self._kind is int else "number"
        if self._most is not None and not self._above:
            return f"{kind} from {self._least:,} to {self._most:,}"
        most = "" if self._most is None else f", of at most {self._most:,}"
        return f"{kind} greater than {self._least:,}{most}" if self._above else f"{kind} of at least {self._least:,}"
