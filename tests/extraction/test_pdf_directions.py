"""Words in any direction are read, whether a string is a word or a letter."""

from __future__ import annotations

from math import cos, radians, sin

import pytest

from simhash_doc_extraction import extract
from tests.extraction.pdf_fonts import with_font
from tests.extraction.pdf_places import document
from tests.extraction.test_pdf_gaps import LETTER_WIDTHS

WORDS = "old 25 kettles hiss in the 8th hold of 50,000".split()
WIDTHS = {**LETTER_WIDTHS, **dict.fromkeys("0123456789", 556), ",": 278, "(": 333, ")": 333}
SIZE = 12


def turned(
    words: list[str], angle: float, *, by: str, lines: int = 1, left: float = 300, top: float = 400, within: float = 0.0
) -> bytes:
    """Return content with lines of words, turned so many degrees, in strings of a word or a letter."""
    right, up = cos(radians(angle)), sin(radians(angle))
    shown = f"BT /F {SIZE} Tf {within * SIZE} Tc "
    for line in range(lines):
        x, y = left + up * 16 * line, top - right * 16 * line
        for word in words:
            for string in word if by == "letter" else [word]:
                shown += f"{right:.5f} {up:.5f} {-up:.5f} {right:.5f} {x:.3f} {y:.3f} Tm ({string}) Tj "
                width = SIZE * sum(WIDTHS[letter] / 1000 + within for letter in string)
                x, y = x + right * width, y + up * width
            x, y = x + right * SIZE * 0.28, y + up * SIZE * 0.28
    return f"{shown} ET\n".encode()


@pytest.mark.parametrize("by", ["letter", "word"])
@pytest.mark.parametrize("page", [b"", b"/Rotate 90", b"/Rotate 180", b"/Rotate 270"])
@pytest.mark.parametrize("angle", [*range(0, 360, 30), 10, 45, 80, 135, 260, 350])
@pytest.mark.parametrize("lines", [1, 2])
def test_turned_words_are_read(by: str, page: bytes, angle: int, lines: int) -> None:
    found = extract(document(turned(WORDS, angle, by=by, lines=lines), page=page))
    assert found.text.split() == WORDS * lines


@pytest.mark.parametrize("angle", [90, 180, 270, 300])
@pytest.mark.parametrize("by", ["letter", "word"])
def test_turned_words_beside_level_ones_are_read(by: str, angle: int) -> None:
    words = ["kettles", "hiss"]
    level = b"".join(turned(WORDS, 0, by="word", left=40, top=740 - 30 * at) for at in range(12))
    found = extract(document(level + turned(words, angle, by=by, left=450)))
    assert found.text.split() == [*WORDS * 12, *words]


@pytest.mark.parametrize("angle", [90, 180, 300])
def test_turned_letters_that_are_set_wide_are_words(angle: int) -> None:
    words = ["kettles", "hissing", "within"]
    shown = turned(words, angle, by="letter", within=0.2).replace(b"2.4 Tc", b"0 Tc")
    assert extract(document(shown)).text.split() == words


@pytest.mark.parametrize("angle", [90, 180, 300])
def test_turned_text_that_is_painted_twice_is_read_once(angle: int) -> None:
    shown = turned(WORDS, angle, by="letter")
    assert extract(document(shown + shown)).text.split() == WORDS


@pytest.mark.parametrize("angle", [0, 90, 180, 300])
def test_ligatures_of_turned_words_are_read(angle: int) -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[1/fi 2/fl]>>>>"
    right, up = cos(radians(angle)), sin(radians(angle))
    shown = f"BT /G 12 Tf {right:.4f} {up:.4f} {-up:.4f} {right:.4f} 300 400 Tm (a \\001eld in \\002ood) Tj ET"
    assert extract(with_font(font, shown.encode())).text == "a field in flood"


def test_upright_columns_of_numbers_are_numbers_of_their_own() -> None:
    shown = "".join(f"1 0 0 1 {72 + 40 * x} {700 - 14 * y} Tm ({y}) Tj " for x in range(3) for y in range(8))
    assert extract(document(f"BT /F 12 Tf {shown} ET".encode())).text.split() == list("01234567") * 3
