"""Sections 4 and 6: both sides of every range border of the Unicode tables, and the blocks of all assigned planes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from generators.case_builder import Draft, draft, table
from generators.table_lines import blocks, borders, table_lines

# What one code point becomes in a text. A following item cannot change the answer to it.
WORD_ITEM = "x{0}{0}y 1{0} "
FOLD_ITEM = "{0} "
PER_CASE = 320  # code points, so that a difference is easily found
# The last ideographs of earlier versions of Unicode, inside the ranges of 15.0.
OLD_ENDS = (
    0xFA0E, 0xFA0F, 0xFA11, 0xFA13, 0xFA14, 0xFA1F, 0xFA21, 0xFA23, 0xFA24, 0xFA27, 0xFA28, 0xFA29,
    0x4DB5, 0x9FA5, 0x9FBB, 0x9FC3, 0x9FCB, 0x9FCC, 0x9FD5, 0x9FEA, 0x9FEF, 0x9FFC, 0x2A6D6, 0x2A6DD, 0x2B734, 0x2B738)  # fmt: skip
# Letters of scripts whose use of spaces is often mistaken: none is in `continua.txt`, or only a part of the script.
SCRIPTS = {
    "tangut": (0x17000, 0x18D00), "nushu": (0x1B170,), "khitan": (0x18B00,), "yi": (0xA000, 0xA490), "bopomofo": (0x3105, 0x31A0),
    "hangul": (0xAC00, 0x1100, 0x3131), "tibetan": (0x0F40,), "javanese": (0xA984,), "balinese": (0x1B05,), "batak": (0x1BC0,),
    "sundanese": (0x1B83,), "cham": (0xAA00,), "lepcha": (0x1C00,), "limbu": (0x1900,), "buginese": (0x1A00,), "lisu": (0xA4D0,),
    "vai": (0xA500,), "mongolian": (0x1820,), "phags-pa": (0xA840,), "ethiopic": (0x1200,), "cuneiform": (0x12000,),
    "hieroglyphs": (0x13000, 0x14400), "kawi": (0x11F04,), "chakma": (0x11103,), "kayah-li": (0xA90A,), "miao": (0x16F00,),
    "marks": (0x302A, 0x302E, 0x3031, 0x3099, 0x309B, 0x3006, 0x303C, 0x16FE0, 0x16FE4),
}  # fmt: skip


def _text(code_points: Iterable[int], item: str) -> str:
    return "".join(item.format(chr(code)) for code in code_points)


def _blocks(slug: str, op: str, requirements: Sequence[str], code_points: Iterable[int], item: str) -> Iterator[Draft]:
    """Yield one case for each block of code points, named by its first one."""
    for block in blocks(code_points, PER_CASE):
        comment = f"both sides of the range borders of {slug}.txt, U+{block[0]:04X} to U+{block[-1]:04X}"
        row = {f"{block[0]:05x}": (_text(block, item), comment)}
        yield from table(f"tables/{slug}-", op, requirements, row, "table")


def word() -> Iterator[Draft]:
    """Every border of word, alphabetic and continua: between letters, doubled, and after a digit."""
    requirements = {
        "word": ("SD-RUN-1", "SD-UNI-1"),
        "alphabetic": ("SD-FILTER-2", "SD-UNI-1"),
        "continua": ("SD-SPLIT-1", "SD-UNI-1"),
    }
    done: set[int] = set()
    for name, named in requirements.items():
        fresh = [code for code in borders(name) if code not in done]
        done.update(fresh)
        yield from _blocks(name, "tokens", named, fresh, WORD_ITEM)


def interior() -> Iterator[Draft]:
    """Code points inside the ranges, where an older table or another property has a border."""
    ends = sorted({code + side for code in OLD_ENDS for side in (0, 1)})
    letters = "".join(_text(codes, "{0}{0}{0} x{0}y ") for codes in SCRIPTS.values())
    comment = "the last ideographs of earlier versions of Unicode, and the next ones"
    yield from table("tables/continua-", "tokens", "SD-SPLIT-1", {
        "old-ends": (_text(ends, WORD_ITEM), comment, "SD-SPLIT-1", "SD-UNI-1"),
        "scripts": (letters, "three letters of each of many scripts"),
    }, "table")  # fmt: skip


def connectors() -> Iterator[Draft]:
    """Every connector, alone, twice and next to another, around letters, digits, marks and ideographs."""
    signs = "_\u203f\u2040\u2054\ufe33\ufe34\ufe4d\ufe4e\ufe4f\uff3f"
    item = "{0}a{0}b{0}{0} a{0}{0}b {0}1{0} 1{0}a {0}\u0301{0} {0}\u0301a {0}東京{0} 東{0}京 {0}東{0}x{0} x{0}東 _{0}a{0}_ {0}_a_{0} "
    rows = {f"{ord(sign):04x}": (item.format(sign), f"U+{ord(sign):04X} in every place") for sign in signs}
    yield from table("tables/connector-", "tokens", ("SD-FILTER-1", "SD-FILTER-2"), rows, "table")


def white_space() -> Iterator[Draft]:
    """Line ends, white space and U+0000, which folding keeps."""
    texts = {
        "empty": "", "space": " ", "ends": " a ", "lines": "\ta\r\nb\rc\n\n", "several": "a  b   c", "no-break": "a\u00a0 \u00a0b", "ideographic": "\u3000a\u3000",
        "nul": "a\0b\0", "separators": "a\u2028b\u2029c\u0085d", "controls": "".join(map(chr, range(32))) + "\x7f\x80\x9f", "soft": "\u00ad", "spaces": "\u2000\u2003\u200a\u202f\u205f\u1680",
    }  # fmt: skip
    rows = {slug: (text, "white space and controls") for slug, text in texts.items()}
    yield from table("tables/white-space-", "fold", "SD-FOLD-1", rows, "table")


def folding() -> Iterator[Draft]:
    """Every border of assigned, and every line of nfkc_casefold on both sides."""
    yield from _blocks("assigned", "fold", ("SD-FOLD-2", "SD-UNI-1"), borders("assigned"), FOLD_ITEM)
    known = set(borders("assigned"))
    fresh = [code for code in borders("nfkc_casefold") if code not in known]
    yield from _blocks("nfkc_casefold", "fold", ("SD-FOLD-1", "SD-UNI-1"), fresh, FOLD_ITEM)


def _alone(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge ranges that overlap or touch, without surrogates."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def nonstarters() -> Iterator[Draft]:
    """Every non-starter and its neighbours, each in a run with 30 other non-starters, the longest that is allowed."""
    item = "q" + "\u0301" * 15 + "{}" + "\u0301" * 15 + " "
    ranges = _alone((first - 1, last + 1) for first, last, _ in table_lines("nonstarter"))
    for block in blocks(ranges, 40):
        which = f"all non-starters from U+{block[0][0] + 1:04X} to U+{block[-1][1] - 1:04X} and their neighbours"
        recipe = {"concat": [{"scalars": list(pair), "template": item} for pair in block]}
        row = {f"{block[0][0]:05x}": (recipe, f"{which}, each between 15 and 15 acute accents")}
        yield from table("tables/nonstarter-", "fold", ("SD-FOLD-4", "SD-UNI-1"), row, "table", member="recipe")


def classes() -> Iterator[Draft]:
    """Each border of combining_class: the code point after marks of the next, the same and the previous class."""
    representative: dict[int, int] = {}
    lines = list(table_lines("combining_class"))
    for first, _, value in lines:
        representative.setdefault(int(value), first)
    order = sorted(representative)
    previous = {b: a for a, b in pairwise(order)}
    following = dict(pairwise(order))
    items: list[tuple[int, str]] = []
    for first, last, value in lines:
        number = int(value)
        around = [following.get(number), number, previous.get(number)]
        marks = "".join(chr(representative[n]) for n in around if n is not None)
        items += [(code, f"q{marks}{chr(code)} ") for code in sorted({first, last})]
    rows = {}
    for block in blocks(items, 150):
        which = f"the marks from U+{block[0][0]:04X} to U+{block[-1][0]:04X}"
        comment = f"{which}, each after marks of the next class, of its own and of the previous one"
        rows[f"{block[0][0]:05x}"] = ("".join(text for _, text in block), comment)
    marks = "".join(chr(representative[number]) for number in order)
    for slug, listed in (("ascending", marks), ("descending", marks[::-1])):
        text = " ".join(f"q{''.join(part)}" for part in blocks(listed, 28))
        rows[slug] = (text, f"one mark of every class, {slug}")
    yield from table("tables/combining_class-", "fold", ("SD-FOLD-5", "SD-UNI-2"), rows, "table")


def sweep() -> Iterator[Draft]:
    """All code points of the planes that have assigned ones, as digests."""
    size = 0x4000
    for first in (*range(0, 0x34000, size), 0xE0000):
        for op, item, requirements in (
            ("fold", "{}\na{}\u0301\u0316\n", ("SD-FOLD-1", "SD-FOLD-2", "SD-FOLD-5", "SD-UNI-1")),
            ("tokens", "x{}{}y\n1{}\n", ("SD-RUN-1", "SD-SPLIT-1", "SD-FILTER-2", "SD-UNI-1")),
        ):
            last = first + size - 1
            comment = f"every scalar value from U+{first:04X} to U+{last:04X}; the answer is a digest"
            case = partial(draft, f"tables/sweep-{op}-{first:05x}", op, requirements, comment, "table", "large", "huge")
            yield case(recipe={"scalars": [first, last], "template": item}, digest=True)


GENERATORS = (word, interior, connectors, white_space, folding, nonstarters, classes, sweep)
