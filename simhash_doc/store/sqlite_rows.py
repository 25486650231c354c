"""The check of the rows of a table in SQLite, where every column can hold a value of any type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from simhash_doc.store.layout import Layout
from simhash_doc.store.stored import parsed_metadata, parsed_time

_TEXTS = ("id", "uri", "metadata", "time")


def row_problems(connection: sa.Connection, layout: Layout) -> Iterator[str]:
    """Yield the problem of each row that cannot be read as a document."""
    integers = ["collection", *layout.lanes, *(f"s{number}" for number in range(layout.slices))]
    are_integers = " AND ".join(f"typeof({name}) = 'integer'" for name in integers)
    # As bytes, because reading a text that is not UTF-8 would end the query.
    texts = (f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE typeof({name}) END" for name in _TEXTS)
    query = f"SELECT entry, {are_integers}, {', '.join(texts)} FROM {layout.name} ORDER BY entry"
    for entry, is_valid, *found in connection.exec_driver_sql(query):
        try:
            if not is_valid:
                raise ValueError("a column of integers holds another type")
            _check_texts(found)
        except ValueError as error:
            yield f"table {layout.name}: entry {entry}: {error}"


def _check_texts(found: Sequence[bytes | str]) -> None:
    """Reject texts that cannot be read; each is its bytes, or the name of another type."""
    texts: dict[str, str] = {}
    for name, value in zip(_TEXTS, found, strict=True):
        if name == "uri" and value == "null":
            continue
        if not isinstance(value, bytes):
            raise ValueError(f"the {name} is of type {value}, not text")
        try:
            texts[name] = value.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"the {name} is not UTF-8") from error
    parsed_metadata(texts["metadata"])
    parsed_time(texts["time"])
