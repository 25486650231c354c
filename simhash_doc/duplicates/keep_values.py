"""The values of `preferred`, one for each row: of a list, an array of NumPy, or a column of any library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from simhash_doc.arguments import collection
from simhash_doc.lookup.ids import MISSING


def keep_values(keep: Any) -> list[Any]:
    """Return one value of Python for each row; None for a missing one: a null, NaN, NaT or a masked value.

    Times become integers, which keep their nanoseconds. Ordered categories become their places in the order.

    Args:
        keep: a list; an array of NumPy of any type, byte order and stride; a column of pandas, polars or pyarrow, or of
            another library that exports Arrow data.

    Raises:
        TypeError: it is one str, a mapping, a set, or no collection.
        ValueError: it has several values for a row.

    >>> keep_values(np.array(["2026-03-02", "NaT"], ">M8[D]"))
    [20514, None]
    """
    if getattr(keep, "ndim", 1) != 1 or hasattr(keep, "column_names") or hasattr(keep, "columns"):
        raise ValueError("preferred is a table, or an array of several dimensions; expected one value for each row")
    return [None if _is_missing(one) else one for one in _listed(keep)]


def check_order(values: Sequence[Any], rows: Sequence[int]) -> None:
    """Raise a `TypeError` that names the first two of some rows whose values have no order."""
    for first, other in pairwise(rows):
        try:
            values[first] < values[other]  # noqa: B015
        except TypeError as error:
            kinds = [type(values[row]).__name__ for row in (first, other)]
            raise TypeError(
                f"preferred has no order: {values[first]!r} of row {first} is {kinds[0]}, and {values[other]!r} of row "
                f"{other} is {kinds[1]}; give values of one type"
            ) from error


def _listed(keep: Any) -> Sequence[Any]:
    library = type(keep).__module__.partition(".")[0]
    dtype: Any = getattr(keep, "dtype", None)
    if isinstance(keep, np.ndarray):
        return _of_numpy(keep)
    if library == "pandas" and getattr(dtype, "ordered", False):
        codes = keep.cat.codes if hasattr(keep, "cat") else keep.codes
        return [None if code < 0 else code for code in codes.tolist()]
    if library == "polars" and dtype and (dtype.is_temporal() or str(dtype).startswith("Enum")):
        keep = keep.to_physical()
    elif library == "pyarrow" or not (hasattr(keep, "tolist") or hasattr(keep, "to_list")):
        keep = _arrow_column(keep)
    for name in ("tolist", "to_list", "to_pylist"):
        convert: Callable[[], list[Any]] | None = getattr(keep, name, None)
        if convert is not None:
            return convert()
    return [one.as_py() if hasattr(one, "as_py") else one for one in collection(keep, "preferred", "values")]


def _of_numpy(keep: np.ndarray[Any, Any]) -> list[Any]:
    """Return the values of an array; those of times as integers, because Python has no nanoseconds."""
    if keep.dtype.kind not in "Mm":
        return keep.tolist()  # type: ignore[no-any-return]
    missing = np.isnat(keep) | np.ma.getmaskarray(keep)
    return [None if out else one for out, one in zip(missing.tolist(), keep.astype(np.int64).tolist(), strict=True)]


def _arrow_column(keep: Any) -> Any:
    """Return an Arrow column with times as integers and ordered categories as places; anything else as it is."""
    exports = hasattr(keep, "__arrow_c_stream__"), hasattr(keep, "__arrow_c_array__")
    if not any(exports):
        return keep
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pa.chunked_array(keep) if exports[0] else pa.chunked_array([pa.array(keep)])
    if pa.types.is_dictionary(column.type) and column.type.ordered:
        chunks = column.unify_dictionaries().chunks
        return pa.chunked_array([chunk.indices for chunk in chunks], column.type.index_type)
    if pa.types.is_temporal(column.type) and not pa.types.is_interval(column.type):
        bits = pa.int32() if column.type.bit_width == 32 else pa.int64()
        return pc.cast(column, bits)
    return column


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in MISSING or bool(value != value)
