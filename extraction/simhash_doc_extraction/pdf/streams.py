"""The streams of a PDF in the bytes of the file (ISO 32000-2, 7.3.8), found without its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

_STREAM = re.compile(rb"stream(?<!endstream)\r?\n")
_DICTIONARY_BYTES = 2000


def streams(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield the dictionary of each stream, and where its content begins and ends; none of an encrypted file."""
    if b"/Encrypt" in data:
        return
    end = 0
    while found := _STREAM.search(data, end):
        start = found.end()
        before = data[max(end, start - _DICTIONARY_BYTES) : found.start()]
        end = data.find(b"endstream", start)
        end = len(data) if end < 0 else end
        yield before[before.rfind(b" obj") + 1 :], start, end
