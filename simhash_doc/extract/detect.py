"""The format and the character encoding of a document (SD-EXTRACT-9, SD-EXTRACT-10).

The format follows from the first bytes; the name decides only between formats with similar content.
"""

from __future__ import annotations

import codecs
import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress

from simhash_doc.extract.decompress import GZIP_MAGIC, gzip_head

_MAGIC = (
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
_RTF = re.compile(r"\s*\{\s*\\rtf(?![A-Za-z])")
_WARC = tuple(magic for magic, document_format in _MAGIC if document_format == "warc")
_BINARY_ONLY = frozenset({"bitmap image", "program", "MP3 audio", "bzip2", "Parquet file", "GIF image"})
"""Formats whose first bytes can also start a text: only binary content has one of these formats."""

_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
_ZIP_TYPES = (  # what the part `mimetype` or the list of types in [Content_Types].xml says
    (re.compile(rb"^\s*application/(?:epub\+zip|x-ibooks\+zip)"), "epub"),
    (re.compile(rb"^\s*application/vnd\.oasis\.opendocument\.text"), "odt"),
    (re.compile(rb"^\s*application/vnd\.oasis\.opendocument"), "OpenDocument other than text"),
    (
        re.compile(rb"(?:wordprocessingml\.(?:document|template)|ms-word\.(?:document|template)\S{0,40})\.main\+xml"),
        "docx",
    ),
    (re.compile(rb"(?:spreadsheetml|ms-excel)\.\S{1,60}\.main\+xml"), "Excel workbook"),
    (re.compile(rb"(?:presentationml|ms-powerpoint)\.\S{1,60}\.main\+xml"), "PowerPoint presentation"),
)
_ZIP_NAMES = (  # names of parts, in lower case
    (re.compile(r"word/document\d*\.xml"), "docx"),
    (re.compile(r"meta-inf/container\.xml"), "epub"),
    (re.compile(r"xl/workbook\.xml"), "Excel workbook"),
    (re.compile(r"ppt/presentation\.xml"), "PowerPoint presentation"),
    (re.compile(r"content\.xml"), "odt"),
    (re.compile(r".+\.fb2"), "fb2"),
)
_LOCAL_HEADER = b"PK\x03\x04"
_MOST_MEMBERS = 20_000
_TYPES_BYTES = 1 << 20
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

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = (
    re.compile(rb"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.:+-]{1,40})["']""", re.IGNORECASE),
    re.compile(rb"""<meta\b[^>]{0,400}?\bcharset\s*=\s*["']?\s*([\w.:+-]{1,40})""", re.IGNORECASE),
)
_WEB_ENCODINGS = {
    # Labels that mean a larger encoding on the web (WHATWG Encoding Standard, section 4.2).
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-8",  # if the declaration is readable as ASCII, the document is not in UTF-16
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
_NOT_CHARACTER_ENCODINGS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7"})
_ESCAPING = frozenset({"iso2022_jp"})  # every byte is ASCII
_FALLBACK = "cp1252"
_DECLARATION_BYTES = 4096
_GUESS_BYTES = 256 * 1024
_LETTERS = frozenset(b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


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
    if head.startswith(_LOCAL_HEADER):
        return _zip_format(data)
    if b"%PDF-" in head[:1024]:
        return "pdf"
    text = _decode_head(head)
    if _RTF.match(text.removeprefix("\ufeff")):
        return "rtf"
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


def _zip_format(data: bytes) -> str:
    """Return the format of a document in a ZIP archive: what it says of itself, or else what its members are called.

    Producers also compress the member `mimetype`, leave it out, or write names with backslashes or in another case.
    """
    names: list[str] = []
    for name, start in _zip_members(data):
        names.append(name)
        if name in ("mimetype", "[content_types].xml"):
            declared = _start_of_member(data, start)
            for pattern, document_format in _ZIP_TYPES:
                if pattern.search(declared):
                    return document_format
    if "meta-inf/manifest.xml" not in names:
        names = [name for name in names if name != "content.xml"]
    found = (document_format for pattern, document_format in _ZIP_NAMES if any(map(pattern.fullmatch, names)))
    return next(found, "ZIP archive")


def _zip_members(data: bytes) -> Iterator[tuple[str, int]]:
    """Yield the name of each member of a ZIP archive in lower case, and where its header is."""
    start = 0
    for _ in range(_MOST_MEMBERS):
        if start < 0 or len(data) < start + 30:
            return
        size, name_size, extra_size = struct.unpack_from("<L4xHH", data, start + 18)
        name = data[start + 30 : start + 30 + name_size].decode("utf-8", "replace")
        end = start + 30 + name_size + extra_size
        yield name.replace("\\", "/").lower().removeprefix("./").lstrip("/"), start
        unknown = data[start + 6] & 8 or size == 0xFFFFFFFF
        start = data.find(_LOCAL_HEADER, end if unknown else end + size)


def _start_of_member(data: bytes, start: int) -> bytes:
    """Return the first bytes of the member of a ZIP archive whose header is at an offset."""
    flags, method, size, name_size, extra_size = struct.unpack_from("<2xHH8xLxxxxHH", data, start + 4)
    first = start + 30 + name_size + extra_size
    content = data[first : first + (min(size, _TYPES_BYTES) if size and not flags & 8 else _TYPES_BYTES)]
    if method != zipfile.ZIP_DEFLATED:
        return content
    with suppress(zlib.error):
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, _TYPES_BYTES)
    return b""


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
    if tag == "FictionBook":
        return "fb2"
    if tag == "document" and "opendocument:xmlns:office" in attributes:  # flat ODF
        is_text = f"{_OPEN_DOCUMENT}.text" in attributes or _OPEN_DOCUMENT not in attributes
        return "odt" if is_text else "OpenDocument other than text"
    if tag == "package" and "/xmlPackage" in attributes:  # flat OPC
        others = {"presentationml": "PowerPoint presentation", "spreadsheetml": "Excel workbook"}
        kinds = (other for kind, other in others.items() if f"{kind}." in text and "wordprocessingml." not in text)
        return next(kinds, "docx")
    if tag == "wordDocument" and "/word/2003/wordml" in attributes:
        return "docx"
    if tag == "article" and _JATS.search(start) and "docbook" not in start:
        return "jats"
    if tag in _DOCBOOK_ROOTS and _DOCBOOK.search(start):
        return "docbook"
    if declared or position or prefix or "xmlns" in attributes or f"</{tag}>" in text[-2000:]:
        return "xml"
    return "xml" if "<article-meta" in start else None  # a set of articles, longer than what is looked at


def _decode_head(head: bytes) -> str:
    """Decode the first bytes of a document without guessing the encoding: the fallback is Latin-1."""
    if wide := marked_or_wide(head):
        encoding, start = wide
        return head[start:].decode(encoding, "replace")
    return head.decode("utf-8", "replace") if is_utf8(head) else head.decode("latin-1")


def decode(data: bytes, *, declared: str | None = None, markup: bool = False) -> tuple[str, str]:
    """Return the characters of `data` and the name of the encoding that was used.

    The encoding is found in this order (SD-EXTRACT-9): a byte order mark; UTF-16 or UTF-32, recognized by their zero
    bytes; UTF-8, if the data is well-formed and not only ASCII; the declared encoding; ASCII; a guess.
    Ill-formed sequences become U+FFFD.

    Args:
        data: the document.
        declared: label of the encoding that the transport declares, such as the charset of an HTTP header.
        markup: also use the label in an XML declaration or in an HTML meta element, after `declared`.

    Raises:
        ModuleNotFoundError: the encoding has to be guessed, and the extra `extract` is not installed.
    """
    if wide := marked_or_wide(data):
        encoding, start = wide
        return data[start:].decode(encoding, "replace"), encoding
    escapes = data.isascii() and b"\x1b" in data
    if not escapes:
        try:
            return data.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            pass
    labels = [declared] if declared else []
    if markup:
        labels += [
            found[1].decode("ascii") for pattern in _DECLARED if (found := pattern.search(data[:_DECLARATION_BYTES]))
        ]
    known = next((name for label in labels if (name := _codec(label)) and name != "utf-8"), None)
    if escapes and known not in _ESCAPING:
        known = "utf-8"
    encoding = known or _guess(data)
    return data.decode(encoding, "replace"), encoding


def _codec(label: str) -> str | None:
    """Return the Python codec of an encoding label, or None if there is none."""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return None
    name = _WEB_ENCODINGS.get(name, name)
    if name in _NOT_CHARACTER_ENCODINGS:
        return None
    try:
        b"a".decode(name, "replace")  # fails for codecs such as hex, which are not character encodings
    except (LookupError, UnicodeError):
        return None
    return name


def _guess(data: bytes) -> str:
    """Return the most likely encoding of text that declares none."""
    if _is_mostly_utf8(data):
        return "utf-8"
    from resiliparse.parse.encoding import detect_encoding  # in the extra `extract`

    label = detect_encoding(data, max_len=_GUESS_BYTES, html5_compatible=False)
    return (_codec(label) if label else None) or _FALLBACK


def is_utf8(head: bytes) -> bool:
    """Return True if `head`, the first bytes of a document, is UTF-8, possibly with a few ill-formed sequences.

    The last character may be truncated.
    """
    wide = marked_or_wide(head)
    if wide and wide[0] != "utf-8":
        return False
    return _is_well_formed(head) or _is_mostly_utf8(head)


def marked_or_wide(data: bytes) -> tuple[str, int] | None:
    """Return the encoding that a byte order mark names, and the size of the mark; or else UTF-16 or UTF-32, and 0."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    wide = _unmarked_wide(data)
    return (wide, 0) if wide else None


def _unmarked_wide(data: bytes) -> str | None:
    """Return the encoding of UTF-16 or UTF-32 without a byte order mark, or None if `data` is neither.

    Such data has zero bytes only at even or only at odd offsets, decodes to mostly assigned characters, and is not
    likely to be text in bytes with some zero bytes.
    """
    head = data[:4096]
    head = head[: len(head) - len(head) % 4]
    zeros = [head[start::4].count(0) for start in range(4)]
    total = len(head) // 4
    if not any(zeros) or total < 2:
        return None
    if total == zeros[3] > zeros[0] and zeros[2] > 0.9 * total:
        encoding = "utf-32-le"
    elif total == zeros[0] > zeros[3] and zeros[1] > 0.9 * total:
        encoding = "utf-32-be"
    elif not zeros[0] and not zeros[2]:
        encoding = "utf-16-le"
    elif not zeros[1] and not zeros[3]:
        encoding = "utf-16-be"
    else:
        return None
    text = head.decode(encoding, "replace")
    strange = sum(unicodedata.category(character) in ("Cc", "Cn", "Co") for character in text)
    strange -= sum(map(text.count, "\t\r\n"))
    if (text.count("\ufffd") + strange) * 20 >= len(text):
        return None
    return encoding if encoding.startswith("utf-32") or _is_wide(data, head, encoding == "utf-16-le") else None


def _is_wide(data: bytes, head: bytes, little_endian: bool) -> bool:
    """Return True if bytes that can be UTF-16 are not single-byte text with some zero bytes.

    The high byte of nearly every unit is below 20 in texts of most scripts, and hardly ever in pairs of letters. Other
    units, such as Chinese characters, have many bytes that are neither well-formed UTF-8 nor letters.
    """
    high = head[1::2] if little_endian else head[::2]
    if sum(byte < 0x20 for byte in high) >= 0.9 * len(high):
        return True
    letters = sum(byte in _LETTERS for byte in head)
    return not _is_well_formed(head) and len(data) % 2 == 0 and letters < 0.6 * len(head)


def _is_well_formed(head: bytes) -> bool:
    """Return True if bytes are UTF-8, of which the last character may be truncated."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _is_mostly_utf8(data: bytes) -> bool:
    """Return True if ill-formed sequences are rare enough to be errors in UTF-8 and not another encoding."""
    text = data.decode("utf-8", "replace")
    good = sum(len(run) for run in re.findall(r"[^\x00-\x7f\ufffd]+", text))
    return good > 4 * text.count("\ufffd")
