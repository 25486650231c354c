"""The command line `simhash-doc`. Each command has a module of its own, which is loaded when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from simhash_doc import SPEC_VERSION, __version__
from simhash_doc.errors import SimhashDocError

_COMMANDS = {
    "compare": "compare:compare",
    "completion": "completion:completion",
    "conformance": "conformance:conformance",
    "decode": "decode:decode",
    "dedupe": "dedupe:dedupe",
    "extract": "extract:extract",
    "find-all": "pairs:find_all",
    "find-clusters": "pairs:find_clusters",
    "fingerprint": "fingerprint:fingerprint",
    "index": "index:index",
    "spark": "spark:spark",
    "store": "store:store",
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is needed."""

    def __init__(self, *args: object, lazy: dict[str, str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return None
        module, _, attribute = self._lazy[cmd_name].partition(":")
        command = getattr(import_module(f"simhash_doc.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command


@click.group(
    cls=LazyGroup,
    lazy=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 success; 1 some input has no fingerprint or cannot be read; 2 usage error.",
)
@click.version_option(__version__, message=f"%(prog)s %(version)s (specification {SPEC_VERSION})")
def cli() -> None:
    """Compute, compare and search simhash-doc fingerprints of documents."""


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        status = cli.main(prog_name="simhash-doc", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except SimhashDocError as error:
        click.echo(f"simhash-doc: {error.code}: {error}", err=True)
        status = 2
    except (click.Abort, KeyboardInterrupt):
        status = 130
    except BrokenPipeError:
        # The reader closed the pipe. The flush at exit must not fail on it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    sys.exit(status if isinstance(status, int) else 0)
