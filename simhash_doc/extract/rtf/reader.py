"""Reads RTF (Microsoft, Rich Text Format Specification 1.9.1).

RTF is a stream of groups in braces. A control word at the start of a group can make it a destination, such as a note or
a table of fonts. Destinations with the mark `\\*` are skipped by readers that do not know them. The reader takes one
token after the other and keeps a stack of groups, so that time and memory are linear and nothing recurses.
docs/reference/formats.md lists the places of text. Files that the document names are not opened.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from simhash_doc.extract.base import ExtractedText, LimitExceededError, Limits, NoTextError
from simhash_doc.extract.docx_symbols import symbol
from simhash_doc.extract.encoding import marked_or_wide
from simhash_doc.extract.parts import Losses
from simhash_doc.extract.rtf.state import Field, Font, Group, Object, Shape, Story
from simhash_doc.extract.rtf.words import (
    BREAKS,
    CHARACTERS,
    ESCAPED,
    FORMATS,
    PARAGRAPH_MARKS,
    SILENT,
    SYMBOL_CHARSET,
    codec,
    codec_of_charset,
)

_TOKEN = re.compile(
    rb"\\(?:([A-Za-z]+)(-?[0-9]+)? ?|('[0-9A-Fa-f]{2}(?:\\'[0-9A-Fa-f]{2})*+)|([^A-Za-z]))"
    rb"|([{}])|([^\\{}\r\n\0]+)|[\r\n\0]+|\\",
    re.DOTALL,
)
_START = re.compile(rb"\s*\{\s*\\rtf")
_WORD, _NUMBER, _CODES, _SYMBOL, _BRACE, _TEXT = range(1, 7)
_MOST_DIGITS = 10
_MOST_NESTED = 250_000
_MOST_FALLBACK = 8
"""Bytes of the fallback of one character. A larger number is an error, by which the text behind would be lost."""
_NO_CHOICE = 25  # the result of a form that nobody filled in
_CONTINUATION = bytes(range(0x80, 0xC0))
_NOT_IN_TABLES = {"fonttbl": ("pard", "par"), "colortbl": ("pard", "par"), "stylesheet": ("par",), "info": ("pard",)}
"""Words by which the body begins. They show that the brace at the end of a table is missing."""
_HIGH_BYTES = re.compile(rb"(?:\\'[89A-Fa-f][0-9A-Fa-f]|[\x80-\xff])+")
_WESTERN = "cp1252"
_NOT_WINDOWS = ("mac_roman", "cp437", "cp850")
_HEXADECIMAL = re.compile(r"[\s0-9A-Fa-f;]*")
_NUMERAL = r"(?:[ivxlcdm]+|([a-z])\1+|[〇零一二三四五六七八九十百千]+)"
_LABEL = re.compile(rf"\b(?!{_NUMERAL}\b)[^\W\d_]{{2,}}", re.IGNORECASE)
_SYMBOL_FIELD = re.compile(r'\s*SYMBOL\s+(\d{1,5})(?:.*?\\f\s*"?([^"\\]+))?', re.IGNORECASE | re.DOTALL)


def read_rtf(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read an RTF file: text, tables, notes, text boxes and results of fields and objects.

    Tracked changes count as accepted. Hidden text, headers, footers, comments and field codes are left out.
    """
    if wide := marked_or_wide(data[:64]):
        data = data[wide[1] :].decode(wide[0], "replace").encode("utf-8")
    reader = _Reader(data)
    text = reader.read()
    # \u denotes UTF-16 code units, which can be halves of surrogate pairs.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    warnings = (*reader.warnings, *reader.losses.warnings())
    if reader.hidden and not text:
        raise NoTextError("no text: all text of the document is hidden")
    if reader.hidden > len(text):
        warnings += (f"hidden text is left out: {reader.hidden:,} characters, more than are shown",)
    return ExtractedText(text, document_format, warnings=warnings)


