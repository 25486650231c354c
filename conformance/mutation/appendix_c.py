"""NFD and NFC as appendix C of the specification describes them, from the published tables alone."""

from __future__ import annotations

from functools import cache

from generators.table_lines import characters, table_lines

S_BASE, L_BASE, V_BASE, T_BASE = 0xAC00, 0x1100, 0x1161, 0x11A7
L_COUNT, V_COUNT, T_COUNT = 19, 21, 28
S_COUNT = L_COUNT * V_COUNT * T_COUNT


@cache
def combining_classes() -> dict[int, int]:
    lines = table_lines("combining_class")
    return {code_point: int(value) for first, last, value in lines for code_point in range(first, last + 1)}


@cache
def decompositions() -> dict[int, list[int]]:
    return {first: [int(part, 16) for part in value.split()] for first, _, value in table_lines("decomposition")}


@cache
def compositions() -> dict[tuple[int, int], int]:
    lines = table_lines("composition")
    return {(ord(pair[0]), ord(pair[1])): first for first, _, value in lines for pair in [characters(value)]}


def decompose(code_point: int) -> list[int]:
    """Return the full canonical decomposition of a code point: step 1."""
    index = code_point - S_BASE
    if 0 <= index < S_COUNT:
        jamo = [
            L_BASE + index // (V_COUNT * T_COUNT),
            V_BASE + index % (V_COUNT * T_COUNT) // T_COUNT,
            T_BASE + index % T_COUNT,
        ]
        return jamo[: 2 if jamo[2] == T_BASE else 3]
    return decompositions().get(code_point, [code_point])


def nfd(text: str) -> list[int]:
    """Return the NFD of a text: steps 1 and 2."""
    ordered: list[int] = []
    marks: list[int] = []
    ccc = combining_classes()
    for character in text:
        for code_point in decompose(ord(character)):
            if code_point in ccc:
                marks.append(code_point)
            else:
                ordered += [*sorted(marks, key=ccc.__getitem__), code_point]
                marks = []
    return ordered + sorted(marks, key=ccc.__getitem__)


def compose(first: int, second: int) -> int | None:
    """Return the composite of two code points, if there is one."""
    if L_BASE <= first < L_BASE + L_COUNT and V_BASE <= second < V_BASE + V_COUNT:
        return S_BASE + ((first - L_BASE) * V_COUNT + second - V_BASE) * T_COUNT
    if 0 <= first - S_BASE < S_COUNT and (first - S_BASE) % T_COUNT == 0 and T_BASE < second < T_BASE + T_COUNT:
        return first + second - T_BASE
    return compositions().get((first, second))


def nfc(text: str) -> str:
    """Return the NFC of a text: steps 1 to 3."""
    ccc = combining_classes()
    composed: list[int] = []
    starter: int | None = None  # its index in `composed`
    last_class = 0  # of the last code point that stays behind the starter; 0 if there is none
    for code_point in nfd(text):
        combining_class = ccc.get(code_point, 0)
        blocked = starter is None or (len(composed) - 1 > starter and last_class >= combining_class)
        if starter is not None and not blocked:
            composite = compose(composed[starter], code_point)
            if composite is not None:
                composed[starter] = composite
                continue
        if combining_class == 0:
            starter = len(composed)
        last_class = combining_class
        composed.append(code_point)
    return "".join(map(chr, composed))
