"""`simhash-doc conformance`: the group of the conformance suite's commands."""

from __future__ import annotations

import click

from simhash_doc.cli import LazyGroup

_COMMANDS = {
    "adapter": "conformance_adapter:adapter",
    "explain": "conformance_explain:explain",
    "fuzz": "conformance_fuzz:fuzz",
    "init": "conformance_init:init",
    "list": "conformance_cases:list_cases",
    "matrix": "conformance_matrix:matrix",
    "mutants": "conformance_mutants:mutants",
    "requests": "conformance_cases:requests",
    "run": "conformance_run:run",
    "show": "conformance_cases:show_case",
    "unicode": "conformance_unicode:unicode",
}


@click.group(
    cls=LazyGroup,
    lazy=_COMMANDS,
    epilog="Exit status: 0 everything required passed; 1 failures, or an output cannot be written; 2 usage error.",
)
def conformance() -> None:
    """Check an implementation in any language against the published test vectors."""
