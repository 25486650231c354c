"""The format of a document from its first bytes.

The name decides only between formats with similar content.
"""

from __future__ import annotations

import re

from simhash_doc.extract.charset import is_utf8, marked_or_wide
from simhash_doc.extract.decompress import GZIP_MAGIC, gzip_head

_MAGIC = (
    (b"{\\rtf", "rtf"),
    (b"WARC/", "warc"),
    (b"filedesc://", "warc"),  # ARC, the predecessor of WARC
    (b"\x1f\x8b", "gzip"),
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"II*\x00", "TIFF image"),
    (b"MM\x00*", "TIFF image"),
    (b"BM", "bitmap image"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "legacy Microsoft Office document"),
    (b"%!PS", "PostScript"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"OggS", "Ogg audio or video"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
    (b"\x1aE\xdf\xa3", "Matroska video"),
    (b"PAR1", "Parquet file"),
)
_WARC = tuple(magic for magic, document_format in _MAGIC if document_format == "warc")
_BINARY_ONLY = frozenset({"bitmap image", "program", "MP3 audio", "bzip2", "Parquet file", "GIF image"})
"""Formats whose first bytes can also start a text: only binary content has one of these formats."""

_ZIP_MEMBERS = (
    (re.compile(rb"mimetypeapplication/epub\+zip"), "epub"),
    (re.compile(rb"mimetypeapplication/vnd\.oasis\.opendocument\.text"), "odt"),
    (re.compile(rb"mimetypeapplication/vnd\.oasis\.opendocument"), "OpenDocument other than text"),
    (re.compile(rb"word/document\d*\.xml"), "docx"),
    (re.compile(rb"META-INF/container\.xml"), "epub"),
    (re.compile(rb"xl/workbook\.xml"), "Excel workbook"),
    (re.compile(rb"ppt/presentation\.xml"), "PowerPoint presentation"),
)
_BY_NAME = {
    "md": "markdown", "markdown": "markdown", "mdown": "markdown", "mkd": "markdown",
    "adoc": "asciidoc", "asciidoc": "asciidoc", "asc": "asciidoc",
}  # fmt: skip
"""Ending of the name -> format. Light markup is not detected from the content: a wrong guess would change the
fingerprint of a plain text."""

_CONTROL = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_BEFORE_ROOT = re.compile(
    r"\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE(?:[^\[>\"']|\"[^\"]*\"|'[^']*')*(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE
)
_MHTML = re.compile(
    r"(?=(?:From|MIME-Version|Content-Type|Snapshot-Content-Location|Subject|Date):)"
    r"(?:(?!Content-Type:)[\w-]{1,60}:[^\n]{0,2000}\n(?:[ \t][^\n]{0,2000}\n){0,50}){0,50}"
    r"Content-Type:[ \t]*multipart/related;[^\n]{0,500}(?:\n[ \t][^\n]{0,500}){0,10}",
    re.IGNORECASE,
)
_HTML_DOCTYPE = re.compile(r"<!DOCTYPE\s+html\b", re.IGNORECASE)
_ROOT = re.compile(r"<(?:([\w.-]+):)?([A-Za-z_][\w.-]*)((?:\s[^>]*)?)/?>?")
_HTML_ROOTS = frozenset(
    "html head body title meta link script style iframe h1 h2 h3 h4 h5 h6 div font table a b br p ul ol dl nav main "
    "article section header footer center blockquote pre span img hr form noscript base frameset em i strong".split()
)
_DOCBOOK_ROOTS = frozenset(
    "book article chapter section sect1 sect2 refentry reference part preface appendix glossary set".split()
)
_JATS = re.compile(r"JATS|NLM//DTD|<front\b|<article-meta\b|dtd-version|article-type")
_DOCBOOK = re.compile(
    r"docbook|<(?:info|articleinfo|bookinfo|para|refnamediv|sect1|sectioninfo|chapterinfo)\b", re.IGNORECASE
)


def detect(data: bytes, name: str | None = None) -> str:
    """Return the format of a document (SD-EXTRACT-10).

    Args:
        data: the document or its first 64 KiB. A ZIP file may need more: up to the member that identifies its format.
        name: name of the document. Its extension decides between plain text, Markdown and AsciiDoc.

    Returns:
        A key of `READERS` or one of `CONTAINERS`, or the name of a format that is not read, such as
        "PNG image". "empty" means no bytes, "binary data" binary content of unknown format.
    """
    if not data:
        return "empty"
    head = data[: 64 * 1024]
    if head.startswith(b"PK\x03\x04"):
        return next((zipped for pattern, zipped in _ZIP_MEMBERS if pattern.search(data)), "ZIP archive")
    if b"%PDF-" in head[:1024]:
        return "pdf"
    text = _decode_head(head)
    binary = text.count("\x00") > 0 or len(_CONTROL.findall(text)) > len(text) // 50
    for magic, document_format in _MAGIC:
        if head.startswith(magic) and (binary or document_format not in _BINARY_ONLY):
            return "warc" if is_warc(head) else document_format
    if head[4:8] == b"ftyp":
        return "MPEG-4 audio or video"
    if head.startswith(b"RIFF") and binary:
        return "RIFF audio, video or image"
    if head[257:262] == b"ustar":
        return "tar archive"
    if markup := _markup_format(text):
        return markup
    if _MHTML.match(text):
        return "mhtml"
    if binary:
        return "binary data"
    return _BY_NAME.get((name or "").lower().rpartition(".")[2], "text")


def is_warc(head: bytes) -> bool:
    """Return True if `head`, the first bytes of a file, is the start of a WARC or ARC file, compressed or not."""
    if head.startswith(GZIP_MAGIC):
        head = gzip_head(head)
    return head.startswith(_WARC)


def _markup_format(text: str) -> str | None:
    """Return the format that the root element implies, or None if the text does not begin with an element."""
    position = 0
    while found := _BEFORE_ROOT.match(text, position):
        if _HTML_DOCTYPE.match(found[0]):
            return "html"
        position = found.end()
    root = _ROOT.match(text, position)
    if not root:
        return None
    prefix, tag, attributes = root[1], root[2], root[3]
    start = text[:position] + text[position : position + 4000]
    declared = text.lstrip("\ufeff \t\r\n").startswith("<?xml")
    if tag == "html" or (
        not declared
        and not prefix
        and tag.lower() in _HTML_ROOTS
        and "xmlns" not in attributes
        and not _JATS.search(start)
    ):
        return "docbook" if tag in _DOCBOOK_ROOTS and _DOCBOOK.search(start) else "html"
    if tag in ("TEI", "TEI.2", "teiCorpus"):
        return "tei"
    if tag == "article" and _JATS.search(start) and "docbook" not in start:
        return "jats"
    if tag in _DOCBOOK_ROOTS and _DOCBOOK.search(start):
        return "docbook"
    return "xml" if declared or position or prefix or "xmlns" in attributes or f"</{tag}>" in text[-2000:] else None


def _decode_head(head: bytes) -> str:
    """Decode the first bytes of a document without guessing the encoding: the fallback is Latin-1."""
    if wide := marked_or_wide(head):
        encoding, start = wide
        return head[start:].decode(encoding, "replace")
    return head.decode("utf-8", "replace") if is_utf8(head) else head.decode("latin-1")
