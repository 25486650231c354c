"""Groups of commands that suggest a name for a mistyped one."""

from __future__ import annotations

from difflib import get_close_matches

import click


class SuggestingGroup(click.Group):
    """A group whose error for an unknown command names similar ones."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the arguments.

        Raises:
            click.UsageError: there is no such command.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise unknown_command(self, ctx, args[0]) from error


def unknown_command(group: click.Group, ctx: click.Context, name: str) -> click.UsageError:
    """Return the error for a command that does not exist, with similar ones or else all."""
    known = group.list_commands(ctx)
    similar = get_close_matches(name.lower().replace("_", "-"), known, n=3, cutoff=0.6)
    similar = similar or [command for command in known if command.startswith(name.lower())]
    hint = f"Did you mean {' or '.join(similar)}?" if similar else f"Commands are {', '.join(known)}."
    return click.UsageError(f"No such command {name!r}. {hint}", ctx)
