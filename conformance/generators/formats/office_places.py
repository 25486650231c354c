"""Office documents and e-books whose text is in places that a reader sees and a list of known names misses.

The title is WordArt, headings are in text boxes, quotations in inserted documents, captions in drawings. Text that is
hidden or deleted is beside them (SD-EXTRACT-5).
"""

from __future__ import annotations

import re
from html import escape as escape_html
from xml.sax.saxutils import escape, quoteattr

from generators.formats import html
from generators.formats.office import archive, rtf_text
from generators.formats.work import Part, Work, Written, around

_HIDDEN = {
    "en": "Internal note for the editors: check the name of the owner before this goes to print",
    "de": "Interne Anmerkung der Redaktion: vor dem Druck ist der Name des Besitzers zu prüfen",
    "zh": "编辑部内部备注：付印之前必须核对主人的姓名与地址",
}
_DELETED = {
    "en": "An earlier version of this paragraph, which one of the authors deleted in the review",
    "de": "Eine frühere Fassung dieses Absatzes, die eine der Autorinnen bei der Durchsicht gestrichen hat",
    "zh": "这一段落的早期版本，已由一位作者在审阅时删除",
}
_CONTENTS = {
    "en": "An overview of the chapters of this book, with links",
    "de": "Eine Übersicht der Kapitel dieses Buches mit Verweisen",
    "zh": "本书各个章节的一览表以及链接",
}
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in (
        ("w", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
        ("r", _RELATIONS),
        ("mc", "http://schemas.openxmlformats.org/markup-compatibility/2006"),
        ("a", "http://schemas.openxmlformats.org/drawingml/2006/main"),
        ("wp", "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"),
        ("wps", "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"),
        ("v", "urn:schemas-microsoft-com:vml"),
    )
)


def docx(work: Work) -> Written:
    """Return a Word document: WordArt, text boxes, shapes and inserted web pages; hidden and deleted text."""
    chunks: list[Part] = []
    blocks = [_paragraph(_HIDDEN[work.language], "<w:pPr><w:pStyle w:val='Aside'/></w:pPr>")]
    for part in work.parts:
        text = _plain(part)
        if part.role == "title":
            blocks.append(
                f"<w:p><w:r><w:pict><v:shape><v:textpath string={quoteattr(text)}/></v:shape></w:pict></w:r></w:p>"
            )
        elif part.role == "heading":
            blocks.append(_text_box(text))
        elif part.role == "caption":
            shape = f"<wps:wsp><a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p></wps:wsp>"
            blocks.append(f"<w:p><w:r>{_drawing(shape)}</w:r></w:p>")
        elif part.role == "quote":
            chunks.append(part)
            blocks.append(f'<w:altChunk r:id="chunk{len(chunks)}"/>')
        elif part.role != "footnote":
            blocks.append(_paragraph(text))
        if part.rows:
            blocks.append(_table(part))
    deleted = f"<w:p><w:del><w:r><w:delText>{escape(_DELETED[work.language])}</w:delText></w:r></w:del></w:p>"
    hidden = f"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{escape(_HIDDEN[work.language])}</w:t></w:r></w:p>"
    notes = "".join(
        f'<w:footnote w:id="{number}">{_paragraph(part.text)}</w:footnote>'
        for number, part in enumerate(work.of("footnote"), 1)
    )
    targets = [("styles", "styles", "styles.xml"), ("footnotes", "footnotes", "notes/notes.xml")]
    targets += [(f"chunk{number}", "aFChunk", f"/chunks/{number}.dat") for number in range(1, len(chunks) + 1)]
    relations = "".join(
        f'<Relationship Id="{name}" Type="{_RELATIONS}/{kind}" Target="{target}"/>' for name, kind, target in targets
    )
    style = '<w:style w:type="paragraph" w:styleId="Hidden"><w:rPr><w:vanish/></w:rPr></w:style>'
    style += '<w:style w:type="paragraph" w:styleId="Aside"><w:basedOn w:val="Hidden"/></w:style>'
    files = {
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/text/main.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r" '
        f'Type="{_RELATIONS}/officeDocument" Target="text/main.xml"/></Relationships>',
        "text/_rels/main.xml.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>',
        "text/main.xml": f"{_XML}<w:document {_WORD}><w:body>{hidden}{''.join(blocks)}{deleted}</w:body></w:document>",
        "text/styles.xml": f"{_XML}<w:styles {_WORD}>{style}</w:styles>",
        "text/notes/notes.xml": f"{_XML}<w:footnotes {_WORD}>{notes}</w:footnotes>",
    }
    for number, part in enumerate(chunks, 1):
        files[f"chunks/{number}.dat"] = f"<html><body><p>{escape_html(_plain(part))}</p></body></html>"
    return Written(archive(files), _left_out(work))


