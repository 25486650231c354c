"""The Unicode tables agree with independent sources: digests, the `regex` package's Unicode data, normalization."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
import regex

from simhash_doc.unicode_data import CODE_POINTS, CUTTABLE, connectors, fold_map, members, normalize

ROOT = Path(__file__).parents[2]
DATA = ROOT / "spec/data"
ASSIGNED = [c for c in range(CODE_POINTS) if members("assigned")[c] and not 0xD800 <= c <= 0xDFFF]
# Changes of later Unicode versions, which `regex` may have, to characters of 15.0.
COMBINING_LETTERS = {*range(0x363, 0x370), *range(0x1DD3, 0x1DE7)}  # Alphabetic since 16.0
LATER = {"alphabetic": COMBINING_LETTERS, "continua": {0x19DA}}


@pytest.mark.parametrize(
    ("table", "expression"),
    [
        ("word", r"[\p{Ll}\p{Lu}\p{Lt}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]"),
        ("alphabetic", r"\p{Alphabetic}"),
        ("continua", r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Line_Break=SA}\u30fc]"),
        ("nonstarter", r"\P{Canonical_Combining_Class=0}"),
    ],
)
def test_table_agrees_with_another_unicode_database(table: str, expression: str) -> None:
    inside = regex.compile(expression).match
    differing = {c for c in ASSIGNED if bool(members(table)[c]) != bool(inside(chr(c)))}
    assert differing <= LATER.get(table, set())


def test_fold_map_is_casefold_and_nfkc_without_default_ignorables() -> None:
    ignorable = regex.compile(r"\p{Default_Ignorable_Code_Point}+")
    for code_point in ASSIGNED:
        character = chr(code_point)
        folded, before = character, None
        while folded != before:
            before = folded
            folded = normalize("NFKC", ignorable.sub("", normalize("NFKC", normalize("NFD", folded)).casefold()))
        assert character.translate(fold_map()) == folded, f"U+{code_point:04X}"


@pytest.mark.slow
def test_unassigned_code_points_fold_to_the_replacement_character_or_to_nothing() -> None:
    ignorable = regex.compile(r"\p{Default_Ignorable_Code_Point}")
    assigned = members("assigned")
    for code_point in range(CODE_POINTS):
        if not assigned[code_point]:
            expected = "" if ignorable.match(chr(code_point)) else "\ufffd"
            assert chr(code_point).translate(fold_map()) == expected, f"U+{code_point:04X}"


@pytest.mark.slow
def test_folded_character_has_at_most_two_nonstarters_at_its_end() -> None:
    """The shortcut of section 4 depends on this."""
    nonstarter = members("nonstarter")
    for code_point in range(CODE_POINTS):
        for character in chr(code_point).translate(fold_map()):
            decomposed = normalize("NFD", character)
            marks = sum(nonstarter[ord(c)] for c in decomposed)
            assert marks <= 2
            assert nonstarter[ord(character)] == (marks == len(decomposed)), f"U+{ord(character):04X}"


@pytest.mark.slow
def test_connectors_are_general_category_pc() -> None:
    assert sorted(connectors()) == [chr(c) for c in ASSIGNED if regex.match(r"\p{Pc}", chr(c))]


@pytest.mark.parametrize("character", CUTTABLE, ids=lambda c: f"U+{ord(c):04X}")
def test_text_may_be_cut_before_a_cuttable_character(character: str) -> None:
    outside: list[Callable[[str], bool]] = [
        lambda c: members("word")[ord(c)] == 0,
        lambda c: members("nonstarter")[ord(c)] == 0,
        lambda c: c.translate(fold_map()) == c,
        lambda c: not c.isascii() or c.isspace(),
    ]
    assert all(holds(character) for holds in outside)


def test_files_have_the_published_digests() -> None:
    lines = (DATA / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    listed = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert set(listed) == {path.name for path in DATA.iterdir()} - {"SHA256SUMS", "LICENSE-UNICODE.txt"}
    for name, digest in listed.items():
        assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == digest, name
