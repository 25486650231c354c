"""Spaces at the gaps of a line, and text that is printed twice."""

from __future__ import annotations

from random import Random

import pytest

from simhash_doc_extraction import extract
from tests.extraction.pdf_fonts import with_font
from tests.extraction.pdf_places import document, stream

WORDS = "important factors often live after quiet river valley towns fall".split()
# Advance widths of Helvetica, in thousandths of an em (Adobe's metrics of the standard 14 fonts).
LETTER_WIDTHS = dict(zip("abcdefghijklmnopqrstuvwxyz", (
    556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500,
    500, 500,
), strict=True))  # fmt: skip
SIZE = 12


def line(words: list[str], *, between: float, within: float = 0.0, by: str = "word", top: int = 700) -> bytes:
    """Return content with words, with so many ems between them and within them, in strings of a word or a letter."""
    x, shown = 72.0, ""
    for word in words:
        if by == "word":
            shown += f"{within * SIZE} Tc 1 0 0 1 {x:.3f} {top} Tm ({word}) Tj "
        for letter in word:
            if by == "letter":
                shown += f"1 0 0 1 {x:.3f} {top} Tm ({letter}) Tj "
            x += SIZE * (LETTER_WIDTHS[letter] / 1000 + within)
        x += SIZE * (between - within)
    return f"BT /F {SIZE} Tf {shown} ET\n".encode()


@pytest.mark.parametrize("by", ["word", "letter"])
@pytest.mark.parametrize(
    ("between", "within"), [(0.117, 0.0), (0.15, 0.0), (0.28, 0.0), (0.28, 0.1), (0.5, 0.2), (0.6, 0.3), (0.9, 0.5), (0.2, -0.05)]
)  # fmt: skip
def test_a_space_is_wider_than_the_gaps_within_words(by: str, between: float, within: float) -> None:
    assert extract(document(line(WORDS, between=between, within=within, by=by))).text.split() == WORDS


@pytest.mark.parametrize("by", ["word", "letter"])
def test_one_word_that_is_set_wide_in_a_line_is_one_word(by: str) -> None:
    words = line(WORDS[:3], between=0.28, by=by)
    wide = line(["harbour"], between=0.3, within=0.3, by=by).replace(b"72.000", b"240.000")
    if by == "letter":
        moved, x = b"BT /F 12 Tf ", 240.0
        for letter in "harbour":
            moved += f"1 0 0 1 {x:.3f} 700 Tm ({letter}) Tj ".encode()
            x += SIZE * (LETTER_WIDTHS[letter] / 1000 + 0.3)
        wide = moved + b"ET\n"
    assert extract(document(words + wide)).text.split() == [*WORDS[:3], "harbour"]


def shown(*strings: str, between: float, within: float = 0.0, font: str = "F", top: int = 700) -> bytes:
    """Return content in one line: strings with so many ems between them, and between their letters."""
    letters = (f" {-1000 * within} ".join(f"<{ord(letter):x}>" for letter in string) for string in strings)
    return f"BT /{font} {SIZE} Tf 72 {top} Td [{f' {-1000 * between} '.join(letters)}] TJ ET\n".encode()


@pytest.mark.parametrize(
    ("words", "font", "between"),
    [
        *((words, "Courier", 0.6) for words in ("f a b c", "x y z", "p q r s t", "let f x y z = h x y")),
        ("let f x y z = h x y", "Helvetica", 0.278),
        ("(m x) -> (m y) -> m z", "Helvetica", 0.278),
    ],
)
def test_words_of_one_letter_are_no_letters_that_are_set_wide(words: str, font: str, between: float) -> None:
    page = with_font(
        f"<</Type/Font/Subtype/Type1/BaseFont/{font}>>".encode(), shown(*words.split(), between=between, font="G")
    )
    assert extract(page).text.split() == words.split()


@pytest.mark.parametrize("gap", [0.05, 0.12, 0.18])
def test_digits_that_are_set_wide_are_one_number(gap: float) -> None:
    numbers = ["14,918,000", "25,110,000", "00"]
    assert extract(document(shown(*numbers, between=0.9, within=gap))).text.split() == numbers


