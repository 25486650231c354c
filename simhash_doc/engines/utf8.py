"""Text as UTF-8, the form in which engines exchange it."""

from __future__ import annotations

import re

from simhash_doc.unicode_data import REPLACEMENT

_SURROGATE = re.compile("[\ud800-\udfff]")


def encode(text: str) -> bytes:
    """Return a text as UTF-8, each lone surrogate as U+FFFD (SD-INPUT-3)."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub(REPLACEMENT, text).encode("utf-8")


def exact(text: str | bytes) -> str | bytes:
    """Return a text as str or bytes itself: a subclass may report another length or content from call to call."""
    if type(text) is str or type(text) is bytes:
        return text
    return str.__str__(text) if isinstance(text, str) else memoryview(text).tobytes()
