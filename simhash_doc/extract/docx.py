"""DOCX: Office Open XML of a word processor (ECMA-376, transitional and strict)."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from simhash_doc.extract.archive import Archive
from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import Damaged
from simhash_doc.extract.flow import Flow
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.xml_events import elements, local, parse

_MAIN = "/officeDocument"
_NOTES = ("/footnotes", "/endnotes")
_WORD = ("/wordprocessingml/2006/main", "/wordprocessingml/main")  # transitional and strict
_MATH = ("/officeDocument/2006/math", "/officeDocument/math")
_BLOCKS = frozenset({"p", "tc", "tr", "tbl", "txbxContent", "footnote", "endnote"})
# moveFrom: the old place of what was moved. Fallback: the same once more, for old readers. rt: readings over a word.
_DROPPED = frozenset({"moveFrom", "Fallback", "rt", "pPr", "rPr", "sectPr"})
_SPACES = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read a DOCX file: body, tables, text boxes, then footnotes and endnotes. Tracked changes count as accepted.

    Headers, footers, comments and field codes are left out. Other files and addresses that it names are not opened.
    """
    archive = Archive(data, name=name, limits=limits)
    main = _target(archive, "_rels/.rels", "", (_MAIN,), name)
    if not main:
        raise Damaged("no main document in the DOCX file: its part _rels/.rels names none", name=name)
    flow = Flow()
    folder, file = posixpath.split(main[0])
    notes = _target(archive, posixpath.join(folder, "_rels", f"{file}.rels"), folder, _NOTES, name)
    warnings: list[str] = []
    _add(archive.read(main[0]), main[0], flow, name)
    for part in notes:
        if part in archive:
            _add(archive.read(part), part, flow, name)
        else:
            warnings.append(f"the notes are missing: the archive has no part {part!r}")
    return Extracted(flow.text(), medium, name, tuple(warnings))


def _target(archive: Archive, relations: str, folder: str, kinds: tuple[str, ...], name: str | None) -> list[str]:
    """Return the parts that a part relates to by one of the kinds; relations to the outside are passed over."""
    if relations not in archive:
        return []
    found: dict[str, str] = {}
    for tag, attributes in elements(archive.read(relations), part=relations, name=name):
        kind = "/" + attributes.get("Type", "").rpartition("/")[2]
        if tag == "Relationship" and kind in kinds and attributes.get("TargetMode", "Internal") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, unquote(attributes.get("Target", ""))))
            found.setdefault(kind, target.lstrip("/"))
    return [found[kind] for kind in kinds if kind in found]


def _add(data: bytes, part: str, flow: Flow, name: str | None) -> None:
    """Add the text of one part: what is in w:t and m:t, cut at paragraphs and cells."""
    dropped = 0
    in_text = False

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal dropped, in_text
        short = local(tag)
        if dropped or short in _DROPPED:
            dropped += 1
        elif short in _BLOCKS:
            flow.cut()
        elif _is_word(tag) and short in _SPACES:
            flow.add(_SPACES[short])
        in_text = not dropped and short == "t" and (_is_word(tag) or tag.rpartition(" ")[0].endswith(_MATH))

    def end(tag: str) -> None:
        nonlocal dropped, in_text
        in_text = False
        if dropped:
            dropped -= 1
        elif local(tag) in _BLOCKS:
            flow.cut()

    def text(characters: str) -> None:
        if in_text:
            flow.add(characters)

    parse(data, part=part, name=name, start=start, end=end, text=text)


def _is_word(tag: str) -> bool:
    return tag.rpartition(" ")[0].endswith(_WORD)
