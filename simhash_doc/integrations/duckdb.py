"""SQL functions of DuckDB for fingerprints.

import duckdb
from simhash_doc.integrations.duckdb import register

connection = register(duckdb.connect())
connection.sql("SELECT id, simhash_sd256(text) FROM articles")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import pyarrow as pa

from simhash_doc.integrations.columns import distance_column, fingerprint_column, narrow_column, value_column
from simhash_doc.schemes import AnyScheme, get_scheme, get_schemes


def register(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Add the functions to a connection, and return it.

    ============================  ========================================================================
    ``simhash_sd64(text)`` ...    the text form of the fingerprint, one function for each scheme; NULL for
                                  a text without a token
    ``simhash_distance(a, b)``    the Hamming distance of two fingerprints of one scheme, USMALLINT
    ``simhash_to_sd64(f)`` ...    the fingerprint in a narrower scheme, one function for each
    ``simhash_value(f)``          the first 64 bits of a fingerprint, UBIGINT: ``bit_count(xor(a, b))`` is
                                  their distance, without Python
    ============================  ========================================================================

    Raises:
        duckdb.CatalogException: the connection has a function of such a name.
    """
    for scheme in get_schemes():
        _add(connection, f"simhash_{scheme}", _in_scheme(fingerprint_column, get_scheme(scheme)), 1, "VARCHAR")
        _add(connection, f"simhash_to_{scheme}", _in_scheme(narrow_column, get_scheme(scheme)), 1, "VARCHAR")
    _add(connection, "simhash_distance", distance_column, 2, "USMALLINT")
    _add(connection, "simhash_value", value_column, 1, "UBIGINT")
    return connection


def _in_scheme(function: Callable[[Any, AnyScheme], pa.Array], scheme: AnyScheme) -> Callable[[Any], pa.Array]:
    return lambda column: function(column, scheme)  # not partial, whose keyword DuckDB counts as a parameter


def _add(
    connection: duckdb.DuckDBPyConnection, name: str, function: Callable[..., pa.Array], columns: int, result: str
) -> None:
    create: Any = connection.create_function  # its types have enumerations alone, whose module differs by version
    create(
        name,
        function,
        [duckdb.sqltype("VARCHAR")] * columns,
        duckdb.sqltype(result),
        type="arrow",
        null_handling="special",  # NULL in gives NULL out, and a text without a token, too
    )
