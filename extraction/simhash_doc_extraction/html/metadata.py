"""What the head of a page and its structured data declare about the page, and text that is not in its elements.

Such text is in structured data, or in the state that the scripts of the page start from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from simhash_doc_extraction.html.tree import Tree, size_of

_MOST_JSON = 1 << 21  # characters of one script
_BRACKET = re.compile(r"(?<![!A])[{\[]")  # not those of `<![CDATA[`
_DECODER = json.JSONDecoder(strict=False)


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


def read_metadata(tree: Tree) -> Metadata:
    """Return what a page declares about itself."""
    found = Metadata()
    for number in tree.numbered("title")[:1]:
        found.title = found.heading = tree.string(number)
    for values in map(tree.attributes.__getitem__, tree.numbered("meta")):
        name, content = values.get("property") or values.get("name"), values.get("content", "")
        if name == "og:title":
            found.title += f" {content}"
            found.heading = content or found.heading
        elif name == "og:type":
            found.types.add(f"og:{content.lower()}")
    found.types.update(kind.rpartition("/")[2].lower() for _, kind in tree.values_of("itemtype") if kind)
    for node in _structured_data(tree):
        declared = node.get("@type")
        found.types.update(str(name).lower() for name in (declared if isinstance(declared, list) else [declared]))
        body = node.get("articleBody")
        if isinstance(body, list):
            body = "\n\n".join(part for part in body if isinstance(part, str))
        if isinstance(body, str) and len(body) > len(found.article_body):
            found.article_body = body
    return found


def _scripts(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the type of each script in lower case, and its characters."""
    for number in tree.numbered("script"):
        if text := tree.string(number):
            yield tree.attributes[number].get("type", "").lower(), text


def _structured_data(tree: Tree) -> Iterator[dict[str, object]]:
    """Yield every object in the JSON-LD of a page, in document order."""
    stack: list[object] = [_parse_json(text) for kind, text in _scripts(tree) if kind == "application/ld+json"][::-1]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(reversed(item.values()))
        elif isinstance(item, list):
            stack.extend(reversed(item))


def _parse_json(text: str) -> object:
    """Return the first value of a JSON text, or None if it is not valid or too large.

    There can be a comment, a mark of a CDATA section or a semicolon around it, and line ends in its texts.
    """
    begin = _BRACKET.search(text)
    return _decoded(text, begin.start()) if begin and len(text) <= _MOST_JSON else None


def _decoded(text: str, start: int) -> object:
    try:
        value: object = _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None
    return value


LEAST = 500
"""Characters of an article in a script, unless it is declared. Less is a description of one. A page with less text has
none."""

_PROGRAM = 200  # characters for a brace, or fewer: a program is no prose
_MOST = 1 << 22  # characters of one script
_SENTENCE = re.compile(r"[.!?…][\"'”’»)]?(?:\s|<|$)|[。！？।؟]")
_ASSIGNED = re.compile(
    r"""^\s*(?:var\s+|let\s+|const\s+)?[\w.$\[\]"']{1,80}\s*=\s*(?:(?=[{\[])|JSON\.parse\(\s*(?=["']))"""
)
_SINGLE_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_DIFFERENT = re.compile(r"""\\x(?=[0-9a-fA-F]{2})|\\.|\"""", re.DOTALL)
_IN_JSON = {"\\x": "\\u00", "\\'": "'", '"': '\\"'}
"""What is different in a single-quoted string of a script -> what it is in JSON."""
_DEEPEST = 12  # lists and objects in one another


def embedded_text(tree: Tree, metadata: Metadata) -> str:
    """Return the longest article in the structured data and in the scripts of a page, or an empty text."""
    best = metadata.article_body
    values = [_value(kind, text) for kind, text in _scripts(tree)]
    if tree.characters.sum() < LEAST:
        values += map(_parse_json, _states(tree))
    for value in values:
        best = max((best, *_articles(value)), key=len)
    return best if size_of(best) >= LEAST else metadata.article_body


def _states(tree: Tree) -> Iterator[str]:
    """Yield the attributes of elements that can hold the state from which scripts start."""
    for name in tree.having_attribute:
        if name.startswith("data-"):
            for _, value in tree.values_of(name):
                if len(value) >= LEAST and value.lstrip()[:1] in ("{", "["):
                    yield value


def _value(kind: str, text: str) -> object:
    """Return the JSON value that a script holds or assigns, or None."""
    if "json" in kind:
        return _parse_json(text) if kind != "application/ld+json" else None
    found = _ASSIGNED.match(text[:400])
    if not found or len(text) > _MOST:
        return None
    start = found.end()
    if single := _SINGLE_QUOTED.match(text, start):
        text, start = f'"{_DIFFERENT.sub(lambda part: _IN_JSON.get(part[0], part[0]), single[1])}"', 0
    value = _decoded(text, start)
    return _parse_json(value) if isinstance(value, str) else value


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
    """Yield the text of a paragraph: a string, or the string members of an object, or the text of its own parts."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        members = [member for member in part.values() if isinstance(member, str) and " " in member]
        yield from members or filter(None, [_text_of_parts(part)])


def _text_of_parts(part: object, depth: int = _DEEPEST) -> str:
    """Return the text of the parts of a paragraph, as editors store it: words of one style, links, line breaks."""
    if isinstance(part, list) and depth:
        return "".join(_text_of_parts(member, depth - 1) for member in part)
    if not isinstance(part, dict) or not depth:
        return ""
    text = part.get("text", part.get("value"))
    return text if isinstance(text, str) else _text_of_parts(part.get("children", part.get("content")), depth - 1)


def _is_prose(text: str) -> bool:
    if size_of(text) < LEAST:
        return False
    sentences = len(_SENTENCE.findall(text))
    is_code = "<p" not in text and text.count("{") * _PROGRAM > len(text)
    return sentences >= 3 and len(text) / sentences < 1000 and not is_code
