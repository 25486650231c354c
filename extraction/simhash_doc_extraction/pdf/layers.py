"""Layers (optional content, ISO 32000-2, 8.11) that are off when a document is opened.

PDFium reads the text of all layers, and does not say which are off. `without_layers` marks what belongs to them in a
copy of the file, in which PDFium has written every object without compression, by changes that keep every length.
"""

from __future__ import annotations

import ctypes
import io
import re
import zlib
from collections.abc import Iterable
from contextlib import closing, suppress
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

UNCOMPRESSED = raw.FPDF_NO_INCREMENTAL | raw.FPDF_REMOVE_SECURITY


def without_layers(data: bytes, document: pdfium.PdfDocument) -> tuple[bytes | None, int]:
    """Return a copy of a file in which the content of layers that are off is marked, and the number of such layers.

    The copy is None if no layer is off, or if the file has no layers.
    """
    if not _may_have_layers(data):
        return None, 0
    out = io.BytesIO()
    try:
        document.save(out, flags=UNCOMPRESSED)
    except pdfium.PdfiumError:
        return None, 0
    objects = Objects(bytearray(out.getvalue()))
    hidden = _Visibility(objects)
    if not hidden.off:
        return None, 0
    for number in objects.offsets:
        for found in objects.dictionaries(number):
            kind = found.get("Type")
            if kind == "OCG" and number in hidden.off:
                objects.replace(found, b"/Type/OCG", _OFF + b" ")
            elif kind == "OCMD" and hidden.is_off(found):
                objects.replace(found, b"/Type/OCMD", _OFF + b"  ")
            elif "OC" in found and hidden.is_off(found["OC"]):
                objects.replace(found, b"/Subtype", b"/Subtyp_")  # a form that is not known is not drawn
                objects.replace(found, b"/AP", b"/A_")  # nor is an annotation without appearance
    copy = bytes(objects.data)
    try:
        with closing(pdfium.PdfDocument(copy)) as again:
            is_complete = len(again) == len(document)
    except pdfium.PdfiumError:
        is_complete = False
    return (copy, len(hidden.off)) if is_complete else (None, 0)


def hide_layers(page: pdfium.PdfPage) -> None:
    """Leave the objects that `without_layers` marked out of the text of a page."""
    holders: list[Any] = [None]
    for holder in holders:
        count = raw.FPDFPage_CountObjects(page) if holder is None else raw.FPDFFormObj_CountObjects(holder)
        for index in range(count):
            get = raw.FPDFPage_GetObject if holder is None else raw.FPDFFormObj_GetObject
            found = get(page if holder is None else holder, index)
            if any(_is_marked(raw.FPDFPageObj_GetMark(found, at)) for at in range(raw.FPDFPageObj_CountMarks(found))):
                raw.FPDFPageObj_SetIsActive(found, False)
            elif raw.FPDFPageObj_GetType(found) == raw.FPDF_PAGEOBJ_FORM:
                holders.append(found)


_OFF = b"/Type(x)"
"""Replaces the type of a layer, which is a name: PDFium tells the strings of a mark, and no names."""


def _is_marked(mark: Any) -> bool:
    length = ctypes.c_ulong()
    return bool(raw.FPDFPageObjMark_GetParamStringValue(mark, b"Type", None, 0, length))


_KEY = b"/OCProperties"
_OBJECT_STREAM = re.compile(rb"/ObjStm(?:(?!endobj).){0,2000}?stream\r?\n", re.DOTALL)
_MOST_OBJECTS = 16 * 2**20  # bytes of an object stream


def _may_have_layers(data: bytes) -> bool:
    """Return True if the catalog of a file can name layers."""
    if _KEY in data:
        return True
    view, is_encrypted = memoryview(data), b"/Encrypt" in data
    for found in _OBJECT_STREAM.finditer(data):
        if is_encrypted:
            return True
        end = data.find(b"endstream", found.end())
        with suppress(zlib.error):
            if _KEY in zlib.decompressobj().decompress(view[found.end() : end], _MOST_OBJECTS):
                return True
        if end < 0:  # the file is cut off
            break
    return False


class _Dictionary(dict[str, Any]):
    """A dictionary, and where it is in the file."""

    start = end = 0


class Reference(int):
    """The number of an object."""


