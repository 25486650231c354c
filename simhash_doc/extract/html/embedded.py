"""Text of a page that is not in its elements: in structured data, or in the state that its scripts start from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from simhash_doc.extract.html.metadata import Metadata, parse_json

LEAST = 500
"""Characters of an article in a script. Less is a description of one."""

_MOST = 1 << 22  # characters of one script
_SENTENCE = re.compile(r"[.!?…](?:\s|$)|[。！？।؟]")
_TAG = re.compile(r"<(?:p|div|h[1-6]|li|br|section|article)\b", re.IGNORECASE)
_ASSIGNED = re.compile(r"^\s*(?:var\s+|let\s+|const\s+)?[\w.$\[\]\"']{1,80}\s*=\s*(?=[{\[])")
_DECODER = json.JSONDecoder()


def embedded_text(root: HtmlElement, metadata: Metadata) -> str:
    """Return the longest article in the structured data and in the scripts of a page, or an empty text.

    The article can be text or HTML.
    """
    best = metadata.article_body
    for script in root.iter("script"):
        if (value := _value(script)) is not None:
            best = max((best, *_articles(value)), key=len)
    return best if len(best) >= LEAST else ""


def is_markup(text: str) -> bool:
    """Return True if a text from a script is HTML."""
    return _TAG.search(text) is not None


def _value(script: HtmlElement) -> object:
    """Return the JSON value that a script holds or assigns, or None."""
    text = script.text or ""
    kind = (script.get("type") or "").lower()
    if "json" in kind:
        return parse_json(text) if kind != "application/ld+json" else None
    found = _ASSIGNED.match(text[:400])
    if not found or len(text) > _MOST:
        return None
    try:
        value: object = _DECODER.raw_decode(text, found.end())[0]
    except (ValueError, RecursionError):
        return None
    return value


def _articles(value: object) -> Iterator[str]:
    """Yield the texts in a JSON value that are prose: single strings, and lists of paragraphs."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if _is_prose(item):
                yield item
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            paragraphs = [text for part in item for text in _texts_of(part) if _SENTENCE.search(text)]
            if len(paragraphs) > 1:
                yield "\n\n".join(paragraphs)
            stack.extend(item)


def _texts_of(part: object) -> Iterator[str]:
    """Yield the text of a paragraph: a string, or the string members of an object."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        yield from (member for member in part.values() if isinstance(member, str) and " " in member)


def _is_prose(text: str) -> bool:
    if len(text) < LEAST:
        return False
    sentences = len(_SENTENCE.findall(text))
    return sentences >= 3 and len(text) / sentences < 1000
