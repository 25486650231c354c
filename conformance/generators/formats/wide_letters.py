"""A PDF in which headings and every second paragraph have their letters set wide, as older print emphasises."""

from __future__ import annotations

from collections.abc import Iterator

from generators.formats.pdf import Layout, file_of, filled, string
from generators.formats.work import Part, Work, Written

_WIDTH, _HEIGHT, _LEFT, _TOP, _LEADING, _ROWS = 612, 792, 54, 730, 13, 50
_SIZE, _SPACING = 9, 3  # points; a space is 5.4 wide
_LAYOUT = Layout(1, 54)
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl] >> >>"


def pdf(work: Work) -> Written:
    """Return a work as such a PDF."""
    broken = {word: " ".join(word) for part in _wide(work) for word in part.text.split() if len(word) > 1}
    lines = list(_lines(work))
    pages = [b"".join(lines[at : at + _ROWS]) for at in range(0, len(lines), _ROWS)]
    return Written(_file(pages), (), tuple(broken.items()))


def _wide(work: Work) -> list[Part]:
    paragraphs = [part for part in work.parts if part.role == "paragraph"]
    return [part for part in work.parts if part.role in ("title", "heading")] + paragraphs[1::2]


def _lines(work: Work) -> Iterator[bytes]:
    wide = _wide(work)
    for part in work.parts:
        spacing = _SPACING if part in wide else 0
        for block in part.text.replace("\t", "; ").splitlines():
            for line in filled(block, _LAYOUT):
                yield b"%d Tc %s Tj T*\n" % (spacing, string(line, _LAYOUT))
        yield b"T*\n"


def _file(pages: list[bytes]) -> bytes:
    numbers = range(4, 4 + 2 * len(pages), 2)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % number for number in numbers), len(pages)),
        _FONT,
    ]
    for number, lines in zip(numbers, pages, strict=True):
        content = b"BT /F1 %d Tf %d TL %d %d Td\n%sET" % (_SIZE, _LEADING, _LEFT, _TOP, lines)
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            % (_WIDTH, _HEIGHT, number + 1),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    return file_of(objects)
