"""Layers (optional content, ISO 32000-2, 8.11) that are off when a document is opened.

PDFium reads the text of all layers, and does not say which are off. `mark_layers` marks what belongs to them in a copy
of the file, by changes that keep every length.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from simhash_doc_extraction.pdf.objects import Objects, Reference


def mark_layers(objects: Objects) -> int:
    """Mark the content of layers that are off, and return the number of such layers."""
    hidden = _Visibility(objects)
    if not hidden.off:
        return 0
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
    return len(hidden.off)


def hide_layers(page: pdfium.PdfPage) -> None:
    """Leave the objects that `mark_layers` marked out of the text of a page."""
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


_DEEPEST = 20  # nested expressions


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
