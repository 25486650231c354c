"""The objects of a PDF (ISO 32000-2, 7.3), in a copy in which PDFium has written each of them without compression."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw


class Dictionary(dict[str, Any]):
    """A dictionary, and where it is in the file."""

    start = end = 0


class Reference(int):
    """The number of an object."""


_TOKEN = re.compile(
    rb"\s*(?:(\d+)\s+\d+\s+R(?![^\s/<>\[\]()])|(<<)|(>>)|(\[)|(\])|/([^\s/<>\[\](){}%]*)|([(<])|([^\s/<>\[\](){}%]+))"
)
_STRING_END = re.compile(rb"\\.|[()]", re.DOTALL)


class Objects:
    """The objects of a file that PDFium wrote."""

    def __init__(self, data: bytearray) -> None:
        self.data = data
        table = data.rfind(b"\nxref")
        self.offsets: dict[int, int] = {}
        number = 0
        for line in bytes(data[table + 5 :]).split(b"\n") if table >= 0 else ():
            fields = line.split()
            if len(fields) == 2:
                number = int(fields[0])
            elif len(fields) == 3:
                if fields[2] == b"n":
                    self.offsets[number] = int(fields[0])
                number += 1
            elif fields == [b"trailer"]:
                break
        self._ends = dict(zip(sorted(self.offsets.values()), [*sorted(self.offsets.values())[1:], table], strict=True))
        start = data.find(b"trailer", table)
        self.root = self._parse(start + len(b"trailer"), len(data)).get("Root") if start >= 0 else None
        self._table = table + 1

    def get(self, value: Any) -> Any:
        """Return a value, or the object to which it refers."""
        if not isinstance(value, Reference):
            return value
        offset = self.offsets.get(value)
        if offset is None:
            return None
        return self._parse(self.data.find(b"obj", offset) + 3, self._ends[offset])

    def stream(self, number: int) -> bytes:
        """Return what a stream holds, as it is stored; nothing if the object is none."""
        offset = self.offsets.get(number, 0)
        found = self.get(Reference(number))
        if not isinstance(found, Dictionary):
            return b""
        start = self.data.find(b"stream", found.end, found.end + 10)
        end = self.data.rfind(b"endstream", found.end, self._ends[offset])
        return bytes(self.data[start + 6 : end]).removeprefix(b"\r").removeprefix(b"\n") if 0 <= start < end else b""

    def span(self, number: int) -> tuple[int, int]:
        """Return the offset of an object behind its "obj", and of its end."""
        offset = self.offsets[number]
        return self.data.find(b"obj", offset) + 3, self.data.rfind(b"endobj", offset, self._ends[offset])

    def updated(self, objects: Mapping[int, bytes]) -> bytes:
        """Return the file with an incremental update: other contents of objects, or new objects (7.5.6)."""
        out, table = bytearray(self.data), ""
        for number, content in objects.items():
            table += f"{number} 1\n{len(out):010} 00000 n \n"
            out += b"%d 0 obj%s\nendobj\n" % (number, content)
        size = max(max(self.offsets), *objects) + 1
        trailer = f"<</Size {size}/Root {self.root} 0 R/Prev {self._table}>>"
        return bytes(out + f"xref\n{table}trailer{trailer}\nstartxref\n{len(out)}\n%%EOF\n".encode())

    def having(self, text: bytes) -> Iterable[int]:
        """Return the numbers of the objects that have a text, in their order in the file."""
        ends = [(self._ends[offset], number) for number, offset in self.offsets.items()]
        found = -1
        for end, number in sorted(ends):
            if found < self.offsets[number] and (found := self.data.find(text, self.offsets[number])) < 0:
                break
            if found < end:
                yield number

    def dictionaries(self, number: int, having: bytes = b"/OC") -> Iterable[Dictionary]:
        """Return the dictionaries in an object that has a text: one with layers has the default."""
        offset = self.offsets[number]
        end = self._ends[offset]
        stream = self.data.find(b"stream", offset, end)
        head = self.data[offset : stream if stream >= 0 else end]
        if having not in head:
            return []
        found: list[Dictionary] = []
        self._parse(self.data.find(b"obj", offset) + 3, end, found)
        return found

    def replace(self, found: Dictionary, old: bytes, new: bytes) -> None:
        """Replace a text in a dictionary by one of the same length."""
        self.data[found.start : found.end] = self.data[found.start : found.end].replace(old, new)

    def _parse(self, start: int, end: int, found: list[Dictionary] | None = None) -> Any:
        """Return the value that starts at an offset; add its dictionaries to `found`."""
        stack: list[list[Any]] = [[]]
        opened: list[int] = []
        at = start
        while match := _TOKEN.match(self.data, at, end):
            at = match.end()
            reference, opens, closes, array, array_end, name, string, other = match.groups()
            if opens or array:
                opened.append(match.end() - (2 if opens else 1))
                stack.append([])
                continue
            if closes or array_end:
                if not opened:
                    break
                items = stack.pop()
                value: Any = items
                begin = opened.pop()
                if closes:
                    value = Dictionary(zip(map(str, items[::2]), items[1::2], strict=False))
                    value.start, value.end = begin, at
                    if found is not None:
                        found.append(value)
            elif reference:
                value = Reference(reference)
            elif name is not None:
                value = name.decode("latin-1")
            elif string:
                at = self._string_end(at, end, string)
                value = ""
            else:
                value = other.decode("latin-1")
            stack[-1].append(value)
            if len(stack) == 1:
                break
        return stack[0][0] if stack[0] else Dictionary()

    def _string_end(self, at: int, end: int, opening: bytes) -> int:
        if opening == b"<":
            return self.data.find(b">", at, end) + 1
        depth = 1
        for match in _STRING_END.finditer(self.data, at, end):
            depth += {b"(": 1, b")": -1}.get(match[0], 0)
            if not depth:
                return match.end()
        return end


def objects_of(document: pdfium.PdfDocument) -> Objects | None:
    """Return the objects of a document, decrypted, or None if PDFium cannot write them."""
    out = io.BytesIO()
    try:
        document.save(out, flags=raw.FPDF_NO_INCREMENTAL | raw.FPDF_REMOVE_SECURITY)
    except pdfium.PdfiumError:
        return None
    return Objects(bytearray(out.getvalue()))
