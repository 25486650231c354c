"""Generate src/unicode_data.c from the pinned data of the specification, after checking its digests.

python tools/generate_unicode_data.py SPEC_DATA OUTPUT
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

CODE_POINTS = 0x110000
BLOCK = 128
WORD, ALPHABETIC, CONTINUA, CONNECTOR, SECOND = (1 << i for i in range(5))
INERT, ITSELF, FIRST_MAPPING = range(3)
REPLACEMENT = 0xFFFD
VOWELS, TRAILING = range(0x1161, 0x1176), range(0x11A8, 0x11C3)


class Tables:
    """The tables of the specification."""

    def __init__(self, data: Path) -> None:
        self._data = data
        for line in (data / "SHA256SUMS").read_text(encoding="ascii").splitlines():
            digest, name = line.split()
            if hashlib.sha256((data / name).read_bytes()).hexdigest() != digest:
                raise SystemExit(f"{name} does not have the digest of SHA256SUMS")
        self.digest = hashlib.sha256((data / "SHA256SUMS").read_bytes()).hexdigest()
        self.notice = (data / "LICENSE-UNICODE.txt").read_text(encoding="utf-8")

    def lines(self, name: str) -> Iterator[tuple[int, int, str]]:
        """Yield first, last and value of each range."""
        for line in (self._data / f"{name}.txt").read_text(encoding="ascii").splitlines():
            if not line.startswith("#"):
                points, _, value = line.partition(" ;")
                first, _, last = points.partition("..")
                yield int(first, 16), int(last or first, 16), value.strip()

    def points(self, name: str, value: str = "") -> Iterator[int]:
        for first, last, found in self.lines(name):
            if value in ("", found):
                yield from range(first, last + 1)

    def sequences(self, name: str) -> list[tuple[range, list[int]]]:
        """Return the ranges of a table with their sequences of code points."""
        return [
            (range(first, last + 1), [int(point, 16) for point in value.split()])
            for first, last, value in self.lines(name)
        ]


def array(kind: str, name: str, values: Iterable[object]) -> Iterator[str]:
    yield f"const {kind} {name}[] = {{"
    line = "   "
    for value in values:
        if len(line) + len(str(value)) > 118:
            yield line
            line = "   "
        line += f" {value},"
    yield from (line, "};", "")


def trie(kind: str, name: str, flat: Sequence[int]) -> Iterator[str]:
    """Yield a table of blocks, and an index to them; equal blocks are stored once."""
    blocks: dict[tuple[int, ...], int] = {}
    index = [blocks.setdefault(tuple(flat[at : at + BLOCK]), len(blocks)) for at in range(0, CODE_POINTS, BLOCK)]
    yield from array("uint16_t", f"{name}_index", index)
    yield from array(kind, f"{name}_values", (value for block in blocks for value in block))


class Normalization:
    """The data of appendix C."""

    def __init__(self, tables: Tables) -> None:
        self.pairs = sorted((*pair, points[0]) for points, pair in tables.sequences("composition"))
        self.composites = {composite for _, _, composite in self.pairs}
        self.seconds = {second for _, second, _ in self.pairs} | {*VOWELS, *TRAILING}
        self.decompositions = [(points[0], value) for points, value in tables.sequences("decomposition")]
        self._decomposed = {c for c, _ in self.decompositions}
        self.classes = bytearray(CODE_POINTS)
        for first, last, value in tables.lines("combining_class"):
            self.classes[first : last + 1] = bytes([int(value)]) * (last + 1 - first)

    def is_inert(self, c: int) -> bool:
        """Tell whether a code point is a starter, its own NFC, and composes with nothing before it."""
        stable = c not in self._decomposed or c in self.composites
        return stable and not self.classes[c] and c not in self.seconds


def properties(tables: Tables, seconds: Iterable[int]) -> bytearray:
    flags = bytearray(CODE_POINTS)
    for flag, points in (
        (WORD, tables.points("word")),
        (ALPHABETIC, tables.points("alphabetic")),
        (CONTINUA, tables.points("continua")),
        (CONNECTOR, tables.points("word", "Pc")),
        (SECOND, seconds),
    ):
        for c in points:
            flags[c] |= flag
    return flags


def foldings(tables: Tables, normalization: Normalization, mappings: Sequence[tuple[range, list[int]]]) -> list[int]:
    """Return the folding of each code point; the last mapping is that of unassigned ones."""
    folding = [FIRST_MAPPING + len(mappings) - 1] * CODE_POINTS
    for c in tables.points("assigned"):
        folding[c] = INERT if normalization.is_inert(c) else ITSELF
    for number, (points, _) in enumerate(mappings):
        for c in points:
            folding[c] = FIRST_MAPPING + number
    return folding


def generate(tables: Tables) -> Iterator[str]:
    normalization = Normalization(tables)
    mappings = [*tables.sequences("nfkc_casefold"), (range(0), [REPLACEMENT])]
    decompositions = normalization.decompositions
    numbers = [0] * CODE_POINTS
    for number, (c, _) in enumerate(decompositions):
        numbers[c] = number + 1
    yield from head(tables)
    yield from trie("uint8_t", "sdoc_properties", properties(tables, normalization.seconds))
    yield from trie("uint8_t", "sdoc_classes", normalization.classes)
    yield from trie("uint16_t", "sdoc_foldings", foldings(tables, normalization, mappings))
    yield from sequences("sdoc_mapping", [mapped for _, mapped in mappings])
    inert = (int(all(map(normalization.is_inert, mapped))) for _, mapped in mappings)
    yield from array("bool", "sdoc_mapping_inert", inert)
    yield from trie("uint16_t", "sdoc_decompositions", numbers)
    yield from sequences("sdoc_decomposition", [points for _, points in decompositions])
    yield f"const size_t sdoc_composite_count = {len(normalization.pairs)};"
    pairs = (f"{{{first}, {second}, {composite}}}" for first, second, composite in normalization.pairs)
    yield from array("struct composite", "sdoc_composites", pairs)


def head(tables: Tables) -> Iterator[str]:
    yield "/* Made by tools/generate_unicode_data.py. Do not edit."
    yield f" * The SHA-256 of SHA256SUMS is {tables.digest}."
    yield " *"
    for line in tables.notice.splitlines():
        yield f" * {line}".rstrip()
    yield from (" */", '#include "unicode_data.h"', "", "/* clang-format off */")


def sequences(name: str, values: list[list[int]]) -> Iterator[str]:
    """Yield the code points of all sequences, and where each starts."""
    starts = [0]
    for value in values:
        starts.append(starts[-1] + len(value))
    yield from array("uint16_t", f"{name}_starts", starts)
    yield from array("uint32_t", f"{name}_points", (c for value in values for c in value))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    lines = [line.rstrip() for line in generate(Tables(Path(sys.argv[1])))]
    Path(sys.argv[2]).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
