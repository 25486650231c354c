"""What documents show beside their texts: two of equal texts are told apart."""

from __future__ import annotations

import gzip

import pytest

from simhash_doc_extraction import extract
from tests.extraction.archives import mhtml
from tests.extraction.samples import (
    PARAGRAPHS,
    TITLE,
    W,
    archive,
    docx_parts,
    elements,
    html,
    mail,
    odt_parts,
    other_xml,
    pdf,
    plain,
    rtf,
)

ARTICLE = f"<main><h1>{TITLE}</h1>{elements('p', 3 * PARAGRAPHS)}</main>"
FORM = "urn:oasis:names:tc:opendocument:xmlns:form:1.0"


def page(beside: str) -> bytes:
    return f"<!DOCTYPE html><html><head><title>{TITLE}</title></head><body>{ARTICLE}{beside}</body></html>".encode()


def docx(run: str = "", head: str = "") -> bytes:
    parts = docx_parts(f"<w:p><w:r>{run}<w:t>{TITLE}</w:t></w:r></w:p>")
    if head:
        parts["word/header1.xml"] = f'<w:hdr xmlns:w="{W}"><w:p><w:r><w:t>{head}</w:t></w:r></w:p></w:hdr>'
    return archive(parts)


def odt(inside: str = "", head: str = "") -> bytes:
    parts = odt_parts(f"<text:h>{TITLE}</text:h>{inside}")
    if head:
        parts["styles.xml"] = f'<s xmlns:style="urn:x"><style:header><p>{head}</p></style:header></s>'
    return archive(parts)


def checked_pdf(state: str) -> bytes:
    field = f"<< /Type /Annot /Subtype /Widget /FT /Btn /T (paid) /AS /{state} /V /{state} /Rect [9 9 19 19] >>"
    document = pdf(objects=[field.encode()])
    return document.replace(b"/Contents 4 0 R", b"/Annots [6 0 R] /Contents 4 0 R")


def scan(pixel: str) -> bytes:
    picture = (
        "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 "
        f"/Filter /ASCIIHexDecode /Length 3 >>\nstream\n{pixel}>\nendstream"
    )
    content = f"q 595 0 0 842 0 0 cm /X Do Q BT /F1 8 Tf 40 700 Td ({TITLE}) Tj ET"
    drawn = f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"
    document = pdf(objects=[picture.encode(), drawn.encode()])
    return document.replace(b"/Contents 4 0 R", b"/Contents 7 0 R").replace(
        b"/F1 3 0 R >>", b"/F1 3 0 R >> /XObject << /X 6 0 R >>"
    )


def letter(receiver: str = "boris") -> bytes:
    return mail().replace(b"boris@", f"{receiver}@".encode())


PAIRS = {
    "total in a footer": (page("<footer>Total 120</footer>"), page("<footer>Total 150</footer>")),
    "name in a sidebar": (page("<aside>For Ana</aside>"), page("<aside>For Ida</aside>")),
    "stock beside a button": (page("<div class=buy>in stock</div>"), page("<div class=buy>sold out</div>")),
    "box": (page("<input type=checkbox>"), page("<input type=checkbox checked>")),
    "value": (page("<input value=12>"), page("<input value=21>")),
    "choice": (
        page("<select><option>yes<option selected>no</select>"),
        page("<select><option selected>yes<option>no</select>"),
    ),
    "area": (page("<textarea>yes</textarea>"), page("<textarea>no</textarea>")),
    "struck word": (
        page(f"<p>{PARAGRAPHS[0]} Fee <del>100</del> 200"),
        page(f"<p>{PARAGRAPHS[0]} Fee 100 <del>200</del>"),
    ),
    "raised digit": (page(f"<p>{PARAGRAPHS[0]} 10<sup>2</sup>"), page(f"<p>{PARAGRAPHS[0]} 102")),
    "meter": (page("<meter value=1></meter>"), page("<meter value=2></meter>")),
    "picture": (page("<img alt=paid>"), page("<img alt=due>")),
    "docx head": (docx(head="For Ana"), docx(head="For Ida")),
    "docx struck": (docx(), docx("<w:rPr><w:strike/></w:rPr>")),
    "docx change": (docx(), docx("<w:rPr><w:ins w:author='a'/></w:rPr>")),
    "odt head": (odt(head="For Ana"), odt(head="For Ida")),
    "odt box": (
        odt(f'<f:checkbox xmlns:f="{FORM}" f:current-state="checked"/>'),
        odt(f'<f:checkbox xmlns:f="{FORM}" f:current-state="unchecked"/>'),
    ),
    "rtf struck": (rtf(), rtf().replace(b"lamp on", b"{\\strike lamp} on")),
    "pdf box": (checked_pdf("Yes"), checked_pdf("Off")),
    "scan": (scan("00"), scan("FF")),
    "receiver": (letter(), letter("clara")),
    "markdown task": (plain("- [ ] "), plain("- [x] ")),
    "markdown picture": (plain("![paid](a)"), plain("![due](a)")),
    "markdown front": (plain("---\nfor: Ana\n---\n"), plain("---\nfor: Ida\n---\n")),
    "markdown struck": (plain("# "), plain("# ").replace(b"lamp on", b"~~lamp~~ on")),
    "xml attribute": (other_xml(inside='<sum unit="EUR">5</sum>'), other_xml(inside='<sum unit="USD">5</sum>')),
    "mhtml": (mhtml(page("<footer>1</footer>")), mhtml(page("<footer>2</footer>"))),
    "gzip": (gzip.compress(page("<footer>1</footer>")), gzip.compress(page("<footer>2</footer>"))),
}


@pytest.mark.parametrize("case", PAIRS)
def test_equal_texts_have_different_remainders(case: str) -> None:
    name = "a.md" if case.startswith("markdown") else None
    first, second = (extract(data, name=name, remainder=True) for data in PAIRS[case])
    assert first.text == second.text
    assert first.remainder != second.remainder
    assert extract(PAIRS[case][0], name=name).remainder == ""


@pytest.mark.parametrize("data", [html(), docx(), odt(), rtf(), pdf(), plain("# "), plain(), other_xml()])
def test_a_document_that_is_its_text_has_none(data: bytes) -> None:
    assert extract(data, remainder=True).remainder == ""


def test_white_space_and_scripts_are_not_shown() -> None:
    first = extract(page("<footer>Total 120</footer>"), remainder=True)
    other = page("\n<footer>\n Total\n120 <script>count(7)</script><input type=hidden value=9></footer>\n")
    assert extract(other, remainder=True) == first
