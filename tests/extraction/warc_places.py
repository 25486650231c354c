"""WARC and ARC files with a word at every place where they hold a document, and at every place where they do not.

The places are the keys of `SHOWN`, `COUNTED` and `NOT_SHOWN`. Each value builds the records of a file from a word.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import zstandard

from tests.extraction.mhtml_places import archive, part
from tests.extraction.samples import pdf

Build = Callable[[str], list[bytes]]

URI = "http://example.org/page"


def page(word: str) -> bytes:
    """Return a web page in which a word occurs once."""
    return f"<!DOCTYPE html><html><head><title>secret</title></head><body><p>The word {word} is here.</p></body></html>".encode()


def record(
    block: bytes,
    *,
    kind: str = "response",
    uri: str = URI,
    content: str = "application/http; msgtype=response",
    length: int | str | None = None,
    fields: str = "",
    version: str = "1.1",
    end: bytes = b"\r\n\r\n",
) -> bytes:
    """Return a record; `length` is what it says, if that is not its length."""
    size = f"Content-Length: {len(block) if length is None else length}\r\n" if length != "" else ""
    address = f"WARC-Target-URI: {uri}\r\n" if uri else ""
    return (
        f"WARC/{version}\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
        f"{address}Content-Type: {content}\r\n{fields}{size}\r\n"
    ).encode() + block + end  # fmt: skip


def http(body: bytes, *headers: str, status: str = "HTTP/1.1 200 OK", kind: str = "text/html") -> bytes:
    """Return an HTTP response."""
    lines = [status, *([f"Content-Type: {kind}"] if kind else []), *headers]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + body


def response(body: bytes, *headers: str, kind: str = "text/html", uri: str = URI) -> list[bytes]:
    """Return the record of a response."""
    return [record(http(body, *headers, kind=kind), uri=uri)]


def _coded(coding: str, encode: Callable[[bytes], bytes]) -> Build:
    return lambda word: response(encode(page(word)), f"Content-Encoding: {coding}")


def _chunks(body: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (body[:40], body[40:])) + b"0\r\n\r\n"


def _raw(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def _typed(kind: str, create: Callable[[str], bytes] = page) -> Build:
    return lambda word: response(create(word), kind=kind)


def arc(word: str) -> bytes:
    """Return an ARC file."""
    block = http(page(word))
    head = b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 66\n1 0 here\nURL IP-address Archive-date Content-type Archive-length\n\n"
    return head + b"http://example.org/a 1.2.3.4 20200101000000 text/html %d\n%s\n" % (len(block), block)


def _pdf(word: str) -> bytes:
    return pdf([f"The word {word} is here."])


def _mhtml(word: str) -> bytes:
    return archive(part(page(word)))


_ZSTD = zstandard.ZstdCompressor().compress

SHOWN: dict[str, Build] = {
    "response": lambda word: response(page(word)),
    **{
        f"WARC/{at}": lambda word, at=at: [record(http(page(word)), version=at)]  # type: ignore[misc]
        for at in ("0.17", "0.18", "1.0", "1.2")
    },
    **{
        f"{kind} record": lambda word, kind=kind: [record(page(word), kind=kind, content="text/html")]  # type: ignore[misc]
        for kind in ("resource", "conversion", "RESPONSE")
    },
    "resource that holds a response": lambda word: [record(http(page(word)), kind="resource")],
    **{
        f"address {uri}": lambda word, uri=uri: response(page(word), uri=uri)  # type: ignore[misc]
        for uri in (
            "HTTP://example.org/",
            "Https://example.org/",
            "ftp://example.org/a.html",
            "<http://a/>",
            "http://a/b c",
            "urn:x:1",
        )
    },
    "file of an FTP server": lambda word: [record(page(word), uri="ftp://example.org/a.html", content="text/html")],
    "many headers": lambda word: response(page(word), *(f"Set-Cookie: secret{at}=value" for at in range(8000))),
    "one long header": lambda word: response(page(word), f"X-Secret: {'secret ' * 70_000}"),
    "headers without an empty line": lambda word: [record(http(page(word)).replace(b"\r\n\r\n", b"\r\n", 1))],
    "line ends of Unix": lambda word: [record(http(page(word)).replace(b"\r\n", b"\n"))],
    "interim response": lambda word: [record(b"HTTP/1.1 103 Early Hints\r\nLink: secret\r\n\r\n" + http(page(word)))],
    "no type": _typed(""),
    **{
        f"page as {kind}": _typed(kind)
        for kind in (
            "image/png",
            "text/css",
            "application/json",
            "application/octet-stream",
            "binary/octet-stream",
            "font/woff",
            "video/mp4",
            "audio/mpeg",
            "application/javascript",
            "text/plain",
            "application/rss+xml",
            "TEXT/CSS; charset=utf-8",
        )
    },
    **{
        f"PDF as {kind}": _typed(kind, _pdf)
        for kind in ("application/octet-stream", "image/jpeg", "text/html", "application/x-download")
    },
    "MHTML as multipart": _typed("multipart/related", _mhtml),
    "text as bytes": _typed("application/octet-stream", lambda word: f"The word {word} is here.".encode()),
    "compressed page as bytes": _typed("application/octet-stream", lambda word: gzip.compress(page(word))),
    **{
        f"coding {coding}": _coded(coding, encode)
        for coding, encode in {
            "gzip": gzip.compress,
            "x-gzip": gzip.compress,
            "GZIP": gzip.compress,
            "deflate": zlib.compress,
            " deflate": _raw,
            "br": brotli.compress,
            "zstd": _ZSTD,
            "identity": bytes,
            "none": bytes,
            "utf-8": bytes,
            "gzip, br": lambda data: brotli.compress(gzip.compress(data)),
            "zstd,gzip": lambda data: gzip.compress(_ZSTD(data)),
        }.items()
    },
    "zstd in two frames": _coded("zstd", lambda data: _ZSTD(data[:50]) + _ZSTD(data[50:])),
    "gzip in two members": _coded("gzip", lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:])),
    **{f"stored decoded from {coding}": _coded(coding, bytes) for coding in ("gzip", "deflate", "br", "zstd")},
    "two headers of codings": lambda word: response(
        brotli.compress(gzip.compress(page(word))), "Content-Encoding: gzip", "Content-Encoding: br"
    ),
    "chunks": lambda word: response(_chunks(page(word)), "Transfer-Encoding: chunked"),
    "chunks of gzip": lambda word: response(_chunks(gzip.compress(page(word))), "Transfer-Encoding: gzip, chunked"),
    "coding of bytes": lambda word: response(
        gzip.compress(page(word)), "Content-Encoding: gzip", kind="application/octet-stream"
    ),
    "coding of a picture": lambda word: response(brotli.compress(page(word)), "Content-Encoding: br", kind="image/png"),
    "ARC": lambda word: [arc(word)],
}
"""The word is in the text of a document, which has no warning."""


def _with_status(status: int) -> Build:
    return lambda word: [record(http(page(word), status=f"HTTP/1.1 {status} X"))]


COUNTED: dict[str, tuple[Build, str]] = {
    **{f"status {status}": (_with_status(status), f"status {status}") for status in (301, 304, 404, 500)},
    "style sheet": (_typed("text/css", lambda word: f"p {{ content: '{word}' }}".encode()), "text/css"),
    "script": (_typed("text/javascript", lambda word: f"show('{word}')".encode()), "text/javascript"),
    "data": (_typed("application/json", lambda word: f'["{word}"]'.encode()), "application/json"),
    "feed": (
        _typed("application/rss+xml", lambda word: f"<rss><title>{word}</title></rss>".encode()),
        "application/rss+xml",
    ),
    "picture": (_typed("image/png", lambda word: b"\x89PNG\r\n\x1a\n" + word.encode()), "image"),
    "drawing": (_typed("image/svg+xml", lambda word: f"<svg><text>{word}</text></svg>".encode()), "image"),
    "picture as bytes": (
        _typed("application/octet-stream", lambda word: b"\x89PNG\r\n\x1a\n" + word.encode()),
        "image",
    ),
    "program as bytes": (_typed("application/octet-stream", lambda word: b"\x7fELF\0\1" + word.encode()), "program"),
    "style sheet in brotli": (
        lambda word: response(
            brotli.compress(f"p {{ content: '{word}' }}".encode()), "Content-Encoding: br", kind="text/css"
        ),
        "text/css",
    ),
    "names of hosts": (lambda word: [record(word.encode(), uri="dns:example.org", content="text/dns")], "dns"),
    "owners of hosts": (lambda word: [record(word.encode(), uri="whois:example.org", content="text/plain")], "whois"),
    "continuation": (lambda word: [record(page(word), kind="continuation")], "continuation"),
    "unknown type": (lambda word: [record(page(word), kind="screenshot")], "record of unknown type"),
}
"""The word is in no text, and a record of this kind is counted."""

NOT_SHOWN: dict[str, Build] = {
    "headers of the response": lambda word: response(page("other"), f"X-Word: {word}"),
    "headers of the record": lambda word: [record(http(page("other")), fields=f"X-Word: {word}\r\n")],
    "request": lambda word: [record(f"GET /{word} HTTP/1.1\r\n\r\n".encode(), kind="request")],
    "metadata": lambda word: [record(f"via: {word}".encode(), kind="metadata", content="application/warc-fields")],
    "description of the file": lambda word: [record(f"software: {word}".encode(), kind="warcinfo", uri="")],
    "revisit": lambda word: [record(http(b"", f"X-Word: {word}"), kind="revisit")],
}
"""The word is in no text, and not counted."""
