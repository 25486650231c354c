"""Reads web pages."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

from lxml.html import HtmlElement

from simhash_doc.extract.errors import NoTextError
from simhash_doc.extract.html.blocks import Page, read_blocks
from simhash_doc.extract.html.elements import hidden_elements
from simhash_doc.extract.html.embedded import embedded_text, is_markup
from simhash_doc.extract.html.frames import Frame, frame_sources, show_frames
from simhash_doc.extract.html.main_text import choose_blocks, explain_blocks
from simhash_doc.extract.html.metadata import Metadata, read_metadata
from simhash_doc.extract.html.no_article import no_article
from simhash_doc.extract.html.parse import parse_frame, parse_page
from simhash_doc.extract.html.tex import without_inline_tex
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import BlockDecision, ExtractedText

_LEAST_SHARE = 50
"""One part in this many of the text of a page is the least that a document can be."""

_SHORT_PAGE = 4000
"""Characters of a page so short that its document may be in its scripts."""


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read a web page: the document on it, without boilerplate (SD-EXTRACT-6)."""
    return read_body(parse_page(data), document_format, name)


def read_explained(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read a web page, with the decision about each of its blocks."""
    return read_body(parse_page(data), document_format, name, explain=True)


def read_body(
    body: HtmlElement | None,
    document_format: str,
    name: str | None,
    *,
    frame: Frame = parse_frame,
    explain: bool = False,
) -> ExtractedText:
    """Return the document on a parsed page.

    Args:
        body: the body of the page, or None if the page has no element.
        document_format: format of the file.
        name: name of the file, for messages.
        frame: returns the document in a frame of the page.
        explain: also return the decision about each block.

    Raises:
        NoTextError: the page has no text.
    """
    if body is None:
        raise NoTextError("no text: the page has no element", name=name)
    metadata = read_metadata(body.getroottree().getroot())
    show_frames(body, frame)
    elements = list(body.iter())  # keeps the objects of lxml, which each pass would create again
    hidden = hidden_elements(body)
    page = read_blocks(body, hidden)
    del elements
    size = sum(map(len, page.texts))
    if size < _SHORT_PAGE and (text := _from_scripts(body, metadata, size)):
        warning = "the text is from the data of the scripts: the elements of the page hold less"
        return ExtractedText(text, document_format, name, (warning,))
    if not page.texts:
        if sources := frame_sources(body):
            raise NoTextError(f"no text: the page consists of frames, which are other documents: {sources}", name=name)
        raise NoTextError("no text: the page is empty", name=name)
    return _separated(page, hidden, metadata, ExtractedText("", document_format, name), explain)


def _separated(
    page: Page, hidden: set[HtmlElement], metadata: Metadata, result: ExtractedText, explain: bool
) -> ExtractedText:
    decisions: tuple[BlockDecision, ...] = tuple(explain_blocks(page, hidden, metadata)) if explain else ()
    chosen = [decision.kept for decision in decisions] or choose_blocks(page, hidden, metadata)
    warnings = []
    if _LEAST_SHARE * sum(map(len, compress(page.texts, chosen))) < sum(map(len, page.texts)):
        warnings.append("no main content was found: the text of the complete page is used")
        chosen = [True] * len(chosen)
    if kind := no_article(metadata.title, "\n".join(page.texts)):
        warnings.append(f"no article: {kind}")
    text = joined(compress(page.texts, chosen))
    return ExtractedText(text, result.format, result.name, tuple(warnings), decisions)


def _from_scripts(body: HtmlElement, metadata: Metadata, size: int) -> str:
    """Return the article in the scripts of a page with its title, if it is longer than all text of the page."""
    text = embedded_text(body.getroottree().getroot(), metadata)
    if text and is_markup(text):
        text = read_part(text.encode("utf-8", "replace"))
    return f"{metadata.heading}\n\n{text}" if len(text) > size else ""


def read_part(data: bytes) -> str:
    """Return the complete text of HTML without boilerplate, such as a chapter of a book."""
    body = parse_page(data)
    return "" if body is None else joined(read_blocks(body, hidden_elements(body)).texts)


def joined(blocks: Iterable[str]) -> str:
    """Return blocks as one text."""
    return without_inline_tex("\n\n".join(blocks))
