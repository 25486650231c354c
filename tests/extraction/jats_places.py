"""JATS and BITS with a word at every place where an article shows text, and where it does not.

The places follow the tag libraries of JATS 1.3 (NISO Z39.96) and BITS 2.1.
"""

from __future__ import annotations

from collections.abc import Callable

Build = Callable[[str], bytes]

_NAMES = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML"'


def article(
    body: str = "", *, meta: str = "", front: str = "", back: str = "", after: str = "", attributes: str = ""
) -> bytes:
    """Return an article with content at some places."""
    return (
        f'<?xml version="1.0"?><article {_NAMES} article-type="research-article" dtd-version="1.3" {attributes}>'
        "<front><journal-meta><journal-title>secret</journal-title></journal-meta><article-meta>"
        f"<article-id>secret</article-id>{meta}</article-meta>{front}</front><body><p>page</p>{body}</body>"
        f"<back>{back}</back>{after}</article>"
    ).encode()


def parted(form: str) -> Build:
    """Return a builder with two parts of a word in inline text."""
    return lambda word: article("<p>" + form.format(word[:4], word[4:]) + "</p>")


def beside(form: str) -> Build:
    """Return a builder with a word between others that no white space separates from it in the mark-up."""
    return lambda word: article(form.format(word))


def sub(kind: str, content: str, attributes: str = "") -> str:
    """Return a sub-article."""
    return (
        f'<sub-article article-type="{kind}" {attributes}><front-stub><article-id>secret</article-id><title-group>'
        f"<article-title>{content}</article-title></title-group></front-stub><body><p>other</p></body></sub-article>"
    )


def reference(content: str) -> Build:
    """Return a builder with a reference."""
    return lambda word: article(back=f"<ref-list><title>References</title><ref>{content.format(word)}</ref></ref-list>")


_BODY = {
    "paragraph": "<p>{}</p>",
    "title of a section": "<sec><label>1</label><title>{}</title><p>b</p></sec>",
    "subtitle of a section": "<sec><title>b</title><subtitle>{}</subtitle></sec>",
    "label of a section": "<sec><label>{}</label><title>b</title></sec>",
    "list": "<list><title>a</title><list-item><label>1</label><p>{}</p></list-item></list>",
    "title of a list": "<list><title>{}</title><list-item><p>b</p></list-item></list>",
    "term": "<def-list><def-item><term>{}</term><def><p>b</p></def></def-item></def-list>",
    "definition": "<def-list><def-item><term>b</term><def><p>{}</p></def></def-item></def-list>",
    "heads of definitions": "<def-list><term-head>{}</term-head><def-head>b</def-head></def-list>",
    "quotation": "<disp-quote><p>{}</p><attrib>b</attrib></disp-quote>",
    "attribution": "<disp-quote><p>b</p><attrib>{}</attrib></disp-quote>",
    "verse": "<verse-group><title>a</title><verse-line>{}</verse-line><verse-line>b</verse-line></verse-group>",
    "speech": "<speech><speaker>a</speaker><p>{}</p></speech>",
    "speaker": "<speech><speaker>{}</speaker><p>b</p></speech>",
    "statement": "<statement><label>1</label><title>a</title><p>{}</p></statement>",
    "boxed text": "<boxed-text><caption><title>a</title></caption><p>{}</p></boxed-text>",
    "title of a caption": "<fig><label>Figure 1</label><caption><title>{}</title><p>b</p></caption></fig>",
    "caption": "<fig><object-id>secret</object-id><caption><p>{}</p></caption><graphic/></fig>",
    "label of a figure": "<fig><label>{}</label><caption><p>b</p></caption></fig>",
    "group of figures": "<fig-group><caption><p>{}</p></caption><fig/></fig-group>",
    "cell": "<table-wrap><table><tr><td>a</td><td>{}</td><td>b</td></tr></table></table-wrap>",
    "head of a table": "<table-wrap><table><thead><tr><th>a</th><th>{}</th></tr></thead></table></table-wrap>",
    "note of a table": "<table-wrap><table-wrap-foot><fn><label>a</label><p>{}</p></fn></table-wrap-foot></table-wrap>",
    "caption of a table": "<table-wrap><label>Table 1</label><caption><p>{}</p></caption></table-wrap>",
    "array": "<array><tbody><tr><td>a</td><td>{}</td></tr></tbody></array>",
    "code": "<code>a {} b</code>",
    "preformatted text": "<preformat>a {}\nb</preformat>",
    "formula": "<disp-formula><mml:math><mml:mi>{}</mml:mi></mml:math></disp-formula>",
    "label of a formula": "<disp-formula><label>({})</label></disp-formula>".replace("({})", "{}"),
    "chemical structure": "<chem-struct-wrap><caption><p>a</p></caption><chem-struct>{}</chem-struct></chem-struct-wrap>",
    "second chemical structure": "<chem-struct-wrap><chem-struct>a</chem-struct><chem-struct>{}</chem-struct></chem-struct-wrap>",
    "grant in a sentence": "<p>grant <award-id>{}</award-id> of <funding-source>b</funding-source></p>",
    "media": "<media><caption><p>{}</p></caption></media>",
    "supplementary material": "<supplementary-material><caption><p>{}</p></caption></supplementary-material>",
    "questions": "<question-wrap><question><label>1</label><p>{}</p></question></question-wrap>",
    "note in a paragraph": "<p>a<fn><label>1</label><p>{}</p></fn></p>",
    "after a break": "<p>a<break/>{}<break/>b</p>",
    "signature": "<sig-block><sig>{}<break/>b</sig></sig-block>",
    "e-mail in a sentence": "<p>write to <email>{}</email></p>",
    "address in a sentence": "<p>see <uri>{}</uri></p>",
    "reference in a sentence": "<p>see <xref ref-type='bibr' rid='r1'>{}</xref></p>",
    "related article in a sentence": "<p>see <related-article>{}</related-article></p>",
    "before the number of a reference": "<p>{}<xref ref-type='bibr' rid='r1'>1</xref></p>",
    "before the numbers of references": "<p>{}<xref ref-type='bibr'>[1</xref><xref ref-type='bibr'>–3]</xref></p>",
    "before the sign of a note": "<p>{}<xref ref-type='fn' rid='f1'>*</xref></p>",
    "before a number in superscript": "<p>{}<sup><xref ref-type='bibr' rid='r1'>1</xref></sup></p>",
    "number of a figure": "<p>Figure <xref ref-type='fig' rid='f1'>{}</xref></p>",
    "textual form": "<p><alternatives><graphic><alt-text>secret</alt-text></graphic><textual-form>{}</textual-form></alternatives></p>",
    "formula beside its source": (
        "<p><inline-formula><alternatives><tex-math>secret</tex-math><mml:math><mml:mi>{}</mml:mi></mml:math>"
        "</alternatives></inline-formula></p>"
    ),
    "table beside a picture": (
        "<table-wrap><alternatives><graphic/><table><tr><td>{}</td></tr></table></alternatives></table-wrap>"
    ),
    "structured name beside a written one": "<p><name-alternatives><string-name>{}</string-name><string-name "
    "specific-use='index'>secret</string-name></name-alternatives></p>",
    "ruby": "<p><ruby><rb>{}</rb><rt>secret</rt></ruby></p>",
}

