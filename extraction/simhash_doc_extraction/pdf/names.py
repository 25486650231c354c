"""Type 3 fonts, whose characters PDFium reads by their codes even if the file names them (ISO 32000-2, 9.10.2).

A copy of the file gives each such font a map to Unicode. PDFium knows the names: it reads them in other types of fonts.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc_extraction.pdf.fonts import keep_strings
from simhash_doc_extraction.pdf.objects import Objects

_LAST_CODE = 255
_PITCH = 20  # points between the lines of a probe


def with_named_characters(objects: Objects) -> bytes | None:
    """Return a copy of a file in which Type 3 fonts map their characters to Unicode; None if none needs it."""
    maps = _Maps(objects)
    changed: dict[int, bytes] = {}
    for number in objects.having(b"/Type3"):
        start, end = objects.span(number)
        content, at = b"", start
        for font in objects.dictionaries(number, b"/Type3"):
            if font.get("Subtype") == "Type3" and "ToUnicode" not in font and (named := maps.number_of(font)):
                content += objects.data[at : font.end - 2] + b"/ToUnicode %d 0 R" % named
                at = font.end - 2
        if content:
            changed[number] = content + objects.data[at:end]
    return objects.updated(changed | maps.streams) if changed else None


_Encoding = tuple[str, tuple[tuple[int, str], ...]]
"""The name of a base encoding, or nothing, and codes with the names of their characters."""

_MOST_ENCODINGS = 1000


class _Maps:
    """The maps to Unicode of the fonts of a file, one for each encoding.

    Attributes:
        streams: the maps, by the numbers of their objects.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._first = max(objects.offsets, default=0) + 1
        self._numbers: dict[_Encoding, int] = {}  # 0 if no name is known
        self.streams: dict[int, bytes] = {}

    def number_of(self, font: dict[str, Any]) -> int:
        """Return the number of the map of a font, or 0 if none of the names of its characters is known."""
        encoding = self._encoding(font)
        if encoding not in self._numbers:
            known = _known(*encoding) if len(self._numbers) < _MOST_ENCODINGS else {}
            self._numbers[encoding] = self._first + len(self.streams) if known else 0
            if known:
                self.streams[self._first + len(self.streams)] = _stream(known)
        return self._numbers[encoding]

    def _encoding(self, font: dict[str, Any]) -> _Encoding:
        get = self._objects.get
        base, differences = get(font.get("Encoding")), None
        if isinstance(base, dict):
            base, differences = get(base.get("BaseEncoding")), get(base.get("Differences"))
        names = tuple(_named(differences if isinstance(differences, list) else ()))
        return base if isinstance(base, str) else "", names


def _stream(known: dict[int, str]) -> bytes:
    entries = "".join(f"<{code:02x}><{_hexadecimal(text)}>\n" for code, text in known.items())
    content = f"1 begincodespacerange\n<00><ff>\nendcodespacerange\n{len(known)} beginbfchar\n{entries}endbfchar"
    return f"<</Length {len(content)}>>stream\n{content}\nendstream".encode()


def _hexadecimal(text: str) -> str:
    return text.encode("utf-16-be", "surrogatepass").hex()


def _named(differences: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """Yield codes and the names of their characters."""
    code = 0
    for value in map(str, differences):
        if value.isdecimal():
            code = int(value[:4])
        elif code <= _LAST_CODE:
            yield code, value
            code += 1


def _known(base: str, names: Sequence[tuple[int, str]]) -> dict[int, str]:
    """Return the texts of codes as PDFium reads them in a font with names: a probe shows each code on its own line."""
    codes = range(_LAST_CODE + 1) if base else [code for code, _ in names]
    differences = " ".join(f"{code}/{name}" for code, name in names)
    encoding = f"{f'/BaseEncoding/{base}' if base else ''}/Differences[{differences}]"
    shown = "".join(f"1 0 0 1 9 {_PITCH * code} Tm <{code:02x}> Tj\n" for code in codes)
    content = f"BT /F 9 Tf {shown}ET"
    probe = (
        "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n"
        f"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 -9 99 {_PITCH * (_LAST_CODE + 1)}]/Contents 4 0 R/Resources"
        f"<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<<{encoding}>>>>>>>>>>endobj\n"
        f"4 0 obj<</Length {len(content)}>>stream\n{content}\nendstream endobj\ntrailer<</Root 1 0 R>>\n"
    )
    found: dict[int, str] = defaultdict(str)
    with closing(pdfium.PdfDocument(probe.encode("latin-1"))) as document:
        page = document[0]
        keep_strings(page)
        with closing(page.get_textpage()) as textpage:
            for code, character in _characters(textpage):
                found[code] += character
    return found


def _characters(textpage: pdfium.PdfTextPage) -> Iterator[tuple[int, str]]:
    """Yield the characters of a probe that have a known name, each with the code of its line."""
    x, y = ctypes.c_double(), ctypes.c_double()
    for index in range(textpage.count_chars()):
        is_known = not raw.FPDFText_IsGenerated(textpage, index) and not raw.FPDFText_HasUnicodeMapError(
            textpage, index
        )
        if is_known and raw.FPDFText_GetCharOrigin(textpage, index, x, y):
            code = raw.FPDFText_GetUnicode(textpage, index)
            if code > 0x1F:
                yield round(y.value / _PITCH), chr(code)
