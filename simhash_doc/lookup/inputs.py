"""What is given as fingerprints, as arrays: integers, text forms, bytes, columns, tables and .npy files, checked."""

from __future__ import annotations

import math
import os
from collections.abc import Sized
from operator import index
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.lib.format import open_memmap

from simhash_doc.arguments import Many, check_read, collection
from simhash_doc.arrays import Lanes, lanes_from_ints, lanes_from_values
from simhash_doc.batch.batches import Column
from simhash_doc.errors import SchemeMismatchError, SpecError, shown, warn_caller
from simhash_doc.fingerprint import Fingerprint, of_text
from simhash_doc.fingerprints import Fingerprints
from simhash_doc.lookup.errors import BadValueError
from simhash_doc.lookup.positions import Positions
from simhash_doc.provenance import MIXED, ProvenanceWarning
from simhash_doc.schemes import AnyScheme, Scheme, SchemeId, get_scheme, get_schemes

AnyValue: TypeAlias = SupportsIndex | Fingerprint | str | bytes
AnyValues: TypeAlias = Many[AnyValue | None] | Fingerprints | npt.NDArray[np.integer] | Column
"""`Fingerprints`, an array, a collection or, where nulls are possible, a column or a table (`present_lanes`)."""

Marks: TypeAlias = set[bool]
"""Whether fingerprints that are compared are canonical, as far as known: of arrays and integers, it is not."""

_DEFAULT: SchemeId = "sd64"
_NUMBER = (int, float, np.number)
_LISTED = "OUT"  # kinds of arrays, of objects and of texts, whose items are read one by one


def as_value(value: AnyValue, scheme: AnyScheme = _DEFAULT, marks: Marks | None = None) -> int:
    """Return a fingerprint of a scheme as an int in [0, 2^bits). `marks` is as for `as_lanes`.

    Raises:
        BadValueError: it is something else.
    """
    expected = get_scheme(scheme)
    if type(value) is int and 0 <= value < 1 << expected.bits:
        return value
    return _checked(value, expected, "the fingerprint", marks)


def as_lanes(values: AnyValues, scheme: AnyScheme | None = None, marks: Marks | None = None) -> Lanes:
    """Return fingerprints as a contiguous array of dtype uint64, shape (n, lanes).

    Args:
        values: an array of shape (n,), any integer dtype, of shape (n, lanes), uint64; or an
            iterable of ints, `Fingerprint`s, text forms and bytes, most significant first. An array of the right
            dtype is returned without a copy.
        scheme: short id of their scheme. If None, the scheme is that of the first value that is
            no int, or follows from the shape of the array; ints alone are of sd64.
        marks: those of fingerprints with which these are compared; receives those of the values. None if nothing is
            compared.

    Warns:
        ProvenanceWarning: some fingerprints are customized, and others canonical.

    Raises:
        SchemeMismatchError: a value has a different scheme (SD-LOOK-4).
        BadValueError: a value is negative, too wide, a malformed text form or of another type (the message names its
            position); the array has another dtype or shape, or masked values.

    >>> as_lanes([0, 2**64 - 1]).tolist()
    [[0], [18446744073709551615]]
    >>> as_lanes([1, 2**64], "sd128").tolist()
    [[0, 1], [1, 0]]
    >>> as_lanes([5, -1])
    Traceback (most recent call last):
    simhash_doc.lookup.errors.BadValueError: position 1: -1 is negative; a fingerprint of sd64 is in [0, 2^64)
    """
    known = None if scheme is None else get_scheme(scheme)
    if isinstance(values, np.ndarray) and values.dtype.kind not in _LISTED:
        return _array_values(values, known)
    given: Any = values
    listed: list[Any] = given.tolist() if isinstance(given, np.ndarray) else list(given)
    if known is None:
        first = next((value for value in listed if isinstance(value, Fingerprint | str | bytes)), None)
        known = get_scheme(_DEFAULT) if first is None else _scheme_of_one(first)
    if known.lanes == 1 and all(type(value) is int for value in listed):
        try:
            return lanes_from_ints(listed, 1)
        except OverflowError:
            pass  # the loop below finds the position
    checked = [_checked(value, known, f"position {at}", marks) for at, value in enumerate(listed)]
    return lanes_from_ints(checked, known.lanes)


