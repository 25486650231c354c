"""TEI (Text Encoding Initiative), P5 and P4."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from simhash_doc_extraction.parts import Losses
from simhash_doc_extraction.vocabularies.vocabulary import (
    Vocabulary,
    has_text,
    is_mark,
    parent_tag,
    text_in,
    words,
)

TEI_NAMESPACE = "http://www.tei-c.org/ns/1.0"
EXAMPLES = "http://www.tei-c.org/ns/Examples"
"""Namespace of examples of mark-up, in which nothing is metadata: they are shown as code."""

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_BEST = ("corr", "reg", "abbr", "am")
_WORST = ("expan", "ex", "sic", "orig")
_NOTE_TYPES = words("bibr endnote fn foot footnote note noteanchor")


def _choose(root: etree._Element, losses: Losses) -> Iterator[etree._Element]:
    """Yield what is not text: other readings, most of the header, other versions of the text, marks of notes."""
    if any(True for _ in root.iter("delSpan")):
        _remove_deleted(root)
    for choice in root.iter("choice"):
        chosen = min(choice.iterchildren("*"), key=_rank, default=None)
        yield from (child for child in choice.iterchildren("*") if child is not chosen)
    yield from root.iter("listApp")
    for entry in root.iter("app"):
        yield from _other_readings(entry, losses)
    for header in root.iter("teiHeader"):
        if header is not root:
            yield from _metadata(header)
    for source in root.iter("facsimile", "sourceDoc"):
        parent = source.getparent()
        if parent is not None and parent.find("text") is not None:
            yield source
    for reference in root.iter("biblStruct"):
        if any(note.get("type") == "raw_reference" for note in reference.iterchildren("note")):
            yield from (part for part in reference if part.get("type") != "raw_reference" or part.tag != "note")
        else:
            yield from reference.iter("idno")
    for mark in root.iter("ref"):
        if mark.get("type", "").lower() in _NOTE_TYPES and is_mark(mark):
            yield mark


def _remove_deleted(root: etree._Element) -> None:
    """Remove the text from each `delSpan` to the element behind it at which it says that the deletion ends."""
    places = {element.get(_ID) or element.get("id"): place for place, element in enumerate(root.iter("*"))}
    place = end = -1
    for event, element in etree.iterwalk(root, events=("start", "end"), tag="*"):
        if event == "start":
            place += 1
            if element.tag == "delSpan":
                end = max(end, places.get(element.get("spanTo", "")[1:], -1))
        if place < end:
            if event == "start":
                element.text = None
            else:
                element.tail = None


def _rank(alternative: etree._Element) -> int:
    tag = alternative.tag
    return -1 if tag in _BEST else 1 + _WORST.index(tag) if tag in _WORST else 0


def _other_readings(entry: etree._Element, losses: Losses) -> Iterator[etree._Element]:
    """Yield all readings in an entry of the critical apparatus except the one in the text, or else the first one."""
    in_groups = list(entry.iterchildren("rdgGrp"))
    readings = [*entry.iterchildren("lem", "rdg"), *(one for group in in_groups for one in group.iter("lem", "rdg"))]
    is_outside = any(True for _ in entry.iterancestors("listApp"))
    in_text = [reading for reading in readings if reading.tag == "lem"] or readings
    for reading in readings:
        if is_outside or reading is not in_text[0]:
            if reading.tag == "rdg" and has_text(reading):
                losses.add("readings of other witnesses not read", reading.get("wit") or text_in(reading))
            yield reading


def _metadata(header: etree._Element) -> Iterator[etree._Element]:
    """Yield the metadata in a header: all of it, or in an article all but its title, its authors and its abstract."""
    is_article = any(any(True for _ in source.iter("analytic")) for source in header.iter("sourceDesc"))
    if not is_article:
        yield header
        return
    shown = [
        element
        for element in header.iter("title", "abstract", "author")
        if element.tag == "abstract"
        or (element.tag == "author" and parent_tag(element) == "analytic")
        or (element.tag == "title" and element.get("type") == "main" and parent_tag(element) == "titleStmt")
    ]
    around = {header, *(ancestor for element in shown for ancestor in element.iterancestors())}
    for element in header.iter("*"):
        if element in around:
            yield from (child for child in element if child not in around and child not in shown)
    yield from header.iter("email", "idno")


_WORDS = words("am c cl ex g m pc phr s seg w")
_NAMES = words(
    """
        addName bloc country district eventName forename genName geogFeat geogName nameLink objectName offset orgName
        persName persPronouns placeName region roleName settlement surname
    """
)
_MEASURES = words("depth dim dimensions geo height measure measureGrp num unit width")
_IN_MANUSCRIPTS = words(
    "catchwords heraldry locus locusGrp material objectType origDate origPlace secFol signatures stamp watermark"
)
_EDITORIAL = words(
    """
        abbr add app choice corr damage del expan gap handShift lem mod orig rdg rdgGrp redo reg restore retrace secl
        sic space subst supplied surplus unclear undo
    """
)

_STRUCTURES = words(
    """
        analytic back biblStruct body castList cit div div1 div2 div3 div4 div5 div6 div7 docTitle epigraph figure
        floatingText front group imprint lg list listBibl monogr msIdentifier msItem person place postscript row sp
        table text titlePage
    """
)

TEI = Vocabulary(
    inline=_WORDS
    | _NAMES
    | _MEASURES
    | _IN_MANUSCRIPTS
    | _EDITORIAL
    | words(
        """
            affiliation anchor att caesura code cb date distinct email emph foreign formula gb gi gloss graphic hi ident
            idno lang lb listRef media mentioned metamark milestone name notatedMusic oRef pRef pause pb ptr q quote rb
            ref rhyme rs ruby said shift soCalled specDesc specList tag term time title val
        """
    ),
    apart=words("caesura cb date gb lb milestone orgName pb persName s surname title"),
    joined=words("cl phr w"),
    parted=_STRUCTURES | words("dimensions listRef locusGrp measureGrp name persName placeName specList"),
    breaks=words("cb gb lb milestone pb"),
    skip=words(
        """
            alt altGrp binaryObject certainty del fLib figDesc fs fsdDecl fvLib fw handNotes index interp interpGrp join
            joinGrp linkGrp listTranspose precision respons rp rt span spanGrp standOff substJoin timeline wit witDetail
        """
    ),
    shown=dict.fromkeys(("ellipsis", "gap", "space"), frozenset[str]()),
    marks=words("ref"),
    verbatim=words("code-block eg"),
    choose=_choose,
)
