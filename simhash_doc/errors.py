"""The errors of the package. Those of the specification carry its name for them (spec, section 14)."""

from __future__ import annotations

from typing import ClassVar


class SimhashDocError(Exception):
    """Base of every error that this package raises on purpose."""


class SpecError(SimhashDocError, ValueError):
    """An error condition that the specification names."""

    error_class: ClassVar[str]


class NoTokenError(SpecError):
    """The text holds no token, so it has no fingerprint (SD-SUM-2)."""

    error_class = "no-token"


class UnknownSchemeError(SpecError):
    """The scheme is not in the registry (SD-WIDE-1)."""

    error_class = "unknown-scheme"


class SchemeMismatchError(SpecError):
    """Two fingerprints of different schemes were compared (SD-DIST-2)."""

    error_class = "scheme-mismatch"


class MalformedFingerprintError(SpecError):
    """Base of the errors in the text form of a fingerprint (SD-TEXT-3)."""


class PaddingError(MalformedFingerprintError):
    """The text form holds the padding character `=`."""

    error_class = "padding"


class BadCharacterError(MalformedFingerprintError):
    """The text form holds a character outside the base32 alphabet."""

    error_class = "bad-character"


class BadLengthError(MalformedFingerprintError):
    """The text form is of another length than its scheme's."""

    error_class = "bad-length"


class SpareBitsError(MalformedFingerprintError):
    """A spare bit of the last character is set."""

    error_class = "spare-bits"
