from __future__ import annotations

import base64
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pypdfium2.raw as raw
import pytest
from fpdf import FPDF

from simhash_doc import fingerprint
from simhash_doc_extraction import (
    LimitExceededError,
    Limits,
    NoTextError,
    extract,
)
from simhash_doc_extraction.pdf import glyphs
from simhash_doc_extraction.pdf.damage import damaged_streams
from simhash_doc_extraction.pdf.directions import SPACE
from simhash_doc_extraction.pdf.lines import CELLS, DROP_CAP, reading_order
from simhash_doc_extraction.pdf.marks import with_marks_attached
from simhash_doc_extraction.pdf.pages import paragraphs, without_running_heads
from simhash_doc_extraction.pdf.pieces import SOFT_HYPHEN, Piece
from tests.extraction import pdf_places
from tests.extraction.articles import ARTICLES
from tests.extraction.pdf_places import compressed, document, stream
from tests.extraction.warning_kinds import undocumented

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


def test_a_word_that_a_narrow_column_breaks_twice_is_joined() -> None:
    document = new()
    page(document, ["Der Bun-", "desausbil-", "dungsrat, die Hafen-", "Behörde."])
    assert text(document) == "Der Bundesausbildungsrat, die Hafen-Behörde."


def test_a_hyphen_after_letters_that_are_set_wide_is_joined() -> None:
    shown = "BT /F 12 Tf 72 700 Td (The keeper of) Tj 0 -16 Td 4 Tc (the light-) Tj 0 -16 Td 0 Tc (house sang.) Tj ET"
    assert extract(pdf_places.document(shown.encode())).text == "The keeper of the lighthouse sang."


def test_a_date_beside_a_page_number_is_kept() -> None:
    document = FPDF()
    document.set_font("Times", size=12)
    for number in range(1, 4):
        document.add_page()
        page(document, [f"{line} on sheet {'abc'[number - 1]}." for line in LEFT])
        document.text(100, 285, f"02/03/09 Page {number} of 3")
    assert text(document).count("02/03/09") == 1


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
    assert found.count("Furniture of the Coast, Vol. 7") == 1  # the first can be a title
    assert found.count("M. Okafor: furniture") == 1
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


_PAGE = "".join(f"BT /F 9 Tf 1 0 0 1 72 {700 - 11 * at} Tm (Line {at**3:x} of it) Tj ET\n" for at in range(40)).encode()


def _with_damage(at: int, letters: int) -> bytes:
    packed = zlib.compress(_PAGE)
    at %= len(packed)
    damaged = packed[:at] + bytes([packed[at] ^ 0x55])[:letters] + packed[at + 1 :]
    return document(_PAGE).replace(packed, damaged)


@pytest.mark.parametrize("at", [-40, -9])
@pytest.mark.parametrize("letters", [0, 1])
def test_text_lost_in_a_damaged_stream_is_a_warning(at: int, letters: int) -> None:
    fine, found = extract(document(_PAGE)), extract(_with_damage(at, letters))
    assert (fine.warnings, found.warnings[0]) == ((), "damaged streams read as far as possible: 1")
    assert found.text != fine.text
    assert not undocumented(found)


def test_a_page_lost_in_a_damaged_stream_is_an_error() -> None:
    with pytest.raises(NoTextError, match="damaged streams read as far as possible: 1"):
        extract(_with_damage(0, 1))


def test_streams_without_their_last_bytes_are_complete() -> None:
    content = b"BT /F 9 Tf 72 700 Td (The words of this page) Tj ET\n"
    flush = zlib.compressobj()
    complete = zlib.compress(content)
    for packed in (
        complete[:-4],
        complete[:-4] + b"\r\n",
        flush.compress(content) + flush.flush(zlib.Z_SYNC_FLUSH),
        b"",
    ):
        entry = b"<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream" % (len(packed), packed)
        assert damaged_streams(b"7 0 obj\n" + entry, 1000) == 0


