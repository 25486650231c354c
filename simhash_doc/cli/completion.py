"""`simhash-doc completion`: a script for a shell that completes commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from simhash_doc.cli.output import output_option, printing


@click.command(
    epilog="""\b
Examples:
  simhash-doc completion bash >> ~/.bashrc
  simhash-doc completion fish > ~/.config/fish/completions/simhash-doc.fish
"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@output_option
def completion(shell: str, output: str) -> None:
    """Print the completion script for a shell."""
    from simhash_doc.cli import cli

    completer = get_completion_class(shell)
    assert completer is not None
    with printing(output) as show:
        show(completer(cli, {}, "simhash-doc", "_SIMHASH_DOC_COMPLETE").source())
