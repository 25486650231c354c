"""TEI with a word at every place where it shows text, and where it does not.

The places follow the TEI Guidelines, P5 4.8.
"""

from __future__ import annotations

from collections.abc import Callable

Build = Callable[[str], bytes]

_NAMESPACE = 'xmlns="http://www.tei-c.org/ns/1.0"'
_HEADER = (
    "<teiHeader><fileDesc><titleStmt><title>secret</title></titleStmt><publicationStmt><p>secret</p></publicationStmt>"
    "<sourceDesc><p>secret</p></sourceDesc></fileDesc></teiHeader>"
)


def tei(content: str, *, header: str = _HEADER, front: str = "", back: str = "", outside: str = "") -> bytes:
    """Return a document with content at some places."""
    return (
        f'<?xml version="1.0"?><TEI {_NAMESPACE}>{header}{outside}<text><front>{front}</front><body><p>page</p>{content}'
        f"</body><back>{back}</back></text></TEI>"
    ).encode()


def line(content: str) -> Build:
    """Return a builder that puts a word into a paragraph."""
    return lambda word: tei(f"<p>{content.format(word)}</p>")


def broken(content: str) -> Build:
    """Return a builder with two parts of a word in a paragraph."""
    return lambda word: tei(f"<p>a {content.format(word[:4], word[4:])} b</p>")


def paper(place: str) -> Build:
    """Return a builder with a word at a place in the header of an article."""

    def build(word: str) -> bytes:
        title, author, abstract = (word if place == at else "b" for at in ("title", "author", "abstract"))
        return tei(
            "",
            header=f"<teiHeader><fileDesc><titleStmt><title type='main'>{title}</title></titleStmt><sourceDesc><biblStruct>"
            f"<analytic><author><persName><forename>a</forename><surname>{author}</surname></persName><email>secret</email>"
            "</author><title>secret</title></analytic><monogr><title type='main'>secret</title></monogr></biblStruct>"
            f"</sourceDesc></fileDesc><profileDesc><abstract><p>{abstract}</p></abstract></profileDesc></teiHeader>",
        )

    return build


_BLOCKS = {
    "paragraph": "<p>{}</p>",
    "anonymous block": "<ab>{}</ab>",
    "head": "<div><head>{}</head><p>b</p></div>",
    "numbered division": "<div1><head>a</head><div2><p>{}</p></div2></div1>",
    "verse": "<lg><head>a</head><l>{}</l><l>b</l></lg>",
    "second verse": "<lg><l>a</l><l>{}</l></lg>",
    "speech": "<sp><speaker>a</speaker><p>{}</p></sp>",
    "speaker": "<sp><speaker>{}</speaker><l>b</l></sp>",
    "stage direction": "<stage>{}</stage><sp><p>b</p></sp>",
    "list": "<list><item>a</item><item>{}</item></list>",
    "label in a list": "<list type='gloss'><label>{}</label><item>b</item></list>",
    "head of a list": "<list><headLabel>{}</headLabel><headItem>b</headItem></list>",
    "cell": "<table><head>a</head><row><cell>b</cell><cell>{}</cell></row></table>",
    "figure": "<figure><graphic url='a.png'/><head>{}</head><figDesc>secret</figDesc></figure>",
    "paragraph of a figure": "<figure><p>{}</p></figure>",
    "quotation": "<quote><p>{}</p></quote>",
    "quotation between others": "<quote>a</quote><quote>{}</quote><q>b</q>",
    "quotation beside its source": "<cit><quote>{}</quote><ref>b</ref></cit>",
    "line of an imprint": "<listBibl><biblStruct><monogr><title>a</title><imprint><date>b</date><biblScope>c</biblScope>"
    "<idno>secret</idno><num>{}</num></imprint></monogr></biblStruct></listBibl>",
    "cited quotation": "<cit><quote>{}</quote><bibl>b</bibl></cit>",
    "epigraph": "<div><epigraph><p>{}</p></epigraph><p>b</p></div>",
    "argument": "<div><argument><p>{}</p></argument><p>b</p></div>",
    "opener": "<opener><dateline>a <date>b</date></dateline><salute>{}</salute></opener>",
    "closer": "<closer><salute>a</salute><signed>{}</signed></closer>",
    "postscript": "<postscript><p>{}</p></postscript>",
    "trailer": "<trailer>{}</trailer>",
    "floating text": "<floatingText><body><p>{}</p></body></floatingText>",
    "note": "<p>a<note place='foot' n='1'>{}</note> b</p>",
    "group of notes": "<noteGrp><note>{}</note></noteGrp>",
    "bibliography": "<listBibl><bibl>a, <title>{}</title> <date>b</date></bibl></listBibl>",
    "structured reference": "<listBibl><biblStruct><analytic><title>a</title></analytic><monogr><title>{}</title>"
    "<imprint><date>b</date></imprint></monogr><idno>secret</idno></biblStruct></listBibl>",
    "raw reference": "<listBibl><biblStruct><analytic><title>secret</title></analytic><note type='raw_reference'>{}</note>"
    "</biblStruct></listBibl>",
    "dictionary": "<entry><form><orth>{}</orth><pron>b</pron></form><sense><def>c</def></sense></entry>",
    "definition": "<entry><form><orth>a</orth></form><gramGrp><pos>b</pos></gramGrp><sense><def>{}</def></sense></entry>",
    "spoken": "<u who='#a'>{}</u><u>b</u>",
    "code": "<eg>a {}</eg>",
    "example of mark-up": "<egXML xmlns='http://www.tei-c.org/ns/Examples'><teiHeader><title>{}</title></teiHeader></egXML>",
    "metadata in an example": "<egXML xmlns='http://www.tei-c.org/ns/Examples'><fw>{}</fw><del>b</del></egXML>",
    "person": "<listPerson><person><persName>{}</persName><birth>b</birth></person></listPerson>",
    "post": "<post><p>{}</p></post>",
    "cast list": "<castList><castItem><role>a</role><roleDesc>{}</roleDesc></castItem></castList>",
    "manuscript": "<msDesc><msIdentifier><settlement>a</settlement><repository>{}</repository></msIdentifier></msDesc>",
    "formula": "<p><formula><math xmlns='http://www.w3.org/1998/Math/MathML'><mi>{}</mi></math></formula></p>",
}

