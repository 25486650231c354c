"""Destinations of an RTF document: notes, fields, objects, shapes, and other groups whose text goes elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable

from simhash_doc_extraction.docx_symbols import symbol
from simhash_doc_extraction.rtf.characters import Characters
from simhash_doc_extraction.rtf.state import Field, Group, Object, RtfStory, Shape

_NO_CHOICE = 25  # the result of a form that nobody filled in
_NUMERAL = r"(?:[ivxlcdm]+|([a-z])\1+|[〇零一二三四五六七八九十百千]+)"
_LABEL = re.compile(rf"\b(?!{_NUMERAL}\b)[^\W\d_]{{2,}}", re.IGNORECASE)
_SYMBOL_FIELD = re.compile(r'\s*SYMBOL\s+(\d{1,5})(?:.*?\\f\s*"?([^"\\]+))?', re.IGNORECASE | re.DOTALL)


class Destinations(Characters):
    """Begins destinations, and does at their ends what their texts need."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._fields: list[Field] = []
        self._objects: list[Object] = []
        self._shapes: list[Shape] = []
        self._twins: list[tuple[Group, list[str]]] = []  # \upr: what is around, and the text for old readers

    def _begin_fonts(self) -> None:
        self._collect([])
        self._own().in_fonts = True

    def _begin_shown(self) -> None:
        """Show text in what is around, such as the result of a field."""
        group = self._own()
        group.out = None if group.story is None else group.story.inline

    def _begin_held(self) -> None:
        """Show only what destinations inside show."""
        self._own().out = None

    def _begin_note(self) -> None:
        around = self._group.story
        if around is None or self._is_hidden():
            self._collect(None)
            return
        around.drop_mark()
        story = RtfStory(around, is_note=True)
        self._at_end(story.close)
        self._collect(story.inline, story=story)
        self._group.is_raised = False

    def _begin_label(self) -> None:
        """Read the number of an item of a list if it holds words, such as "Article 1"."""
        around, text = self._group.copy(), list[str]()

        def end() -> None:
            self._group = around
            if _LABEL.search(label := "".join(text)):
                self._add(label + " ")

        if around.story is not None and around.out is around.story.inline:
            self._at_end(end)
        self._collect(text)

    def _begin_entry(self) -> None:
        """Count an entry of an index or a table of contents that is not hidden. Old programs show it in its place."""
        text: list[str] = []

        def end() -> None:
            if entry := "".join(text).strip():
                self.losses.add("entries of indexes not read", entry)

        if self._group.story is not None:
            self._at_end(end)
        self._collect(text)

    def _begin_twins(self) -> None:
        r"""Read text that is there twice (\upr): for readers without Unicode, and for others (\ud)."""
        around, text = self._group.copy(), list[str]()
        twins = (around, text)

        def end() -> None:
            if self._twins and self._twins[-1] is twins:  # without \ud
                self._twins.pop()
                self._group = around
                self._add("".join(text))

        self._twins.append(twins)
        self._at_end(end)
        self._collect(text)

    def _begin_unicode_twin(self) -> None:
        if self._twins:
            around, _ = self._twins.pop()
            self._collect(around.out, story=around.story)

    def _begin_field(self) -> None:
        found = Field(self._shown)
        around = self._group.copy()

        def end() -> None:
            self._fields.pop()
            if self._shown == found.shown and around.story is not None:
                self._group = around
                self._add(self._field_without_result(found))

        self._fields.append(found)
        self._at_end(end)

    def _begin_field_code(self) -> None:
        self._collect(self._fields[-1].code if self._fields else None)

    def _field_without_result(self, found: Field) -> str:
        """Return what a field shows that has no result: its text is in its code."""
        code = "".join(found.code)
        kind = code.split(maxsplit=1)[0].upper() if code.strip() else ""
        if found.choices:
            choice = found.default if found.choice is None else found.choice
            return "".join(found.choices[choice]) if 0 <= choice < len(found.choices) else ""
        if kind in ("MACROBUTTON", "GOTOBUTTON"):
            return " ".join(code.partition("\\*")[0].split()[2:])
        if kind == "SYMBOL" and (place := _SYMBOL_FIELD.match(code)):
            return symbol((place[2] or "").strip(), f"{int(place[1]):x}")
        if kind == "EQ":
            self.losses.add("formulas in field codes not read", code.strip())
        return ""

    def _begin_choice(self) -> None:
        text: list[str] = []
        if self._fields:
            self._fields[-1].choices.append(text)
        self._collect(text)

    def _choose(self, number: int | None) -> None:
        if self._fields and number != _NO_CHOICE:
            self._fields[-1].choice = number or 0

    def _choose_default(self, number: int | None) -> None:
        if self._fields:
            self._fields[-1].default = number or 0

    def _begin_object(self) -> None:
        if self._group.story is None or self._is_hidden():
            self._collect(None)
            return
        found = Object(self._shown)

        def end() -> None:
            self._objects.pop()
            if self._shown == found.shown:
                kind = "form controls not read" if found.is_control else "embedded objects not read"
                self.losses.add(kind, "".join(found.name).strip() or "object")

        self._objects.append(found)
        self._at_end(end)
        self._begin_held()

    def _begin_class(self) -> None:
        self._collect(self._objects[-1].name if self._objects else None)

    def _set_control(self, number: int | None) -> None:
        if self._objects:
            self._objects[-1].is_control = True

    def _begin_shape(self) -> None:
        around = self._group.story
        if around is None or self._is_hidden():
            self._collect(None)
            return
        shape = Shape(RtfStory(around))
        self._shapes.append(shape)
        self._at_end(self._end_shape)
        self._collect(None, story=shape.story)
        self._group.is_raised = False

    def _end_shape(self) -> None:
        self._shapes.pop().story.close()

    def _begin_new_shape(self) -> None:
        if self._shapes:
            self._shapes[-1].is_new = True
        self._begin_held()

    def _begin_old_shape(self) -> None:
        if self._shapes and self._shapes[-1].is_new:
            self._collect(None)
        else:
            self._begin_shown()

    def _begin_property_name(self) -> None:
        if self._shapes:
            self._shapes[-1].property = []
            self._collect(self._shapes[-1].property)
        else:
            self._collect(None)

    def _begin_property_value(self) -> None:
        if not self._shapes or self._group.story is None:
            self._collect(None)
            return
        shape, story, text = self._shapes[-1], self._group.story, list[str]()

        def end() -> None:
            name, value = "".join(shape.property).strip(), "".join(text).strip()
            if name == "gtextUNICODE" and value:  # WordArt
                story.end_block()
                story.inline.append(value)
                story.end_block()
                self._shown += 1
            elif name == "fHidden":
                shape.story.is_hidden = value not in ("", "0")

        self._at_end(end)
        self._collect(text)

    def _count_subdocument(self, number: int | None) -> None:
        if self._group.story is not None:
            self.losses.add("documents in other files not read", f"file {number or 0}")


