"""Reads DOCX files (WordprocessingML, ECMA-376, transitional and strict), also as a single file of XML (flat OPC).

The reader follows the relationships of each part. A part that holds text is read where it is shown, or counted in a
warning. docs/reference/formats.md lists the places of text. Files and addresses that the document names are not opened.
"""

from __future__ import annotations

import base64
import posixpath
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from simhash_doc_extraction.base import (
    CorruptDocumentError,
    ExtractedText,
    ExtractionError,
    LimitExceededError,
    Limits,
    NoTextError,
)
from simhash_doc_extraction.detection import detect
from simhash_doc_extraction.docx_story import DocxStory, Reading
from simhash_doc_extraction.docx_styles import Styles, read_labels
from simhash_doc_extraction.mime import content_of, parse_message
from simhash_doc_extraction.parts import Losses, Parts, elements, resolved
from simhash_doc_extraction.text_builder import TextBuilder

_ZIP = b"PK\x03\x04"
_MOST_NESTED = 8
"""Documents inside documents, and parts inside parts, are read to this depth."""

# Kinds of relationships: the last segments of their types, in lower case.
_STORIES = frozenset({"footnotes", "endnotes", "diagramdata", "chart", "chartex", "chartusershapes", "subdocument"})
_EMBEDDED = frozenset({"oleobject", "package"})
_WITHOUT_TEXT = frozenset(
    # Running heads and feet, comments, metadata, formats, pictures, and copies of text that is read elsewhere.
    "header footer comments commentsextended commentsids commentsextensible people styles styleswitheffects settings "
    "websettings fonttable font numbering theme themeoverride glossarydocument attachedtemplate customxml "
    "customxmlprops image hyperlink diagramlayout diagramquickstyle diagramstyle diagramcolors diagramdrawing "
    "printersettings keymapcustomizations vbaproject wordvbadata attachedtoolbars recipientdata mailmergesource "
    "mailmergeheadersource transform frame chartstyle chartcolorstyle chartcolors package video audio media "
    "thumbnail svg wdp hdphoto oleobject activexcontrolbinary documenttasks".split()
)


