from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import pairwise

import pytest
from fpdf import FPDF

from simhash_doc import fingerprint
from simhash_doc.extract import (
    LimitExceededError,
    Limits,
    NoTextError,
    extract,
)
from simhash_doc.extract.pdf import SOFT_HYPHEN, Piece, attach_marks, paragraphs, reading_order, without_running_heads
from tests.extract.articles import ARTICLES

LEFT = ["The keeper climbed the stairs twice", "every night, once to light the lamp", "and once to see that it still"]
RIGHT = ["burned. In winter the stairs were", "cold enough to freeze the oil that", "he carried, and he sang to it."]


def page(document: FPDF, lines: list[str], *, left: float = 20, top: float = 40, pitch: float = 6) -> None:
    for number, line in enumerate(lines):
        document.text(left, top + number * pitch, line)


def new() -> FPDF:
    document = FPDF()
    document.set_font("Times", size=12)
    document.add_page()
    return document


def text(document: FPDF) -> str:
    return extract(bytes(document.output())).text


def test_lines_are_joined_to_paragraphs() -> None:
    document = new()
    page(document, LEFT)
    page(document, RIGHT, top=40 + 6 * len(LEFT) + 8)
    assert text(document) == " ".join(LEFT) + "\n\n" + " ".join(RIGHT)


def test_words_broken_at_line_ends_are_joined_and_compounds_are_not() -> None:
    document = new()
    page(
        document,
        ["An observ-", "ation of the well-", "known tower; the well known, a known well.", "North-", "South roads."],
    )
    assert text(document) == (
        "An observation of the well-known tower; the well known, a known well. North-South roads."
    )


@pytest.mark.parametrize("by_row", [True, False])
def test_columns_are_read_one_after_the_other(by_row: bool) -> None:
    document = new()
    if by_row:
        for number, sides in enumerate(zip(LEFT, RIGHT, strict=True)):
            for side, line in zip((20, 110), sides, strict=True):
                document.text(side, 40 + 6 * number, line)
    else:
        page(document, LEFT)
        page(document, RIGHT, left=110)
    assert text(document) == " ".join(LEFT + RIGHT)


def test_a_table_is_read_row_by_row() -> None:
    document = new()
    for number, row in enumerate([("Year", "Loss"), ("one", "two"), ("three", "four"), ("five", "six")]):
        for side, cell in zip((20, 110), row, strict=True):
            document.text(side, 40 + 6 * number, cell)
    assert text(document) == "Year Loss one two three four five six"


def test_running_heads_and_page_numbers_are_left_out() -> None:
    document = FPDF()
    document.set_font("Times", size=12)
    for number in range(1, 7):
        document.add_page()
        document.text(20, 12, "Furniture of the Coast, Vol. 7" if number % 2 else "M. Okafor: furniture")
        document.text(100, 285, f"Page {number} of 6")
        page(document, [f"{line} on sheet {'abcdef'[number - 1]}." for line in LEFT])
    found = text(document)
    assert "urniture" not in found
    assert "Page" not in found
    assert all(f"stairs twice on sheet {letter}." in found for letter in "abcdef")


def test_a_heading_at_a_different_height_on_each_page_is_kept() -> None:
    document = FPDF()
    document.set_font("Times", size=12)
    for number in range(1, 5):
        document.add_page()
        page(document, ["Exercise", *LEFT, *RIGHT, *LEFT], top=30 + 17 * number)
    assert text(document).count("Exercise") == 4


def test_ligatures_and_the_numbers_of_notes() -> None:
    document = FPDF()
    document.add_page()
    document.set_font("Times", size=12)
    document.write(6, "The keeper")
    document.char_vpos = "SUP"
    document.write(6, "12")
    document.char_vpos = "LINE"
    document.write(6, " climbed.")
    assert text(document) == "The keeper 12 climbed."
    assert fingerprint("eﬃcient ﬁsh") == fingerprint("efficient fish")


def test_the_pdf_of_an_article_is_close_to_its_page() -> None:
    for title, body in ARTICLES.values():
        document = new()
        without_picture = body.replace('<img src="tower.jpg" alt="">', "")
        document.write_html(f"<h1>{title}</h1>{without_picture}")
        page_text = extract(f"<h1>{title}</h1>{body}".encode()).text
        assert fingerprint(text(document)).distance(fingerprint(page_text)) <= 3, title


