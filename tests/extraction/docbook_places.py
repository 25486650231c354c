"""DocBook with a word at every place where it shows text, and where it does not.

The places follow DocBook: The Definitive Guide, 4.5 and 5.2.
"""

from __future__ import annotations

from collections.abc import Callable

Build = Callable[[str], bytes]

_NAMESPACE = 'xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink" version="5.0"'


def five(content: str, *, info: str = "", root: str = "article") -> bytes:
    """Return a document in DocBook 5."""
    return (
        f'<?xml version="1.0"?><{root} {_NAMESPACE}><info><title>a</title>{info}</info><para>page</para>{content}</{root}>'
    ).encode()


def four(content: str, *, info: str = "") -> bytes:
    """Return a document in DocBook 4."""
    return (
        '<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd"><article>'
        f"<articleinfo><title>a</title>{info}</articleinfo><para>page</para>{content}</article>"
    ).encode()


def at(content: str) -> Build:
    """Return a builder that puts a word into content, in DocBook 4 if an element has another name there."""
    make = four if any(tag in content for tag in ("firstname", "sgmltag", "structfield", "interface>")) else five
    return lambda word: make(content.format(word))


_BLOCKS = {
    "paragraph": "<para>{}</para>",
    "simple paragraph": "<simpara>{}</simpara>",
    "title of a formal paragraph": "<formalpara><title>{}</title><para>b</para></formalpara>",
    "title of a section": "<section><title>{}</title><para>b</para></section>",
    "subtitle": "<section><title>b</title><subtitle>{}</subtitle></section>",
    "title in the info of a section": "<section><info><title>{}</title><date>secret</date></info><para>b</para></section>",
    "bridge head": "<bridgehead>{}</bridgehead>",
    "item": "<itemizedlist><listitem><para>{}</para></listitem><listitem><para>b</para></listitem></itemizedlist>",
    "numbered item": "<orderedlist><listitem><para>{}</para></listitem></orderedlist>",
    "term of a list": "<variablelist><varlistentry><term>{}</term><listitem><para>b</para></listitem></varlistentry></variablelist>",
    "item of a list of terms": "<variablelist><varlistentry><term>b</term><listitem><para>{}</para></listitem></varlistentry></variablelist>",
    "member": "<simplelist><member>a</member><member>{}</member><member>b</member></simplelist>",
    "member in a line": "<para>a <simplelist type='inline'><member>b</member><member>{}</member></simplelist></para>",
    "segment": "<segmentedlist><segtitle>a</segtitle><seglistitem><seg>{}</seg><seg>b</seg></seglistitem></segmentedlist>",
    "title of a segment": "<segmentedlist><segtitle>{}</segtitle><segtitle>b</segtitle></segmentedlist>",
    "step": "<procedure><title>a</title><step><para>{}</para></step></procedure>",
    "sub-step": "<procedure><step><substeps><step><para>{}</para></step></substeps></step></procedure>",
    "question": "<qandaset><qandaentry><question><para>{}</para></question><answer><para>b</para></answer></qandaentry></qandaset>",
    "answer": "<qandaset><qandaentry><question><para>a</para></question><answer><para>{}</para></answer></qandaentry></qandaset>",
    **{
        tag: f"<{tag}><title>a</title><para>{{}}</para></{tag}>"
        for tag in "note tip warning caution important danger sidebar blockquote epigraph dedication colophon partintro".split()
    },
    "attribution": "<blockquote><attribution>{}</attribution><para>b</para></blockquote>",
    "verbatim": "<programlisting>a {}\nb</programlisting>",
    "screen": "<screen><prompt>$</prompt> <userinput>{}</userinput></screen>",
    "literal layout": "<literallayout>a  {}</literallayout>",
    "address": "<address>a\n<street>{}</street><city>b</city></address>",
    "synopsis": "<synopsis>{} a</synopsis>",
    "call-out": "<calloutlist><callout arearefs='a'><para>{}</para></callout></calloutlist>",
    "remark of the author": "<annotation><para>{}</para></annotation>",
    "note": "<para>a<footnote><para>{}</para></footnote></para>",
    "figure": "<figure><title>{}</title><mediaobject><imageobject><imagedata fileref='a.png'/></imageobject></mediaobject></figure>",
    "caption": "<mediaobject><imageobject/><caption><para>{}</para></caption></mediaobject>",
    "picture that is only text": "<mediaobject><textobject><para>{}</para></textobject></mediaobject>",
    "drawing in a picture": "<mediaobject><imageobject><imagedata><svg xmlns='http://www.w3.org/2000/svg'><text>{}"
    "</text></svg></imagedata></imageobject><textobject><phrase>secret</phrase></textobject></mediaobject>",
    "cell": "<informaltable><tgroup cols='2'><tbody><row><entry>a</entry><entry>{}</entry></row></tbody></tgroup></informaltable>",
    "cell of an HTML table": "<table><caption>a</caption><tr><td>b</td><td>{}</td></tr></table>",
    "caption of an HTML table": "<table><caption>{}</caption><tr><td>b</td></tr></table>",
    "example": "<example><title>{}</title><para>b</para></example>",
    "formula": "<equation><alt>secret</alt><mathphrase>{}</mathphrase></equation>",
    "formula in MathML": "<equation><math xmlns='http://www.w3.org/1998/Math/MathML'><mi>{}</mi></math></equation>",
    "message": "<msgset><msgentry><msg><msgmain><msgtext><para>{}</para></msgtext></msgmain></msg></msgentry></msgset>",
    "grammar": "<productionset><production><lhs>{}</lhs><rhs>b</rhs></production></productionset>",
    "right side of a grammar": "<productionset><production><lhs>a</lhs><rhs>{} <nonterminal>b</nonterminal></rhs></production></productionset>",
    "level of a message": "<msgset><msgentry><msg><msgmain><msgtext><para>a</para></msgtext></msgmain></msg><msginfo><msglevel>{}"
    "</msglevel><msgorig>b</msgorig></msginfo></msgentry></msgset>",
    "task": "<task><title>a</title><tasksummary><para>{}</para></tasksummary></task>",
    "glossary": "<glossary><glossentry><glossterm>{}</glossterm><glossdef><para>b</para></glossdef></glossentry></glossary>",
    "definition": "<glossary><glossentry><glossterm>a</glossterm><acronym>c</acronym><glossdef><para>{}</para></glossdef></glossentry></glossary>",
    "bibliography": "<bibliography><bibliomixed><abbrev>a</abbrev>{}</bibliomixed></bibliography>",
    "name of a manual page": "<refentry><refmeta><refentrytitle>a</refentrytitle><manvolnum>1</manvolnum><refmiscinfo>secret"
    "</refmiscinfo></refmeta><refnamediv><refname>{}</refname><refpurpose>b</refpurpose></refnamediv></refentry>",
    "purpose of a manual page": "<refentry><refnamediv><refname>a</refname><refpurpose>{}</refpurpose></refnamediv></refentry>",
    "section of a manual page": "<refentry><refsect1><title>a</title><para>{}</para></refsect1></refentry>",
    "dialogue": "<dialogue><linegroup><speaker>a</speaker><line>{}</line><line>b</line></linegroup></dialogue>",
    "poetry": "<poetry><linegroup><line>{}</line><line>b</line></linegroup></poetry>",
    "legal notice in the text": "<para>a</para><legalnotice><para>{}</para></legalnotice>",
    "e-mail in a sentence": "<para>write to <email>{}</email></para>",
    "date in a sentence": "<para>on <date>{}</date></para>",
    "before the number of a note": "<para>{}<link linkend='n'>1</link></para>",
    "before a number in superscript": "<para>{}<superscript><xref linkend='n'/>1</superscript></para>",
    "around an index term": "<para>{}<indexterm><primary>secret</primary><secondary>secret</secondary></indexterm></para>",
}

