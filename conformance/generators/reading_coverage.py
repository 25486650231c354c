"""Section 3: every pair of bytes that begins a sequence, all surrogate pairs' borders, and byte order marks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from generators.case_builder import Draft, draft, table
from generators.table_lines import blocks

# The borders of the classes of table 3-7 of the Unicode Standard.
SECOND = (0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xF0)
LATER = (0x41, 0x7F, 0x80, 0xBF, 0xC0)
LONG_STARTS = (0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF)
UNITS = (0x0041, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000)
BOM = b"\xef\xbb\xbf"


def sequences() -> Iterator[Draft]:
    """Every first byte with both sides of every border of a second, third and fourth byte."""
    two = [bytes(pair) for pair in product(range(0x80, 0x100), SECOND)]
    # Only the second bytes 80, 90 and A0 to BF can be well-formed after E0 to F4.
    four = [bytes(item) for item in product(LONG_STARTS, (0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF), LATER, LATER)]
    for slug, items in (("two", two), ("four", four)):
        for number, block in enumerate(blocks(items, 430)):
            given = b"".join(b"x" + item + b"y " for item in block).hex()
            row = {f"{slug}-{number}": (given, f"sequences of {slug} bytes, well-formed and not")}
            yield from table("read/sequences-", "fold", "SD-INPUT-2", row, "bytes", member="bytes")
    ends = {"2": b"\xc3", "3-1": b"\xe6", "3-2": b"\xe6\x9d", "4-1": b"\xf0", "4-2": b"\xf0\x9f", "4-3": b"\xf0\x9f\x98", "ff": b"\xff"}  # fmt: skip
    rows = {slug: ((b"x" + end).hex(), "the document ends inside a sequence") for slug, end in ends.items()}
    yield from table("read/end-", "fold", "SD-INPUT-2", rows, "bytes", member="bytes")


def marks() -> Iterator[Draft]:
    """Byte order marks, parts of one, and characters whose bytes are those of one."""
    texts = {
        "full-width": BOM + "Ａbc".encode(), "presentation": BOM + "ﻻx".encode(), "continuation": BOM + b"\xbb\xbfx", "twice": BOM + BOM + b"x",
        "cut": b"\xef\xbbx", "only": BOM, "alone-full-width": "Ａbc".encode(), "inside": b"ab" + BOM + b"cd", "after-space": b" " + BOM + b"x",
        "end": b"x" + BOM, "utf-16": b"\xff\xfea\0b\0", "utf-16-be": b"\xfe\xff\0a\0b", "utf-32": b"\xff\xfe\0\0a\0\0\0", "reversed": b"\xef\xbf\xbex", "digits": BOM + b"1a",
        "mark": BOM + "\u0301x".encode(), "nul": BOM + b"\0x", "link": BOM + b"http://a.example/b c",
    }  # fmt: skip
    for slug, data in texts.items():
        for op in ("fold", "tokens"):
            row = {f"{slug}-{op}": (data.hex(), f"byte order marks and what is like one: {slug}")}
            yield from table("read/bom-", op, ("SD-INPUT-1", "SD-INPUT-2"), row, "bytes", member="bytes")
    comment, borders = "the borders of E0, F0 and F4, F5, and truncated sequences", "e09fbf20f08fbfbf20f490808020f580808020f09f9820e28278"  # fmt: skip
    yield draft("read/borders", "fold", "SD-INPUT-2", comment, "bytes", bytes=borders)


def surrogates() -> Iterator[Draft]:
    """Every sequence of three UTF-16 units at the borders of the surrogates."""
    items = ["".join(f"{unit:04x}" for unit in units) for units in product(UNITS, repeat=3)]
    for number, block in enumerate(blocks(items, 172)):
        for op, end in (("fold", ""), ("tokens", "-tokens")):
            row = {f"{number}{end}": ("0020".join(block), "sequences of three UTF-16 units")}
            yield from table("read/units-", op, "SD-INPUT-3", row, "surrogates", member="utf16")
    row = {"last-high": ("dbffdfff0020dbff0041", "U+DBFF is a high surrogate")}
    yield from table("read/units-", "fold", "SD-INPUT-3", row, "surrogates", member="utf16")


GENERATORS = (sequences, marks, surrogates)
