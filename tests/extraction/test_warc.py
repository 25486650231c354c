"""WARC and gzip: the documents in them, in every content coding."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from pathlib import Path
from typing import Any

import brotli
import pytest
import zstandard
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from simhash_doc_extraction import ExtractedText, ExtractionError, Limits, detect, extract, extract_each
from simhash_doc_extraction.base import CorruptDocumentError
from simhash_doc_extraction.payload import Payload
from simhash_doc_extraction.warc import Records
from tests.commands import run
from tests.extraction.samples import html, sample, warc

PAGE = html()
TEXT = extract(PAGE).text
CHUNKED = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (PAGE[:100], PAGE[100:])) + b"0\r\n\r\n"
RAW = zlib.compressobj(wbits=-15)


def each(data: bytes) -> list[ExtractedText | ExtractionError]:
    return list(extract_each(io.BytesIO(data), name="crawl"))


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (PAGE, {}),
        (CHUNKED, {"Transfer-Encoding": "chunked"}),
        (PAGE, {"Transfer-Encoding": "chunked"}),
        (gzip.compress(PAGE), {"Content-Encoding": "gzip"}),
        (PAGE, {"Content-Encoding": "gzip"}),
        (zlib.compress(PAGE), {"Content-Encoding": "deflate"}),
        (RAW.compress(PAGE) + RAW.flush(), {"Content-Encoding": "deflate"}),
        (brotli.compress(PAGE), {"Content-Encoding": "br"}),
        (PAGE, {"Content-Encoding": "br"}),
        (gzip.compress(brotli.compress(PAGE)), {"Content-Encoding": "br, gzip"}),
        (gzip.compress(PAGE), {"Content-Encoding": "X-GZIP", "Content-Type": "TEXT/HTML; charset=utf-8"}),
        (PAGE, {"Content-Type": ""}),
    ],
)
@pytest.mark.parametrize("zipped", [True, False])
def test_bodies_are_decoded(body: bytes, headers: dict[str, str], zipped: bool) -> None:
    (found,) = each(warc([("https://example.org/", body, headers)], zipped=zipped))
    assert isinstance(found, ExtractedText), found
    assert (found.text, found.name, found.format) == (TEXT, "https://example.org/", "html")


def test_the_readable_part_of_a_truncated_body_is_used() -> None:
    body = gzip.compress(b"<html><body><p>" + b"words and more words, " * 5000)[:-200]
    (found,) = each(warc([("https://example.org/", body, {"Content-Encoding": "gzip"})]))
    assert isinstance(found, ExtractedText)
    assert found.text.startswith("words and more words")


def test_a_declared_charset_is_used_unless_the_page_is_utf8() -> None:
    russian = "<html><body><p>Смотритель маяка считал корабли у северного рифа перед зимними штормами.</p>"
    for encoding in ("koi8-r", "windows-1251", "utf-8"):
        headers = {
            "Content-Type": "text/html; charset=koi8-r" if encoding == "utf-8" else f"text/html;charset={encoding}"
        }
        (found,) = each(warc([("https://example.org/", russian.encode(encoding), headers)]))
        assert isinstance(found, ExtractedText)
        assert found.text.startswith("Смотритель маяка")


def test_documents_in_any_format_are_found_and_other_records_counted() -> None:
    kinds = [
        ("pdf", "application/pdf"),
        ("docx", "application/x-word"),
        ("text", "text/plain"),
        ("epub", "application/epub"),
    ]
    responses = [(f"https://example.org/{kind}", sample(kind), {"Content-Type": mime}) for kind, mime in kinds]
    others = ["image/png", "text/css", "application/javascript; charset=utf-8", "font/woff2", "application/json"]
    responses += [(f"https://example.org/{at}", b"other", {"Content-Type": mime}) for at, mime in enumerate(others)]
    data = warc(responses) + warc(status="404 Not Found") + warc(status="301 Moved")
    records = Records(io.BytesIO(data), name=None, limits=Limits())
    payloads = list(records)
    assert all(isinstance(payload, Payload) for payload in payloads)
    kinds_skipped = [
        "image",
        "text/css",
        "application/javascript",
        "font",
        "application/json",
        "status 404",
        "status 301",
    ]
    assert records.skipped == dict.fromkeys(kinds_skipped, 1)
    assert [one.format for one in each(data) if isinstance(one, ExtractedText)] == [kind for kind, _ in kinds]


def test_resources_and_conversions_are_documents_and_requests_are_not() -> None:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    request = StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.org")], is_http_request=True)
    writer.write_record(writer.create_warcinfo_record("crawl.warc.gz", {"software": "none"}))
    writer.write_record(writer.create_warc_record("https://example.org/", "request", http_headers=request))
    for kind, mime in (("conversion", "text/plain"), ("resource", "text/html"), ("metadata", "text/plain")):
        record = writer.create_warc_record(
            f"https://example.org/{kind}", kind, payload=io.BytesIO(PAGE), warc_content_type=mime
        )
        writer.write_record(record)
    assert [one.name for one in each(out.getvalue())] == [
        "https://example.org/conversion",
        "https://example.org/resource",
    ]


def test_a_record_without_an_address_is_named() -> None:
    damaged = warc([("https://example.org/a", PAGE, {}), ("https://example.org/b", PAGE, {})], zipped=False)
    damaged = damaged.replace(b"WARC-Target-URI: https://example.org/a\r\n", b"")
    error, page = each(damaged)
    assert isinstance(error, CorruptDocumentError)
    assert re.fullmatch(r"the record <urn:uuid:[^>]+> has no address \(WARC-Target-URI\)", str(error))
    assert page.name == "https://example.org/b"


def test_arc_files_are_read() -> None:
    response = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE
    head = b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 65\n1 0 here\nURL IP-address Archive-date Content-type Archive-length\n\n"
    data = head + b"https://example.org/ 1.2.3.4 20200101000000 text/html %d\n%s\n" % (len(response), response)
    assert [one.name for one in each(data) if isinstance(one, ExtractedText)] == ["https://example.org/"]


def test_gzip_members_do_not_have_to_match_records() -> None:
    plain = warc([(f"https://example.org/{at}", PAGE, {}) for at in range(3)], zipped=False)
    for data in (gzip.compress(plain), gzip.compress(plain[:500]) + gzip.compress(plain[500:])):
        assert [one.name for one in each(data)] == [f"https://example.org/{at}" for at in range(3)]


def test_a_crawl_can_be_read_from_a_pipe() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    found = list(Records(Pipe(warc()), name=None, limits=Limits()))
    assert [payload.uri for payload in found if isinstance(payload, Payload)] == ["https://example.org/lamp"]


def test_gzip_holds_one_document_in_any_format() -> None:
    for document_format in ("pdf", "docx", "text"):
        found = extract(gzip.compress(sample(document_format)), name="lamp.gz")
        assert (found.format, found.name) == (document_format, "lamp.gz")
    assert extract(gzip.compress(b"# A title"), name="a.md.gz").text == "A title"
    assert detect(gzip.compress(sample("warc"))) == "gzip"
    two = gzip.compress(PAGE[:50]) + gzip.compress(PAGE[50:]) + b"\0" * 10
    assert extract(two).text == TEXT


class Counted:
    """Counts the bytes that all decompressors of zlib return."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.total = 0
        real = zlib.decompressobj

        class Decompressor:
            def __init__(inner, *arguments: Any) -> None:  # noqa: N805
                inner.real = real(*arguments)

            def decompress(inner, *arguments: Any) -> bytes:  # noqa: N805
                data = inner.real.decompress(*arguments)
                self.total += len(data)
                return data

            def __getattr__(inner, name: str) -> Any:  # noqa: N805
                return getattr(inner.real, name)

        monkeypatch.setattr(zlib, "decompressobj", Decompressor)


