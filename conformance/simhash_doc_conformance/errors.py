"""The errors of the conformance suite, other than a wrong answer."""

from __future__ import annotations

from typing import Literal

from simhash_doc.errors import SimhashDocError

# The named failures of an adapter (PROTOCOL.md).
Kind = Literal[
    "crash",  # the process ended
    "timeout",  # no answer in time
    "garbage",  # a line that is not an answer
    "flood",  # an answer line over the limit
    "wrong-id",  # an answer with another id than the request's
    "extra-answer",  # output without a request
    "closed-output",  # standard output closed by a process that keeps running
    "handshake",  # an answer to `hello` that does not follow PROTOCOL.md
]


class PeerError(SimhashDocError):
    """The implementation violated the protocol. Its process has been ended.

    Attributes:
        kind: which of the named failures.
        message: what happened, without a capital and full stop; the same in each run.
        detail: further observations, which may depend on timing.
        stderr: the end of the process's standard error.
    """

    code = "adapter-failed"

    def __init__(self, kind: Kind, message: str, *, detail: str = "", stderr: str = "") -> None:
        super().__init__(f"{kind}: {message}")
        self.kind: Kind = kind
        self.message = message
        self.detail = detail
        self.stderr = stderr


class CannotStartError(SimhashDocError):
    """The command or function does not exist: a usage error, not a failure of an implementation."""

    code = "cannot-start"


class NoAnswerError(SimhashDocError):
    """A file of answers has none for a request."""

    code = "no-answer"


class StoppedError(SimhashDocError):
    """The run was stopped while waiting for an answer."""

    code = "stopped"


class NotUnderstoodError(SimhashDocError):
    """A request needs what the implementation does not declare, or cannot do: the answer is `unsupported`."""

    code = "not-understood"


class InputError(SimhashDocError):
    """Vectors, answers, known failures, a register or a request cannot be read, or are not what they should be."""

    code = "bad-input"