_LINES = {
    "correction": "<choice><sic>secret</sic><corr>{}</corr></choice>",
    "correction before the error": "<choice><corr>{}</corr><sic>secret</sic></choice>",
    "regular form": "<choice><orig>secret</orig><reg>{}</reg></choice>",
    "abbreviation": "<choice><abbr>{}</abbr><expan>secret</expan></choice>",
    "abbreviation after its expansion": "<choice><expan>secret</expan><abbr>{}</abbr></choice>",
    "abbreviated part": "{}<choice><am> b</am><ex>secret</ex></choice>",
    "first of two corrections": "<choice><sic>secret</sic><corr cert='high'>{}</corr><corr cert='low'>secret</corr></choice>",
    "first of two readings of a hand": "<choice><unclear>{}</unclear><unclear>secret</unclear></choice>",
    "first of two segments": "<choice><seg>{}</seg><seg>secret</seg></choice>",
    "choice in a choice": "<choice><orig>secret</orig><reg><choice><sic>secret</sic><corr>{}</corr></choice></reg></choice>",
    "only one alternative": "<choice><sic>{}</sic></choice>",
    "error without a correction": "<sic>{}</sic>",
    "expansion without an abbreviation": "<expan>{}</expan>",
    "lemma": "<app><lem wit='#A'>{}</lem><rdg wit='#B'/></app>",
    "lemma after a reading": "<app><rdg/><lem>{}</lem></app>",
    "only reading": "<app><rdg wit='#A'>{}</rdg></app>",
    "reading in a group": "<app><rdgGrp type='a'><rdg>{}</rdg></rdgGrp></app>",
    "names of witnesses": "<app><lem>{}</lem><wit>secret</wit><witDetail>secret</witDetail></app>",
    "addition": "<subst><del>secret</del><add>{}</add></subst>",
    "addition before the deletion": "<subst><add>{}</add><del>secret</del></subst>",
    "after a deletion over elements": "a <delSpan spanTo='#e'/>secret <hi>secret</hi><anchor xml:id='e'/>{}",
    "in a deletion without an end": "a <delSpan spanTo='#f'/>{}",
    "in a deletion that ends before it begins": "<anchor xml:id='g'/>a <delSpan spanTo='#g'/>{}",
    "supplied": "<supplied reason='lost'>{}</supplied>",
    "surplus": "<surplus>{}</surplus>",
    "restored": "<restore><del>secret</del>{}</restore>",
    "damage": "<damage>{}<gap><desc>secret</desc></gap></damage>",
    "ruby": "<ruby><rb>{}</rb><rt>secret</rt></ruby>",
    "quoted": "<q>{}</q>",
    "e-mail": "write to <email>{}</email>",
    "identifier": "see <idno>{}</idno>",
    "before a note": "{}<note>other</note>",
    "before the number of a note": "{}<ref target='#n1'>1</ref>",
    "before the typed number of a note": "{}<ref type='foot' target='#n1'>12</ref>",
    "before the number of a reference": "{} <ref type='bibr'>[1]</ref>",
    "before a number in superscript": "{}<hi rend='sup'><ref target='#n1'>1</ref></hi>",
    "number of a section": "section <ref target='#s1'>{}</ref>",
    "line break": "a<lb/>{}<lb/>b",
    "page break": "a<pb n='2'/>{}<pb n='3'/>b",
    "column break": "a<cb/>{}<cb/>b",
    "milestone": "a<milestone unit='p'/>{}<milestone unit='p'/>b",
    "explicit line break": "a<lb break='yes'/>{}",
    "after a hyphen that is not at a line end": "a- {}",
    "caesura": "a<caesura/>{}",
    "name": "<persName><forename>a</forename><surname>{}</surname></persName>",
    "name with a link": "<persName><forename>a</forename><nameLink>de</nameLink><surname>{}</surname></persName>",
    "place": "<placeName><settlement>a</settlement><country>{}</country></placeName>",
    "measures": "<dimensions><height>a</height><width>{}</width></dimensions>",
    "sentence": "<s>a.</s><s>{}</s><s>b.</s>",
    "word": "<s><w>a</w><w>{}</w><w>b</w><pc>.</pc></s>",
    "word in a phrase": "<s><phr><w>a</w><w>b</w></phr><phr><w>{}</w><w>c</w></phr></s>",
    "word in a clause": "<cl><w>a</w><w>b</w></cl><cl><w>{}</w></cl>",
    "word after punctuation": "<w>a</w><pc>,</pc><w>{}</w>",
    "word between white space": "<s>\n<w>a</w>\n<w>{}</w>\n<w>b</w>\n</s>",
    "word with characters for white space": "<s><w>a</w><c> </c><w>{}</w><c> </c><w>b</w></s>",
    "characters of a word": "<w><c>z</c><c>e</c><c>b</c><c>r</c><c>a</c><c>w</c><c>o</c><c>o</c><c>d</c></w>{:.0}",
}

