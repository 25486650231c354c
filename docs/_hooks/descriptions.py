"""Give each page a description of its own, which search engines show: its title and first paragraph."""

from __future__ import annotations

import re
from html import unescape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

SHORTEST, LONGEST = 40, 200  # characters
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_SENTENCE = re.compile(r"(?<=[.?!:]) ")


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    page.meta.setdefault("description", f"{page.title}. {description(html)}".strip())
    return html


def description(html: str) -> str:
    """Return the first sentences of the first paragraph of sentences, or nothing if there is none."""
    found = ""
    for paragraph in _PARAGRAPH.findall(html):
        text = " ".join(unescape(_TAG.sub("", paragraph)).split())
        if len(text) < SHORTEST or text[-1] not in ".?!:":
            continue
        for sentence in _SENTENCE.split(text):
            if found and len(found) + len(sentence) >= LONGEST:
                break
            found = f"{found} {sentence}".strip()
        break
    return found.replace('"', "'").removesuffix(":")
