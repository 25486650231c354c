"""What a vocabulary of XML is, and those that occur inside others: MathML, SVG, XHTML and XInclude."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from simhash_doc_extraction.parts import Losses

MATHML = "http://www.w3.org/1998/Math/MathML"
SVG = "http://www.w3.org/2000/svg"
XHTML = "http://www.w3.org/1999/xhtml"
XINCLUDE = ("http://www.w3.org/2001/XInclude", "http://www.w3.org/2003/XInclude")
PREFIXES = {"mml": MATHML, "svg": SVG, "xi": XINCLUDE[0]}
"""What these prefixes mean in a document that does not declare them."""

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_MARK = re.compile(r"[\s\d,;.*†‡§¶#(){}\[\]‐-―-]*")
_MARK_OF_NOTE = re.compile(r"[\s\d,;.*†‡§¶‖#(){}\[\]‐-―-]*(?:[a-zA-Z][\s,;.*(){}\[\]]*)?")


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Vocabulary:
    """How the elements of a vocabulary are read. An element that no set names is a block of text.

    Attributes:
        inline: elements inside a line of text.
        apart: inline elements that are always separate words, such as a surname.
        joined: inline elements between which a space is missing if both sides are words, such as words of a corpus.
        parted: elements that hold no text of their own: their inline children are separate words.
        breaks: inline elements that end a line or a page, and with it a word unless they say otherwise.
        skip: elements that are not text: metadata, and duplicates of text shown elsewhere (SD-EXTRACT-5).
        shown: element -> its children that are text. All others are metadata.
        marks: references that are the mark of a note if they are a number or a sign right after a word (SD-EXTRACT-4).
        verbatim: blocks whose spaces and line ends are kept.
        choose: returns the other elements of a document that are not text, such as the alternatives that are not
            chosen. It adds what is lost with them.
    """

    inline: frozenset[str]
    apart: frozenset[str] = frozenset()
    joined: frozenset[str] = frozenset()
    parted: frozenset[str] = frozenset()
    breaks: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()
    shown: Mapping[str, frozenset[str]] = field(default_factory=dict)
    marks: frozenset[str] = frozenset()
    verbatim: frozenset[str] = frozenset()
    choose: Callable[[etree._Element, Losses], Iterable[etree._Element]] | None = None


_MATH = words(
    """
        maction maligngroup malignmark math menclose merror mfenced mfrac mglyph mi mlabeledtr mmultiscripts mn mo mover
        mpadded mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover
        none semantics
    """
)

FOREIGN: dict[str, Vocabulary] = {
    MATHML: Vocabulary(
        inline=_MATH | words("apply bvar ci cn csymbol"),
        apart=words("ci cn csymbol mtable mtd mtr"),
        skip=words("annotation annotation-xml mphantom"),
    ),
    SVG: Vocabulary(inline=words("a textPath tref tspan"), skip=words("defs desc metadata script style symbol title")),
    XHTML: Vocabulary(
        inline=words(
            "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q rb rbc rp rt rtc "
            "ruby s samp small span strike strong sub sup time tt u var wbr"
        ),
        skip=words("head rp rt script style template"),
        verbatim=words("pre"),
    ),
    **dict.fromkeys(XINCLUDE, Vocabulary(inline=words("include fallback"))),
}
"""Namespace -> the vocabulary of its elements, inside any other. The elements of other namespaces are read as if they
had none."""


def element_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def has_text(element: etree._Element) -> bool:
    """Return True if an element holds text that is not white space."""
    return any(not text.isspace() for text in element.itertext("*") if text)


def text_in(element: etree._Element) -> str:
    """Return the characters in an element."""
    return "".join(element.itertext("*"))


def is_mark(element: etree._Element, *, letters: bool = False) -> bool:
    """Return True if an element holds a number or a sign such as those of notes; with `letters` also a single letter.

    One that holds many others does not: to read them again in each element around them would take quadratic time.
    """
    if len(list(islice(element.iter(), _MOST_IN_MARK + 1))) > _MOST_IN_MARK:
        return False
    text = text_in(element)
    return bool((_MARK_OF_NOTE if letters else _MARK).fullmatch(text)) and bool(text.strip())


_MOST_IN_MARK = 32  # elements


def parent_tag(element: etree._Element) -> str:
    """Return the name of the parent of an element, or an empty text."""
    parent = element.getparent()
    return parent.tag if parent is not None and isinstance(parent.tag, str) else ""