def nested_members(count: int, tail: bytes) -> bytes:
    """Return gzip members that begin inside one another: each consists of its header and of all that follows."""
    header = b"WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 9999999999\r\n\r\n"
    unit = 10 + 5 + len(header)
    parts = b""
    for at in range(count):
        size = (count - at - 1) * unit + len(header)
        parts += b"\x1f\x8b\x08" + bytes(6) + b"\x03" + b"\x00"
        parts += size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little") + header
    return parts + tail


@pytest.mark.parametrize("is_corrupt", [False, True])
def test_members_inside_one_another_cost_no_more_than_the_size_of_the_file(
    is_corrupt: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = packer.compress(bytes(2_000_000)) + packer.flush(zlib.Z_SYNC_FLUSH)
    bomb += b"\xff" * 50 if is_corrupt else packer.flush() + bytes(8)
    data = warc() + nested_members(600, bomb) + warc()
    counted = Counted(monkeypatch)
    limits = Limits(expanded_bytes=3_000_000 if is_corrupt else 1_000_000)
    results = list(extract_each(io.BytesIO(data), limits=limits))
    assert isinstance(results[0], ExtractedText)
    assert any(isinstance(result, ExtractionError) for result in results)
    assert counted.total < 3 * limits.expanded_bytes + 200 * len(data)
    if is_corrupt:
        assert "more than 100 times its size" in str(results[-1])
    else:
        assert isinstance(results[-1], ExtractedText)


def test_many_corrupt_members_are_read_in_small_pieces() -> None:
    member = gzip.compress(b"WARC/1.1" + b"a" * 200)
    data = warc() + member * 2000 + warc()

    class Source(io.BytesIO):
        given = 0

        def read(self, size: int | None = -1, /) -> bytes:
            found = super().read(size)
            self.given += len(found)
            return found

    source = Source(data)
    results = list(extract_each(source))
    assert isinstance(results[0], ExtractedText)
    assert isinstance(results[-1], ExtractedText)
    assert source.given < 2000 * 100_000


def record(
    body: bytes,
    *,
    http: str = "Content-Type: text/html",
    status: str = "200 OK",
    fields: str = "",
    kind: str = "response",
) -> bytes:
    """Return a record of an uncompressed WARC file, with headers of the response and of the record."""
    response = f"HTTP/1.1 {status}\r\n{http}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
        f"WARC-Target-URI: http://example.org/\r\nContent-Type: application/http; msgtype=response\r\n"
        f"{fields}Content-Length: {len(response)}\r\n\r\n"
    )
    return head.encode() + response + b"\r\n\r\n"


