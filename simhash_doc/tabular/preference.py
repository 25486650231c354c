"""The values of a column by which rows are preferred: numbers, dates of ISO 8601, or texts, and never a mixture."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from simhash_doc.errors import shown
from simhash_doc.tabular import TabularUsageError

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,9})?|[+-]?inf(?:inity)?", re.IGNORECASE)
_ISO = re.compile(
    r"(\d{4}-\d\d(?:-\d\d)?|\d{4}-W\d\d(?:-\d)?|\d{8}(?=T))"
    r"(?:[T ]([01]\d|2[0-4])(?::?([0-5]\d)(?::?([0-5]\d|60)(?:[.,](\d+))?)?)?"
    r"(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|q[1-4]"
# What a person takes for a date, a time of day or a number, but is none of the above: its order as a text is wrong.
_DATE_LIKE = [
    re.compile(form, re.IGNORECASE)
    for form in (
        # 02.01.2026, 1/2/26 10:00, 5-Jan-26, 2026年1月2日, 2026-01-02 10:00 UTC; no address such as 10.0.0.1
        r"[+-]?\d{1,5}[./\-年 ]{1,2}(?:\d{1,2}|[^\W\d]{3,12})[./\-月 ]{1,2}\d{1,4}(?:(?=日|T\d)|(?![./\-]?\w)).*",
        # January 5, 2026; Mon, 05 Jan 2026 10:00:00 GMT; 5 janvier 2026
        r"(?=.*(?<!\S)['(]?[12]\d{3}[),.]?(?!\S))(?=.*(?<!\S)[0-3]?\d(?:st|nd|rd|th|[.º])?,?(?!\S)).*",
        rf"(?:{_MONTHS})[a-z]*[., \-/']{{1,2}}\d{{2,4}}",
        r"\d{1,2}[./\-]\d{4}|\d{4}[./\-]\d{1,3}|\d{1,2}[./\-]\d{1,2}\.?",
        r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?",
    )
]
_GROUPED_NUMBER = re.compile(r"[+-]?\d+(?:[,' ]\d+)+(?:\.\d+)?|[+-]?\d+(?:\.\d+)*,\d+")
_LONGEST_DATE = 64  # characters
_BEFORE_DATES = 10**6  # seconds: no date in a zone is so long before the first one
_LARGEST_EXPONENT = 10**10  # of a number: over that of its form
_TO_NINE = str.maketrans("0123456789", "9876543210")
_MISSING = ("", "nan")
_EXPECTED = (
    "expected numbers, dates of ISO 8601, such as 2026-03-01 or 2026-03-01T10:00:00+01:00, or an empty cell for none"
)


def preferences(values: Sequence[Any], column: str, name_of: Callable[[int], str]) -> list[Any]:
    """Return values that sort as the values of a column do; None for a missing one.

    Numbers are exact, however many digits they have. Dates and times are instants if all have a time zone, and times
    of one unknown zone if none has. A date is its first second.

    Args:
        values: of each row; those of CSV are texts.
        column: its name.
        name_of: returns the place of a row.

    Raises:
        TabularUsageError: a value looks like a date or a number, but is in no known form; or two values have no order.
    """
    found = [_key_of(value) for value in values]
    present = ((row, kind, values[row]) for row, (kind, key) in enumerate(found) if key is not None)
    check_kinds(present, column, name_of)
    return [key for _, key in found]


def check_kinds(values: Iterable[tuple[Any, str, Any]], column: str, name_of: Callable[[Any], str]) -> None:
    """Check that all values of a column are of one kind.

    Args:
        values: row, kind and value of each that is not missing.
        column: its name.
        name_of: returns the place of a row.

    Raises:
        TabularUsageError: as for `preferences`.
    """
    first: tuple[Any, str] | None = None
    for row, kind, value in values:
        first = first or (row, kind)
        if not kind or kind != first[1]:
            other = f"; {first[1]} is in {name_of(first[0])}" if first[0] != row else ""
            what = f"column {column!r} has {shown(value)}"
            raise TabularUsageError(f"{name_of(row)}: {what}, {kind or 'no known form'}{other}; {_EXPECTED}")


def sortable(text: str | None) -> tuple[str, str | None]:
    """Return what a text is, and a text that sorts by its characters as `preferences` sorts; None if it is missing.

    >>> sorted(["10", "-3.5", "9.5"], key=lambda text: sortable(text)[1])
    ['-3.5', '9.5', '10']
    """
    kind, key = _key_of(text)
    if isinstance(key, Decimal):
        return kind, _sortable_number(key)
    if isinstance(key, tuple):  # seconds, and a part of one
        seconds, part = key
        fraction = f"{part:f}".partition(".")[2].rstrip("0")
        return kind, f"{seconds + _BEFORE_DATES:015d}{fraction}"
    return kind, key


def _sortable_number(number: Decimal) -> str:
    """Return the sign, the place of the first digit, and the digits; those of a negative number count down from 9."""
    if number.is_infinite():
        return "0" if number < 0 else "3"
    if not number:
        return "1"
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    size = f"{number.adjusted() + _LARGEST_EXPONENT:011d}{digits}"
    return f"2{size}" if number > 0 else f"0{size.translate(_TO_NINE)}~"


def _key_of(value: Any) -> tuple[str, Any]:
    """Return what a value is, and what sorts as it does: nothing, and a key that is not None, for an unknown form."""
    if isinstance(value, str):
        return _key_of_text(value.strip())
    if value is None or value != value:
        return "", None
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return "a date without a time zone", (value.toordinal() * 86400, Decimal(0))
    if isinstance(value, int | float | Decimal):
        return "a number", value
    return ("", value) if isinstance(value, list | dict) else (type(value).__name__, value)


def _key_of_text(text: str) -> tuple[str, Any]:
    if text.lower() in _MISSING:
        return "", None
    if _NUMBER.fullmatch(text):
        return "a number", Decimal(text)
    if found := _ISO.fullmatch(text):
        return _iso(found)
    is_date_like = len(text) <= _LONGEST_DATE and any(form.fullmatch(text) for form in _DATE_LIKE)
    if is_date_like or _GROUPED_NUMBER.fullmatch(text):
        return "", text
    return "a text", text


def _iso(found: re.Match[str]) -> tuple[str, Any]:
    day, hour, minute, second, fraction, zone = found.groups()
    try:
        if "W" in day.upper():
            start = date.fromisoformat(day.upper() if len(day) > 8 else f"{day.upper()}-1")
        else:
            start = date.fromisoformat(day if len(day) > 7 else f"{day}-01")
    except ValueError:  # 2026-02-30, for example
        return "", found[0]
    if hour == "24" and f"{minute or 0}{second or 0}{fraction or 0}".strip("0"):
        return "", found[0]
    seconds = start.toordinal() * 86400 + int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0)
    part = Decimal(f"0.{fraction or 0}")
    if zone is None:
        return "a date without a time zone", (seconds, part)
    digits = zone[1:].replace(":", "")
    offset = 3600 * int(digits[:2] or 0) + 60 * int(digits[2:] or 0)
    return "a date with a time zone", (seconds + (offset if zone[0] == "-" else -offset), part)


def _moment(value: datetime) -> tuple[str, Any]:
    seconds = value.toordinal() * 86400 + value.hour * 3600 + value.minute * 60 + value.second
    part = Decimal(1000 * value.microsecond + getattr(value, "nanosecond", 0)).scaleb(-9)  # those of pandas have these
    offset = value.utcoffset()
    if offset is None:
        return "a date without a time zone", (seconds, part)
    return "a date with a time zone", (seconds - round(offset.total_seconds()), part)
