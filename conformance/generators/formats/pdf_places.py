"""A PDF whose text is in places that an extractor of page content misses, or takes for something else.

The title is the value of a form field, quotations are annotations, headings and numbers of tables are at the edges of
pages, spaces are tabs, a first letter is large, and the numbers of notes touch their text. Text in a layer that is off
and text outside the crop box are not shown (SD-EXTRACT-5).
"""

from __future__ import annotations

from collections.abc import Iterator

from generators.formats.pdf import Layout, file_of, filled, string
from generators.formats.work import Work, Written, around

_WIDTH, _HEIGHT, _LEFT, _BELOW = 612, 792, 54, 200  # points; _BELOW is the height that is cut off
_TOP, _BOTTOM, _SIZE, _LEADING = 740, 110, 9, 12
_ADVANCE = 0.6  # width of a character of Courier, in font sizes
_LAYOUT = Layout(1, 80)
_CAP = 3  # lines
_HIDDEN = "A remark in a layer that is switched off: ask the owner for the name of the photographer before printing"
_CUT = "Job 4711, plate black, cut here, crop marks and colour bars of the printing house, proof number three"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl] >> %s>>"
_TABS = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
3 beginbfrange <01> <01> <fb01> <02> <02> <fb02> <21> <7e> <0021> endbfrange
1 beginbfchar <20> <0009> endbfchar
endcmap CMapName currentdict /CMap defineresource pop end end"""


def pdf(work: Work) -> Written:
    """Return a work as such a PDF."""
    pages = _Pages(work.site)
    is_first, notes = True, iter(range(1, 100))
    for part in work.parts:
        text = part.text.replace("\n", " ")
        if part.role == "title":
            pages.annotate(text, b"/Subtype /Widget /FT /Tx /T (title) /V %s" % string(text, _LAYOUT))
        elif part.role == "heading":
            pages.begin()
            pages.show(text, 12)
        elif part.role == "quote":
            pages.annotate(text, b"/Subtype /FreeText /DA (/F1 9 Tf)")
        elif part.role == "paragraph" and is_first:
            pages.begin_large(text)
            is_first = False
        elif part.role == "footnote":
            pages.note(str(next(notes)), text)
        elif part.role in ("code", "table"):
            pages.column([cell for line in part.text.splitlines() for cell in line.split("\t")])
        else:
            pages.show(text, font=2 if text.isascii() else 1)
    return Written(pages.file(), (
        around("running head", "\n".join(pages.heads[1:])), around("hidden text", f"{_HIDDEN}\n{_CUT}"),
    ))  # fmt: skip


class _Pages:
    """Pages that are filled from top to bottom."""

    def __init__(self, site: str) -> None:
        self._site = site
        self._contents: list[list[bytes]] = []
        self._annotations: list[list[bytes]] = []
        self._forms: list[bytes] = []
        self.heads: list[str] = []
        self.begin()
        self._put(f"/OC /L BDC\n{''}".encode() + _line(_HIDDEN, _LEFT, 60) + b"EMC\n")
        self._put(_line(_CUT, _LEFT, -_BELOW // 2))

    def _put(self, content: bytes) -> None:
        self._contents[-1].append(content)

    def begin(self) -> None:
        """Begin a page, with its running head and number."""
        self._contents.append([])
        self._annotations.append([])
        self._y = _TOP
        number = len(self._contents)
        self._number = _line(str(number), _WIDTH // 2, 30)
        self._put(_line(self._site, _LEFT, _HEIGHT - 30) + self._number)
        self.heads.append(f"{self._site} {number}")

    def _lines(self, lines: list[str]) -> Iterator[tuple[str, int]]:
        for line in lines:
            if self._y < _BOTTOM:
                self.begin()
            yield line, self._y
            self._y -= _LEADING
        self._y -= _LEADING

    def show(self, text: str, size: int = _SIZE, font: int = 1) -> None:
        """Show a paragraph."""
        for line, y in self._lines(list(filled(text, _LAYOUT))):
            self._put(_line(line, _LEFT, y, size, font))

    def begin_large(self, text: str) -> None:
        """Show a paragraph whose first letter is as high as three lines."""
        size = 2 * _CAP * _SIZE
        first, *others = filled(text[1:], Layout(1, 60))
        self._put(_line(text[0], _LEFT, self._y - (_CAP - 1) * _LEADING, size))
        x = _LEFT + int(_ADVANCE * size) + 1
        for at, (line, y) in enumerate(self._lines([first, *others])):
            self._put(_line(line, x if at < _CAP else _LEFT, y))

    def annotate(self, text: str, entries: bytes) -> None:
        """Show a text as the appearance of an annotation."""
        lines = list(self._lines(list(filled(text, _LAYOUT))))
        bottom = lines[-1][1] - _LEADING
        drawn = b"".join(_line(line, 0, y - bottom) for line, y in lines)
        box = b"%d %d" % (_WIDTH - _LEFT, lines[0][1] + _LEADING - bottom)
        self._forms.append(_stream(drawn, b"/Type /XObject /Subtype /Form /BBox [0 0 %s] /Resources 5 0 R " % box))
        self._annotations[-1].append(b"<< /Type /Annot %s /Rect [%d %d %d %d] /F 4 /AP << /N %%d 0 R >> >>" % (
            entries.replace(b"%", b"%%"), _LEFT, bottom, _WIDTH, lines[0][1] + _LEADING,
        ))  # fmt: skip

    def note(self, number: str, text: str) -> None:
        """Show a note whose raised number touches its text."""
        for at, (line, y) in enumerate(self._lines(list(filled(text, _LAYOUT)))):
            if not at:
                self._put(_line(number, _LEFT - 4, y + 3, 6))
            self._put(_line(line, _LEFT, y))

    def column(self, cells: list[str]) -> None:
        """Show cells below each other, the last one on the last line of the page, where its number would be."""
        self.begin()
        self._contents[-1][0] = self._contents[-1][0].replace(self._number, b"")
        self.heads[-1] = self._site
        for at, cell in enumerate(reversed(cells)):
            self._put(_line(cell, _LEFT, 30 + at * _LEADING))

    def file(self) -> bytes:
        """Return the file."""
        first = 8 + len(self._forms)
        pages: list[int] = []
        annotations: list[int] = []
        others: list[bytes] = []
        forms = iter(range(8, first))
        number = first
        for content, drawn in zip(self._contents, self._annotations, strict=True):
            pages.append(number)
            own = range(number + 2, number + 2 + len(drawn))
            annotations += own
            references = b" ".join(b"%d 0 R" % other for other in own)
            others.append(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 -%d %d %d] /CropBox [0 0 %d %d] /Contents %d 0 R "
                b"/Resources 5 0 R /Annots [%s] >>" % (_BELOW, _WIDTH, _HEIGHT, _WIDTH, _HEIGHT, number + 1, references)
            )
            others.append(_stream(b"".join(content)))
            others += [body % next(forms) for body in drawn]
            number += 2 + len(drawn)
        fields = b" ".join(b"%d 0 R" % other for other in annotations[:1])
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [%s] /DR 5 0 R >> "
            b"/OCProperties << /OCGs [7 0 R] /D << /OFF [7 0 R] >> >> >>" % fields,
            b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % page for page in pages), len(pages)),
            _FONT % b"",
            _FONT % b"/ToUnicode 6 0 R ",
            b"<< /Font << /F1 3 0 R /F2 4 0 R >> /Properties << /L 7 0 R >> >>",
            _stream(_TABS),
            b"<< /Type /OCG /Name (remarks) >>",
            *self._forms,
            *others,
        ]
        return file_of(objects)


def _line(text: str, x: int, y: int, size: int = _SIZE, font: int = 1) -> bytes:
    return b"BT /F%d %d Tf %d %d Td %s Tj ET\n" % (font, size, x, y, string(text, _LAYOUT))


def _stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< %s/Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)
