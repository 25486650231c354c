"""DOCX, ODT, EPUB and RTF: which parts of a document are its text."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from warnings import catch_warnings, simplefilter

import docx
import pytest

from simhash_doc_extraction import CorruptDocumentError, NoTextError, UnsupportedFormatError, extract
from tests.extraction import samples
from tests.extraction.samples import W, archive, docx_parts, epub_parts, odt_parts, xhtml
from tests.extraction.warning_kinds import undocumented

TOC = '<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc"><p>toc</p></nav>'
NAMESPACES = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def docx_text(body: str) -> str:
    return extract(archive(docx_parts(f"<w:sdt {NAMESPACES}><w:sdtContent>{body}</w:sdtContent></w:sdt>"))).text


def run_of(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


BOXED = (
    f"<w:p>{run_of('before')}<w:r><mc:AlternateContent><mc:Choice><wps:txbx><w:txbxContent><w:p>{run_of('boxed')}</w:p>"
    f"</w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><w:p>{run_of('boxed')}</w:p></mc:Fallback>"
    f"</mc:AlternateContent></w:r>{run_of('after')}</w:p>"
)
NOTED = (
    "<text:p>word<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p>"
    "</text:note-body></text:note> on</text:p>"
)


def test_docx_of_another_writer() -> None:
    document = docx.Document()
    document.add_heading("The reef", 1)
    paragraph = document.add_paragraph("A keeper ")
    paragraph.add_run("counted").bold = True
    paragraph.add_run(" ships.\tEvery\nnight.")
    document.add_paragraph("Salt", style="List Bullet")
    table = document.add_table(2, 2)
    for at, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell {at}"
    document.sections[0].header.paragraphs[0].text = "running head"
    document.sections[0].footer.paragraphs[0].text = "page 1"
    document.core_properties.title = "a title in the properties"
    out = io.BytesIO()
    document.save(out)
    found = extract(out.getvalue())
    assert found.format == "docx"
    cells = [f"cell {at}" for at in range(4)]
    assert found.text.split("\n\n") == ["The reef", "A keeper counted ships. Every night.", "Salt", *cells]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"<w:p>{run_of('lamp')}{run_of('light')}</w:p>", "lamplight"),
        (f"<w:p>{run_of('one ')}<w:ins>{run_of('two')}</w:ins><w:del><w:r><w:delText>x</w:delText></w:r></w:del></w:p>", "one two"),
        (f"<w:p><w:moveFrom>{run_of('moved')}</w:moveFrom>{run_of('rest ')}<w:moveTo>{run_of('moved')}</w:moveTo></w:p>", "rest moved"),
        ("<w:p><w:r><w:instrText>PAGEREF x</w:instrText></w:r>" + run_of("12") + "</w:p>", "12"),
        (f"<w:p><w:hyperlink>{run_of('a link')}</w:hyperlink></w:p>", "a link"),
        (BOXED, "before\n\nboxed\n\nafter"),
        (f"<w:p>{run_of('x is ')}<m:oMath><m:r><m:t>y</m:t></m:r></m:oMath></w:p>", "x is y"),
        ("<w:p><w:r><w:t>co</w:t><w:noBreakHyphen/><w:t>op</w:t></w:r></w:p>", "co\u2011op"),
        (f"<w:p><w:r><w:ruby><w:rt>{run_of('kana')}</w:rt><w:rubyBase>{run_of('漢字')}</w:rubyBase></w:ruby></w:r></w:p>", "漢字"),
        ("<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>" + run_of("word") + "</w:p>", "word"),
        (f"<w:p>{run_of('shape')}</w:p><a:p><a:r><a:t>drawing</a:t></a:r></a:p>", "shape\n\ndrawing"),
    ],
)  # fmt: skip
def test_docx_text_is_the_visible_text_with_changes_accepted(body: str, text: str) -> None:
    assert docx_text(body) == text


def test_docx_notes_follow_the_text_in_both_namespaces() -> None:
    parts = docx_parts(f"<w:p>{run_of('text')}</w:p>")
    kind = "http://purl.oclc.org/ooxml/officeDocument/relationships/footnotes"
    parts["word/_rels/document.xml.rels"] = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="a" Type="{kind}" Target="/word/notes.xml"/></Relationships>'
    )
    notes = f'<w:footnotes xmlns:w="{W}"><w:footnote><w:p>{run_of("a note")}</w:p></w:footnote></w:footnotes>'
    parts["word/notes.xml"] = notes
    assert extract(archive(parts)).text == "text\n\na note"
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    moved = {name: str(part).replace(W, strict) for name, part in parts.items()}
    assert extract(archive(moved)).text == "text\n\na note"
    del parts["word/notes.xml"]
    found = extract(archive(parts))
    assert (found.text, "notes are missing" in found.warnings[0]) == ("text", True)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('<text:p>one<text:s text:c="3"/>two<text:tab/>three<text:line-break/>four</text:p>', "one two three four"),
        ("<text:p>lamp<text:span>light</text:span></text:p>", "lamplight"),
        ("<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>here</text:p>", "here"),
        ("<text:p>a<office:annotation><text:p>remark</text:p></office:annotation>b</text:p>", "ab"),
        (NOTED, "word\n\na note\n\non"),
        ("<text:list><text:list-item><text:p>x</text:p></text:list-item></text:list><text:h>y</text:h>", "x\n\ny"),
        ("<text:p><text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>kana</text:ruby-text></text:ruby></text:p>", "漢字"),
        (f'<text:p><text:s text:c="{"9" * 5000}"/>x</text:p>', "x"),
    ],
)  # fmt: skip
def test_odt_text_is_the_visible_text(body: str, text: str) -> None:
    assert extract(archive(odt_parts(body))).text == text


def test_epub_chapters_are_in_spine_order_without_navigation() -> None:
    parts = epub_parts(
        {"b.xhtml": xhtml("<p>second</p>"), "a%20c.xhtml": xhtml("<p>first</p>"), "nav.xhtml": xhtml(TOC)}
    )
    parts["OPS/a c.xhtml"] = parts.pop("OPS/a%20c.xhtml")
    package = str(parts["OPS/book.opf"]).replace('href="nav.xhtml"', 'href="nav.xhtml" properties="nav"')
    first, second = '<itemref idref="c0"/>', '<itemref idref="c1"/>'
    parts["OPS/book.opf"] = package.replace(first + second, second + first)
    assert extract(archive(parts)).text == "first\n\nsecond"


def test_epub_with_a_missing_chapter_gives_the_others() -> None:
    found = extract(archive(epub_parts(hrefs=["lost.xhtml"])))
    assert "OPS/lost.xhtml" in found.warnings[0]
    with pytest.raises(CorruptDocumentError, match="has no chapter"):
        extract(archive(epub_parts({}, hrefs=["lost.xhtml"])))


def test_rtf_keeps_footnotes_and_escaped_characters() -> None:
    source = rb"{\rtf1\ansi\ansicpg1252 caf\'e9 \u8217? \u-10179?\u-8704?{\footnote a note} end\par}"
    assert extract(source).text.split() == ["café", "’", "😀", "end", "a", "note"]
    cut = extract(samples.rtf()[:-2])
    assert "truncated" in cut.warnings[0]


def test_a_chapter_that_is_not_text_is_left_out_with_a_warning() -> None:
    parts = epub_parts({"one.xhtml": xhtml("<p>Words of a chapter.</p>"), "two.xhtml": bytes(range(256)) * 20})
    extracted = extract(archive(parts))
    assert extracted.text == "Words of a chapter."
    assert extracted.warnings == ("a chapter cannot be read: the part 'OPS/two.xhtml' is not text",)


def test_a_chapter_that_is_cut_off_is_named() -> None:
    chapter = f"<html xmlns='http://www.w3.org/1999/xhtml'><body>{samples.elements('p')}</body></html>"
    for source in (chapter, f"<?xml version='1.0'?>{chapter}", chapter.replace("<body>", "<body><br>")):
        text = extract(archive(epub_parts({"one.xhtml": source, "two.xhtml": xhtml()}))).text
        for at in {*range(len(source))} - {source.find("?>") + 2}:  # a declaration alone looks complete
            found = extract(archive(epub_parts({"one.xhtml": source[:at], "two.xhtml": xhtml()})))
            assert found.warnings == ("chapters that may be cut off: 1 (first: 'OPS/one.xhtml')",), source[:at]
        assert extract(archive(epub_parts({"one.xhtml": source, "two.xhtml": xhtml()}))).warnings == ()
        assert not undocumented(found)
        assert found.text == text


def test_a_chapter_that_is_a_fragment_is_complete() -> None:
    for source in ("<p>Words of a chapter.</p>\n", "<h:html xmlns:h='http://www.w3.org/1999/xhtml'>Words.</h:html>"):
        assert extract(archive(epub_parts({"one.xhtml": source}))).warnings == ()


def zipped(parts: Mapping[str, bytes | str], change: Callable[[str], str] = str, *, stored: bool = False) -> bytes:
    """Return a ZIP archive whose names are changed, written as a stream, with all parts compressed or none."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            entry = zipfile.ZipInfo("x")
            entry.filename = change(name)  # ZipInfo would change backslashes on some systems
            entry.compress_type = file.compression
            with file.open(entry, "w") as part:
                part.write(content.encode() if isinstance(content, str) else content)
    return out.getvalue()


