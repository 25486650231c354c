"""From pieces of markup to lines of text."""

from __future__ import annotations

import re

_WIDE = "\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_BREAK_IN_WIDE = re.compile(f"(?<=[{_WIDE}])[ \t]*\r?\n\\s*(?=[{_WIDE}])")
_SPACE = re.compile(r"[ \t\r\n\f]+")


class Flow:
    """Text under construction: runs of inline text, cut into blocks."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._inline: list[str] = []
        self._verbatim = 0

    def add(self, text: str | None) -> None:
        """Append text to the present block."""
        if text:
            self._inline.append(text)

    def cut(self) -> None:
        """End the present block."""
        text = "".join(self._inline)
        self._inline.clear()
        text = text.strip("\r\n").rstrip() if self._verbatim else collapse(text).strip()
        if text:
            self._blocks.append(text)

    def begin_verbatim(self) -> None:
        """Keep spaces and line ends from here on."""
        self.cut()
        self._verbatim += 1

    def end_verbatim(self) -> None:
        """Collapse spaces and line ends again."""
        self.cut()
        self._verbatim -= 1

    def text(self) -> str:
        """Return the blocks, a blank line between two."""
        self.cut()
        return "\n\n".join(self._blocks)


def collapse(text: str) -> str:
    """Make one space of each run of white space; none where a line broke inside Chinese or Japanese."""
    return _SPACE.sub(" ", _BREAK_IN_WIDE.sub("", text))