_DEEPEST = 20  # nested expressions
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
        if not isinstance(found, _Dictionary):
            return b""
        start = self.data.find(b"stream", found.end, found.end + 10)
        end = self.data.rfind(b"endstream", found.end, self._ends[offset])
        return bytes(self.data[start + 6 : end]).removeprefix(b"\r").removeprefix(b"\n") if 0 <= start < end else b""

    def having(self, text: bytes) -> Iterable[int]:
        """Return the numbers of the objects that have a text, in their order in the file."""
        ends = [(self._ends[offset], number) for number, offset in self.offsets.items()]
        found = -1
        for end, number in sorted(ends):
            if found < self.offsets[number] and (found := self.data.find(text, self.offsets[number])) < 0:
                break
            if found < end:
                yield number

    def dictionaries(self, number: int, having: bytes = b"/OC") -> Iterable[_Dictionary]:
        """Return the dictionaries in an object that has a text: one with layers has the default."""
        offset = self.offsets[number]
        end = self._ends[offset]
        stream = self.data.find(b"stream", offset, end)
        head = self.data[offset : stream if stream >= 0 else end]
        if having not in head:
            return []
        found: list[_Dictionary] = []
        self._parse(self.data.find(b"obj", offset) + 3, end, found)
        return found

    def replace(self, found: _Dictionary, old: bytes, new: bytes) -> None:
        """Replace a text in a dictionary by one of the same length."""
        self.data[found.start : found.end] = self.data[found.start : found.end].replace(old, new)

    def _parse(self, start: int, end: int, found: list[_Dictionary] | None = None) -> Any:
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
                    value = _Dictionary(zip(map(str, items[::2]), items[1::2], strict=False))
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
        return stack[0][0] if stack[0] else _Dictionary()

    def _string_end(self, at: int, end: int, opening: bytes) -> int:
        if opening == b"<":
            return self.data.find(b">", at, end) + 1
        depth = 1
        for match in _STRING_END.finditer(self.data, at, end):
            depth += {b"(": 1, b")": -1}.get(match[0], 0)
            if not depth:
                return match.end()
        return end


class _Visibility:
    """Which layers are off in the default configuration, seen on a screen."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        get = objects.get
        root = get(objects.root)
        properties = get(root.get("OCProperties")) if isinstance(root, dict) else None
        self.off: set[Reference] = set()
        self._known: dict[Reference, bool] = {}
        if not isinstance(properties, dict):
            return
        default = get(properties.get("D"))
        default = default if isinstance(default, dict) else {}
        if get(default.get("BaseState")) == "OFF":
            self.off = self._groups(properties.get("OCGs"))
        self.off = (self.off - self._groups(default.get("ON"))) | self._groups(default.get("OFF"))
        for usage in map(get, self._list(default.get("AS"))):
            if isinstance(usage, dict) and get(usage.get("Event")) == "View":
                for group in self._groups(usage.get("OCGs")):
                    self._set_by_usage(group)

    def _set_by_usage(self, group: Reference) -> None:
        value = self._objects.get(group)
        for key in ("Usage", "View", "ViewState"):
            value = self._objects.get(value.get(key)) if isinstance(value, dict) else None
        if value == "OFF":
            self.off.add(group)
        elif value == "ON":
            self.off.discard(group)

    def _list(self, value: Any) -> list[Any]:
        value = self._objects.get(value)
        return value if isinstance(value, list) else []

    def _groups(self, value: Any) -> set[Reference]:
        return {group for group in self._list(value) if isinstance(group, Reference)}

    def is_off(self, value: Any, depth: int = 0) -> bool:
        """Return True if a layer is off, or if what depends on layers is not shown."""
        if isinstance(value, Reference):
            if value not in self._known:
                self._known[value] = False  # also of a reference to itself
                self._known[value] = value in self.off or self._depends_on_off(value, depth)
            return self._known[value]
        return self._depends_on_off(value, depth)

    def _depends_on_off(self, value: Any, depth: int) -> bool:
        if depth > _DEEPEST:
            return False
        found = self._objects.get(value)
        if isinstance(found, list) and found:  # an expression
            states = [self.is_off(operand, depth + 1) for operand in found[1:]]
            return {"And": any(states), "Or": all(states), "Not": not any(states)}.get(str(found[0]), False)
        if not isinstance(found, dict) or found.get("Type") != "OCMD":
            return False
        if "VE" in found:
            return self.is_off(found["VE"], depth + 1)
        groups = found.get("OCGs")
        states = [group in self.off for group in (self._list(groups) or [groups]) if isinstance(group, Reference)]
        policy = str(self._objects.get(found.get("P")))
        shown = {"AllOn": not any(states), "AnyOff": any(states), "AllOff": all(states)}
        return bool(states) and not shown.get(policy, not all(states))