MADE: dict[str, Callable[[], dict[str, bytes | str]]] = {"docx": docx_parts, "odt": odt_parts, "epub": epub_parts}
CHANGES: dict[str, Callable[[str], str]] = {
    "as they are": str,
    "upper case": str.upper,
    "backslashes": lambda name: name.replace("/", "\\"),
    "from the root": lambda name: f"/{name}",
    "in the folder": lambda name: f"./{name}",
}


@pytest.mark.parametrize("document_format", ["docx", "odt", "epub"])
@pytest.mark.parametrize("names", CHANGES)
@pytest.mark.parametrize("stored", [False, True])
def test_parts_are_found_however_their_names_are_written(document_format: str, names: str, stored: bool) -> None:
    parts = MADE[document_format]()
    found = extract(zipped(parts, CHANGES[names], stored=stored))
    assert (found.format, found.text) == (document_format, "\n\n".join([samples.TITLE, *samples.PARAGRAPHS]))


@pytest.mark.parametrize("document_format", ["docx", "odt", "epub"])
def test_the_part_that_names_the_format_can_be_missing_or_late(document_format: str) -> None:
    parts = MADE[document_format]()
    name = "[Content_Types].xml" if document_format == "docx" else "mimetype"
    kind = parts.pop(name)
    assert extract(zipped(parts)).format == document_format
    assert extract(zipped({"a/picture.png": b"\x89PNG" * 9999, **parts, name: kind})).format == document_format
    if name == "mimetype":
        assert extract(zipped({name: f"{kind!s}\n", **parts})).format == document_format


