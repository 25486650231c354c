"""What the head of a page and its structured data declare about the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import HtmlElement

_MOST_JSON = 1 << 21  # characters of one script
_ITEM_TYPES = etree.XPath("//@itemtype", smart_strings=False)


@dataclass(slots=True)
class Metadata:
    """Declarations about a page.

    Attributes:
        title: the titles that the head declares.
        heading: the title without the name of the site, if the head declares one.
        types: types of the page and of its parts in lower case: those of schema.org, and `og:` with the type of Open
            Graph.
        article_body: the longest text of an article in structured data.
    """

    title: str = ""
    heading: str = ""
    types: set[str] = field(default_factory=set)
    article_body: str = ""

    def declares(self, *parts: str) -> bool:
        """Return True if the name of a type contains one of the parts."""
        return any(part in name for name in self.types for part in parts)


def read_metadata(root: HtmlElement) -> Metadata:
    """Return what a page declares about itself."""
    found = Metadata()
    title = root.find(".//title")
    if title is not None:
        found.title = found.heading = title.text_content()
    for element in root.iter("meta"):
        name = element.get("property") or element.get("name")
        content = element.get("content") or ""
        if name == "og:title":
            found.title += f" {content}"
            found.heading = content or found.heading
        elif name == "og:type":
            found.types.add(f"og:{content.lower()}")
    for node in structured_data(root):
        kind = node.get("@type")
        found.types.update(str(name).lower() for name in (kind if isinstance(kind, list) else [kind]))
        body = node.get("articleBody")
        if isinstance(body, str) and len(body) > len(found.article_body):
            found.article_body = body
    found.types.update(kind.rpartition("/")[2].lower() for kind in _ITEM_TYPES(root) if kind)
    return found


def structured_data(root: HtmlElement) -> Iterator[dict[str, object]]:
    """Yield every object in the JSON-LD of a page."""
    for script in root.iter("script"):
        if script.get("type") == "application/ld+json" and script.text:
            yield from objects_in(parse_json(script.text))


def parse_json(text: str) -> object:
    """Return the value of a JSON text, or None if it is not valid or too large."""
    if len(text) > _MOST_JSON:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def objects_in(value: object) -> Iterator[dict[str, object]]:
    """Yield every object in a value of JSON, in document order."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(reversed(item.values()))
        elif isinstance(item, list):
            stack.extend(reversed(item))
