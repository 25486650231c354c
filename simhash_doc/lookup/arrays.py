"""Fingerprints of one scheme as a numpy array: checks, order and hashes; and read in pieces from a file.

Fingerprints of 64 bits have the shape (n,), wider ones (n, lanes) with lane 0 the most
significant; the dtype is uint64. Every function here takes both.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import LANE_BITS, Lanes, ints_from_lanes, lanes_from_bytes, lanes_from_ints
from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.lookup.errors import BadValueError
from simhash_doc.schemes import Scheme, get_scheme, get_schemes, scheme_of_bits

Values = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
AnyValue: TypeAlias = int | Fingerprint | str | bytes
AnyValues: TypeAlias = Iterable[AnyValue | None] | npt.NDArray[np.integer]
"""An array, an iterable or, where nulls are possible, a column or a table (`present_values`)."""

# Work is done in chunks of this many lanes: 256 KB, which stays in the second-level cache.
CHUNK = 1 << 15
_DEFAULT = "sd64"


def as_value(value: AnyValue, scheme: str = _DEFAULT) -> int:
    """Return a fingerprint of a scheme as an int in [0, 2^bits).

    Raises:
        BadValueError: it is something else.
    """
    expected = get_scheme(scheme)
    if type(value) is int and 0 <= value < 1 << expected.bits:
        return value
    return _checked(value, expected, "the fingerprint")


def as_values(values: AnyValues, scheme: str | None = None) -> Values:
    """Return fingerprints as a contiguous array of dtype uint64, shape (n,) or (n, lanes).

    Args:
        values: an array of shape (n,), any integer dtype, of shape (n, lanes), uint64; or an
            iterable of ints, `Fingerprint`s, text forms and bytes, most significant first. An array of the right
            dtype is returned without a copy.
        scheme: short id of their scheme. If None, the scheme is that of the first value that is
            no int, or follows from the shape of the array; ints alone are of sd64.

    Raises:
        BadValueError: a value is negative, too wide, of another scheme, a malformed text form or of another type (the
            message names its position); the array has another dtype or shape, or masked values.

    >>> as_values([0, 2**64 - 1])
    array([                   0, 18446744073709551615], dtype=uint64)
    >>> as_values([1, 2**64], "sd128").tolist()
    [[0, 1], [1, 0]]
    >>> as_values([5, -1])
    Traceback (most recent call last):
    simhash_doc.lookup.errors.BadValueError: position 1: -1 is negative; a fingerprint of sd64 is in [0, 2^64)
    """
    known = None if scheme is None else get_scheme(scheme)
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return _array_values(values, known)
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if known is None:
        first = next((value for value in listed if isinstance(value, Fingerprint | str | bytes)), None)
        known = get_scheme(_DEFAULT) if first is None else _scheme_of_one(first)
    if known.lanes == 1 and all(type(value) is int for value in listed):
        try:
            return np.array(listed, np.uint64)
        except OverflowError:
            pass  # the loop below finds the position
    checked = [_checked(value, known, f"position {at}") for at, value in enumerate(listed)]
    return from_ints(checked, known.lanes)


def present_values(values: AnyValues, scheme: str | None = None) -> tuple[Values, Positions | None]:
    """Return the fingerprints of an input as `as_values` does, without the missing ones.

    Args:
        values: as for `as_values`; or a column of pandas, polars or pyarrow of what it takes; or a table of theirs with
            the column `fingerprint`. Masked entries of an array, None, and the nulls of a column are missing:
            documents without a fingerprint. An entry over 64 bits is masked if one of its lanes is.
        scheme: as for `as_values`.

    Returns:
        The fingerprints, and the position of each in the input, shape (n,), int64; None if no entry is missing.

    Raises:
        BadValueError: as for `as_values`; or a table has no column `fingerprint`.

    >>> present_values(np.ma.MaskedArray([5, 0, 7], [False, True, False]))
    (array([5, 7], dtype=uint64), array([0, 2]))
    >>> present_values(["sd64:aaaaaaaaaaaac", None])
    (array([1], dtype=uint64), array([0]))
    """
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            return as_values(values.data, scheme), None
        mask = np.ma.getmaskarray(values)
        places = np.flatnonzero(~(mask if mask.ndim == 1 else mask.any(axis=1)))
        return as_values(values.data[places], scheme), places
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return as_values(values, scheme), None
    listed = _listed(values)
    if {*map(type, listed)} <= {int, str, bytes, Fingerprint}:
        return as_values(listed, scheme), None
    places = np.array([at for at, value in enumerate(listed) if not _is_missing(value)], np.int64)
    if len(places) == len(listed):
        return as_values(listed, scheme), None
    return as_values([listed[at] for at in places.tolist()], scheme), places


def supported_values(values: AnyValues, support: npt.ArrayLike, least: float, scheme: str | None = None) -> AnyValues:
    """Return fingerprints as a masked array without those of documents with little support, at their positions.

    Args:
        values: as for `present_values`.
        support: shape (n,); the effective number of tokens of each document.
        least: the least support.
        scheme: as for `present_values`.

    Raises:
        BadValueError: as for `present_values`; or the numbers of values and of supports differ.
    """
    listed = values if isinstance(values, np.ndarray) else _listed(values)
    enough = np.asarray(support, np.float64) >= least
    if enough.shape != (len(listed),):
        raise BadValueError(f"{enough.size} values of support for {len(listed)} fingerprints")
    present, places = present_values(listed, scheme)
    at = np.arange(len(present)) if places is None else places
    complete = np.zeros((len(listed), *present.shape[1:]), np.uint64)
    complete[at] = present
    left_out = np.ones(len(listed), bool)
    left_out[at] = ~enough[at]
    mask = left_out if present.ndim == 1 else np.repeat(left_out[:, None], present.shape[1], axis=1)
    return np.ma.MaskedArray(complete, mask)


def scheme_of(values: Values) -> Scheme:
    """Return the scheme whose width an array of fingerprints has."""
    return scheme_of_bits(LANE_BITS * lanes_of(values))


def lanes_of(values: Values) -> int:
    return 1 if values.ndim == 1 else values.shape[1]


def as_rows(values: Values) -> Lanes:
    """Return fingerprints as shape (n, lanes), whatever their width; no copy."""
    return values[:, None] if values.ndim == 1 else values


def from_rows(rows: Lanes) -> Values:
    """Return lanes of shape (n, lanes) in the shape for their width: (n,) for one lane; no copy."""
    return rows[:, 0] if rows.shape[1] == 1 else rows


def from_ints(values: Sequence[int], lanes: int) -> Values:
    """Return unsigned integers as fingerprints of a number of lanes."""
    return from_rows(lanes_from_ints(values, lanes))


def to_ints(values: Values) -> list[int]:
    """Return fingerprints as unsigned integers."""
    return values.tolist() if values.ndim == 1 else ints_from_lanes(values)


def empty_values(lanes: int) -> Values:
    """Return no fingerprints, in the shape for a number of lanes."""
    return from_rows(np.empty((0, lanes), np.uint64))


def sort_keys(values: Values) -> npt.NDArray[np.uint64] | npt.NDArray[np.bytes_]:
    """Return a key for each fingerprint, shape (n,), such that keys compare as the fingerprints do."""
    if values.ndim == 1:
        return values
    # Strings of equal length compare byte by byte, and numpy sorts and searches them.
    return values.astype(">u8", order="C").view(f"S{8 * values.shape[1]}")[:, 0]


def sorted_values(values: Values) -> Values:
    """Return the fingerprints in ascending order."""
    if values.ndim == 1:
        return np.sort(values)
    return lanes_from_bytes(np.sort(sort_keys(values)).tobytes(), values.shape[1])


def differs_from_previous(ordered: Values) -> npt.NDArray[np.bool_]:
    """Return for each fingerprint, shape (n,), True if it is the first or differs from the one before it."""
    differs = np.ones(len(ordered), bool)
    if ordered.ndim == 1:
        np.not_equal(ordered[1:], ordered[:-1], out=differs[1:])
    else:
        np.any(ordered[1:] != ordered[:-1], axis=1, out=differs[1:])
    return differs


def distinct_values(ordered: Values) -> Values:
    """Return each value of an ascending array once."""
    first = differs_from_previous(ordered)
    return ordered if first.all() else ordered[first]


def among(values: Values, members: Values) -> npt.NDArray[np.bool_]:
    """Return for each value, shape (n,), True if it is one of `members`, which are ascending."""
    if not len(members):
        return np.zeros(len(values), bool)
    rank = np.searchsorted(sort_keys(members), sort_keys(values))
    rank[rank == len(members)] = 0
    same: npt.NDArray[np.bool_] = members[rank] == values
    return same if values.ndim == 1 else np.all(same, axis=1)


def among_any(values: Values, several: Iterable[Values]) -> npt.NDArray[np.bool_]:
    """Return for each value, shape (n,), True if it is in one of several arrays, each of them ascending."""
    found = np.zeros(len(values), bool)
    for members in several:
        found |= among(values, members)
    return found


def in_order(a: Values, b: Values) -> tuple[Values, Values]:
    """Return the smaller and the larger fingerprint of each pair."""
    if a.ndim == 1:
        return np.minimum(a, b), np.maximum(a, b)
    less = np.zeros(len(a), bool)
    for lane in reversed(range(a.shape[1])):
        less = np.where(a[:, lane] == b[:, lane], less, a[:, lane] < b[:, lane])
    return np.where(less[:, None], a, b), np.where(less[:, None], b, a)


def mixed(rows: Lanes) -> Hashes:
    """Return a 64-bit hash of each row, shape (n,): the finalizer of MurmurHash3 over its lanes.

    It is one to one for a single lane.
    """
    hashes = np.zeros(len(rows), np.uint64)
    for lane in rows.T:
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= lane
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            hashes ^= hashes >> np.uint64(33)
            hashes *= np.uint64(factor)
        hashes ^= hashes >> np.uint64(33)
    return hashes


def spread(hashes: Hashes, parts: int) -> Positions:
    """Return the part, in [0, parts), of each hash."""
    return ((hashes >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)


def runs(first: Positions, length: Positions) -> Positions:
    """Return first[0], first[0] + 1, ... for length[0] numbers, then those of first[1], and so on."""
    before = np.cumsum(length) - length
    return np.repeat(first - before, length) + np.arange(int(length.sum()))


def _array_values(values: npt.NDArray[np.generic], known: Scheme | None) -> Values:
    lanes = 1 if values.ndim == 1 else values.shape[1] if values.ndim == 2 else 0
    widths = {scheme.lanes for scheme in get_schemes().values()} if known is None else {known.lanes}
    if lanes not in widths:
        expected = " or ".join("(n,)" if lanes == 1 else f"(n, {lanes})" for lanes in sorted(widths))
        named = f" of {known.id}" if known else ""
        raise BadValueError(f"the array has shape {values.shape}; fingerprints{named} have {expected}")
    if values.dtype.kind not in "ui":
        hint = f"; {_NOT_EXACT}" if values.dtype.kind == "f" else ""
        raise BadValueError(f"the array has dtype {values.dtype}; fingerprints are integers, preferably uint64{hint}")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        at = int(np.argwhere(np.ma.getmaskarray(values))[0, 0])
        raise BadValueError(f"position {at}: the value is masked: this document has no fingerprint; leave it out")
    if values.dtype.kind == "i" and len(negative := np.argwhere(np.signbit(values))):
        place = tuple(negative[0].tolist())
        raise BadValueError(f"position {place[0]}: {values[place]} is negative; a fingerprint is unsigned")
    converted: Values = np.ascontiguousarray(values, np.uint64)
    return converted.reshape(-1) if lanes == 1 else converted


_NOT_EXACT = (
    "a float holds 53 of 64 bits, and a column of integers with nulls becomes one in pandas: use the column "
    "'fingerprint', of text forms"
)


def _listed(values: AnyValues) -> list[Any]:
    """Return the values of an iterable, of a column, or of the column `fingerprint` of a table."""
    table: Any = values
    names = getattr(values, "column_names", None) or getattr(values, "columns", None)
    if names is not None:
        if "fingerprint" not in list(names):
            raise BadValueError(f"the table has the columns {', '.join(map(str, names))}; expected 'fingerprint'")
        table = table["fingerprint"]
    for name in ("to_pylist", "tolist", "to_list"):  # of pyarrow; of numpy and pandas; of polars
        if convert := getattr(table, name, None):
            listed: list[Any] = convert()
            return listed
    return list(table)


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


def _checked(value: object, expected: Scheme, where: str) -> int:
    if isinstance(value, str):
        try:
            return Fingerprint.parse(value, expected.id).value
        except SpecError as error:
            raise BadValueError(f"{where}: {error}") from error
    if isinstance(value, Fingerprint):
        if value.scheme_id != expected.id:
            raise BadValueError(f"{where}: a fingerprint of scheme {value.scheme_id} where {expected.id} is expected")
        return value.value
    if isinstance(value, bytes):
        if 8 * len(value) != expected.bits:
            raise BadValueError(f"{where}: {len(value)} bytes; a fingerprint of {expected.id} has {expected.bits // 8}")
        return int.from_bytes(value, "big")
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        hint = f"; {_NOT_EXACT}" if isinstance(value, float | np.floating) else ""
        raise BadValueError(f"{where}: {value!r} is not an integer but of type {type(value).__name__}{hint}")
    if value < 0:
        raise BadValueError(
            f"{where}: {value} is negative; a fingerprint of {expected.id} is in [0, 2^{expected.bits})"
        )
    if value >= 1 << expected.bits:
        raise BadValueError(
            f"{where}: {value} has {int(value).bit_length()} bits; a fingerprint of {expected.id} has {expected.bits}"
        )
    return int(value)


_PIECE_BYTES = 1 << 22


def open_values(path: str | os.PathLike[str]) -> Values:
    """Map the fingerprints of a .npy file of shape (n,) or (n, lanes), dtype uint64, little-endian.

    Raises:
        OSError: it cannot be read.
        BadValueError: it is not such a file.
    """
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # of its header, which is a text of Python: whatever the tokenizer raises
        raise BadValueError(f"{path}: is not a .npy file ({error})") from error
    if not isinstance(mapped, np.memmap) or mapped.dtype != "<u8" or mapped.ndim not in (1, 2):
        found = f"{mapped.dtype} {mapped.shape}" if isinstance(mapped, np.ndarray) else type(mapped).__name__
        raise BadValueError(f"{path}: holds {found}; expected uint64 of shape (n,) or (n, lanes)")
    if not mapped.flags.c_contiguous:
        raise BadValueError(f"{path}: is in Fortran order; expected rows one after the other")
    widths = {scheme.lanes for scheme in get_schemes().values()}
    if lanes_of(mapped) not in widths or mapped.shape[1:] == (1,):
        raise BadValueError(f"{path}: has the shape {mapped.shape}, which is not that of fingerprints of a scheme")
    return mapped


def pieces(values: Values, start: int = 0, end: int | None = None) -> Iterator[Values]:
    """Yield the fingerprints [start, end) in pieces of shape (c,) or (c, lanes), which must not be changed.

    Those that `open_values` has mapped are read: mapped pages would count as memory of the process.

    Raises:
        OSError: they cannot be read.
    """
    if isinstance(values, np.memmap):
        last = len(values) if end is None else end
        yield from read_pieces(Path(str(values.filename)), lanes_of(values), start, last, values.offset)
    else:
        yield values[start:end]


def read_pieces(path: Path, lanes: int, start: int, end: int, offset: int = 0) -> Iterator[Values]:
    """Yield the fingerprints [start, end) of a file that has them from `offset` on, in bytes.

    Raises:
        OSError: they cannot be read.
    """
    step = _PIECE_BYTES // (8 * lanes)
    with path.open("rb") as file:
        file.seek(offset + 8 * lanes * start)
        for at in range(start, end, step):
            values = np.fromfile(file, "<u8", min(step, end - at) * lanes)
            if len(values) < min(step, end - at) * lanes:
                raise OSError(f"{path}: was truncated while it was read")
            yield values if lanes == 1 else values.reshape(-1, lanes)
