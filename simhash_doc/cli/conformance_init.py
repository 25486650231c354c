"""`simhash-doc conformance init`: an adapter template in another language."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from simhash_doc.conformance.errors import AdapterExistsError
from simhash_doc.conformance.scaffold import LANGUAGES, library_of, write_adapter


@click.command(
    epilog="""\b
Examples:
  simhash-doc conformance init --lang go my-adapter
  simhash-doc conformance init --lang c tests/conformance
"""
)
@click.option("--lang", type=click.Choice(list(LANGUAGES)), required=True, help="Language of the adapter.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
def init(lang: str, directory: Path) -> None:
    """Write an adapter template to DIR, which is created if needed.

    The adapter builds, runs and answers the handshake. A comment shows where to plug in your implementation.
    Existing files are never overwritten: the command names them and exits with status 2.
    """
    try:
        written = write_adapter(lang, directory)
    except AdapterExistsError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from error
    language = LANGUAGES[lang]
    for path in written:
        click.echo(f"wrote {path}")
    click.echo(f'\nNext: put your implementation at "Plug in here" in {directory / language.adapter}, then\n')
    enter = [] if directory == Path() else [f"cd {shlex.quote(str(directory))}"]
    for command in (*enter, *language.commands):
        click.echo(f"    {command}")
    click.echo(f"\nA complete library in {language.name}, with its adapter: {library_of(lang)}")
