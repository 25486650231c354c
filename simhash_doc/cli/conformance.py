"""`simhash-doc conformance`: the group of the conformance suite's commands."""

from __future__ import annotations

import click

from simhash_doc.cli import LazyGroup

_COMMANDS = {
    "adapter": "conformance_adapter:adapter",
    "list": "conformance_cases:list_cases",
    "requests": "conformance_cases:requests",
    "run": "conformance_run:run",
    "show": "conformance_cases:show",
}


@click.group(
    cls=LazyGroup,
    lazy=_COMMANDS,
    epilog="Exit status: 0 everything required passed; 1 failures; 2 wrong use, or the suite itself is at fault.",
)
def conformance() -> None:
    """Check an implementation, in any language, against the published test vectors."""