DESTINATIONS: dict[str, Callable[[Destinations], None]] = {
    "fonttbl": Destinations._begin_fonts,
    "footnote": Destinations._begin_note,
    "listtext": Destinations._begin_label,
    "pntext": Destinations._begin_label,
    "xe": Destinations._begin_entry,
    "tc": Destinations._begin_entry,
    "tcn": Destinations._begin_entry,
    "upr": Destinations._begin_twins,
    "ud": Destinations._begin_unicode_twin,
    "field": Destinations._begin_field,
    "fldinst": Destinations._begin_field_code,
    "fldrslt": Destinations._begin_shown,
    "formfield": Destinations._begin_held,
    "ffl": Destinations._begin_choice,
    "object": Destinations._begin_object,
    "objclass": Destinations._begin_class,
    "result": Destinations._begin_shown,
    "shp": Destinations._begin_shape,
    "shpinst": Destinations._begin_new_shape,
    "shpgrp": Destinations._begin_held,
    "shprslt": Destinations._begin_old_shape,
    "shptxt": Destinations._begin_shown,
    "sp": Destinations._begin_held,
    "sn": Destinations._begin_property_name,
    "sv": Destinations._begin_property_value,
    "do": Destinations._begin_shape,
    "dptxbxtext": Destinations._begin_shown,
    "shppict": Destinations._begin_held,
    "pict": Destinations._begin_held,
    "picprop": Destinations._begin_shape,
    "mmath": Destinations._begin_shown,
    "moMath": Destinations._begin_shown,
    "moMathPara": Destinations._begin_shown,
}
PROPERTY_WORDS: dict[str, Callable[[Destinations, int | None], None]] = {
    "ffres": Destinations._choose,
    "ffdefres": Destinations._choose_default,
    "objocx": Destinations._set_control,
    "subdocument": Destinations._count_subdocument,
}