def test_a_damaged_font_is_counted() -> None:
    """PDFium then has other widths: "Er wartet" became "E r wartet", and "www" became "w"."""
    packed = zlib.compress(bytes(range(256)) * 9)
    for entries in (
        b"/Length1 2304",
        b"/Length1 9/Length2 9/Length3 9",
        b"/Subtype/CIDFontType0C",
        b"/Subtype/OpenType",
    ):
        for given, count in ((packed, 0), (packed[:-9], 1), (packed[:40] + b"!!" + packed[42:], 1)):
            entry = b"<</Filter/FlateDecode%b>>\nstream\n%b\nendstream" % (entries, given)
            assert damaged_streams(b"7 0 obj\n" + entry, 10_000) == count


def test_a_pdf_without_a_text_layer_is_reported() -> None:
    document = new()
    document.rect(10, 10, 100, 100)
    with pytest.raises(NoTextError, match=r"no text: its page has no text layer \(scanned\?\)"):
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


def test_a_rotated_word_is_one_word() -> None:
    content = b"BT /F 11 Tf 0 1 -1 0 300 72 Tm (winter filling in 1911, illegible) Tj ET"
    assert extract(document(content)).text.split() == "winter filling in 1911, illegible".split()


def test_a_single_page_has_no_running_heads() -> None:
    pages = [[line("Title", 0, 100, 50), line("7", 0, 10, 5)]]
    assert without_running_heads(pages) == (pages, [])


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


def attached(glyphs: Sequence[Piece | None]) -> str:
    """Return the text of glyphs with each mark after its letter."""
    text = "".join("\n" if glyph is None else glyph.text for glyph in glyphs)
    boxes = [(g.left, g.bottom, g.right, g.top) if g is not None and g.placed else (0.0,) * 4 for g in glyphs]
    placed = np.array([glyph is not None and glyph.placed for glyph in glyphs])
    order = with_marks_attached(text, placed, np.array(boxes))
    return text if order is None else "".join(" " if number == SPACE else text[number] for number in order)


@pytest.mark.parametrize("text", ["ชิ้น ทั้งหมด", "שָׁלוֹם לכם", "e\u0301te\u0301 a\u0300 Paris"])
def test_a_mark_elsewhere_in_the_content_is_attached_to_its_letter(text: str) -> None:
    straight = letters(text)
    assert attached(straight) == text
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
            found = attached(moved).split("\n")[0].replace(" ", "")
            assert unicodedata.normalize("NFC", found) == unicodedata.normalize("NFC", text.replace(" ", ""))


def test_a_mark_without_a_letter_is_not_moved() -> None:
    glyphs = [*letters("abc"), None, Piece("\u0301", 500, 10, 502, 12)]
    assert attached(glyphs) == "abc\n\u0301"


@pytest.mark.parametrize("before", range(30, 70))
def test_marks_at_one_place_keep_the_order_of_the_content(before: int) -> None:
    marks = [Piece(mark, 2, 108, 4, 110) for mark in "\u0947\u0902"]
    glyphs = [*letters("\u0926"), None, *letters("x" * before, bottom=50), None, *marks]
    assert attached(glyphs).startswith("\u0926\u0947\u0902\n")


def pages_of(*pages: Iterable[tuple[str, float]]) -> list[list[Piece]]:
    """Return pages of lines with a text and the height of their bottom."""
    return [[line(text, 50, bottom, 50 + 5 * len(text)) for text, bottom in lines] for lines in pages]


def texts(pages: Iterable[Iterable[Piece]]) -> list[list[str]]:
    return [[entry.text for entry in lines] for lines in pages]


def body(page: int) -> list[tuple[str, float]]:
    return [(f"{'abcdefghij'[page]}{'klmnopq'[at]} is a line of the text", 600 - 14 * at) for at in range(7)]


def numbered(top: Callable[[int], str], count: int = 5, bottom: str = "") -> list[list[Piece]]:
    """Return pages with a line at their top, their text, and perhaps a line at their bottom."""
    return pages_of(*(
        [(top(page), 700.0), *body(page), *([(bottom, 40.0)] if bottom else [])] for page in range(count)
    ))  # fmt: skip


