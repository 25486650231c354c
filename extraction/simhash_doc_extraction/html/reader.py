"""Reads web pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from itertools import compress

from simhash_doc_extraction.base import NO_ARTICLE, ExtractedText, Limits, NoTextError
from simhash_doc_extraction.html.blocks import complete_texts, joined, read_page, read_texts
from simhash_doc_extraction.html.main_text import choose_blocks
from simhash_doc_extraction.html.metadata import LEAST, Metadata, embedded_text, read_metadata
from simhash_doc_extraction.html.names import LONGEST_WITHOUT, no_article
from simhash_doc_extraction.html.tree import Tree, parse_page, size_of
from simhash_doc_extraction.parts import Losses

_LEAST_SHARE = 50
"""One part in this many of the text of a page is the least that a document can be."""

_SHORT_PAGE = 4000
"""Characters of a page that declares an article, so few that the article may be in its scripts. Lists and products have
little text, too: without a declaration, the elements of the page must be nearly empty."""

_FRAMES = ("frame", "iframe")
_OBJECTS = ("object", "embed")  # which show a document as frames do
MOST_FRAMES = 100
_MOST_NESTED = 8
"""Frames in frames are read to this depth."""

_LONGEST_ADDRESS = 200
_LONGEST_MESSAGE = 400
_TAG = re.compile(r"<(?:p|div|h[1-6]|li|br|section|article)\b", re.IGNORECASE)

Source = tuple[str, bytes, str | None]
"""The name of a document in a frame, its bytes, and the declared encoding."""
FindSource = Callable[[dict[str, str]], Source | None]
"""Returns the document in a frame with these attributes, if it is available."""


def read_html(data: bytes, document_format: str, limits: Limits, *, explain: bool = False) -> ExtractedText:
    """Read a web page: the document on it, without boilerplate (SD-EXTRACT-6).

    With `explain`, the result also has the decision about each of its blocks.
    """
    warnings: list[str] = []
    extracted = read_tree(parse_page(data, warnings=warnings), document_format, explain=explain)
    return replace(extracted, warnings=(*warnings, *extracted.warnings))


def read_part(data: bytes) -> str:
    """Return the complete text of HTML without boilerplate, such as a chapter of a book."""
    tree = parse_page(data)
    return joined(read_texts(tree)) if tree.tags else ""


def source_in(attributes: dict[str, str]) -> Source | None:
    """Return the document that a frame holds in an attribute, or None."""
    source = attributes.get("srcdoc")
    return ("srcdoc", source.encode("utf-8", "replace"), None) if source else None


def read_tree(
    tree: Tree,
    document_format: str,
    *,
    find: FindSource = source_in,
    losses: Losses | None = None,
    explain: bool = False,
) -> ExtractedText:
    """Return the document on a parsed page.

    Args:
        tree: the page.
        document_format: format of the file.
        find: returns the document in a frame of the page.
        losses: what was not read before.
        explain: also return the decision about each block.

    Raises:
        NoTextError: the page has no text.
    """
    if not tree.tags:
        raise NoTextError("no text: the page has no element")
    metadata = read_metadata(tree)
    losses = losses or Losses()
    tree = _Frames(find, losses).show(tree)
    page = read_page(tree)
    size = page.cut_characters + sum(map(len, page.texts))
    most = _SHORT_PAGE if metadata.declares("article", "blogposting", "report") else LEAST
    if sum(map(size_of, page.texts)) < most and (text := _from_scripts(tree, metadata, size)):
        warning = "the text is from the data of the scripts: the elements of the page hold less"
        return ExtractedText(text, document_format, warnings=(warning, *losses.warnings()))
    if not size:
        raise NoTextError(f"no text: {_why_empty(tree, metadata)}")
    chosen, decisions = choose_blocks(page, metadata, explain=explain) if page.texts else ([], ())
    kept = list(compress(page.texts, chosen))
    warnings = list(losses.warnings())
    if _LEAST_SHARE * sum(map(len, kept)) < size:
        warnings.append("no main content was found: the text of the complete page is used")
        kept = complete_texts(page)
    if size <= LONGEST_WITHOUT and (kind := no_article(metadata.title, "\n".join(complete_texts(page)))):
        warnings.append(f"{NO_ARTICLE}{kind}")
    return ExtractedText(joined(kept), document_format, warnings=tuple(warnings), blocks=decisions)


def _why_empty(tree: Tree, metadata: Metadata) -> str:
    """Return why a page shows no text."""
    addresses = [tree.attributes[number].get("src", "")[:_LONGEST_ADDRESS] for number in tree.numbered(*_FRAMES)]
    if sources := ", ".join(filter(None, addresses))[:_LONGEST_MESSAGE]:
        return f"the page consists of frames, which are other documents: {sources}"
    if kind := no_article(metadata.title, "".join(map(tree.string, tree.numbered("noscript")))):
        return f"the page is empty ({kind})"
    # A saved page can be without its scripts, and still have the links that load them early.
    if "script" in tree.tags or any(tree.attributes[at].get("as") == "script" for at in tree.numbered("link")):
        return "a script loads the text of the page, and scripts are not run"
    return "the page is empty"


class _Frames:
    """The documents in the frames of a page, and in the frames of those."""

    def __init__(self, find: FindSource, losses: Losses) -> None:
        self._find, self._losses = find, losses
        self._left = MOST_FRAMES

    def show(self, tree: Tree, depth: int = 0) -> Tree:
        """Return the page with the documents of its frames, if they hold more text than the page itself."""
        inner: dict[int, Tree] = {}
        names: dict[int, str] = {}
        for number in tree.numbered(*_FRAMES, *_OBJECTS):
            source = self._find(tree.attributes[number])
            if source is None:
                continue
            name, data, declared = source
            if not self._left or depth == _MOST_NESTED:
                self._losses.add("frames not read", name)
                continue
            self._left -= 1
            other = parse_page(data, declared=declared)
            if other.tags:
                names[number], inner[number] = name, self.show(other, depth + 1)
        sizes = {number: int(other.characters.sum()) for number, other in inner.items()}
        if sum(sizes.values()) > tree.characters.sum():
            return tree.with_frames(inner)
        for number, size in sizes.items():
            if size:
                self._losses.add("frames with less text than the page not read", names[number])
        return tree


def _from_scripts(tree: Tree, metadata: Metadata, size: int) -> str:
    """Return the article in the scripts of a page with its title, if it is longer than all text of the page.

    It can be text or HTML.
    """
    text = embedded_text(tree, metadata)
    if not _TAG.search(text):
        text = unescape(text)
    if _TAG.search(text):
        text = read_part(text.encode("utf-8", "replace"))
    return f"{metadata.heading}\n\n{text}" if len(text) > size else ""
