"""Which module reads which medium. A module is imported when a document of its medium is met."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import BinaryIO, Protocol, cast

from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import ExtractionError, MissingExtra, UnsupportedMedium
from simhash_doc.extract.limits import Limits


class Reader(Protocol):
    """Reads one document. Raises `ExtractionError`; the name is for messages and hints only."""

    def __call__(self, data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted: ...


class ManyReader(Protocol):
    """Reads a container of many documents, one after another. A member that fails is given as its error."""

    def __call__(
        self, source: BinaryIO, *, medium: str, name: str | None, limits: Limits
    ) -> Iterator[Extracted | ExtractionError]: ...


READERS: dict[str, str] = {
    "asciidoc": "asciidoc:read",
    "docbook": "xml:read",
    "docx": "docx:read",
    "epub": "epub:read",
    "gzip": "gz:read",
    "html": "html:read",
    "jats": "xml:read",
    "markdown": "markdown:read",
    "odt": "odt:read",
    "pdf": "pdf:read",
    "rtf": "rtf:read",
    "tei": "xml:read",
    "text": "plain:read",
    "xml": "xml:read",
}
"""Medium -> "module:function" of a `Reader` in this package."""

CONTAINERS: dict[str, str] = {
    "warc": "warc:read_each",
}
"""Medium -> "module:function" of a `ManyReader` in this package."""


_INSTEAD = {"Parquet table": "for a column of texts: simhash-doc fingerprint --column NAME"}


def reader(medium: str, name: str | None) -> Reader:
    """Return the reader of a medium."""
    return cast(Reader, _load(READERS, medium, name))


def container(medium: str, name: str | None) -> ManyReader:
    """Return the reader of a container of many documents."""
    return cast(ManyReader, _load(CONTAINERS, medium, name))


def _load(table: dict[str, str], medium: str, name: str | None) -> object:
    if medium not in table:
        instead = _INSTEAD.get(medium, f"media that can: {', '.join(sorted({*READERS, *CONTAINERS}))}")
        raise UnsupportedMedium(f"no text can be read from {medium} content; {instead}", name=name)
    module, _, function = table[medium].partition(":")
    try:
        return getattr(import_module(f"simhash_doc.extract.{module}"), function)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("simhash_doc"):
            raise
        raise MissingExtra(
            f"{medium} needs the package {error.name}: pip install 'simhash-doc[extract]'", name=name
        ) from error
