"""Reads ODT files (OASIS OpenDocument 1.0 to 1.4), also as a single file of XML (flat ODF).

Charts, formulas and documents in it are read where they are shown; what is not read is counted in a warning.
docs/reference/formats.md lists the places of text. Files and addresses that the document names are not opened.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from functools import lru_cache

from simhash_doc_extraction.base import (
    CorruptDocumentError,
    EncryptedDocumentError,
    ExtractedText,
    Limits,
    NoTextError,
    UnsupportedFormatError,
)
from simhash_doc_extraction.parts import Losses, NotWellFormedError, Parts, elements, local_name, resolved, send_events
from simhash_doc_extraction.text_builder import TextBuilder

_ZIP = b"PK\x03\x04"
_CONTENT = "content.xml"
_STYLES = "styles.xml"
_MANIFEST = "META-INF/manifest.xml"
_NAMESPACE = re.compile(r":xmlns:([\w-]+):\d")
_MATHML = "http://www.w3.org/1998/Math/MathML"

_BLOCKS = frozenset(
    "text:p text:h text:list-item text:list-header table:table-cell table:table-row text:note text:note-body "
    "drawing:text-box text:section office:chart office:text office:spreadsheet office:presentation "
    "office:drawing".split()
)
_DROPPED = frozenset(
    # Deleted text, comments, numbers of notes, ruby annotations, page numbers, alternative texts, and templates.
    "text:tracked-changes office:annotation office:annotation-end text:note-citation text:ruby-text "
    "text:sequence-decls text:variable-decls text:user-field-decls text:dde-connection-decls text:page-number "
    "text:page-count text:script office:scripts office:event-listeners office:font-face-decls office:master-styles "
    "office:meta office:settings office:binary-data svg-compatible:title svg-compatible:desc "
    "text:index-title-template text:table-of-content-source text:illustration-index-source text:table-index-source "
    "text:object-index-source text:user-index-source text:alphabetical-index-source text:bibliography-source "
    "math:annotation math:annotation-xml table:covered-table-cell presentation:notes".split()
)
_TEXTS = frozenset("text:p text:h math:mi math:mn math:mo math:mtext math:ms".split())
_CHARACTERS = {"text:s": " ", "text:tab": "\t", "text:line-break": "\n"}
_WITH_LABEL = frozenset({"form:fixed-text", "form:checkbox", "form:radio", "form:frame", "form:listbox", "form:button"})
_WITH_VALUE = frozenset(
    "form:text form:textarea form:formatted-text form:number form:date form:time form:combobox".split()
)
_NUMBERED = frozenset(
    "text:list-style text:list-level-style-number text:outline-style text:outline-level-style text:list-item".split()
)
_WORDS = re.compile(r"[^\W\d_]{2,}")
_OTHER_BODIES = frozenset({"office:spreadsheet", "office:presentation", "office:drawing", "office:database"})


def read_odt(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read an ODT file: body, tables, text boxes, charts and objects, and notes at their marks.

    Tracked changes count as accepted. Hidden text, headers, footers and comments are left out.
    """
    losses = Losses()
    builder = TextBuilder()
    document = _Document(Parts.of_contents({_CONTENT: data}, limits), losses)
    objects: list[str] = []
    if data.startswith(_ZIP):
        document.parts = Parts.of_zip(data, limits, losses)
        try:
            objects = _objects(document.parts)
        except NotWellFormedError:
            losses.add("damaged parts not read", _MANIFEST)
        if _CONTENT not in document.parts:
            raise CorruptDocumentError(f"the ODT file has no text: the archive has no part {_CONTENT!r}")
    if document.add_text("", builder) in _OTHER_BODIES:
        raise UnsupportedFormatError("no text can be read from OpenDocument other than text content")
    for name in objects:
        if name not in document.mentioned:
            losses.add("embedded objects not read", name)
    text = builder.text()
    warnings = losses.warnings()
    if document.hidden and not text:
        raise NoTextError("no text: all text of the document is hidden")
    if document.hidden > len(text):
        warnings += (f"hidden text is left out: {document.hidden:,} characters, more than are shown",)
    return ExtractedText(text, document_format, warnings=warnings)