class _Reader:
    """Reads a document token by token.

    Attributes:
        losses: counts what is not read.
        hidden: characters of text that are formatted as hidden.
        warnings: what is wrong with the file.
    """

    def __init__(self, data: bytes) -> None:
        self.losses = Losses()
        self.hidden = 0
        self.warnings: list[str] = []
        self._data = data
        self._at = 0
        self._root = 1 if _START.match(data) else 0  # the depth of the group that is the document
        self._body = Story()
        self._group = Group(self._body, self._body.inline)
        self._around: list[Group] = []  # the groups around; one that changes nothing is the same object
        self._endings: list[tuple[int, Callable[[], None]]] = []  # what is done at the end of groups, with their depths
        self._destination = ("", 0)  # the last one in shown text, and where it begins
        self._codec = _WESTERN
        self._raw_codec = "utf-8" if _is_utf8(data) else None
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}
        self._open = ""  # the codec that may wait for the rest of a character
        self._fallback = 0  # bytes left of the fallback of a character
        self._fonts: dict[int, Font] = {}
        self._default_font = 0
        self._is_naive: bool | None = None  # whether the character sets of fonts say nothing; None before it is known
        self._shown = 0  # pieces of text in all stories
        self._fields: list[Field] = []
        self._objects: list[Object] = []
        self._shapes: list[Shape] = []
        self._twins: list[tuple[Group, list[str]]] = []  # \upr: what is around, and the text for old readers

    def read(self) -> str:
        """Return the text of the document."""
        data, end = self._data, len(self._data)
        before = b""  # the token before is the start of a group, or its mark
        while self._at < end:
            found = _TOKEN.match(data, self._at)
            assert found
            self._at = found.end()
            kind = found.lastindex
            if kind == _TEXT:
                if before and not found[_TEXT].isspace():
                    before = b""
                if self._group.out is not None:
                    self._take_text(found[_TEXT])
            elif kind == _BRACE:
                self._finish_character()
                self._fallback = 0
                before = found[_BRACE]
                if before == b"{":
                    if len(self._around) == _MOST_NESTED:
                        raise LimitExceededError(f"the RTF nests over {_MOST_NESTED:,} groups")
                    self._around.append(self._group)
                else:
                    before = b""
                    if self._around:
                        self._end_group()
                        if len(self._around) < self._root:
                            break
            elif kind == _CODES:
                before = b""
                if self._group.out is not None:
                    self._take_bytes(_unescaped(found[_CODES]), None)
            elif kind == _SYMBOL and found[_SYMBOL] == b"*":
                before = b"*" if before else b""
            elif kind is not None:
                word = (found[_WORD] or found[_SYMBOL]).decode("latin-1")
                number = found[_NUMBER]
                self._take_word(word, int(number[:_MOST_DIGITS]) if number else None, before)
                before = b""
        return self._ended()

    def _ended(self) -> str:
        """Return the text after the last token, and note what is wrong with the end of the file."""
        self._finish_character()
        if self._around:
            message = "the file does not end with a closing brace: it may be truncated"
            if self._group.story is None:
                word, start = self._destination
                message += f"; the last {len(self._data) - start:,} bytes are in \\{word}, which is not text"
            self.warnings.append(message)
        while self._around:
            self._end_group()
        if rest := self._data[self._at :].strip(b"\0\r\n\t \x1a}"):
            self.warnings.append(f"after the end of the document: {len(rest):,} bytes not read")
        return self._body.text()

    # Groups

    def _own(self) -> Group:
        """Return the state of the innermost group, which can be changed without changing those around."""
        if self._around and self._around[-1] is self._group:
            self._group = self._group.copy()
        return self._group

    def _at_end(self, action: Callable[[], None]) -> None:
        """Do something at the end of the innermost group."""
        self._endings.append((len(self._around), action))

    def _end_group(self) -> None:
        """End the innermost group."""
        while self._endings and self._endings[-1][0] == len(self._around):
            self._endings.pop()[1]()
        self._group = self._around.pop()

    def _collect(self, out: list[str] | None, *, story: Story | None = None) -> None:
        """Send the text of the innermost group to a list, or nowhere, and that of destinations in it to a story."""
        group = self._own()
        group.out, group.story = out, story

    # Characters

    def _add(self, text: str) -> None:
        group = self._group
        if group.out is None:
            return
        story = group.story
        is_shown = story is not None and group.out is story.inline
        if group.is_hidden or group.is_deleted:
            self.hidden += len(text) if is_shown and not group.is_deleted else 0
        elif story is None or not is_shown:
            group.out.append(text)
        else:
            self._shown += not text.isspace()
            story.put(text, raised=group.is_raised)

    def _font(self) -> Font | None:
        number = self._group.font
        return self._fonts.get(self._default_font if number is None else number)

    def _ignores_charsets(self) -> bool:
        """Return True if the writer declares every font as Western, and writes in the code page of the document.

        So do many programs that make reports. In Western texts, bytes over 7F hardly ever come in threes.
        """
        if self._group.in_fonts:
            return False
        if self._is_naive is None:
            others = any(font.codec and not font.is_western for font in self._fonts.values())
            sizes = [] if others else [len(run) - 3 * run.count(b"\\") for run in _HIGH_BYTES.findall(self._data)]
            self._is_naive = 2 * sum(size for size in sizes if size > 2) > sum(sizes)
        return self._is_naive or self._codec in _NOT_WINDOWS

    def _take_text(self, text: bytes) -> None:
        self._take_bytes(text, self._raw_codec)
        if self._open and self._at < len(self._data) and self._data[self._at] in b"\\{}":
            self._take_second_byte()

    def _take_bytes(self, text: bytes, encoding: str | None) -> None:
        """Add characters in an encoding, or else in that of the font or of the document."""
        if self._fallback:
            skipped = min(self._fallback, len(text))
            self._fallback -= skipped
            text = text[skipped:]
            if encoding == "utf-8":
                text = text.lstrip(_CONTINUATION)
        font = self._font()
        if font and font.is_symbol and not self._group.in_fonts:
            self._add("".join(map(font.symbols().__getitem__, text)))
            return
        if not encoding:
            is_ignored = font and font.is_western and self._codec != _WESTERN and self._ignores_charsets()
            encoding = (font and not is_ignored and font.codec) or self._codec
        if encoding != self._open:
            self._finish_character()
            if text.isascii():
                self._add(text.decode("ascii"))
                return
            self._open = encoding
        if encoding not in self._decoders:
            self._decoders[encoding] = codecs.getincrementaldecoder(encoding)("replace")
        if characters := self._decoders[encoding].decode(text):
            self._add(characters)

    def _finish_character(self) -> None:
        """Add what is left of an incomplete character."""
        if self._open:
            decoder = self._decoders[self._open]
            self._open = ""
            if rest := decoder.decode(b"", True):
                self._add(rest)
            decoder.reset()

    def _take_second_byte(self) -> None:
        r"""Take the second byte of a character that is written as \, { or }, which are also its signs."""
        decoder, at = self._decoders[self._open], self._at
        first = decoder.getstate()[0]
        if not first or self._data[at : at + 2] in (b"\\'", b"\\\\", b"\\{", b"\\}"):
            return
        byte = self._data[at : at + 1]
        try:
            (first + byte).decode(self._open)
        except UnicodeDecodeError:
            return
        self._add(decoder.decode(byte))
        self._at += 1

    # Control words

    def _take_word(self, word: str, number: int | None, before: bytes) -> None:
        """Take a control word or symbol, the first of a group if `before` is its brace or the mark ``*``."""
        if word in ESCAPED:
            if self._group.out is not None:
                self._take_bytes(word.encode(), None)
            return
        self._finish_character()
        if word == "bin":
            self._skip_binary(number or 0)
        elif (character := CHARACTERS.get(word)) is not None:
            if self._fallback:
                self._fallback -= 1
            else:
                self._add(character)
        elif word == "u":
            self._take_unicode(number)
        else:
            self._fallback = 0
            if self._group.story is None and word in _NOT_IN_TABLES.get(self._destination[0], ()):
                self._leave_table()
            if word in BREAKS:
                self._end_paragraph(word)
            elif handle := _HANDLERS.get(word):
                handle(self, number)
            elif len(self._around) > self._root:
                self._begin_destination(word, marked=before == b"*")

    def _begin_destination(self, word: str, *, marked: bool) -> None:
        if self._group.story is not None:
            self._destination = (word, self._at)
        if word in SILENT or (word.startswith("m") and word.endswith("Pr")):
            self._collect(None)
        elif begin := _DESTINATIONS.get(word):
            begin(self)
        elif marked and word not in FORMATS:
            text: list[str] = []
            if self._group.story is not None:
                self._at_end(lambda: self._count_unknown(word, "".join(text)))
            self._collect(text)

    def _count_unknown(self, word: str, text: str) -> None:
        if not _HEXADECIMAL.fullmatch(text):
            self.losses.add("destinations of unknown kinds not read", f"\\{word}")

    def _skip_binary(self, size: int) -> None:
        r"""Skip the data of \bin. After them, the group ends or goes on with a control word."""
        end = self._at + size
        if size > 0 and end < len(self._data) and self._data[end : end + 100].lstrip()[:1] in b"{}\\":
            self._at = end
        elif size > 0:
            self.losses.add("binary data that are not as long as stated", f"{size:,} bytes")
        self._fallback = max(self._fallback - 1, 0)

    def _take_unicode(self, number: int | None) -> None:
        if number is None:
            return
        number += 0x10000 if number < 0 else 0
        if 0xF020 <= number <= 0xF0FF:  # a position in a symbol font
            font = self._font()
            self._add(symbol("".join(font.name) if font else "", f"{number:x}"))
        else:
            self._add(chr(number) if 0 < number <= 0x10FFFF else "\ufffd")
        self._fallback = self._group.fallback

    def _end_paragraph(self, word: str) -> None:
        group = self._group
        if group.out is None or (word in PARAGRAPH_MARKS and (group.is_initial or self._is_hidden())):
            return  # after a hidden mark of its end, the paragraph goes on
        if group.story is not None and group.out is group.story.inline:
            group.story.end_block()
        else:
            group.out.append(" ")

    def _leave_table(self) -> None:
        """Go on with the text of the body after a table that has no end."""
        group = self._own()
        group.story, group.out, group.in_fonts = self._body, self._body.inline, False

    # Formats

    def _set_hidden(self, number: int | None) -> None:
        self._own().is_hidden = number != 0

    def _set_deleted(self, number: int | None) -> None:
        self._own().is_deleted = number != 0

    def _set_raised(self, number: int | None) -> None:
        self._own().is_raised = number != 0

    def _set_level(self, number: int | None) -> None:
        self._own().is_raised = False

    def _keep_mark(self, number: int | None) -> None:
        if self._group.story:
            self._group.story.keep_mark()

    def _set_plain(self, number: int | None) -> None:
        group = self._own()
        group.is_hidden = group.is_deleted = group.is_raised = False
        group.font = None

    def _set_initial(self, number: int | None) -> None:
        self._own().is_initial = number != 0

    def _set_paragraph(self, number: int | None) -> None:
        if self._group.is_initial:
            self._own().is_initial = False

    def _set_font(self, number: int | None) -> None:
        group = self._own()
        group.font = number or 0
        if group.in_fonts:
            self._fonts[group.font] = font = Font()
            group.out = font.name

    def _set_charset(self, number: int | None) -> None:
        font = self._font()
        if self._group.in_fonts and font:
            font.is_symbol = number == SYMBOL_CHARSET
            if not font.codec:
                font.codec = codec_of_charset(number or 0)
                font.is_western = not number

    def _set_code_page(self, number: int | None) -> None:
        font = self._font()
        if self._group.in_fonts and font:
            font.codec, font.is_western = codec(number or 0) or font.codec, font.is_western and not number

    def _set_fallback(self, number: int | None) -> None:
        self._own().fallback = 1 if number is None or not 0 <= number <= _MOST_FALLBACK else number

    def _set_default_font(self, number: int | None) -> None:
        self._default_font = number or 0

    def _set_document_code_page(self, number: int | None) -> None:
        self._codec = codec(number or 0) or self._codec

    def _set_mac(self, number: int | None) -> None:
        self._codec = "mac_roman"

    def _set_pc(self, number: int | None) -> None:
        self._codec = "cp437"

    def _set_pca(self, number: int | None) -> None:
        self._codec = "cp850"

    # Destinations

    def _begin_fonts(self) -> None:
        self._collect([])
        self._own().in_fonts = True

    def _begin_shown(self) -> None:
        """Show text in what is around, such as the result of a field."""
        group = self._own()
        group.out = None if group.story is None else group.story.inline

    def _begin_held(self) -> None:
        """Show only what destinations inside show."""
        self._own().out = None

    def _begin_note(self) -> None:
        around = self._group.story
        if around is None or self._is_hidden():
            self._collect(None)
            return
        around.drop_mark()
        story = Story(around, is_note=True)
        self._at_end(story.close)
        self._collect(story.inline, story=story)
        self._group.is_raised = False

    def _is_hidden(self) -> bool:
        return self._group.is_hidden or self._group.is_deleted

    def _begin_label(self) -> None:
        """Read the number of an item of a list if it holds words, such as "Article 1"."""
        around, text = self._group.copy(), list[str]()

        def end() -> None:
            self._group = around
            if _LABEL.search(label := "".join(text)):
                self._add(label + " ")

        if around.story is not None and around.out is around.story.inline:
            self._at_end(end)
        self._collect(text)

    def _begin_entry(self) -> None:
        """Count an entry of an index or a table of contents that is not hidden. Old programs show it in its place."""
        text: list[str] = []

        def end() -> None:
            if entry := "".join(text).strip():
                self.losses.add("entries of indexes not read", entry)

        if self._group.story is not None:
            self._at_end(end)
        self._collect(text)

    def _begin_twins(self) -> None:
        r"""Read text that is there twice (\upr): for readers without Unicode, and for others (\ud)."""
        around, text = self._group.copy(), list[str]()
        twins = (around, text)

        def end() -> None:
            if self._twins and self._twins[-1] is twins:  # without \ud
                self._twins.pop()
                self._group = around
                self._add("".join(text))

        self._twins.append(twins)
        self._at_end(end)
        self._collect(text)

    def _begin_unicode_twin(self) -> None:
        if self._twins:
            around, _ = self._twins.pop()
            self._collect(around.out, story=around.story)

    def _begin_field(self) -> None:
        found = Field(self._shown)
        around = self._group.copy()

        def end() -> None:
            self._fields.pop()
            if self._shown == found.shown and around.story is not None:
                self._group = around
                self._add(self._field_without_result(found))

        self._fields.append(found)
        self._at_end(end)

    def _begin_field_code(self) -> None:
        self._collect(self._fields[-1].code if self._fields else None)

    def _field_without_result(self, found: Field) -> str:
        """Return what a field shows that has no result: its text is in its code."""
        code = "".join(found.code)
        kind = code.split(maxsplit=1)[0].upper() if code.strip() else ""
        if found.choices:
            choice = found.default if found.choice is None else found.choice
            return "".join(found.choices[choice]) if 0 <= choice < len(found.choices) else ""
        if kind in ("MACROBUTTON", "GOTOBUTTON"):
            return " ".join(code.partition("\\*")[0].split()[2:])
        if kind == "SYMBOL" and (place := _SYMBOL_FIELD.match(code)):
            return symbol((place[2] or "").strip(), f"{int(place[1]):x}")
        if kind == "EQ":
            self.losses.add("formulas in field codes not read", code.strip())
        return ""

    def _begin_choice(self) -> None:
        text: list[str] = []
        if self._fields:
            self._fields[-1].choices.append(text)
        self._collect(text)

    def _choose(self, number: int | None) -> None:
        if self._fields and number != _NO_CHOICE:
            self._fields[-1].choice = number or 0

    def _choose_default(self, number: int | None) -> None:
        if self._fields:
            self._fields[-1].default = number or 0

    def _begin_object(self) -> None:
        if self._group.story is None or self._is_hidden():
            self._collect(None)
            return
        found = Object(self._shown)

        def end() -> None:
            self._objects.pop()
            if self._shown == found.shown:
                kind = "form controls not read" if found.is_control else "embedded objects not read"
                self.losses.add(kind, "".join(found.name).strip() or "object")

        self._objects.append(found)
        self._at_end(end)
        self._begin_held()

    def _begin_class(self) -> None:
        self._collect(self._objects[-1].name if self._objects else None)

    def _set_control(self, number: int | None) -> None:
        if self._objects:
            self._objects[-1].is_control = True

    def _begin_shape(self) -> None:
        around = self._group.story
        if around is None or self._is_hidden():
            self._collect(None)
            return
        shape = Shape(Story(around))
        self._shapes.append(shape)
        self._at_end(self._end_shape)
        self._collect(None, story=shape.story)
        self._group.is_raised = False

    def _end_shape(self) -> None:
        self._shapes.pop().story.close()

    def _begin_new_shape(self) -> None:
        if self._shapes:
            self._shapes[-1].is_new = True
        self._begin_held()

    def _begin_old_shape(self) -> None:
        if self._shapes and self._shapes[-1].is_new:
            self._collect(None)
        else:
            self._begin_shown()

    def _begin_property_name(self) -> None:
        if self._shapes:
            self._shapes[-1].property = []
            self._collect(self._shapes[-1].property)
        else:
            self._collect(None)

    def _begin_property_value(self) -> None:
        if not self._shapes or self._group.story is None:
            self._collect(None)
            return
        shape, story, text = self._shapes[-1], self._group.story, list[str]()

        def end() -> None:
            name, value = "".join(shape.property).strip(), "".join(text).strip()
            if name == "gtextUNICODE" and value:  # WordArt
                story.end_block()
                story.inline.append(value)
                story.end_block()
                self._shown += 1
            elif name == "fHidden":
                shape.story.is_hidden = value not in ("", "0")

        self._at_end(end)
        self._collect(text)

    def _count_subdocument(self, number: int | None) -> None:
        if self._group.story is not None:
            self.losses.add("documents in other files not read", f"file {number or 0}")


