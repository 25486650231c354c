"""Reads RTF (Microsoft, Rich Text Format Specification 1.9.1).

RTF is a stream of groups in braces. A control word at the start of a group can make it a destination, such as a note or
a table of fonts. Destinations with the mark `\\*` are skipped by readers that do not know them. The reader takes one
token after the other and keeps a stack of groups, so that time and memory are linear and nothing recurses.
docs/reference/formats.md lists the places of text. Files that the document names are not opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from simhash_doc_extraction.base import ExtractedText, LimitExceededError, Limits, NoTextError
from simhash_doc_extraction.docx_symbols import symbol
from simhash_doc_extraction.encoding import marked_or_wide
from simhash_doc_extraction.rtf.characters import ENCODING_WORDS
from simhash_doc_extraction.rtf.destinations import DESTINATIONS, PROPERTY_WORDS, Destinations
from simhash_doc_extraction.rtf.words import (
    BREAKS,
    CHARACTERS,
    ESCAPED,
    FORMATS,
    PARAGRAPH_MARKS,
    SILENT,
)

_TOKEN = re.compile(
    rb"\\(?:([A-Za-z]+)(-?[0-9]+)? ?|('[0-9A-Fa-f]{2}(?:\\'[0-9A-Fa-f]{2})*+)|([^A-Za-z]))"
    rb"|([{}])|([^\\{}\r\n\0]+)|[\r\n\0]+|\\",
    re.DOTALL,
)
_WORD, _NUMBER, _CODES, _SYMBOL, _BRACE, _TEXT = range(1, 7)
_MOST_DIGITS = 10
_MOST_NESTED = 250_000
_MOST_FALLBACK = 8
"""Bytes of the fallback of one character. A larger number is an error, by which the text behind would be lost."""
_NOT_IN_TABLES = {"fonttbl": ("pard", "par"), "colortbl": ("pard", "par"), "stylesheet": ("par",), "info": ("pard",)}
"""Words by which the body begins. They show that the brace at the end of a table is missing."""
_HEXADECIMAL = re.compile(r"[\s0-9A-Fa-f;]*")


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


class _Reader(Destinations):
    """Reads a document token by token.

    Attributes:
        warnings: what is wrong with the file.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.warnings: list[str] = []
        self._destination = ("", 0)  # the last one in shown text, and where it begins

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
        elif begin := DESTINATIONS.get(word):
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

    def _set_fallback(self, number: int | None) -> None:
        self._own().fallback = 1 if number is None or not 0 <= number <= _MOST_FALLBACK else number


def _unescaped(codes: bytes) -> bytes:
    """Return the bytes for numbers after the sign of an escape."""
    return bytes.fromhex(codes.translate(None, b"\\'").decode())


_HANDLERS: dict[str, Callable[[_Reader, int | None], None]] = {
    **ENCODING_WORDS,
    **PROPERTY_WORDS,
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
}
