"""Tabular files: fingerprints of a column, and rows without duplicates (Parquet, JSON lines, CSV)."""

from __future__ import annotations

from simhash_doc.errors import SimhashDocError


class TabularError(SimhashDocError):
    """A tabular file cannot be read, or its result cannot be written. An error of one row is part of that row."""

    code = "tabular"


class TabularUsageError(TabularError):
    """The options do not fit the file: a column is missing or of another type, or the output is of another format."""

    code = "tabular-usage"
    is_usage = True
