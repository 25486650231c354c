"""XML documents: JATS, TEI, DocBook, and any other as all of its text."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from simhash_doc.extract.document import Extracted
from simhash_doc.extract.flow import Flow
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.trees import local, parse_xml


@dataclass(frozen=True)
class Vocabulary:
    """How the elements of an XML vocabulary are read. All that is not named is a block of text."""

    inline: frozenset[str]
    skip: frozenset[str] = frozenset()
    skip_paths: tuple[str, ...] = ()
    """XPath of elements to leave out, with `l` as a name test: //l[@name]."""
    verbatim: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    """Inline elements that are words of their own, such as a note's number."""


_MATHML = frozenset(
    "math mi mn mo ms mtext mrow msub msup msubsup mfrac msqrt mroot mstyle munder mover munderover mfenced mspace mpadded mphantom semantics".split()
)
_MATH_SKIP = frozenset({"annotation", "annotation-xml"})

VOCABULARIES: dict[str, Vocabulary] = {
    "jats": Vocabulary(
        inline=_MATHML
        | frozenset(
            "bold italic sub sup sc monospace underline overline strike roman sans-serif styled-content xref ext-link uri "
            "email named-content inline-formula inline-graphic alternatives abbrev milestone-start milestone-end private-char "
            "given-names surname prefix suffix name string-name collab institution institution-wrap etal person-group year month day volume issue "
            "fpage lpage source publisher-name publisher-loc article-title chapter-title edition mixed-citation label "
            "comment date-in-citation pub-id elocation-id size series conf-name conf-loc conf-date size version target "
            "ruby rb rt fn-type inline-supplementary-material chem-struct code-inline price issn isbn part-title trans-title data-title".split()
        ),
        skip=_MATH_SKIP
        | frozenset(
            "journal-meta article-id article-categories author-notes pub-date pub-date-not-available history permissions "
            "self-uri related-article related-object kwd-group funding-group counts custom-meta-group processing-meta notes-meta "
            "contrib-id volume-issue-group supplementary-meta issue-title conference product article-version "
            "article-version-alternatives object-id ext-link-meta email tex-math".split()
        ),
        skip_paths=(
            "/*/front/article-meta/*[self::volume or self::issue or self::fpage or self::lpage or self::elocation-id]",
            "//contrib/xref",
            "//element-citation[contains(@publication-type, 'journal')]/publisher-name | //element-citation/publisher-loc",
            "//pub-id | //element-citation/uri | //sub-article//front-stub",
        ),
        verbatim=frozenset({"preformat", "code"}),
        apart=frozenset(
            {
                "given-names",
                "surname",
                "name",
                "string-name",
                "collab",
                "institution",
                "year",
                "month",
                "source",
                "volume",
                "issue",
                "fpage",
                "lpage",
                "article-title",
                "publisher-name",
                "publisher-loc",
                "chapter-title",
                "edition",
                "conf-name",
                "comment",
                "version",
                "label",
                "suffix",
                "etal",
                "person-group",
                "series",
                "data-title",
            }
        ),
    ),
    "tei": Vocabulary(
        inline=_MATHML
        | frozenset(
            "hi emph foreign ref ptr name persName placeName orgName rs date num measure term title q said quote soCalled mentioned gloss "
            "abbr expan choice orig reg sic corr add del unclear supplied gap lb pb cb milestone anchor seg w pc c distinct "
            "g forename surname addName roleName genName num formula time idno email graphic ex am subst surplus s m".split()
        ),
        skip=_MATH_SKIP | frozenset({"fw", "del", "facsimile", "sourceDoc", "standOff", "idno", "email"}),
        skip_paths=(
            "//teiHeader[not(.//sourceDesc//analytic)]",
            "//teiHeader//*[not(descendant-or-self::title[@type='main'] or ancestor-or-self::analytic/author or descendant::analytic or ancestor-or-self::abstract or descendant::abstract)]",
            "//teiHeader//analytic/title | //teiHeader//monogr",
            "//choice[reg]/orig | //choice[corr]/sic | //choice[abbr]/expan | //choice[unclear or seg]/*[position() > 1]",
            "//biblStruct/*[../note[@type='raw_reference'] and not(self::note[@type='raw_reference'])]",
        ),
        verbatim=frozenset({"eg", "code-block"}),
        apart=frozenset({"forename", "surname", "persName", "lb", "pb", "cb", "date", "title", "orgName"}),
    ),
    "docbook": Vocabulary(
        inline=_MATHML
        | frozenset(
            "emphasis literal link ulink xref quote code command filename option replaceable varname constant function parameter "
            "citetitle citation phrase subscript superscript trademark email uri systemitem userinput computeroutput firstterm "
            "glossterm foreignphrase application keycap keycombo keysym guimenu guimenuitem guibutton guilabel guisubmenu "
            "menuchoice envar errorcode classname methodname type symbol token tag sgmltag prompt productname acronym abbrev "
            "footnoteref anchor indexterm inlineequation inlinemediaobject wordasword optional arg firstname surname personname "
            "honorific othername date pubdate year property returnvalue structname database hardware interface markup medialabel olink package "
            "citerefentry refentrytitle manvolnum".split()
        ),
        skip=_MATH_SKIP
        | frozenset(
            "indexterm pubdate date copyright legalnotice revhistory keywordset subjectset biblioid releaseinfo pubsnumber printhistory "
            "productnumber isbn issn edition toc index colophon cover itermset screeninfo remark imageobject videoobject audioobject refmiscinfo".split()
        ),
        verbatim=frozenset({"programlisting", "screen", "literallayout", "synopsis", "address"}),
        apart=frozenset({"firstname", "surname", "personname"}),
    ),
    "xml": Vocabulary(
        inline=frozenset(
            "b i em strong sub sup span a u small font emphasis bold italic tt xref eref bcp14 relref br code term".split()
        ),
        skip=frozenset({"script", "style"}),
    ),
}


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read a document of JATS, TEI, DocBook or any other XML."""
    root, warnings = parse_xml(data, name=name)
    return Extracted(text_of(root, medium), medium, name, warnings)


def text_of(root: etree._Element, medium: str) -> str:
    """Return the text of an XML document, read in the vocabulary of its medium."""
    vocabulary = VOCABULARIES[medium]
    for element in root.iter("{*}*"):
        if isinstance(element.tag, str) and "}" in element.tag:
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
