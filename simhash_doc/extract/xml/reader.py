"""Reads XML documents: JATS, TEI, DocBook, and the complete text of any other vocabulary."""

from __future__ import annotations

from contextlib import suppress

from lxml import etree

from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import ExtractedText
from simhash_doc.extract.text_builder import TextBuilder
from simhash_doc.extract.xml.safe_xml import local_name, parse_xml
from simhash_doc.extract.xml.vocabularies import VOCABULARIES, Vocabulary


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read a document in JATS, TEI, DocBook or any other XML vocabulary."""
    root, warnings = parse_xml(data, name=name)
    return ExtractedText(text_of(root, document_format), document_format, name, warnings)


def text_of(root: etree._Element, document_format: str) -> str:
    """Return the text of an XML document, read with the vocabulary of its format. Modifies the tree."""
    vocabulary = VOCABULARIES[document_format]
    for element in root.iter("{*}*"):
        if isinstance(element.tag, str) and element.tag.startswith("{"):
            with suppress(ValueError):  # the parser accepts a name that is only a colon
                element.tag = local_name(element)
    if document_format == "jats":
        _shorten_given_names(root)
    skipped = {element for path in vocabulary.skip_paths for element in root.xpath(path)}
    builder = TextBuilder()
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        tag = element.tag if isinstance(element.tag, str) else ""
        is_text = bool(tag) and tag not in vocabulary.skip and element not in skipped
        if event == "start":
            if not is_text:
                walk.skip_subtree()
                continue
            if tag in vocabulary.verbatim:
                builder.begin_verbatim()
            else:
                _separate(element, vocabulary, builder)
            builder.add(element.text)
        else:
            if is_text and tag in vocabulary.verbatim:
                builder.end_verbatim()
            elif is_text:
                _separate(element, vocabulary, builder)
            if element is not root:
                builder.add(element.tail)
    return builder.text()


def _separate(element: etree._Element, vocabulary: Vocabulary, builder: TextBuilder) -> None:
    """Separate an element from the text before or after it, as its kind requires (SD-EXTRACT-8)."""
    is_note_mark = element.tag in ("sup", "superscript") and len(element) > 0
    is_apart = element.tag in vocabulary.apart and element.get("break") != "no"
    if element.tag not in vocabulary.inline:
        builder.end_block()
    elif is_note_mark or is_apart:
        builder.add(" ")


def _shorten_given_names(root: etree._Element) -> None:
    """Shorten given names in structured references to initials, as nearly every style prints them.

    An `element-citation` holds data without a text form, so a reader has to choose one.
    """
    for names in root.xpath("//element-citation//given-names"):
        words = "".join(names.itertext()).replace("-", " ").split()
        names[:] = []
        names.text = " ".join(f"{word[0]}." for word in words)