PAGE_NUMBERS: list[Callable[[int], str]] = [
    lambda page: str(page + 1),
    lambda page: str(page + 345),
    lambda page: f"- {page + 1} -",
    lambda page: f"[{page + 1}]",
    lambda page: ["i", "ii", "iii", "iv", "v"][page],
    lambda page: ["XXXVIII", "XXXIX", "XL", "XLI", "XLII"][page],
    lambda page: f"Page {page + 1} of 5",
    lambda page: f"Seite {page + 1} von 5",
    lambda page: f"{page + 1} / 5",
    lambda page: f"3-{page + 1}",
    lambda page: str(2 * page + 10),  # two pages of a book on each
]


@pytest.mark.parametrize("number", range(len(PAGE_NUMBERS)))
@pytest.mark.parametrize("bottom", ["", "A running foot"])
def test_page_numbers_go_up_with_the_pages(number: int, bottom: str) -> None:
    pages = numbered(PAGE_NUMBERS[number], bottom=bottom)
    kept, heads = without_running_heads(pages)
    assert texts(kept) == [[text for text, _ in body(page)] for page in range(5)]
    assert heads == ([bottom] if bottom else [])


NOT_PAGE_NUMBERS: list[Callable[[int], str]] = [
    lambda page: ["mild", "did", "civic", "dill", "vivid"][page],
    lambda page: ["1200", "90", "845", "1201", "77"][page],
    lambda page: ["I", "xi", "C", "vi", "mix"][page],
    lambda page: f"Chapter {page + 1}",
    lambda page: f"5.{page + 1}",
    lambda page: f"1,20{page}",
    lambda page: f"{page + 1}. Harbour",
    lambda page: f"Invoice {page + 7} of Barnacle and Sons",
    lambda page: f"Invoice number {7 * page + 7}",
    lambda page: f"{'abcde'[page]}: {page + 7} brass lamps",
    lambda page: ["4 May", "5 May", "9 May", "2 June", "1 July"][page],
    lambda page: f"\u00a7 {page + 1}",
    lambda page: f"{page + 10}%",
]


@pytest.mark.parametrize("number", range(len(NOT_PAGE_NUMBERS)))
@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("at_the_bottom", [False, True])
def test_lines_that_are_no_running_heads_are_kept(number: int, count: int, at_the_bottom: bool) -> None:
    pages = numbered(NOT_PAGE_NUMBERS[number], count)
    if at_the_bottom:
        pages = [[replace(entry, bottom=-entry.bottom, top=-entry.top) for entry in lines] for lines in pages]
    assert without_running_heads(pages) == (pages, [])


def test_a_number_that_is_not_the_outermost_line_is_no_page_number() -> None:
    pages = pages_of(*([("A title of " + "abc"[page], 700), (str(page + 1), 686), *body(page)] for page in range(3)))
    assert without_running_heads(pages) == (pages, [])


def test_the_last_cell_of_a_table_is_no_page_number() -> None:
    cells = pages_of(
        *(
            [(str(number), 600 - 14 * at) for at, number in enumerate(column)]
            for column in ([1200, 845, 31], [90, 81, 32])
        )
    )
    assert without_running_heads(cells) == (cells, [])
    numbers = pages_of(*([*body(page), (str(page + 31), 60)] for page in range(2)))
    assert texts(without_running_heads(numbers)[0]) == [[text for text, _ in body(page)] for page in range(2)]


def test_consecutive_invoices_and_points_on_slides_are_no_running_heads() -> None:
    invoices = pages_of(*(
        [(f"Invoice number {page + 501}", 700), (f"Amount due {page + 90}", 686), ("abcde"[page], 672)] for page in range(5)
    ))  # fmt: skip
    assert without_running_heads(invoices) == (invoices, [])
    slides = pages_of(*(
        [("Topic " + "abcde"[page], 500), (f"first point {page}", 450), (str(page + 1), 20)] for page in range(5)
    ))  # fmt: skip
    assert texts(without_running_heads(slides)[0]) == [lines[:2] for lines in texts(slides)]