_GLUED = {
    "menu": "<menuchoice><shortcut><keycap>a</keycap></shortcut><guimenu>{}</guimenu><guimenuitem>b</guimenuitem></menuchoice>",
    "item of a menu": "<menuchoice><guimenu>a</guimenu><guisubmenu>b</guisubmenu><guimenuitem>{}</guimenuitem></menuchoice>",
    "keys": "<keycombo><keycap>{}</keycap><keycap>b</keycap></keycombo>",
    "second key": "<keycombo><keycap>a</keycap><keysym>{}</keysym></keycombo>",
    "shortcut": "<shortcut><keycombo><keycap>a</keycap><keycap>{}</keycap></keycombo></shortcut>",
    "manual page": "<citerefentry><refentrytitle>{}</refentrytitle><manvolnum>1</manvolnum></citerefentry>",
    "name": "<personname><firstname>a</firstname><surname>{}</surname></personname>",
    "all parts of a name": "<personname><honorific>a</honorific><firstname>b</firstname><othername>{}</othername>"
    "<surname>c</surname><lineage>d</lineage></personname>",
    "author": "<author><personname><givenname>a</givenname><surname>{}</surname></personname><affiliation><jobtitle>"
    "b</jobtitle><orgname>c</orgname></affiliation></author>",
    "command": "<cmdsynopsis><command>{}</command><arg>b</arg><arg>c</arg></cmdsynopsis>",
    "argument of a command": "<cmdsynopsis><command>a</command><arg choice='opt'>{}</arg><arg>c</arg></cmdsynopsis>",
    "group of arguments": "<cmdsynopsis><command>a</command><group><arg>b</arg><arg>{}</arg></group><sbr/><arg>c</arg></cmdsynopsis>",
    "after a forced break": "<cmdsynopsis><command>a</command><sbr/><arg>{}</arg></cmdsynopsis>",
    "fragment of a synopsis": "<cmdsynopsis><command>a</command><synopfragment><arg>{}</arg></synopfragment></cmdsynopsis>",
    "function": "<funcsynopsis><funcsynopsisinfo>a</funcsynopsisinfo><funcprototype><funcdef>int <function>{}</function>"
    "</funcdef><paramdef>int <parameter>b</parameter></paramdef></funcprototype></funcsynopsis>",
    "parameter": "<funcsynopsis><funcprototype><funcdef>int <function>a</function></funcdef><paramdef>int <parameter>{}"
    "</parameter></paramdef><paramdef>b</paramdef></funcprototype></funcsynopsis>",
    "class": "<classsynopsis><ooclass><modifier>a</modifier><classname>{}</classname></ooclass><ooexception>"
    "<exceptionname>b</exceptionname></ooexception></classsynopsis>",
    "field": "<classsynopsis><ooclass><classname>a</classname></ooclass><fieldsynopsis><modifier>b</modifier><type>c</type>"
    "<varname>{}</varname><initializer>d</initializer></fieldsynopsis></classsynopsis>",
    "method": "<methodsynopsis><modifier>a</modifier><type>b</type><methodname>{}</methodname><methodparam><type>c</type>"
    "<parameter>d</parameter></methodparam></methodsynopsis>",
    "parameter of a method": "<methodsynopsis><methodname>a</methodname><methodparam><type>b</type><parameter>{}"
    "</parameter><initializer>c</initializer></methodparam></methodsynopsis>",
    "constructor": "<constructorsynopsis><methodname>a</methodname><methodparam><type>b</type><parameter>{}</parameter></methodparam></constructorsynopsis>",
    "methods one after the other": "<methodsynopsis><methodname>a</methodname></methodsynopsis><methodsynopsis><methodname>{}"
    "</methodname></methodsynopsis><fieldsynopsis><varname>b</varname></fieldsynopsis>",
    "methods of a class": "<classsynopsis><ooclass><classname>a</classname></ooclass><methodsynopsis><methodname>{}</methodname>"
    "</methodsynopsis><constructorsynopsis><methodname>b</methodname></constructorsynopsis></classsynopsis>",
    "arguments of a fragment": "<synopfragment><arg>a</arg><arg>{}</arg></synopfragment>",
    "acronym of a glossary": "<glosslist><glossentry><glossterm>a</glossterm><acronym>{}</acronym><abbrev>b</abbrev>"
    "</glossentry></glosslist>",
    "interface": "<classsynopsis><oointerface><interfacename>{}</interfacename></oointerface><oointerface><interfacename>b"
    "</interfacename></oointerface></classsynopsis>",
    "abbreviation before a reference": "<bibliography><biblioentry><abbrev>a</abbrev><title>{}</title></biblioentry></bibliography>",
    "abbreviation of a reference": "<bibliography><biblioentry><abbrev>{}</abbrev><title>b</title></biblioentry></bibliography>",
    **{
        f"{tag} of a reference": f"<bibliography><biblioentry><abbrev>a</abbrev><{tag}>{{}}</{tag}><isbn>b</isbn></biblioentry></bibliography>"
        for tag in (
            "pubdate date edition volumenum issuenum pagenums publishername isbn issn biblioid citetitle orgname seriesvolnums "
            "subtitle bibliomisc releaseinfo corpauthor"
        ).split()
    },
    "publisher of a reference": "<bibliography><biblioentry><publisher><publishername>a</publishername><address><city>{}"
    "</city></address></publisher></biblioentry></bibliography>",
    "copyright of a reference": "<bibliography><biblioentry><copyright><year>a</year><holder>{}</holder></copyright></biblioentry></bibliography>",
    "set of a reference": "<bibliography><biblioentry><biblioset relation='article'><title>a</title><date>{}</date></biblioset></biblioentry></bibliography>",
}  # fmt: skip

