"""Renders the examples of docstrings as code: Markdown takes a line that begins with `>>>` for a quotation."""

from __future__ import annotations

import re
from typing import Any

import griffe

# From the first prompt to the next empty line.
_EXAMPLE = re.compile(r"^( *)>>> .*(?:\n *\S.*)*", re.MULTILINE)


class DoctestBlocks(griffe.Extension):
    """Put the examples of each docstring into a fenced block."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(_fenced, obj.docstring.value)


def _fenced(example: re.Match[str]) -> str:
    return f"{example[1]}```pycon\n{example[0]}\n{example[1]}```"