@pytest.mark.parametrize("pitch", [12, 17, 30])
@pytest.mark.parametrize("rows", ["123456789", "acemnorsu"])
def test_lines_of_one_character_are_apart(rows: str, pitch: int) -> None:
    content = "".join(f"BT /F 11 Tf 1 0 0 1 72 {700 - pitch * at} Tm ({row}) Tj ET\n" for at, row in enumerate(rows))
    assert extract(document(content.encode())).text.split() == list(rows)


@pytest.mark.parametrize("count", [2, 3, 9])
def test_the_first_of_equal_running_heads_is_kept(count: int) -> None:
    kept = texts(without_running_heads(numbered(lambda _: "Barnacle and Sons", count))[0])
    assert [lines[0] == "Barnacle and Sons" for lines in kept] == [True] + [False] * (count - 1)


def test_a_running_head_with_the_text_of_a_heading_is_left_out() -> None:
    pages = numbered(lambda page: "The tide mill" if page else "ak is a first line")
    pages[0].insert(3, line("The tide mill", 50, 400, 90))
    assert [lines.count("The tide mill") for lines in texts(without_running_heads(pages)[0])] == [1, 0, 0, 0, 0]


def test_a_running_head_beside_a_page_number() -> None:
    kept = texts(without_running_heads(numbered(lambda page: f"The tide mill{CELLS}{page + 12}"))[0])
    assert [lines[0] for lines in kept] == ["The tide mill", *(body(page)[0][0] for page in range(1, 5))]
    kept = texts(without_running_heads(numbered(lambda page: f"The tide mill {page + 12}"))[0])
    assert [lines[0] for lines in kept] == ["The tide mill 12", *(body(page)[0][0] for page in range(1, 5))]


def test_a_repeated_cell_of_a_line_with_other_text_is_no_running_head() -> None:
    pages = numbered(lambda page: f"void {'abcde'[page]}(int x){CELLS}[Function]")
    assert without_running_heads(pages) == (pages, [])


def test_a_document_is_never_emptied() -> None:
    pages = pages_of(*([(str(page), 700.0)] for page in range(1, 5)))
    assert without_running_heads(pages) == (pages, [])


def test_much_text_in_running_heads_is_a_warning() -> None:
    document = FPDF()
    document.set_font("Times", size=12)
    for word in ("wind", "sun", "rain"):
        document.add_page()
        page(document, ["The keepers of the northern reef", f"{word} in the morning"])
    found = extract(bytes(document.output()))
    assert found.text.count("northern reef") == 1
    assert found.warnings == ("running heads and page numbers: 42% of the text is left out",)


def test_running_heads_of_many_pages_take_linear_time() -> None:
    def calls(count: int) -> int:
        asked = 0

        class Line(Piece):
            @property
            def bottom(self) -> float:
                nonlocal asked
                asked += 1
                return 700.0

            @bottom.setter
            def bottom(self, value: float) -> None:
                pass

        without_running_heads([[Line("The tide mill", right=9.0)] for _ in range(count)])
        return asked

    assert calls(1000) < 12 * calls(100)


def content(*operators: str) -> str:
    return extract(document(b"BT /F 11 Tf 72 700 Td " + " ".join(operators).encode() + b" ET")).text


@pytest.mark.parametrize("blank", [r"\t", r"\013", r"\f", " "])
def test_blank_characters_separate_words(blank: str) -> None:
    assert content(f"(harbour{blank}master) Tj") == "harbour master"


@pytest.mark.parametrize("turns", range(4))
def test_a_gap_between_advance_widths_separates_words(turns: int) -> None:
    matrix = ["1 0 0 1 72 700", "0 1 -1 0 300 72", "-1 0 0 -1 500 300", "0 -1 1 0 300 500"][turns]
    data = document(
        f"BT /F 11 Tf {matrix} Tm [(the)-160(tide)-160(returned)] TJ ET".encode(), page=b"/Rotate %d" % (90 * turns)
    )
    assert extract(data).text == "the tide returned"


