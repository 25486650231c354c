"""What a document is, from its content. A name decides only between media whose content looks the same."""

from __future__ import annotations


def detect(data: bytes, name: str | None = None) -> str:
    """Return the medium of a document: a key of `registry.READERS` or `registry.CONTAINERS`, or what else it is.

    The first 64 KiB of `data` suffice. "empty" stands for content without a byte, "unknown" for binary content
    that is not known.
    """
    if not data:
        return "empty"
    return "text"
