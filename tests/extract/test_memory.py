"""Memory that readers need for small documents that expand to many elements."""

from __future__ import annotations

import tracemalloc

import pytest
from lxml import etree

from simhash_doc.extract import CorruptDocumentError, LimitExceededError, extract
from simhash_doc.extract.office.parts import elements
from tests.extract.samples import archive, epub_parts


@pytest.mark.slow
def test_elements_are_forgotten_as_they_are_read() -> None:
    data = b"<a>" + b"<i x='1'/>" * 300_000 + b"</a>"
    tracemalloc.start()
    try:
        count = sum(1 for _ in elements(data, part="p", name=None))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 300_001
    assert peak < 20_000_000  # a list of them takes over 100 MB


def test_an_error_after_the_package_is_reported() -> None:
    parts = epub_parts()
    good = parts["META-INF/container.xml"]
    assert extract(archive(parts)).text
    broken = archive({**parts, "META-INF/container.xml": good.rstrip()[:-3]})
    with pytest.raises(CorruptDocumentError, match="not well-formed"):
        extract(broken)


@pytest.mark.parametrize(
    ("parser", "data"),
    [
        ("simhash_doc.extract.xml.safe_xml.etree.fromstring", b"<?xml version='1.0'?><TEI><p>some words</p></TEI>"),
        (
            "simhash_doc.extract.html.parse.document_fromstring",
            b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body>some words</body></html>",
        ),
    ],
)
def test_lack_of_memory_is_not_called_damage(parser: str, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise etree.XMLSyntaxError("Memory allocation failed", etree.ErrorTypes.ERR_NO_MEMORY, 1, 1)

    monkeypatch.setattr(parser, no_memory)
    with pytest.raises(LimitExceededError, match="more memory"):
        extract(data)
