"""The normalization of the appendices, written out, against Unicode's test file and the platform."""

from __future__ import annotations

import bz2
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.unicode_data import fold_map, members, normalize

sys.path.insert(0, str(Path(__file__).parents[2] / "conformance"))

from mutation.appendix_c import combining_classes, decompositions, nfc, nfd

TEST_FILE = Path("/usr/share/unicode/NormalizationTest.txt.bz2")
COLUMNS = 5


def official_rows() -> Iterator[list[str]]:
    lines = bz2.decompress(TEST_FILE.read_bytes()).decode("utf-8").splitlines()
    assert "15.0.0" in lines[0]
    for line in lines:
        fields = line.partition("#")[0].split(";")
        if len(fields) > COLUMNS:
            yield ["".join(chr(int(part, 16)) for part in field.split()) for field in fields[:COLUMNS]]


@pytest.mark.skipif(not TEST_FILE.exists(), reason="Debian's package unicode-data is not installed")
def test_the_official_test_file_of_unicode_15() -> None:
    rows = 0
    for source, c, d, kc, kd in official_rows():
        assert nfc(source) == nfc(c) == nfc(d) == c
        assert nfc(kc) == nfc(kd) == kc
        assert "".join(map(chr, nfd(source))) == d
        rows += 1
    assert rows > 18_000


def test_non_starters_are_those_of_the_combining_classes() -> None:
    assert {code_point for code_point, inside in enumerate(members("nonstarter")) if inside} == set(combining_classes())


def test_decompositions_are_complete_and_in_canonical_order() -> None:
    ccc, table = combining_classes(), decompositions()
    for parts in table.values():
        assert not any(part in table for part in parts)
        marks = [ccc.get(part, 0) for part in parts if part in ccc]
        assert marks == sorted(marks)


def test_folding_leaves_no_starter_that_decomposes_to_a_non_starter_first() -> None:
    ccc = combining_classes()
    starters = {c for c, parts in decompositions().items() if c not in ccc and parts[0] in ccc}
    assert 0x0F73 in starters
    mapped = "".join(map(chr, range(sys.maxunicode + 1))).translate(fold_map())
    assert starters.isdisjoint(map(ord, set(mapped)))


def _interesting() -> list[str]:
    hangul = [0x1100, 0x1112, 0x1113, 0x1160, 0x1161, 0x1175, 0x1176, 0x11A7, 0x11A8, 0x11C2, 0x11C3, 0xAC00, 0xAC01]
    parts = {part for decomposed in decompositions().values() for part in decomposed}
    return [chr(c) for c in sorted({*hangul, *decompositions(), *parts, *combining_classes()})]


@given(st.lists(st.sampled_from(_interesting()), max_size=12).map("".join))
def test_sequences_are_normalized_as_by_the_platform(text: str) -> None:
    assert nfc(text) == normalize("NFC", text)