def _objects(parts: Parts) -> list[str]:
    """Return the folders of the documents inside a document.

    Raises:
        EncryptedDocumentError: the document needs a password.
    """
    if _MANIFEST not in parts:
        return []
    found: list[str] = []
    for tag, values in elements(parts.read(_MANIFEST), _MANIFEST):
        if tag == "encryption-data":
            raise EncryptedDocumentError("the document is encrypted: save it without a password")
        folder = values.get("full-path", "").strip("/")
        if folder and values.get("media-type", "").startswith("application/vnd.oasis.opendocument."):
            found.append(folder)
    return found


@dataclass(slots=True)
class _Styles:
    """The styles of a document, as far as they hide text: by the family and the name of each."""

    display: dict[tuple[str, str], str] = field(default_factory=dict)
    labels: dict[tuple[str, str], str] = field(default_factory=dict)  # words in the numbers of lists, by name and level
    parents: dict[tuple[str, str], str] = field(default_factory=dict)

    def hides(self, family: str, name: str) -> bool | None:
        """Return whether a style hides its text; None if neither it nor those above it say so."""
        seen: set[str] = set()
        while name not in seen:
            if display := self.display.get((family, name)):
                return display in ("none", "false")
            seen.add(name)
            name = self.parents.get((family, name), "")
        return None


@dataclass(slots=True)
class _Document:
    """A document with its parts.

    Attributes:
        parts: the parts.
        losses: counts what is not read.
        mentioned: the folders of the objects that the document shows or hides.
        hidden: characters of hidden text.
    """

    parts: Parts
    losses: Losses
    mentioned: set[str] = field(default_factory=set)
    hidden: int = 0

    def add_text(self, folder: str, builder: TextBuilder) -> str:
        """Add the text of the document in a folder, "" for the outer one. Return the name of its kind of content."""
        styles = _Styles()
        content = _Content(self, folder, styles, builder)
        if (part := posixpath.join(folder, _STYLES)) in self.parts:
            try:
                send_events(self.parts.read(part), part, _Content(self, folder, styles, TextBuilder(), common=True))
            except NotWellFormedError:
                self.losses.add("damaged parts not read", part)
        part = posixpath.join(folder, _CONTENT)
        send_events(self.parts.read(part), part, content)
        builder.end_block()
        return content.kind

    def add_object(self, base: str, href: str, builder: TextBuilder) -> None:
        """Add the text of an object, such as a chart, which is the document in a folder."""
        target = resolved(posixpath.join(base, _CONTENT), href)
        if target is None or (href.startswith("..") and not base):
            self.losses.add("objects in other files not read", href)
            return
        if target in self.mentioned:
            return
        self.mentioned.add(target)
        if posixpath.join(target, _CONTENT) not in self.parts:
            self.losses.add("embedded objects not read", target)
            return
        own = TextBuilder()
        try:
            kind = self.add_text(target, own)
        except CorruptDocumentError:
            self.losses.add("damaged parts not read", target)
            return
        if kind == "math:math":
            builder.add(f" {' '.join(own.blocks)} ")
            return
        builder.end_block()
        # A chart has each of its strings in its table, and some again in titles.
        builder.blocks += dict.fromkeys(own.blocks) if kind == "office:chart" else own.blocks


@lru_cache(maxsize=4096)
def _short(tag: str) -> str:
    """Return the name of an element with a short prefix for its namespace, such as "text:p"; without one if unknown."""
    namespace, _, name = tag.rpartition(" ")
    found = _NAMESPACE.search(namespace)
    prefix = found[1] if found else "math" if namespace == _MATHML else ""
    return f"{prefix}:{name}" if prefix else name