_META = {
    "title": "<title-group><article-title>{}</article-title><alt-title>secret</alt-title></title-group>",
    "subtitle": "<title-group><article-title>a</article-title><subtitle>{}</subtitle></title-group>",
    "translated title": "<title-group><article-title>a</article-title><trans-title-group><trans-title>{}</trans-title>"
    "</trans-title-group></title-group>",
    "note of the title": "<title-group><article-title>a</article-title><fn-group><fn><p>{}</p></fn></fn-group></title-group>",
    "abstract": "<abstract><title>a</title><sec><title>b</title><p>{}</p></sec></abstract>",
    "translated abstract": "<trans-abstract xml:lang='es'><p>{}</p></trans-abstract>",
    "author": "<contrib-group><contrib><contrib-id>secret</contrib-id><name><surname>{}</surname><given-names>b"
    "</given-names></name><email>secret</email><xref ref-type='aff'>1</xref></contrib></contrib-group>",
    "given names": "<contrib-group><contrib><name><surname>a</surname><given-names>{}</given-names></name></contrib></contrib-group>",
    "written name": "<contrib-group><contrib><string-name><given-names>{}</given-names><surname>b</surname>"
    "</string-name></contrib></contrib-group>",
    "group of authors": "<contrib-group><contrib><collab>{}</collab></contrib></contrib-group>",
    "name in the language of the article": "<contrib-group><contrib><name-alternatives><name xml:lang='ja'><surname>"
    "secret</surname></name><name xml:lang='en'><surname>{}</surname></name></name-alternatives></contrib></contrib-group>",
    "degrees and role": "<contrib-group><contrib><name><surname>a</surname></name><degrees>b</degrees><role>{}</role>"
    "</contrib></contrib-group>",
    "biography": "<contrib-group><contrib><bio><p>{}</p></bio></contrib></contrib-group>",
    "affiliation": "<aff><label>1</label><institution-wrap><institution-id>secret</institution-id><institution>{}"
    "</institution></institution-wrap><country>b</country></aff>",
    "affiliation in another language": "<aff-alternatives><aff xml:lang='fr'>secret</aff><aff xml:lang='en'>{}</aff></aff-alternatives>",
    "note on authors": "<author-notes><corresp>secret</corresp><fn fn-type='equal'><label>*</label><p>{}</p></fn></author-notes>",
    "work that is reviewed": "<product><source>{}</source></product>",
}

