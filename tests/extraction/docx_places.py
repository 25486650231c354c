"""DOCX files with a word at every place where ECMA-376 lets a document show text, and at every place where it does not.

The places are the keys of `SHOWN`, `COUNTED` and `NOT_SHOWN`. Each value builds a file from a word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from email.message import EmailMessage

from tests.extraction.samples import W, archive, docx_parts

Build = Callable[[str], bytes]

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_MICROSOFT = "http://schemas.microsoft.com/office"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": W,
        "r": f"{_OFFICE}/relationships",
        "m": f"{_OFFICE}/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "a": f"{_DRAWING}/main",
        "c": f"{_DRAWING}/chart",
        "cdr": f"{_DRAWING}/chartDrawing",
        "dgm": f"{_DRAWING}/diagram",
        "lc": f"{_DRAWING}/lockedCanvas",
        "pic": f"{_DRAWING}/picture",
        "wp": f"{_DRAWING}/wordprocessingDrawing",
        "wps": f"{_MICROSOFT}/word/2010/wordprocessingShape",
        "wpg": f"{_MICROSOFT}/word/2010/wordprocessingGroup",
        "cx": f"{_MICROSOFT}/drawing/2014/chartex",
        "c15": f"{_MICROSOFT}/drawing/2012/chart",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
        "v9": "https://example.org/unknown",
    }.items()
)

Relation = tuple[str, str] | tuple[str, str, str]
"""The kind of a relationship, its target, and External if it is another file. The id of the first is r1."""


def document(
    body: str, *relations: Relation, parts: Mapping[str, bytes | str] | None = None, styles: str = ""
) -> bytes:
    """Return a DOCX file with a body, relationships of its main part, other parts in the folder word, and styles."""
    relations = (*relations, ("styles", "styles.xml"))
    made = docx_parts()
    made["word/document.xml"] = f"<w:document {NAMESPACES}><w:body>{paragraph('page')}{body}</w:body></w:document>"
    made["word/styles.xml"] = f"<w:styles {NAMESPACES}>{styles}</w:styles>"
    made["word/_rels/document.xml.rels"] = relationships(*relations)
    for name, content in (parts or {}).items():
        made[f"word/{name}"] = content
    return archive(made)


def relationships(*relations: Relation) -> str:
    """Return a part of relationships with the ids r1, r2 ..."""
    rows = (
        f'<Relationship Id="r{number}" Type="{_OFFICE}/relationships/{relation[0]}" Target="{relation[1]}"'
        f' TargetMode="{relation[2] if len(relation) > 2 else "Internal"}"/>'
        for number, relation in enumerate(relations, 1)
    )
    namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{namespace}">{"".join(rows)}</Relationships>'


def run(text: str, properties: str = "") -> str:
    """Return a run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(text: str, properties: str = "", run_properties: str = "") -> str:
    """Return a paragraph of one run."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text, run_properties)}</w:p>"


def drawn(content: str, properties: str = "") -> str:
    """Return a drawing in a paragraph."""
    return (
        f'<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="n" {properties}/><a:graphic><a:graphicData>{content}'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )


def box(text: str, properties: str = "") -> str:
    """Return a text box of DrawingML."""
    return (
        f'<wps:wsp><wps:cNvPr id="2" name="n" {properties}/><wps:txbx><w:txbxContent>{paragraph(text)}</w:txbxContent>'
        "</wps:txbx></wps:wsp>"
    )


def vml(content: str, style: str = "") -> str:
    """Return a shape of VML in a paragraph."""
    return f'<w:p><w:r><w:pict><v:shape style="{style}">{content}</v:shape></w:pict></w:r></w:p>'


def alternatives(*contents: str) -> str:
    """Return alternative contents in a paragraph."""
    return f"<w:p><w:r><mc:AlternateContent>{''.join(contents)}</mc:AlternateContent></w:r></w:p>"


def complex_field(code: str, result: str | None, begin: str = "") -> str:
    """Return a field with a code and a result, both of runs."""
    separated = "" if result is None else f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{result}'
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{begin}</w:fldChar></w:r>{code}{separated}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def code(text: str) -> str:
    """Return a run of the code of a field."""
    return f'<w:r><w:instrText xml:space="preserve">{text}</w:instrText></w:r>'


def story(root: str, content: str) -> str:
    """Return a part with a root element."""
    return f"<{root} {NAMESPACES}>{content}</{root}>"


def chart(content: str) -> bytes:
    """Return a document with a chart."""
    shape = drawn('<c:chart r:id="r1"/>')
    return document(shape, ("chart", "charts/chart1.xml"), parts={"charts/chart1.xml": story("c:chartSpace", content)})


def drawing_text(text: str) -> str:
    """Return a paragraph of DrawingML."""
    return f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"


def cached(tag: str, text: str) -> str:
    """Return the cached strings of a chart."""
    return f'<c:{tag}><c:f>Sheet1!A1</c:f><c:strCache><c:pt idx="0"><c:v>{text}</c:v></c:pt></c:strCache></c:{tag}>'


def diagram(text: str) -> bytes:
    """Return a document with a diagram (SmartArt) in two forms: its data, and the drawing of it."""
    data = story("dgm:dataModel", f"<dgm:ptLst><dgm:pt><dgm:t>{drawing_text(text)}</dgm:t></dgm:pt></dgm:ptLst>")
    return document(
        drawn('<dgm:relIds r:dm="r1" r:lo="r2"/>'),
        ("diagramData", "diagrams/data1.xml"),
        ("diagramLayout", "diagrams/layout1.xml"),
        ("diagramDrawing", "diagrams/drawing1.xml"),
        parts={
            "diagrams/data1.xml": data,
            "diagrams/layout1.xml": story("dgm:layoutDef", drawing_text("secret")),
            "diagrams/drawing1.xml": story("dgm:drawing", drawing_text(text)),
        },
    )


def inserted(name: str, content: bytes | str) -> bytes:
    """Return a document with an inserted one."""
    return document('<w:altChunk r:id="r1"/>', ("aFChunk", f"/word/{name}"), parts={name: content})


def mhtml(text: str) -> bytes:
    """Return a web page in one file."""
    message = EmailMessage()
    message["MIME-Version"] = "1.0"
    message.set_content(f"<html><body><p>{text}</p></body></html>", subtype="html", cte="quoted-printable")
    message.make_related()
    return message.as_bytes().replace(b"\n", b"\r\n")


def noted(kind: str, text: str, *, reference: str = "", attributes: str = "") -> bytes:
    """Return a document with a note of a kind, footnote or endnote."""
    mark = reference or f'<w:r><w:{kind}Reference w:id="2"/></w:r>'
    notes = story(f"w:{kind}s", f'<w:{kind} w:id="2" {attributes}>{paragraph(text)}</w:{kind}>')
    return document(f"<w:p>{run('marked')}{mark}</w:p>", (f"{kind}s", "notes.xml"), parts={"notes.xml": notes})


def table(cell: str, *, row: str = "", cell_properties: str = "") -> str:
    """Return a table of one cell."""
    properties = f"<w:trPr>{row}</w:trPr><w:tc><w:tcPr>{cell_properties}</w:tcPr>"
    return f"<w:tbl><w:tr>{properties}{paragraph(cell)}</w:tc></w:tr></w:tbl>"


def style(name: str, kind: str, properties: str, *, based_on: str = "", default: str = "") -> str:
    """Return a style with properties of runs."""
    above = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:styleId="{name}" w:type="{kind}" {default}><w:name w:val="{name}"/>{above}'
        f"<w:rPr>{properties}</w:rPr></w:style>"
    )


_HIDDEN = "<w:vanish/>"
_H, _HC = style("H", "paragraph", _HIDDEN), style("C", "character", _HIDDEN)
_CHOICES = '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="secret"/><w:listEntry w:val="{}"/></w:ddList></w:ffData>'
_SPACE = '<w:t xml:space="preserve"> </w:t>'

SHOWN: dict[str, Build] = {
    "run": lambda word: document(paragraph(word)),
    "two runs of a word": lambda word: document(f"<w:p>{run(word[:4])}{run(word[4:], '<w:b/>')}</w:p>"),
    "table cell": lambda word: document(table(word)),
    "nested table": lambda word: document(f"<w:tbl><w:tr><w:tc>{table(word)}</w:tc></w:tr></w:tbl>"),
    "inserted text": lambda word: document(f"<w:p><w:ins>{run(word)}</w:ins></w:p>"),
    "new place of moved text": lambda word: document(f"<w:p><w:moveTo>{run(word)}</w:moveTo></w:p>"),
    "hyperlink": lambda word: document(
        f'<w:p><w:hyperlink r:id="r1">{run(word)}</w:hyperlink></w:p>',
        ("hyperlink", "https://example.org/", "External"),
    ),
    "simple field": lambda word: document(f'<w:p><w:fldSimple w:instr="secret">{run(word)}</w:fldSimple></w:p>'),
    "result of a field": lambda word: document(f"<w:p>{complex_field(code('secret'), run(word))}</w:p>"),
    "result of a nested field": lambda word: document(
        "<w:p>" + complex_field(code("IF ") + complex_field(code("A"), run("secret")), run(word)) + "</w:p>"
    ),
    "field without an end": lambda word: document(
        f'<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>{run(word)}</w:p>'
    ),
    "text of a button field": lambda word: document(
        f"<w:p>{complex_field(code(f'MACROBUTTON NoMacro {word}'), None)}</w:p>"
    ),
    "chosen value of a form field": lambda word: document(
        f"<w:p>{complex_field(code('FORMDROPDOWN'), None, _CHOICES.format(word))}</w:p>"
    ),
    "content control": lambda word: document(
        f'<w:sdt><w:sdtPr><w:alias w:val="secret"/></w:sdtPr><w:sdtContent>{paragraph(word)}</w:sdtContent></w:sdt>'
    ),
    "custom XML": lambda word: document(f'<w:customXml w:element="e">{paragraph(word)}</w:customXml>'),
    "smart tag": lambda word: document(f'<w:p><w:smartTag w:element="e">{run(word)}</w:smartTag></w:p>'),
    "direction": lambda word: document(f'<w:p><w:bdo w:val="rtl">{run(word)}</w:bdo></w:p>'),
    "base of a ruby": lambda word: document(
        f"<w:p><w:r><w:ruby><w:rt>{run('secret')}</w:rt><w:rubyBase>{run(word)}</w:rubyBase></w:ruby></w:r></w:p>"
    ),
    "formula": lambda word: document(f"<w:p><m:oMath><m:r><m:t>{word}</m:t></m:r></m:oMath></w:p>"),
    "footnote": lambda word: noted("footnote", word),
    "endnote": lambda word: noted("endnote", word),
    "note with a mark of its own": lambda word: noted(
        "footnote",
        word,
        reference='<w:r><w:footnoteReference w:id="2" w:customMarkFollows="1"/><w:t>secret</w:t></w:r>',
    ),
    "text box": lambda word: document(drawn(box(word))),
    "text box in a group": lambda word: document(drawn(f"<wpg:wgp>{box(word)}</wpg:wgp>")),
    "text box of VML": lambda word: document(
        vml(f"<v:textbox><w:txbxContent>{paragraph(word)}</w:txbxContent></v:textbox>")
    ),
    "WordArt": lambda word: document(vml(f'<v:textpath on="t" string="{word}"/>')),
    "shape on a locked canvas": lambda word: document(
        drawn(
            f"<lc:lockedCanvas><a:sp><a:txSp><a:txBody>{drawing_text(word)}</a:txBody></a:txSp></a:sp></lc:lockedCanvas>"
        )
    ),
    "field in DrawingML": lambda word: document(drawn(f"<a:p><a:fld><a:t>{word}</a:t></a:fld></a:p>")),
    "choice that is understood": lambda word: document(
        alternatives(
            f'<mc:Choice Requires="wps">{box(word)}</mc:Choice>',
            f'<mc:Choice Requires="wpg">{box("secret")}</mc:Choice>',
            f"<mc:Fallback>{box('secret')}</mc:Fallback>",
        )
    ),
    "fallback of a choice that is not understood": lambda word: document(
        alternatives(f'<mc:Choice Requires="v9">{box("secret")}</mc:Choice>', f"<mc:Fallback>{box(word)}</mc:Fallback>")
    ),
    "diagram": diagram,
    "title of a chart": lambda word: chart(f"<c:title><c:tx><c:rich>{drawing_text(word)}</c:rich></c:tx></c:title>"),
    "name of a series": lambda word: chart(f"<c:ser><c:tx>{cached('strRef', word)}</c:tx></c:ser>"),
    "literal name of a series": lambda word: chart(f"<c:ser><c:tx><c:v>{word}</c:v></c:tx></c:ser>"),
    "category in each series": lambda word: chart(f"<c:ser><c:cat>{cached('strRef', word)}</c:cat></c:ser>" * 2),
    "label of a point": lambda word: chart(f"<c:dLbl><c:tx><c:rich>{drawing_text(word)}</c:rich></c:tx></c:dLbl>"),
    "name of a trend line": lambda word: chart(f"<c:trendline><c:name>{word}</c:name></c:trendline>"),
    "labels from cells": lambda word: chart(
        f"<c15:datalabelsRange><c15:f>secret</c15:f><c15:dlblRangeCache><c:pt><c:v>{word}</c:v></c:pt>"
        "</c15:dlblRangeCache></c15:datalabelsRange>"
    ),
    "shape on a chart": lambda word: document(
        drawn('<c:chart r:id="r1"/>'),
        ("chart", "charts/chart1.xml"),
        parts={
            "charts/chart1.xml": story("c:chartSpace", '<c:userShapes r:id="r1"/>'),
            "charts/_rels/chart1.xml.rels": relationships(("chartUserShapes", "../drawings/d.xml")),
            "drawings/d.xml": story("c:userShapes", f"<cdr:sp><cdr:txBody>{drawing_text(word)}</cdr:txBody></cdr:sp>"),
        },
    ),
    "newer chart": lambda word: document(
        alternatives(
            f'<mc:Choice Requires="cx">{drawn("<cx:chart r:id=" + chr(34) + "r1" + chr(34) + "/>")}</mc:Choice>',
            f"<mc:Fallback>{box('secret')}</mc:Fallback>",
        ),
        ("chartEx", "charts/c.xml"),
        parts={
            "charts/c.xml": story("cx:chartSpace", f"<cx:strDim><cx:lvl><cx:pt>{word}</cx:pt></cx:lvl></cx:strDim>")
        },
    ),
    "inserted web page": lambda word: inserted("a.html", f"<html><body><p>{word}</p></body></html>"),
    "inserted web page in one file": lambda word: inserted("a.mht", mhtml(word)),
    "inserted fragment of a web page": lambda word: inserted("a.html", f"other words, <b>{word}</b>"),
    "inserted web page as a mail of one part": lambda word: inserted(
        "a.mht", f"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<title>secret</title><p>{word}</p>"
    ),
    "inserted web page in one file after an empty line": lambda word: inserted("a.mht", b"\r\n" + mhtml(word)),
    "inserted web page with another relationship": lambda word: document(
        '<w:altChunk r:id="r1"/>', ("novelty", "a.html"), parts={"a.html": f"<html><body><p>{word}</p></body></html>"}
    ),
    "inserted plain text": lambda word: inserted("a.txt", word),
    "inserted RTF": lambda word: inserted("a.rtf", f"{{\\rtf1\\ansi {word}\\par}}"),
    "inserted document": lambda word: inserted("a.docx", archive(docx_parts(paragraph(word)))),
    "note of an inserted document": lambda word: inserted("a.dat", noted("endnote", word)),
    "sub-document in the package": lambda word: document(
        '<w:subDoc r:id="r1"/>', ("subDocument", "sub.xml"), parts={"sub.xml": story("w:document", paragraph(word))}
    ),
    "part of an unknown kind": lambda word: document(
        '<w:p><w:r><v9:shape r:id="r1"/></w:r></w:p>', ("novelty", "n.xml"), parts={"n.xml": story("w:p", run(word))}
    ),
    "main part with another name": lambda word: archive(
        {
            "[Content_Types].xml": docx_parts()["[Content_Types].xml"],
            "_rels/.rels": relationships(("officeDocument", "text/main.part")),
            "text/main.part": story("w:document", f"<w:body>{paragraph('page')}{paragraph(word)}</w:body>"),
        }
    ),
    "shown in spite of its style": lambda word: document(
        paragraph(word, '<w:pStyle w:val="H"/>', '<w:vanish w:val="0"/>'), styles=_H
    ),
    "hidden by two styles, which toggle": lambda word: document(
        paragraph(word, '<w:pStyle w:val="H"/>', '<w:rStyle w:val="C"/>'), styles=_H + _HC
    ),
    "style over a hidden one": lambda word: document(
        paragraph(word, '<w:pStyle w:val="S"/>'),
        styles=_H + style("S", "paragraph", '<w:vanish w:val="false"/>', based_on="H"),
    ),
    "table whose style hides its first row": lambda word: document(
        f'<w:tbl><w:tblPr><w:tblStyle w:val="T"/></w:tblPr><w:tr><w:tc>{paragraph(word)}</w:tc></w:tr></w:tbl>',
        styles=style("T", "table", "").replace(
            "</w:style>", f'<w:tblStylePr w:type="firstRow"><w:rPr>{_HIDDEN}</w:rPr></w:tblStylePr></w:style>'
        ),
    ),
    "row whose mark is hidden": lambda word: document(table(word, row="<w:hidden/>")),
    "hidden only in the web view": lambda word: document(paragraph(word, run_properties="<w:webHidden/>")),
    "after a hidden paragraph mark": lambda word: document(
        f"<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>{run(word[:4])}</w:p>{paragraph(word[4:])}"
    ),
    "after a deleted paragraph mark": lambda word: document(
        f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run(word[:4])}</w:p>{paragraph(word[4:])}"
    ),
    "after a first letter set large": lambda word: document(
        paragraph(word[:1], '<w:framePr w:dropCap="drop"/>') + paragraph(word[1:])
    ),
}
"""The word is in the text once."""

COUNTED: dict[str, tuple[Build, str]] = {
    "embedded object": (
        lambda word: document(
            '<w:p><w:r><w:object><o:OLEObject r:id="r1"/></w:object></w:r></w:p>',
            ("oleObject", "embeddings/o.bin"),
            parts={"embeddings/o.bin": word},
        ),
        "embedded objects not read: 1",
    ),
    "embedded document": (
        lambda word: document(
            '<w:p><w:r><w:object><o:OLEObject r:id="r1"/></w:object></w:r></w:p>',
            ("package", "embeddings/o.docx"),
            parts={"embeddings/o.docx": archive(docx_parts(paragraph(word)))},
        ),
        "embedded objects not read: 1",
    ),
    "form control": (
        lambda word: document(
            '<w:p><w:r><w:object><w:control r:id="r1"/></w:object></w:r></w:p>',
            ("control", "activeX/a.xml"),
            parts={"activeX/a.xml": f"<ocx value='{word}'/>"},
        ),
        "form controls not read: 1",
    ),
    "sub-documents in other files": (
        lambda word: document(
            '<w:subDoc r:id="r1"/><w:subDoc r:id="r2"/>',
            *(("subDocument", f"{word}{number}.docx", "External") for number in range(2)),
        ),
        "inserted documents in other files not read: 2",
    ),
    "inserted document in a format that is not read": (
        lambda word: inserted("a.bin", b"\x89PNG\r\n\x1a\n\0" + word.encode()),
        "inserted documents not read: 1",
    ),
    "part of an unknown kind that nothing refers to": (
        lambda word: document("", ("novelty", "n.xml"), parts={"n.xml": story("w:p", run(word))}),
        "parts of unknown kinds not read: 1",
    ),
    "inserted mail without a page": (
        lambda word: inserted("a.mht", f"MIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n{word}"),
        "inserted documents not read: 1",
    ),
    "inserted document without a relationship": (
        lambda word: document('<w:altChunk r:id="r9"/>', parts={"a.html": word}),
        "parts are missing: 1",
    ),
    "part that is missing": (
        lambda word: document(drawn('<c:chart r:id="r1"/>'), ("chart", word)),
        "parts are missing: 1",
    ),
    "part that is damaged": (
        lambda word: document(drawn('<c:chart r:id="r1"/>'), ("chart", "c.xml"), parts={"c.xml": f"<c><p>{word}</c>"}),
        "damaged parts not read: 1",
    ),
    "word in the number of a list": (
        lambda word: _numbered(word, '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr>'),
        "numbers of lists with words not read: 2",
    ),
    "word in the number of a style": (
        lambda word: _numbered(word, '<w:pStyle w:val="S"/>'),
        "numbers of lists with words not read: 2",
    ),
    "formula in the code of a field": (
        lambda word: document(f"<w:p>{complex_field(code(f'EQ {chr(92)}o({word},b)'), None)}</w:p>"),
        "formulas in field codes not read: 1",
    ),
    "notes that are missing": (
        lambda word: document("", ("footnotes", f"{word}.xml")),
        "notes are missing",
    ),
}
"""The word is not in the text, and a warning names its place with a count."""


def _numbered(word: str, properties: str) -> bytes:
    """Return a document with two paragraphs that have a word in their numbers, and one that has none."""
    levels = (
        f'<w:lvl w:ilvl="0"><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:lvlText w:val="{word} %2"/></w:lvl>'
    )
    numbering = (
        f'<w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
        '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>'
    )
    plain = paragraph("other", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr>')
    removed = paragraph("other", properties + '<w:numPr><w:numId w:val="0"/></w:numPr>')
    above = '<w:style w:styleId="A" w:type="paragraph"><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr></w:pPr></w:style>'
    return document(
        paragraph("other", properties) * 2 + paragraph("", properties) + plain + removed,
        ("numbering", "numbering.xml"),
        parts={"numbering.xml": story("w:numbering", numbering)},
        styles=above + style("S", "paragraph", "", based_on="A"),
    )


def _beside(kind: str) -> Build:
    return lambda word: document("", (kind, "x.xml"), parts={"x.xml": story("w:x", paragraph(word))})


NOT_SHOWN: dict[str, Build] = {
    "hidden run": lambda word: document(paragraph(word, run_properties=_HIDDEN)),
    "hidden run with a value": lambda word: document(paragraph(word, run_properties='<w:vanish w:val="on"/>')),
    "hidden text box": lambda word: document(
        f"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:drawing>{box(word)}</w:drawing></w:r></w:p>"
    ),
    "hidden formula": lambda word: document(
        f"<w:p><m:oMath><m:r><w:rPr><w:vanish/></w:rPr><m:t>{word}</m:t></m:r></m:oMath></w:p>"
    ),
    "hidden paragraph style": lambda word: document(paragraph(word, '<w:pStyle w:val="H"/>'), styles=_H),
    "hidden character style": lambda word: document(paragraph(word, "", '<w:rStyle w:val="C"/>'), styles=_HC),
    "hidden table style": lambda word: document(
        f'<w:tbl><w:tblPr><w:tblStyle w:val="T"/></w:tblPr><w:tr><w:tc>{paragraph(word)}</w:tc></w:tr></w:tbl>',
        styles=style("T", "table", _HIDDEN),
    ),
    "style on a hidden one": lambda word: document(
        paragraph(word, '<w:pStyle w:val="S"/>'), styles=style("S", "paragraph", "<w:b/>", based_on="H") + _H
    ),
    "hidden default style": lambda word: document(
        paragraph("other", '<w:pStyle w:val="S"/>') + paragraph(word),
        styles=style("D", "paragraph", _HIDDEN, default='w:default="1"') + style("S", "paragraph", ""),
    ),
    "hidden by the defaults": lambda word: document(
        paragraph("other", run_properties='<w:vanish w:val="0"/>') + paragraph(word),
        styles="<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>",
    ),
    "hidden shape": lambda word: document(drawn(box(word, 'hidden="1"'))),
    "hidden drawing": lambda word: document(drawn(box(word), 'hidden="true"')),
    "hidden shape of VML": lambda word: document(
        vml(f"<v:textbox><w:txbxContent>{paragraph(word)}</w:txbxContent></v:textbox>", "visibility: hidden")
    ),
    "shape of VML that is not displayed": lambda word: document(
        vml(f"<v:textbox><w:txbxContent>{paragraph(word)}</w:txbxContent></v:textbox>", "width:9pt; DISPLAY: none")
    ),
    "hidden chart": lambda word: document(
        '<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:drawing><c:chart r:id="r1"/></w:drawing></w:r></w:p>',
        ("chart", "c.xml"),
        parts={"c.xml": story("c:chartSpace", drawing_text(word))},
    ),
    "deleted text": lambda word: document(f"<w:p><w:del><w:r><w:delText>{word}</w:delText></w:r></w:del></w:p>"),
    "deleted text in a run of text": lambda word: document(f"<w:p><w:del>{run(word)}</w:del></w:p>"),
    "old place of moved text": lambda word: document(f"<w:p><w:moveFrom>{run(word)}</w:moveFrom></w:p>"),
    "deleted row": lambda word: document(table(word, row="<w:del/>")),
    "deleted cell": lambda word: document(table(word, cell_properties="<w:cellDel/>")),
    "note with a deleted mark": lambda word: noted(
        "footnote", word, reference='<w:del><w:r><w:footnoteReference w:id="2"/></w:r></w:del>'
    ),
    "note with a hidden mark": lambda word: noted(
        "endnote", word, reference='<w:r><w:rPr><w:vanish/></w:rPr><w:endnoteReference w:id="2"/></w:r>'
    ),
    "line above the notes": lambda word: noted("footnote", word, attributes='w:type="continuationNotice"'),
    "code of a field": lambda word: document(f"<w:p>{complex_field(code(f'TC {word}'), run('other'))}</w:p>"),
    "text in the code of a field": lambda word: document(
        f"<w:p>{complex_field(code('IF ') + complex_field(code('A'), run(word)), run('other'))}</w:p>"
    ),
    "index entry": lambda word: document(f"<w:p>{complex_field(code(f'XE {word}'), None)}</w:p>"),
    "choice that is not taken": lambda word: document(
        alternatives(f'<mc:Choice Requires="wps">{box("other")}</mc:Choice>', f"<mc:Fallback>{box(word)}</mc:Fallback>")
    ),
    "alternative text of a drawing": lambda word: document(drawn("", f'descr="{word}" title="{word}"')),
    "alternative text of VML": lambda word: document(f'<w:p><w:r><w:pict><v:shape alt="{word}"/></w:pict></w:r></w:p>'),
    "caption of a table": lambda word: document(
        f'<w:tbl><w:tblPr><w:tblCaption w:val="{word}"/></w:tblPr><w:tr><w:tc>{paragraph("other")}</w:tc></w:tr></w:tbl>'
    ),
    "title of a content control": lambda word: document(
        f'<w:sdt><w:sdtPr><w:alias w:val="{word}"/><w:rPr>{run(word)}</w:rPr></w:sdtPr></w:sdt>'
    ),
    "earlier properties": lambda word: document(
        f"<w:p><w:r><w:rPr><w:rPrChange><w:rPr>{run(word)}</w:rPr></w:rPrChange></w:rPr><w:t>other</w:t></w:r></w:p>"
    ),
    "numbers of a chart": lambda word: chart(
        f"<c:val><c:numRef><c:numCache><c:pt><c:v>{word}</c:v></c:pt></c:numCache></c:numRef></c:val>"
    ),
    "cells of a chart": lambda word: document(
        drawn('<c:chart r:id="r1"/>'),
        ("chart", "charts/c.xml"),
        parts={
            "charts/c.xml": story("c:chartSpace", '<c:externalData r:id="r1"/>'),
            "charts/_rels/c.xml.rels": relationships(("package", "../embeddings/e.xlsx")),
            "embeddings/e.xlsx": archive({"xl/workbook.xml": word}),
        },
    ),
    **{
        kind: _beside(kind)
        for kind in ("header", "footer", "comments", "glossaryDocument", "settings", "people", "attachedTemplate")
    },
    "metadata": lambda word: archive(
        {
            **docx_parts(paragraph("page")),
            "docProps/core.xml": f"<cp:coreProperties xmlns:cp='x'><cp:title>{word}</cp:title></cp:coreProperties>",
        }
    ),
    "part without a relationship": lambda word: document("", parts={"n.xml": story("w:p", run(word))}),
}
"""The word is not in the text, and nothing says so."""
