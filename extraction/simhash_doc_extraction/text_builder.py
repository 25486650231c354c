"""Assembles the text of a document from the pieces of its markup."""

from __future__ import annotations

import re

_WIDE = "\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_BREAK_IN_WIDE = re.compile(f"(?<=[{_WIDE}])[ \t]*\r?\n\\s*(?=[{_WIDE}])")
_IS_WIDE = re.compile(f"[{_WIDE}]")
_SPACE = re.compile(r"(?: [ \t\r\n\f]|[\t\r\n\f])[ \t\r\n\f]*+")  # but not a single space, as most are


class TextBuilder:
    """Collects inline text into blocks, such as paragraphs (SD-EXTRACT-8)."""

    def __init__(self) -> None:
        self.blocks: list[str] = []  # those that were ended
        self.inline: list[str] = []  # the pieces of the current one
        self.verbatim = 0  # elements around it that keep spaces and line ends

    def add(self, text: str | None) -> None:
        """Append text to the current block."""
        if text:
            self.inline.append(text)

    def end_block(self) -> bool:
        """End the current block. Return True if it holds text; without text, do nothing."""
        if not self.inline:
            return False
        text = "".join(self.inline)
        self.inline.clear()
        text = text.strip("\r\n").rstrip() if self.verbatim else collapse_spaces(text.strip())
        if text:
            self.blocks.append(text)
        return bool(text)

    def begin_verbatim(self) -> None:
        """End the current block, and keep spaces and line ends in the next ones. Calls can be nested."""
        self.end_block()
        self.verbatim += 1

    def end_verbatim(self) -> None:
        """End the current block, and undo one `begin_verbatim`."""
        self.end_block()
        self.verbatim -= 1

    def text(self) -> str:
        """End the current block, and return all blocks separated by blank lines."""
        self.end_block()
        return "\n\n".join(self.blocks)


def collapse_spaces(text: str) -> str:
    """Replace each run of white space by one space, and remove line breaks inside Chinese or Japanese text."""
    if "  " not in text and text.isprintable():
        return text
    if not text.isascii() and "\n" in text and _IS_WIDE.search(text):
        text = _BREAK_IN_WIDE.sub("", text)
    return _SPACE.sub(" ", text)
