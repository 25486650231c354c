"""The pictures that are no charts: texts and their bits, clusters of files, and one text through all steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from charts import LETTER, LINE, WIDE, Canvas, width_of

from simhash_doc import Fingerprint

CODE = 7.8  # the width of a letter in text of one width, 12 pixels high, at most


def steps(example: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the steps of an example of the specification, each with its result."""
    buckets = example["buckets"]
    return [
        ("Text", example["input"]),
        ("1 Fold", example["folded"]),
        ("2 Remove links", example["prepared"]),
        ("3 Cut into tokens", " ".join(example["tokens"])),
        ("4 Hash each token", " ".join(example["hashes"])),
        ("5 Add up the bits", f"{len(buckets)} sums, from {min(buckets)} to {max(buckets)}"),
        ("6 Keep the signs", f"{example['hex']}, as text {example['fingerprint']}"),
    ]


def pipeline(example: Mapping[str, Any], width: float) -> Canvas:
    """Draw an example of the specification, one step below the other."""
    left = 150.0 if width >= WIDE else 0.0
    room = width - left
    canvas, y = Canvas(width, 0), 14.0

    def head(name: str) -> None:
        nonlocal y
        canvas.text(0, y, name, "strong")
        y += 0 if left else LINE

    def written(text: str, css: str = "code") -> None:
        nonlocal y
        for line in wrap(text, int(room / CODE), drop_whitespace=False, replace_whitespace=False):
            canvas.text(left, y, line, css)
            y += LINE
        y += 14

    names = [name for name, _ in steps(example)]
    for name, text in steps(example)[:3]:
        head(name)
        written(text)
    head(names[3])
    x, y = left, y + (0 if left else 6)
    for token in example["tokens"]:
        size = width_of(token) + 14
        if x + size > width:
            x, y = left, y + 28
        canvas.add("rect", "box", x=x, y=y - 15, width=size, height=21, rx=4)
        canvas.text(x + 7, y, token)
        x += size + 8
    y += 32
    head(names[4])
    columns = 3 if left else 2
    for at, value in enumerate(example["hashes"]):
        canvas.text(left + at % columns * room / columns, y + at // columns * LINE, value, "code")
    y += LINE * -(-len(example["hashes"]) // columns) + 14
    head(names[5])
    most = max(map(abs, example["buckets"]))
    size, middle = room / 64, y + 12
    for at, value in enumerate(reversed(example["buckets"])):
        high = 24 * abs(value) / most
        title = f"bit {63 - at}: {value}"
        top = middle - high if value > 0 else middle
        canvas.rectangle(left + size * at, top, size - 1, max(1.0, high), "f0" if value > 0 else "f1", title)
    y = middle + 46
    head(names[6])
    bits = f"{int(example['hex'], 16):064b}"
    _cells(canvas, bits, left, y - 13, room, frozenset())
    y += 26
    canvas.text(left, y, example["fingerprint"], "code strong s0")
    canvas.height = y + 10
    return canvas


def _cells(canvas: Canvas, bits: str, x: float, y: float, width: float, differing: frozenset[int]) -> None:
    """Draw bits as cells, filled for a 1; bits that differ have another colour and stand out of the row."""
    size = width / len(bits)
    for at, bit in enumerate(bits):
        css = ("f1" if bit == "1" else "o1") if at in differing else "f0" if bit == "1" else "o0"
        more = 4 if at in differing else 0
        inset = 0 if bit == "1" else 0.75  # half of the outline
        canvas.rectangle(x + size * at + inset, y - more + inset, size - 1 - 2 * inset, 15 + 2 * more - 2 * inset, css)


def strips(rows: Sequence[tuple[str, Fingerprint]], width: float) -> Canvas:
    """Draw texts, each above the bits of its fingerprint; bits that differ from the first one stand out."""
    canvas, y = Canvas(width, 0), 14.0
    first = bits_of(rows[0][1])
    for at, (text, found) in enumerate(rows):
        for line in wrap(text, int(width / LETTER)):
            canvas.text(0, y, line)
            y += LINE
        bits = bits_of(found)
        differing = frozenset(bit for bit in range(len(bits)) if bits[bit] != first[bit])
        _cells(canvas, bits, 0, y - 6, width, differing)
        y += 32
        canvas.text(0, y, str(found), "code strong s0")
        if at:
            said = f"{len(differing)} of {found.scheme.bits} bits differ: {rows[0][1].verdict(found)}"
            canvas.text(width, y, said, "strong" + (" s1" if differing else ""), anchor="end")
        y += 38
    canvas.height = y - 30
    return canvas


def bits_of(found: Fingerprint) -> str:
    return f"{found.value:0{found.scheme.bits}b}"


def clusters(found: Mapping[str, Sequence[str]], width: float) -> Canvas:
    """Draw clusters of files, one below the other: a box for each format, filled for the file that is kept."""
    files = sum(map(len, found.values()))
    canvas, y = Canvas(width, 0), 16.0
    canvas.text(0, y, f"You keep {len(found)} of {files} files", "strong")
    y += 14
    wide = width >= WIDE
    for name, formats in found.items():
        y += 20 if wide else 22
        canvas.text(0, y, name)
        x, y = (150.0, y) if wide else (0.0, y + 24)
        for at, ending in enumerate(formats):
            size = width_of(ending) + 12
            if x + size > width:
                x, y = 0.0, y + 26
            canvas.add("rect", "b0" if at else "f0", x=x, y=y - 15, width=size, height=21.0, rx=4)
            canvas.text(x + 6, y, ending, "" if at else "kept strong")
            x += size + 6
        y += 8
    canvas.height = y + 6
    return canvas