def _plain(part: Part) -> str:
    """Return the text of a part without the marks of notes and the rows of a table."""
    return "".join(span.text for span in part.spans if span.kind != "mark")


def _left_out(work: Work) -> tuple[Part, ...]:
    return around("formatted as hidden", _HIDDEN[work.language]), around("deleted text", _DELETED[work.language])


def _paragraph(text: str, properties: str = "") -> str:
    lines = escape(text).replace("\n", '</w:t><w:br/><w:t xml:space="preserve">')
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{lines}</w:t></w:r></w:p>'


def _drawing(shape: str) -> str:
    return (
        f"<w:drawing><wp:inline><a:graphic><a:graphicData>{shape}</a:graphicData></a:graphic></wp:inline></w:drawing>"
    )


def _text_box(text: str) -> str:
    """Return a text box for new and for old programs."""
    content = f"<w:txbxContent>{_paragraph(text)}</w:txbxContent>"
    new = _drawing(f"<wps:wsp><wps:txbx>{content}</wps:txbx></wps:wsp>")
    old = f"<w:pict><v:shape><v:textbox>{content}</v:textbox></v:shape></w:pict>"
    choices = f'<mc:Choice Requires="wps">{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback>'
    return f"<w:p><w:r><mc:AlternateContent>{choices}</mc:AlternateContent></w:r></w:p>"


def _table(part: Part) -> str:
    rows = "".join(f"<w:tr>{''.join(f'<w:tc>{_paragraph(cell)}</w:tc>' for cell in row)}</w:tr>" for row in part.rows)
    return f"<w:tbl>{rows}</w:tbl>"


_OPEN = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"), ("draw", "drawing"),
    )
)  # fmt: skip


def odt(work: Work) -> Written:
    """Return an OpenDocument text in one file: text boxes, shapes and embedded texts; hidden and deleted text."""
    hidden, deleted = escape(_HIDDEN[work.language]), escape(_DELETED[work.language])
    blocks = [
        f'<text:section text:name="a" text:display="none"><text:p>{hidden}</text:p></text:section>',
        f'<text:p text:style-name="P1">{hidden}</text:p>',
        f'<text:p><text:hidden-text text:condition="ooow:1" text:is-hidden="true">{hidden}</text:hidden-text></text:p>',
        f'<text:p>{hidden}<text:hidden-paragraph text:condition="ooow:1" text:is-hidden="true"/></text:p>',
    ]
    notes = iter(work.of("footnote"))
    for part in work.parts:
        text = f"<text:p>{escape(_plain(part)).replace(chr(10), '<text:line-break/>')}</text:p>"
        for _ in [span for span in part.spans if span.kind == "mark"]:
            note = (
                f"<text:note-citation>*</text:note-citation><text:note-body><text:p>{escape(next(notes).text)}</text:p>"
            )
            text = text.replace("</text:p>", f"<text:note>{note}</text:note-body></text:note></text:p>", 1)
        if part.role == "title":
            blocks.append(f"<text:p><draw:custom-shape>{text}</draw:custom-shape></text:p>")
        elif part.role == "heading":
            blocks.append(f"<text:p><draw:frame><draw:text-box>{text}</draw:text-box></draw:frame></text:p>")
        elif part.role == "quote":
            inner = f"<office:document><office:body><office:text>{text}</office:text></office:body></office:document>"
            blocks.append(f"<text:p><draw:frame><draw:object>{inner}</draw:object></draw:frame></text:p>")
        elif part.role != "footnote":
            blocks.append(text)
        if part.rows:
            rows = "".join(
                "<table:table-row>"
                + "".join(f"<table:table-cell><text:p>{escape(cell)}</text:p></table:table-cell>" for cell in row)
                + "</table:table-row>"
                for row in part.rows
            )
            blocks.append(f"<table:table>{rows}</table:table>")
    history = (
        "<text:tracked-changes><text:changed-region><text:deletion>"
        f"<text:p>{deleted}</text:p></text:deletion></text:changed-region></text:tracked-changes>"
    )
    styles = (
        '<style:style style:name="P0" style:family="paragraph"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="P0"/>'
    )
    content = (
        f'{_XML}<office:document {_OPEN} office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.text">'
        f"<office:settings>{hidden}</office:settings><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{history}{''.join(blocks)}</office:text></office:body></office:document>"
    )
    return Written(content.encode("utf-8"), _left_out(work))