_BACK = {
    "acknowledgements": "<ack><title>a</title><p>{}</p></ack>",
    "appendix": "<app-group><app><title>a</title><p>{}</p></app></app-group>",
    "biography at the end": "<bio><p>{}</p></bio>",
    "group of notes": "<fn-group><title>a</title><fn><label>1</label><p>{}</p></fn></fn-group>",
    "glossary": "<glossary><def-list><def-item><term>a</term><def><p>{}</p></def></def-item></def-list></glossary>",
    "notes": "<notes><p>{}</p></notes>",
    "title of references": "<ref-list><title>{}</title><ref><mixed-citation>a</mixed-citation></ref></ref-list>",
    "note in references": "<ref-list><ref><note><p>{}</p></note></ref></ref-list>",
}

_ELEMENTS = (
    "article-title chapter-title collab comment conf-name conf-loc conf-date data-title edition fpage institution "
    "issue lpage month page-range part-title patent series source std string-date supplement trans-title "
    "version volume year annotation date-in-citation gov size elocation-id"
).split()

SHOWN: dict[str, Build] = {
    **{place: lambda word, form=form: article(form.format(word)) for place, form in _BODY.items()},  # type: ignore[misc]
    **{
        place: lambda word, form=form: article(meta=form.format(word), attributes='xml:lang="en"')  # type: ignore[misc]
        for place, form in _META.items()
        if place != "given names"
    },
    **{place: lambda word, form=form: article(back=form.format(word)) for place, form in _BACK.items()},  # type: ignore[misc]
    "given names": lambda word: article(meta=_META["given names"].format(word)),
    "definitions in the front": lambda word: article(front=f"<notes><p>{word}</p></notes>"),
    "group of floats": lambda word: article(
        after=f"<floats-group><fig><caption><p>{word}</p></caption></fig></floats-group>"
    ),
    **{
        f"{tag} of a structured reference": reference(
            f"<element-citation><source>a</source><{tag}>{{}}</{tag}><uri>secret</uri></element-citation>"
        )
        for tag in _ELEMENTS
        if tag != "source"
    },
    **{
        f"{tag} of a written reference": reference(f"<mixed-citation>a, <{tag}>{{}}</{tag}> b</mixed-citation>")
        for tag in (*_ELEMENTS, "uri", "publisher-name", "publisher-loc", "italic", "ext-link")
    },
    "words of a structured reference": reference(
        "<element-citation><person-group><string-name>a</string-name><string-name>{}</string-name></person-group>"
        "<bold>b</bold><italic>c</italic></element-citation>"
    ),
    "written reference beside a structured one": reference(
        "<label>1</label><citation-alternatives><element-citation><source>secret</source></element-citation>"
        "<mixed-citation>{}</mixed-citation></citation-alternatives>"
    ),
    "written reference before a structured one": reference(
        "<citation-alternatives><mixed-citation>{}</mixed-citation><element-citation><source>secret</source>"
        "</element-citation></citation-alternatives>"
    ),
    "older reference": reference("<nlm-citation><article-title>{}</article-title><source>b</source></nlm-citation>"),
    "oldest reference": reference("<citation>{}</citation>"),
    **{
        f"part of a word: {tag}": parted(f"{{}}<{tag}>{{}}</{tag}>")
        for tag in (
            "bold italic monospace overline roman sans-serif sc strike sub sup underline fixed-case named-content "
            "styled-content abbrev ext-link target milestone-start private-char"
        ).split()
    },
    **{
        f"sub-article: {kind}": lambda word, kind=kind: article(after=sub(kind, word))  # type: ignore[misc]
        for kind in ("abstract", "discussion", "chapter", "research-article", "erratum", "")
    },
    "review without an article": lambda word: (
        f"<article article-type='review-article'>{sub('reviewer-report', 'other')}{sub('reply', word)}</article>".encode()
    ),
    "article without a declaration": lambda word: (
        f"<article article-type='letter'><front/><body><p>{word}</p></body></article>".encode()
    ),
    **{
        f"book: {root}": lambda word, root=root: (  # type: ignore[misc]
            f"<?xml version='1.0'?><!DOCTYPE {root} PUBLIC '-//NLM//DTD BITS Book Interchange DTD v2.0//EN' 'a.dtd'>"
            f"<{root}><book-meta><book-id>secret</book-id><book-title-group><book-title>a</book-title>"
            "</book-title-group><permissions>secret</permissions></book-meta><book-body><book-part><book-part-meta>"
            "<book-part-id>secret</book-part-id><title-group><title>b</title></title-group></book-part-meta><body>"
            f"<sec><title>c</title><p>{word}</p></sec></body></book-part></book-body></{root}>"
        ).encode()
        for root in ("book", "book-part-wrapper")
    },
}

