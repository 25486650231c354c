"""Reads the parts of a DOCX file that hold text: WordprocessingML and DrawingML (ECMA-376, transitional and strict)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from simhash_doc_extraction.docx_styles import FALSE, Styles, is_on
from simhash_doc_extraction.docx_symbols import as_letters, symbol
from simhash_doc_extraction.parts import Losses, send_events
from simhash_doc_extraction.text_builder import TextBuilder

_NAMESPACES = (  # the ends of namespaces: transitional and strict
    ("w", ("/wordprocessingml/2006/main", "/wordprocessingml/main", "/word/2003/wordml")),
    ("a", ("/drawingml/2006/main", "/drawingml/main")),
    ("m", ("/officeDocument/2006/math", "/officeDocument/math", "/office/omml/2004/12")),
    ("c", ("/drawingml/2006/chart", "/drawingml/chart", "/drawing/2012/chart")),
    ("cx", ("/drawing/2014/chartex",)),
    ("mc", ("/markup-compatibility/2006",)),
    ("v", ("urn:schemas-microsoft-com:vml",)),
    ("r", ("/officeDocument/2006/relationships", "/officeDocument/relationships")),
)
_UNDERSTOOD = (
    "http://schemas.microsoft.com/office/",
    "http://schemas.openxmlformats.org/",
    "http://purl.oclc.org/ooxml/",
)
"""Starts of the namespaces for which the reader takes the newer of alternative contents, as Word does."""

_BLOCKS = frozenset({"p", "tc", "tr", "tbl", "txbxContent", "footnote", "endnote", "pt", "tx", "txData", "textpath"})
_DROPPED = frozenset(
    # Deleted text, and the old place of moved text. The old properties of what was formatted. Ruby annotations.
    "w:del w:moveFrom w:rt w:sectPr w:rPrChange w:pPrChange w:tblPrChange w:trPrChange w:tcPrChange w:sdtPr "
    "a:rPr a:pPr a:endParaRPr m:ctrlPr".split()
)
_TEXTS = frozenset({"w:t", "a:t", "m:t"})
_VALUES = frozenset({"c:v", "cx:v", "cx:pt"})  # in caches
_LITERALS = frozenset({("c:tx", "c:v"), ("c:trendline", "c:name")})
_MARKS = {"w:footnoteReference": "footnote", "w:endnoteReference": "endnote"}
_CACHES = frozenset({"strCache", "strLit", "multiLvlStrCache", "dlblRangeCache", "strDim", "txData"})
"""Elements of a chart with the strings that it shows. Numbers are not text."""
_CHARACTERS = {
    "w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "a:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "\u2011",
    "w:softHyphen": "\u00ad",
}  # fmt: skip


@lru_cache(maxsize=4096)
def _names(tag: str) -> tuple[str, str]:
    """Return the name with a short prefix for its namespace, such as "w:p", or without one if unknown; and "p"."""
    namespace, _, local = tag.rpartition(" ")
    prefix = next((prefix for prefix, ends in _NAMESPACES if namespace.endswith(ends)), "")
    return f"{prefix}:{local}" if prefix else local, local


@dataclass(slots=True)
class _Paragraph:
    """The properties of a paragraph: its style, the list and the level in it, and whether the next one continues it."""

    style: str = ""
    list: str = ""
    level: str = "0"
    joins: bool = False


@dataclass(slots=True)
class _Run:
    """The properties of a run of text."""

    vanish: bool | None = None
    style: str = ""
    font: str = ""
    custom_mark: bool = False  # what follows is the sign of a note


@dataclass(slots=True)
class _Field:
    """A field: its code comes first, its result after a separator."""

    code: list[str] = field(default_factory=list)
    in_code: bool = True
    has_result: bool = False
    choices: list[str] = field(default_factory=list)
    choice: int = 0


@dataclass(slots=True)
class Reading:
    """What the parts of a document share while they are read.

    Attributes:
        losses: counts what is not read.
        styles: the styles, of which some hide text.
        labels: the texts before the items of lists, if they hold words, by list and level.
        hidden: characters of text that are formatted as hidden.
        gone: the marks of notes in deleted or hidden text, as pairs of the kind and the id.
        kept: the marks of notes in other text.
    """

    losses: Losses
    styles: Styles = field(default_factory=Styles)
    labels: dict[tuple[str, str], str] = field(default_factory=dict)
    hidden: int = 0
    gone: set[tuple[str, str]] = field(default_factory=set)
    kept: set[tuple[str, str]] = field(default_factory=set)


Show = Callable[[str, str, TextBuilder], None]
"""Adds the text of the part with a relationship, from its id and the name of the element that refers to it."""


class DocxStory:
    """Takes the events of a part, and adds its text."""

    def __init__(self, reading: Reading, show: Show, builder: TextBuilder) -> None:
        self._reading = reading
        self._show = show
        self._builder = builder
        self._codes = TextBuilder()  # takes text inside the code of a field
        self._out = builder
        self._path: list[str] = []
        self._dropped_at = 0  # depth of the element whose content is left out, or 0
        self._began = False  # whether its start was taken before
        self._is_hidden = False  # whether it is left out because it is hidden
        self._texts = 0
        self._caches = 0
        self._joins = False  # the end of the last paragraph does not end a block
        self._paragraphs: list[_Paragraph] = []
        self._tables: list[str] = []  # the styles of the tables around
        self._runs: list[_Run] = []
        self._fields: list[_Field] = []
        self._taken: list[bool] = []  # for each alternative content around whether a choice was taken
        self._prefixes: dict[str, str] = {}

    def read(self, data: bytes, part: str) -> None:
        """Add the text of a part."""
        send_events(data, part, self)
        self._codes.end_block()
        self._builder.end_block()
        self._builder.blocks += self._codes.blocks  # the field has no end, so that its code is not known

    def namespace(self, prefix: str | None, uri: str) -> None:
        self._prefixes[prefix or ""] = uri

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name, local = _names(tag)
        path = self._path
        path.append(name)
        values = {_names(key)[1]: value for key, value in attributes.items()} if attributes else attributes
        if self._dropped_at:
            if name in _MARKS:
                self._reading.gone.add((_MARKS[name], values.get("id", "")))
            return
        parent = path[-2] if len(path) > 1 else ""
        if levels := self._left_out(name, parent, values):
            if name in _MARKS:
                self._reading.gone.add((_MARKS[name], values.get("id", "")))
            self._dropped_at = len(path) + 1 - levels
            self._began = levels > 1
            return
        if local in _BLOCKS:
            if not (local == "p" and self._joins):
                self._out.end_block()
            self._joins = False
        elif name in _CHARACTERS:
            self._out.add(_CHARACTERS[name])
        self._texts += name in _TEXTS
        self._caches += local in _CACHES
        if begin := _BEGINNINGS.get(name):
            begin(self, values)
        for key, value in attributes.items():
            if _names(key)[0].startswith("r:"):
                self._show(value, local, self._out)

    def end(self, tag: str) -> None:
        depth = len(self._path)
        del self._path[-1]
        if self._dropped_at:
            if depth != self._dropped_at:
                return
            self._dropped_at, self._is_hidden = 0, False
            if not self._began:
                return
        name, local = _names(tag)
        self._texts -= name in _TEXTS
        self._caches -= local in _CACHES
        if ending := _ENDINGS.get(name):
            ending(self)
        elif local in _BLOCKS:
            self._end_block()

    def text(self, characters: str) -> None:
        name = self._path[-1]
        if self._dropped_at:
            if self._is_hidden and name in _TEXTS:
                self._reading.hidden += len(characters)
        elif self._texts or (self._caches and name in _VALUES) or tuple(self._path[-2:]) in _LITERALS:
            if self._runs:
                characters = as_letters(characters, self._runs[-1].font)
            if self._fields:
                self._fields[-1].has_result = True
            self._out.add(characters)
        elif name == "w:instrText" and self._fields:
            self._fields[-1].code.append(characters)

    def _left_out(self, name: str, parent: str, values: dict[str, str]) -> int:
        """Return how many elements, from this one outwards, end before the text goes on; 0 to read this one."""
        run = self._runs[-1] if self._runs else None
        if parent in ("w:trPr", "w:tcPr") and name in ("w:del", "w:cellDel"):
            return 3  # the row or the cell
        if parent in ("w:rPr", "w:pPr", "w:numPr", "w:tblPr"):
            self._note_property(name, parent, values)
            return 0 if parent == "w:pPr" and name in ("w:rPr", "w:numPr") else 1
        if name in _DROPPED:
            return 1
        if run and parent in ("w:r", "m:r") and name not in ("w:rPr", "m:rPr", "w:fldChar"):
            self._is_hidden = self._hides(run)
            return int(self._is_hidden or (run.custom_mark and name in ("w:t", "w:sym")))
        if name == "mc:Choice":
            understood = all(map(self._is_understood, values.get("Requires", "").split()))
            if understood and self._taken and not self._taken[-1]:
                self._taken[-1] = True
                return 0
            return 1
        if name == "mc:Fallback":
            return int(self._taken[-1:] == [True])
        local = name.rpartition(":")[2]
        if local in ("docPr", "cNvPr") and values.get("hidden", "0").lower() not in FALSE:
            self._is_hidden = True
            return 3 if parent.rpartition(":")[2].startswith("nv") else 2  # the drawing, or the shape in it
        style = values.get("style", "").replace(" ", "").lower() if name.startswith("v:") else ""
        if "visibility:hidden" in style or "display:none" in style:
            self._is_hidden = True
            return 1
        if name in ("w:footnote", "w:endnote"):
            mark = (local, values.get("id", ""))
            is_gone = mark in self._reading.gone and mark not in self._reading.kept
            return int(is_gone or values.get("type", "normal") != "normal")
        return 0

    def _note_property(self, name: str, parent: str, values: dict[str, str]) -> None:
        """Note a property of a run, a paragraph or a table."""
        if parent == "w:tblPr":
            if name == "w:tblStyle" and self._tables:
                self._tables[-1] = values.get("val", "")
        elif parent in ("w:pPr", "w:numPr") or self._path[-3:-2] == ["w:pPr"]:
            if not self._paragraphs:
                return
            if name == "w:pStyle":
                self._paragraphs[-1].style = values.get("val", "")
            elif name == "w:numId":
                self._paragraphs[-1].list = values.get("val", "")
            elif name == "w:ilvl":
                self._paragraphs[-1].level = values.get("val", "")
            elif name in ("w:del", "w:moveFrom", "w:vanish"):  # the mark at the end of the paragraph
                self._paragraphs[-1].joins = is_on(values)
            elif name == "w:framePr" and values.get("dropCap", "none") != "none":
                self._paragraphs[-1].joins = True  # a first letter set large
        elif self._runs:
            run = self._runs[-1]
            if name == "w:vanish":
                run.vanish = is_on(values)
            elif name == "w:rStyle":
                run.style = values.get("val", "")
            elif name == "w:rFonts":
                run.font = values.get("ascii") or values.get("hAnsi") or ""

    def _hides(self, run: _Run) -> bool:
        if run.vanish is not None:
            return run.vanish
        styles = self._reading.styles
        paragraph = self._paragraphs[-1].style if self._paragraphs else ""
        return styles.hide(paragraph or styles.default_paragraph, run.style, *self._tables[-1:])

    def _is_understood(self, prefix: str) -> bool:
        return self._prefixes.get(prefix, "").startswith(_UNDERSTOOD)

    def _end_block(self) -> None:
        self._joins = False
        self._out.end_block()

    def _begin_paragraph(self, values: dict[str, str]) -> None:
        self._paragraphs.append(_Paragraph())

    def _end_paragraph(self) -> None:
        paragraph = self._paragraphs.pop()
        if self._out.inline and self._reading.labels:
            place = (
                (paragraph.list, paragraph.level) if paragraph.list else self._reading.styles.list_of(paragraph.style)
            )
            if label := self._reading.labels.get(place):
                self._reading.losses.add("numbers of lists with words not read", label)
        if paragraph.joins:
            self._joins = True
        else:
            self._end_block()

    def _begin_table(self, values: dict[str, str]) -> None:
        self._tables.append("")

    def _end_table(self) -> None:
        self._tables.pop()
        self._end_block()

    def _begin_run(self, values: dict[str, str]) -> None:
        self._runs.append(_Run())

    def _end_run(self) -> None:
        self._runs.pop()

    def _begin_alternatives(self, values: dict[str, str]) -> None:
        self._taken.append(False)

    def _end_alternatives(self) -> None:
        self._taken.pop()

    def _add_symbol(self, values: dict[str, str]) -> None:
        font = values.get("font") or (self._runs[-1].font if self._runs else "")
        self._out.add(symbol(font, values.get("char", "")))

    def _add_word_art(self, values: dict[str, str]) -> None:
        self._out.add(values.get("string"))

    def _keep_footnote(self, values: dict[str, str]) -> None:
        self._keep_note("footnote", values)

    def _keep_endnote(self, values: dict[str, str]) -> None:
        self._keep_note("endnote", values)

    def _keep_note(self, kind: str, values: dict[str, str]) -> None:
        self._reading.kept.add((kind, values.get("id", "")))
        if self._runs:
            self._runs[-1].custom_mark = values.get("customMarkFollows", "0").lower() not in FALSE

    def _take_field(self, values: dict[str, str]) -> None:
        kind = values.get("fldCharType")
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].in_code = False
        shown = self._field_without_result(self._fields.pop()) if kind == "end" and self._fields else ""
        in_code = any(one.in_code for one in self._fields)
        if not in_code:
            self._codes = TextBuilder()
        self._out = self._codes if in_code else self._builder
        self._out.add(shown)

    def _field_without_result(self, found: _Field) -> str:
        """Return what a field shows that has no result: its text is in its code."""
        code = "".join(found.code).split()
        if found.choices and not found.has_result:
            return found.choices[min(found.choice, len(found.choices) - 1)]
        if not found.in_code or not code:
            return ""
        if code[0].upper() in ("MACROBUTTON", "GOTOBUTTON"):
            return " ".join(code[2:])
        if code[0].upper() == "EQ":
            self._reading.losses.add("formulas in field codes not read", " ".join(code))
        return ""

    def _add_choice(self, values: dict[str, str]) -> None:
        if self._fields:
            self._fields[-1].choices.append(values.get("val", ""))

    def _choose(self, values: dict[str, str]) -> None:
        number = values.get("val", "")
        if self._fields and number.isascii() and number.isdigit() and len(number) < 6:
            self._fields[-1].choice = int(number)


_BEGINNINGS: dict[str, Callable[[DocxStory, dict[str, str]], None]] = {
    "w:p": DocxStory._begin_paragraph,
    "w:tbl": DocxStory._begin_table,
    "w:r": DocxStory._begin_run,
    "m:r": DocxStory._begin_run,
    "w:sym": DocxStory._add_symbol,
    "w:fldChar": DocxStory._take_field,
    "w:listEntry": DocxStory._add_choice,
    "w:result": DocxStory._choose,
    "w:footnoteReference": DocxStory._keep_footnote,
    "w:endnoteReference": DocxStory._keep_endnote,
    "v:textpath": DocxStory._add_word_art,
    "mc:AlternateContent": DocxStory._begin_alternatives,
}
_ENDINGS: dict[str, Callable[[DocxStory], None]] = {
    "w:p": DocxStory._end_paragraph,
    "w:tbl": DocxStory._end_table,
    "w:r": DocxStory._end_run,
    "m:r": DocxStory._end_run,
    "mc:AlternateContent": DocxStory._end_alternatives,
}
