"""The fingerprints of many documents, some of which may have none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Values, ints_from_lanes, values_from_lanes
from simhash_doc.base32 import encode_array
from simhash_doc.engines.base import Measurements
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import LANE_BITS, Scheme, scheme_of_bits

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_PIECE = 1 << 12  # fingerprints that become objects at a time
_Item = TypeVar("_Item", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fingerprints:
    """The fingerprints of n documents in order, with their numbers of tokens. A document without a token has none.

    Every function of this package that takes fingerprints accepts this type. `fingerprints[3]` is a `Fingerprint` or
    None, and `fingerprints[:3]` or a mask of NumPy selects some. `values` and `np.asarray` raise an error if a
    fingerprint is missing: NumPy has no missing integers, and 0 is a fingerprint like any other. No array of this
    object can be changed; `np.array` copies.

    Args:
        measurements: the results of an engine.

    Raises:
        TypeError: these are not results of an engine.

    >>> from simhash_doc import fingerprint_many
    >>> found = fingerprint_many(["The quick brown fox", "12 34", None])
    >>> found.text_forms(), found.missing.tolist(), found.distinct_tokens.tolist()
    (['sd64:larqgiqsckcca', None, None], [False, True, True], [4, 0, 0])
    >>> found[0], found[1], len(found)
    (Fingerprint.parse('sd64:larqgiqsckcca'), None, 3)
    """

    measurements: Measurements

    def __post_init__(self) -> None:
        if not isinstance(self.measurements, Measurements):
            kind = type(self.measurements).__name__
            raise TypeError(f"measurements is {kind}; expected the results of an engine, see fingerprint_many")

    @property
    def scheme(self) -> Scheme:
        """The scheme of all."""
        return scheme_of_bits(LANE_BITS * self.measurements.values.shape[1])

    @property
    def values(self) -> Values:
        """The fingerprints as integers, read-only: shape (n,) of sd64, (n, lanes) of wider schemes, uint64.

        Raises:
            ValueError: a fingerprint is missing. `fingerprints[~fingerprints.missing].values` contains the others.
        """
        if self.missing.any():
            first = int(np.flatnonzero(self.missing)[0])
            raise ValueError(
                f"{int(self.missing.sum()):,} of {len(self):,} documents have no fingerprint, the first at position "
                f"{first}, and an array has no missing integers: use to_pandas(), to_polars() or text_forms(), or "
                "select the others by fingerprints[~fingerprints.missing]"
            )
        return _read_only(values_from_lanes(self.measurements.values))

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """True for each document without a fingerprint, shape (n,): it is None, or has no token (SD-SUM-2)."""
        return self.measurements.missing

    @property
    def distinct_tokens(self) -> npt.NDArray[np.int64]:
        """Number of distinct tokens of each document, shape (n,)."""
        return _read_only(self.measurements.distinct_tokens)

    @property
    def weight(self) -> npt.NDArray[np.int64]:
        """Sum of the capped counts of the tokens of each document (SD-CAP-1), shape (n,)."""
        return _read_only(self.measurements.weight)

    @property
    def support(self) -> npt.NDArray[np.float64]:
        """Effective number of tokens of each document, shape (n,); see `Measurement.support`."""
        return self.measurements.support

    def __len__(self) -> int:
        return len(self.measurements)

    def __iter__(self) -> Iterator[Fingerprint | None]:
        scheme = self.scheme
        for start in range(0, len(self), _PIECE):
            piece = slice(start, start + _PIECE)
            values, missing = ints_from_lanes(self.measurements.values[piece]), self.missing[piece].tolist()
            for value, is_missing in zip(values, missing, strict=True):
                yield None if is_missing else Fingerprint(value, scheme)

    @overload
    def __getitem__(self, chosen: int | np.integer) -> Fingerprint | None: ...
    @overload
    def __getitem__(self, chosen: slice | npt.NDArray[np.bool_] | npt.NDArray[np.integer]) -> Fingerprints: ...
    def __getitem__(self, chosen: Any) -> Fingerprint | Fingerprints | None:
        if hasattr(chosen, "__index__") and not getattr(chosen, "ndim", 0) and not isinstance(chosen, bool):
            at = index(chosen)
            if not -len(self) <= at < len(self):
                raise IndexError(f"position {at} of {len(self)} fingerprints")
            return next(iter(self[at : at + 1 or None]))
        rows = chosen if isinstance(chosen, slice) else _positions(chosen)
        return Fingerprints(Measurements(self.measurements.values[rows], self.measurements.statistics[rows]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprints):
            return NotImplemented
        same = np.array_equal(self.measurements.values, other.measurements.values)
        return same and np.array_equal(self.missing, other.missing)

    __hash__ = None  # type: ignore[assignment] # as a list, it is compared by its items

    def __repr__(self) -> str:
        return f"<Fingerprints: {len(self):,} of {self.scheme}, {int(self.missing.sum()):,} missing>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Values:
        """Return `values`.

        Raises:
            ValueError: a fingerprint is missing.
            TypeError: the dtype is not uint64, which alone holds all of them.
        """
        if dtype is not None and np.dtype(dtype).newbyteorder("=") != np.uint64:
            raise TypeError(
                f"fingerprints as an array of {np.dtype(dtype)}: expected uint64, which holds all their bits; see also "
                "list(), text_forms(), to_pandas() and to_polars()"
            )
        return self.values.astype(dtype or np.uint64, copy=bool(copy))

    def text_forms(self) -> list[str | None]:
        """Return the text form of each fingerprint, for example ``sd64:larqgiqsckcca``; None where it is missing.

        >>> from simhash_doc import fingerprint_many
        >>> fingerprint_many(["The quick brown fox", ""]).text_forms()
        ['sd64:larqgiqsckcca', None]
        """
        prefix = f"{self.scheme}:"
        digits = encode_array(self.measurements.values).tolist()
        missing = self.missing.tolist()
        return [None if gone else prefix + one.decode() for one, gone in zip(digits, missing, strict=True)]

    def to_pandas(self) -> pd.api.extensions.ExtensionArray:
        """Return the text forms as a pandas array of strings, with a missing value where there is no fingerprint.

        `frame["fingerprint"] = fingerprints.to_pandas()` adds the column row by row, because pandas does not align an
        array by an index.

        Raises:
            ImportError: pandas is not installed.

        >>> from simhash_doc import fingerprint_many
        >>> fingerprint_many(["The quick brown fox", ""]).to_pandas().tolist()
        ['sd64:larqgiqsckcca', <NA>]
        """
        import pandas as pd

        return pd.array(self.text_forms(), dtype="string")

    def to_polars(self) -> pl.Series:
        """Return the text forms as a polars series named ``fingerprint``, with null where there is no fingerprint.

        Raises:
            ImportError: polars is not installed.

        >>> from simhash_doc import fingerprint_many
        >>> fingerprint_many(["The quick brown fox", ""]).to_polars().to_list()
        ['sd64:larqgiqsckcca', None]
        """
        import polars as pl

        return pl.Series("fingerprint", self.text_forms(), dtype=pl.String)

    def __arrow_array__(self, type: pa.DataType | None = None) -> pa.Array:  # noqa: A002
        """Return the text forms as an array of Arrow, of strings; null where there is no fingerprint."""
        forms = arrow_text_forms(self.measurements.values, self.missing, self.scheme)
        return forms if type is None else forms.cast(type)


def _read_only(array: npt.NDArray[_Item]) -> npt.NDArray[_Item]:
    """Return a view that cannot be written to: it shows the fingerprints themselves."""
    view = array.view()
    view.flags.writeable = False
    return view


def _positions(chosen: Any) -> npt.NDArray[Any]:
    """Return what chooses some of many: an array of positions, or of one bool for each, shape (n,)."""
    found = np.asarray(chosen)
    if isinstance(chosen, tuple) or found.ndim != 1 or (found.dtype.kind not in "biu" and len(found)):
        raise TypeError(f"an index is {chosen!r:.100}; expected an int, a slice, or an array of ints or bools")
    return found if len(found) else found.astype(np.int64)


def arrow_text_forms(values: npt.NDArray[np.uint64], missing: npt.NDArray[np.bool_], scheme: Scheme) -> pa.Array:
    """Return the text forms of fingerprints, shape (n, lanes), as strings of Arrow; null where missing, shape (n,)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if missing.all():
        return pa.nulls(len(missing), pa.string())
    digits = pa.array(encode_array(values.reshape(len(missing), -1)), pa.binary(), mask=missing)
    return pc.binary_join_element_wise(f"{scheme}:", digits.cast(pa.string()), "")
