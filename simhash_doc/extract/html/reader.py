"""Reads web pages, and MHTML: a page saved as a single file, in the format of a mail with attachments (RFC 2557)."""

from __future__ import annotations

from collections.abc import Iterable
from email import policy
from email.message import Message
from email.parser import BytesParser
from itertools import compress

from lxml.html import HtmlElement

from simhash_doc.extract.base import BlockDecision, CorruptDocumentError, ExtractedText, Limits, NoTextError
from simhash_doc.extract.html.blocks import Page, hidden_elements, read_blocks, without_inline_tex
from simhash_doc.extract.html.main_text import choose_blocks, explain_blocks
from simhash_doc.extract.html.metadata import Metadata, embedded_text, is_markup, read_metadata
from simhash_doc.extract.html.names import no_article
from simhash_doc.extract.html.parse import Frame, frame_sources, parse_frame, parse_page, show_frames

_LEAST_SHARE = 50
"""One part in this many of the text of a page is the least that a document can be."""

_SHORT_PAGE = 4000
"""Characters of a page so short that its document may be in its scripts."""


def read(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read a web page: the document on it, without boilerplate (SD-EXTRACT-6)."""
    return read_body(parse_page(data), document_format)


def read_explained(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read a web page, with the decision about each of its blocks."""
    return read_body(parse_page(data), document_format, explain=True)


def read_body(
    body: HtmlElement | None,
    document_format: str,
    *,
    frame: Frame = parse_frame,
    explain: bool = False,
) -> ExtractedText:
    """Return the document on a parsed page.

    Args:
        body: the body of the page, or None if the page has no element.
        document_format: format of the file.
        frame: returns the document in a frame of the page.
        explain: also return the decision about each block.

    Raises:
        NoTextError: the page has no text.
    """
    if body is None:
        raise NoTextError("no text: the page has no element")
    metadata = read_metadata(body.getroottree().getroot())
    show_frames(body, frame)
    elements = list(body.iter())  # keeps the objects of lxml, which each pass would create again
    hidden = hidden_elements(body)
    page = read_blocks(body, hidden)
    del elements
    size = sum(map(len, page.texts))
    if size < _SHORT_PAGE and (text := _from_scripts(body, metadata, size)):
        warning = "the text is from the data of the scripts: the elements of the page hold less"
        return ExtractedText(text, document_format, warnings=(warning,))
    if not page.texts:
        if sources := frame_sources(body):
            raise NoTextError(f"no text: the page consists of frames, which are other documents: {sources}")
        raise NoTextError("no text: the page is empty")
    return _separated(page, hidden, metadata, document_format, explain)


def _separated(
    page: Page, hidden: set[HtmlElement], metadata: Metadata, document_format: str, explain: bool
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
    return ExtractedText(text, document_format, None, tuple(warnings), decisions)


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


def read_archive(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read the page of an archive. Its frames are documents of the archive."""
    message = BytesParser(policy=policy.compat32).parsebytes(data)
    parts = [part for part in message.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    main = _main(message, parts)
    if main is None:
        raise CorruptDocumentError("the archive holds no web page: expected a part of type text/html")
    named = {address: part for part in parts for address in _addresses(part)}

    def frame(element: HtmlElement) -> HtmlElement | None:
        part = named.get(element.get("src") or "")
        return None if part is None or part is main else parse_page(_content(part), declared=part.get_content_charset())

    body = parse_page(_content(main), declared=main.get_content_charset())
    return read_body(body, document_format, frame=frame)


def _main(message: Message, parts: list[Message]) -> Message | None:
    """Return the part that is the page itself: the one that the header names, or else the first."""
    wanted = {str(message.get("Snapshot-Content-Location", "")).strip(), str(message.get_param("start") or "")} - {""}
    return next((part for part in parts if not wanted.isdisjoint(_addresses(part, brackets=True))), None) or next(
        iter(parts), None
    )


def _addresses(part: Message, *, brackets: bool = False) -> list[str]:
    """Return the addresses by which other parts refer to a part."""
    found = []
    if location := part.get("Content-Location"):
        found.append(str(location).strip())
    if number := part.get("Content-ID"):
        number = str(number).strip()
        found.append(number if brackets else f"cid:{number.strip('<>')}")
    return found


def _content(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""
