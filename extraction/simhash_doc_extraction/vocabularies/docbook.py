"""DocBook, 3 to 5.2."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from simhash_doc_extraction.parts import Losses
from simhash_doc_extraction.vocabularies.vocabulary import Vocabulary, has_text, parent_tag, words

DOCBOOK_NAMESPACE = "http://docbook.org/ns/docbook"

_SHOWN_INFO = words(
    "abstract author authorgroup collab corpauthor dedication editor epigraph orgname othercredit personname subtitle "
    "title"
)
_NOT_INFO = words("classsynopsisinfo funcsynopsisinfo msginfo refmiscinfo screeninfo")
_IN_FILES = words("graphic inlinegraphic textdata")


def _choose(root: etree._Element, losses: Losses) -> Iterator[etree._Element]:
    """Yield what is not text: metadata, and all versions of a picture except one. Count the files that hold text."""
    for information in root.iter("*"):
        tag = information.tag
        if tag.endswith(("info", "artheader")) and tag not in _NOT_INFO and information is not root:
            yield from (part for part in information if part.tag not in _SHOWN_INFO)
        elif tag in _IN_FILES:
            name = information.get("fileref") or information.get("entityref")
            if name and (tag == "textdata" or information.get("format", "").lower() == "linespecific"):
                losses.add("text in other files not read", name)
        elif tag == "resource" and information.get("href"):
            losses.add("documents in other files not read", information.get("href", ""))
    for abbreviation in root.iter("abbrev"):
        if parent_tag(abbreviation) == "bibliomixed":  # the label of a reference in a list
            abbreviation.tail = f" {abbreviation.tail or ''}"
    for description in root.iter("textobject"):
        if parent_tag(description) in ("informaltable", "table"):
            yield description
    for picture in root.iter("inlinemediaobject", "mediaobject", "mediaobjectco"):
        versions = list(
            picture.iterchildren("imageobject", "imageobjectco", "videoobject", "audioobject", "textobject")
        )
        drawn = [version for version in versions if version.tag != "textobject"]
        chosen = next(filter(has_text, drawn), None) if drawn else next(iter(versions), None)
        yield from (version for version in versions if version is not chosen)


_ADDRESS = words("city country fax otheraddr phone pob postcode state street")
_NAMES = words(
    """
        authorinitials collabname corpcredit corpname firstname givenname honorific jobtitle lineage orgdiv orgname
        othername person personname publishername shortaffil surname
    """
)
_PUBLICATION = words(
    """
        artpagenums biblioid bibliomisc citebiblioid confdates confnum confsponsor conftitle contractnum contractsponsor
        contrib date edition holder invpartnumber isbn issn issuenum pagenums productname productnumber pubdate
        pubsnumber releaseinfo revnumber seriesvolnums volumenum year
    """
)
_CODE = words(
    """
        arg classname code command computeroutput constant database enumidentifier enumname enumvalue envar errorcode
        errorname errortext errortype exceptionname filename funcparams function group hardware initializer interface
        interfacename literal macroname markup methodname methodparam modespec modifier namespacename nonterminal
        ooclass ooexception oointerface option optional package parameter prompt property replaceable returnvalue
        sgmltag specializedtemplate structfield structname symbol synopfragmentref systemitem tag template templatename
        token type typedefname typename unionname userinput varname
    """
)
_CONTROLS = words(
    "accel action application guibutton guiicon guilabel guimenu guimenuitem guisubmenu keycap keycode keycombo keysym "
    "menuchoice mousebutton shortcut"
)
_SYNOPSES = words(
    """
        classsynopsis cmdsynopsis constructorsynopsis destructorsynopsis fieldsynopsis funcprototype group
        macroprototype methodparam methodsynopsis ooclass ooexception oointerface specializedtemplate synopfragment
        template typedefsynopsis unionsynopsis enumsynopsis enumitem
    """
)

DOCBOOK = Vocabulary(
    inline=_ADDRESS
    | _NAMES
    | _PUBLICATION
    | _CODE
    | _CONTROLS
    | words(
        """
            abbrev acronym anchor annotationref biblioref citation citerefentry citetitle co coref email emphasis
            firstterm footnoteref foreignphrase glossterm imagedata imageobject inlineequation inlinegraphic
            inlinemediaobject lineannotation link manvolnum mathphrase medialabel olink phrase quote refentrytitle sbr
            subscript superscript termdef textobject trademark ulink uri wordasword xref
        """
    ),
    apart=_ADDRESS
    | words(
        "collabname firstname givenname jobtitle lineage orgdiv orgname personname pubdate publishername sbr surname "
        "synopfragmentref"
    ),
    parted=_SYNOPSES
    | words(
        """
            affiliation author authorgroup biblioentry bibliomset biblioset citerefentry collab confgroup copyright
            editor glossentry keycombo menuchoice othercredit person personname printhistory publisher refmeta revision
            shortcut
        """
    ),
    breaks=words("sbr"),
    skip=words(
        """
            alt areaspec beginpage index indexterm itermset keywordset lot refmiscinfo remark screeninfo setindex
            subjectset titleabbrev toc
        """
    ),
    marks=words("link"),
    verbatim=words("address literallayout programlisting screen synopsis"),
    choose=_choose,
)
