"""Corrupt copies of small documents: any change gives a text or an `ExtractionError`.

`tests.fuzz.test_targets` changes the complete samples.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc.extract import CONTAINERS, ExtractedText, ExtractionError, Limits, extract_each, get_reader
from tests.extract import samples
from tests.extract.samples import FORMATS, archive, file_name

LIMITS = Limits(expanded_bytes=16 << 20)
_OFFICE: dict[str, Callable[[], dict[str, bytes | str]]] = {
    "docx": samples.docx_parts,
    "odt": samples.odt_parts,
    "epub": samples.epub_parts,
}
_PIECES = st.sampled_from(
    [b"", b"\0", b"\xff", b"<", b">", b"&", b'"', b"{", b"}", b"\\", b"]]>", b"<!--", b"<![CDATA[", b"&#0;", b"&#xD800;",
     b"PK\x03\x04", b"\x1f\x8b\x08", b"WARC/1.0\r\n", b"\r\n\r\n", b" obj\n<<", b"endstream", b"-1", b"9" * 30, b"\xed\xa0\x80",
     b"\\bin99999999999999999999 ", b"\\u-99999 ", b"\\'", b"1e999", b"%PDF-", b"/Length -5 "]
)  # fmt: skip
_CHANGES = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.one_of(_PIECES, st.binary(max_size=12))), min_size=1, max_size=8
)


def mutated(data: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    """Return the data with a few bytes replaced, removed or inserted at places from 0, the start, to 1, the end."""
    for place, removed, put in changes:
        at = int(place * len(data))
        data = data[:at] + put + data[at + removed :]
    return data


def check(document_format: str, data: bytes) -> None:
    """Call the reader directly: `extract` would turn an unexpected error into an `ExtractionError`."""
    if document_format in CONTAINERS:
        for found in extract_each(io.BytesIO(data), name=file_name(document_format), limits=LIMITS):
            assert isinstance(found, ExtractedText | ExtractionError)
        return
    with suppress(ExtractionError):
        extracted = get_reader(document_format)(data, document_format, LIMITS)
        extracted.text.encode("utf-8")
        assert len(extracted.text) <= LIMITS.expanded_bytes


@pytest.mark.slow
@pytest.mark.parametrize("document_format", list(_OFFICE))
@settings(deadline=None)
@given(part=st.integers(0, 10), changes=_CHANGES)
def test_changed_parts_of_archives(document_format: str, part: int, changes: list[tuple[float, int, bytes]]) -> None:
    parts = _OFFICE[document_format]()
    name = list(parts)[part % len(parts)]
    content = parts[name]
    parts[name] = mutated(content if isinstance(content, bytes) else content.encode(), changes)
    check(document_format, archive(parts))


@settings(deadline=None)
@given(changes=_CHANGES)
def test_changed_records_of_an_uncompressed_crawl(changes: list[tuple[float, int, bytes]]) -> None:
    check("warc", mutated(samples.warc(zipped=False), changes))


@pytest.mark.parametrize("document_format", FORMATS)
@settings(deadline=None)
@given(data=st.binary(max_size=2000))
def test_random_bytes(document_format: str, data: bytes) -> None:
    check(document_format, data)
