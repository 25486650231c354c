"""What a document shows outside its text. Before a copy is deleted, this has to be equal, too.

A text leaves out boilerplate of a web page, running heads, senders of mail, pictures, and what only a form or a line
through words says. Two documents with equal texts can therefore differ. A digest is enough to tell them apart.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from simhash_doc_extraction.base import Limits
from simhash_doc_extraction.encoding import decoded
from simhash_doc_extraction.parts import Losses, Parts, elements, local_name, send_events

_STRUCK = frozenset({"del", "ins", "s", "strike", "sub", "sup"})
"""Elements of HTML that change what the words in them say."""

_ATTRIBUTES = {"iframe": "srcdoc", "img": "alt", "meter": "value", "progress": "value"}
_PAGES = ("text/html", "application/xhtml+xml")
_SENT = ("From", "Sender", "To", "Cc", "Date")
_RUNNING = re.compile(r"(?:.*/)?(?:header|footer)[0-9]*\.xml", re.IGNORECASE)
_STORY = re.compile(r"(?:.*/)?(?:document|footnotes|endnotes|content)[0-9]*\.xml", re.IGNORECASE)
_OFFICE_MARKS = frozenset(
    {"strike", "dstrike", "vertAlign", "ins", "del", "checked", "default", "result", "checkbox", "radio"}
)
_RTF_MARKS = re.compile(rb"\\(?:striked?|super|sub|headerf?|footerf?)(?![a-z])")
_MARKDOWN_MARKS = re.compile(
    r"\[[ xX]\]|!\[[^\[\]\n]*\]|~~+|(?m:^[ \t]*[0-9]+(?=[.)]))|\^|<[^<>\n]*>|\A---\n[^\0]*?\n---$", re.MULTILINE
)
_FULL_PAGE = 0.5  # of a page is covered by a picture, which then may be a scan of it


def remainder_of(data: bytes, document_format: str, text: str, limits: Limits) -> str:
    """Return a digest of what a document shows outside its text; empty if there is nothing, or no reader looks for it.

    It covers all words, form controls, alternative texts, struck and raised words of web pages; running heads, check
    boxes, struck and raised words of DOCX, ODT and RTF; senders, receivers, dates and parts of mail; check boxes and
    scans in PDF; tasks, numbers of lists and struck words of Markdown; attributes of XML. If it cannot be determined,
    it is the digest of the document.

    Args:
        data: the document.
        document_format: its format, as in `ExtractedText`.
        text: its text.
        limits: as for its text.
    """
    find = _FINDERS.get(document_format)
    if find is None:
        return ""
    try:
        shown = [piece for piece in find(data, text, limits) if piece]
    except Exception:
        shown = [hashlib.sha256(data).hexdigest()]
    return hashlib.sha256(repr(shown).encode()).hexdigest() if shown else ""


def _of_page(data: bytes, text: str, limits: Limits) -> Iterator[str]:
    from simhash_doc_extraction.html.tree import NEVER_TEXT, TEXT, parse_page

    tree = parse_page(data)
    body = range(tree.body, int(tree.ends[tree.body])) if tree.tags else range(0)
    never = tree.within(tree.having(NEVER_TEXT)).tolist() if tree.tags else []
    words = _packed("".join(tree.texts[at] for at in body if tree.tags[at] == TEXT and not never[at]))
    if words != _packed(text):
        yield words
    for at in body:
        tag, values = tree.tags[at], tree.attributes[at]
        if tag in _STRUCK:
            yield f"{tag} {_packed(tree.string(at))}"
        elif tag == "input" and values.get("type") != "hidden":
            yield f"input {values.get('value', '')} {'checked' in values}"
        elif tag == "textarea" or (tag == "option" and "selected" in values):
            yield f"{tag} {_packed(tree.string(at))}"
        elif tag in _ATTRIBUTES:
            yield values.get(_ATTRIBUTES[tag], "")


def _of_xml(data: bytes, text: str, limits: Limits) -> Iterator[str]:
    for _, attributes in elements(data, "document"):
        yield from attributes.values()


def _of_rtf(data: bytes, text: str, limits: Limits) -> Iterator[str]:
    if _RTF_MARKS.search(data):
        yield hashlib.sha256(data).hexdigest()


def _of_mail(data: bytes, text: str, limits: Limits) -> Iterator[str]:
    from simhash_doc_extraction.mime import content_of, parse_message

    message = parse_message(data.lstrip())
    yield from (f"{name} {_packed(str(message[name]))}" for name in _SENT if message[name])
    for part in message.walk():
        if not part.is_multipart():
            yield hashlib.sha256(content_of(part)[0]).hexdigest()


def _of_archive(data: bytes, text: str, limits: Limits) -> Iterator[str]:
    from simhash_doc_extraction.mime import content_of, parse_message

    for part in parse_message(data).walk():
        if part.get_content_type() in _PAGES:
            yield from _of_page(content_of(part)[0], text, limits)


class _Marks:
    """Collects the words of XML, and where marks stand among them."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.is_marked = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take a mark."""
        if (name := local_name(tag)) in _OFFICE_MARKS:
            self.is_marked = True
            self.pieces.append(f"<{name} {sorted(attributes.values())}>")

    def end(self, tag: str) -> None:
        """Ignore the end of an element."""

    def text(self, characters: str) -> None:
        """Take words."""
        self.pieces.append(_packed(characters))

    def namespace(self, prefix: str | None, uri: str) -> None:
        """Ignore a namespace."""


