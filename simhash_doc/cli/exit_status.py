"""The exit status of a command that fails: 1, or 2 where 1 is an answer, as of `diff`, `cmp` and `grep`."""

from __future__ import annotations

FAILED = 1
TROUBLE = 2
MEANINGS = {
    "0": "success",
    "1": "the work failed, or a part of it, for example for one document; the command prints what failed on standard "
    "error",
    "2": "a usage error: an option or a name is wrong, or does not fit the input; change the command",
    "130, 141, 143": "Ctrl-C; the reader of the output closed its pipe; SIGTERM",
}
"""What the statuses of all commands mean."""
_status = FAILED


def set_failure_status(status: int) -> None:
    """Let the command that runs fail with a status. The command line calls this when a command begins."""
    global _status
    _status = status


def failure_status() -> int:
    """Return the status with which the command that runs fails."""
    return _status
