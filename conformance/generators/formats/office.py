"""Office documents and e-books: DOCX, ODT, EPUB, RTF. Archives are not compressed and have a fixed date."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from generators.formats import html
from generators.formats.work import Part, Span, Work, Written, around, inline

_DATE = (2026, 1, 1, 0, 0, 0)
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_RUNNING = "Draft for internal circulation only, please do not quote, copies are numbered"
_AUTHOR = "Prepared with an office suite by an employee whose name is recorded elsewhere"


def archive(files: Mapping[str, str]) -> bytes:
    """Return a ZIP archive with the same bytes on every platform and with every version of zlib."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as zipped:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            zipped.writestr(entry, content.encode("utf-8"))
    return buffer.getvalue()


def _core(work: Work, namespace: str) -> str:
    return (
        f'{_XML}<{namespace} xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties">'
        f"<dc:title>{escape(work.title)}</dc:title><dc:description>{_AUTHOR}</dc:description></{namespace}>"
    )


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def docx(work: Work) -> Written:
    """Return a Word document with styles, a table, footnotes, page headers, and runs that split words."""
    styles = {"title": "Title", "heading": "Heading1", "caption": "Caption", "quote": "Quote", "code": "Code"}
    paragraphs = []
    for part in work.parts:
        if part.role == "footnote":
            continue
        style = styles.get(part.role)
        paragraphs.append(_word_paragraph(part.spans, style))
        if part.rows:
            paragraphs.append(_word_table(part))
    document = (
        f'{_XML}<w:document {_W} {_R}><w:body>{"".join(paragraphs)}<w:sectPr><w:headerReference w:type="default" '
        'r:id="rId3"/></w:sectPr></w:body></w:document>'
    )
    notes = "".join(
        f'<w:footnote w:id="{n}">{_word_paragraph(part.spans)}</w:footnote>'
        for n, part in enumerate(work.of("footnote"), 1)
    )
    parts = {"document": "document.main", "styles": "styles", "footnotes": "footnotes", "header1": "header"}
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{_TYPES}.{kind}+xml"/>' for name, kind in parts.items()
    )
    relations = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATIONS}/{kind}" Target="{target}.xml"/>'
        for n, (kind, target) in enumerate((("styles", "styles"), ("footnotes", "footnotes"), ("header", "header1")), 1)
    )
    style_list = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/></w:style>' for name in styles.values()
    )
    files = {
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f"{overrides}"
        '<Override PartName="/docProps/core.xml" '
        'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>',
        "_rels/.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties" '
        'Target="docProps/core.xml"/></Relationships>',
        "word/document.xml": document,
        "word/_rels/document.xml.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>',
        "word/styles.xml": f"{_XML}<w:styles {_W}>{style_list}</w:styles>",
        "word/footnotes.xml": f"{_XML}<w:footnotes {_W}>{notes}</w:footnotes>",
        "word/header1.xml": f"{_XML}<w:hdr {_W}>{_word_paragraph((Span(_RUNNING),))}</w:hdr>",
        "docProps/core.xml": _core(work, "cp:coreProperties"),
    }
    broken = [pair for part in work.parts for pair in _split_words(part.spans)]
    return Written(archive(files), (around("running head", _RUNNING), around("metadata", _AUTHOR)), tuple(broken))


def _split_words(spans: Iterable[Span]) -> Iterator[tuple[str, str]]:
    """Yield each word that `_word_paragraph` splits in the middle of a span."""
    for span in spans:
        middle = len(span.text) // 2
        before, after = re.search(r"\w*$", span.text[:middle]), re.match(r"\w*", span.text[middle:])
        if before and after and before[0] and after[0]:
            yield before[0] + after[0], f"{before[0]} {after[0]}"