def _unescaped(codes: bytes) -> bytes:
    """Return the bytes for numbers after the sign of an escape."""
    return bytes.fromhex(codes.translate(None, b"\\'").decode())


def _is_utf8(data: bytes) -> bool:
    """Return True if bytes over 7F are there, and all are UTF-8, whatever is declared (SD-EXTRACT-9)."""
    if data.isascii():
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_HANDLERS: dict[str, Callable[[_Reader, int | None], None]] = {
    "mac": _Reader._set_mac,
    "pc": _Reader._set_pc,
    "pca": _Reader._set_pca,
    "ansicpg": _Reader._set_document_code_page,
    "deff": _Reader._set_default_font,
    "f": _Reader._set_font,
    "fcharset": _Reader._set_charset,
    "cpg": _Reader._set_code_page,
    "uc": _Reader._set_fallback,
    "plain": _Reader._set_plain,
    "pard": _Reader._set_paragraph,
    "dropcapli": _Reader._set_initial,
    "v": _Reader._set_hidden,
    "deleted": _Reader._set_deleted,
    "mvf": _Reader._set_deleted,
    "chftn": _Reader._keep_mark,
    "super": _Reader._set_raised,
    "up": _Reader._set_raised,
    "sub": _Reader._set_level,
    "nosupersub": _Reader._set_level,
    "ffres": _Reader._choose,
    "ffdefres": _Reader._choose_default,
    "objocx": _Reader._set_control,
    "subdocument": _Reader._count_subdocument,
}
_DESTINATIONS: dict[str, Callable[[_Reader], None]] = {
    "fonttbl": _Reader._begin_fonts,
    "footnote": _Reader._begin_note,
    "listtext": _Reader._begin_label,
    "pntext": _Reader._begin_label,
    "xe": _Reader._begin_entry,
    "tc": _Reader._begin_entry,
    "tcn": _Reader._begin_entry,
    "upr": _Reader._begin_twins,
    "ud": _Reader._begin_unicode_twin,
    "field": _Reader._begin_field,
    "fldinst": _Reader._begin_field_code,
    "fldrslt": _Reader._begin_shown,
    "formfield": _Reader._begin_held,
    "ffl": _Reader._begin_choice,
    "object": _Reader._begin_object,
    "objclass": _Reader._begin_class,
    "result": _Reader._begin_shown,
    "shp": _Reader._begin_shape,
    "shpinst": _Reader._begin_new_shape,
    "shpgrp": _Reader._begin_held,
    "shprslt": _Reader._begin_old_shape,
    "shptxt": _Reader._begin_shown,
    "sp": _Reader._begin_held,
    "sn": _Reader._begin_property_name,
    "sv": _Reader._begin_property_value,
    "do": _Reader._begin_shape,
    "dptxbxtext": _Reader._begin_shown,
    "shppict": _Reader._begin_held,
    "pict": _Reader._begin_held,
    "picprop": _Reader._begin_shape,
    "mmath": _Reader._begin_shown,
    "moMath": _Reader._begin_shown,
    "moMathPara": _Reader._begin_shown,
}