_INLINE = (
    "abbrev acronym accel application classname code command computeroutput constant database emphasis envar errorcode "
    "errorname errortext errortype exceptionname filename firstterm foreignphrase function glossterm guibutton guiicon "
    "guilabel guimenu guimenuitem guisubmenu hardware interfacename keycap keycode keysym link literal markup "
    "methodname modifier mousebutton olink option optional package parameter phrase productname prompt property quote "
    "replaceable returnvalue sgmltag structfield structname subscript superscript symbol systemitem tag termdef token "
    "trademark type ulink uri userinput varname wordasword citetitle enumvalue typedefname macroname templatename "
    "namespacename unionname nonterminal citation mathphrase lineannotation"
).split()

SHOWN: dict[str, Build] = {
    **{place: at(content) for place, content in (_BLOCKS | _GLUED).items()},
    **{
        f"part of a word: {tag}": lambda word, tag=tag: five(f"<para>{word[:4]}<{tag}>{word[4:]}</{tag}></para>")  # type: ignore[misc]
        for tag in _INLINE
    },
    "title": lambda word: five("").replace(b"<title>a", f"<title>{word}".encode()),
    **{
        f"info: {place}": lambda word, content=content: five("", info=content.format(word))  # type: ignore[misc]
        for place, content in {
            "subtitle": "<subtitle>{}</subtitle>",
            "author": "<author><personname><firstname>a</firstname><surname>{}</surname></personname></author>",
            "group of authors": "<authorgroup><author><orgname>{}</orgname></author></authorgroup>",
            "abstract": "<abstract><para>{}</para></abstract>",
        }.items()
    },
    "DocBook 4": lambda word: four(f"<para>{word}</para>", info="<date>secret</date><keywordset>secret</keywordset>"),
    "author in DocBook 4": lambda word: four(
        "", info=f"<author><firstname>a</firstname><surname>{word}</surname></author>"
    ),
    "chapter": lambda word: five(f"<chapter><title>b</title><para>{word}</para></chapter>", root="book"),
    "part of a document": lambda word: (
        f"<bibliography {_NAMESPACE}><bibliomixed>{word[:4]}<emphasis>{word[4:]}</emphasis></bibliomixed></bibliography>"
    ).encode(),
    "part of a document in DocBook 4": lambda word: (
        "<?xml version='1.0'?><!DOCTYPE bibliography PUBLIC '-//OASIS//DTD DocBook XML V4.5//EN' 'docbookx.dtd'>"
        f"<bibliography><biblioentry><abbrev>a</abbrev><pubdate>{word}</pubdate></biblioentry></bibliography>"
    ).encode(),
    "namespace with a prefix": lambda word: (
        "<?xml version='1.0'?><d:article xmlns:d='http://docbook.org/ns/docbook'><d:info><d:date>secret</d:date></d:info>"
        f"<d:para>{word}</d:para></d:article>"
    ).encode(),
}

