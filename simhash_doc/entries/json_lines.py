"""JSON lines: an object on each line, in UTF-8."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simhash_doc.entries import UnreadableLineError
from simhash_doc.entries.entry import NOT_UTF8, Row, has_surrogate
from simhash_doc.errors import shown
from simhash_doc.schemes import Scheme

JsonObject = dict[str, Any]

LONE_SURROGATE = r"the row is not UTF-8: it has a lone surrogate, such as \ud800"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def json_line(fields: Mapping[str, object]) -> bytes:
    """Return fields as a line of JSON, which is ASCII."""
    return (json.dumps(fields) + "\n").encode("ascii")


def parse_object(text: str) -> JsonObject:
    """Return the JSON object of a line.

    Raises:
        UnreadableLineError: it is not a JSON object.
    """
    found = _loaded(text)
    if isinstance(found, str):
        raise UnreadableLineError(f"{shown(text)} is not a JSON object")
    return found


def json_rows(file: Iterable[bytes]) -> Iterator[Row]:
    """Yield the objects of a file, one for each line that is not blank."""
    for number, line in numbered_lines(file):
        if line.isspace():
            continue
        problem = ""
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            text, problem = line.decode("utf-8", "surrogateescape"), NOT_UTF8
        found = _loaded(text.removesuffix("\n"))
        if isinstance(found, str):
            yield Row(number, None, found, len(line))
            continue
        if b"\\u" in line and not problem and has_surrogate(found):
            problem = LONE_SURROGATE
        yield Row(number, found, problem, len(line))


def numbered_lines(file: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each line, from 1, and its bytes, without a byte order mark."""
    for number, line in enumerate(file, 1):
        yield number, line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line


def plain_entries(lines: list[str], scheme: Scheme) -> tuple[list[str], list[str | None], list[Any]]:
    """Return the digits, names and supports of lines; the digits are empty for one with more to check."""
    digits = [""] * len(lines)
    names: list[str | None] = [None] * len(lines)
    supports: list[Any] = [None] * len(lines)
    for at, line in enumerate(lines):
        fields = _loaded(line)
        if isinstance(fields, str):
            continue
        supports[at] = fields.get("support")
        if "provenance" in fields or fields.get("scheme") not in (None, scheme.id):
            continue
        text, name = fields.get("fingerprint"), fields.get("path", fields.get("id"))
        name = str(name) if type(name) is int else name
        if type(text) is str and (name is None or type(name) is str):
            digits[at], names[at] = text, name
    return digits, names, supports


def _loaded(text: str) -> JsonObject | str:
    """Return the object of a text, or why it is none."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    return found if isinstance(found, dict) else "not a JSON object"
