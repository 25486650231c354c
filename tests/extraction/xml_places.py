"""Other XML, and XML of every vocabulary, with a word at every place where it shows text, and where it does not."""

from __future__ import annotations

from collections.abc import Callable

Build = Callable[[str], bytes]

MATHML = 'xmlns="http://www.w3.org/1998/Math/MathML"'
SVG = 'xmlns="http://www.w3.org/2000/svg"'
XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'
XI = 'xmlns:xi="http://www.w3.org/2001/XInclude"'
OAI = 'xmlns="http://www.openarchives.org/OAI/2.0/"'
DOCBOOK = 'xmlns="http://docbook.org/ns/docbook"'
TEI = 'xmlns="http://www.tei-c.org/ns/1.0"'
_FRONT = "<front><article-meta><article-id>secret</article-id></article-meta></front>"


def other(body: str, doctype: str = "") -> bytes:
    """Return a document in an unknown vocabulary."""
    return f"<?xml version='1.0'?>{doctype}<records><note>page</note>{body}</records>".encode()


def in_all(content: str) -> dict[str, Callable[[str], bytes]]:
    """Return builders that put content into a document of each vocabulary."""
    forms = {
        "other XML": "<?xml version='1.0'?><records><p>page</p>{}</records>",
        "JATS": "<article dtd-version='1.2'><body><p>page</p>{}</body></article>",
        "TEI": f"<TEI {TEI}><text><body><p>page</p>{{}}</body></text></TEI>",
        "DocBook": f"<article {DOCBOOK}><para>page</para>{{}}</article>",
        "DocBook 4": "<?xml version='1.0'?><article><articleinfo/><para>page</para>{}</article>",
        "FictionBook": "<FictionBook><body><section><p>page</p>{}</section></body></FictionBook>",
    }
    return {
        name: lambda word, form=form: form.format(content.format(word)).encode()  # type: ignore[misc]
        for name, form in forms.items()
    }


SHOWN: dict[str, Build] = {
    **{
        f"element {tag}": lambda word, tag=tag: other(f"<{tag}>{word}</{tag}>")  # type: ignore[misc]
        for tag in "style script annotation annotation-xml head title desc metadata defs template rp rt Style".split()
    },
    "style in the namespace of the document": lambda word: (
        f"<xml xmlns='urn:x'><note>page</note><style face='normal'>{word}</style></xml>".encode()
    ),
    "section of characters": lambda word: other(f"<a><![CDATA[{word} &nbsp; <b>]]></a>"),
    "entity of the document": lambda word: other("<a>&who;</a>", f"<!DOCTYPE records [<!ENTITY who '{word}'>]>"),
    "before an entity of HTML": lambda word: other(f"<a>{word}&nbsp;&eacute;</a>"),
    "XHTML": lambda word: other(f"<div {XHTML}><p>{word}</p></div>"),
    "part of a word in XHTML": lambda word: other(f"<p {XHTML}>{word[:3]}<span>{word[3:]}</span></p>"),
    "text of SVG": lambda word: other(f"<svg {SVG}><title>secret</title><text>{word}</text></svg>"),
    "text of SVG in XHTML": lambda word: other(
        f"<div {XHTML}><svg {SVG}><text><tspan>{word}</tspan></text></svg></div>"
    ),
    "article in a set": lambda word: (
        f"<pmc-articleset><article>{_FRONT}<body><p>{word}</p></body></article></pmc-articleset>".encode()
    ),
    "article in another element": lambda word: (
        f"<?xml version='1.0'?><response><payload><article>{_FRONT}<body><p>{word}</p></body></article></payload>"
        "</response>"
    ).encode(),
    "article with a prefix": lambda word: (
        "<?xml version='1.0'?><o:response xmlns:o='urn:o' xmlns:j='https://jats.nlm.nih.gov/ns/archiving/1.3/'>"
        f"<j:article><j:front><j:article-meta><j:article-id>secret</j:article-id></j:article-meta></j:front>"
        f"<j:body><j:p>{word}</j:p></j:body></j:article></o:response>"
    ).encode(),
    "article in OAI-PMH": lambda word: (
        f"<?xml version='1.0'?><OAI-PMH {OAI}><responseDate>secret</responseDate><request>secret</request>"
        "<GetRecord><record><header><identifier>secret</identifier></header>"
        f"<metadata><article xmlns=''>{_FRONT}<body><p>{word}</p></body></article></metadata>"
        "<about>secret</about></record></GetRecord></OAI-PMH>"
    ).encode(),
    "TEI in another element": lambda word: other(
        f"<TEI {TEI}><teiHeader><p>secret</p></teiHeader><text><p>{word}</p></text></TEI>"
    ),
    "DocBook in another element": lambda word: other(
        f"<article {DOCBOOK}><info><date>secret</date></info><para>{word}</para></article>"
    ),
    "around documents": lambda word: other(f"<a>{word}</a><article {DOCBOOK}><para>b</para></article>"),
    "Dublin Core in OAI-PMH": lambda word: (
        f"<?xml version='1.0'?><OAI-PMH {OAI}><record><metadata><dc>{word}</dc></metadata></record></OAI-PMH>".encode()
    ),
    **{
        f"formula in {name}": build
        for name, build in in_all(
            f"<p><math {MATHML}><semantics><mrow><mi>{{}}</mi></mrow><annotation>secret</annotation>"
            "<annotation-xml><mi>secret</mi></annotation-xml></semantics><mphantom><mi>secret</mi></mphantom></math></p>"
        ).items()
    },
    **{
        f"SVG in {name}": build
        for name, build in in_all(
            f"<figure><svg {SVG}><title>secret</title><desc>secret</desc><style>secret</style><script>secret</script>"
            "<defs><text>secret</text></defs><text>{}</text></svg></figure>"
        ).items()
    },
    **{
        f"XHTML in {name}": build
        for name, build in in_all(f"<div {XHTML}><style>secret</style><script>secret</script><p>{{}}</p></div>").items()
    },
}

