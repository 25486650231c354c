"""Checks of a table of fingerprints: its columns, ids and widths."""

from __future__ import annotations

from collections.abc import Sequence

import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, IntegralType, StringType

from simhash_doc.schemes import get_schemes
from simhash_doc.spark.errors import BadColumnError


def check_columns(df: DataFrame, id_col: str, fp_col: str, what: str = "the input") -> None:
    """Reject a table without an id column and a fingerprint column of the right types.

    Raises:
        BadColumnError: a column is absent or of another type.
    """
    fields = {field.name: field.dataType for field in df.schema.fields}
    for name in (id_col, fp_col):
        if name not in fields:
            raise BadColumnError(f"{what} has no column {name!r}; it has {', '.join(map(repr, fields)) or 'none'}")
    kind = fields[id_col]
    if not isinstance(kind, StringType | IntegralType | BinaryType):
        raise BadColumnError(
            f"column {id_col!r} of {what} is {kind.simpleString()}; an id is a string, integer or binary"
        )
    kind = fields[fp_col]
    if not isinstance(kind, BinaryType):
        raise BadColumnError(
            f"column {fp_col!r} of {what} is {kind.simpleString()}; a fingerprint is binary, "
            f"most significant byte first{_conversion(fp_col, kind)}"
        )


def _conversion(name: str, kind: object) -> str:
    if isinstance(kind, IntegralType):
        return f": unhex(lpad(hex({name}), 16, '0')) converts a bigint"
    if isinstance(kind, StringType):
        return f": unhex({name}) converts hexadecimal digits"
    return ""


def check_values(df: DataFrame, id_col: str, fp_col: str, what: str, bits: int | None) -> None:
    """Read a table once, and reject null ids and fingerprints of another width than `bits` (None for any one width).

    Raises:
        BadColumnError: an id is null, or a fingerprint has another width.
    """
    size = F.length(F.col(f"`{fp_col}`"))
    row = df.agg(
        F.count_if(F.col(f"`{id_col}`").isNull()), F.min(size), F.max(size), F.count_if(size != (bits or 0) // 8)
    ).first()
    assert row is not None
    without_id, least, most, others = row
    if without_id:
        raise BadColumnError(null_ids(id_col, what, without_id))
    if bits is not None and others:
        width = bits // 8
        raise BadColumnError(several_widths(fp_col, what, width, least if least != width else most, others))


def null_ids(id_col: str, what: str, rows: int) -> str:
    """Return the message for null ids."""
    return f"column {id_col!r} of {what} is null in {rows:,} rows; every entry needs an id"


def several_widths(fp_col: str, what: str, width: int, other: int, rows: int) -> str:
    """Return the message for fingerprints of several widths, in bytes."""
    return (
        f"column {fp_col!r} of {what} holds fingerprints of {other} bytes where {width} are expected, "
        f"in {rows:,} rows: different schemes are never compared; {expected_widths()}"
    )


def expected_widths() -> str:
    """Return the widths of all schemes for a message."""
    return "a fingerprint has " + ", ".join(
        f"{scheme.bits // 8} bytes ({scheme.id})" for scheme in get_schemes().values()
    )


def reject_repeated_ids(df: DataFrame, id_col: str, what: str, hashes: Sequence[int]) -> None:
    """Reject a table in which ids with some hashes occur twice.

    Args:
        hashes: xxhash64 of ids that may be repeated; different ids may have equal hashes.

    Raises:
        BadColumnError: an id occurs twice.
    """
    name = F.col(f"`{id_col}`")
    repeated = (
        df.where(F.xxhash64(name).isin(hashes)).groupBy(name.alias("id")).count().where("count > 1").limit(3).collect()
    )
    if repeated:  # otherwise different ids with equal hashes
        named = ", ".join(f"{row['id']!r} ({row['count']:,} rows)" for row in repeated)
        raise BadColumnError(
            f"column {id_col!r} of {what} has repeated ids, such as {named}; an id identifies one entry"
        )
