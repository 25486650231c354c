"""PDF files as from a typesetting program: columns, running heads, page numbers, hyphenation, ligatures.

They are written without a library, because the output of a library changes with its version. All characters of Courier
have the same width, so lines can be measured without a font.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from generators.formats.work import Part, Work, Written, around

_WIDTH, _HEIGHT = 612, 792  # points
_LEFT, _TOP, _BOTTOM = 54, 720, 72
_SIZE, _LEADING = 9, 12
_LIGATURES = {"fi": "\x01", "fl": "\x02"}  # codes in the encoding of the font
_VOWELS = set("aeiouyäöüàâéèêëîïôûù")


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of the pages of a PDF."""

    columns: int
    characters: int  # in a line of a column
    spaced: bool = True  # False for scripts without spaces, set in full-width characters

    @property
    def column_width(self) -> float:
        """The width of a column, in points."""
        return (_WIDTH - 2 * _LEFT) / self.columns


ONE_COLUMN = Layout(1, 90)
THREE_COLUMNS = Layout(3, 26)
FULL_WIDTH = Layout(1, 12, spaced=False)  # large print: several pages


def pdf(work: Work, layout: Layout) -> Written:
    """Return a work as a PDF."""
    lines = list(_lines(work, layout))
    rows = (_TOP - _BOTTOM) // _LEADING
    columns = [lines[at : at + rows] for at in range(0, len(lines), rows)]
    head = f"{work.site} - collected essays of the year, volume with corrections"
    contents = [
        _page(columns[at : at + layout.columns], head, 1 + at // layout.columns, layout)
        for at in range(0, len(columns), layout.columns)
    ]
    heads = around("running head", "\n".join([head] * len(contents)))
    return Written(_file(contents, layout, work.title), (heads,), tuple(_broken(lines)) if layout.spaced else ())


def scanned() -> Written:
    """Return a PDF with one page that has no text, only a black rectangle."""
    return Written(_file([b"0 g 100 100 300 400 re f"], ONE_COLUMN, "Scan"))


def _lines(work: Work, layout: Layout) -> Iterator[str]:
    for part in work.parts:
        for block in _blocks(part):
            yield from filled(block, layout) if layout.spaced else _split(block, layout.characters)
        yield ""


def _broken(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each word that a line end breaks."""
    for line, following in pairwise(lines):
        if re.search(r"[^\W\d_]-$", line):
            start, end = line.rpartition(" ")[2], following.partition(" ")[0]
            yield f"{start.removesuffix('-')}{end}", f"{start} {end}"


def _blocks(part: Part) -> list[str]:
    if part.role == "code":
        return part.text.splitlines()
    # In a narrow column, a row of a table is printed as a list of its cells.
    return [block for block in part.text.replace("\t", "; ").splitlines() if block]


def filled(text: str, layout: Layout) -> Iterator[str]:
    """Yield the lines of a block, with words hyphenated at line ends."""
    line = ""
    for word in text.split(" "):
        rest = word
        while rest:
            room = layout.characters - len(line) - bool(line)
            if len(rest) <= room:
                line = f"{line} {rest}" if line else rest
                rest = ""
                continue
            at = _break(rest, room - 1)
            if at:
                line, rest = f"{line} {rest[:at]}-" if line else f"{rest[:at]}-", rest[at:]
            elif not line:
                line, rest = rest[:room], rest[room:]
            yield line
            line = ""
    if line:
        yield line


def _break(word: str, room: int) -> int:
    """Return the position, at most `room`, at which a lower-case word can be hyphenated, or 0 if there is none."""
    if not re.fullmatch(r"[^\W\d_]{5,}[.,;:]?", word) or word != word.lower():
        return 0
    for at in range(min(room, len(word) - 3), 1, -1):
        before, after = word[at - 1] in _VOWELS, word[at + 1] in _VOWELS
        # Before one consonant between vowels, or between two.
        if word[at] not in _VOWELS and after and (before or word[at - 2] in _VOWELS):
            return at
    return 0


def _split(text: str, characters: int) -> Iterator[str]:
    for at in range(0, len(text), characters):
        yield text[at : at + characters]


def _page(columns: list[list[str]], head: str, number: int, layout: Layout) -> bytes:
    commands = [b"BT /F1 8 Tf %d %d Td %s Tj ET" % (_LEFT, _HEIGHT - 40, string(head, layout, 1))]
    for at, lines in enumerate(columns):
        x = _LEFT + at * layout.column_width
        commands.append(b"BT /F%d %d Tf %d TL %.1f %d Td" % (1 if layout.spaced else 2, _SIZE, _LEADING, x, _TOP))
        commands += [string(line, layout) + b" Tj T*" for line in lines]
        commands.append(b"ET")
    commands.append(b"BT /F1 8 Tf %d 36 Td %s Tj ET" % (_WIDTH // 2, string(f"- {number} -", layout, 1)))
    return b"\n".join(commands)


def string(text: str, layout: Layout, font: int | None = None) -> bytes:
    """Return a string in the encoding of its font."""
    if font is None and not layout.spaced:
        return b"<" + text.encode("utf-16-be").hex().encode("ascii") + b">"
    for letters, code in _LIGATURES.items():
        text = text.replace(letters, code)
    encoded = b"".join(c.encode("ascii") if c in "\x01\x02" else c.encode("cp1252", "replace") for c in text)
    return b"(" + re.sub(rb"([\\()])", rb"\\\1", encoded) + b")"


def _file(contents: list[bytes], layout: Layout, title: str) -> bytes:
    pages = range(6, 6 + 2 * len(contents), 2)
    latin = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl] >> >>"
    han = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts ["
        b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 /CIDSystemInfo "
        b"<< /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> /FontDescriptor << /Type /FontDescriptor /FontName "
        b"/STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 "
        b"/StemV 93 >> >>] >>"
    )
    named = b"<feff" + title.encode("utf-16-be").hex().encode("ascii") + b">"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % n for n in pages), len(contents)),
        latin,
        han if not layout.spaced else b"<< >>",
        b"<< /Title %s /CreationDate (D:20260101000000Z) /Keywords (produced by a typesetting system) >>" % named,
    ]
    for number, content in zip(pages, contents, strict=True):
        fonts = b"/F1 3 0 R" + (b" /F2 4 0 R" if not layout.spaced else b"")
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /Font << %s >> >> >>"
            % (_WIDTH, _HEIGHT, number + 1, fonts)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return file_of(objects, b"/Info 5 0 R")


def file_of(objects: list[bytes], entries: bytes = b"") -> bytes:
    """Return the file of objects, the first of which is the catalog, with additional entries of its trailer."""
    out = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, entries, len(out))
    )
