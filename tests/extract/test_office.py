"""DOCX, ODT, EPUB and RTF: which parts of a document are its text."""

from __future__ import annotations

import io

import docx
import pytest

from simhash_doc.extract import CorruptDocumentError, extract
from tests.extract import samples
from tests.extract.samples import W, archive, docx_parts, epub_parts, odt_parts, xhtml

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
        (f"<w:p>{run_of('shape')}</w:p><a:p><a:r><a:t>drawing</a:t></a:r></a:p>", "shape"),
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
        {"b.xhtml": xhtml("<p>second</p>"), "a%20c.xhtml": xhtml("<p>first</p>"), "nav.xhtml": xhtml("<p>toc</p>")}
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
    assert extract(source).text.split() == ["café", "’", "😀", "a", "note", "end"]
    cut = extract(samples.rtf()[:-2])
    assert "truncated" in cut.warnings[0]


def test_a_chapter_that_is_not_text_is_left_out_with_a_warning() -> None:
    parts = epub_parts({"one.xhtml": xhtml("<p>Words of a chapter.</p>"), "two.xhtml": bytes(range(256)) * 20})
    extracted = extract(archive(parts))
    assert extracted.text == "Words of a chapter."
    assert extracted.warnings == ("a chapter cannot be read: the part 'OPS/two.xhtml' is not text",)
