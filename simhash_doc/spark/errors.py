"""The errors of the jobs on Spark."""

from __future__ import annotations

from simhash_doc.errors import SimhashDocError


class SparkMissingError(SimhashDocError, ImportError):
    """PySpark, or the Java that it runs on, is not installed."""


class BadColumnError(SimhashDocError, ValueError):
    """A column that is absent, of the wrong type, or with values that it must not hold."""


class OutputError(SimhashDocError):
    """An output that exists already or cannot be written."""


class TooManyPairsError(SimhashDocError):
    """More pairs of ids than were allowed for."""


class BadInputError(SimhashDocError):
    """An input that is absent or cannot be read."""
