"""Small valid documents in every format, all with the same three paragraphs."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from email.message import EmailMessage
from functools import cache

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from simhash_doc_extraction import ExtractedText, ExtractionError, Limits, extract
from tests.extraction.archives import mhtml

LIMITS = Limits(expanded_bytes=8 << 20)

PARAGRAPHS = (
    "The lighthouse keeper counted every ship that passed the northern reef before the winter storms began.",
    "In the harbour below, the fishermen mended their nets and argued about the price of salt and rope.",
    "When the lamp went dark one evening, nobody on the island could say who had seen it burning last.",
)
TITLE = "The lamp on the northern reef"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_DOCUMENT_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def elements(tag: str, texts: Sequence[str] = PARAGRAPHS) -> str:
    """Return each text in an element."""
    return "".join(f"<{tag}>{text}</{tag}>" for text in texts)


def archive(parts: Mapping[str, bytes | str], *, damaged: str = "/") -> bytes:
    """Return a ZIP archive of parts. A part `mimetype` is not compressed, as EPUB and ODT require.

    The parts whose names end with `damaged` have another checksum than the directory says.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            file.writestr(zipfile.ZipInfo(name), content, method)
        for entry in file.infolist():
            entry.CRC ^= entry.filename.endswith(damaged)
    return out.getvalue()


def docx_parts(body: str | None = None, *, before: str = "") -> dict[str, bytes | str]:
    """Return the parts of a DOCX file with the content `body` of w:body, and `before` in front of the root element."""
    if body is None:
        body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in (TITLE, *PARAGRAPHS))
    return {
        "[Content_Types].xml": (
            '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'wordprocessingml.document.main+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'<?xml version="1.0"?><Relationships xmlns="{_RELATIONS}">'
            f'<Relationship Id="r1" Type="{_DOCUMENT_TYPE}" Target="word/document.xml"/></Relationships>'
        ),
        "word/document.xml": (
            f'<?xml version="1.0" encoding="UTF-8"?>{before}'
            f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
        ),
    }


def odt_parts(body: str | None = None, *, before: str = "") -> dict[str, bytes | str]:
    """Return the parts of an ODT file with the content `body` of office:text."""
    body = f"<text:h>{TITLE}</text:h>{elements('text:p')}" if body is None else body
    return {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "META-INF/manifest.xml": (
            '<?xml version="1.0"?><m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            '<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>'
        ),
        "content.xml": (
            f'<?xml version="1.0" encoding="UTF-8"?>{before}<office:document-content xmlns:office="{_OFFICE}" '
            f'xmlns:text="{_TEXT}"><office:body><office:text>{body}</office:text></office:body>'
            "</office:document-content>"
        ),
    }


def xhtml(body: str | None = None, *, before: str = "<!DOCTYPE html>") -> str:
    """Return a page in XHTML, such as a chapter."""
    body = f"<h1>{TITLE}</h1>{elements('p')}" if body is None else body
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{before}<html xmlns="http://www.w3.org/1999/xhtml"><head>'
        f"<title>{TITLE}</title></head><body>{body}</body></html>"
    )


def epub_parts(
    chapters: dict[str, bytes | str] | None = None, *, before: str = "", hrefs: Sequence[str] = ()
) -> dict[str, bytes | str]:
    """Return the parts of an EPUB file with these chapters, in order, and references `hrefs` to missing chapters."""
    chapters = {"one.xhtml": xhtml()} if chapters is None else chapters
    named = [*chapters, *hrefs]
    items = "".join(
        f'<item id="c{at}" href="{href}" media-type="application/xhtml+xml"/>' for at, href in enumerate(named)
    )
    order = "".join(f'<itemref idref="c{at}"/>' for at in range(len(named)))
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": (
            f'<?xml version="1.0"?>{before}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
            'version="1.0"><rootfiles><rootfile full-path="OPS/book.opf" '
            'media-type="application/oebps-package+xml"/></rootfiles></container>'
        ),
        "OPS/book.opf": (
            f'<?xml version="1.0"?>{before}<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
            f"<manifest>{items}</manifest><spine>{order}</spine></package>"
        ),
        **{f"OPS/{name}": content for name, content in chapters.items()},
    }


def html() -> bytes:
    main = f"<main><h1>{TITLE}</h1>{elements('p')}</main>"
    return f"<!DOCTYPE html><html><head><title>{TITLE}</title></head><body>{main}</body></html>".encode()


def jats(*, before: str = "", inside: str = "") -> bytes:
    return (
        f'<?xml version="1.0"?>{before}<article article-type="research-article"><front><article-meta><title-group>'
        f"<article-title>{TITLE}</article-title></title-group></article-meta></front>"
        f"<body>{inside}{elements('p')}</body></article>"
    ).encode()


def tei(*, before: str = "", inside: str = "") -> bytes:
    return (
        f'<?xml version="1.0"?>{before}<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><head>{TITLE}</head>'
        f"{inside}{elements('p')}</body></text></TEI>"
    ).encode()


def docbook(*, before: str = "", inside: str = "") -> bytes:
    return (
        f'<?xml version="1.0"?>{before}<article xmlns="http://docbook.org/ns/docbook" version="5.0">'
        f"<title>{TITLE}</title>{inside}{elements('para')}</article>"
    ).encode()


def fictionbook(*, before: str = "", inside: str = "") -> bytes:
    return (
        f'<?xml version="1.0"?>{before}<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><section>'
        f"<title><p>{TITLE}</p></title>{inside}{elements('p')}</section></body></FictionBook>"
    ).encode()