def _word_paragraph(spans: Iterable[Span], style: str | None = None) -> str:
    runs = []
    for span in spans:
        if span.kind == "mark":
            runs.append(f'<w:r><w:footnoteReference w:id="{span.text}"/></w:r>')
            continue
        properties = "<w:rPr><w:i/></w:rPr>" if span.kind == "emphasis" else ""
        # Word processors split runs anywhere, also inside words.
        middle = len(span.text) // 2
        for piece in (span.text[:middle], span.text[middle:]):
            lines = escape(piece).replace("\n", '</w:t><w:br/><w:t xml:space="preserve">')
            runs.append(f'<w:r>{properties}<w:t xml:space="preserve">{lines}</w:t></w:r>')
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}{''.join(runs)}</w:p>"


def _word_table(part: Part) -> str:
    rows = "".join(
        "<w:tr>" + "".join(f"<w:tc>{_word_paragraph((Span(cell),))}</w:tc>" for cell in row) + "</w:tr>"
        for row in part.rows
    )
    return f"<w:tbl>{rows}</w:tbl>"


_OPEN = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"))
)


def odt(work: Work) -> Written:
    """Return an OpenDocument text with footnotes at their marks, page headers, and deleted text in its history."""
    deleted = "An earlier wording that the author crossed out, which is kept in the history of changes"
    blocks = []
    for part in work.parts:
        text = _open_inline(work, part.spans)
        if part.role in ("title", "heading"):
            blocks.append(f'<text:h text:outline-level="{1 if part.role == "title" else 2}">{text}</text:h>')
        elif part.role in ("item", "reference"):
            blocks.append(f"<text:list><text:list-item><text:p>{text}</text:p></text:list-item></text:list>")
        elif part.role != "footnote":
            blocks.append(f"<text:p>{text}</text:p>")
        if part.rows:
            rows = "".join(
                "<table:table-row>"
                + "".join(f"<table:table-cell><text:p>{escape(c)}</text:p></table:table-cell>" for c in row)
                + "</table:table-row>"
                for row in part.rows
            )
            blocks.append(f'<table:table table:name="Table">{rows}</table:table>')
    history = (
        "<text:tracked-changes><text:changed-region><text:deletion>"
        f"<text:p>{deleted}</text:p></text:deletion></text:changed-region></text:tracked-changes>"
    )
    content = (
        f'{_XML}<office:document-content {_OPEN} xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3">'
        f"<office:body><office:text>{history}{''.join(blocks)}</office:text></office:body></office:document-content>"
    )
    styles = (
        f'{_XML}<office:document-styles {_OPEN} office:version="1.3"><office:master-styles><style:master-page '
        f'style:name="Standard"><style:header><text:p>{_RUNNING}</text:p></style:header></style:master-page>'
        "</office:master-styles></office:document-styles>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{media}"/>'
        for path, media in (
            ("/", kind),
            ("content.xml", "text/xml"),
            ("styles.xml", "text/xml"),
            ("meta.xml", "text/xml"),
        )
    )
    meta = (
        f'{_XML}<office:document-meta {_OPEN} xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.3">'
        f"<office:meta><dc:title>{escape(work.title)}</dc:title><dc:description>{_AUTHOR}</dc:description>"
        "</office:meta></office:document-meta>"
    )
    files = {
        "mimetype": kind,
        "content.xml": content,
        "styles.xml": styles,
        "meta.xml": meta,
        "META-INF/manifest.xml": f"{_XML}<manifest:manifest "
        f'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3">{entries}'
        "</manifest:manifest>",
    }
    left_out = (around("running head", _RUNNING), around("metadata", _AUTHOR), around("deleted text", deleted))
    return Written(archive(files), left_out)


def _open_inline(work: Work, spans: Iterable[Span]) -> str:
    return inline(
        spans,
        lambda text: escape(text).replace("\n", "<text:line-break/>"),
        emphasis=lambda text, span: f'<text:span text:style-name="Emphasis">{text}</text:span>',
        link=lambda text, span: f"<text:a xlink:href={quoteattr(span.target)}>{text}</text:a>",
        mark=lambda text, span: (
            f'<text:note text:note-class="footnote"><text:note-citation>{text}</text:note-citation>'
            f"<text:note-body><text:p>{escape(work.note(span))}</text:p></text:note-body></text:note>"
        ),
    )