_INCLUDED = "included files not read: 1 (first: 'a.xml')"

COUNTED: dict[str, tuple[Build, str]] = {
    **{
        f"included file in {name}": (build, _INCLUDED)
        for name, build in in_all(f"<xi:include {XI} href='a.xml' xpointer='{{}}'/>").items()
    },
    **{
        f"included file in a word in {name}": (build, _INCLUDED)
        for name, build in in_all(
            "<p>a<include xmlns='http://www.w3.org/2001/XInclude' href='a.xml' id='{}'/></p>"
        ).items()
    },
    "included file in the older namespace": (
        lambda word: other(f"<include xmlns='http://www.w3.org/2003/XInclude' href='a.xml' id='{word}'/>"),
        _INCLUDED,
    ),
    "included file, prefix that nothing declares": (
        lambda word: other(f"<xi:include href='a.xml' id='{word}'/>"),
        "not well-formed",
    ),
    "entity in another file": (
        lambda word: other("<a>&chapter;</a>", f"<!DOCTYPE records [<!ENTITY chapter SYSTEM '{word}.xml'>]>"),
        "entities in other files not read: 1 (first: 'zebrawood.xml')",
    ),
    "public entity": (
        lambda word: other("<a>&c.1;</a>", f"<!DOCTYPE records [<!ENTITY c.1\nPUBLIC '-//a//{word}' \"b.xml\">]>"),
        "entities in other files not read: 1 (first: 'b.xml')",
    ),
    "entity that is not defined": (
        lambda word: other("<a>page &product-name;</a>"),
        "entities without a definition not read: 1 (first: 'product-name')",
    ),
    "entity of a DTD": (
        lambda word: other(
            "<a>&x;&y;</a>", "<!DOCTYPE records SYSTEM 'a.dtd' [<!ENTITY % more SYSTEM 'b.ent'>%more;]>"
        ),
        "entities without a definition not read: 2 (first: 'x')",
    ),
}

NOT_SHOWN: dict[str, Build] = {
    "comment": lambda word: other(f"<!-- {word} &chapter; -->"),
    "processing instruction": lambda word: other(f"<?php {word} &chapter; ?>"),
    "attribute": lambda word: other(f"<a b='{word}'/>"),
    "declared entity": lambda word: other("<a>b</a>", f"<!DOCTYPE records [<!ENTITY who '{word}'>]>"),
}
