"""Reads Markdown: CommonMark with tables, footnotes, definition lists and front matter."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from simhash_doc.extract.charset import decode
from simhash_doc.extract.html.reader import read_part
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import ExtractedText

_TITLE = re.compile(r"^title:(.+)$", re.MULTILINE)


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read Markdown: the text of its rendered form, after the title from its front matter."""
    source, _ = decode(data)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(footnote_plugin).use(deflist_plugin)
    tokens = parser.parse(source)
    text = read_part(parser.renderer.render(tokens, parser.options, {}).encode("utf-8", "replace"))
    if tokens and tokens[0].type == "front_matter" and (found := _TITLE.search(tokens[0].content)):
        text = f"{_unquoted(found[1])}\n\n{text}"
    return ExtractedText(text, document_format, name)


def _unquoted(value: str) -> str:
    """Return the value of a line of front matter without the spaces and quotation marks around it."""
    title = value.strip(" \t")
    if len(title) > 2 and title[0] in "\"'" and title[0] == title[-1]:
        return title[1:-1]
    return title or value[-1]
