"""The paths of captures: documents of web archives are named FILE#TIME/ADDRESS, with a time of 14 digits."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime

_CAPTURE = re.compile(r"#(\d{14})/(.+)", re.DOTALL)


def capture_of(path: str) -> tuple[str, str] | None:
    """Return the time and the address of a capture, which its path names; None for another document.

    >>> capture_of("crawl.warc.gz#20240501083000/https://example.org/")
    ('20240501083000', 'https://example.org/')
    """
    found = _CAPTURE.search(path)
    return (found[1], found[2]) if found else None


def seconds_of(time: str) -> int | None:
    """Return a time of 14 digits in seconds since 1970; None if it is no time, for example of the month 00.

    >>> seconds_of("19700102000001"), seconds_of("19700002000001")
    (86401, None)
    """
    with suppress(ValueError):
        return int(datetime.fromisoformat(f"{time[:8]}T{time[8:]}Z").timestamp())
    return None
