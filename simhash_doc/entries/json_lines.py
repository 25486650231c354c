"""JSON lines: an object on each line, in UTF-8."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import NoneType
from typing import Any

from simhash_doc.entries import UnreadableLineError
from simhash_doc.entries.entry import NOT_UTF8, USED_COLUMNS, EntryId, ParsedRow, has_surrogate, repeated_name
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
    found = _loaded(text, USED_COLUMNS)
    if isinstance(found, str):
        raise UnreadableLineError(f"{shown(text)} is {found}" if found.startswith("not") else f"{shown(text)}: {found}")
    return found


def json_rows(file: Iterable[bytes], used: Collection[str]) -> Iterator[ParsedRow]:
    """Yield the objects of a file, one for each line that is not blank.

    Args:
        file: the lines.
        used: the keys that are used; no object has one of them twice.
    """
    for number, line in numbered_lines(file):
        if line.isspace():
            continue
        problem = ""
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            text, problem = line.decode("utf-8", "surrogateescape"), NOT_UTF8
        found = _loaded(text.removesuffix("\n"), used)
        if isinstance(found, str):
            yield ParsedRow(number, None, found, len(line))
            continue
        if b"\\u" in line and not problem and has_surrogate(found):
            problem = LONE_SURROGATE
        yield ParsedRow(number, found, problem, len(line))


def numbered_lines(file: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each line, from 1, and its bytes, without a byte order mark."""
    for number, line in enumerate(file, 1):
        yield number, line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line


def plain_entries(lines: list[str], scheme: Scheme) -> tuple[list[str], list[EntryId], list[Any]]:
    """Return the digits, names and supports of lines; the digits are empty for one with more to check."""
    digits = [""] * len(lines)
    names: list[EntryId] = [None] * len(lines)
    supports: list[Any] = [None] * len(lines)
    for at, line in enumerate(lines):
        fields = _loaded(line, USED_COLUMNS)
        if isinstance(fields, str):
            continue
        supports[at] = fields.get("support")
        if "provenance" in fields or fields.get("scheme") not in (None, scheme.id):
            continue
        text, name = fields.get("fingerprint"), fields.get("id", fields.get("path"))
        if type(text) is str and type(name) in (str, int, NoneType):
            digits[at], names[at] = text, name
    return digits, names, supports


def _loaded(text: str, used: Collection[str]) -> JsonObject | str:
    """Return the object of a text, or why it is none; one with a used key twice is none, as its values differ."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg.removesuffix(' at')} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(found, dict):
        return "not a JSON object"
    # Few lines have to be parsed twice: those with a key also in a nested object, or in a text.
    if any(text.count(f'"{key}"') > 1 for key in used):
        pairs: list[tuple[str, object]] = json.loads(text, object_pairs_hook=list)
        if repeated := repeated_name([key for key, _ in pairs], used, "keys"):
            return repeated
    return found
