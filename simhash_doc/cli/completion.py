"""`simhash-doc completion`: what lets a shell complete commands, options, their values, and names of files."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

PROGRAM = "simhash-doc"
_VARIABLE = "_SIMHASH_DOC_COMPLETE"  # in which the script asks for completions, as click derives it from the name


@click.command(
    "completion",
    epilog="""\b
Examples:
  echo 'eval "$(simhash-doc completion bash)"' >> ~/.bashrc
  simhash-doc completion zsh > ~/.zfunc/_simhash-doc
  simhash-doc completion fish > ~/.config/fish/completions/simhash-doc.fish
""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="SHELL")
def completion_command(shell: str) -> None:
    """Print the completion script of a shell.

    SHELL is bash, zsh or fish. The script completes commands, options, their values, and names of files. Save it where
    the shell looks for completions. For zsh, its directory must be in fpath.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(click.get_current_context().find_root().command, {}, PROGRAM, _VARIABLE).source())
