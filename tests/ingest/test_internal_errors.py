"""An exception that nobody expects is an error of its document; all other documents are read."""

from __future__ import annotations

import gzip
import io
import types
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from simhash_doc.ingest import ReadOptions, reading, workers
from simhash_doc.ingest.reading import fingerprint_documents
from simhash_doc.ingest.tasks import FingerprintTask, UnparsedDocument
from simhash_doc_extraction import ExtractionError, InternalError, MissingExtraError, extract, extract_each
from simhash_doc_extraction.payload import Payload

BODY = b"<p>" + b"A plain page about the weir and the ferry that crosses below it each day. " * 8 + b"</p>"


def crawl() -> bytes:
    """Return a crawl with one response in the content coding br, and one without a content coding."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    for name, coding, body in (("br", [("Content-Encoding", "br")], brotli.compress(BODY)), ("plain", [], BODY)):
        headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html"), *coding], protocol="HTTP/1.1")
        address = f"https://example.org/{name}"
        writer.write_record(
            writer.create_warc_record(address, "response", payload=io.BytesIO(body), http_headers=headers)
        )
    return out.getvalue()


def other_brotli() -> types.ModuleType:
    """Return a module as the package brotlipy installs it: with the name, and without the methods."""

    class Decompressor:
        def decompress(self, data: bytes) -> bytes:
            return data

    module = types.ModuleType("brotli")
    vars(module).update(Decompressor=Decompressor, Error=ValueError, __file__="site-packages/brotli/__init__.py")
    return module


def test_another_library_of_the_same_name_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "brotli", other_brotli())
    first, second = extract_each(io.BytesIO(crawl()))
    assert isinstance(first, MissingExtraError)
    assert "needs the package brotli" in first.message
    assert "brotlipy" in first.message
    assert not isinstance(second, ExtractionError)


def broken(*_: object, **__: object) -> Iterator[object]:
    raise AttributeError("is_finished")


def test_an_exception_in_a_worker_is_an_error_of_its_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Payload, "extract", broken)
    task = FingerprintTask(ReadOptions(), "sd64")
    result = workers._work(task, UnparsedDocument("a.warc#x", 9, content=Payload("x", BODY)))
    assert (result.path, result.code) == ("a.warc#x", "internal")
    assert "AttributeError in " in (result.error or "")
    assert "line " in (result.error or "")


def test_an_exception_outside_of_workers_is_an_error_of_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "a.warc.gz").write_bytes(crawl())
    (tmp_path / "b.txt").write_text("The keeper climbed the stairs.", encoding="utf-8")
    monkeypatch.setattr(reading, "open_members", broken)
    first, second = fingerprint_documents([str(tmp_path / "a.warc.gz"), str(tmp_path / "b.txt")])
    assert (first.code, second.error) == ("internal", None)
    assert second.fingerprint


def test_an_exception_of_a_reader_is_internal(monkeypatch: pytest.MonkeyPatch) -> None:
    def reader(*_: object) -> None:
        raise KeyError("unexpected")

    monkeypatch.setattr("simhash_doc_extraction.get_reader", lambda *_, **__: reader)
    with pytest.raises(InternalError, match=r"the html cannot be read: KeyError in \w+\.py, line \d+"):
        extract(b"<p>text</p>")


def test_an_exception_in_a_record_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Payload.extract

    def sometimes(self: Payload, *rest: object) -> object:
        if self.uri.endswith("br"):
            raise AttributeError("is_finished")
        return given(self, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Payload, "extract", sometimes)
    first, second = extract_each(io.BytesIO(gzip.compress(gzip.decompress(crawl()))))
    assert isinstance(first, InternalError)
    assert not isinstance(second, ExtractionError)
