"""Rows of CSV and JSON lines with the keys of the folders of their file, as further columns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from simhash_doc.entries.csv_files import Header


def json_with_keys(line: bytes, keys: Mapping[str, Any]) -> bytes:
    """Return a line with those of the keys that its object does not have; nothing else in it changes.

    >>> json_with_keys(b'{"text": "x"}', {"lang": "de", "text": "y"})
    b'{"text": "x", "lang": "de"}'
    """
    own = json.loads(line.decode("utf-8", "surrogateescape"))
    added = json.dumps({key: value for key, value in keys.items() if key not in own})[1:-1]
    if not added:
        return line
    content = line.rstrip()
    comma = ", " if own else ""
    return content[:-1].rstrip() + f"{comma}{added}}}".encode() + line[len(content) :]


def csv_with_keys(row: bytes, fields: Sequence[str], header: Header, values: Sequence[object]) -> bytes:
    r"""Return a row with the values of keys after its fields; nothing else in it changes if it has all of its fields.

    Args:
        row: the row with its line end.
        fields: its fields.
        header: the columns of the file, and the delimiter.
        values: of the keys; None for none.

    >>> csv_with_keys(b'1,"a b"\n', ["1", "a b"], Header(["id", "text"], ","), ["x,y", 7])
    b'1,"a b","x,y",7\n'
    """
    width, delimiter = len(header.names), header.delimiter
    content = row.rstrip(b"\r\n")
    if len(fields) != width:  # fields of columns without a name
        padded = [*fields[:width], *[""] * (width - len(fields))]
        content = _record(padded, delimiter)
    return content + delimiter.encode() + _record(values, delimiter) + row[len(row.rstrip(b"\r\n")) :]


def _record(values: Sequence[object], delimiter: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="").writerow(values)
    return text.getvalue().encode("utf-8", "surrogateescape")
