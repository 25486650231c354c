"""The styles and the lists of a DOCX file, as far as they hide text or number it."""

from __future__ import annotations

import re
from collections.abc import Container

from simhash_doc_extraction.parts import elements

FALSE = frozenset({"0", "false", "off"})
"""Values of a property that is off."""


def is_on(values: dict[str, str]) -> bool:
    """Return the value of a property that is on or off: without a value it is on."""
    return values.get("val", "1").lower() not in FALSE


class Styles:
    """The styles of a document, as far as they hide text or number it.

    Each kind of style that hides a text toggles it: a paragraph style and a character style show it together (ECMA-376
    part 1, 17.7.3).
    """

    def __init__(self) -> None:
        self.default = False
        self.default_paragraph = ""
        self._own: dict[str, bool] = {}
        self._based_on: dict[str, str] = {}
        self._lists: dict[str, dict[str, str]] = {}

    @classmethod
    def of(cls, data: bytes, part: str) -> Styles:
        """Return the styles in a part."""
        styles = cls()
        style: str | None = ""  # None in the formats of some rows of a table
        for tag, values in elements(data, part):
            if tag == "style":
                style = values.get("styleId", "")
                if values.get("type") == "paragraph" and values.get("default", "0").lower() not in FALSE:
                    styles.default_paragraph = style
            elif tag == "tblStylePr":
                style = None
            elif tag in ("numId", "ilvl") and style:
                styles._lists.setdefault(style, {})[tag] = values.get("val", "")
            elif tag == "basedOn" and style:
                styles._based_on[style] = values.get("val", "")
            elif tag == "vanish" and style:
                styles._own.setdefault(style, is_on(values))
            elif tag == "vanish" and style is not None:
                styles.default = is_on(values)
        return styles

    def hide(self, *chosen: str) -> bool:
        """Return True if styles, each of another kind, hide a text together."""
        return self.default or sum(map(self._hides, chosen)) % 2 == 1

    def list_of(self, style: str) -> tuple[str, str]:
        """Return the list of a paragraph style and the level in it."""
        found = self._lists.get(self._nearest(style or self.default_paragraph, self._lists), {})
        return found.get("numId", ""), found.get("ilvl", "0")

    def _hides(self, style: str) -> bool:
        return self._own.get(self._nearest(style, self._own), False)

    def _nearest(self, style: str, known: Container[str]) -> str:
        """Return the style, or the nearest of those on which it is based, that is known."""
        seen: set[str] = set()
        while style and style not in known and style not in seen:
            seen.add(style)
            style = self._based_on.get(style, "")
        return style


_WORDS = re.compile(r"[^\W\d_]{2,}")


def read_labels(data: bytes, part: str) -> dict[tuple[str, str], str]:
    """Return the texts that lists put before their items, if they hold words ("Article %1"), by list and level."""
    labels: dict[tuple[str, str], str] = {}
    abstract: dict[str, str] = {}
    current = level = ""
    for tag, values in elements(data, part):
        if tag == "abstractNum":
            current = f"abstract {values.get('abstractNumId')}"
        elif tag == "num":
            current = values.get("numId", "")
        elif tag == "abstractNumId":
            abstract[current] = f"abstract {values.get('val')}"
        elif tag == "lvl":
            level = values.get("ilvl", "0")
        elif tag == "lvlText" and _WORDS.search(values.get("val", "")):
            labels[current, level] = values["val"]
    for number, name in abstract.items():
        labels |= {(number, at): text for (owner, at), text in list(labels.items()) if owner == name}
    return labels