def epub(work: Work) -> Written:
    """Return a book that readers repair: wrong media types, fallbacks, SVG, chapters that are not well-formed."""
    chapters: list[list[Part]] = [[]]
    for part in work.parts:
        if part.role == "heading":
            chapters.append([])
        chapters[-1].append(part)
    items, files, spine = [], {}, []
    last = len(chapters) - 1
    for number, chapter in enumerate(chapters):
        page = html.xhtml(work, chapter).content.decode("utf-8")
        if number % 2:  # as HTML, the title would not end
            page = re.sub("<title>.*?</title>", "<title/><script src='a.js'/>", page).replace("</body>", "<br></body>")
        if number == last:
            contents = f"<nav epub:type='toc'><ol><li>{_CONTENTS[work.language]}</li></ol></nav>"
            page = page.replace("<html ", '<html xmlns:epub="http://www.idpf.org/2007/ops" ', 1)
            page = page.replace("<body>", f"<body>{contents}<p hidden='hidden'>{escape(_HIDDEN[work.language])}</p>")
        kind = ("application/xml", "Application/XHTML+XML", "")[number % 3]
        properties = 'properties="nav"' if number == last else ""
        items.append(f'<item id="c{number}" href="Chapter%20{number}.xhtml" media-type="{kind}" {properties}/>')
        files[f"book/chapter {number}.xhtml"] = page
        if number == 1:
            items.append('<item id="p1" href="scan.png" media-type="image/png" fallback="c1"/>')
        spine.append("p1" if number == 1 else f"c{number}")
    package = (
        f'\n{_XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata><dc:title>{escape(work.title)} & '
        f"more&nbsp;</dc:title></metadata><manifest>{''.join(items)}</manifest><spine>"
        f"{''.join(f'<itemref idref={quoteattr(name)}/>' for name in spine)}</spine></package>"
    )
    container = (
        f'{_XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.pdf" media-type="application/pdf"/>'
        '<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "book/package.opf": package,
        "book/scan.png": "\x89PNG\r\n\x1a\n",
        "book.pdf": "%PDF-1.4",
        **files,
    }
    return Written(
        archive(files),
        (around("formatted as hidden", _HIDDEN[work.language]), around("navigation", _CONTENTS[work.language])),
    )


def rtf(work: Work) -> Written:
    """Return Rich Text in the code page of its default font: text boxes, objects, twins; hidden and deleted text."""
    hidden, deleted = _escaped(_HIDDEN[work.language]), _escaped(_DELETED[work.language])
    notes = iter(work.of("footnote"))
    blocks = []
    for part in work.parts:
        text = _escaped(_plain(part))
        if part.role == "title":
            word_art = f"{{\\sp{{\\sn gtextUNICODE}}{{\\sv {rtf_text(_plain(part))}}}}}"
            blocks.append(f"{{\\shp{{\\*\\shpinst{word_art}{{\\sp{{\\sn wzDescription}}{{\\sv {hidden}}}}}}}}}\\par")
        elif part.role == "heading":
            fallback = f"{{\\shprslt{{\\*\\do{{\\dptxbxtext {text}\\par}}}}}}"
            blocks.append(f"{{\\shp{{\\*\\shpinst{{\\shptxt\\plain {text}\\par}}}}{fallback}}}\\par")
        elif part.role == "caption":
            blocks.append(f"{{\\*\\do\\dptxbx{{\\dptxbxtext\\plain {text}\\par}}}}\\par")
        elif part.role == "quote":
            blocks.append(f"{{\\object\\objemb{{\\*\\objclass Word.Document.8}}{{\\result\\plain {text}}}}}\\par")
        elif part.role != "footnote":
            twins = f"{{\\upr{{{text}}}{{\\*\\ud{{\\uc2 {rtf_text(_plain(part), '??')}}}}}}}"
            marks = sum(span.kind == "mark" for span in part.spans)
            noted = "".join(
                f"{{\\super {note}{{\\footnote {{\\super {note}}}{_escaped(next(notes).text)}}}}}"
                for note in range(marks)
            )
            blocks.append(f"\\pard\\plain {twins if len(blocks) % 2 else text}{noted}{{\\v {hidden}}}\\par")
        blocks += ["".join(f"\\intbl {_escaped(cell)}\\cell" for cell in row) + "\\row" for row in part.rows]
    fonts = "{\\fonttbl{\\f0\\fnil\\fcharset134 SimSun;}{\\f1\\fnil\\fcharset2 Wingdings;}}"
    content = (
        f"{{\\rtf1\\ansi\\ansicpg1252\\deff0{fonts}{{\\info{{\\doccomm {hidden}}}}}{{\\*\\annotation {hidden}}}"
        f"{{\\field{{\\*\\fldinst COMMENTS {hidden}}}{{\\fldrslt}}}}{{\\deleted {deleted}\\par}}"
        "{\\pict\\wbitmap0\\bin4 }{\\'}\n" + "\n".join(blocks) + "}\n"
    )
    return Written(content.encode("ascii"), _left_out(work))


def _escaped(text: str) -> str:
    """Return text as bytes of the character set for simplified Chinese, with those over 7F as numbers."""
    line = text.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}").replace("\n", "\\line ")
    return "".join(
        character if character.isascii() else "".join(f"\\'{byte:02x}" for byte in character.encode("gbk"))
        for character in line
    )
