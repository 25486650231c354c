"""The accessor ``simhash`` of pandas series. Importing this module registers it.

import simhash_doc.integrations.pandas

frame["simhash"] = frame["text"].simhash.fingerprint("sd256")
"""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from simhash_doc.integrations.columns import distance_column, fingerprint_column, narrow_column, value_column
from simhash_doc.schemes import AnyScheme


@pd.api.extensions.register_series_accessor("simhash")
class SimhashAccessor:
    """Fingerprints of a series of texts, and what is computed from a series of fingerprints.

    Results have the index of the series and nullable types, of which 64-bit values lose nothing.
    """

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def fingerprint(self, scheme: AnyScheme = "sd64") -> pd.Series:
        """Return the fingerprints of texts as text forms; missing for a missing text or one without a token."""
        return self._with_index(fingerprint_column(self._series, scheme), "string")

    def distance(self, other: pd.Series) -> pd.Series:
        """Return the Hamming distances to another series of fingerprints of the same scheme and index.

        Raises:
            TypeError: the other is not a series.
            ValueError: the index differs; `reset_index(drop=True)` compares by position.
        """
        if not isinstance(other, pd.Series):
            kind = type(other).__name__
            raise TypeError(f"other is {kind}; expected a series: for one fingerprint, pd.Series(other, series.index)")
        if not self._series.index.equals(other.index):
            raise ValueError("the series have different indexes; align them, or reset_index(drop=True) of both")
        return self._with_index(distance_column(self._series, other), "UInt16")

    def narrow(self, scheme: AnyScheme) -> pd.Series:
        """Return the fingerprints in a narrower scheme."""
        return self._with_index(narrow_column(self._series, scheme), "string")

    def value(self) -> pd.Series:
        """Return the first 64 bits of the fingerprints."""
        return self._with_index(value_column(self._series), "UInt64")

    def _with_index(self, column: pa.Array, dtype: str) -> pd.Series:
        return pd.Series(pd.array(column.to_pylist(), dtype), self._series.index, name=self._series.name)