def present_lanes(
    values: AnyValues, scheme: AnyScheme | None = None, marks: Marks | None = None
) -> tuple[Lanes, Positions | None]:
    """Return the fingerprints of an input as `as_lanes` does, without the missing ones.

    Args:
        values: as for `as_lanes`; or `Fingerprints`; or a column of pandas, polars or pyarrow of what it takes; or a
            table of theirs with the column `fingerprint`. Masked entries of an array, None, and the nulls of a column
            are missing: documents without a fingerprint. An entry over 64 bits is masked if one of its lanes is.
        scheme: as for `as_lanes`.
        marks: as for `as_lanes`.

    Returns:
        The fingerprints, and the position of each in the input, shape (n,), int64; None if no entry is missing.

    Raises:
        BadValueError: as for `as_lanes`; or a table has no column `fingerprint`.

    >>> present_lanes(np.ma.MaskedArray([5, 0, 7], [False, True, False]))
    (array([[5],
           [7]], dtype=uint64), array([0, 2]))
    >>> present_lanes(["sd64:aaaaaaaaaaaac", None])
    (array([[1]], dtype=uint64), array([0]))
    """
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            return as_lanes(values.data, scheme), None
        mask = np.ma.getmaskarray(values)
        places = np.flatnonzero(~(mask if mask.ndim == 1 else mask.any(axis=1)))
        return as_lanes(values.data[places], scheme), places
    if isinstance(values, Fingerprints):
        return _present_of(values, scheme, marks)
    if isinstance(values, np.ndarray) and values.dtype.kind not in _LISTED:
        return as_lanes(values, scheme), None
    listed = listed_values(values)
    if {*map(type, listed)} <= {int, str, bytes, Fingerprint}:
        return as_lanes(listed, scheme, marks), None
    places = np.array([at for at, value in enumerate(listed) if not _is_missing(value)], np.int64)
    if len(places) == len(listed):
        return as_lanes(listed, scheme, marks), None
    return as_lanes([listed[at] for at in places.tolist()], scheme, marks), places


def sized_lanes(
    values: AnyValues, name: str, scheme: AnyScheme | None = None, marks: Marks | None = None
) -> tuple[Lanes, Positions | None, int]:
    """Return what `present_lanes` returns, and the number of entries of the input, with the missing ones.

    Raises:
        TypeError: the argument `name` is not a collection with an order.
        BadValueError: as for `present_lanes`.
    """
    sized: Any = values
    if _names_of(values) is not None:
        sized = listed_values(values)  # the number of columns is the length of some tables
    elif not isinstance(collection(sized, name, "fingerprints"), Sized):
        sized = list(sized)
    return *present_lanes(sized, scheme, marks), len(sized)


def support_of(values: AnyValues) -> npt.NDArray[np.float64]:
    """Return the effective number of tokens of each document, shape (n,), NaN where it is unknown.

    Args:
        values: `Fingerprints`, or a table with the column `support`.

    Raises:
        BadValueError: the values are something else, or a support is not a number.
    """
    if isinstance(values, Fingerprints):
        return values.support
    table: Any = values
    names = _names_of(table) or []
    if "support" not in names:
        raise BadValueError(
            "min_support needs the support of each text, which the values do not contain; expected Fingerprints, or a "
            "table with the columns 'fingerprint' and 'support'"
        )
    listed = [math.nan if _is_missing(value) else value for value in listed_values(_column(table, names, "support"))]
    if others := [one for one in listed if isinstance(one, bool) or not isinstance(one, _NUMBER)]:
        raise BadValueError(f"the column 'support' contains {shown(others[0])}; expected numbers")
    return np.array(listed, np.float64)


