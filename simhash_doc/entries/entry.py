"""One row of a file: its fields, and the entry that they hold, which is the same in every format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from simhash_doc.engines.base import SURROGATE
from simhash_doc.engines.strings import nfkc
from simhash_doc.entries import HOW_TO_COMPUTE, UnreadableLineError
from simhash_doc.errors import SpecError, shown
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.schemes import Scheme, get_scheme, get_schemes

FINGERPRINT_COLUMNS = ("fingerprint", "hex")
"""Columns with fingerprints; if there are several, the first counts."""
NAME_COLUMNS = ("id", "path")
"""Columns with the id or path of a fingerprint; if there are both, the first counts: in every command."""

USED_COLUMNS = (*FINGERPRINT_COLUMNS, *NAME_COLUMNS, "scheme", "support")
"""All columns that a file of fingerprints may have."""

# No scheme has as many digits in base32 as another in hexadecimal.
_HEX_DIGITS = frozenset(scheme.bits // 4 for scheme in get_schemes().values())


EntryId: TypeAlias = Any
"""The path or id of a document, or None: str, int, float, bool, or what a column of Parquet holds, such as a date."""


class ParsedRow(NamedTuple):
    """A row of a JSON-lines or CSV file.

    Attributes:
        number: of the line in which it begins, from 1.
        fields: the values by key or column; None if the row is none of its format.
        problem: what is wrong; empty if nothing is. A row that is not UTF-8 has fields, in which lone surrogates stand
            for the other bytes.
        size: about its size in bytes.
    """

    number: int
    fields: Mapping[str, Any] | None
    problem: str
    size: int


NOT_UTF8 = "the row is not UTF-8; convert the file to UTF-8"


def has_surrogate(fields: Mapping[str, object]) -> bool:
    """Return True if a value is a string with a lone surrogate, which is not valid in UTF-8."""
    return any(isinstance(value, str) and not value.isascii() and SURROGATE.search(value) for value in fields.values())


_ESCAPE = re.compile(r"(?<!\\)(\\*+)(?:([\ud800-\udfff])|(ud[89a-f][0-9a-f]{2}))")


def escaped_name(name: str) -> str:
    r"""Return a path or id as Parquet and databases can hold it, which have no text that is not UTF-8.

    A lone surrogate, which stands for a byte of a path that is not UTF-8, becomes its escape of JSON. Backslashes
    before such an escape, and before a text that is like one, are doubled, so that different names stay different.

    >>> print(escaped_name("caf\udce9"), escaped_name(r"caf\udce9"), escaped_name(r"C:\texts"))
    caf\udce9 caf\\udce9 C:\texts
    """

    def escaped(match: re.Match[str]) -> str:
        slashes, surrogate, like = match.groups()
        return slashes * 2 + (f"\\u{ord(surrogate):x}" if surrogate else like)

    return name if name.isascii() and "\\ud" not in name else _ESCAPE.sub(escaped, name)


def unescaped_name(name: str) -> str:
    """Return what `escaped_name` made a text of."""
    if "\\ud" not in name:
        return name

    def unescaped(match: re.Match[str]) -> str:
        slashes, surrogate, like = match.groups()
        half = "\\" * (len(slashes) // 2)
        return half + (chr(int(like[1:], 16)) if len(slashes) % 2 else surrogate or like)

    return _ESCAPE.sub(unescaped, name)


def repeated_name(names: Sequence[str], used: Iterable[str], what: str = "columns") -> str:
    """Return what is wrong with a row or table that has a used name several times; empty if nothing is."""
    for name in used:
        if (count := names.count(name)) > 1:
            return f"{count} {what} have the name {name!r}; rename all but one"
    return ""


def missing_name(name: str, names: Sequence[str], what: str = "column") -> str:
    """Return what is wrong with a row or table that has no such name, with a name that looks like it."""
    like = next((one for one in names if _folded(one) == _folded(name)), None)
    hint = "" if like is None else f"; {like!a} differs in its case, spaces or Unicode form"
    return f"no {what} {name!r}; {what}s: {', '.join(names) or 'none'}{hint}"


def _folded(name: str) -> str:
    return nfkc(name).casefold().strip()


class Entry(NamedTuple):
    """The content of a line or row: a document and its fingerprint.

    Attributes:
        fingerprint: None if the document has none.
        name: path or id.
        provenance: the parsed JSON value.
    """

    fingerprint: Fingerprint | None
    name: EntryId = None
    provenance: object = None


EntryOrError = Entry | UnreadableLineError | SpecError
"""What a line or row holds, or why it cannot be read."""


def entry_of(fields: Mapping[str, Any]) -> Entry:
    """Return the entry of the fields of a row.

    Raises:
        UnreadableLineError: it has no fingerprint, or its name is a list or an object.
        SpecError: the fingerprint is malformed.
    """
    name = fields.get("id", fields.get("path"))
    if isinstance(name, list | dict):
        raise UnreadableLineError(
            f"the path or id of the object is {shown(str(name))}, which is neither a string nor a number"
        )
    found = None if is_without_fingerprint(fields) else fingerprint_of(fields)
    return Entry(found, name, fields.get("provenance"))


def fingerprint_of(fields: Mapping[str, Any]) -> Fingerprint:
    """Return the fingerprint of the fields of a row, as the commands write it: of `fingerprint`, or else of `hex`.

    Either may be in hexadecimal.

    Raises:
        UnreadableLineError: it has none.
        SpecError: the fingerprint is malformed, or its scheme is not that of the object.
    """
    text, scheme = fields.get("fingerprint", fields.get("hex")), fields.get("scheme")
    if not isinstance(text, str):
        name = fields.get("id", fields.get("path"))
        of = "" if name is None else f" (document {shown(name)})"
        raise UnreadableLineError(f"the object has no 'fingerprint' that is a string{of}; {HOW_TO_COMPUTE}")
    if (len(text) in _HEX_DIGITS and ":" not in text) or text[:2] in ("0x", "0X"):
        from simhash_doc.entries.digits import parse_digits  # with NumPy, which writers of rows do not need

        text = str(parse_digits(text, "hex"))
    if scheme is None:
        return Fingerprint.parse(text)
    if not isinstance(scheme, str):
        raise UnreadableLineError(f"the scheme {shown(str(scheme))} is not a string")
    if ":" not in text:
        return Fingerprint.parse(f"{scheme}:{text}")
    fingerprint = Fingerprint.parse(text, get_scheme(scheme.removesuffix(CUSTOM_SUFFIX)))
    if not scheme.endswith(CUSTOM_SUFFIX):
        return fingerprint
    return Fingerprint(fingerprint.value, fingerprint.scheme, canonical=False)


def is_without_fingerprint(fields: Mapping[str, Any]) -> bool:
    """Return True for a row that a command writes for a document without a fingerprint, or for a collection."""
    return fields.get("fingerprint", fields.get("hex", "")) is None or (
        "fingerprint" not in fields and "slices" in fields
    )


def parse_texts(
    texts: Sequence[str | None], schemes: Sequence[str | None] | None = None
) -> tuple[list[bytes | None], dict[int, str]]:
    """Return fingerprints as bytes, most significant first, and why others cannot be read, by position.

    Args:
        texts: fingerprints in base32, with or without scheme, or in hexadecimal; None or empty for none.
        schemes: the scheme of each, as a column of a table has it; None if it is not known.
    """
    from simhash_doc.arrays import bytes_from_lanes
    from simhash_doc.entries.digits import decode_digits

    stripped = [(text or "").strip() for text in texts]
    named = schemes or [None] * len(texts)
    found: list[bytes | None] = [None] * len(texts)
    problems: dict[int, str] = {}
    scheme: Scheme | None = None
    for at, text in enumerate(stripped):
        if not text or found[at]:
            continue
        try:
            one = fingerprint_of({"fingerprint": text, "scheme": named[at]})
        except (UnreadableLineError, SpecError) as error:
            problems[at] = str(error)
            continue
        found[at] = bytes(one)
        if scheme is None:  # most of the others are like the first
            scheme = one.scheme
            alike = [text if name in (None, scheme.id) else "" for text, name in zip(stripped, named, strict=True)]
            digits = decode_digits(alike, "base32", scheme)
            data, width = bytes_from_lanes(digits.values), 8 * scheme.lanes
            for start, place in enumerate(digits.places.tolist()):
                found[place] = data[start * width : (start + 1) * width]
    return found, problems


@dataclass(frozen=True, slots=True)
class EntryRows:
    """Some rows of a CSV or Parquet file of fingerprints, as columns.

    Attributes:
        unit: what the numbers count, for messages: a row of CSV has that of the line in which it begins.
        numbers: the number of each row.
        columns: fingerprint (in text form or hexadecimal), name, scheme and support of each row.
        errors: why rows cannot be read, by index.
        provenance: that of all fingerprints, as parsed JSON; None if the file has none.
        name_key: the column of the names: path or id.
        id_type: the Arrow type of the names in a Parquet file.
        form: the form of the digits of most fingerprints.
        names: the names of all columns of the file, including columns that are not read.
    """

    unit: str
    numbers: Sequence[int]
    columns: Sequence[Sequence[Any]]
    errors: Mapping[int, UnreadableLineError]
    provenance: object = None
    name_key: str = "path"
    id_type: object = None
    form: str = "base32"
    names: Sequence[str] = ()

    def is_blank(self, at: int) -> bool:
        """Return False: a row is no blank line."""
        return False

    def entry(self, at: int, scheme: Scheme | None = None) -> EntryOrError:
        """Return the entry of the row at an index, or why it has none."""
        if at in self.errors:
            return self.errors[at]
        text, name, own, _ = (column[at] for column in self.columns)
        if text is None:
            return Entry(None, name)
        try:
            found = fingerprint_of({"fingerprint": text, "path": name, "scheme": own})
            return Entry(found, name, self.provenance)
        except (UnreadableLineError, SpecError) as error:
            return error

    def plain(self, scheme: Scheme) -> tuple[list[str], list[EntryId], list[Any]]:
        """Return the digits, names and supports of the rows; the digits are empty for one with more to check."""
        texts, names, schemes, supports = self.columns
        fitting = (None, scheme.id)
        plain = [
            text if isinstance(text, str) and own in fitting else "" for text, own in zip(texts, schemes, strict=True)
        ]
        return plain, [*names], [*supports]
