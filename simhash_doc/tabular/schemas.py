"""The columns that Parquet files have in common, joined by their names, and the keys of the folders of their parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from simhash_doc.entries.parquet_files import plain_type
from simhash_doc.tabular import TabularUsageError

_KEY = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_NULL = "__HIVE_DEFAULT_PARTITION__"
_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)


def joined_schema(paths: Sequence[str], schemas: Sequence[pa.Schema]) -> pa.Schema | None:
    """Return one schema for all files; None if there are no files.

    It has the columns of the first, in its order, with types that hold the values of all.
    Strings, large strings and categories are one type, and so are lists and large lists. A column of nulls alone fits
    every other. Views become what they show.

    Raises:
        TabularUsageError: a file has other columns than the first, or a column of another type.
    """
    if not schemas:
        return None
    first = schemas[0]
    for path, other in zip(paths[1:], schemas[1:], strict=True):
        if other.names == first.names:
            continue
        given = f"{path}: its columns are not those of {paths[0]}"
        if sorted(other.names) != sorted({*first.names}):
            differing = sorted({*first.names} ^ {*other.names}) or ["a column is there twice"]
            raise TabularUsageError(f"{given}: {', '.join(map(repr, differing))}; expected the same names")
    fields = []
    for at, field in enumerate(first):
        places = [at if other.names == first.names else other.get_field_index(field.name) for other in schemas]
        own = [other.field(place) for other, place in zip(schemas, places, strict=True)]
        kind = _shared_type(field.name, paths, [one.type for one in own])
        fields.append(field.with_type(kind).with_nullable(any(one.nullable for one in own)))
    return pa.schema(fields, first.metadata)


def _shared_type(name: str, paths: Sequence[str], kinds: Iterable[pa.DataType]) -> pa.DataType:
    shared, place = pa.null(), 0
    for at, kind in enumerate(map(plain_type, kinds)):
        if pa.types.is_null(kind) or kind == shared:
            continue
        if pa.types.is_null(shared):
            shared, place = kind, at
        elif _general(kind) == _general(shared):
            shared = _general(shared)
        else:
            raise TabularUsageError(
                f"{paths[at]}: column {name!r} is of type {kind}, and of type {shared} in {paths[place]}; "
                "convert one of them"
            )
    return shared


def _general(kind: pa.DataType) -> pa.DataType:
    """Return one type for those that hold the same values in another layout."""
    if pa.types.is_dictionary(kind):
        return _general(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return pa.string() if pa.types.is_large_string(kind) else pa.binary()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_general(kind.value_type))
    if pa.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return pa.struct([pa.field(field.name, _general(field.type)) for field in fields])
    return kind


def folder_keys(paths: Sequence[str], names: Sequence[str]) -> list[dict[str, pa.Scalar]]:
    """Return the keys of the folders of each file with their values: those of `lang=de/year=2026` are lang and year.

    Values are integers if all are, and texts otherwise, as DuckDB, polars and Spark read them.

    Args:
        paths: the files.
        names: columns that the files have themselves, which are not keys.

    Raises:
        TabularUsageError: the folders of two files have different keys.
    """
    found = [
        {unquote(match[1]): unquote(match[2]) for part in Path(path).parts[:-1] if (match := _KEY.fullmatch(part))}
        for path in paths
    ]
    keys = [name for name in found[0] if name not in names]
    for path, own in zip(paths, found, strict=True):
        if {*keys} != {*own} - {*names}:
            raise TabularUsageError(
                f"{path}: the keys of its folders (KEY=VALUE) are not those of {paths[0]}; expected the same keys"
            )
    typed: list[dict[str, pa.Scalar]] = [{} for _ in paths]
    for key in keys:
        values = [None if own[key] == _NULL else own[key] for own in found]
        are_integers = all(value is None or _INTEGER.fullmatch(value) for value in values)
        column = pa.array([value and int(value) for value in values] if are_integers else values)
        for own, value in zip(typed, column, strict=True):
            own[key] = value
    return typed