def epub(work: Work) -> Written:
    """Return a book in chapters with a table of contents that repeats their headings."""
    chapters: list[list[Part]] = [[]]
    for part in work.parts:
        if part.role == "heading":
            chapters.append([])
        chapters[-1].append(part)
    names = [f"chapter-{n}.xhtml" for n in range(1, len(chapters) + 1)]
    headings = [chapter[0].text for chapter in chapters]
    links = "".join(f'<li><a href="{name}">{escape(text)}</a></li>' for name, text in zip(names, headings, strict=True))
    contents = (
        f'{_XML}<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>'
        f'Contents</title></head><body><nav epub:type="toc"><h1>Contents</h1><ol>{links}</ol></nav></body></html>'
    )
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(names)))
    package = (
        f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:example:'
        f"{work.name}</dc:identifier><dc:title>{escape(work.title)}</dc:title><dc:language>{work.language}</dc:language>"
        f"<dc:publisher>{escape(work.site)}</dc:publisher><dc:description>{_AUTHOR}</dc:description>"
        '<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata><manifest>'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        f"{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        f'{_XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "book/package.opf": package,
        "book/nav.xhtml": contents,
    }
    for name, chapter in zip(names, chapters, strict=True):
        files[f"book/{name}"] = html.xhtml(work, chapter).content.decode("utf-8")
    left_out = (around("navigation", "\n".join(["Contents", *headings])), around("metadata", f"{work.site} {_AUTHOR}"))
    return Written(archive(files), left_out)


def rtf(work: Work) -> Written:
    """Return Rich Text with escaped UTF-16 code units, notes at their marks, page headers and metadata."""
    blocks = []
    for part in work.parts:
        if part.role != "footnote":
            blocks.append(f"\\pard {_rtf_inline(work, part.spans)}\\par")
        for row in part.rows:
            edges = "".join(f"\\cellx{2000 * n}" for n in range(1, len(row) + 1))
            cells = "".join(f"\\intbl {rtf_text(cell)}\\cell" for cell in row)
            blocks.append(f"\\trowd{edges}{cells}\\row")
    content = (
        "{\\rtf1\\ansi\\ansicpg1252\\uc1{\\fonttbl{\\f0\\froman Times New Roman;}}{\\stylesheet{\\s0 Normal;}}"
        f"{{\\info{{\\title {rtf_text(work.title)}}}{{\\doccomm {_AUTHOR}}}}}{{\\header\\pard {_RUNNING}\\par}}\n"
        + "\n".join(blocks)
        + "\n}\n"
    )
    return Written(content.encode("ascii"), (around("running head", _RUNNING), around("metadata", _AUTHOR)))


def _rtf_inline(work: Work, spans: Iterable[Span]) -> str:
    return inline(
        spans,
        rtf_text,
        emphasis=lambda text, span: f"{{\\i {text}}}",
        link=lambda text, span: f'{{\\field{{\\*\\fldinst HYPERLINK "{span.target}"}}{{\\fldrslt {text}}}}}',
        mark=lambda text, span: (
            f"{{\\super\\chftn}}{{\\footnote\\pard {{\\super\\chftn}} {rtf_text(work.note(span))}}}"
        ),
    )


def rtf_text(text: str, fallback: str = "?") -> str:
    """Return text with UTF-16 code units as numbers, and the fallback of each."""
    out = []
    for character in text:
        if character in "\\{}":
            out.append(f"\\{character}")
        elif character == "\n":
            out.append("\\line ")
        elif character.isascii():
            out.append(character)
        else:
            units = character.encode("utf-16-le")
            numbers = (int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2))
            out += [f"\\u{number}{fallback}" for number in numbers]
    return "".join(out)
