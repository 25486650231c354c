"""The lines that are found with arrays are those that are found one character after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pypdfium2 as pdfium
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simhash_doc_extraction.pdf import plain
from simhash_doc_extraction.pdf.glyphs import PageCharacters
from tests.extraction import pdf_places
from tests.extraction.pdf_places import document

TEXTS = ["ordinary words", "Mill", "12", "M", "ill", "q. 3", "a^b", "`", "ll", "1,234.50", "(1)", "fj", "Wi", " ", "W"]
SIZES = [6, 8, 11, 11, 11, 12, 30]

shown = st.tuples(
    st.sampled_from(TEXTS), st.sampled_from(SIZES), st.sampled_from([0, 0.4, 2, 3, 8, 60, -3]),
    st.sampled_from([0, 0, 0, 4, -3, -12, -12, 14]), st.sampled_from([0, 0, 0, 1, 3]),
)  # fmt: skip


def content(parts: Sequence[tuple[str, int, float, float, float]]) -> bytes:
    """Show texts one after the other, each so many points farther right and up, with a space between characters."""
    x, y, out = 72.0, 700.0, b"BT "
    for text, size, right, up, between in parts:
        x, y = (72.0 if up < -10 else x + right), y + up
        escaped = text.replace("(", "\\(").replace(")", "\\)")
        out += f"/F {size} Tf {between} Tc 1 0 0 1 {x:.2f} {y:.2f} Tm ({escaped}) Tj\n".encode()
        x += (0.5 * size + between) * len(text)
    return out + b"ET"


def both(data: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[object, object]:
    found = []
    for way in (plain._lines, lambda _: None):
        left_out: Counter[str] = Counter()
        with monkeypatch.context() as patch:
            patch.setattr(plain, "_lines", way)
            pages = pdfium.PdfDocument(data)
            found.append(([plain.rows(page, left_out) for page in pages], +left_out))
            pages.close()
    return found[0], found[1]


@given(st.lists(shown, min_size=1, max_size=30), st.sampled_from([b"", b"/Rotate 180"]))
@example([("Mill", 11, 0, 0, 0), ("Mill", 11, -21.6, 0, 0)], b"")
@example([("T", 30, 0, 0, 0), ("ide mill", 11, 1, 8, 0)], b"")
@example([("words", 11, 0, 0, 0), ("2", 6, 0, 4, 0)], b"")
@example([("ordinary words", 11, 0, 0, 0)], b"/CropBox[100 0 300 792]")
@example([("ordinary words", 11, 0, 0, 0)], b"/CropBox[300 0 400 792]")
def test_plain_lines_equal_lines_of_characters(parts: list[tuple[str, int, float, float, float]], page: bytes) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        fast, slow = both(document(content(parts), page=page), monkeypatch)
    assert fast == slow


@pytest.mark.parametrize("build", [*pdf_places.SHOWN.values(), *pdf_places.NOT_SHOWN.values()])
def test_pages_of_places_have_equal_lines(build: Callable[[str], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    fast, slow = both(build("sentinel"), monkeypatch)
    assert fast == slow


def test_most_lines_are_plain() -> None:
    lines = [("ordinary words of 12 lines", 11, 0, -12, 0)] * 12
    pages = pdfium.PdfDocument(document(content(lines)))
    characters = PageCharacters(pages[0])
    found = plain._lines(characters)
    assert found is not None
    assert [line.is_plain for line in found] == [True] * 12
