"""The format of a document (SD-EXTRACT-10).

The format follows from the first bytes, and from the structure after them: a text about a format is a text. The name
decides only between formats with similar content.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from simhash_doc_extraction.base import LimitExceededError
from simhash_doc_extraction.decompress import GZIP_MAGIC, gzip_head
from simhash_doc_extraction.encoding import is_utf8, marked_or_wide
from simhash_doc_extraction.record_stream import find_record

_HEAD = 64 * 1024
_WARC = re.compile(
    rb"WARC/\d+\.\d+[ \t]*\r?\n(?:(?i:WARC|Content)-[\w-]+[ \t]*:|\Z)"
    rb"|filedesc://\S+[ ]\S+[ ]\d{8,14}[ ]"  # ARC, the predecessor of WARC
)
_MBOX = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[ \t]*\r?\n){0,9}From [^\r\n]{0,300}\d\d:\d\d[^\r\n]{0,99}\r?\n>?[!-9;-~]{1,76}:[ \t]"
)
_MAGIC = tuple(  # how files of a format begin that are no texts about it
    (re.compile(pattern, re.DOTALL), document_format)
    for pattern, document_format in (
        (rb"\x1f\x8b", "gzip"),
        (rb"\x89PNG", "PNG image"),
        (rb"\xff\xd8\xff", "JPEG image"),
        (rb"GIF8[79]a(?=.{0,100}[\0-\x08\x80-\xff])", "GIF image"),
        (rb"II\*\0|MM\0\*", "TIFF image"),
        (rb"BM.{4}\0{4}.{4}[\x0c-\x7c]\0\0\0", "bitmap image"),
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "legacy Microsoft Office document"),
        (rb"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
        (rb"Rar!\x1a\x07", "RAR archive"),
        (rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90|\Z)", "bzip2"),
        (rb"\xfd7zXZ\0", "xz"),
        (rb"\x28\xb5\x2f\xfd", "Zstandard"),
        (rb"\x7fELF", "program"),
        (rb"MZ(?=.{0,62}\0\0)", "program"),
        (rb"SQLite format 3\0", "SQLite database"),
        (rb"OggS\0[\0-\x07]", "Ogg audio or video"),
        (rb"ID3[\2-\4][^\xff][\0\x10-\xf0][\0-\x7f]{4}", "MP3 audio"),
        (rb"fLaC[\0\x80]\0\0\x22", "FLAC audio"),
        (rb"\x1aE\xdf\xa3", "Matroska video"),
        (rb"PAR1[\0-\x08\x0e-\x1f\x80-\xff]", "Parquet file"),
        (rb"\0\0[\0-\x0f].ftyp", "MPEG-4 audio or video"),
        (rb"RIFF.{4}(?:WAVE|AVI |WEBP|ACON|RMID|CDDA|CDXA|PAL )(?=.{0,40}[\0-\x08])", "RIFF audio, video or image"),
        (rb".{100}[0-7 \0]{8}.{40}[0-7 \0]{8}.{101}ustar[\0 ]", "tar archive"),
    )
)
_PDF = re.compile(rb"%PDF-\d\.\d([ \t,;:.]+[a-z]{2,})?")
_PDF_OBJECT = re.compile(rb"(?<!\d)\d{1,10}\s+\d{1,5}\s+obj\b")
_POST_SCRIPT = re.compile(rb"%!PS(?:-Adobe-\d[^\r\n]{0,100})?[ \t]*[\r\n]")
_POST_SCRIPT_CODE = re.compile(
    rb"^%%[A-Z]\w+|^/\w+.{0,200}\bdef\b|\b(?:showpage|setfont|moveto|exch|gsave|bind)[ \t]*$", re.MULTILINE
)
_RTF = re.compile(r"\s*\{\s*\\rtf([0-9]{0,3}\s*[\\{])?(?![A-Za-z])")
_CONTROL_WORD = re.compile(r"\\[a-z]{1,32}")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]{2,}")
_FEW = 3
"""Words after the first bytes of a damaged file that are no text about its format."""

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
CRAWL_IN_WACZ = re.compile(r"archive/.+\.warc(?:\.gz)?", re.IGNORECASE)
_ZIP_NAMES = (  # names of parts, in lower case
    (re.compile(r"word/document\d*\.xml"), "docx"),
    (re.compile(r"meta-inf/container\.xml"), "epub"),
    (CRAWL_IN_WACZ, "wacz"),
    (re.compile(r"xl/workbook\.xml"), "Excel workbook"),
    (re.compile(r"ppt/presentation\.xml"), "PowerPoint presentation"),
    (re.compile(r"content\.xml"), "odt"),
    (re.compile(r".+\.fb2"), "fb2"),
)
_MAIN_PARTS = (
    (b"word/document.xml", "docx"),
    (b"xl/workbook.xml", "Excel workbook"),
    (b"ppt/presentation.xml", "PowerPoint presentation"),
)
_LOCAL_HEADER = b"PK\x03\x04"
_DEFLATED = 8
_END_OF_ZIP = b"PK\x05\x06"
_END_OF_ZIP_BYTES = 65_600
_MOST_MEMBERS = 20_000
_TYPES_BYTES = 1 << 20
_BY_NAME = {
    "md": "markdown", "markdown": "markdown", "mdown": "markdown", "mdwn": "markdown", "mkd": "markdown",
    "mkdn": "markdown", "mkdown": "markdown", "mdx": "markdown", "qmd": "markdown", "rmd": "markdown",
    "adoc": "asciidoc", "asciidoc": "asciidoc", "asc": "asciidoc",
}  # fmt: skip
"""Ending of the name -> format. Light markup is not detected from the content: a wrong guess would change the
fingerprint of a plain text."""
_TEXTS = frozenset({*_BY_NAME, "txt", "text", "rst", "org", "textile", "wiki", "tex", "log", "csv", "tsv"})
"""Endings of names of texts, which can begin with a tag and contain others."""
_TEXT_NAMES = frozenset({"readme", "changelog", "contributing", "copying"})

_CONTROL = bytes((*range(0x07), *range(0x10, 0x1B), *range(0x1C, 0x20), 0x7F))  # texts can contain the others
_BEFORE_ROOT = re.compile(
    r"\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE(?:[^\[>\"']|\"[^\"]*\"|'[^']*')*(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE
)
_MHTML = re.compile(
    r"(?:(?!Content-Type:)[\w-]{1,60}:[^\n]{0,2000}\n(?:[ \t][^\n]{0,2000}\n){0,50}){0,50}"
    r"Content-Type:[ \t]*multipart/related;[^\n]{0,500}(?:\n[ \t][^\n]{0,500}){0,10}",
    re.IGNORECASE,
)
_OUTERMOST = r"<!DOCTYPE\s+html\b[^>]*>\s*+(?=<[a-z])|<(?:html|head)\b[^>]*>\s*+<[a-z!]|<body\b[^>]*>"
_START_OF_PAGE = re.compile(f"(?:{_OUTERMOST})", re.IGNORECASE)
_PAGE = re.compile(f"(?:{_OUTERMOST}(?=.*</(?:body|html)>))", re.DOTALL | re.IGNORECASE)
_RAW_TEXT = re.compile(r"<(/?)(script|style|textarea|title|xmp)\b[^<>]*(?<!/)>")
_HTML_DOCTYPE = re.compile(r"<!DOCTYPE\s+html\b", re.IGNORECASE)
_XML_START = re.compile(r"[\ufeff\s]*+(<\?xml\s|<!DOCTYPE\s|(?:(?><!--.*?-->)\s*+)*+<[^\s>]+\s[^>]*xmlns)", re.DOTALL)
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


def check_names(**given: object) -> None:
    """Check that arguments are str or None.

    Raises:
        TypeError: one is of another type; the message names it.
    """
    for name, value in given.items():
        if not isinstance(value, str | None):
            raise TypeError(f"{name} is {type(value).__name__}; expected a str")


def detect(data: bytes, name: str | None = None, media_type: str | None = None) -> str:
    """Return the format of a document (SD-EXTRACT-10).

    Args:
        data: the document or its first 64 KiB. A ZIP file may need more: up to the member that identifies its format.
        name: name of the document. Its extension decides between plain text, Markdown and AsciiDoc, and between these
            and a web page that begins with words.
        media_type: the type that the transport declares, such as "text/html". It decides before the name.

    Returns:
        A format that is read, for example "html", or the name of one that is not, such as "PNG image". "empty" means no
        bytes, "binary data" binary content of unknown format.

    Raises:
        TypeError: the data are not bytes, or another argument is not a str.

    >>> detect(b"%PDF-1.7"), detect(b"plain words", "notes.md")
    ('pdf', 'markdown')
    """
    if not isinstance(data, bytes | bytearray):
        raise TypeError(f"data is {type(data).__name__}; expected bytes")
    check_names(name=name, media_type=media_type)
    if not data:
        return "empty"
    head = data[:_HEAD]
    is_complete = len(data) < _HEAD
    if head.startswith(_LOCAL_HEADER):
        return _zip_format(data)
    path = (name or "").lower()
    if _is_warc(head, path):
        return "warc"
    if _MBOX.match(gzip_head(head, 2048) if head.startswith(GZIP_MAGIC) else head):
        return "mbox"
    if _is_pdf(head):
        return "pdf"
    text = _decode_head(head)
    for pattern, document_format in _MAGIC:
        if pattern.match(head):
            return document_format
    if _POST_SCRIPT.match(head) and (_is_binary(text) or _POST_SCRIPT_CODE.search(head)):
        return "PostScript"
    found = _RTF.match(text.removeprefix("\ufeff"))
    if found and (found[1] or text.rstrip("\0\r\n\t ").endswith("}") or _is_short(head) or _has_control_words(text)):
        return "rtf"
    ending = path.rpartition(".")[2]
    is_text = ending in _TEXTS or path.rpartition("/")[2] in _TEXT_NAMES
    if markup := _markup_format(text, is_text, is_complete):
        return markup
    if mail := _mail_format(text, path, media_type, is_text):
        return mail
    if _is_binary(text):
        return "binary data"
    if type_of_page(name, media_type) and _TAG.search(text):
        return "html"
    return _BY_NAME.get(ending, "text")


_MAIL_TYPES = frozenset({"message/rfc822", "message/global"})
_HEADERS = re.compile(r"(?:[!-9;-~]{1,76}:[^\n]{0,9000}\n(?:[ \t][^\n]{0,9000}\n){0,500}){1,500}?(?=\r?\n|\Z)")
_LOCATION = re.compile(r"^(?:Snapshot-)?Content-Location:", re.MULTILINE | re.IGNORECASE)
_NAMES = re.compile(r"^([!-9;-~]{1,76}):", re.MULTILINE)
_ADDRESSED = frozenset({"to", "cc", "bcc", "received", "return-path", "delivered-to", "message-id", "reply-to"})
_SENT_FOR_PROGRAMS = frozenset({"received", "mime-version"})  # a text can quote the others
_SENT = _SENT_FOR_PROGRAMS | {"date", "message-id"}


def _mail_format(text: str, path: str, media_type: str | None, is_text: bool) -> str | None:
    """Return "eml" or "mhtml" for a message in MIME, or None. Parts of a saved page have addresses of the web."""
    is_archive = _MHTML.match(text) is not None and _LOCATION.search(text) is not None
    headers = _HEADERS.match((text if "\n" in text else text.replace("\r", "\n")).lstrip("\ufeff\r\n"))
    if not headers or path.endswith((".mht", ".mhtml")):
        return "mhtml" if is_archive else None
    names = {name.lower() for name in _NAMES.findall(headers[0])}
    is_declared = media_type in _MAIL_TYPES or path.endswith(".eml")
    sent = _SENT_FOR_PROGRAMS if is_text else _SENT
    is_mail = "from" in names and not names.isdisjoint(sent) and not names.isdisjoint(_ADDRESSED)
    if is_archive and not path.endswith(".eml"):
        return "mhtml"
    if is_mail or is_declared:
        return "eml"
    return "mhtml" if _MHTML.match(text) else None


_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_PAGE_NAME = re.compile(r"[^?#]*\.(?:x?html?|shtml|xht)(?:[?#].*)?", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(?:/?[a-z][a-z0-9]*[\s>/]|!--|!doctype)", re.IGNORECASE)


def type_of_page(name: str | None, media_type: str | None) -> str | None:
    """Return how a document is declared to be a web page, by its media type or by its name; None if it is not.

    >>> type_of_page("page.HTM", None), type_of_page("page.html", "text/plain")
    ('its name ends with .HTM', None)
    """
    if media_type:
        return f"its type is {media_type}" if media_type in _PAGE_TYPES else None
    if name and _PAGE_NAME.fullmatch(name):
        path = re.split("[?#]", name, maxsplit=1)[0]
        return f"its name ends with {path[path.rindex('.') :]}"
    return None


def _is_binary(text: str) -> bool:
    encoded = text.encode("utf-8", "replace")
    return "\0" in text or len(encoded) - len(encoded.translate(None, _CONTROL)) > len(text) // 50


def _is_pdf(head: bytes) -> bool:
    """Return True if the first bytes of a document are a PDF, perhaps damaged or after junk, and no text about PDF."""
    found = _PDF.search(head, 0, 1024)
    if not found:
        return False
    if _PDF_OBJECT.search(head, found.end()):
        is_quoted = found.start() > 0 or found[1]
        lacks_end = len(head) < _HEAD and b"%%EOF" not in head[-100:]
        return not (is_quoted and lacks_end and not _is_binary(_decode_head(head)))
    return (not found.start() and _is_binary(_decode_head(head))) or (
        _is_line_start(head, found.start()) and _is_short(head[found.end() :])
    )


def _is_line_start(head: bytes, position: int) -> bool:
    return position == 0 or head[position - 1 : position] in (b"\n", b"\r")


def _is_short(rest: bytes) -> bool:
    return len(_WORD.findall(rest[:1000])) < _FEW


def _has_control_words(text: str) -> bool:
    return len(_CONTROL_WORD.findall(text)) > _FEW


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
    if (document_format := next(found, "")) or _END_OF_ZIP in data[-_END_OF_ZIP_BYTES:]:
        return document_format or "ZIP archive"
    written = data.replace(b"\\", b"/").lower()  # a truncated or damaged archive
    return next((form for name, form in _MAIN_PARTS if name in written), "ZIP archive")


def is_wacz(source: BinaryIO) -> bool:
    """Return True if a file is a ZIP archive with WARC files in the folder of a WACZ file. It is read again after."""
    import zipfile  # not above: most documents are no archives

    from simhash_doc_extraction.zip_directory import ZIP_DAMAGE, check_entries

    place = source.tell()
    try:
        check_entries(source)
        with zipfile.ZipFile(source) as archive:
            return any(map(CRAWL_IN_WACZ.fullmatch, archive.namelist()))
    except LimitExceededError:
        return True  # its reader says so
    except (*ZIP_DAMAGE, OSError):
        return False
    finally:
        source.seek(place)


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
    if method != _DEFLATED:
        return content
    with suppress(zlib.error):
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, _TYPES_BYTES)
    return b""


def _is_warc(head: bytes, path: str) -> bool:
    """Return True if `head`, the first bytes of a file, is the start of a WARC or ARC file, compressed or not.

    The first record of a file with the name of one can be damaged, and other bytes can be before it.
    """
    is_named = path.removesuffix(".gz").endswith((".warc", ".arc"))
    if is_named and find_record(head, members=True) >= 0:
        return True
    if head.startswith(GZIP_MAGIC):
        head = gzip_head(head, 2048)
    return _WARC.match(head) is not None or (is_named and head.startswith((b"WARC/", b"filedesc://")))


def _markup_format(text: str, is_text: bool, is_complete: bool) -> str | None:
    """Return the format that the root element implies, or None if the text does not begin with an element.

    A document with the name of a text is only a page with `html`, `head` or `body`, and only XML if nothing follows it.
    A text can begin with another tag, and mention one such as `script` that would hide the rest of a page.
    """
    position = 0
    if is_text and not _begins_page(text, is_complete) and not _is_xml(text):
        return None
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
        if tag in _DOCBOOK_ROOTS and _DOCBOOK.search(start):
            return "docbook"
        is_page = tag.lower() in ("html", "head", "body") or not (is_complete and _hides_rest(text))
        return "html" if is_page else None
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
    if declared or position or prefix or "xmlns" in attributes or "<article-meta" in start:
        return "xml"
    is_xml = f"</{tag}>" in text[-2000:] if is_complete else _is_well_formed(text)
    return "xml" if is_xml else None


def _hides_rest(text: str) -> bool:
    """Return True if a tag whose content is no mark-up is not closed."""
    last = {found[2]: found[1] for found in _RAW_TEXT.finditer(text.lower())}
    return "" in last.values()


def _begins_page(text: str, is_complete: bool) -> bool:
    """Return True if a text begins with the outermost elements of a page."""
    position = 0
    while found := _BEFORE_ROOT.match(text, position):
        if _HTML_DOCTYPE.match(found[0]):
            break
        position = found.end()
    return (_PAGE if is_complete else _START_OF_PAGE).match(text, position) is not None


def _is_xml(text: str) -> bool:
    """Return True if a text is XML, as far as it is given, with a declaration or a namespace."""
    declared = _XML_START.match(text)
    if not declared:
        return False
    return _is_well_formed(text[declared.start(1) :])


def _is_well_formed(text: str) -> bool:
    """Return True if a text is well-formed XML, as far as it is given."""
    from xml.parsers import expat  # not above: most documents are no XML

    parser = expat.ParserCreate("utf-8")
    try:
        parser.Parse(text.lstrip("\ufeff \t\r\n").encode("utf-8", "replace"), False)
    except expat.ExpatError:
        return False
    return True


def _decode_head(head: bytes) -> str:
    """Decode the first bytes of a document without guessing the encoding: the fallback is Latin-1."""
    if wide := marked_or_wide(head):
        encoding, start = wide
        return head[start:].decode(encoding, "replace")
    return head.decode("utf-8", "replace") if is_utf8(head) else head.decode("latin-1")


def parse_content_type(value: str) -> tuple[str, str | None]:
    """Return the media type and the charset of a Content-Type header, in lower case."""
    media_type, *parameters = value.lower().split(";")
    for parameter in parameters:
        key, _, charset = parameter.partition("=")
        if key.strip() == "charset":
            return media_type.strip(), charset.strip(" \"'") or None
    return media_type.strip(), None
