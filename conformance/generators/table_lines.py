"""Lines and range borders of the published Unicode tables, and blocks of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TypeVar

from simhash_doc.published_files import data_path

T = TypeVar("T")


@cache
def table_lines(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return (first code point, last code point, value) of each line of a table."""
    found = []
    for line in (data_path("spec/data") / f"{name}.txt").read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            code_points, _, value = line.partition(" ;")
            first, _, last = code_points.partition("..")
            found.append((int(first, 16), int(last or first, 16), value.strip()))
    return tuple(found)


def characters(value: str) -> str:
    """Return the text of a sequence of code points in hexadecimal."""
    return "".join(chr(int(code, 16)) for code in value.split())


def borders(name: str) -> list[int]:
    """Return the code points on both sides of each range border of a table, without surrogates, in order."""
    ends = {code for first, last, _ in table_lines(name) for code in (first - 1, first, last, last + 1)}
    return sorted(code for code in ends if 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000)


def blocks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield consecutive blocks of at most `size` items."""
    rest = iter(items)
    while block := list(islice(rest, size)):
        yield block
