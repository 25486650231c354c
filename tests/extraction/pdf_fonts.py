"""PDF files whose fonts are not embedded, or have glyphs without an outline, or write from top to bottom."""

from __future__ import annotations

from tests.extraction.pdf_places import file, stream


def with_font(font: bytes, content: bytes, *objects: bytes, page: bytes = b"") -> bytes:
    """Return a page that shows content in fonts: /G is `font`, /F is Helvetica. `objects` have the numbers from 7 on."""
    return file([
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[6 0 R]>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        font,
        stream(content),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 5 0 R/Resources<</Font<</F 3 0 R/G 4 0 R>>>>%s>>" % page,
        *objects,
    ])  # fmt: skip


def not_embedded(name: bytes, entries: bytes = b"") -> bytes:
    """Return a TrueType font that is not in the file."""
    descriptor = b"/FontDescriptor<</Type/FontDescriptor/FontName/%s/Flags 32/ItalicAngle 0/StemV 80>>" % name
    return b"<</Type/Font/Subtype/TrueType/BaseFont/%s/Encoding/WinAnsiEncoding%s%s>>" % (name, descriptor, entries)


WIDTHS = b"/FirstChar 32/LastChar 126/Widths[%s]" % b" ".join(b"500" for _ in range(95))

EMPTY_GLYPHS = (
    b"<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 32/LastChar 126/Widths[%s]"
    b"/CharProcs<</e 7 0 R>>/Encoding<</Differences[32%s]>>/ToUnicode 8 0 R/Resources<<>>>>"
    % (b" ".join(b"0.5" for _ in range(95)), b"/e" * 95)
)
"""A font in which no glyph has an outline, as over the picture of a scan."""

_EMPTY_OBJECTS = (
    stream(b"0.5 0 d0"),
    stream(b"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange"),
)


def over_scan(content: bytes, page: bytes = b"") -> bytes:
    """Return a page that shows content in a font /G without outlines."""
    return with_font(EMPTY_GLYPHS, content, *_EMPTY_OBJECTS, page=page)


def strings(*texts: bytes, left: int = 72, top: int = 700, matrix: bytes = b"1 0 0 1", size: int = 12) -> bytes:
    """Return content with each text as a string of its own, one after the other with spaces between them."""
    out = b"BT /G %d Tf " % size
    for text in texts:
        out += b"%s %d %d Tm (%s) Tj " % (matrix, left, top, text)
        left += (len(text) + 1) * size // 2 if matrix == b"1 0 0 1" else 0
        top += (len(text) + 1) * size // 2 if matrix != b"1 0 0 1" else 0
    return out + b"ET\n"


def vertical(content: bytes, encoding: bytes = b"UniJIS-UCS2-V", entries: bytes = b"") -> bytes:
    """Return a page in a Japanese font /G that is not embedded, with vertical writing."""
    descendant = (
        b"<</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/DW 1000%s/CIDSystemInfo<</Registry(Adobe)"
        b"/Ordering(Japan1)/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/HeiseiMin-W3/Flags 4"
        b"/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 859/Descent -140/CapHeight 700/StemV 80>>>>" % entries
    )
    font = b"<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/%s/DescendantFonts[7 0 R]>>" % encoding
    return with_font(font, content, descendant)


def column(text: str, left: float, top: float, size: float = 14, *, by_letter: bool = False) -> bytes:
    """Return content with one column of vertical writing, perhaps with each character as a string of its own."""
    shown = "".join(
        f"1 0 0 1 {left} {top - size * at} Tm <{part.encode('utf-16-be').hex()}> Tj "
        for at, part in enumerate(text if by_letter else [text])
    )
    return f"BT /G {size} Tf {shown} ET\n".encode()


COLUMNS = ("灯台守は毎晩緑の布", "で綴じた帳面に書き", "誰も理由を尋ねない")

SAMPLES = {
    "not embedded": with_font(not_embedded(b"Barnacle"), strings(b"the", b"keeper", b"sang")),
    "not embedded, with widths": with_font(not_embedded(b"DejaVuSans", WIDTHS), strings(b"the", b"keeper", b"sang")),
    "not embedded, bold": with_font(not_embedded(b"Arial,Bold", WIDTHS), strings(b"I", b"saw", b"a", b"kettle", b"5")),
    "without outlines": over_scan(strings(b"I", b"saw", b"a", b"kettle", b"5")),
    "without outlines, rotated": over_scan(strings(b"I", b"saw", b"a", b"kettle", matrix=b"0 1 -1 0")),
    "vertical": vertical(b"".join(column(text, 500 - 22 * at, 700) for at, text in enumerate(COLUMNS))),
    "vertical, by letter": vertical(
        b"".join(column(text, 500 - 22 * at, 700, by_letter=True) for at, text in enumerate(COLUMNS))
    ),
}
