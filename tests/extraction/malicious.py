"""Malicious documents: they exhaust memory or time, or make their reader open other files."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import brotli

from tests.extraction import samples
from tests.extraction.samples import (
    FORMATS,
    archive,
    docx_parts,
    epub_parts,
    file_name,
    odt_parts,
    pdf,
    sample,
    warc,
    xhtml,
)

MIB = 1 << 20


def laughs(root: str) -> str:
    """Return a document type declaration with an entity that expands to 3 GB ("billion laughs")."""
    steps = "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10}">' for at in range(1, 9))
    return f'<!DOCTYPE {root} [<!ENTITY e0 "{"harm " * 6}">{steps}]>'


def blowup(root: str) -> str:
    """Return a document type declaration with one long entity: used often, it expands without nesting."""
    return f'<!DOCTYPE {root} [<!ENTITY e8 "{"harm " * 20_000}">]>'


_MANY = "&e8;" * 20_000


def entity_bombs() -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of entity bombs in every format that holds XML."""
    for kind, bomb in (("laughs", laughs), ("blowup", blowup)):
        used = "&e8;" if kind == "laughs" else _MANY
        yield f"jats-{kind}", samples.jats(before=bomb("article"), inside=f"<p>{used}</p>")
        yield f"tei-{kind}", samples.tei(before=bomb("TEI"), inside=f"<p>{used}</p>")
        yield f"docbook-{kind}", samples.docbook(before=bomb("article"), inside=f"<para>{used}</para>")
        yield f"xml-{kind}", samples.other_xml(before=bomb("tale"), inside=f"<line>{used}</line>")
        yield f"xml-attribute-{kind}", samples.other_xml(before=bomb("tale"), inside=f'<line of="{used}"/>')
        yield f"xhtml-{kind}", xhtml(f"<p>{used}</p>", before=bomb("html")).encode()
        yield f"docx-{kind}", archive(docx_parts(f"<w:p><w:r><w:t>{used}</w:t></w:r></w:p>", before=bomb("x")))
        yield f"odt-{kind}", archive(odt_parts(f"<text:p>{used}</text:p>", before=bomb("x")))
        yield f"epub-chapter-{kind}", archive(epub_parts({"a.xhtml": xhtml(f"<p>{used}</p>", before=bomb("html"))}))
        yield f"epub-package-{kind}", archive(epub_parts(before=bomb("package")))
    attribute = f":a: {'harm ' * 20_000}\n\n"
    yield "asciidoc-attributes", (attribute + "{a}" * 20_000).encode()


