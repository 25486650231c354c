"""PDF files of a few kilobytes whose pages would take hours, or gigabytes: they are over a limit before a page is loaded."""

from __future__ import annotations

import zlib

import pytest

from simhash_doc_extraction import LimitExceededError, Limits, extract
from simhash_doc_extraction.pdf.drawn import _lzw, _run_lengths

LIMITS = Limits(expanded_bytes=10 << 20)
CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
TREE = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
TEXT = b"BT /F 9 Tf (some words) Tj ET "


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(data), data)


def _pdf(*objects: bytes) -> bytes:
    out, offsets = b"%PDF-1.7\n", []
    for number, one in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % at for at in offsets)
    size = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (
        size, table, size, len(out),
    )  # fmt: skip


def _page(contents: bytes = b"4 0 R", forms: bytes = b"/A 6 0 R", entries: bytes = b"") -> bytes:
    resources = b"/Resources<</XObject<<%s>>/Font<</F 5 0 R>>>>" % forms
    return b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents %s%s%s>>" % (contents, resources, entries)


def _form(content: bytes, forms: bytes = b"", entries: bytes = b"") -> bytes:
    kind = b"/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<<%s>>/Font<</F 5 0 R>>>>%s"
    return _stream(content, kind % (forms, entries))


def _nested(first: int, levels: int, times: int = 10) -> list[bytes]:
    """Return forms from a number on, of which each draws the next so many times; the last one is a text."""
    forms = [_form(b"/A Do " * times, b"/A %d 0 R" % (first + level + 1)) for level in range(levels)]
    return [*forms, _form(TEXT)]


def _one_page(content: bytes, *more: bytes, page: bytes = _page()) -> bytes:
    return _pdf(CATALOG, TREE, page, _stream(content), FONT, *more)


_FLATE = b"/Filter/FlateDecode"
_TYPE3 = (
    b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[9]"
    b"/Encoding<</Differences[97/a]>>/CharProcs<</a 6 0 R>>/Resources<</XObject<</A 7 0 R>>>>>>"
)
_STAMP = b"/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 9 9]/AP<</N 6 0 R>>>>]"
_EACH = b"".join(b"/A%d Do " % form for form in range(9))
_ALL = b"".join(b"/A%d %d 0 R" % (form, 6 + form) for form in range(9))


@pytest.mark.parametrize("data", [
    pytest.param(_one_page(TEXT + b"/A Do", *_nested(6, 7)), id="each draws the next ten times"),
    pytest.param(_one_page(TEXT + b"/A Do", *_nested(6, 30, times=2)), id="each draws the next twice"),
    pytest.param(_one_page(b"/#41 Do", *_nested(6, 7)), id="escaped name"),
    pytest.param(_one_page(b"(A) Do", *_nested(6, 7)), id="string as a name"),
    pytest.param(_one_page(TEXT + b"/A Do " * 3000, _form(TEXT * 300)), id="drawn often"),
    pytest.param(_one_page(b"/A Do", _form(TEXT + b"/A Do " * 10, b"/A 6 0 R")), id="draws itself"),
    pytest.param(_one_page(b"/A Do", *[_form(_EACH, _ALL)] * 9), id="draw each other"),
    pytest.param(_one_page(TEXT, *_nested(6, 7), page=_page(entries=_STAMP)), id="annotation"),
    pytest.param(_one_page(TEXT * 3000, page=_page(b"[" + b"4 0 R " * 300 + b"]")), id="content repeated"),
    pytest.param(
        _pdf(CATALOG, TREE, _page(b"[4 0 R 6 0 R]", b"/A 7 0 R"), _stream(b"/A"), FONT, _stream(b"Do"), *_nested(7, 7)),
        id="name in another content",
    ),
    pytest.param(
        _pdf(CATALOG, b"<</Type/Pages/Kids[%s]/Count 2000>>" % (b"3 0 R " * 2000), _page(), _stream(TEXT * 1000), FONT),
        id="page repeated",
    ),
    pytest.param(
        _pdf(CATALOG, TREE, _page(), _stream(b"BT /F 9 Tf (a) Tj ET"), _TYPE3, _stream(b"9 0 d0 /A Do"), *_nested(7, 7)),
        id="characters of a font",
    ),
    pytest.param(
        _pdf(CATALOG, TREE, _page(), _stream(zlib.compress(b"\n" * (20 << 20)), _FLATE), FONT),
        id="compressed",
    ),
    pytest.param(
        _pdf(
            CATALOG, TREE, _page(),
            _stream(zlib.compress(zlib.compress(b"\n" * (100 << 20))), b"/Filter[/FlateDecode/Fl]"), FONT,
        ),
        id="compressed twice",
    ),
    pytest.param(_one_page(b"/a BMC " * 2000 + TEXT), id="marks in marks"),
    pytest.param(
        _pdf(CATALOG, TREE, _page(b"[%s]" % (b"4 0 R 6 0 R " * 2)), _stream(b"/a<<>>BDC " * 1000), FONT, _stream(b"/a BMC " * 1000)),
        id="marks of two contents",
    ),
    pytest.param(_one_page(b"/a BMC " * 100, page=_page(b"[%s]" % (b"4 0 R " * 20))), id="marks of a content repeated"),
])  # fmt: skip
def test_what_pages_draw_is_bounded(data: bytes) -> None:
    with pytest.raises(LimitExceededError, match="expanded_bytes=10,485,760") as caught:
        extract(data, limits=LIMITS)
    assert caught.value.exceeded is not None
    assert caught.value.exceeded.field == "expanded_bytes"


@pytest.mark.parametrize("data", [
    pytest.param(_one_page(b"/Tx BMC EMC " * 9999 + TEXT), id="marks one after the other"),
    pytest.param(_one_page(TEXT + b"/A Do " * 3, *_nested(6, 2, times=3)), id="a few"),
    pytest.param(_one_page(TEXT + b"/A Do", *_nested(6, 60, times=1)), id="a chain"),
    pytest.param(_one_page(b"BT /F 9 Tf " + b"(What do some words Do ?) Tj " * 2000 + b"ET", *_nested(6, 4)), id="a word"),
])  # fmt: skip
def test_ordinary_forms_are_read(data: bytes) -> None:
    assert "some words" in extract(data, limits=LIMITS).text


def test_runs_are_decoded() -> None:
    assert _run_lengths(b"\x02abc\xfdx\x80rest", 99) == b"abcxxxx"
    assert len(_run_lengths(b"\x81x" * 9, 200)) <= 200 + 128


def test_lzw_is_decoded() -> None:
    """The example of ISO 32000-2, 7.4.4.2."""
    assert _lzw(bytes.fromhex("800B6050220C0C8501"), 99) == bytes([45, 45, 45, 45, 45, 65, 45, 45, 45, 66])