def test_leaders_beside_letters_that_are_set_wide_say_nothing_about_them() -> None:
    found = extract(
        document(shown("HR", "(95%", "CI)", "." * 60, between=0.79, within=0.18).replace(b"180.0 <2e>", b"0 <2e>"))
    )
    assert found.text.split()[:3] == ["HR", "(95%", "CI)"]


@pytest.mark.parametrize(("matrix", "size"), [(0.001, 12), (0.01, 12), (1, 1), (0.24, 1), (0.0138, 1)])
def test_the_size_of_a_type_3_font_is_that_of_its_letters(matrix: float, size: int) -> None:
    unit = 12 / size / matrix  # of the glyphs, for an em of 12 points
    widths = b" ".join(b"%g" % (unit / 2) for _ in range(95))
    font = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 %g %g]/FontMatrix[%g 0 0 %g 0 0]/FirstChar 32/LastChar 126/Widths[%s]"
        b"/CharProcs<</e 7 0 R>>/Encoding<</Differences[32%s]>>/ToUnicode 8 0 R/Resources<<>>>>"
        % (unit, unit, matrix, matrix, widths, b"/e" * 95)
    )
    glyph = stream(b"%g 0 0 0 %g %g d1 0 0 %g %g re f" % (unit / 2, *[unit * 0.45] * 4))
    names = stream(b"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange")
    content, x = f"BT /G {size} Tf ", 72.0
    for word in WORDS:
        content += f"1 0 0 1 {x} 700 Tm ({word}) Tj "
        x += 6 * len(word) + 3.6
    assert extract(with_font(font, content.encode() + b"ET", glyph, names)).text.split() == WORDS


def test_a_space_without_width_after_a_ligature_is_none() -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[1/fi]>>>>"
    found = extract(
        with_font(font, b"BT /G 12 Tf 72 700 Td [(form \001) 278 ( ) 0 (elds) -300 (\001) -10 ( nal)] TJ ET")
    )
    assert found.text == "form fields fi nal"


def test_the_last_letter_of_a_word_in_a_string_of_its_own_stays_in_it() -> None:
    words = " ".join(f"2 Tc ({' ' * bool(at)}{word[:-1]}) Tj 0 Tc ({word[-1]}) Tj" for at, word in enumerate(WORDS))
    assert extract(document(f"BT /F 12 Tf 72 700 Td {words} ET".encode())).text.split() == WORDS


def test_single_digits_in_columns_are_numbers_of_their_own() -> None:
    digits = " ".join(f"1 0 0 1 {72 + 14 * at} 700 Tm ({at}) Tj" for at in range(10))
    assert extract(document(f"BT /F 12 Tf {digits} ET".encode())).text.split() == list("0123456789")


def lines(count: int = 20, *, seed: int = 1) -> list[list[str]]:
    random = Random(seed)
    return [random.sample(WORDS, 6) for _ in range(count)]


def page(rows: list[list[str]], right: float = 0.0, up: float = 0.0, prefix: str = "", font: str = "F") -> bytes:
    shown = " ".join(
        f"1 0 0 1 {72 + right} {700 - 16 * at + up} Tm ({' '.join(words)}) Tj" for at, words in enumerate(rows)
    )
    return f"BT /{font} 12 Tf {prefix} {shown} ET\n".encode()


@pytest.mark.parametrize(("right", "up"), [(0, 0), (0.4, 0), (1.2, -1.2), (-0.8, 0.8)])
@pytest.mark.parametrize(("first", "second"), [("", ""), ("3 Tr", "0 Tr"), ("", "3 Tr")])
def test_a_page_that_is_painted_twice_is_read_once(right: float, up: float, first: str, second: str) -> None:
    rows = lines()
    found = extract(document(page(rows, prefix=first) + page(rows, right, up, prefix=second)))
    assert found.text.split() == [word for words in rows for word in words]


def test_a_layer_of_recognized_text_under_other_letters_is_read_once() -> None:
    rows = lines()
    recognized = b"".join(  # each word at its place, as wide as there, in letters of another shape
        line([word], between=0, by="word", top=700 - 16 * at).replace(b"/F 12", b"3 Tr /F 11.4")
        for at, words in enumerate(rows)
        for word in words[:1]
    )
    found = extract(document(page(rows) + recognized))
    assert found.text.split() == [word for words in rows for word in words]


