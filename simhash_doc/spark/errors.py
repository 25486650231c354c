"""Errors of the jobs on Spark."""

from __future__ import annotations

from typing import ClassVar

from simhash_doc.errors import SimhashDocError


class SparkError(SimhashDocError):
    """Base of the errors of the jobs on Spark."""

    code: ClassVar[str] = "spark"


class SparkMissingError(SparkError, ImportError):
    """PySpark, or the Java that it runs on, is not installed."""

    code = "missing-extra"


class BadColumnError(SparkError, ValueError):
    """A column is absent, has the wrong type or holds invalid values."""

    code = "bad-column"


class BadInputError(SparkError):
    """An input does not exist or cannot be read."""

    code = "input"


class OutputError(SparkError):
    """An output exists already or cannot be written."""

    code = "output"


class TooManyPairsError(SparkError):
    """There are more pairs of ids than allowed."""

    code = "too-many-pairs"