_HTML = "Content-Type: text/html\r\n"
INCOMPLETE = {
    "truncated": (record(PAGE, fields="WARC-Truncated: length\r\n"), "WARC-Truncated: length"),
    "segment": (record(PAGE, fields="WARC-Segment-Number: 1\r\n"), "WARC-Segment-Number: 1"),
    "partial": (record(PAGE, status="206 Partial Content"), "status 206"),
    "short": (record(PAGE, http=f"{_HTML}Content-Length: 99999"), "of 99,999 bytes"),
    "short, twice": (record(PAGE, http=f"{_HTML}Content-Length: 99999, 99999"), "of 99,999 bytes"),
    "short, or not": (record(PAGE, http=f"{_HTML}Content-Length: 9\r\nContent-Length: 99999"), "of 99,999 bytes"),
    "gzip": (record(gzip.compress(PAGE)[:-30], http=f"{_HTML}Content-Encoding: gzip"), "content coding gzip"),
    "brotli": (record(brotli.compress(PAGE * 20)[:-9], http=f"{_HTML}Content-Encoding: br"), "content coding br"),
    "chunks": (record(CHUNKED[:-5], http=f"{_HTML}Transfer-Encoding: chunked"), "last chunk"),
    "chunk": (record(CHUNKED[:-90], http=f"{_HTML}Transfer-Encoding: chunked"), "last chunk"),
}


