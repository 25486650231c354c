"""Fingerprints of 64 bits as numpy arrays."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.errors import BadValueError
from simhash_doc.value import Fingerprint

Values = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.int64]

BITS = 64
LARGEST = (1 << BITS) - 1
# Work goes in chunks of this many values: 256 KB, which stays in the second-level cache.
CHUNK = 1 << 15


def as_value(value: int | Fingerprint) -> int:
    """Return a fingerprint as an int in [0, 2^64).

    Raises:
        BadValueError: it is something else.
    """
    if type(value) is int and 0 <= value <= LARGEST:
        return value
    return _checked(value, "the fingerprint")


def as_values(values: Iterable[int | Fingerprint] | npt.NDArray[np.integer]) -> Values:
    """Return fingerprints as a contiguous array of shape (n,) and dtype uint64.

    Accepts a one-dimensional array of any integer dtype, or an iterable of ints and `Fingerprint`s.
    An array of dtype uint64 is returned as it is, not copied.

    Raises:
        BadValueError: a value is negative, wider than 64 bits or no integer (its position is named);
            the array has another dtype or more than one dimension.

    >>> as_values([0, 2**64 - 1])
    array([                   0, 18446744073709551615], dtype=uint64)
    >>> as_values([5, -1])
    Traceback (most recent call last):
    simhash_doc.lookup.errors.BadValueError: position 1: -1 is negative; a fingerprint is in [0, 2^64)
    """
    if isinstance(values, np.ndarray):
        return _array_values(values)
    listed = list(values)
    if all(type(value) is int for value in listed):
        try:
            return np.array(listed, np.uint64)
        except OverflowError:
            pass  # the loop below says which
    return np.array([_checked(value, f"position {at}") for at, value in enumerate(listed)], np.uint64)


def _array_values(values: npt.NDArray[np.generic]) -> Values:
    if values.ndim != 1:
        raise BadValueError(f"an array of shape {values.shape}; fingerprints are a one-dimensional array")
    if values.dtype.kind == "O":
        return as_values(values.tolist())
    if values.dtype.kind not in "ui":
        raise BadValueError(f"an array of dtype {values.dtype}; fingerprints are integers, best of dtype uint64")
    if values.dtype.kind == "i" and len(negative := np.flatnonzero(np.signbit(values))):
        at = int(negative[0])
        raise BadValueError(f"position {at}: {values[at]} is negative; a fingerprint is in [0, 2^64)")
    return np.ascontiguousarray(values, np.uint64)


def _checked(value: object, where: str) -> int:
    if isinstance(value, Fingerprint):
        if value.scheme.bits != BITS:
            raise BadValueError(f"{where}: a fingerprint of scheme {value.scheme_id}; the look-up takes 64 bits (sd64)")
        return value.value
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise BadValueError(f"{where}: {value!r} is no integer but of type {type(value).__name__}")
    if value < 0:
        raise BadValueError(f"{where}: {value} is negative; a fingerprint is in [0, 2^64)")
    if value > LARGEST:
        raise BadValueError(f"{where}: {value} has {int(value).bit_length()} bits; a fingerprint has 64")
    return int(value)


def distinct_values(ordered: Values) -> Values:
    """Return each value of an ascending array once, shape (d,)."""
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered if first.all() else ordered[first]
