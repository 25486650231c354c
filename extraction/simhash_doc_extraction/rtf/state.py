"""The state of an RTF reader: where text goes, and what a group, a font, a field, an object or a shape has said."""

from __future__ import annotations

from dataclasses import dataclass, field

from simhash_doc_extraction.docx_symbols import symbol
from simhash_doc_extraction.text_builder import TextBuilder

_LONGEST_MARK = 6


class RtfStory(TextBuilder):
    """Text in one sequence: the body, a note or a text box.

    Notes and text boxes, also those inside others, follow the paragraph of the body where they are.

    Attributes:
        is_hidden: whether it is not shown, nor what is inside it.
    """

    def __init__(self, around: RtfStory | None = None, *, is_note: bool = False) -> None:
        super().__init__()
        self.is_hidden = False
        self._around = around
        self._is_note = is_note  # so that it can begin with its mark
        self._body: RtfStory = around._body if around else self
        self._following: list[RtfStory] = []
        self._mark: int | None = None  # where a raised text at the end of `inline` begins
        if around:
            self._body._following.append(self)

    def put(self, text: str, *, raised: bool) -> None:
        """Add text. Raised text can be the mark of a note."""
        if not raised:
            self._mark = None
        elif self._is_note and not self.inline and not self.blocks and len(text) <= _LONGEST_MARK:
            return
        elif self._mark is None:
            self._mark = len(self.inline)
        self.inline.append(text)

    def drop_mark(self) -> None:
        """Remove the mark of the note that begins here."""
        if self._mark is not None and len("".join(self.inline[self._mark :])) <= _LONGEST_MARK:
            del self.inline[self._mark :]
        self._mark = None

    def keep_mark(self) -> None:
        """Keep the raised text before the mark of a note that the program numbers."""
        self._mark = None

    def close(self) -> None:
        """Forget the story if it is empty: a file can hold a million empty ones in one paragraph."""
        following = self._body._following
        if not self.inline and not self.blocks and following and following[-1] is self:
            following.pop()

    def end_block(self) -> bool:
        found = super().end_block()
        self._mark = None
        following, self._following = self._following, []
        for story in following:
            story.is_hidden |= story._around is not None and story._around.is_hidden
            if not story.is_hidden:
                story.end_block()
                self.blocks += story.blocks
        return found


@dataclass(slots=True)
class Group:
    """The state that ends with a group.

    Attributes:
        story: where text goes that a destination in the group shows; None if nothing in it is shown.
        out: where text goes: `story.inline`, a list that collects a name or the code of a field, or None.
        font: number of the font; None for the default.
        is_hidden: whether text is hidden.
        is_deleted: whether text is deleted, or was moved to another place.
        is_raised: whether text is a superscript.
        fallback: number of bytes after each character in Unicode that are its fallback.
        in_fonts: whether the group is the table of fonts.
        is_initial: whether the paragraph is a first letter set large, which the next one continues.
    """

    story: RtfStory | None
    out: list[str] | None
    font: int | None = None
    is_hidden: bool = False
    is_deleted: bool = False
    is_raised: bool = False
    fallback: int = 1
    in_fonts: bool = False
    is_initial: bool = False

    def copy(self) -> Group:
        return Group(
            self.story,
            self.out,
            self.font,
            self.is_hidden,
            self.is_deleted,
            self.is_raised,
            self.fallback,
            self.in_fonts,
            self.is_initial,
        )


@dataclass(slots=True)
class Font:
    """A font: its name, and the codec of its characters, or None for that of the document."""

    name: list[str] = field(default_factory=list)
    codec: str | None = None
    is_symbol: bool = False
    is_western: bool = False
    _symbols: list[str] = field(default_factory=list)

    def symbols(self) -> list[str]:
        """Return the character for each byte in a font of symbols."""
        if not self._symbols:
            name = "".join(self.name)
            signs = (symbol(name, f"{0xF000 + byte:x}") for byte in range(0x21, 0x100))
            self._symbols = [*map(chr, range(0x21)), *signs]
        return self._symbols


@dataclass(slots=True)
class Field:
    """A field: its code, the choices of a form, and how much was shown before it."""

    shown: int
    code: list[str] = field(default_factory=list)
    choices: list[list[str]] = field(default_factory=list)
    choice: int | None = None
    default: int = 0


@dataclass(slots=True)
class Object:
    """An object of another program: its class, and how much was shown before it."""

    shown: int
    name: list[str] = field(default_factory=list)
    is_control: bool = False


@dataclass(slots=True)
class Shape:
    """A shape: its text, whether it is in the form that new programs understand, and the name of its last property."""

    story: RtfStory
    is_new: bool = False
    property: list[str] = field(default_factory=list)
