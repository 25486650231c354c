"""Reads XML documents: JATS, TEI, DocBook, and the complete text of any other vocabulary.

Untrusted XML is parsed without network access, without external entities, and without unbounded expansion.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from html.entities import html5

from lxml import etree

from simhash_doc.extract.base import CorruptDocumentError, ExtractedText, LimitExceededError, Limits
from simhash_doc.extract.detect import decode
from simhash_doc.extract.text_builder import TextBuilder

_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_DECLARED_ENTITY = re.compile(r"<!ENTITY\s+(?!%)(\S+)")
_REFERENCE = re.compile(rb"&#(?:x([0-9a-fA-F]{1,9})|([0-9]{1,9}));?")
DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})


def parse_xml(data: bytes) -> tuple[etree._Element, tuple[str, ...]]:
    """Return the root of an XML document, and warnings. XML that is not well-formed is repaired where possible.

    Entities of HTML, such as `&nbsp;`, need no DTD. Entities that the document declares are expanded
    within the limit of libxml2 on amplification. External entities are never read.

    Raises:
        CorruptDocumentError: the document is not well-formed and cannot be repaired.
        LimitExceededError: entities expand too far, or elements nest too deeply for libxml2.
    """
    text, _ = decode(data, markup=True)
    source = resolve_html_entities(DECLARATION.sub("", text, count=1)).encode("utf-8", "replace")
    warnings: tuple[str, ...] = ()
    try:
        root = _parse_strictly(source)
    except etree.XMLSyntaxError as error:
        message = error.msg or "not well-formed"
        if _is_limit(message):
            raise LimitExceededError(f"the XML is over a limit of its parser: {message}") from error
        warnings = (f"not well-formed XML, repaired: {message}",)
        found = _parse_leniently(source)
        if found is None:
            raise CorruptDocumentError(f"not well-formed XML: {message}") from error
        root = found
    return root, warnings


def parse_strictly(text: str) -> etree._Element | None:
    """Return the root of XML such as XHTML, or None if it is not well-formed or over a limit of the parser."""
    try:
        return _parse_strictly(resolve_html_entities(text).encode("utf-8", "replace"))
    except etree.XMLSyntaxError:
        return None


def _parse_strictly(source: bytes) -> etree._Element:
    try:
        return etree.fromstring(source, _parser(source, recover=False))
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error  # such a document is not to be repaired
        raise


def resolve_html_entities(text: str) -> str:
    """Replace the entities of HTML, such as `&nbsp;`, except those that the document itself declares.

    A parser that does not read the DTD would silently leave them out.
    """
    own = set(_DECLARED_ENTITY.findall(text[:100_000])) if "<!ENTITY" in text else set()

    def known(found: re.Match[str]) -> str:
        if found[1] in own or found[1] in _XML_ENTITIES:
            return found[0]
        characters = html5.get(f"{found[1]};")
        return "".join(f"&#{ord(character)};" for character in characters) if characters else found[0]

    return _ENTITY.sub(known, text)


def _parse_leniently(source: bytes) -> etree._Element | None:
    """Parse XML that is not well-formed: as XML, or as HTML if the recovery of XML loses much text."""
    source = _REFERENCE.sub(_valid_reference, source)  # recovery in libxml2 turns some into ill-formed UTF-8
    trees = []
    html = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, huge_tree=True)
    for parser in (_parser(source, recover=True), html):
        try:
            tree = etree.fromstring(source, parser)
        except etree.XMLSyntaxError:
            tree = None
        trees.append((0 if tree is None else sum(map(len, tree.itertext())), tree, parser))
    _, tree, parser = max(trees, key=lambda found: found[0] / (1.25 if found[2] is html else 1))
    for entry in parser.error_log:
        if _is_limit(entry.message):
            raise LimitExceededError(f"the XML is over a limit of its parser: {entry.message}")
    return tree


def _valid_reference(found: re.Match[bytes]) -> bytes:
    """Return a character reference unchanged if XML allows the character, otherwise U+FFFD."""
    code = int(found[1], 16) if found[1] else int(found[2])
    allowed = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return found[0] if allowed else b"\xef\xbf\xbd"


def _parser(source: bytes, *, recover: bool) -> etree.XMLParser:
    """Return a parser without limits on length and depth, unless the document declares entities: they can expand."""
    return etree.XMLParser(
        encoding="utf-8",
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        resolve_entities="internal",
        huge_tree=b"<!ENTITY" not in source,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
    )


def _is_limit(message: str) -> bool:
    """Return True if a message of libxml2 reports that the document exceeds a limit of the parser."""
    return any(
        word in message.lower()
        for word in ("amplification", "excessive depth", "entity loop", "entity reference loop", "huge")
    )


@dataclass(frozen=True)
class Vocabulary:
    """How the elements of a vocabulary are read. An element that no set names is a block of text.

    Attributes:
        inline: elements inside a line of text.
        apart: inline elements that are always separate words, such as a surname.
        skip: elements that are not text: metadata, and duplicates of text shown elsewhere (SD-EXTRACT-5).
        skip_paths: XPath expressions, without namespaces, of elements that are not text in some places only.
        verbatim: blocks whose spaces and line ends are kept.
    """

    inline: frozenset[str]
    apart: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()
    skip_paths: tuple[str, ...] = ()
    verbatim: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MATHML = _words(
    """
        math mfenced mfrac mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub msubsup msup
        mtext munder munderover semantics
    """
)
_MATH_SOURCE = _words("annotation annotation-xml")

_JATS = Vocabulary(
    inline=_MATHML
    | _words(
        """
            abbrev alternatives article-title bold chapter-title chem-struct code-inline collab comment
            conf-date conf-loc conf-name data-title date-in-citation day edition elocation-id email etal
            ext-link fn-type fpage given-names inline-formula inline-graphic inline-supplementary-material
            institution institution-wrap isbn issn issue italic label lpage milestone-end milestone-start
            mixed-citation monospace month name named-content overline part-title person-group prefix price
            private-char pub-id publisher-loc publisher-name rb roman rt ruby sans-serif sc series size source
            strike string-name styled-content sub suffix sup surname target trans-title underline uri version
            volume xref year
        """
    ),
    apart=_words(
        """
            article-title chapter-title collab comment conf-name data-title edition etal fpage given-names
            institution issue label lpage month name person-group publisher-loc publisher-name series source
            string-name suffix surname version volume year
        """
    ),
    skip=_MATH_SOURCE
    | _words(
        """
            article-categories article-id article-version article-version-alternatives author-notes conference
            contrib-id counts custom-meta-group email ext-link-meta funding-group history issue-title
            journal-meta kwd-group notes-meta object-id permissions processing-meta product pub-date
            pub-date-not-available related-article related-object self-uri supplementary-meta tex-math
            volume-issue-group
        """
    ),
    skip_paths=(
        "/*/front/article-meta/*[self::volume or self::issue or self::fpage or self::lpage or self::elocation-id]",
        "//contrib/xref",
        "//element-citation[contains(@publication-type, 'journal')]/publisher-name",
        "//element-citation/publisher-loc",
        "//pub-id",
        "//element-citation/uri",
        "//sub-article//front-stub",
        # Marks of notes and references, which would become part of the word before them (SD-EXTRACT-4).
        "//xref[not(ancestor::sup) and not(translate(normalize-space(.), '0123456789,;*†‡§–-()[] ', ''))]",
    ),
    verbatim=_words("code preformat"),
)

_TEI = Vocabulary(
    inline=_MATHML
    | _words(
        """
            abbr add addName am anchor c cb choice corr date del distinct email emph ex expan foreign forename
            formula g gap genName gloss graphic hi idno lb m measure mentioned milestone name num orgName orig
            pb pc persName placeName ptr q quote ref reg roleName rs s said seg sic soCalled subst supplied
            surname surplus term time title unclear w
        """
    ),
    apart=_words("cb date forename lb orgName pb persName surname title"),
    skip=_MATH_SOURCE | _words("del email facsimile fw idno sourceDoc standOff"),
    skip_paths=(
        "//teiHeader[not(.//sourceDesc//analytic)]",
        # Everything in the header of an article except title, authors and abstract.
        (
            "//teiHeader//*[not(descendant-or-self::title[@type='main'] or descendant-or-self::analytic or "
            "descendant-or-self::abstract or ancestor::abstract or ancestor-or-self::author[parent::analytic])]"
        ),
        "//teiHeader//analytic/title",
        "//teiHeader//monogr",
        "//choice[reg]/orig",
        "//choice[corr]/sic",
        "//choice[abbr]/expan",
        "//choice[unclear or seg]/*[position() > 1]",
        "//biblStruct/*[../note[@type='raw_reference'] and not(self::note[@type='raw_reference'])]",
    ),
    verbatim=_words("code-block eg"),
)

_DOCBOOK = Vocabulary(
    inline=_MATHML
    | _words(
        """
            abbrev acronym anchor application arg citation citerefentry citetitle classname code command
            computeroutput constant database date email emphasis envar errorcode filename firstname firstterm
            footnoteref foreignphrase function glossterm guibutton guilabel guimenu guimenuitem guisubmenu
            hardware honorific indexterm inlineequation inlinemediaobject interface keycap keycombo keysym link
            literal manvolnum markup medialabel menuchoice methodname olink option optional othername package
            parameter personname phrase productname prompt property pubdate quote refentrytitle replaceable
            returnvalue sgmltag structname subscript superscript surname symbol systemitem tag token trademark
            type ulink uri userinput varname wordasword xref year
        """
    ),
    apart=_words("firstname personname surname"),
    skip=_MATH_SOURCE
    | _words(
        """
            audioobject biblioid colophon copyright cover date edition imageobject index indexterm isbn issn
            itermset keywordset legalnotice printhistory productnumber pubdate pubsnumber refmiscinfo
            releaseinfo remark revhistory screeninfo subjectset toc videoobject
        """
    ),
    skip_paths=("//*[self::info or self::articleinfo or self::bookinfo]//publishername",),
    verbatim=_words("address literallayout programlisting screen synopsis"),
)

_XML = Vocabulary(
    inline=_words(
        """
            a b bcp14 bold br code em emphasis eref font i italic relref small span strong sub sup term tt u
            xref
        """
    ),
    skip=_words("script style"),
)

VOCABULARIES = {"jats": _JATS, "tei": _TEI, "docbook": _DOCBOOK, "xml": _XML}
"""Format -> its vocabulary."""


def read(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read a document in JATS, TEI, DocBook or any other XML vocabulary."""
    root, warnings = parse_xml(data)
    return ExtractedText(text_of(root, document_format), document_format, warnings=warnings)


def text_of(root: etree._Element, document_format: str) -> str:
    """Return the text of an XML document, read with the vocabulary of its format. Modifies the tree."""
    vocabulary = VOCABULARIES[document_format]
    for element in root.iter("{*}*"):
        if isinstance(element.tag, str) and element.tag.startswith("{"):
            with suppress(ValueError):  # the parser accepts a name that is only a colon
                element.tag = element.tag.rpartition("}")[2]
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