@pytest.mark.parametrize(
    "line", ["[(kee)-40(per)] TJ", "2 Tc (keeper) Tj", "[(k)-125(e)-125(e)-125(p)-125(e)-125(r)] TJ"]
)
def test_letters_that_are_set_wide_are_one_word(line: str) -> None:
    assert content(line) == "keeper"


@pytest.mark.parametrize("marks", ["1", "12"])
def test_the_number_of_a_note_before_its_text(marks: str) -> None:
    assert content(f"/F 6 Tf 5 Ts ({marks}) Tj /F 9 Tf 0 Ts (Keepers of the reef) Tj") == f"{marks} Keepers of the reef"
    assert content("(H) Tj /F 6 Tf -3 Ts (2) Tj /F 11 Tf 0 Ts (O is water) Tj") == "H2O is water"


LINES = ["he old ferry left", "its harbour when the", "keeper sang"]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("raised", [True, False])
def test_a_drop_cap_belongs_to_its_word(first: bool, raised: bool) -> None:
    cap = f"/F 40 Tf 1 0 0 1 72 {716 if raised else 690} Tm (T) Tj"
    rest = " ".join(f"/F 11 Tf 1 0 0 1 98 {716 - 14 * at} Tm ({text}) Tj" for at, text in enumerate(LINES))
    found = extract(document(f"BT {cap if first else ''} {rest} {'' if first else cap} ET".encode())).text
    assert found.split() == ["The", *" ".join(LINES).split()[1:]]


def test_a_drop_cap_that_is_a_word_stands_alone() -> None:
    lines = ["keeper sang", "to a lamp and", "a keeper slept"]
    rest = " ".join(f"/F 11 Tf 1 0 0 1 100 {716 - 14 * at} Tm ({text}) Tj" for at, text in enumerate(lines))
    found = extract(document(f"BT /F 40 Tf 1 0 0 1 72 690 Tm (A) Tj {rest} ET".encode())).text
    assert found.split()[:3] == ["A", "keeper", "sang"]


def test_a_drop_cap_belongs_to_a_word_that_occurs_once() -> None:
    lines = ["efore the railway", "came, the keeper", "had a b in school"]
    rest = " ".join(f"/F 11 Tf 1 0 0 1 102 {716 - 14 * at} Tm ({text}) Tj" for at, text in enumerate(lines))
    found = extract(document(f"BT /F 40 Tf 1 0 0 1 72 690 Tm (B) Tj {rest} ET".encode())).text
    assert found.split()[:2] == ["Before", "the"]


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("by_letter", [True, False])
def test_text_that_is_printed_twice_to_look_bold_is_read_once(shift: float, by_letter: bool) -> None:
    if by_letter:
        shown = " ".join(
            f"1 0 0 1 {at + more} 700 Tm ({letter}) Tj"
            for at, letter in [(72, "M"), (81.2, "u"), (87.3, "l"), (89.7, "l")]
            for more in (0, shift)
        )
    else:
        shown = " ".join(f"1 0 0 1 {72 + more} 700 Tm (Mull) Tj" for more in (0, shift))
    assert content(shown).split() == ["Mull"]


@pytest.mark.parametrize("by_letter", [True, False])
@pytest.mark.parametrize(("right", "up"), [(1.4, -1.4), (-0.8, -0.8), (1.4, 1.0), (0.4, -1)])
def test_a_shadow_is_no_text(right: float, up: float, by_letter: bool) -> None:
    letters = [(72, "M"), (81.2, "u"), (87.3, "n"), (93.4, "i"), (95.8, "m")]
    places = [(at, letter, more) for at, letter in letters for more in (0, 1)]
    if not by_letter:
        places.sort(key=lambda place: place[2])
    shown = " ".join(f"1 0 0 1 {at + more * right} {700 + more * up} Tm ({letter}) Tj" for at, letter, more in places)
    assert content(shown).split() == ["Munim"]