class _Content:
    """Takes the events of a part, and adds its text.

    Attributes:
        kind: the first element in the body, such as "office:text"; "math:math" for a formula.
    """

    def __init__(
        self, document: _Document, folder: str, styles: _Styles, builder: TextBuilder, *, common: bool = False
    ) -> None:
        self.kind = ""
        self._document = document
        self._folder = folder
        self._styles = styles
        self._builder = builder
        self._common = common  # only the styles with names are of interest
        self._path: list[str] = []
        self._dropped_at = 0  # depth of the element whose content is left out, or 0
        self._is_hidden = False  # whether it is left out because it is hidden
        self._texts = 0
        self._charts = 0
        self._style = ("", "")
        self._lists: list[str] = []  # the styles of the lists around
        self._hides: list[bool] = [False]  # for each paragraph and span around whether its text is hidden
        self._marks: list[tuple[int, int, int]] = []  # for each paragraph its depth, and how much was before it
        self._sections: list[tuple[str, int]] = []  # for each section around the file that it is from, and the same
        self._controls: dict[str, list[str]] = {}
        self._control: list[str] | None = None  # takes the text of the control around
        self._listbox: list[str] = []

    def namespace(self, prefix: str | None, uri: str) -> None:
        """Do nothing: names have namespaces."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = _short(tag)
        path = self._path
        path.append(name)
        values = {local_name(key): value for key, value in attributes.items()}
        if self._dropped_at:
            if name == "drawing:object" and (target := resolved(f"{self._folder}/{_CONTENT}", values.get("href", ""))):
                self._document.mentioned.add(target)
            return
        if self._left_out(name, values):
            self._dropped_at = len(path)
            return
        if not self.kind and (name == "math:math" or path[-2:-1] == ["office:body"]):
            self.kind = name
        if name in _BLOCKS:
            self._end_block()
        if name in _CHARACTERS and self._texts:
            self._add(_CHARACTERS[name])
        if name in ("text:p", "text:h"):
            hidden = self._hides[-1] or bool(self._styles.hides("paragraph", values.get("style-name", "")))
            self._marks.append((len(path), len(self._builder.blocks), len(self._hides)))
            self._hides.append(hidden)
            if name == "text:h":
                self._count_label("", values.get("outline-level", "1"))
        elif name in ("text:span", "text:a"):
            hides = self._styles.hides("text", values.get("style-name", ""))
            self._hides.append(self._hides[-1] if hides is None else hides)
        elif name == "text:section":
            self._sections.append(("", len(self._builder.blocks)))
        elif name == "text:section-source" and self._sections:
            self._sections[-1] = values.get("href", ""), self._sections[-1][1]
        elif name == "text:hidden-paragraph" and values.get("is-hidden") == "true" and self._marks:
            self._hide_paragraph()
        elif name == "text:list":
            self._lists.append(values.get("style-name", self._lists[-1] if self._lists else ""))
        elif name in _NUMBERED:
            self._take_number(name, values)
        elif name.startswith(("style:", "form:")):
            self._take_definition(name, values)
        elif name.startswith("drawing:"):
            self._take_shape(name, values)
        self._charts += name == "office:chart"
        self._texts += name in _TEXTS

    def end(self, tag: str) -> None:
        depth = len(self._path)
        name = self._path.pop()
        if self._dropped_at:
            if depth != self._dropped_at:
                return
            self._dropped_at, self._is_hidden = 0, False
            if not self._marks or self._marks[-1][0] != depth:
                return  # its start was not taken
        self._charts -= name == "office:chart"
        self._texts -= name in _TEXTS
        if name in _BLOCKS:
            self._end_block()
        if name in ("text:p", "text:h"):
            del self._hides[self._marks.pop()[2] :]
        elif name in ("text:span", "text:a"):
            self._hides.pop()
        elif name == "text:list":
            self._lists.pop()
        elif name == "text:number":
            self._add(" ")
        elif name == "text:section":
            source, before = self._sections.pop()
            if source and len(self._builder.blocks) == before:
                self._document.losses.add("linked sections not read", source)
        elif name in _WITH_VALUE:
            self._control = None

    def text(self, characters: str) -> None:
        if self._dropped_at or not self._texts:
            self._document.hidden += len(characters.strip()) if self._is_hidden else 0
        elif self._hides[-1]:
            self._document.hidden += len(characters.strip())
        else:
            self._add(characters)

    def _add(self, characters: str) -> None:
        if self._control is not None:
            self._control += [characters] * (not self._control[0])  # its paragraphs repeat its value
        elif not self._hides[-1]:
            self._builder.add(characters)

    def _end_block(self) -> None:
        if self._control is None:
            self._builder.end_block()
        else:
            self._control.append(" ")

    def _left_out(self, name: str, values: dict[str, str]) -> bool:
        """Return True if an element, with all that is in it, is not read."""
        if name in _DROPPED or (name == "office:automatic-styles" and self._common):
            return True
        self._is_hidden = self._is_not_shown(name, values)
        if self._is_hidden or not self._charts:
            return self._is_hidden
        return name == "table:table-cell" and values.get("value-type", "string") != "string"

    def _is_not_shown(self, name: str, values: dict[str, str]) -> bool:
        if name == "text:section":
            display = values.get("display", "true")
            return display == "none" or (display == "condition" and values.get("is-hidden") == "true")
        if name.startswith("text:") and values.get("display") == "none":
            return True  # a field
        if name == "text:hidden-text":
            return values.get("is-hidden") == "true"
        if name in ("table:table-row", "table:table-row-group", "table:table-rows"):
            return values.get("visibility") in ("collapse", "filter") or values.get("display") == "false"
        if name == "table:table":
            return bool(self._styles.hides("table", values.get("style-name", "")))
        return name.startswith("drawing:") and values.get("display") == "none"

    def _take_number(self, name: str, values: dict[str, str]) -> None:
        """Take the style of numbers of lists or of headings, or a part that has a number."""
        if name in ("text:list-style", "text:outline-style"):
            self._style = "list", values.get("name", "") if name == "text:list-style" else ""
        elif name == "text:list-item":
            self._count_label(self._lists[-1] if self._lists else "", str(len(self._lists)))
        elif _WORDS.search(label := values.get("num-prefix", "") + values.get("num-suffix", "")):
            self._styles.labels[self._style[1], values.get("level", "1")] = label

    def _count_label(self, style: str, level: str) -> None:
        if label := self._styles.labels.get((style, level)):
            self._document.losses.add("numbers of lists with words not read", label)

    def _take_definition(self, name: str, values: dict[str, str]) -> None:
        """Take a style, or a control of a form."""
        if name == "style:style":
            self._style = values.get("family", ""), values.get("name", "")
            self._styles.parents[self._style] = values.get("parent-style-name", "")
            self._styles.display.pop(self._style, None)
        elif name == "style:default-style":
            self._style = values.get("family", ""), ""
        elif name in ("style:text-properties", "style:table-properties"):
            if (display := values.get("display")) and self._path[-2] in ("style:style", "style:default-style"):
                self._styles.display[self._style] = display
        elif name in _WITH_LABEL or name in _WITH_VALUE:
            shown = values.get("label") if name in _WITH_LABEL else values.get("current-value", values.get("value"))
            self._controls[values.get("id", "")] = self._control = [shown or ""]
            if name not in _WITH_VALUE:
                self._listbox, self._control = self._control, None
        elif name == "form:option" and "true" in (values.get("current-selected"), values.get("selected")):
            self._listbox.append(values.get("label", ""))

    def _take_shape(self, name: str, values: dict[str, str]) -> None:
        """Take a shape that can hold text in another part or in an attribute."""
        href = values.get("href", "")
        if name == "drawing:control":
            self._builder.end_block()
            self._add(" ".join(self._controls.get(values.get("control", ""), [])))
            self._builder.end_block()
        elif self._hides[-1]:
            return
        elif name == "drawing:object" and href:
            self._document.add_object(self._folder, href, self._builder)
        elif name == "drawing:object-ole":
            self._document.losses.add("embedded objects not read", href or "in the document itself")
        elif name == "drawing:floating-frame":
            self._document.losses.add("frames of other documents not read", href)

    def _hide_paragraph(self) -> None:
        """Leave out the paragraph around, with what it holds."""
        depth, blocks, _ = self._marks[-1]
        self._document.hidden += sum(map(len, self._builder.blocks[blocks:])) + sum(map(len, self._builder.inline))
        del self._builder.blocks[blocks:]
        self._builder.inline.clear()
        self._dropped_at, self._is_hidden = depth, True