def test_a_pdf_without_a_text_layer_is_reported() -> None:
    document = new()
    document.rect(10, 10, 100, 100)
    with pytest.raises(NoTextError, match=r"no text: none of 1 pages has a text layer \(scanned\?\)"):
        text(document)


def test_more_pages_than_the_limit_are_refused() -> None:
    document = new()
    document.add_page()
    with pytest.raises(LimitExceededError, match="2 pages are over the limit pages=1"):
        extract(bytes(document.output()), limits=Limits(pages=1))


def line(text: str, left: float, bottom: float, right: float) -> Piece:
    return Piece(text, left, bottom, right, bottom + 10)


def test_three_columns_by_row() -> None:
    rows = [[line(f"column {c} has line {n}", 100 * c, 100 - n, 100 * c + 90) for c in range(3)] for n in range(4)]
    assert [entry.text for entry in reading_order(rows)] == [
        f"column {c} has line {n}" for c in range(3) for n in range(4)
    ]


def test_reading_order_keeps_every_line() -> None:
    rows = [[line("wide line across the page", 0, 90, 200)], [line("left part of the row", 0, 80, 90), line("right part of it", 110, 80, 200)],
            [line("left part of the row", 0, 70, 90), line("right part of it", 110, 70, 200)], [line("left only, and short", 0, 60, 80)],
            [line("left part of the row", 0, 50, 90), line("right part of it", 110, 50, 200)], [line("another wide line", 0, 40, 200)]]  # fmt: skip
    ordered = reading_order(rows)
    assert len(ordered) == 9
    assert [entry.left for entry in ordered] == [0, 0, 0, 0, 0, 110, 110, 110, 0]
    assert all(a.bottom > b.bottom for a, b in pairwise(ordered[1:5]))


def test_a_single_page_has_no_running_heads() -> None:
    pages = [[line("Title", 0, 100, 50), line("7", 0, 10, 5)]]
    assert without_running_heads(pages) == pages


def test_thai_and_chinese_lines_are_joined_without_a_space() -> None:
    assert paragraphs([[line("ภาษา", 0, 30, 50), line("ไทย", 0, 20, 50)]]) == "ภาษาไทย"
    assert paragraphs([[line("中文", 0, 30, 50), line("字", 0, 20, 50)]]) == "中文字"


def test_a_hyphen_at_the_end_of_the_document_is_kept() -> None:
    assert paragraphs([[line(f"broken{SOFT_HYPHEN}", 0, 30, 50)]]) == "broken-"


def letters(text: str, *, left: float = 0, bottom: float = 100) -> list[Piece | None]:
    """Return glyphs: letters 6 wide and 7 apart, spaces as wide as letters, marks 2 wide over the letter before."""
    glyphs: list[Piece | None] = []
    for character in text:
        if character == " ":
            glyphs.append(Piece(" ", placed=False))
            left += 7
        elif unicodedata.category(character) == "Mn":
            level = bottom + 8 + 3 * sum(g is not None and unicodedata.category(g.text) == "Mn" for g in glyphs[-2:])
            glyphs.append(Piece(character, left - 4, level, left - 2, level + 2))
        else:
            glyphs.append(Piece(character, left, bottom, left + 6, bottom + 7))
            left += 7
    return glyphs


def text_of(glyphs: Iterable[Piece | None]) -> str:
    return "".join("\n" if glyph is None else glyph.text for glyph in glyphs)


@pytest.mark.parametrize("text", ["ชิ้น ทั้งหมด", "שָׁלוֹם לכם", "e\u0301te\u0301 a\u0300 Paris"])
def test_a_mark_elsewhere_in_the_content_is_attached_to_its_letter(text: str) -> None:
    straight = letters(text)
    assert text_of(attach_marks(straight)) == text
    for index, mark in enumerate(straight):
        if mark is not None and unicodedata.category(mark.text) == "Mn":
            moved = [
                *straight[:index],
                Piece(" ", placed=False),
                *straight[index + 1 :],
                None,
                mark,
                Piece(" ", placed=False),
                None,
                *letters("below", bottom=50),
            ]
            found = text_of(attach_marks(moved)).split("\n")[0].replace(" ", "")
            assert unicodedata.normalize("NFC", found) == unicodedata.normalize("NFC", text.replace(" ", ""))


def test_a_mark_without_a_letter_is_not_moved() -> None:
    glyphs = [*letters("abc"), None, Piece("\u0301", 500, 10, 502, 12)]
    assert text_of(attach_marks(glyphs)) == "abc\n\u0301"
