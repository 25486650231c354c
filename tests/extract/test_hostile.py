"""Documents made to do harm end in a clear error or a bounded result, in bounded time and memory."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator

import pytest

from simhash_doc.extract import (
    Damaged,
    Encrypted,
    Extracted,
    ExtractionError,
    Limits,
    NoText,
    OverLimit,
    UnsupportedMedium,
    extract,
    extract_each,
)
from tests.extract import hostile
from tests.extract.hostile import MIB
from tests.extract.samples import MEDIA, file_name, pdf, sample

LIMITS = Limits(expanded_bytes=8 * MIB)
GOOD = "https://example.org/good"


def read(data: bytes, name: str | None = None, limits: Limits = LIMITS) -> Extracted | ExtractionError:
    try:
        return extract(data, name=name, limits=limits)
    except ExtractionError as error:
        return error


def named(cases: Iterator[tuple[str, bytes]]) -> pytest.MarkDecorator:
    made = list(cases)
    return pytest.mark.parametrize(("name", "data"), made, ids=[name for name, _ in made])


@named(hostile.entity_bombs())
def test_entity_bombs_do_not_go_off(name: str, data: bytes) -> None:
    found = read(data, name.partition("-")[0] + (".adoc" if name.startswith("asciidoc") else ""))
    assert not isinstance(found, Extracted) or len(found.text) < 4 * MIB


@named(hostile.deep())
def test_nesting_a_million_deep_is_flat_text_or_refused(name: str, data: bytes) -> None:
    found = read(data, name)
    assert isinstance(found, Extracted | OverLimit | Damaged | NoText)


@named(hostile.slow())
def test_nothing_left_open_takes_quadratic_time(name: str, data: bytes) -> None:
    read(data, name)


@named(hostile.zip_bombs(LIMITS.expanded_bytes))
def test_zip_bombs_are_over_the_limit(name: str, data: bytes) -> None:
    assert len(data) < MIB
    tracemalloc.start()
    found = read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    if name.endswith("overlapping"):  # their names give them away
        assert isinstance(found, Damaged)
    else:
        assert isinstance(found, OverLimit)
        assert "expanded_bytes=8,388,608" in str(found)
    assert peak < 4 * LIMITS.expanded_bytes


@named(hostile.damaged_archives())
def test_archives_that_lie_are_damaged_or_hold_what_can_be_read(name: str, data: bytes) -> None:
    found = read(data)
    assert isinstance(found, ExtractionError) or name.endswith(("-twice", "-packed")), found


@named(hostile.encrypted())
def test_encrypted_documents_are_said_to_be(name: str, data: bytes) -> None:
    assert isinstance(read(data), Encrypted)


@named(hostile.pdfs())
def test_damaged_pdf_files(name: str, data: bytes) -> None:
    assert isinstance(read(data), Extracted | ExtractionError)


def test_pdf_with_very_many_pages_is_over_the_limit() -> None:
    found = read(pdf(["word"], pages=100_000))
    assert isinstance(found, OverLimit)
    assert "pages" in str(found)


def test_pdf_without_text_is_said_to_be_scanned() -> None:
    found = read(pdf([], pages=3))
    assert isinstance(found, NoText)
    assert "scanned?" in str(found)


@named(hostile.warcs(LIMITS.expanded_bytes))
def test_in_a_crawl_a_bad_record_costs_itself(name: str, data: bytes) -> None:
    tracemalloc.start()
    found = list(extract_each(io.BytesIO(data), name="crawl.warc.gz", limits=LIMITS))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [one.name for one in found if isinstance(one, Extracted)][-1] == GOOD
    assert peak < 6 * LIMITS.expanded_bytes
    if name.startswith(("body-", "record", "header")) or name == "codings":
        assert isinstance(found[0], OverLimit), found


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_truncated_documents(medium: str, part: float) -> None:
    data = sample(medium)
    found = list(extract_each(io.BytesIO(data[: int(part * len(data))]), name=file_name(medium)))
    if medium in ("docx", "odt", "epub"):  # cut before the part that tells its kind, an archive is any archive
        assert isinstance(found[0], Damaged | UnsupportedMedium)
    elif medium in ("gzip", "warc"):
        assert isinstance(found[-1], Damaged)
    else:
        assert all(isinstance(one, Extracted | ExtractionError) for one in found)


def test_a_document_over_the_size_limit_is_not_read() -> None:
    found = read(b"word " * 100, limits=Limits(input_bytes=99))
    assert isinstance(found, OverLimit)
    assert "input_bytes=99" in str(found)
