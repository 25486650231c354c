"""Formulas in TeX on web pages."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"\\(?:begin|end|label|tag)\{[^{}]*\}|\\[a-zA-Z]+\*?|\\.|[{}_^$&]")
_OPENING = re.compile(r"\\[(\[]")
_CLOSING = {"\\(": "\\)", "\\[": "\\]"}
_LONGEST = {"\\(": 2000, "\\[": 4000}  # characters of a formula


def without_inline_tex(text: str) -> str:
    r"""Return a text with the formulas in it, \(...\) and \[...\], as they appear in print."""
    pieces: list[str] = []
    end = 0
    closings = dict.fromkeys(_CLOSING, 0)  # of each kind: the next one, or -1 if there is none
    for found in _OPENING.finditer(text):
        mark, first = found[0], found.end() + 1  # a formula has a character or more
        if found.start() < end:
            continue
        if 0 <= closings[mark] < first:
            closings[mark] = text.find(_CLOSING[mark], first)
        closing = closings[mark]
        if first <= closing <= found.end() + _LONGEST[mark]:
            pieces += text[end : found.start()], without_tex(text[found.start() : closing + 2])
            end = closing + 2
    return "".join([*pieces, text[end:]])


def without_tex(formula: str) -> str:
    """Return the letters and numbers of a TeX formula, as they appear in print."""
    return _MARKUP.sub(lambda found: "" if found[0] in "{}_^" else " ", formula)