def test_equal_words_that_touch_are_two() -> None:
    rows = [["that", "that", "a", "a", "ill", "ill"]] * 3
    assert extract(document(page(rows))).text.split() == [word for words in rows for word in words]


@pytest.mark.parametrize("order", ["part then word", "all parts then all words", "all words then all parts"])
@pytest.mark.parametrize("length", [1, 3])
def test_parts_of_words_that_are_painted_again_are_left_out(order: str, length: int) -> None:
    places = [(word, 72 + 90 * (at % 5), 700 - 20 * (at // 5)) for at, word in enumerate(WORDS)]
    whole, parts = (
        [b"BT /F 12 Tf %d %d Td (%s) Tj ET\n" % (x, y, word[:size].encode()) for word, x, y in places]
        for size in (99, length)
    )
    painted = {
        "part then word": [piece for pair in zip(parts, whole, strict=True) for piece in pair],
        "all parts then all words": parts + whole,
        "all words then all parts": whole + parts,
    }[order]
    assert extract(document(b"".join(painted))).text.split() == WORDS


def in_two_passes(words: list[str], late: str, blank: str, top: int) -> bytes:
    """Return content of one line, in one string in which some letters come after the others."""
    x = 0
    passes: tuple[list[tuple[int, str]], list[tuple[int, str]]] = [], []
    for word in words:
        for letter in word:
            passes[letter in late].append((x, letter))
            x += LETTER_WIDTHS[letter]
        passes[0].append((x, blank))
        x += 278
    shown, at = "", 0
    for x, letter in [*passes[0], *passes[1]]:
        shown += f"{at - x} ({letter}) "
        at = x + (LETTER_WIDTHS | {" ": 278, "": 0})[letter]
    return f"BT /F {SIZE} Tf 72 {top} Td [{shown}] TJ ET\n".encode()


@pytest.mark.parametrize("late", ["e", "t", "aou", "eiou", "ltr", "nftv"])
@pytest.mark.parametrize("blank", ["", " "])
def test_letters_that_are_painted_after_their_line_are_in_their_words(late: str, blank: str) -> None:
    rows = [random.sample(WORDS, 6) for random in map(Random, range(5))]
    content = b"".join(in_two_passes(words, late, blank, 700 - 20 * at) for at, words in enumerate(rows))
    assert extract(document(content)).text.split() == [word for words in rows for word in words]


@pytest.mark.parametrize(("painted", "text"), [
    ("(1) -278 (9) 834 (.)", "1.9"),
    ("(12) -278 (50) -3000 (7) 4946 (,)", "12,50 7"),
    ("(a) -5000 (c) 3000 (b)", "a c b"),  # fills no gap
    ("(two) -1000 (words) 4400 (x)", "two words x"),  # is over letters
])  # fmt: skip
def test_only_what_fills_a_gap_is_moved(painted: str, text: str) -> None:
    found = extract(document(f"BT /F 12 Tf 72 700 Td [{painted}] TJ ET".encode())).text
    assert " ".join(found.split()) == text


@pytest.mark.parametrize(("right", "up"), [(1, -2), (-1, -2), (-1, 2), (0.6, 0)])
@pytest.mark.parametrize(
    "parts", [["two points, y", "ellow lamp"], ["points y", "ellow ", "lamp"], ["new", " y", "e", "llow lamp"]]
)
def test_a_shadow_of_parts_of_words_adds_no_blanks(right: float, up: float, parts: list[str]) -> None:
    x, content = 72.0, "BT /F 14 Tf "
    for part in parts:
        for more in (1, 0):
            content += f"1 0 0 1 {x + more * right:.3f} {700 + more * up} Tm ({part}) Tj "
        x += sum({" ": 278, ",": 278, **LETTER_WIDTHS}[letter] for letter in part) * 14 / 1000
    assert " ".join(extract(document(f"{content} ET".encode())).text.split()) == "".join(parts)
