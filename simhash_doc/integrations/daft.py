"""Functions of Daft expressions for fingerprints.

from simhash_doc.integrations.daft import fingerprint

frame = frame.with_column("simhash", fingerprint(frame["text"], "sd256"))
"""

from __future__ import annotations

from daft import DataType, Series
from daft import func as daft_function

from simhash_doc.integrations.columns import distance_column, fingerprint_column, narrow_column, value_column
from simhash_doc.schemes import AnyScheme


@daft_function.batch(return_dtype=DataType.string())
def fingerprint(texts: Series, scheme: AnyScheme = "sd64") -> Series:
    """Return the fingerprints of texts as text forms; null for a null or a text without a token."""
    return Series.from_arrow(fingerprint_column(texts.to_arrow(), scheme))


@daft_function.batch(return_dtype=DataType.uint16())
def distance(first: Series, second: Series) -> Series:
    """Return the Hamming distances of two columns of fingerprints of one scheme, row by row."""
    return Series.from_arrow(distance_column(first.to_arrow(), second.to_arrow()))


@daft_function.batch(return_dtype=DataType.string())
def narrow(fingerprints: Series, scheme: AnyScheme) -> Series:
    """Return the fingerprints in a narrower scheme."""
    return Series.from_arrow(narrow_column(fingerprints.to_arrow(), scheme))


@daft_function.batch(return_dtype=DataType.uint64())
def value(fingerprints: Series) -> Series:
    """Return the first 64 bits of the fingerprints."""
    return Series.from_arrow(value_column(fingerprints.to_arrow()))
