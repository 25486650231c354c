"""Documents that name other files and addresses: nothing is fetched, nothing is opened.

A local server counts requests, and a file holds a word that must not appear in a text. Documents name both in every way
that their format allows. A server is needed because native parsers connect without Python.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from simhash_doc_extraction import ExtractedText, extract_each
from tests.extraction import samples
from tests.extraction.samples import PARAGRAPHS, archive, docx_parts, epub_parts, odt_parts, pdf, warc, xhtml

SECRET = "xylophonist"


class CountingHandler(BaseHTTPRequestHandler):
    """Answers with the secret, and records the requests."""

    paths: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.paths.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(SECRET.encode())

    def log_message(self, *_: object) -> None:
        """Do not log."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), CountingHandler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def xml_ways(root: str, address: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of a document type declaration and of content by which XML names another file."""
    yield f'<!DOCTYPE {root} SYSTEM "{address}/a.dtd">', ""
    yield f'<!DOCTYPE {root} PUBLIC "-//Nobody//DTD X//EN" "{address}/b.dtd">', ""
    yield f'<!DOCTYPE {root} [<!ENTITY x SYSTEM "{address}/c">]>', "&x;"
    yield f'<!DOCTYPE {root} [<!ENTITY % x SYSTEM "{address}/d"> %x;]>', ""
    yield f'<?xml-stylesheet type="text/xsl" href="{address}/e.xsl"?>', ""
    yield "", f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{address}/f" parse="text"/>'
    schema = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    yield "", f'<i {schema} xsi:schemaLocation="urn:x {address}/g.xsd">i</i>'


def page(address: str) -> str:
    """Return the elements of a web page that load other files."""
    return "".join(
        (
            f'<img src="{address}/1"><iframe src="{address}/2"></iframe><script src="{address}/3"></script>',
            f'<link rel="stylesheet" href="{address}/4"><object data="{address}/5"></object><embed src="{address}/6">',
            f'<base href="{address}/7"><frame src="{address}/8"><video src="{address}/9"></video>',
            f'<meta http-equiv="refresh" content="0;url={address}/10"><style>@import url({address}/11)</style>',
        )
    )


def documents(address: str, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield documents in every format that name `address` or the file at `path`."""
    for root, maker in (
        ("article", samples.jats), ("TEI", samples.tei), ("article", samples.docbook), ("tale", samples.other_xml),
    ):  # fmt: skip
        for before, inside in xml_ways(root, address):
            yield "lamp.xml", maker(before=before, inside=inside)
    words = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    for before, inside in xml_ways("html", address):
        yield "lamp.html", xhtml(f"<p>{inside}</p>{words}{page(address)}", before=before).encode()
        yield "lamp.epub", archive(epub_parts({"a.xhtml": xhtml(f"<p>{inside}</p>{words}", before=before)}))
        yield "lamp.docx", archive(docx_parts(f"<w:p><w:r><w:t>w {inside}</w:t></w:r></w:p>", before=before))
        yield "lamp.odt", archive(odt_parts(f"<text:p>w {inside}</text:p>", before=before))
        yield "lamp.epub", archive(epub_parts(before=before))
    yield "lamp.html", f"<!DOCTYPE html><html><body>{words}{page(address)}</body></html>".encode()
    yield "lamp.warc", warc([("https://example.org/", f"<html><body>{words}{page(address)}".encode(), {})])
    yield "lamp.epub", archive(epub_parts({"a.xhtml": xhtml()}, hrefs=[path, f"../../../../../..{path}", address]))
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="a" Type="x/footnotes" Target="{address}/1" TargetMode="External"/>'
        f'<Relationship Id="b" Type="x/endnotes" Target="../../../../../..{path}"/>'
        f'<Relationship Id="c" Type="x/attachedTemplate" Target="{address}/2" TargetMode="External"/></Relationships>'
    )
    yield "lamp.docx", archive({**docx_parts(), "word/_rels/document.xml.rels": relations})
    field = f'{{\\field{{\\*\\fldinst INCLUDETEXT "{path}"}}{{\\fldrslt x}}}}{{\\*\\template {address}}}'
    yield "lamp.rtf", samples.rtf()[:-1] + field.encode() + b"}"
    yield "lamp.md", samples.sample("markdown") + f"![x]({address}/1) <img src='{address}/2'> [y]: {address}\n".encode()
    yield "lamp.adoc", samples.sample("asciidoc") + f"\ninclude::{path}[]\n\nimage::{address}/1[]\n".encode()
    action = f"<< /Type /Action /S /URI /URI ({address}/1) >>".encode()
    open_action = pdf(objects=[action]).replace(b"/Type /Catalog", b"/Type /Catalog /OpenAction 6 0 R")
    yield "lamp.pdf", open_action
    external = f"<< /Length 0 /F ({path}) >>\nstream\n\nendstream".encode()
    yield "lamp.pdf", pdf(objects=[external]).replace(b"/Contents 4 0 R", b"/Contents [4 0 R 6 0 R]")


@pytest.mark.parametrize("kind", ["server", "file"])
def test_files_and_addresses_in_a_document_are_not_opened(kind: str, server: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    for name in ("", *"123456789", *"abcdefg", "a.dtd", "b.dtd"):
        if name:
            (secret / name).write_text(SECRET)
    address = server if kind == "server" else secret.as_uri()
    read = 0
    for name, data in documents(address, str(secret / "1")):
        for found in extract_each(io.BytesIO(data), name=name):
            if isinstance(found, ExtractedText):
                read += 1
                assert SECRET not in found.text, (name, data)
    assert read > 40
    assert CountingHandler.paths == []
