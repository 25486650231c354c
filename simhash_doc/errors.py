"""The errors of the package: one tree, with `SimhashDocError` at its root; and how the package warns.

Every class has a `code`, its machine-readable name. The codes of `SpecError` are those of the specification
(section 14).
"""

from __future__ import annotations

import reprlib
import sys
import warnings
from typing import ClassVar

_LONGEST_SHOWN = 100  # characters of a value in a message


def cut_text(text: str) -> str:
    """Return a text as a message shows it without quotes: cut if it is long."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def shortened(text: str) -> str:
    """Return a text as a message shows it: quoted, and cut if it is long."""
    return repr(text) if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]!r}..."


def shown(value: object) -> str:
    """Return any value as a message shows it: it may be arbitrarily long and deeply nested."""
    return shortened(value) if isinstance(value, str) else reprlib.repr(value)


class SimhashDocError(Exception):
    """Base of every error that this package raises on purpose.

    Attributes:
        code: machine-readable name, in lower case with hyphens.
        is_usage: True if a value that the caller gave is wrong, or does not fit the inputs: a command ends with
            status 2. Otherwise an input, the work or the system failed: status 1.
    """

    code: ClassVar[str] = "simhash-doc"
    is_usage: ClassVar[bool] = False


class SpecError(SimhashDocError, ValueError):
    """Base of the error conditions that the specification names."""

    code = "spec"
    is_usage = True


class NoTokenError(SpecError):
    """The text has no token, so it has no fingerprint (SD-SUM-2)."""

    code = "no-token"
    is_usage = False

    def __init__(self, message: str = "the text holds no token, so it has no fingerprint") -> None:
        super().__init__(message)


class UnknownSchemeError(SpecError):
    """The scheme is not in the registry (SD-WIDE-1)."""

    code = "unknown-scheme"


class SchemeMismatchError(SpecError):
    """Two fingerprints of different schemes were compared (SD-DIST-2)."""

    code = "scheme-mismatch"


class MalformedFingerprintError(SpecError):
    """The text form of a fingerprint is malformed (SD-TEXT-3).

    Its `code` says how: `padding`, `bad-character`, `bad-length` or `spare-bits`; `malformed-fingerprint` otherwise.
    """

    code = "malformed-fingerprint"


class PaddingError(MalformedFingerprintError):
    """The text form has the padding character `=`."""

    code = "padding"


class BadCharacterError(MalformedFingerprintError):
    """The text form has a character outside the base32 alphabet."""

    code = "bad-character"


class BadLengthError(MalformedFingerprintError):
    """The text form has another length than its scheme."""

    code = "bad-length"


class SpareBitsError(MalformedFingerprintError):
    """A spare bit of the last character is set."""

    code = "spare-bits"


class MissingExtraError(SimhashDocError, ImportError):
    """A required package is not installed. The message gives the command that installs it.

    `simhash_doc_extraction` has an error of the same name. Both are `ImportError`s.
    """

    code = "missing-extra"


class EngineError(SimhashDocError):
    """An engine cannot be used.

    Its `code` says why: `unknown-engine`, which is also a ValueError, or `engine-unavailable`, also an ImportError.
    """

    code = "engine"
    is_usage = True


class UnknownEngineError(EngineError, ValueError):
    """The name of an engine is unknown."""

    code = "unknown-engine"


class EngineUnavailableError(EngineError, ImportError):
    """The engine is not installed, or does not work on this machine."""

    code = "engine-unavailable"


class WorkerNotStartedError(SimhashDocError, RuntimeError):
    """A worker process cannot be started.

    The system refuses it, for example because the user has too many; or the script has no `if __name__ == "__main__"`.
    """

    code = "worker-not-started"


def warn_caller(message: str, category: type[Warning]) -> None:
    """Give a warning that names the line from which a program called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