def deep(depth: int) -> Iterator[tuple[str, bytes]]:
    """Yield documents with elements nested at most this deep."""
    start = b"<!DOCTYPE html><html><body>"
    for tag in ("div", "b", "table", "blockquote", "svg"):
        yield f"html-{tag}", start + f"<{tag}>".encode() * depth + b"words in the deep"
    for tag in ("p", "a", "ul", "select", "template", "math", "option", "form"):
        yield f"html-{tag}", start + f"<{tag}>".encode() * (depth // 20) + b"words in the deep"
    yield "html-closed", b"<!DOCTYPE html><html><body>" + b"<div>" * depth + b"words" + b"</div>" * depth
    yield "html-stray-ends", b"<!DOCTYPE html><html><body>" + b"<p></b></i>" * (depth // 20) + b"words"
    xml = "<i>" * depth + "words" + "</i>" * depth
    yield "xml", samples.other_xml(inside=xml)
    yield "jats", samples.jats(inside=xml)
    yield "docx", archive(docx_parts(xml))
    yield "odt", archive(odt_parts(xml))
    yield "epub", archive(epub_parts({"a.xhtml": xhtml(xml)}))
    yield "rtf", b"{\\rtf1 " + b"{" * depth + b"words" + b"}" * depth + b"}"
    for name, piece in (("quotes", b"> "), ("lists", b"- "), ("brackets", b"["), ("emphasis", b"*a_")):
        yield f"markdown-{name}.md", piece * (depth // 20) + b"words"
    yield "markdown-ticks.md", b"".join(b"`" * at + b"a " for at in range(1, 1500))
    yield "asciidoc.adoc", b"[" * depth + b"words"
    yield "asciidoc-macro.adoc", b"a:b[" * (depth // 10) + b"words"


def slow(size: int = 60_000) -> Iterator[tuple[str, bytes]]:
    """Yield documents of openings without ends, on which a careless pattern takes quadratic time or worse."""
    pieces = {
        "comments": b"<!--", "processing": b"<?x ", "doctype": b"<!DOCTYPE [", "cdata": b"<![CDATA[", "tags": b"<a ",
        "attributes": b'<a b="', "entities": b"&a", "meta": b"<meta ", "xml-declaration": b"<?xml ", "quotes": b"\"'",
        "spaces": b" ", "line-ends": b"\n", "returns": b"\r", "tabs": b"\t", "zeros": b"\0", "nines": b"9",
        "bom": b"\xef\xbb\xbf", "pipes": b"| ", "dashes": b"-", "backslashes": b"\\", "percent": b"%PDF-",
        "less": b"<", "title": b"title: '", "colons": b":a: ", "braces": b"{a", "brackets": b"a::[",
        "comments-closed": b"<!-- -->", "processing-closed": b"<?x?>",
    }  # fmt: skip
    for name, piece in pieces.items():
        yield name, piece * (size // len(piece))
        yield f"{name}-in-html", b"<!DOCTYPE html><html><body><p>words " + piece * (size // len(piece))
        yield f"{name}-in-xml", b"<?xml version='1.0'?><article>words " + piece * (size // len(piece))
        yield f"{name}.md", b"words " + piece * (size // len(piece))
        yield f"{name}.adoc", b"words " + piece * (size // len(piece))
    yield "subset", b"<!DOCTYPE a [" + b"<!ENTITY b 'c'>" * (size // 15)
    yield "many-attributes", b"<html><body><p " + b" ".join(b"a%d=b" % at for at in range(3_000)) + b">words"


def zip_bombs(expanded: int) -> Iterator[tuple[str, bytes]]:
    """Yield archives of at most a few hundred KiB that expand to more than `expanded` bytes."""
    zeros = b" " * (expanded + MIB)
    yield "docx-ratio", archive({**docx_parts(), "word/document.xml": b"<w:document>" + zeros})
    yield "odt-ratio", archive({**odt_parts(), "content.xml": b"<office:document-content>" + zeros})
    yield "epub-ratio", archive(epub_parts({"a.xhtml": b"<html><body><p>" + zeros}))
    quarter = b"<html><body><p>" + b" " * (expanded // 4)
    yield "epub-in-pieces", archive(epub_parts({f"{at}.xhtml": quarter for at in range(6)}))
    yield "epub-damaged-pieces", archive(epub_parts({f"{at}.xhtml": quarter for at in range(6)}), damaged="xhtml")
    names = [f"{at}.xhtml" for at in range(6)]
    parts = epub_parts({"0.xhtml": quarter}, hrefs=names[1:])
    yield (
        "epub-overlapping",
        overlapping(archive(parts), b"OPS/0.xhtml", [f"OPS/{name}".encode() for name in names[1:]]),
    )


def overlapping(data: bytes, entry: bytes, names: list[bytes]) -> bytes:
    """Return an archive with additional entries `names` in its directory that share the bytes of `entry`."""
    end = data.rindex(b"PK\x05\x06")
    count, size, start = struct.unpack_from("<HLL", data, end + 10)
    directory = data[start : start + size]
    at = directory.index(entry) - 46
    length = 46 + sum(struct.unpack_from("<HHH", directory, at + 28))
    one = directory[at : at + length]
    copies = b"".join(one.replace(entry, name) for name in names if len(name) == len(entry))
    added = len(names)
    tail = struct.pack("<HHLL", count + added, count + added, size + len(copies), start)
    return data[: start + size] + copies + data[end : end + 8] + tail + data[end + 20 :]


def corrupt_archives() -> Iterator[tuple[str, bytes]]:
    """Yield archives with wrong metadata, or with missing parts."""
    for document_format in ("docx", "odt", "epub"):
        data = sample(document_format)
        at = data.index(b"PK\x01\x02")
        for name, offset, value in (
            ("size", 24, b"\xfe\xff\xff\xff"), ("packed", 20, b"\xfe\xff\xff\xff"), ("crc", 16, b"\0\0\0\0"),
            ("method", 10, b"\x0c\0"), ("encrypted", 8, b"\x01\0"), ("offset", 42, b"\xff\xff\xff\x7f"),
            ("zip64", 24, b"\xff\xff\xff\xff"), ("version", 6, b"\xff\xff"), ("extra", 30, b"\xff\xff"),
        ):  # fmt: skip
            everywhere = bytearray(data)
            start = at
            while start >= 0:
                everywhere[start + offset : start + offset + len(value)] = value
                start = everywhere.find(b"PK\x01\x02", start + 4)
            yield f"{document_format}-{name}", bytes(everywhere)
        yield f"{document_format}-directory-only", data[at:]
        yield f"{document_format}-twice", data + data
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            file.writestr(document_format, data)
        yield f"{document_format}-nested", out.getvalue()
    yield "many-entries", archive(epub_parts()) + b"PK\x01\x02" * 30_000
    yield "docx-without-parts", archive({"word/document.xml": ""})
    yield "docx-main-is-itself", archive({**docx_parts(), "word/document.xml": docx_parts()["_rels/.rels"]})
    yield "epub-without-spine", archive(epub_parts({}))
    yield (
        "epub-package-outside",
        archive(
            {
                **epub_parts(),
                "META-INF/container.xml": '<container><rootfile full-path="../../../../etc/passwd"/></container>',
            }
        ),
    )
    yield "epub-without-container", archive({"mimetype": "application/epub+zip", "a.xhtml": xhtml()})
    yield "odt-without-content", archive({"mimetype": odt_parts()["mimetype"]})


def encrypted() -> Iterator[tuple[str, bytes]]:
    """Yield documents that need a password."""
    key = b"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <%s> /U <%s> >>" % (b"ab" * 32, b"cd" * 32)
    yield "pdf", pdf(trailer="/Encrypt 6 0 R /ID [<00> <00>]", objects=[key])
    manifest = str(odt_parts()["META-INF/manifest.xml"])
    secret = manifest.replace(
        'm:media-type="text/xml"/>', 'm:media-type="text/xml"><m:encryption-data/></m:file-entry>'
    )
    yield "odt", archive({**odt_parts(), "META-INF/manifest.xml": secret})
    chapter = "<encryption><CipherData><CipherReference URI='OPS/one.xhtml'/></CipherData></encryption>"
    yield "epub", archive({**epub_parts(), "META-INF/encryption.xml": chapter})
    data = bytearray(sample("docx"))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(signature, at + 4)
    yield "docx", bytes(data)


def pdfs(size: int) -> Iterator[tuple[str, bytes]]:
    """Yield PDF files that are corrupt, or that expand to ten times `size`."""
    valid = sample("pdf")
    yield "pages-cycle", valid.replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]")
    yield "pages-missing", valid.replace(b"/Kids [5 0 R]", b"/Kids [9 0 R]")
    yield "count-wrong", valid.replace(b"/Count 1", b"/Count 9999999")
    yield "count-negative", valid.replace(b"/Count 1", b"/Count -1")
    yield "box-huge", valid.replace(b"[0 0 595 842]", b"[0 0 9e30 9e30]")
    yield "box-nothing", valid.replace(b"[0 0 595 842]", b"[0 0 0 0]")
    yield "no-table", valid[: valid.index(b"xref")]
    yield "table-loop", valid.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % valid.rindex(b"xref\n0"))
    yield "font-is-page", valid.replace(b"/F1 3 0 R", b"/F1 5 0 R")
    yield "content-is-itself", valid.replace(b"/Contents 4 0 R", b"/Contents 5 0 R")
    bomb = zlib.compress(b"(word) Tj " * size, 9)
    page = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(bomb), bomb)
    yield "content-bomb", pdf(objects=[page]).replace(b"/Contents 4 0 R", b"/Contents 6 0 R")
    twice = zlib.compress(zlib.compress(b"q " * (4 * size), 9), 9)
    page = b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%s\nendstream" % (len(twice), twice)
    yield "content-bomb-twice", pdf(objects=[page]).replace(b"/Contents 4 0 R", b"/Contents 6 0 R")


def warcs(limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield corrupt crawls, and crawls with bombs that expand to more than `limit` bytes. Each ends with a valid page at https://example.org/good."""
    page = samples.html()
    good: samples.Response = ("https://example.org/good", page, {})
    zeros = b" " * (limit * 5 // 4)
    large = b"<html><body><p>" + zeros
    codings = {"gzip": gzip.compress(large), "deflate": zlib.compress(large), "br": brotli.compress(large, quality=5)}
    for coding, body in codings.items():
        yield f"body-{coding}", warc([("https://example.org/bad", body, {"Content-Encoding": coding}), good])
    nested = gzip.compress(gzip.compress(gzip.compress(large)))
    yield "body-nested", warc([("https://example.org/bad", nested, {"Content-Encoding": "gzip, gzip, gzip"}), good])
    yield "codings", warc([("https://example.org/bad", page, {"Content-Encoding": "gzip," * 1000}), good])
    yield "coding-unknown", warc([("https://example.org/bad", page, {"Content-Encoding": "rot13"}), good])
    yield (
        "gzip-in-name-only",
        warc([("https://example.org/bad", b"\x1f\x8b" + page, {"Content-Encoding": "gzip"}), good]),
    )
    yield "record", warc([("https://example.org/bad", large, {}), good])
    yield (
        "chunk-size",
        warc([("https://example.org/bad", b"ffffffffffff\r\n" + page, {"Transfer-Encoding": "chunked"}), good]),
    )
    member = gzip.compress(b"WARC/1.1\r\nWARC-Type: " + b"a" * (limit // 2))
    yield "header-line", member + warc([good])
    lines = b"a: a header of thirty-two bytes\r\n" * (limit // 32)
    yield "header-lines", gzip.compress(b"WARC/1.1\r\n" + lines) + warc([good])
    yield "record-zeros", gzip.compress(b"WARC/1.1\r\n\r\n" + zeros) + warc([good])
    valid = warc([("https://example.org/bad", page, {})])
    yield "member-corrupt", valid[:200] + b"\xff" * 30 + valid[230:] + warc([good])
    yield "member-cut", valid[:-20] + warc([good])
    yield "no-http", warc([("https://example.org/bad", page, {})], status="\n\n") + warc([good])
    plain = warc([("https://example.org/bad", page, {})], zipped=False)
    for name, length in (("negative", b"-5"), ("words", b"many"), ("short", b"10")):
        start = plain.index(b"Content-Length: ") + 16
        end = plain.index(b"\r\n", start)
        yield f"length-{name}", gzip.compress(plain[:start] + length + plain[end:]) + warc([good])


def write_mixed(folder: Path, count: int) -> dict[str, bool]:
    """Write `count` files, every tenth malicious or corrupt, and return for each name whether the file is valid."""
    bad = [
        *entity_bombs(),
        *zip_bombs(16 * MIB),
        *corrupt_archives(),
        *encrypted(),
    ]
    bad += [
        (f"{document_format}-cut", sample(document_format)[:-40])
        for document_format in ("docx", "gzip", "pdf", "html", "epub")
    ]
    valid_by_name: dict[str, bool] = {}
    for at in range(count):
        if valid := at % 10 != 9:
            document_format = FORMATS[at % len(FORMATS)]
            name, data = file_name(document_format), sample(document_format)
        else:
            name, data = bad[at // 10 % len(bad)]
        (folder / f"{at:04}-{name}").write_bytes(data)
        valid_by_name[f"{at:04}-{name}"] = valid
    return valid_by_name
