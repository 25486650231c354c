"""The errors and warnings of the look-up."""

from __future__ import annotations

from simhash_doc.errors import SimhashDocError


class LookupParameterError(SimhashDocError, ValueError):
    """A number of blocks, a distance, a width or the like that cannot be."""


class BadValueError(SimhashDocError, ValueError):
    """Something given as fingerprints that is no unsigned integer of 64 bits."""


class DamagedIndexError(SimhashDocError):
    """A file that is no index, is of a later version, is cut short, or has changed since it was written."""


class DegenerateDistributionWarning(UserWarning):
    """The fingerprints share blocks so often that a look-up compares nearly all of them with each other."""
