"""What can go wrong with an implementation other than a wrong answer. Each kind has a name, which verdicts carry."""

from __future__ import annotations

from typing import Literal

from simhash_doc.errors import SimhashDocError

Kind = Literal[
    "crash",  # the process ended
    "timeout",  # no answer in time
    "garbage",  # a line that is no answer
    "flood",  # an answer line over the limit
    "wrong-id",  # the answer to a request that was never sent
    "extra-answer",  # output that no request asked for
    "closed-output",  # standard output closed by a process that goes on
    "handshake",  # an answer to `hello` that lacks what PROTOCOL.md asks for
]


class PeerFailure(SimhashDocError):  # noqa: N818
    """The implementation broke the protocol; its process has been ended.

    Attributes:
        kind: which of the named failures.
        message: what happened, in a sentence without a capital and full stop; the same in each run.
        detail: what else was seen, which may hang on timing.
        stderr: the end of what the process wrote to standard error.
    """

    def __init__(self, kind: Kind, message: str, *, detail: str = "", stderr: str = "") -> None:
        super().__init__(f"{kind}: {message}")
        self.kind: Kind = kind
        self.message = message
        self.detail = detail
        self.stderr = stderr


class CannotStart(SimhashDocError):  # noqa: N818
    """The command or function does not exist: wrong use of the runner, not a failure of an implementation."""


class NoAnswer(SimhashDocError):  # noqa: N818
    """A file of answers has none for a request."""


class Stopped(SimhashDocError):  # noqa: N818
    """The run was stopped while an answer was awaited."""
