"""Text from documents of many media, ready to be fingerprinted. Needs the extra `extract`; never uses the network.

>>> from simhash_doc.extract import extract
>>> extract(b"The quick brown fox").medium
'text'

Limits on size are checked here. Time, and crashes of native parsers, are contained by `simhash_doc.extract.worker`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from simhash_doc.extract.detect import detect
from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import (
    Damaged,
    Encrypted,
    ExtractionError,
    MissingExtra,
    NoText,
    OverLimit,
    UnsupportedMedium,
)
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.registry import CONTAINERS, container, reader

__all__ = [
    "Damaged",
    "Encrypted",
    "Extracted",
    "ExtractionError",
    "Limits",
    "MissingExtra",
    "NoText",
    "OverLimit",
    "UnsupportedMedium",
    "detect",
    "extract",
    "extract_each",
]

_DEFAULT = Limits()
HEAD = 64 * 1024
"""Bytes that suffice to detect a medium."""


def extract(data: bytes, *, name: str | None = None, medium: str | None = None, limits: Limits = _DEFAULT) -> Extracted:
    """Return the text of one document. Its medium comes from the content; `name` is a hint where content is equal.

    Args:
        data: the document as it is stored.
        name: for messages, and a hint.
        medium: a key of `registry.READERS`, to read it as that without looking.
        limits: what it may cost.

    Raises a kind of `ExtractionError`, with `name` in it.
    """
    if len(data) > limits.input_bytes:
        raise OverLimit(f"{len(data):,} bytes are over the limit input_bytes={limits.input_bytes:,}", name=name)
    if medium is None or not data:
        medium = detect(data, name)
    if medium == "empty":
        raise NoText("no text: the document is empty", name=name)
    if medium in CONTAINERS:
        raise UnsupportedMedium(f"{medium} content holds many documents: use extract_each", name=name)
    read = reader(medium, name)
    try:
        extracted = read(data, medium=medium, name=name, limits=limits)
    except ExtractionError as error:
        error.name = error.name or name
        raise
    except MemoryError as error:
        raise OverLimit("it needs more memory than its process may use", name=name) from error
    except Exception as error:  # a reader that fails on what nobody thought of costs its document, never the run
        raise Damaged(f"the {medium} cannot be read: {type(error).__name__}: {error}", name=name) from error
    if not extracted.text.strip():
        raise NoText("no text in the document", name=name)
    return extracted


def extract_each(
    source: BinaryIO, *, name: str | None = None, limits: Limits = _DEFAULT
) -> Iterator[Extracted | ExtractionError]:
    """Yield the text of each document in `source`: of every member of a container (WARC), otherwise of the one.

    `source` must be seekable. A document that fails is given as its error, with its name, and the others follow.
    """
    start = source.tell()
    medium = detect(source.read(HEAD), name)
    source.seek(start)
    try:
        if medium in CONTAINERS:
            yield from container(medium, name)(source, medium=medium, name=name, limits=limits)
        else:
            yield extract(source.read(limits.input_bytes + 1), name=name, limits=limits)
    except ExtractionError as error:
        yield error