def open_lanes(path: str | os.PathLike[str]) -> Lanes:
    """Map the fingerprints of a .npy file of shape (n,) or (n, lanes), 64-bit integers, as (n, lanes).

    Signed integers are the unsigned ones with the same bits. Those of another byte order are read into memory.

    Raises:
        OSError: it cannot be read.
        BadValueError: it is not such a file.
    """
    try:
        mapped = open_memmap(path, mode="r")
    except OSError:
        raise
    except Exception as error:  # of its header, which is a text of Python: whatever the tokenizer raises
        raise BadValueError(f"{path}: is not a .npy file ({error})") from error
    if mapped.dtype.str[1:] not in ("u8", "i8") or mapped.ndim not in (1, 2):
        found = f"{mapped.dtype} {mapped.shape}"
        raise BadValueError(f"{path}: holds {found}; expected integers of 64 bits, of shape (n,) or (n, lanes)")
    if not mapped.flags.c_contiguous:
        raise BadValueError(f"{path}: is in Fortran order; expected rows one after the other")
    widths = {scheme.lanes for scheme in get_schemes().values()}
    unsigned = mapped.view(mapped.dtype.str.replace("i", "u"))
    rows = lanes_from_values(unsigned if unsigned.dtype == "<u8" else np.array(unsigned, "<u8"))
    if rows.shape[1] not in widths or mapped.shape[1:] == (1,):
        raise BadValueError(f"{path}: has the shape {mapped.shape}, which is not that of fingerprints of a scheme")
    return rows


def _array_values(values: npt.NDArray[np.generic], known: Scheme | None) -> Lanes:
    lanes = 1 if values.ndim == 1 else values.shape[1] if values.ndim == 2 else 0
    widths = {scheme.lanes for scheme in get_schemes().values()} if known is None else {known.lanes}
    if lanes not in widths:
        expected = " or ".join("(n,)" if lanes == 1 else f"(n, {lanes})" for lanes in sorted(widths))
        named = f" of {known.id}" if known else ""
        raise BadValueError(f"the array has shape {values.shape}; fingerprints{named} have {expected}")
    if values.ndim == 2 and values.dtype.kind in "ui" and values.itemsize != 8:
        hint = "for the bytes of fingerprints, give bytes(row) of each row"
        raise BadValueError(f"the array of shape {values.shape} has dtype {values.dtype}; lanes have 64 bits: {hint}")
    if values.dtype.kind not in "ui":
        hint = f"; {_NOT_EXACT}" if values.dtype.kind == "f" else ""
        raise BadValueError(f"the array has dtype {values.dtype}; fingerprints are integers, preferably uint64{hint}")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        at = int(np.argwhere(np.ma.getmaskarray(values))[0, 0])
        raise BadValueError(f"position {at}: the value is masked: this document has no fingerprint; leave it out")
    if values.dtype.kind == "i" and len(negative := np.argwhere(np.signbit(values))):
        place = tuple(negative[0].tolist())
        hint = "; for signed columns of a database, give values.view('uint64')" if values.dtype.itemsize == 8 else ""
        raise BadValueError(f"position {place[0]}: {values[place]} is negative; a fingerprint is unsigned{hint}")
    return lanes_from_values(np.ascontiguousarray(values, np.uint64))


_NOT_EXACT = (
    "a float holds 53 of 64 bits, and a column of integers with nulls becomes one in pandas: use the column "
    "'fingerprint', of text forms"
)


def _present_of(values: Fingerprints, scheme: AnyScheme | None, marks: Marks | None) -> tuple[Lanes, Positions | None]:
    if scheme is not None and get_scheme(scheme) != values.scheme:
        expected = f"{get_scheme(scheme)}, or give scheme={values.scheme.id!r}"
        raise SchemeMismatchError(f"the fingerprints are of {values.scheme}; expected {expected}")
    rows = values.measurements.values
    if len(values):
        mark(True, marks)
    if not values.missing.any():
        return rows, None
    places = np.flatnonzero(~values.missing)
    return rows[places], places


def listed_values(values: AnyValues) -> list[Any]:
    """Return the values of an iterable, of a column, or of the column `fingerprint` of a table."""
    table: Any = values
    names = _names_of(table)
    if names is None:
        if hasattr(values, "__arrow_c_stream__") and not hasattr(values, "__iter__"):
            import pyarrow as pa

            table = pa.chunked_array(table)
        collection(table, "values", "fingerprints")
    else:
        table = _column(table, names, "fingerprint")
    for name in ("to_pylist", "tolist", "to_list"):  # of pyarrow; of numpy and pandas; of polars
        if convert := getattr(table, name, None):
            listed: list[Any] = convert()
            return listed
    return list(table)