@pytest.mark.parametrize("case", INCOMPLETE)
def test_an_incomplete_capture_says_so(case: str) -> None:
    data, reason = INCOMPLETE[case]
    (extracted,) = each(data)
    assert isinstance(extracted, ExtractedText)
    assert reason in str(extracted.incomplete)
    assert extracted.warnings[0] == f"incomplete: {extracted.incomplete}"


@pytest.mark.parametrize("case", ["short", *(pytest.param(case, marks=pytest.mark.slow) for case in INCOMPLETE)])
def test_commands_show_and_skip_incomplete_captures(case: str, tmp_path: Path) -> None:
    data, _ = INCOMPLETE[case]
    (extracted,) = each(data)
    assert isinstance(extracted, ExtractedText)
    path = tmp_path / "a.warc"
    path.write_bytes(data)
    done = run("fingerprint", "--json", path)
    assert json.loads(done.stdout)["incomplete"] == extracted.incomplete
    assert "warning: incomplete: " in done.stderr
    done = run("extract", "--incomplete", "skip", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"incomplete: {extracted.incomplete}" in done.stderr


@pytest.mark.parametrize(
    "data",
    [
        record(PAGE),
        record(PAGE, http=f"{_HTML}Content-Length: {len(PAGE)}"),
        record(PAGE, http=f"{_HTML}Content-Length: 99999\r\nContent-Encoding: gzip"),  # stored decoded
        record(CHUNKED, http=f"{_HTML}Transfer-Encoding: chunked\r\nContent-Length: 99999"),
        record(PAGE, http=f"{_HTML}Transfer-Encoding: chunked"),  # stored decoded
    ],
)
def test_a_complete_capture_is_not_called_incomplete(data: bytes) -> None:
    (extracted,) = each(data)
    assert isinstance(extracted, ExtractedText)
    assert (extracted.text, extracted.incomplete, extracted.warnings) == (TEXT, None, ())


def test_revisits_are_counted_and_captures_of_one_page_have_different_paths(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    later = record(PAGE).replace(b"2020-01-02T03:04:05Z", b"2021-01-02T03:04:05Z")
    path.write_bytes(record(PAGE) + record(b"", kind="revisit") + later)
    done = run("fingerprint", "--json", path)
    paths = [json.loads(line)["path"] for line in done.stdout.splitlines()]
    assert paths == [f"{path}#{year}0102030405/http://example.org/" for year in (2020, 2021)]
    assert "1 revisit record of earlier captures skipped" in done.stderr


@pytest.mark.parametrize(
    ("date", "time"),
    [
        ("2020-01-02T03:04:05.678Z", "20200102030405"),
        ("2020-01-02T03:04Z", "20200102030400"),
        ("2020-01-02", "20200102000000"),
        ("2020-03", "20200301000000"),
        ("2020", "20200101000000"),
    ],
)
def test_the_time_of_a_capture_has_14_digits(date: str, time: str) -> None:
    data = record(PAGE).replace(b"2020-01-02T03:04:05Z", date.encode())
    (found,) = Records(io.BytesIO(data), name="crawl", limits=Limits())
    assert isinstance(found, Payload)
    assert found.name == f"{time}/http://example.org/"


def test_an_archive_in_zstandard_is_read_as_its_error_advises(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.zst"
    frames = [zstandard.compress(record(PAGE)) for _ in range(2)]
    path.write_bytes(b"".join(frames))
    done = run("fingerprint", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "decompress it first: zstdcat FILE | simhash-doc fingerprint -" in done.stderr
    decompressed = b"".join(map(zstandard.decompress, frames))
    assert len(run("fingerprint", "-", stdin=decompressed).stdout.splitlines()) == 2
