"""Markdown: CommonMark with tables, footnotes, definition lists and front matter."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from simhash_doc.extract.decoding import decode
from simhash_doc.extract.document import Extracted
from simhash_doc.extract.html import read_part
from simhash_doc.extract.limits import Limits

_TITLE = re.compile(r"""^title:[ \t]*(?P<quote>["']?)(?P<title>.+?)(?P=quote)[ \t]*$""", re.MULTILINE)


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read Markdown: the text that its rendering shows. Of its front matter only the title is text."""
    source, _ = decode(data)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(footnote_plugin).use(deflist_plugin)
    tokens = parser.parse(source)
    text = read_part(parser.renderer.render(tokens, parser.options, {}).encode("utf-8", "replace"))
    if tokens and tokens[0].type == "front_matter" and (found := _TITLE.search(tokens[0].content)):
        text = f"{found['title']}\n\n{text}"
    return Extracted(text, medium, name)
