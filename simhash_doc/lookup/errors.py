"""Errors and warnings of the indexes."""

from __future__ import annotations

from typing import ClassVar

from simhash_doc.errors import SimhashDocError


class LookupParameterError(SimhashDocError, ValueError):
    """A number of blocks, a distance, a width or another parameter is out of its range."""

    code: ClassVar[str] = "index-parameter"
    is_usage = True


class TooExpensiveError(LookupParameterError):
    """An exact search would take more comparisons than the planner allows, even with the best number of blocks."""

    code = "too-expensive"


class BadValueError(SimhashDocError, ValueError):
    """A value is not a fingerprint of the expected width, or cannot share an index with the others."""

    code: ClassVar[str] = "bad-value"


class CorruptIndexError(SimhashDocError):
    """A file is not a saved index, is of a later version, is truncated, or differs from what was written."""

    code: ClassVar[str] = "corrupt-index"


class DegenerateDistributionWarning(UserWarning):
    """The fingerprints share blocks so often that a search compares nearly all of them with each other."""


class TooLargeError(SimhashDocError, MemoryError):
    """A search in memory needs more memory than is free. The message explains the search on disk."""

    code: ClassVar[str] = "too-large"
