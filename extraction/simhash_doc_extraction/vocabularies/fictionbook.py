"""FictionBook 2, the format of e-books in a single file of XML."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from simhash_doc_extraction.parts import Losses
from simhash_doc_extraction.vocabularies.vocabulary import Vocabulary, is_mark, words

_NOTES = ("notes", "comments", "footnotes", "endnotes")


def _choose(root: etree._Element, losses: Losses) -> Iterator[etree._Element]:
    """Yield the marks of notes: references in the text, and the numbers above the notes (SD-EXTRACT-4)."""
    for reference in root.iter("a"):
        if reference.get("type", "").strip().lower() == "note" and is_mark(reference, letters=True):
            yield reference
    for body in root.iter("body"):
        if body.get("name", "").strip().lower() in _NOTES:
            for section in body.iter("section"):
                yield from (title for title in section.iterchildren("title") if is_mark(title, letters=True))


FICTIONBOOK = Vocabulary(
    inline=words("a code emphasis image strikethrough strong style sub sup"),
    marks=words("a"),
    skip=words("binary description stylesheet"),
    choose=_choose,
)