COUNTED: dict[str, tuple[Build, str]] = {
    **{
        f"translation: {kind}": (
            lambda word, kind=kind: article(after=sub(kind, word, "xml:lang='es'")),  # type: ignore[misc]
            "translations not read: 1 (first: 'es')",
        )
        for kind in ("translation", "Translation", "article-translation", "translated-article")
    },
    "translation in a response": (
        lambda word: article(after=f"<response response-type='translation'><body><p>{word}</p></body></response>"),
        "translations not read: 1",
    ),
    **{
        f"review: {kind}": (
            lambda word, kind=kind: article(after=sub(kind, word)),  # type: ignore[misc]
            f"reviews and replies not read: 1 (first: '{kind}')",
        )
        for kind in (
            "decision-letter",
            "article-commentary",
            "reply",
            "reviewer-report",
            "referee-report",
            "editor-report",
            "author-comment",
            "author-response",
            "editorial-decision",
            "review-report",
        )
    },
    "review: other spelling": (
        lambda word: article(after=sub("Decision  letter", word)),
        "reviews and replies not read: 1 (first: 'decision-letter')",
    ),
}

NOT_SHOWN: dict[str, Build] = {
    **{
        f"metadata: {content}": lambda word, content=content: article(meta=content.format(word))  # type: ignore[misc]
        for content in (
            "<article-version>{}</article-version>",
            "<article-categories><subj-group><subject>{}</subject></subj-group></article-categories>",
            "<pub-date><year>{}</year></pub-date>",
            "<volume>{}</volume>",
            "<issue-title>{}</issue-title>",
            "<fpage>{}</fpage>",
            "<elocation-id>{}</elocation-id>",
            "<isbn>{}</isbn>",
            "<history><date><year>{}</year></date></history>",
            "<pub-history><event><event-desc>{}</event-desc></event></pub-history>",
            "<permissions><license><license-p>{}</license-p></license></permissions>",
            "<self-uri>{}</self-uri>",
            "<related-article>{}</related-article>",
            "<kwd-group><title>a</title><kwd>{}</kwd></kwd-group>",
            "<funding-group><funding-statement>{}</funding-statement></funding-group>",
            "<conference><conf-name>{}</conf-name></conference>",
            "<counts>{}</counts>",
            "<custom-meta-group><custom-meta><meta-value>{}</meta-value></custom-meta></custom-meta-group>",
            "<title-group><article-title>b</article-title><alt-title alt-title-type='running-head'>{}</alt-title></title-group>",
            "<unknown-metadata>{}</unknown-metadata>",
        )
    },
    "journal": lambda word: article().replace(b"<journal-meta>", f"<journal-meta><issn>{word}</issn>".encode()),
    **{
        f"in the text: {content}": lambda word, content=content: article(content.format(word))  # type: ignore[misc]
        for content in (
            "<fig><alt-text>{}</alt-text></fig>",
            "<fig><long-desc>{}</long-desc></fig>",
            "<fig><permissions><copyright-statement>{}</copyright-statement></permissions></fig>",
            "<p><index-term><term>{}</term></index-term></p>",
            "<p><private-char><glyph-data>{}</glyph-data></private-char></p>",
            "<p><inline-formula><tex-math>{}</tex-math></inline-formula></p>",
        )
    },
    "identifier of a reference": lambda word: article(
        back=f"<ref-list><ref><mixed-citation>a<pub-id>{word}</pub-id></mixed-citation></ref></ref-list>"
    ),
    "annotation of a formula": lambda word: article(
        f"<p><mml:math><mml:semantics><mml:mi>a</mml:mi><mml:annotation>{word}</mml:annotation></mml:semantics></mml:math></p>"
    ),
    "collaboration for indexes": lambda word: article(
        meta="<contrib-group><contrib><collab-alternatives><collab>a</collab>"
        f"<collab specific-use='index'>{word}</collab></collab-alternatives></contrib></contrib-group>"
    ),
}
