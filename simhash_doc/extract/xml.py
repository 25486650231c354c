"""XML documents: JATS, TEI, DocBook, and any other as all of its text."""

from __future__ import annotations

from lxml import etree

from simhash_doc.extract.document import Extracted
from simhash_doc.extract.flow import Flow
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.trees import local, parse_xml
from simhash_doc.extract.vocabularies import VOCABULARIES


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read a document of JATS, TEI, DocBook or any other XML."""
    root, warnings = parse_xml(data, name=name)
    return Extracted(text_of(root, medium), medium, name, warnings)


def text_of(root: etree._Element, medium: str) -> str:
    """Return the text of an XML document, read in the vocabulary of its medium."""
    vocabulary = VOCABULARIES[medium]
    for element in root.iter("{*}*"):
        if isinstance(element.tag, str) and element.tag.startswith("{"):
            element.tag = local(element)
    if medium == "jats":
        _initials(root)
    skipped = {element for path in vocabulary.skip_paths for element in root.xpath(path)}
    flow = Flow()
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        tag = element.tag if isinstance(element.tag, str) else ""
        block = bool(tag) and tag not in vocabulary.inline
        noted = tag in ("sup", "superscript") and len(element) > 0
        if event == "start":
            if not tag or tag in vocabulary.skip or element in skipped:
                walk.skip_subtree()
                continue
            if tag in vocabulary.verbatim:
                flow.begin_verbatim()
            elif block:
                flow.cut()
            elif noted or (tag in vocabulary.apart and element.get("break") != "no"):
                flow.add(" ")
            flow.add(element.text)
        else:
            if tag and tag not in vocabulary.skip and element not in skipped:
                if tag in vocabulary.verbatim:
                    flow.end_verbatim()
                elif block:
                    flow.cut()
                elif noted or (tag in vocabulary.apart and element.get("break") != "no"):
                    flow.add(" ")
            if element is not root:
                flow.add(element.tail)
    return flow.text()


def _initials(root: etree._Element) -> None:
    """Cut given names in structured references to initials, as nearly every style prints them.

    An `element-citation` holds data, and no text of its own: its reader has to choose a form.
    """
    for names in root.xpath("//element-citation//given-names"):
        words = "".join(names.itertext()).replace("-", " ").split()
        names[:] = []
        names.text = " ".join(f"{word[0]}." for word in words)
