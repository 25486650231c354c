"""Columns of fingerprints: from texts, and of distances, values and narrower fingerprints.

A column of fingerprints is what `fingerprint_column` returns: text forms such as ``sd64:larqgiqsckcca``, and null for
texts without a fingerprint. It may also be of pandas, polars or another library that exports Arrow data, and may hold
bytes, most significant first, as the column ``value`` of our tables does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from simhash_doc.arrays import Lanes, popcount
from simhash_doc.batch.api import fingerprint_many
from simhash_doc.errors import SchemeMismatchError
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.fingerprints import arrow_text_forms
from simhash_doc.lookup.inputs import Marks, listed_values, present_lanes
from simhash_doc.schemes import AnyScheme, get_scheme, scheme_of_bits

_Mask = npt.NDArray[np.bool_]


def fingerprint_column(texts: Any, scheme: AnyScheme = "sd64") -> pa.Array:
    """Return the fingerprints of a column of texts as text forms: strings, null for texts without one.

    Arguments and errors are those of `simhash_doc.fingerprint_many`.

    >>> fingerprint_column(["The quick brown fox", "12 34", None]).to_pylist()
    ['sd64:larqgiqsckcca', None, None]
    """
    return pa.array(fingerprint_many(texts, scheme))


def distance_column(first: Any, second: Any) -> pa.Array:
    """Return the Hamming distances of two columns of fingerprints of one scheme, row by row: uint16, or null.

    A column of one row is compared with every row of the other.

    Raises:
        BadValueError: a value is not a fingerprint.
        SchemeMismatchError: the columns have different schemes.
        ValueError: the columns have different lengths.
    """
    marks: Marks = set()
    left, without_left = _lanes(first, marks)
    right, without_right = _lanes(second, marks)
    if len(left) != len(right) and 1 not in (len(left), len(right)):
        raise ValueError(f"columns of {len(left)} and {len(right)} fingerprints; expected equal lengths")
    without = without_left | without_right
    if without.all():
        return pa.nulls(len(without), pa.uint16())
    if left.shape[1] != right.shape[1]:
        raise SchemeMismatchError(
            f"the columns have fingerprints of {64 * left.shape[1]} and {64 * right.shape[1]} bits; narrow one of them"
        )
    return pa.array(popcount(left ^ right).astype(np.uint16), mask=without)


def narrow_column(fingerprints: Any, scheme: AnyScheme) -> pa.Array:
    """Return fingerprints in a narrower scheme (SD-NARROW-1), as text forms. Customised ones stay customised.

    Raises:
        BadValueError: a value is not a fingerprint.
        SchemeMismatchError: the scheme is wider than that of the column (SD-NARROW-2).
    """
    values, without = _lanes(fingerprints)
    known = get_scheme(scheme)
    if known.lanes > values.shape[1] and not without.all():
        wide = scheme_of_bits(64 * values.shape[1]).id
        raise SchemeMismatchError(f"{wide} cannot be narrowed to {scheme}, which is wider")
    forms = arrow_text_forms(values[:, : known.lanes], without, known)
    customised = [_is_customised(value) for value in listed_values(fingerprints)]
    marked = pc.replace_substring(forms, f"{known}:", f"{known}{CUSTOM_SUFFIX}:")
    return pc.if_else(pa.array(customised, pa.bool_()), marked, forms)


def _is_customised(value: Any) -> bool:
    if isinstance(value, str):
        return CUSTOM_SUFFIX in value.lower()
    return isinstance(value, Fingerprint) and not value.canonical


def value_column(fingerprints: Any) -> pa.Array:
    """Return the first 64 bits of fingerprints of any scheme, the value of their sd64: uint64, or null.

    Raises:
        BadValueError: a value is not a fingerprint.
    """
    values, without = _lanes(fingerprints)
    return pa.array(values[:, 0], mask=without)


def _lanes(column: Any, marks: Marks | None = None) -> tuple[Lanes, _Mask]:
    """Return the fingerprints of a column, shape (n, lanes), and where there is none, shape (n,).

    `marks` is as for `as_lanes`.
    """
    n = len(column)
    present, places = present_lanes(column, marks=marks)
    if places is None:
        return present, np.zeros(n, np.bool_)
    rows = np.zeros((n, present.shape[1]), np.uint64)
    rows[places] = present
    without = np.ones(n, np.bool_)
    without[places] = False
    return rows, without