def test_letters_of_a_ligature_are_no_doubled_letters() -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"
    to_unicode = b"1 begincodespacerange<00><ff>endcodespacerange 1 beginbfchar<41><006600660069>endbfchar"
    data = document(
        b"BT /L 11 Tf 72 700 Td (A) Tj /F 11 Tf (nity) Tj ET", objects=[font, stream(to_unicode)], resources=b"/L 5 0 R"
    )
    assert extract(data.replace(b">>/L 5 0 R", b"/L 5 0 R>>")).text == "ffinity"


@pytest.mark.parametrize("word", ["Journal", "Quick", "Summer", "Harbour"])
def test_a_capital_with_small_letters_is_no_drop_cap(word: str) -> None:
    assert content(f"({word} {word}) Tj") == f"{word} {word}"


def test_a_line_that_runs_over_the_edge_of_the_page_is_complete() -> None:
    assert content(f"({'harbour ' * 30}) Tj").split() == ["harbour"] * 30


def test_equal_letters_side_by_side_are_kept() -> None:
    assert content("(bookkeeper Illinois 1111111) Tj") == "bookkeeper Illinois 1111111"


def test_a_character_code_beyond_unicode_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    given = glyphs._codes
    monkeypatch.setattr(glyphs, "_codes", lambda page: np.where(given(page) == ord("i"), 0x110000, given(page)))
    found = extract(document(b"BT /F 11 Tf 72 700 Td (ordinary) Tj ET"))
    assert found.text == "ordnary"
    assert found.warnings == ("characters without a mapping to Unicode left out: 1",)


def test_characters_are_equal_one_by_one_and_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = document(b"BT /F 11 Tf 72 700 Td (ordinary \\344 words) Tj ET")
    expected = extract(data).text
    monkeypatch.setattr(raw, "FPDFText_GetText", lambda *_: 0)
    assert extract(data).text == expected


LONG: list[Callable[[int], str]] = [
    lambda n: "a" * n,
    lambda n: "a-" * n,
    lambda n: "-" * n,
    lambda n: "a-\n" * n,
    lambda n: "a" + " " * n + "\n",
    lambda n: "a-" + " " * n + "b",
    lambda n: "a\n" * n,
    lambda n: SOFT_HYPHEN * n,
    lambda n: f"A{DROP_CAP}" * n,
    lambda n: CELLS * n,
]


@pytest.mark.slow
@pytest.mark.parametrize("create", LONG)
def test_time_grows_with_the_length_of_a_line(create: Callable[[int], str]) -> None:
    def seconds(n: int) -> float:
        lines = [line(text, 0, 30, 50) for text in create(n).split("\n")]
        start = time.process_time()
        paragraphs(without_running_heads([lines, [line("other", 0, 30, 50)]])[0])
        return time.process_time() - start

    seconds(10)
    assert seconds(80_000) < 30 * max(seconds(10_000), 0.05)  # 64 times, if it were quadratic


def test_many_marks_on_a_line_take_linear_time() -> None:
    def seconds(n: int) -> float:
        glyphs = [*letters("a" * n), None, *(Piece("\u0301", 7 * at + 2, 108, 7 * at + 4, 110) for at in range(n))]
        start = time.process_time()
        attached(glyphs)
        return time.process_time() - start

    assert seconds(16_000) < 30 * max(seconds(2_000), 0.05)


GLUED = [
    b"1 begincodespacerange <20> <23> endcodespacerange3 beginbfchar<20> <00DC><21> <00E4><23> <00FC>endbfcharendcmap",
    (b"begincmap 1begincodespacerange <20> <23> endcodespacerange 1beginbfrange <20> <20> <00DC> endbfrange2beginbfchar"
    b" <21> <00E4> <23> <00FC> endbfchar endcmap"),
    b"1 begincodespacerange<20><23>endcodespacerange1 beginbfrange<20><23>[<00DC><00E4><00F5><00FC>]endbfrangeendcmap",
]  # fmt: skip