def other_xml(*, before: str = "", inside: str = "") -> bytes:
    return f'<?xml version="1.0"?>{before}<tale><name>{TITLE}</name>{inside}{elements("line")}</tale>'.encode()


def rtf() -> bytes:
    body = "".join(f"{text}\\par\n" for text in (TITLE, *PARAGRAPHS))
    return f"{{\\rtf1\\ansi\\ansicpg1252{{\\fonttbl{{\\f0\\fcharset0 Serif;}}}}\n{body}}}".encode()


def plain(mark: str = "", end: str = "") -> bytes:
    """Return the texts, with the mark of a heading before the title."""
    return (mark + "\n\n".join((TITLE, *PARAGRAPHS)) + end).encode()


def pdf(
    lines: Sequence[str] = (TITLE, *PARAGRAPHS), *, pages: int = 1, trailer: str = "", objects: Sequence[bytes] = ()
) -> bytes:
    """Return a PDF file with the lines on every page, additional `objects`, and additional trailer entries."""
    shown = " ".join(f"({line}) Tj 0 -14 Td" for line in lines)
    content = zlib.compress(f"BT /F1 8 Tf 40 700 Td {shown} ET".encode() if lines else b"")
    kids = " ".join(f"{5 + at} 0 R" for at in range(pages))
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 3 0 R >> >> >>"
    )
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {pages} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content),
        *[page] * pages,
        *objects,
    ]
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    offsets = []
    for number, body in enumerate(bodies, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    out.write(f"trailer << /Size {len(bodies) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n".encode())
    return out.getvalue()


Response = tuple[str, bytes, dict[str, str]]


def warc(responses: Sequence[Response] | None = None, *, zipped: bool = True, status: str = "200 OK") -> bytes:
    """Return a WARC file with responses: URI, body and HTTP headers of each."""
    if responses is None:
        responses = [("https://example.org/lamp", html(), {})]
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=zipped)
    for uri, body, headers in responses:
        fields = {"Content-Type": "text/html", **headers}
        http = StatusAndHeaders(status, list(fields.items()), protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(
                uri, "response", payload=io.BytesIO(body), http_headers=http,
                warc_headers_dict={"WARC-Date": "2020-01-02T03:04:05Z"},
            )
        )  # fmt: skip
    return out.getvalue()


def mail(*, number: int = 1) -> bytes:
    """Return a message with the title as its subject, and the texts in two forms."""
    message = EmailMessage()
    message["From"], message["To"] = "Anna Pilot <anna@example.org>", "boris@example.org"
    message["Subject"], message["Date"] = TITLE, "Mon, 2 Nov 2026 10:00:00 +0000"
    message["Message-ID"] = f"<{number}@example.org>"
    message.set_content("\n\n".join(PARAGRAPHS), cte="quoted-printable")
    message.add_alternative(f"<html><body>{elements('p')}</body></html>", subtype="html")
    return message.as_bytes()


def mbox(messages: Sequence[bytes] | None = None) -> bytes:
    """Return a mailbox with messages."""
    first = b"From anna@example.org Mon Nov  2 10:00:00 2026\n"
    messages = [mail()] if messages is None else messages
    quoted = (re.sub(rb"^(>*From )", rb">\1", message, flags=re.MULTILINE) for message in messages)
    return b"\n".join(first + message.rstrip(b"\n") + b"\n" for message in quoted)


def wacz(crawls: Sequence[bytes] | None = None) -> bytes:
    """Return a WACZ file with WARC files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        about = zipfile.ZipInfo("datapackage.json")  # all have the same time, so the same bytes each time
        archive.writestr(about, '{"profile": "data-package", "wacz_version": "1.1.1"}')
        for number, crawl in enumerate([warc()] if crawls is None else crawls):
            archive.writestr(zipfile.ZipInfo(f"archive/data{number}.warc.gz"), crawl)
        archive.writestr(zipfile.ZipInfo("indexes/index.cdx"), "")
    return out.getvalue()


_SAMPLES: dict[str, Callable[[], bytes]] = {
    "asciidoc": lambda: plain("= ", "\n"),
    "docbook": docbook,
    "docx": lambda: archive(docx_parts()),
    "eml": mail,
    "epub": lambda: archive(epub_parts()),
    "fb2": fictionbook,
    "gzip": lambda: gzip.compress(html(), mtime=0),
    "html": html,
    "jats": jats,
    "markdown": lambda: plain("# ", "\n"),
    "mbox": mbox,
    "mhtml": lambda: mhtml(html()),
    "odt": lambda: archive(odt_parts()),
    "pdf": pdf,
    "rtf": rtf,
    "tei": tei,
    "text": plain,
    "wacz": wacz,
    "warc": warc,
    "xml": other_xml,
}
FORMATS = tuple(_SAMPLES)
EXTENSIONS = {
    "asciidoc": "adoc", "docbook": "xml", "gzip": "html.gz", "jats": "xml", "markdown": "md", "tei": "xml",
    "text": "txt", "warc": "warc.gz",
}  # fmt: skip


@cache
def sample(document_format: str) -> bytes:
    """Return the sample document in a format."""
    return _SAMPLES[document_format]()


def file_name(document_format: str) -> str:
    """Return a typical file name of a format."""
    return f"lamp.{EXTENSIONS.get(document_format, document_format)}"


def attempt(data: bytes, name: str | None = None, limits: Limits = LIMITS) -> ExtractedText | ExtractionError:
    """Return the text of a document, or the error."""
    try:
        return extract(data, name=name, limits=limits)
    except ExtractionError as error:
        return error