def test_documents_in_an_archive_are_not_the_archive() -> None:
    for document_format in ("docx", "odt", "epub"):
        with pytest.raises(UnsupportedFormatError, match="ZIP archive"):
            extract(zipped({"a.dat": samples.sample(document_format)}, stored=True))


def test_other_documents_of_the_same_producers_are_refused_by_name() -> None:
    parts = odt_parts()
    sheet = str(parts["content.xml"]).replace("office:text", "office:spreadsheet")
    types = '<Types><Override ContentType="application/vnd.openxmlformats-officedocument.{}.main+xml"/></Types>'
    others: dict[str, list[dict[str, bytes | str]]] = {
        "OpenDocument other than text": [
            {**parts, "mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": sheet},
            {"META-INF/manifest.xml": parts["META-INF/manifest.xml"], "content.xml": sheet},
        ],
        "Excel workbook": [{"xl/workbook.xml": ""}, {"[Content_Types].xml": types.format("spreadsheetml.sheet")}],
        "PowerPoint presentation": [
            {"PPT\\presentation.xml": ""},
            {"[Content_Types].xml": types.format("presentationml.presentation")},
        ],
    }
    for name, documents in others.items():
        for document in documents:
            with pytest.raises(UnsupportedFormatError, match=name):
                extract(zipped(document))
    flat = sheet.replace("office:document-content", "office:document")
    for kind in ('office:mimetype="application/vnd.oasis.opendocument.spreadsheet"', ""):
        with pytest.raises(UnsupportedFormatError, match="OpenDocument other than text"):
            extract(flat.replace("<office:document ", f"<office:document {kind} ").encode())