_BREAKS = {
    "break in a word": "{}<lb break='no'/>{}",
    "break after a hyphen": "{}-<lb break='no'/>{}",
    "break after another hyphen": "{}\u00ac<lb break='no'/>{}",
    "break after a soft hyphen": "{}\u00ad<lb break='no'/>{}",
    "break after white space": "{}-\n  <lb break='no'/>\n  {}",
    "break of an older document": "{}-<lb type='inWord'/>{}",
    "page break in a word": "{}-<pb n='2' break='no'/>{}",
    "column break in a word": "{}-<cb break='no'/>{}",
    "milestone in a word": "{}<milestone unit='p' break='no'/>{}",
    "page and line break": "{}-<pb n='2'/><lb break='no'/>{}",
    "line and page break": "{}-<lb break='no'/><pb n='2'/>{}",
    "running head in a word": "{}-<fw>secret</fw><pb/><fw>secret</fw><lb break='no'/>{}",
    "hyphen as punctuation": "{}<pc force='weak'>-</pc><lb break='no'/>{}",
    "break in an element": "<hi>{}-<lb break='no'/></hi>{}",
    "break that only the hyphen tells": "{}-<lb/>{}",
    "break that only the hyphen tells, with white space": "{}-<lb/>\n  {}",
    "parts of a word": "<w part='I'>{}</w><lb break='no'/><w part='F'>{}</w>",
    "joined words": "<s><w>a</w><w>{}</w><w join='left'>{}</w><w>b</w></s>",
    "adjacent words where others are apart": "<s><w>a</w> <w>{}</w><w>{}</w> <w>b</w></s>",
    "morphemes": "<w><m>{}</m><m>{}</m></w>",
    **{
        f"part of a word: {tag}": f"{{}}<{tag}>{{}}</{tag}>"
        for tag in (
            "hi emph foreign add supplied unclear corr sic orig reg abbr expan ex am c seg g damage mod restore retrace "
            "secl surplus distinct mentioned soCalled term gloss rhyme code ident att val gi tag num measure ref metamark"
        ).split()
    },
}

