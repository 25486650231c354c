"""Reads ODT: OpenDocument text (OASIS OpenDocument 1.0 to 1.4)."""

from __future__ import annotations

from simhash_doc.extract.errors import CorruptDocumentError, EncryptedDocumentError
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.office.parts import ZipArchive, elements, local_name, parse_events
from simhash_doc.extract.result import ExtractedText
from simhash_doc.extract.text_builder import TextBuilder

_CONTENT = "content.xml"
_MANIFEST = "META-INF/manifest.xml"
_BLOCKS = frozenset({"p", "h", "list-item", "table-cell", "table-row", "note", "note-body", "text-box", "section"})
# tracked-changes: deleted text. note-citation: numbers of notes. ruby-text: ruby annotations.
_DROPPED = frozenset(
    "tracked-changes annotation annotation-end note-citation ruby-text forms scripts font-face-decls automatic-styles "
    "sequence-decls variable-decls user-field-decls table-of-content-source index-title-template page-number "
    "page-count title desc script event-listeners".split()
)
_TEXT_NAMESPACE = ":xmlns:text:1.0"
_SVG_NAMESPACE = ":xmlns:svg-compatible:1.0"
_SPACES = {"s": " ", "tab": "\t", "line-break": "\n", "soft-page-break": ""}


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read an ODT file: body, tables, text boxes, and notes at their marks. Tracked changes count as accepted."""
    archive = ZipArchive(data, name=name, limits=limits)
    if _MANIFEST in archive:
        manifest = elements(archive.read(_MANIFEST), part=_MANIFEST, name=name)
        if any(tag == "encryption-data" for tag, _ in manifest):
            raise EncryptedDocumentError("the document is encrypted: save it without a password", name=name)
    if _CONTENT not in archive:
        raise CorruptDocumentError(f"the ODT file has no text: the archive has no part {_CONTENT!r}", name=name)
    builder = TextBuilder()
    _add(archive.read(_CONTENT), builder, name)
    return ExtractedText(builder.text(), document_format, name)


def _add(data: bytes, builder: TextBuilder, name: str | None) -> None:
    """Add the text of the content part, in blocks."""
    dropped = 0
    paragraphs = 0

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal dropped, paragraphs
        short = local_name(tag)
        # svg:title and svg:desc describe a picture and are not text; text:title is a field and is text.
        if dropped or (short in _DROPPED and (short not in ("title", "desc") or _has_namespace(tag, _SVG_NAMESPACE))):
            dropped += 1
            return
        if short in _BLOCKS:
            builder.end_block()
        if short in ("p", "h"):
            paragraphs += 1
        elif _has_namespace(tag, _TEXT_NAMESPACE):
            builder.add(_SPACES.get(short))

    def end(tag: str) -> None:
        nonlocal dropped, paragraphs
        short = local_name(tag)
        if dropped:
            dropped -= 1
            return
        if short in _BLOCKS:
            builder.end_block()
        if short in ("p", "h"):
            paragraphs -= 1

    def text(characters: str) -> None:
        if paragraphs and not dropped:
            builder.add(characters)

    parse_events(data, part=_CONTENT, name=name, start=start, end=end, text=text)


def _has_namespace(tag: str, namespace: str) -> bool:
    return tag.rpartition(" ")[0].endswith(namespace)
