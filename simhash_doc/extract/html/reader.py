"""Reads web pages, and MHTML: a page saved as a single file, in the format of a mail with attachments (RFC 2557)."""

from __future__ import annotations

import re
from collections.abc import Callable
from email import policy
from email.message import Message
from email.parser import BytesParser
from itertools import compress

from simhash_doc.extract.base import CorruptDocumentError, ExtractedText, Limits, NoTextError
from simhash_doc.extract.html.blocks import joined, read_page
from simhash_doc.extract.html.main_text import choose_blocks
from simhash_doc.extract.html.metadata import Metadata, embedded_text, read_metadata
from simhash_doc.extract.html.names import no_article
from simhash_doc.extract.html.tree import Tree, parse_page

_LEAST_SHARE = 50
"""One part in this many of the text of a page is the least that a document can be."""

_SHORT_PAGE = 4000
"""Characters of a page so short that its document may be in its scripts."""

_FRAMES = ("frame", "iframe")
MOST_FRAMES = 100
_LONGEST_ADDRESS = 200
_LONGEST_MESSAGE = 400
_TAG = re.compile(r"<(?:p|div|h[1-6]|li|br|section|article)\b", re.IGNORECASE)

Frame = Callable[[dict[str, str]], Tree | None]
"""Returns the document in a frame with these attributes, if it is available."""


def read(data: bytes, document_format: str, limits: Limits, *, explain: bool = False) -> ExtractedText:
    """Read a web page: the document on it, without boilerplate (SD-EXTRACT-6).

    With `explain`, the result also has the decision about each of its blocks.
    """
    return _read_tree(parse_page(data), document_format, explain=explain)


def read_part(data: bytes) -> str:
    """Return the complete text of HTML without boilerplate, such as a chapter of a book."""
    tree = parse_page(data)
    return joined(read_page(tree).texts) if tree.tags else ""


def _parse_frame(attributes: dict[str, str]) -> Tree | None:
    """Return the document that a frame holds in an attribute, or None."""
    source = attributes.get("srcdoc")
    return parse_page(source.encode("utf-8", "replace")) if source else None


def _read_tree(
    tree: Tree, document_format: str, *, frame: Frame = _parse_frame, explain: bool = False
) -> ExtractedText:
    """Return the document on a parsed page.

    Args:
        tree: the page.
        document_format: format of the file.
        frame: returns the document in a frame of the page.
        explain: also return the decision about each block.

    Raises:
        NoTextError: the page has no text.
    """
    if not tree.tags:
        raise NoTextError("no text: the page has no element")
    metadata = read_metadata(tree)
    tree = _show_frames(tree, frame)
    page = read_page(tree)
    size = sum(map(len, page.texts))
    if size < _SHORT_PAGE and (text := _from_scripts(tree, metadata, size)):
        warning = "the text is from the data of the scripts: the elements of the page hold less"
        return ExtractedText(text, document_format, warnings=(warning,))
    if not page.texts:
        raise NoTextError(f"no text: {_why_empty(tree, metadata)}")
    chosen, decisions = choose_blocks(page, metadata, explain=explain)
    warnings = []
    if _LEAST_SHARE * sum(map(len, compress(page.texts, chosen))) < size:
        warnings.append("no main content was found: the text of the complete page is used")
        chosen = [True] * len(chosen)
    if kind := no_article(metadata.title, "\n".join(page.texts)):
        warnings.append(f"no article: {kind}")
    return ExtractedText(
        joined(compress(page.texts, chosen)), document_format, warnings=tuple(warnings), blocks=decisions
    )


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


def _show_frames(tree: Tree, frame: Frame) -> Tree:
    """Return the page with the documents of its frames, if they hold more text than the page itself."""
    found = {number: frame(tree.attributes[number]) for number in tree.numbered(*_FRAMES)[:MOST_FRAMES]}
    inner = {number: other for number, other in found.items() if other is not None and other.tags}
    if inner and sum(int(other.characters.sum()) for other in inner.values()) > tree.characters.sum():
        return tree.with_frames(inner)
    return tree


def _from_scripts(tree: Tree, metadata: Metadata, size: int) -> str:
    """Return the article in the scripts of a page with its title, if it is longer than all text of the page.

    It can be text or HTML.
    """
    text = embedded_text(tree, metadata)
    if _TAG.search(text):
        text = read_part(text.encode("utf-8", "replace"))
    return f"{metadata.heading}\n\n{text}" if len(text) > size else ""


def read_archive(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read the page of an archive. Its frames are documents of the archive."""
    message = BytesParser(policy=policy.compat32).parsebytes(data)
    parts = [part for part in message.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    main = _main(message, parts)
    if main is None:
        raise CorruptDocumentError("the archive holds no web page: expected a part of type text/html")
    named = {address: part for part in parts for address in _addresses(part)}

    def frame(attributes: dict[str, str]) -> Tree | None:
        part = named.get(attributes.get("src", ""))
        return None if part is None or part is main else parse_page(_content(part), declared=part.get_content_charset())

    tree = parse_page(_content(main), declared=main.get_content_charset())
    return _read_tree(tree, document_format, frame=frame)


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
