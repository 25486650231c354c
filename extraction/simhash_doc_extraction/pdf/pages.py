"""What pagination does to a text: running heads and page numbers, lines, and words broken at their ends."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from simhash_doc_extraction.pdf.lines import CELLS, DROP_CAP
from simhash_doc_extraction.pdf.pieces import SOFT_HYPHEN, UNSPACED, Piece
from simhash_doc_extraction.pdf.vertical import is_column

_EDGE_LINES = 3
"""Number of lines at the top and at the bottom of a page that can be running heads."""

_NEAR_PAGES = 4
_SAME_HEIGHT = 4.0  # points
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_AMOUNT = re.compile(r"\d[.,:]\d|[%‰°§$€£¥]")
_ROMAN = re.compile(r"(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_LONGEST_NUMBER = 9
_MOST_NUMBERS = 2  # of a page, and of all pages
_PAGE = frozenset(
    "page pages pag pg pp p seite seiten s blatt página páginas pagina paginas pagine pág strona str stránka strana "
    "strany stran sida sidan side sivu oldal sayfa pagină стр страница стор сторінка с σελ σελίδα 第 页 頁 ページ "
    "페이지 쪽 صفحة עמוד หน้า trang hal halaman".split()
)
_PAGE_WORDS = _PAGE | frozenset("of von sur de di da do del z av af from из з от από 共 من מתוך".split())
"""With numbers that go up from page to page, these words are a page number."""


@dataclass(frozen=True, slots=True, eq=False)
class _Cell:
    """A text at the edge of a page: a line, or the part of it between wide gaps."""

    page: int
    line: Piece
    at: int  # the place in the line
    text: str  # case-folded
    words: tuple[str, ...]  # without the numbers
    pattern: tuple[str, ...]  # with a mark for each number
    numbers: tuple[int, ...]


_NUMBER = "#"


_MOST_CELLS = 20


def _cells(line: Piece) -> list[str]:
    texts = line.text.split(CELLS)
    return texts if len(texts) <= _MOST_CELLS else [line.text]


def _cell(page: int, line: Piece, at: int, text: str) -> _Cell:
    text = text.casefold()
    tokens = _TOKEN.findall(text)
    numbers: list[int] = []
    if len(tokens) == 1 and _ROMAN.fullmatch(tokens[0]):
        numbers, tokens = [_roman(tokens[0])], [_NUMBER]
    for index, token in enumerate(tokens):
        if token.isdecimal() and len(token) <= _LONGEST_NUMBER:
            numbers.append(int(token))
            tokens[index] = _NUMBER
    words = tuple(token for token in tokens if token != _NUMBER)
    return _Cell(page, line, at, text, words, tuple(tokens), tuple(numbers))


def _roman(numeral: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    return sum(-value if value < following else value for value, following in pairwise([*values, 0]))


def without_running_heads(pages: Sequence[list[Piece]]) -> tuple[list[list[Piece]], list[str]]:
    """Return the pages without page numbers and without running heads and feet (SD-EXTRACT-7), and the running heads.

    - A text at the top or bottom of a page is a running head if two pages nearby (in a document of two pages, one) have
      it at the same height, and if all of its line is. It can hold a number that goes up with the pages, if it is the
      outermost line and apart from the text. The first of equal heads is kept, because it can be content: on top of the
      first page where it is, others apart from the pages, so that they do not interrupt the text.
    - A page number is alone on the outermost line that is no running head, and goes up with the pages. If only one
      other page shows this, it must also be apart from the text.

    If nothing would remain, nothing is removed.
    """
    if len(pages) < 2:
        return list(pages), []
    edges = [
        [_cell(number, line, at, text) for line in _edges(lines) for at, text in enumerate(_cells(line))]
        for number, lines in enumerate(pages)
    ]
    pitch = _pitch(pages)
    heads = _heads(edges, min(2, len(pages) - 1), pitch)
    numbers = _page_numbers(edges, heads, pitch)
    mixed = {
        (number, id(cell.line))
        for number, cells in enumerate(edges)
        for cell in cells
        if _place(cell) not in heads and _place(cell) not in numbers
    }
    heads = {place: text for place, text in heads.items() if place[:2] not in mixed}
    known = {
        text.casefold()
        for number, lines in enumerate(pages)
        for line in lines
        for at, text in enumerate(_cells(line))
        if (number, id(line), at) not in heads
    }
    removed = set(numbers)
    apart: list[str] = []
    top = max((cell.line.bottom for cell in edges[0] if _place(cell) not in heads), default=float("-inf"))
    for cells in edges:
        for cell in cells:
            text = heads.get(_place(cell))
            if text is None or (text not in known and not cell.page and cell.line.bottom >= top):
                known.add(text or "")
                continue
            removed.add(_place(cell))
            if text not in known:
                apart.append(_cells(cell.line)[cell.at])
                known.add(text)
    kept = [list(_kept(number, lines, removed)) for number, lines in enumerate(pages)]
    return (kept, apart) if any(kept) else (list(pages), [])


Place = tuple[int, int, int]
"""Page, identity of a line, and place of a cell in it."""


def _place(cell: _Cell) -> Place:
    return cell.page, id(cell.line), cell.at


def _kept(number: int, lines: Sequence[Piece], removed: set[Place]) -> Iterator[Piece]:
    for line in lines:
        texts = _cells(line)
        rest = [text for at, text in enumerate(texts) if (number, id(line), at) not in removed]
        if rest:
            yield line if len(rest) == len(texts) else replace(line, text=CELLS.join(rest))


def _heads(edges: Sequence[Sequence[_Cell]], required: int, pitch: float) -> dict[Place, str]:
    """Return the places of running heads, each with the text of which the first occurrence is kept."""
    places: dict[tuple[str, ...], dict[int, list[_Cell]]] = defaultdict(lambda: defaultdict(list))
    for cells in edges:
        for cell in cells:
            places[cell.pattern][cell.page].append(cell)

    def like(cell: _Cell) -> list[list[_Cell]]:
        return [
            [other for other in places[cell.pattern].get(page, ()) if _is_at_height_of(other, cell)]
            for page in _near(cell.page)
        ]

    equal = {
        _place(cell): cell.text
        for cells in edges
        for cell in cells
        if sum(any(other.text == cell.text for other in others) for others in like(cell)) >= required
    }
    return equal | {
        _place(cell): " ".join(cell.pattern)
        for cells in edges
        for cell, is_apart in _outermost(cells, equal, pitch)
        if is_apart
        and len(cell.words) > 1
        and not _is_number(cell)
        and sum(any(_goes_up(cell, other) for other in others) for others in like(cell)) > 1
    }


def _near(page: int) -> list[int]:
    return [other for other in range(page - _NEAR_PAGES, page + _NEAR_PAGES + 1) if other != page]


def _is_at_height_of(cell: _Cell, other: _Cell) -> bool:
    return abs(cell.line.bottom - other.line.bottom) <= _SAME_HEIGHT


def _is_number(cell: _Cell) -> bool:
    """Return True if a cell is a number, perhaps of another, and words such as "page"; no section, amount or date."""
    return (
        0 < len(cell.numbers) <= _MOST_NUMBERS and _PAGE_WORDS.issuperset(cell.words) and not _AMOUNT.search(cell.text)
    )


def _goes_up(cell: _Cell, other: _Cell, most: int = 1) -> bool:
    """Return True if the numbers of two cells are equal, except for one that goes up by one (or `most`) on each page.

    Beside words that are not about pages, it is the first or the last: "Yearbook 12", not "Invoice 12 of Barnacle".
    """
    if other.pattern != cell.pattern:
        return False
    pages = other.page - cell.page
    steps = {pages * step for step in range(1, most + 1)}
    changed = [at for at, (one, two) in enumerate(zip(cell.numbers, other.numbers, strict=True)) if one != two]
    if len(changed) != 1 or other.numbers[changed[0]] - cell.numbers[changed[0]] not in steps:
        return False
    index = [at for at, token in enumerate(cell.pattern) if token == _NUMBER][changed[0]]
    beside = cell.pattern[max(index - 1, 0) : index] + cell.pattern[index + 1 : index + 2]
    return len(beside) < 2 or not _PAGE.isdisjoint(beside)


_APART = 1.3
"""A page number is farther from the text than this many lines, unless more than one page nearby confirms it."""


def _outermost(cells: Sequence[_Cell], heads: dict[Place, str], pitch: float) -> Iterator[tuple[_Cell, bool]]:
    """Yield the highest and the lowest cells that are not heads, each with True if it is apart from the other lines."""
    rest = [cell for cell in cells if _place(cell) not in heads]
    levels = sorted(cell.line.bottom for cell in rest)
    for cell in rest:
        if _is_level(levels[0], cell) or _is_level(levels[-1], cell):
            gaps = (abs(level - cell.line.bottom) for level in levels if not _is_level(level, cell))
            yield cell, min(gaps, default=0.0) > _APART * pitch


def _page_numbers(edges: Sequence[Sequence[_Cell]], heads: dict[Place, str], pitch: float) -> set[Place]:
    """Return the places of page numbers. Without confirmation, the last cells of a table could look like them."""
    outer = [{cell: apart for cell, apart in _outermost(cells, heads, pitch) if _is_number(cell)} for cells in edges]
    found = set()
    for number, cells_apart in enumerate(outer):
        for cell, is_apart in cells_apart.items():
            near = [outer[page] for page in _near(number) if 0 <= page < len(outer)]
            confirmed = sum(any(_goes_up(cell, other, most=2) for other in others) for others in near)
            if confirmed > 1 or (confirmed and is_apart):
                found.add(_place(cell))
    return found


def _is_level(level: float, cell: _Cell) -> bool:
    return abs(level - cell.line.bottom) < _SAME_HEIGHT


def _edges(lines: list[Piece]) -> list[Piece]:
    ordered = sorted(lines, key=lambda line: -line.bottom)
    if len(ordered) <= 2 * _EDGE_LINES:
        return ordered
    return ordered[:_EDGE_LINES] + ordered[-_EDGE_LINES:]


_HYPHENS = "-\u2010"
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_BREAK = re.compile(rf"([{_HYPHENS}{SOFT_HYPHEN}])[^\S\n]*+\n\s*+")
_BROKEN = re.compile(rf"(?<![^\W\d_])[^\W\d_]++(?:{_BREAK.pattern}[^\W\d_]++){{1,8}}+")
"""Possessive, of few parts, and only from the start of a word: the time is linear also in long words."""

_CAPPED = re.compile(rf"([^\W\d_]){DROP_CAP}([^\W\d_]++)")
_INSIDE_UNSPACED = re.compile(f"(?<=[{UNSPACED}])\n(?=[{UNSPACED}])")


def paragraphs(pages: Iterable[list[Piece]]) -> str:
    """Return the text of pages, with lines joined to paragraphs and broken words joined (SD-EXTRACT-7)."""
    pages = list(pages)
    pitch = _pitch(pages)
    blocks: list[list[str]] = []
    last: Piece | None = None
    for lines in pages:
        for line in lines:
            if last is None or not _continues(last, line, pitch):
                blocks.append([])
            blocks[-1].append(line.text)
            last = line
    text = "\n\n".join("\n".join(block) for block in blocks)
    if DROP_CAP in text or _BREAK.search(text):
        text = _with_whole_words(text)
    text = _INSIDE_UNSPACED.sub("", text)
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text).replace(CELLS, " ").replace(SOFT_HYPHEN, "-")


def _with_whole_words(text: str) -> str:
    """Return a text with broken words and drop caps joined, depending on its other words."""
    has_caps, whole = DROP_CAP in text, _BROKEN.sub(" ", text)
    words = frozenset(map(str.casefold, set(_WORD.findall(_CAPPED.sub(" ", whole) if has_caps else whole))))
    if has_caps:
        text = _CAPPED.sub(lambda found: _join_cap(found, words), text).replace(DROP_CAP, " ")
    return _BROKEN.sub(lambda found: _join_parts(found[0], words), text)


def _pitch(pages: Sequence[list[Piece]]) -> float:
    """Return the median distance between the baselines of consecutive lines, in points."""
    steps = [
        above.bottom - line.bottom
        for lines in pages
        for above, line in pairwise(lines)
        if 0 < above.bottom - line.bottom < 3 * max(above.height, line.height)
    ]
    return median(steps) if steps else 0.0


def _continues(last: Piece, line: Piece, pitch: float) -> bool:
    """Return True if a line continues the paragraph of the line before it."""
    if last.text.endswith(SOFT_HYPHEN) or (is_column(last) and is_column(line)):
        return True
    step = last.bottom - line.bottom
    if step < 0:  # the next column or page
        return not last.text.endswith((".", "!", "?", ":", "。"))
    return step < 1.3 * pitch and abs(last.height - line.height) < 0.5 * max(last.height, line.height)


def _join_parts(broken: str, words: frozenset[str]) -> str:
    """Join the parts of a word from the first one on: a narrow column breaks a word more than once."""
    first, *rest = _BREAK.split(broken)
    for hyphen, second in zip(rest[::2], rest[1::2], strict=True):
        first = _join_halves(first, hyphen, second, words)
    return first


def _join_halves(first: str, hyphen: str, second: str, words: frozenset[str]) -> str:
    """Join the two halves of a word, or keep the hyphen of a compound, depending on the other words of the document."""
    joined, compound = (first + second).casefold(), f"{first}-{second}".casefold()
    if joined in words:
        return first + second
    if compound in words or second[0].isupper():
        return f"{first}-{second}"
    if hyphen != SOFT_HYPHEN and not second[0].islower():
        return f"{first}-{second}"
    if min(len(first), len(second)) > 2 and first.casefold() in words and second.casefold() in words:
        return f"{first}-{second}"
    return first + second


def _join_cap(found: re.Match[str], words: frozenset[str]) -> str:
    """Join a drop cap and the rest of its word, or keep it as a word, depending on the other words of the document."""
    cap, rest = found.groups()
    is_word = (cap + rest).casefold() not in words and rest.casefold() in words and cap.casefold() in words
    return f"{cap} {rest}" if is_word else cap + rest
