"""Type 3 fonts are read by the names of their characters, as other fonts are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import pytest
from fontTools.agl import AGL2UV
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc_extraction import extract
from tests.extraction.pdf_fonts import with_font
from tests.extraction.pdf_places import compressed, stream

LETTERS = sorted(
    name for name, code in AGL2UV.items()
    if unicodedata.category(chr(code)) in ("Lu", "Ll") and unicodedata.decomposition(chr(code))[:1] != "<" and code < 0x500
)  # fmt: skip
_GLYPH = stream(b"500 0 0 0 450 700 d1 0 0 450 700 re f")
_WIDTHS = b" ".join([b"500"] * 256)


def page(encoding: str, codes: Sequence[int], entries: str = "", *objects: bytes) -> bytes:
    """Return a page that shows codes in a Type 3 font without a map to Unicode."""
    names = set(re.findall(r"/[\w.]+", encoding))
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 500 700]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 0/LastChar 255"
        f"/Widths[{_WIDTHS.decode()}]/CharProcs<<{''.join(f'{name} 7 0 R' for name in names)}>>/Encoding {encoding}"
        f"{entries}/Resources<<>>>>"
    )
    shown = f"BT /G 12 Tf 72 700 Td <{bytes(codes).hex()}> Tj ET"
    return with_font(font.encode("latin-1"), shown.encode(), _GLYPH, *objects)


@given(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=40, unique=True), st.integers(0, 200))
def test_characters_are_read_by_their_names(names: list[str], first: int) -> None:
    encoding = f"<</Type/Encoding/Differences[{first}{''.join(f'/{name}' for name in names)}]>>"
    expected = "".join(chr(AGL2UV[name]) for name in names)
    found = extract(page(encoding, range(first, first + len(names)))).text
    assert unicodedata.normalize("NFC", found) == unicodedata.normalize("NFC", expected)


@pytest.mark.parametrize(
    ("encoding", "codes", "expected"),
    [
        ("<</Differences[0/fi/uni0416/u1F600/Gamma]>>", range(4), "fiЖ😀Γ"),
        ("<</Differences[3/k/e 20/t/l/e.alt]>>", [3, 4, 20, 20, 21, 22], "kettle"),
        ("/WinAnsiEncoding", b"\x93caf\xe9\x94", "“café”"),
        ("/MacRomanEncoding", b"caf\x8e", "café"),
        ("<</BaseEncoding/WinAnsiEncoding/Differences[65/Sigma]>>", b"A\xe9", "Σé"),
        ("<</Differences[65/g12/g13/g14]>>", b"ABC", "ABC"),  # names that say nothing
    ],
)
@pytest.mark.parametrize("pack", [bytes, compressed])
def test_encodings_of_fonts(encoding: str, codes: Sequence[int], expected: str, pack: type[bytes]) -> None:
    assert extract(pack(page(encoding, codes))).text == expected


def test_a_map_to_unicode_has_priority() -> None:
    names = stream(b"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <41> <5a> <0061> endbfrange")
    data = page("<</Differences[65/X/Y/Z]>>", b"ABC", "/ToUnicode 8 0 R", names)
    assert extract(data).text == "abc"


def test_fonts_with_layers_that_are_off_are_read() -> None:
    data = page("<</Differences[1/k/e/t/l]>>", [1, 2, 3, 3, 4, 2])
    off = b"/OCProperties<</OCGs[8 0 R]/D<</OFF[8 0 R]>>>>"
    found = extract(data.replace(b"/Type/Catalog", b"/Type/Catalog" + off) + b"8 0 obj<</Type/OCG/Name(x)>>endobj\n")
    assert found.text == "kettle"
    assert found.warnings == ("layers that are off left out: 1",)


def test_characters_without_a_name_are_counted() -> None:
    found = extract(page("<</Differences[65/A 2/g2/g3]>>", [*b"AAAAAAAAAAAAA", 2, 3]))
    assert found.text == "A" * 13
    assert found.warnings == ("characters without a mapping to Unicode left out: 2",)