COUNTED: dict[str, tuple[Build, str]] = {
    "text in another file": (
        lambda word: five(f"<mediaobject><textobject><textdata fileref='{word}.txt'/></textobject></mediaobject>"),
        "text in other files not read: 1 (first: 'zebrawood.txt')",
    ),
    "text in another file as a picture": (
        lambda word: four(f"<programlisting><inlinegraphic format='linespecific' fileref='{word}'/></programlisting>"),
        "text in other files not read: 1 (first: 'zebrawood')",
    ),
    "documents of an assembly": (
        lambda word: five(f"<resources><resource href='{word}.xml'/></resources>"),
        "documents in other files not read: 1 (first: 'zebrawood.xml')",
    ),
}

NOT_SHOWN: dict[str, Build] = {
    **{
        f"info: {tag}": lambda word, tag=tag: five("", info=f"<{tag}>{word}</{tag}>")  # type: ignore[misc]
        for tag in (
            "date pubdate copyright legalnotice keywordset subjectset revhistory edition isbn issn biblioid publisher "
            "releaseinfo printhistory titleabbrev productname bibliomisc cover address"
        ).split()
    },
    **{
        f"{place}": lambda word, content=content: five(content.format(word))  # type: ignore[misc]
        for place, content in {
            "remark of an editor": "<para>a<remark>{}</remark></para>",
            "index term": "<para>a<indexterm><primary>{}</primary></indexterm></para>",
            "index": "<index><indexentry><primaryie>{}</primaryie></indexentry></index>",
            "table of contents": "<toc><tocentry>{}</tocentry></toc>",
            "short title": "<section><title>a</title><titleabbrev>{}</titleabbrev></section>",
            "alternative text": "<mediaobject><alt>{}</alt><imageobject/></mediaobject>",
            "text instead of a picture": "<mediaobject><imageobject/><textobject><phrase>{}</phrase></textobject></mediaobject>",
            "text instead of a picture in a line": "<para><inlinemediaobject><imageobject/><textobject><phrase>{}</phrase>"
            "</textobject></inlinemediaobject></para>",
            "text for a table": "<informaltable><textobject><para>{}</para></textobject><tgroup/></informaltable>",
            "text instead of a picture with call-outs": "<mediaobjectco><imageobjectco/><textobject><phrase>{}</phrase>"
            "</textobject></mediaobjectco>",
            "second version of a text": "<mediaobject><textobject><para>a</para></textobject><textobject><para>{}</para></textobject></mediaobject>",
        }.items()
    },
}