SHOWN: dict[str, Build] = {
    **{place: lambda word, form=form: tei(form.format(word)) for place, form in _BLOCKS.items()},  # type: ignore[misc]
    **{place: line(form) for place, form in _LINES.items()},
    **{place: broken(form) for place, form in _BREAKS.items()},
    "title page": lambda word: tei(
        "", front=f"<titlePage><docTitle><titlePart>{word}</titlePart></docTitle><byline>b</byline></titlePage>"
    ),
    "author on the title page": lambda word: tei("", front=f"<titlePage><docAuthor>{word}</docAuthor></titlePage>"),
    "preface": lambda word: tei("", front=f"<div type='preface'><p>{word}</p></div>"),
    "appendix": lambda word: tei("", back=f"<div><head>a</head><p>{word}</p></div>"),
    "group of texts": lambda word: (
        f"<TEI {_NAMESPACE}>{_HEADER}<text><group><text><body><p>{word}</p></body></text></group></text></TEI>".encode()
    ),
    "corpus": lambda word: (
        f"<teiCorpus {_NAMESPACE}>{_HEADER}<TEI>{_HEADER}<text><body><p>{word}</p></body></text></TEI></teiCorpus>".encode()
    ),
    "TEI P4": lambda word: (
        f"<?xml version='1.0'?><TEI.2>{_HEADER}<text><body><p>{word}</p></body></text></TEI.2>".encode()
    ),
    "part of a document": lambda word: f"<div {_NAMESPACE}><p>{word[:4]}<hi>{word[4:]}</hi></p></div>".encode(),
    "transcription of a source without a text": lambda word: (
        f"<TEI {_NAMESPACE}>{_HEADER}<sourceDoc><surface><zone><line>{word}</line><line>b</line></zone></surface></sourceDoc></TEI>"
    ).encode(),
    **{f"header of an article: {place}": paper(place) for place in ("title", "author", "abstract")},
}

_READINGS = "readings of other witnesses not read: "

COUNTED: dict[str, tuple[Build, str]] = {
    "reading": (line("<app><lem>a</lem><rdg wit='#B'>{}</rdg></app>"), _READINGS + "1 (first: '#B')"),
    "two readings": (line("<app><lem>a</lem><rdg>{0}</rdg><rdg>{0}</rdg></app>"), _READINGS + "2"),
    "second reading without a lemma": (line("<app><rdg>a</rdg><rdg>{}</rdg></app>"), _READINGS + "1"),
    "readings in a group": (
        line("<app><lem>a</lem><rdgGrp><rdg>{0}</rdg><rdg>{0}</rdg></rdgGrp></app>"), _READINGS + "2",
    ),
    "reading of a text without the lemma": (line("<app><lem/><rdg wit='#B'>{}</rdg></app>"), _READINGS + "1"),
    "reading in a reading": (
        line("<app><lem>a<app><lem>b</lem><rdg wit='#C'>{}</rdg></app></lem></app>"), _READINGS + "1",
    ),
    "list of readings": (
        lambda word: tei("", back=f"<listApp><app><lem>a</lem><rdg>{word}</rdg></app></listApp>"), _READINGS + "1",
    ),
}  # fmt: skip

NOT_SHOWN: dict[str, Build] = {
    **{
        content: line(content)
        for content in (
            "<fw>{}</fw>",
            "<del>{}</del>",
            "<delSpan spanTo='#e'/>{}<anchor xml:id='e'/>",
            "<delSpan spanTo='#e'/><hi>{0}</hi></p><p>{0}<hi>{0}<anchor xml:id='e'/></hi>",
            "<index><term>{}</term></index>",
            "<interp>{}</interp>",
            "<interpGrp><interp>{}</interp></interpGrp>",
            "<spanGrp><span>{}</span></spanGrp>",
            "<fs><f><string>{}</string></f></fs>",
            "<certainty><desc>{}</desc></certainty>",
            "<gap><desc>{}</desc></gap>",
            "<space><desc>{}</desc></space>",
            "<figure><figDesc>{}</figDesc></figure>",
            "<binaryObject>{}</binaryObject>",
            "<linkGrp><link><desc>{}</desc></link></linkGrp>",
            "<listTranspose><desc>{}</desc></listTranspose>",
        )
    },
    "header": lambda word: tei("", header=_HEADER.replace("secret", word)),
    "annotations outside of the text": lambda word: tei("", outside=f"<standOff><note>{word}</note></standOff>"),
    "transcription of a source beside the text": lambda word: tei(
        "", outside=f"<sourceDoc><surface><line>{word}</line></surface></sourceDoc>"
    ),
    "facsimile beside the text": lambda word: tei(
        "", outside=f"<facsimile><surface><desc>{word}</desc></surface></facsimile>"
    ),
}
