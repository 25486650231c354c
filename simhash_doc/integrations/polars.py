"""The namespace ``simhash`` of polars expressions. Importing this module registers it.

import polars as pl
import simhash_doc.integrations.polars

frame.with_columns(pl.col("text").simhash.fingerprint("sd256").alias("simhash"))
"""

from __future__ import annotations

import polars as pl

from simhash_doc.integrations.columns import distance_column, fingerprint_column, narrow_column, value_column
from simhash_doc.schemes import AnyScheme


@pl.api.register_expr_namespace("simhash")
class SimhashNamespace:
    """Fingerprints of a column of texts, and what is computed from a column of fingerprints. Nulls stay null."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def fingerprint(self, scheme: AnyScheme = "sd64") -> pl.Expr:
        """Return the fingerprints of texts as text forms; null for a text without a token."""
        return self._expression.map_batches(
            lambda texts: pl.Series(texts.name, fingerprint_column(texts, scheme)), pl.String, is_elementwise=True
        )

    def distance(self, other: pl.Expr) -> pl.Expr:
        """Return the Hamming distances to another column of fingerprints of the same scheme, row by row."""
        return pl.map_batches(
            [self._expression, other],
            lambda columns: pl.Series(columns[0].name, distance_column(columns[0], columns[1])),
            pl.UInt16,
        )

    def narrow(self, scheme: AnyScheme) -> pl.Expr:
        """Return the fingerprints in a narrower scheme."""
        return self._expression.map_batches(
            lambda column: pl.Series(column.name, narrow_column(column, scheme)), pl.String, is_elementwise=True
        )

    def value(self) -> pl.Expr:
        """Return the first 64 bits of the fingerprints as UInt64."""
        return self._expression.map_batches(
            lambda column: pl.Series(column.name, value_column(column)), pl.UInt64, is_elementwise=True
        )