@pytest.mark.parametrize("glued", GLUED)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("compress", [False, True])
def test_a_map_whose_words_are_not_separated_is_read(glued: bytes, packed: bool, compress: bool) -> None:
    head = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def/CMapType 2 def"
    )
    content = head + glued + b" CMapName currentdict /CMap defineresource pop end end"
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>"
    held = stream(content) if packed else b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content)
    shown = (
        b"BT /F 12 Tf 72 700 Td (V) Tj /L 12 Tf (!) Tj /F 12 Tf (ljastaja k) Tj /L 12 Tf (#) Tj /F 12 Tf (bar) Tj ET"
    )
    data = document(shown, objects=[font, held], resources=b"/L 5 0 R").replace(b">>/L 5 0 R", b"/L 5 0 R>>")
    assert extract(compressed(data) if compress else data).text == "Väljastaja kübar"


_ENTRIES = b"<21> <%s> <23> <%s>"
MAPS = {
    "count": b"100 beginbfchar " + _ENTRIES % (b"00E4", b"00FC") + b" endbfchar",
    "two digits": b"2 beginbfchar " + _ENTRIES % (b"E4", b"FC") + b" endbfchar",
    "range of two digits": b"2 beginbfrange <21><21><E4><23><23><FC> endbfrange",
    "comment": b"2 beginbfchar%\n"
    + _ENTRIES % (b"00E4", b"00 FC")
    + b" endbfchar1 beginbfrange <41><42><0041>endbfrange",
}
CODINGS: dict[bytes, Callable[[bytes], bytes]] = {
    b"": bytes,
    b"/Filter/FlateDecode/DecodeParms null": zlib.compress,
    b"/Filter[/ASCIIHexDecode]": lambda data: data.hex().encode() + b">",
    b"/Filter[/ASCII85Decode/FlateDecode]": lambda data: b85(zlib.compress(data)),
    b"/Filter/A85": lambda data: b85(data),
}


def b85(data: bytes) -> bytes:
    return base64.a85encode(data) + b"~>"


@pytest.mark.parametrize("written", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("coding", CODINGS)
def test_a_map_with_errors_is_read_in_every_coding(written: bytes, coding: bytes) -> None:
    head = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def "
    content = CODINGS[coding](
        head + b"1 begincodespacerange <20> <23> endcodespacerange " + written + b" endcmap end end"
    )
    held = b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(content), coding, content)
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>"
    shown = b"BT /F 12 Tf 72 700 Td (V) Tj /L 12 Tf (!) Tj /F 12 Tf (lj k) Tj /L 12 Tf (#) Tj /F 12 Tf (b) Tj ET"
    data = document(shown, objects=[font, held], resources=b"/L 5 0 R").replace(b">>/L 5 0 R", b"/L 5 0 R>>")
    assert extract(data).text == "Välj küb"


def test_a_map_that_cannot_be_mended_is_a_warning() -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"
    content = b"2beginbfchar<21><E4><22><E5>endbfchar"
    held = b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content)
    shown = b"BT /F 12 Tf 72 700 Td (V) Tj /L 12 Tf (!) Tj /F 12 Tf (ljastaja) Tj ET"
    found = extract(document(shown, objects=[font, held], resources=b"/L 5 0 R").replace(b">>/L 5 0 R", b"/L 5 0 R>>"))
    assert found.warnings == ("maps to Unicode left out: 1",)
    assert not undocumented(found)


@pytest.mark.parametrize("content", ["", "BT /F 11 Tf 9 9 Td (kettle) Tj ET"])
def test_pages_that_cannot_be_read_are_counted(content: str) -> None:
    data = document(content.encode()).replace(b"/Count 1/Kids[", b"/Count 2/Kids[99 0 R ")
    if content:
        found = extract(data)
        assert found.text == "kettle"
        told = "; ".join(found.warnings)
    else:
        with pytest.raises(NoTextError) as error:
            extract(data)
        told = str(error.value)
    assert "pages that cannot be read: 1 of 2 (first: page 1)" in told