def _of_office(data: bytes, text: str, limits: Limits) -> Iterator[str]:
    parts = Parts.of_zip(data, limits, Losses())
    for name in sorted(parts):
        is_running = _RUNNING.fullmatch(name) is not None
        if is_running or _STORY.fullmatch(name):
            marks = _Marks()
            send_events(parts.read(name), name, marks)
            if is_running or marks.is_marked:
                yield "".join(marks.pieces)
        elif name == "styles.xml":  # of ODT: with the running heads
            yield from _running_heads(parts.read(name))


def _running_heads(styles: bytes) -> Iterator[str]:
    from lxml import etree  # in the extra `extract`

    from simhash_doc_extraction.xml import parse_xml

    root: etree._Element = parse_xml(styles)[0]
    for head in root.iter("{*}header", "{*}footer", "{*}header-first", "{*}footer-first"):
        yield _packed("".join(map(str, head.itertext())))


def _of_pdf(data: bytes, text: str, limits: Limits) -> Iterator[str]:
    import pypdfium2 as pdfium
    import pypdfium2.raw as raw

    document = pdfium.PdfDocument(data)
    try:
        for page in document:
            for at in range(raw.FPDFPage_GetAnnotCount(page)):
                annotation = raw.FPDFPage_GetAnnot(page, at)
                yield _bytes_of(raw.FPDFAnnot_GetStringValue, annotation, b"AS").decode("utf-16-le").rstrip("\0")
                raw.FPDFPage_CloseAnnot(annotation)
            least = _FULL_PAGE * page.get_width() * page.get_height()
            for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]):
                sides = [ctypes.c_float() for _ in range(4)]
                raw.FPDFPageObj_GetBounds(picture, *sides)
                left, bottom, right, top = (side.value for side in sides)
                if (right - left) * (top - bottom) >= least:
                    yield hashlib.sha256(_bytes_of(raw.FPDFImageObj_GetImageDataRaw, picture)).hexdigest()
            page.close()
    finally:
        document.close()


def _bytes_of(read: Any, *arguments: object) -> bytes:
    """Return what a function of PDFium writes into a buffer."""
    size = read(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size)
    read(*arguments, ctypes.cast(buffer, read.argtypes[-2]), size)
    return buffer.raw


def _of_markdown(data: bytes, text: str, limits: Limits) -> Iterator[str]:
    yield from _MARKDOWN_MARKS.findall(decoded(data)[0])


def _packed(text: str) -> str:
    return "".join(text.split())


_FINDERS: dict[str, Callable[[bytes, str, Limits], Iterable[str]]] = {
    "docx": _of_office,
    "eml": _of_mail,
    "html": _of_page,
    "markdown": _of_markdown,
    "mhtml": _of_archive,
    "odt": _of_office,
    "pdf": _of_pdf,
    "rtf": _of_rtf,
    "xml": _of_xml,
}
