"""Reads DOCX: WordprocessingML documents (ECMA-376, transitional and strict)."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from simhash_doc.extract.errors import CorruptDocumentError
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.office.parts import ZipArchive, elements, local_name, parse_events
from simhash_doc.extract.result import ExtractedText
from simhash_doc.extract.text_builder import TextBuilder

_MAIN = "/officeDocument"
_NOTES = ("/footnotes", "/endnotes")
_WORDPROCESSING = ("/wordprocessingml/2006/main", "/wordprocessingml/main")  # transitional and strict
_MATH = ("/officeDocument/2006/math", "/officeDocument/math")
_BLOCKS = frozenset({"p", "tc", "tr", "tbl", "txbxContent", "footnote", "endnote"})
# moveFrom: the old place of moved text. Fallback: a duplicate for old readers. rt: ruby annotations.
_DROPPED = frozenset({"moveFrom", "Fallback", "rt", "pPr", "rPr", "sectPr"})
_SPACES = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read a DOCX file: body, tables and text boxes, then footnotes and endnotes. Tracked changes count as accepted.

    Headers, footers, comments and field codes are left out. Files and addresses that the document names are not opened.
    """
    archive = ZipArchive(data, name=name, limits=limits)
    main = _targets(archive, "_rels/.rels", "", (_MAIN,), name)
    if not main:
        raise CorruptDocumentError(
            "the DOCX file has no main document: its part _rels/.rels does not name one", name=name
        )
    builder = TextBuilder()
    folder, file = posixpath.split(main[0])
    notes = _targets(archive, posixpath.join(folder, "_rels", f"{file}.rels"), folder, _NOTES, name)
    warnings: list[str] = []
    _add(archive.read(main[0]), main[0], builder, name)
    for part in notes:
        if part in archive:
            _add(archive.read(part), part, builder, name)
        else:
            warnings.append(f"notes are missing: the archive has no part {part!r}")
    return ExtractedText(builder.text(), document_format, name, tuple(warnings))


def _targets(archive: ZipArchive, relations: str, folder: str, kinds: tuple[str, ...], name: str | None) -> list[str]:
    """Return the parts that relationships of the given kinds refer to. External relationships are skipped."""
    if relations not in archive:
        return []
    found: dict[str, str] = {}
    for tag, attributes in elements(archive.read(relations), part=relations, name=name):
        kind = "/" + attributes.get("Type", "").rpartition("/")[2]
        if tag == "Relationship" and kind in kinds and attributes.get("TargetMode", "Internal") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, unquote(attributes.get("Target", ""))))
            found.setdefault(kind, target.lstrip("/"))
    return [found[kind] for kind in kinds if kind in found]


def _add(data: bytes, part: str, builder: TextBuilder, name: str | None) -> None:
    """Add the text of one part: the content of w:t and m:t, in blocks that end with paragraphs and cells."""
    dropped = 0
    in_text = False

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal dropped, in_text
        short = local_name(tag)
        if dropped or short in _DROPPED:
            dropped += 1
        elif short in _BLOCKS:
            builder.end_block()
        elif _is_wordprocessing(tag) and short in _SPACES:
            builder.add(_SPACES[short])
        in_text = not dropped and short == "t" and (_is_wordprocessing(tag) or tag.rpartition(" ")[0].endswith(_MATH))

    def end(tag: str) -> None:
        nonlocal dropped, in_text
        in_text = False
        if dropped:
            dropped -= 1
        elif local_name(tag) in _BLOCKS:
            builder.end_block()

    def text(characters: str) -> None:
        if in_text:
            builder.add(characters)

    parse_events(data, part=part, name=name, start=start, end=end, text=text)


def _is_wordprocessing(tag: str) -> bool:
    return tag.rpartition(" ")[0].endswith(_WORDPROCESSING)
