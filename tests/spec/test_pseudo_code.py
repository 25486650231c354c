"""The pseudo-code of the specification is executed, against the reference and the package `xxhash`."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import reference
from simhash_doc.errors import NoTokenError
from simhash_doc.unicode_data import connectors, decomposition, members, normalize
from tests.strategies import texts

SPEC = Path(__file__).parents[2] / "spec"


class Word(int):
    """An unsigned 64-bit integer: appendix A computes modulo 2^64."""

    def __add__(self, other: int) -> Word:
        return Word((int(self) + int(other)) % 2**64)

    __radd__ = __add__

    def __sub__(self, other: int) -> Word:
        return Word((int(self) - int(other)) % 2**64)

    def __mul__(self, other: int) -> Word:
        return Word((int(self) * int(other)) % 2**64)

    def __xor__(self, other: int) -> Word:
        return Word((int(self) ^ int(other)) % 2**64)

    __rmul__, __rxor__ = __mul__, __xor__

    def __rshift__(self, bits: int) -> Word:
        return Word(int(self) >> bits)


class Characters:
    """A Unicode table as a set of characters."""

    def __init__(self, name: str) -> None:
        self.inside = members(name)

    def __contains__(self, character: str) -> bool:
        return bool(self.inside[ord(character)])


def executed(document: str, names: dict[str, Any]) -> dict[str, Any]:
    """Execute the one block of Python in a document, with names that its text explains."""
    (code,) = re.findall(r"```python\n(.*?)```", (SPEC / document).read_text(encoding="utf-8"), flags=re.DOTALL)
    exec(code, names)
    return names


@cache
def xxh64() -> Callable[[bytes, Word], int]:
    def rotl(x: Word, r: int) -> Word:
        return Word((x << r | x >> 64 - r) % 2**64)

    names = {"rotl": rotl, "integer": lambda data: Word(int.from_bytes(data, "little"))}
    function: Callable[[bytes, Word], int] = executed("appendices.md", names)["xxh64"]
    return function


def fold_table() -> dict[str, str]:
    """Read `nfkc_casefold.txt` as section 1 of the specification describes it."""
    table: dict[str, str] = {}
    for line in (SPEC / "data/nfkc_casefold.txt").read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            span, _, value = line.partition(" ;")
            first, _, last = span.partition("..")
            mapped = "".join(chr(int(part, 16)) for part in value.split())
            table |= {chr(c): mapped for c in range(int(first, 16), int(last or first, 16) + 1)}
    return table


@cache
def algorithm() -> dict[str, Any]:
    """Return the functions of section 2."""
    (link,) = re.findall(r"```text\n(\\b.*)\n```", (SPEC / "appendices.md").read_text(encoding="utf-8"))
    tables = {name: Characters(name) for name in ("assigned", "nonstarter", "word", "continua", "alphabetic")}
    return executed(
        "simhash-doc.md",
        {
            "re": re,
            "groupby": groupby,
            "Error": NoTokenError,
            "tables": tables | {"nfkc_casefold": fold_table()},
            "nfd": decomposition,
            "nfc": lambda text: normalize("NFC", text),
            "LINK": link,
            "connectors": connectors(),
            "xxh64": lambda data, seed: xxh64()(data, Word(seed)),
            "base32": lambda data: base64.b32encode(data).decode("ascii"),
        },
    )


@given(st.binary(max_size=200), st.integers(0, 7))
def test_appendix_a_is_xxh64(data: bytes, seed: int) -> None:
    assert xxh64()(data, Word(seed)) == xxhash.xxh64_intdigest(data, seed)


def test_the_table_of_appendix_a_is_right() -> None:
    appendices = (SPEC / "appendices.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (no bytes|`.*`) \| (\d) \| ([0-9A-F]{16}) \|$", appendices, re.MULTILINE)
    for shown, seed, value in rows:
        data = b"" if shown == "no bytes" else shown.strip("`").encode("ascii")
        assert xxhash.xxh64_intdigest(data, int(seed)) == int(value, 16)
    assert {len(shown) - 2 for shown, *_ in rows} >= {1, 3, 4, 43}  # each step for the bytes that are left


@given(texts, st.sampled_from([("sd64", 1), ("sd128", 2), ("sd512", 8)]))
def test_section_2_gives_the_fingerprints_of_the_reference(text: str, scheme: tuple[str, int]) -> None:
    scalars = reference.Reference().scalar_values(text)
    if not reference.tokens(scalars):
        with pytest.raises(NoTokenError):
            algorithm()["fingerprint"](scalars, scheme[1])
    else:
        assert algorithm()["fingerprint"](scalars, scheme[1]) == reference.fingerprint(scalars, scheme[0])


@given(texts)
def test_section_2_gives_the_steps_of_the_reference(text: str) -> None:
    steps = algorithm()
    folded = steps["fold"](reference.Reference().scalar_values(text))
    assert folded == reference.fold(text)
    assert steps["link_free"](folded) == reference.remove_links(folded)
    assert sorted(steps["tokens"](steps["link_free"](folded))) == sorted(reference.tokens(text))
