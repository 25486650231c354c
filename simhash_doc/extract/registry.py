"""Which module reads which format. A module is imported when the first document of its format is read."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import BinaryIO, Protocol, cast

from simhash_doc.extract.errors import ExtractionError, MissingExtraError, UnsupportedFormatError
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import ExtractedText


class Reader(Protocol):
    """Reads one document. `name` is only used in messages and results. Raises `ExtractionError`."""

    def __call__(self, data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText: ...


class ContainerReader(Protocol):
    """Reads a container of many documents, one at a time. A document that fails is yielded as its error."""

    def __call__(
        self, source: BinaryIO, *, document_format: str, name: str | None, limits: Limits
    ) -> Iterator[ExtractedText | ExtractionError]: ...


READERS: dict[str, str] = {
    "asciidoc": "text:read_asciidoc",
    "docbook": "xml.reader:read",
    "docx": "office.docx:read",
    "epub": "office.epub:read",
    "gzip": "decompress:read_gzip",
    "html": "html.reader:read",
    "jats": "xml.reader:read",
    "markdown": "text:read_markdown",
    "mhtml": "html.reader:read_archive",
    "odt": "office.odt:read",
    "pdf": "pdf.reader:read",
    "rtf": "text:read_rtf",
    "tei": "xml.reader:read",
    "text": "text:read_plain",
    "xml": "xml.reader:read",
}
"""Format -> "module:function" of a `Reader` in this package."""

CONTAINERS: dict[str, str] = {
    "warc": "warc.reader:read_each",
}
"""Format -> "module:function" of a `ContainerReader` in this package."""

_ADVICE = {"Parquet file": "to fingerprint a column of texts: simhash-doc fingerprint --column NAME"}


EXPLAINING: dict[str, str] = {"html": "html.reader:read_explained"}
"""Format -> "module:function" of a `Reader` that also returns the decision about each block."""


def get_reader(document_format: str, name: str | None, *, explain: bool = False) -> Reader:
    """Return the reader of a format.

    Args:
        document_format: a key of `READERS`.
        name: name of the document, for the message of an error.
        explain: return a reader that explains its result, if there is one for the format.

    Raises:
        UnsupportedFormatError: the format is not a key of `READERS`.
        MissingExtraError: a library of the extra `extract` is not installed.
    """
    readers = READERS | EXPLAINING if explain else READERS
    return cast(Reader, _load(readers, document_format, name))


def get_container_reader(document_format: str, name: str | None) -> ContainerReader:
    """Return the reader of a container format, a key of `CONTAINERS`. Raises the same errors as `get_reader`."""
    return cast(ContainerReader, _load(CONTAINERS, document_format, name))


def _load(table: dict[str, str], document_format: str, name: str | None) -> object:
    if document_format not in table:
        advice = _ADVICE.get(document_format, f"supported formats: {', '.join(sorted({*READERS, *CONTAINERS}))}")
        raise UnsupportedFormatError(f"no text can be read from {document_format} content; {advice}", name=name)
    module, _, function = table[document_format].partition(":")
    try:
        return getattr(import_module(f"simhash_doc.extract.{module}"), function)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("simhash_doc"):
            raise
        raise missing_extra(document_format, name, error) from error


def missing_extra(document_format: str, name: str | None, error: ModuleNotFoundError) -> MissingExtraError:
    """Return the error that a format needs a package that cannot be imported."""
    return MissingExtraError(
        f"{document_format} needs the package {error.name}: pip install 'simhash-doc[extract]'", name=name
    )