def read_docx(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read a DOCX file: body, tables, text boxes, charts and inserted documents, then footnotes and endnotes.

    Tracked changes count as accepted. Hidden text, headers, footers, comments and field codes are left out.
    """
    builder = TextBuilder()
    losses = Losses()
    package = _Package(_parts(data, limits, losses), losses)
    package.add_text(builder)
    text = builder.text()
    hidden = package.reading.hidden
    warnings = (*package.missing, *losses.warnings())
    if hidden and not text:
        raise NoTextError("no text: all text of the document is hidden")
    if hidden > len(text):
        warnings += (f"hidden text is left out: {hidden:,} characters, more than are shown",)
    return ExtractedText(text, document_format, warnings=warnings)


_MAIN = "word/document.xml"
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]+")


def _parts(data: bytes, limits: Limits, losses: Losses) -> Parts:
    """Return the parts of a document: in a ZIP archive, in a single file of XML (flat OPC), or a file of Word 2003."""
    if data.startswith(_ZIP):
        return Parts.of_zip(data, limits, losses)
    if b"<!ENTITY" in data:
        raise CorruptDocumentError("the document declares an entity: entities are not allowed in this format")
    from lxml import etree  # in the extra `extract`

    from simhash_doc_extraction.xml import parse_xml

    root, _ = parse_xml(data)
    contents: dict[str, bytes] = {}
    for part in root.iter("{*}part"):
        values = {etree.QName(key).localname: value for key, value in part.attrib.items()}
        name = values.get("name", "").lstrip("/")
        for content in part.iter("{*}xmlData", "{*}binaryData"):
            if etree.QName(content).localname == "binaryData":
                contents[name] = _from_base64("".join(content.itertext()))
            elif len(content):
                contents[name] = etree.tostring(content[0], encoding="utf-8", with_tail=False)
            break
    if not contents:
        relation = f'<Relationships><Relationship Id="a" Type="x/officeDocument" Target="{_MAIN}"/></Relationships>'
        contents = {"_rels/.rels": relation.encode(), _MAIN: etree.tostring(root, encoding="utf-8")}
    return Parts.of_contents(contents, limits)


def _from_base64(text: str) -> bytes:
    """Return the bytes that a text in base64 stands for, as far as possible if its end is missing."""
    letters = _NOT_BASE64.sub("", text)
    return base64.b64decode(letters[: len(letters) - (len(letters) % 4 == 1)] + "==")


@dataclass(frozen=True, slots=True)
class _Relation:
    """A relationship: its kind, the part that it refers to, and whether that is in another file."""

    kind: str
    target: str
    external: bool


class _Package:
    """A document with its parts.

    Attributes:
        parts: the parts.
        reading: what they share while they are read.
        missing: a warning for each part with notes that is not in the archive.
    """

    def __init__(self, parts: Parts, losses: Losses, depth: int = 0) -> None:
        self.parts = parts
        self.reading = Reading(losses)
        self.missing: list[str] = []
        self._depth = depth
        self._read: set[str] = set()
        self._texts: dict[str, bool] = {}

    def add_text(self, builder: TextBuilder) -> None:
        """Add the text of the document: the main part, with what it shows of others, then the notes.

        Raises:
            CorruptDocumentError: there is no main part, or it cannot be read.
        """
        package = self.relations("")
        main = next((found.target for found in package.values() if found.kind == "officedocument"), None)
        if (main is None or main not in self.parts) and _MAIN in self.parts:
            self.reading.losses.add("parts are missing", main or "_rels/.rels")
            main = _MAIN
        if main is None:
            raise CorruptDocumentError("the DOCX file has no main document: its part _rels/.rels does not name one")
        relations = self.relations(main)
        for found in relations.values():
            if found.kind in ("styles", "numbering") and found.target in self.parts:
                self._take_formats(found.kind, found.target)
        self._read.add(main)
        DocxStory(self.reading, partial(self._show, relations), builder).read(self.parts.read(main), main)
        notes = sorted(
            (found for found in relations.values() if not found.external),
            key=lambda found: found.kind != "footnotes",
        )
        for found in notes:
            if found.kind not in ("footnotes", "endnotes"):
                self._count_text(found)
            elif found.target in self.parts:
                self._add_part(found.target, builder)
            else:
                self.missing.append(f"notes are missing: the archive has no part {found.target!r}")

    def relations(self, part: str) -> dict[str, _Relation]:
        """Return the relationships of a part, by their ids."""
        folder, file = posixpath.split(part)
        name = posixpath.join(folder, "_rels", f"{file}.rels")
        if name not in self.parts:
            return {}
        found: dict[str, _Relation] = {}
        for tag, values in elements(self.parts.read(name), name):
            if tag == "Relationship":
                target = resolved(part or "/", values.get("Target", ""))
                external = values.get("TargetMode", "Internal") == "External" or target is None
                kind = values.get("Type", "").rstrip("/").rpartition("/")[2].lower()
                relation = _Relation(kind, values.get("Target", "") if target is None else target, external)
                found.setdefault(values.get("Id", f"without id {len(found)}"), relation)
        return found

    def _take_formats(self, kind: str, part: str) -> None:
        try:
            if kind == "styles":
                self.reading.styles = Styles.of(self.parts.read(part), part)
            else:
                self.reading.labels = read_labels(self.parts.read(part), part)
        except CorruptDocumentError:
            self.reading.losses.add("damaged parts not read", part)

    def _show(self, relations: dict[str, _Relation], name: str, element: str, builder: TextBuilder) -> None:
        """Add the text of a part where an element refers to it, or count it as not read."""
        if not (relation := relations.get(name)):
            if element in ("altChunk", "subDoc", "chart"):
                self.reading.losses.add("parts are missing", name)
            return
        kind, target = "afchunk" if element == "altChunk" else relation.kind, relation.target
        if kind == "package" and element == "externalData":
            return  # the table of a chart, which has a copy of the strings that it shows
        if kind in _EMBEDDED:
            self.reading.losses.add("embedded objects not read", target)
        elif kind == "control":
            self.reading.losses.add("form controls not read", target)
        elif kind in _WITHOUT_TEXT:
            return
        elif relation.external:
            self.reading.losses.add("inserted documents in other files not read", target)
        elif target not in self.parts:
            self.reading.losses.add("parts are missing", target)
        elif kind == "afchunk":
            self._add_document(target, builder)
        elif kind in _STORIES or self._holds_text(target):
            # A chart repeats the names of its categories in each of its series.
            self._add_part(target, builder, once=kind in ("chart", "chartex"))

    def _add_part(self, part: str, builder: TextBuilder, *, once: bool = False) -> None:
        """Add the text of another part, at most once; with `once`, also each of its blocks."""
        if part in self._read:
            return
        if self._depth >= _MOST_NESTED:
            self.reading.losses.add("parts nested too deeply not read", part)
            return
        self._read.add(part)
        self._depth += 1
        own = TextBuilder()
        try:
            show = partial(self._show, self.relations(part))
            DocxStory(self.reading, show, own).read(self.parts.read(part), part)
        except CorruptDocumentError:
            self.reading.losses.add("damaged parts not read", part)
        finally:
            self._depth -= 1
        builder.end_block()
        builder.blocks += dict.fromkeys(own.blocks) if once else own.blocks

    def _add_document(self, part: str, builder: TextBuilder) -> None:
        """Add the text of a document in another format that is inserted (ECMA-376, altChunk)."""
        if part in self._read:
            return
        self._read.add(part)
        data = self.parts.read(part)
        document_format = _format_of(data, part)
        try:
            if document_format == "docx" and self._depth < _MOST_NESTED:
                inner = _parts(data, self.parts.limits, self.reading.losses)
                inner.left = self.parts.left
                package = _Package(inner, self.reading.losses, self._depth + 1)
                builder.end_block()
                package.add_text(builder)
                self.parts.left = inner.left
                self.reading.hidden += package.reading.hidden
                self.missing += package.missing
            else:
                builder.end_block()
                builder.blocks += filter(None, [_other_document(data, document_format, self.parts.limits)])
        except LimitExceededError:
            raise
        except ExtractionError:
            self.reading.losses.add("inserted documents not read", part)

    def _holds_text(self, part: str) -> bool:
        """Return True if a part is XML with elements of text."""
        if part not in self._texts:
            self._texts[part] = False
            with suppress(CorruptDocumentError):
                self._texts[part] = any(tag == "t" for tag, _ in elements(self.parts.read(part), part))
        return self._texts[part]

    def _count_text(self, relation: _Relation) -> None:
        """Count a part of an unknown kind that holds text and that nothing in the document refers to."""
        known = _STORIES | _EMBEDDED | _WITHOUT_TEXT | {"afchunk", "control"}
        part = relation.target
        if relation.kind not in known and part not in self._read and part in self.parts and self._holds_text(part):
            self.reading.losses.add("parts of unknown kinds not read", part)


_INSERTED = frozenset({"rtf", "text", "xml"})
_BY_NAME = {"htm": "html", "html": "html", "xhtml": "html", "mht": "mhtml", "mhtml": "mhtml"}


def _format_of(data: bytes, part: str) -> str:
    """Return the format of an inserted document. A fragment of a web page or a mail can look like text."""
    found = detect(data, part)
    return _BY_NAME.get(part.rpartition(".")[2].lower(), found) if found in ("text", "mhtml") else found


def _other_document(data: bytes, document_format: str, limits: Limits) -> str:
    """Return the text of an inserted document, all of it, without looking for the article on a page."""
    from simhash_doc_extraction import UnsupportedFormatError, get_reader
    from simhash_doc_extraction.html.reader import read_part

    if document_format == "mhtml":
        pages = (part for part in parse_message(data.lstrip()).walk() if part.get_content_type().endswith("html"))
        if (page := next(pages, None)) is None:
            raise CorruptDocumentError("an inserted archive holds no page")
        data, is_damaged = content_of(page)
        if is_damaged:
            raise CorruptDocumentError("an inserted archive is damaged")
    if document_format in ("html", "mhtml"):
        return read_part(data)
    if document_format not in _INSERTED:
        raise UnsupportedFormatError(f"an inserted document is {document_format}")
    return get_reader(document_format)(data, document_format, limits).text
