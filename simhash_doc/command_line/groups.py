"""Groups of commands, whose modules are loaded when a command is called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import click

from simhash_doc.command_line.help import complete_files, write_commands


class PipeClosedError(Exception):
    """The reader of standard output or standard error closed its pipe."""


@contextmanager
def _distinguished_pipe() -> Iterator[None]:
    """Raise another error for a closed pipe, which click would report as status 1."""
    try:
        yield
    except BrokenPipeError as error:
        raise PipeClosedError from error


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is needed.

    Args:
        lazy: the module and the attribute of each command.
        sections: the commands in each section of the help.
        summaries: what the help says about commands, which it does not import then.
    """

    def __init__(
        self,
        *args: object,
        lazy: dict[str, str],
        sections: dict[str, tuple[str, ...]] | None = None,
        summaries: dict[str, str] | None = None,
        **kwargs: object,
    ) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._sections, self.summaries = sections, summaries or {}
        self._lazy = lazy
        self.commands.update(dict.fromkeys(lazy))  # type: ignore[arg-type] # only the names are used, as by a hint

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _distinguished_pipe():  # --help and --version print here
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        with _distinguished_pipe():
            result: object = super().invoke(ctx)
            sys.stdout.flush()
            return result

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = {
            name: click.Command(name, help=self.summaries[name])
            if name in self.summaries
            else self.get_command(ctx, name)
            for name in self.list_commands(ctx)
        }
        write_commands(formatter, commands, self._sections or {"Commands": tuple(commands)})  # type: ignore[arg-type]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._lazy[cmd_name].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        complete_files(command)
        return command