def flat_docx(**more: str) -> bytes:
    """Return a DOCX file as a single file of XML: its parts, and a picture."""
    parts = {name: str(part).partition("?>")[2] for name, part in docx_parts().items() if name[0] != "["} | more
    inside = "".join(
        f"<pkg:part pkg:name='/{name}'><pkg:xmlData>{part}</pkg:xmlData></pkg:part>" for name, part in parts.items()
    )
    picture = "<pkg:part pkg:name='/word/media/a.png'><pkg:binaryData>aGFybQ==</pkg:binaryData></pkg:part>"
    uri = "http://schemas.microsoft.com/office/2006/xmlPackage"
    return f"<?xml version='1.0'?><pkg:package xmlns:pkg='{uri}'>{inside}{picture}</pkg:package>".encode()


def test_docx_in_a_single_file() -> None:
    properties = "<a>secret</a>"
    found = extract(flat_docx(**{"docProps/app.xml": properties}))
    assert (found.format, found.text.split("\n\n")) == ("docx", [samples.TITLE, *samples.PARAGRAPHS])
    for damaged in (b"aGFyb", b"aGFy\nb", b"a", b"", b"aG\xc3\xa4Fy=b"):
        assert extract(flat_docx().replace(b"aGFybQ==", damaged)).text == found.text
    with pytest.raises(CorruptDocumentError, match="entity"):
        extract(flat_docx().replace(b"<pkg:package", b"<!DOCTYPE a [<!ENTITY b 'c'>]><pkg:package", 1))
    word_2003 = str(docx_parts()["word/document.xml"]).replace("w:document", "w:wordDocument")
    word_2003 = word_2003.replace(W, "http://schemas.microsoft.com/office/word/2003/wordml")
    found = extract(word_2003.replace("<w:body>", "<w:docPr><a>secret</a></w:docPr><w:body>").encode())
    assert (found.format, found.text.split("\n\n")) == ("docx", [samples.TITLE, *samples.PARAGRAPHS])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<metadata>", "<metadata><creator>Salt & Sons</creator>"),
        ("<metadata>", "<metadata><title>a&nbsp;b&unknown;</title>"),
        ("<metadata>", "<metadata><dc:title opf:role='x'>a</dc:title>"),
        ("<metadata>", "<metadata><meta name=a content='b'/>"),
        ("<metadata>", "<metadata><title>\x01</title>"),
        ("<package ", "<package version='3.0' "),
    ],
)
def test_a_package_that_is_not_well_formed_is_repaired(old: str, new: str) -> None:
    parts = epub_parts()
    package = str(parts["OPS/book.opf"]).partition("?>")[2].replace("<manifest>", "<metadata></metadata><manifest>", 1)
    found = extract(archive({**parts, "OPS/book.opf": package.replace(old, new, 1)}))
    assert found.text.split("\n\n") == [samples.TITLE, *samples.PARAGRAPHS]
    assert found.warnings[0].startswith("repaired: the part 'OPS/book.opf' is not well-formed")
    with pytest.raises(CorruptDocumentError, match="not well-formed"):
        extract(archive({**parts, "OPS/book.opf": package[: package.index("</spine>")]}))


@pytest.mark.parametrize("before", ["\n", "\ufeff\n\n", "  \r\n"])
@pytest.mark.parametrize("part", ["META-INF/container.xml", "OPS/book.opf"])
def test_a_part_after_a_blank_line_is_read(part: str, before: str) -> None:
    parts = epub_parts()
    found = extract(archive({**parts, part: before + str(parts[part])}))
    assert found.text.split("\n\n") == [samples.TITLE, *samples.PARAGRAPHS]
    assert found.warnings == (f"repaired: the part {part!r} begins with white space",)


def test_a_book_of_contents_only_is_its_contents() -> None:
    parts = epub_parts({"nav.xhtml": xhtml(TOC)})
    parts["OPS/book.opf"] = str(parts["OPS/book.opf"]).replace("<item ", '<item properties="nav" ')
    found = extract(archive(parts))
    assert (found.text, len(found.warnings)) == ("toc", 1)


def test_hidden_text_is_counted_if_it_is_most_of_the_text() -> None:
    hidden = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Ten letters are more.</w:t></w:r></w:p>"
    shown = f"<w:p>{run_of('Seven words that are shown to all readers.')}</w:p>"
    assert extract(archive(docx_parts(shown + hidden))).warnings == ()
    found = extract(archive(docx_parts(shown + hidden * 3)))
    assert found.warnings == ("hidden text is left out: 63 characters, more than are shown",)
    with pytest.raises(NoTextError, match="hidden"):
        extract(archive(docx_parts(hidden)))
    with pytest.raises(NoTextError, match="hidden"):
        extract(archive(odt_parts('<text:section text:display="none"><text:p>words</text:p></text:section>')))


