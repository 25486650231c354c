"""The characters of an RTF document: groups, which say where text goes, and encodings, of fonts and of the document."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from simhash_doc_extraction.parts import Losses
from simhash_doc_extraction.rtf.state import Font, Group, RtfStory
from simhash_doc_extraction.rtf.words import SYMBOL_CHARSET, codec, codec_of_charset

_START = re.compile(rb"\s*\{\s*\\rtf")
_CONTINUATION = bytes(range(0x80, 0xC0))
_HIGH_BYTES = re.compile(rb"(?:\\'[89A-Fa-f][0-9A-Fa-f]|[\x80-\xff])+")
_WESTERN = "cp1252"
_NOT_WINDOWS = ("mac_roman", "cp437", "cp850")


class Characters:
    """Takes the characters of a document, in the state of the group in which they are.

    Attributes:
        losses: counts what is not read.
        hidden: characters of text that are formatted as hidden.
    """

    def __init__(self, data: bytes) -> None:
        self.losses = Losses()
        self.hidden = 0
        self._data = data
        self._at = 0
        self._root = 1 if _START.match(data) else 0  # the depth of the group that is the document
        self._body = RtfStory()
        self._group = Group(self._body, self._body.inline)
        self._around: list[Group] = []  # the groups around; one that changes nothing is the same object
        self._endings: list[tuple[int, Callable[[], None]]] = []  # what is done at the end of groups, with their depths
        self._codec = _WESTERN
        self._raw_codec = "utf-8" if _is_utf8(data) else None
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}
        self._open = ""  # the codec that may wait for the rest of a character
        self._fallback = 0  # bytes left of the fallback of a character
        self._fonts: dict[int, Font] = {}
        self._default_font = 0
        self._is_naive: bool | None = None  # whether the character sets of fonts say nothing; None before it is known
        self._shown = 0  # pieces of text in all stories

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

    def _collect(self, out: list[str] | None, *, story: RtfStory | None = None) -> None:
        """Send the text of the innermost group to a list, or nowhere, and that of destinations in it to a story."""
        group = self._own()
        group.out, group.story = out, story

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

    def _is_hidden(self) -> bool:
        return self._group.is_hidden or self._group.is_deleted

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


def _is_utf8(data: bytes) -> bool:
    """Return True if bytes over 7F are there, and all are UTF-8, whatever is declared (SD-EXTRACT-9)."""
    if data.isascii():
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


ENCODING_WORDS: dict[str, Callable[[Characters, int | None], None]] = {
    "mac": Characters._set_mac,
    "pc": Characters._set_pc,
    "pca": Characters._set_pca,
    "ansicpg": Characters._set_document_code_page,
    "deff": Characters._set_default_font,
    "f": Characters._set_font,
    "fcharset": Characters._set_charset,
    "cpg": Characters._set_code_page,
}
