"""Malicious documents give a clear error or a bounded result, in bounded time and memory."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Callable, Container, Iterable
from functools import lru_cache, partial

import pytest

from simhash_doc_extraction import (
    CorruptDocumentError,
    EncryptedDocumentError,
    ExtractedText,
    ExtractionError,
    LimitExceededError,
    Limits,
    NoTextError,
    UnsupportedFormatError,
    extract_each,
)
from tests.extraction import malicious
from tests.extraction.malicious import MIB
from tests.extraction.samples import FORMATS, LIMITS, attempt, file_name, sample

GOOD = "https://example.org/good"


Family = Callable[[int], Iterable[tuple[str, bytes]]]


def named(cases: Iterable[tuple[str, bytes]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("name", "data"), [pytest.param(*case, id=case[0]) for case in cases])


def built(family: Family, size: int, slow: Iterable[int] = (), slow_names: Container[str] = ()) -> pytest.MarkDecorator:
    """Name the documents of a family by those of the smallest size: a test builds its own, which are large."""
    sizes: list[tuple[int, str, list[pytest.MarkDecorator]]] = [(size, "", [])]
    sizes += [(other, f" {other}", [pytest.mark.slow]) for other in slow]
    cases = [
        pytest.param(
            name,
            partial(document, family, number, name),
            id=f"{name}{suffix}",
            marks=[*marks, *([pytest.mark.slow] if name in slow_names else [])],
        )
        for number, suffix, marks in sizes
        for name, _ in family(1)
    ]
    return pytest.mark.parametrize(("name", "build"), cases)


@lru_cache(1)
def documents(family: Family, size: int) -> dict[str, bytes]:
    return dict(family(size))


def document(family: Family, size: int, name: str) -> bytes:
    return documents(family, size)[name]


@named(malicious.entity_bombs())
def test_entity_bombs_are_not_expanded(name: str, data: bytes) -> None:
    found = attempt(data, name.partition("-")[0] + (".adoc" if name.startswith("asciidoc") else ""))
    assert not isinstance(found, ExtractedText) or len(found.text) < 4 * MIB


@built(malicious.deep, 2_000, slow=[20_000, 1_000_000])
def test_deeply_nested_elements_are_flattened_or_refused(name: str, build: Callable[[], bytes]) -> None:
    found = attempt(build(), name)
    assert isinstance(found, ExtractedText | LimitExceededError | CorruptDocumentError | NoTextError)


@pytest.mark.slow
@named(malicious.slow())
def test_unclosed_markup_does_not_take_quadratic_time(name: str, data: bytes) -> None:
    attempt(data, name)


@built(malicious.zip_bombs, LIMITS.expanded_bytes)
def test_zip_bombs_exceed_the_limit(name: str, build: Callable[[], bytes]) -> None:
    data = build()
    assert len(data) < MIB
    tracemalloc.start()
    found = attempt(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    if name.endswith("overlapping"):  # zipfile compares the names in the headers
        assert isinstance(found, CorruptDocumentError)
    else:
        assert isinstance(found, LimitExceededError)
        assert "expanded_bytes=8,388,608" in str(found)
    assert peak < 4 * LIMITS.expanded_bytes


@named(malicious.corrupt_archives())
def test_corrupt_archives_are_errors_or_are_read(name: str, data: bytes) -> None:
    found = attempt(data)
    if name == "epub-package-outside":  # the package in the archive is read instead
        assert isinstance(found, ExtractedText)
        assert found.warnings == ("parts are missing: 1 (first: 'etc/passwd')",)
    else:
        assert isinstance(found, ExtractionError) or name.endswith(("-twice", "-packed")), found


@named(malicious.encrypted())
def test_encrypted_documents_are_reported(name: str, data: bytes) -> None:
    assert isinstance(attempt(data), EncryptedDocumentError)


@pytest.mark.slow
@built(malicious.pdfs, MIB)
def test_corrupt_pdf_files(name: str, build: Callable[[], bytes]) -> None:
    assert isinstance(attempt(build()), ExtractedText | ExtractionError)


@built(malicious.warcs, LIMITS.expanded_bytes, slow_names={"record-zeros"})
def test_a_bad_record_of_a_crawl_does_not_stop_the_others(name: str, build: Callable[[], bytes]) -> None:
    data = build()
    tracemalloc.start()
    found = list(extract_each(io.BytesIO(data), name="crawl.warc.gz", limits=LIMITS))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [one.name for one in found if isinstance(one, ExtractedText)][-1] == GOOD
    assert peak < 6 * LIMITS.expanded_bytes
    if name.startswith(("body-", "record", "header")) or name == "codings":
        assert isinstance(found[0], LimitExceededError), found


@pytest.mark.parametrize("document_format", FORMATS)
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_truncated_documents(document_format: str, part: float) -> None:
    data = sample(document_format)
    found = list(extract_each(io.BytesIO(data[: int(part * len(data))]), name=file_name(document_format)))
    if document_format in (
        "docx",
        "odt",
        "epub",
        "wacz",
    ):  # without its identifying part, an archive has no known format
        assert isinstance(found[0], CorruptDocumentError | UnsupportedFormatError)
    elif document_format in ("gzip", "warc"):
        assert isinstance(found[-1], CorruptDocumentError)
    else:
        assert all(isinstance(one, ExtractedText | ExtractionError) for one in found)


def test_a_document_over_the_size_limit_is_refused() -> None:
    found = attempt(b"word " * 100, limits=Limits(input_bytes=99))
    assert isinstance(found, LimitExceededError)
    assert "input_bytes=99" in str(found)