def _names_of(table: Any) -> list[Any] | None:
    """Return the names of the columns of a table of pandas, polars or pyarrow; None for what is not a table."""
    check_read(table, "values")
    names = getattr(table, "column_names", None)
    names = getattr(table, "columns", None) if names is None else names
    return None if names is None else list(names)


def _column(table: Any, names: list[Any], name: str) -> Any:
    if name not in names:
        raise BadValueError(f"the table has the columns {', '.join(map(str, names))}; expected {name!r}")
    if names.count(name) > 1:
        raise BadValueError(f"several columns have the name {name!r}; rename all but one")
    return table[name]


def _is_missing(value: Any) -> bool:
    """Return True for None, a masked entry, and the nulls of pandas: NaN and pd.NA."""
    return value is None or value is np.ma.masked or type(value).__name__ == "NAType" or value != value


def _scheme_of_one(value: Fingerprint | str | bytes) -> Scheme:
    """Return the scheme that a value has or, if it is malformed, sd64: then `_checked` raises the error."""
    widths = {scheme.bits: scheme for scheme in get_schemes().values()}
    if isinstance(value, bytes):
        return widths.get(8 * len(value), get_scheme(_DEFAULT))
    try:
        return (Fingerprint.parse(value) if isinstance(value, str) else value).scheme
    except SpecError:
        return get_scheme(_DEFAULT)


def mark(canonical: bool, marks: Marks | None) -> None:
    """Add whether a fingerprint is canonical, and warn if it is the first that differs in this from the others."""
    if marks is not None and canonical not in marks:
        if marks:
            warn_caller(MIXED, ProvenanceWarning)
        marks.add(canonical)


def one_mark(marks: Marks, path: str | os.PathLike[str]) -> bool | None:
    """Return the mark of all fingerprints of an index; None if it is not known."""
    if len(marks) > 1:
        raise BadValueError(
            f"{os.fspath(path)}: customized and canonical fingerprints cannot share an index, which marks all or none "
            "(SD-CUSTOM-1): build one index of each"
        )
    return next(iter(marks), None)


def _checked(value: object, expected: Scheme, where: str, marks: Marks | None) -> int:
    if isinstance(value, str):
        text = value
        try:
            value = Fingerprint.parse(text, expected.id)
        except SchemeMismatchError as error:
            raise SchemeMismatchError(f"{where}: {error}") from error
        except SpecError as error:
            raise BadValueError(f"{where}: {error}{of_text(text)}") from error
    if isinstance(value, Fingerprint):
        if value.scheme.id != expected.id:
            raise SchemeMismatchError(f"{where}: a fingerprint of {value.scheme.id}; expected {expected.id}")
        mark(value.canonical, marks)
        return value.value
    if isinstance(value, bytes):
        if 8 * len(value) != expected.bits:
            raise BadValueError(f"{where}: {len(value)} bytes; a fingerprint of {expected.id} has {expected.bits // 8}")
        return int.from_bytes(value, "big")
    if isinstance(value, bool | np.ndarray) or not hasattr(value, "__index__"):
        hint = f"; {_NOT_EXACT}" if isinstance(value, float | np.floating) else ""
        hint = "; Fingerprint.from_lanes takes a row of lanes" if isinstance(value, np.ndarray) else hint
        found = f"{where}: {shown(value)} is of type {type(value).__name__}"
        raise BadValueError(f"{found}; expected one Fingerprint, text form, bytes or int{hint}")
    number = index(value)
    if number < 0:
        raise BadValueError(
            f"{where}: {number} is negative; a fingerprint of {expected.id} is in [0, 2^{expected.bits})"
        )
    if number >= 1 << expected.bits:
        raise BadValueError(
            f"{where}: {number} has {number.bit_length()} bits; a fingerprint of {expected.id} has {expected.bits}"
        )
    return number
