"""`simhash-doc conformance fuzz`: compare generated texts with the reference."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

import click

from simhash_doc.cli.conformance_options import (
    HarnessError,
    end_adapters_on_exit,
    harness_errors,
    read_suite,
    timeout_option,
)
from simhash_doc.conformance.diagnosis import first_difference
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.formatting import shown_outcomes
from simhash_doc.conformance.judge import request_sender
from simhash_doc.conformance.messages import Answer
from simhash_doc.conformance.runner import TIMEOUT
from simhash_doc.conformance.targets import CommandTarget, Peer

_OPERATIONS = ("fold", "tokens", "buckets", "fingerprint")


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
Examples:
  simhash-doc conformance fuzz -- ./my-adapter
  simhash-doc conformance fuzz --examples 20000 --seed 7 -- ./my-adapter

Exit status: 0 nothing found; 1 a wrong answer; 2 usage error.
""",
)
@click.option("--examples", type=click.IntRange(min=1), default=1000, show_default=True, help="Texts per operation.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=None, help="The same seed gives the same texts.  [default: random]"
)
@timeout_option(TIMEOUT)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND [ARG]...")
def fuzz(command: tuple[str, ...], examples: int, seed: int | None, timeout: float) -> int:
    """Compare generated texts with the reference, step by step if the steps are declared.

    The first text with a wrong answer is shrunk and printed, with a test case that is ready to be submitted.
    """
    try:
        from simhash_doc.conformance.fuzz import fuzz as search
    except ImportError as error:
        raise HarnessError(
            "fuzzing needs Hypothesis; install the extra `fuzz`: pip install 'simhash-doc[fuzz]'"
        ) from error
    chosen = secrets.randbelow(2**32) if seed is None else seed
    with harness_errors(), end_adapters_on_exit():
        restarting = _Restarting(CommandTarget(command), timeout, read_suite(None).version)
        try:
            operations = [op for op in _OPERATIONS if op in restarting.peer().handshake.operations]
            for op in operations:
                finding = search(restarting.ask, op, examples, chosen)
                if finding is None:
                    click.echo(f"{op}: {examples} texts agree (seed {chosen})")
                    continue
                case = finding.case
                given = {name: finding.answer[name] for name in ("result", "error") if name in finding.answer}
                expected, found = shown_outcomes(op, dict(case.expected), given)
                click.echo(f"{op}: wrong (seed {chosen}); smallest text: {json.dumps(case.members['text'])}")
                click.echo(f"  expected {expected}\n  given    {found}")
                for line in first_difference(case, restarting.ask_quietly) if op != "fold" else []:
                    click.echo(f"  {line}")
                submission = {"op": op, "input": dict(case.members), "expected": dict(case.expected), "flags": ["fuzz"]}
                click.echo(f"  as a test case: {json.dumps(submission)}")
                return 1
        finally:
            restarting.end()
    return 0


class _Restarting:
    """Sends requests to one process, and starts another after a failure."""

    def __init__(self, target: CommandTarget, timeout: float, suite: str) -> None:
        self._target, self._timeout, self._suite = target, timeout, suite
        self._peer: Peer | None = None

    def peer(self) -> Peer:
        self._peer = self._peer or self._target.connect(self._timeout, self._suite)
        return self._peer

    def ask(self, request: Mapping[str, Any]) -> Answer:
        try:
            return request_sender(self.peer())(request)
        except PeerError:
            self._peer = None
            raise

    def ask_quietly(self, request: Mapping[str, Any]) -> Answer:
        """Send a request for a diagnosis; a failure counts as `unsupported`."""
        try:
            return self.ask(request)
        except PeerError:
            return {"unsupported": True}

    def end(self) -> None:
        if self._peer is not None:
            self._peer.kill()