@pytest.mark.parametrize(
    ("font", "code", "text"),
    [
        ("Symbol", "F061", "α"),
        ("Symbol", "0061", "α"),
        ("Symbol", "F0B3", "≥"),
        ("Wingdings", "F0FC", " "),
        ("Arial", "2265", "≥"),
        ("Times New Roman", "F0E9", "é"),
        ("Symbol", "x", ""),
        ("Symbol", "FFFFFFFFF", ""),
    ],
)
def test_symbols_are_the_characters_of_their_fonts(font: str, code: str, text: str) -> None:
    body = f'<w:p>{run_of("a")}<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>{run_of("b")}</w:p>'
    assert docx_text(body) == f"a{text}b"
    if code.startswith("F0") and font != "Times New Roman":
        fonts = f'<w:rPr><w:rFonts w:ascii="{font}" w:hAnsi="{font}"/></w:rPr>'
        body = f"<w:p><w:r>{fonts}<w:t>a{chr(int(code, 16))}b</w:t></w:r></w:p>"
        assert docx_text(body) == f"a{text}b"


def test_parts_that_refer_to_each_other_are_read_once() -> None:
    chunk = "<w:p><w:r><w:t>{}</w:t></w:r></w:p><w:altChunk r:id='a'/><w:subDoc r:id='b'/>"
    namespaces = f'xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    relations = (
        "<Relationships><Relationship Id='a' Type='x/aFChunk' Target='document.xml'/>"
        "<Relationship Id='b' Type='x/subDocument' Target='sub.xml'/></Relationships>"
    )
    parts = {
        **docx_parts(),
        "word/document.xml": f"<w:document {namespaces}>{chunk.format('main')}</w:document>",
        "word/sub.xml": f"<w:document {namespaces}>{chunk.format('sub')}</w:document>",
        "word/_rels/document.xml.rels": relations,
        "word/_rels/sub.xml.rels": relations,
    }
    assert extract(archive(parts)).text == "main\n\nsub"
    nested = archive(docx_parts(f"<w:p>{run_of('innermost')}</w:p>"))
    for _ in range(12):
        outer = {**docx_parts(), "word/c.docx": nested}
        outer["word/document.xml"] = f"<w:document {namespaces}>{chunk.format('level')}</w:document>"
        outer["word/_rels/document.xml.rels"] = relations.replace("document.xml", "c.docx")
        nested = archive(outer)
    found = extract(nested)
    assert "innermost" not in found.text
    assert any("not read" in warning for warning in found.warnings)


def test_documents_without_the_part_that_names_the_first_one() -> None:
    for parts, name in ((docx_parts(), "_rels/.rels"), (epub_parts(), "META-INF/container.xml")):
        del parts[name]
        found = extract(archive(parts))
        assert found.text.split("\n\n") == [samples.TITLE, *samples.PARAGRAPHS]
        assert found.warnings == (f"parts are missing: 1 (first: {name!r})",)


@pytest.mark.parametrize(
    ("document_format", "parts", "name"),
    [
        ("docx", docx_parts(), "word/document.xml"),
        ("odt", odt_parts(), "content.xml"),
        ("epub", epub_parts(), "OPS/one.xhtml"),
        ("fb2", {"a.fb2": samples.fictionbook().decode()}, "a.fb2"),
    ],
)
def test_a_part_with_the_name_of_another_is_a_loss_unless_they_are_equal(
    document_format: str, parts: dict[str, bytes | str], name: str
) -> None:
    text = str(parts[name])
    for first, warnings in (
        (text, ()),
        (
            text.replace("lighthouse", "windmill"),
            (f"parts with the name of another part not read: 1 (first: {name!r})",),
        ),
    ):
        out = io.BytesIO(archive(parts | {name: first}))
        with zipfile.ZipFile(out, "a") as file, catch_warnings():
            simplefilter("ignore")
            file.writestr(name, text)
        found = extract(out.getvalue(), name=f"a.{document_format}")
        assert (found.warnings, "windmill" in found.text) == (warnings, False)
