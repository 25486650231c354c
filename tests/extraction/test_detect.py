"""The format follows from the structure of the content: a text about a format is a text."""

from __future__ import annotations

import io
import tarfile
import zipfile

import pytest

from simhash_doc_extraction import detect, extract
from tests.extraction.samples import archive, docx_parts

PROSE = (
    "The old ferry left the harbour every morning at six, carrying milk and newspapers. "
    "Its captain had learned the currents from his grandmother, who rowed the same route.\n\n"
) * 3

BEGINNINGS = {
    "BM": "Bitmaps", "BZh": "bzip2", "GIF8": "GIF", "GIF89a": "GIF", "ID3": "MP3", "MZ": "programs", "OggS": "Ogg",
    "PAR1": "Parquet", "PK": "ZIP", "RIFF": "RIFF", "RIFF size WAVE": "RIFF", "RIFF....WAVE": "RIFF", "RIFF1234AVI LIST": "RIFF", "WARC/1.1": "WARC", "WARC/1.0\nis": "WARC",
    "filedesc://": "ARC", "fLaC": "FLAC", "II*": "TIFF", "MM": "TIFF", "Rar!": "RAR", "7z": "7-Zip", "7zXZ": "xz",
    "SQLite format 3": "SQLite", "ELF": "programs", "PNG": "PNG", "the ftyp": "MPEG-4", "size" + "ftyp": "MPEG-4",
    "%!PS": "PostScript", "%!PS\n\nis": "PostScript", "%!PS-Adobe-3.0": "PostScript", "%!PS-Adobe-3.0 EPSF-3.0\nis": "EPS",
    "%PDF-": "PDF", "%PDF-1.7": "PDF", "%PDF-1.7\nis": "PDF", "A file begins with %PDF-1.7, which": "PDF",
    "A file begins with\n%PDF-1.7\nand this": "PDF", "x" * 257 + "ustar": "tar", "{\\rtf1": "RTF", "{\\rtf": "RTF",
    "MIME-Version: 1.0": "MHTML", "Content-Type: multipart/related": "MHTML", "PK\\x03\\x04": "ZIP",
}  # fmt: skip


@pytest.mark.parametrize("name", ["notes.txt", "notes.md", "notes", None])
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_text_about_a_format_is_a_text(beginning: str, name: str | None) -> None:
    for text in (f"{beginning} is how files of {BEGINNINGS[beginning]} begin. {PROSE}", f"{beginning}\n\n{PROSE}"):
        for data in (text.encode(), text.replace("\n", "\r\n").encode()):
            assert detect(data, name) == ("markdown" if name == "notes.md" else "text")


def test_a_tutorial_with_a_complete_small_pdf_is_a_text() -> None:
    example = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\nstartxref\n9\n%%EOF\n"
    assert detect(f"A small PDF:\n\n{example}\n{PROSE}".encode(), "pdf.txt") == "text"
    assert detect(f"%PDF-1.4, the first line; then follows 1 0 obj. {PROSE}".encode()) == "text"
    assert detect(example.encode(), "pdf.txt") == "pdf"
    assert detect(b"HTTP/1.1 200 OK\r\n\r\n" + example.encode()) == "pdf"


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        file.addfile(tarfile.TarInfo("a.txt"))
    return out.getvalue()


FILES = {
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n", "warc": b"WARC/1.0\r\nWARC-Type: warcinfo\r\n",
    "rtf": b"{\\rtf1\\ansi x}", "PostScript": b"%!PS-Adobe-3.0\n%%Title: x\n/a { 1 } def\n", "tar archive": _tar(),
    "GIF image": b"GIF89a\x01\x00\x01\x00\x80\x01\x00\xff\xff\xff", "Ogg audio or video": b"OggS\0\2" + bytes(20),
    "FLAC audio": b"fLaC\0\0\0\x22" + bytes(34), "MP3 audio": b"ID3\3\0\0\0\0\x0f\x76TIT2", "bzip2": b"BZh91AY&SY\0\1",
    "program": b"MZ\x90\0\3\0\0\0\4\0", "bitmap image": b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0",
    "MPEG-4 audio or video": b"\0\0\0\x20ftypisom\0\0\2\0", "Parquet file": b"PAR1\x15\4\x15\x10",
    "RIFF audio, video or image": b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0", "PNG image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
}  # fmt: skip


@pytest.mark.parametrize("document_format", FILES)
@pytest.mark.parametrize("name", ["notes.txt", None])
def test_a_file_of_a_format_is_recognised_whatever_its_name(document_format: str, name: str | None) -> None:
    assert detect(FILES[document_format], name) == document_format


def test_a_damaged_archive_is_named_as_what_it_is() -> None:
    parts = docx_parts()
    complete = archive(parts)
    for main, document_format in {"xl/workbook.xml": "Excel workbook", "ppt/presentation.xml": "PowerPoint presentation",
                                  "word/document.xml": "docx"}.items():  # fmt: skip
        data = archive({"[Content_Types].xml": "<Types/>", main: "<x/>", "other/a.xml": "<y/>" * 200})
        at = data.index(b"other/a.xml")
        for damaged in (
            data[:at],
            data[: at + 40],
            data.replace(b"PK\x01\x02", b"XXXX"),
            b"PK\x03\x04" + main.encode(),
        ):
            assert detect(damaged) == document_format
    assert detect(complete[: len(complete) // 2]) == "docx"
    inner = archive({"notes.txt": "about xl/workbook.xml", "copies/xl/workbook.xml.bak": "x"})
    assert detect(inner) == "ZIP archive"
    assert zipfile.is_zipfile(io.BytesIO(inner))


STARTS = [
    '<p align="center"><img src="logo.png"></p>', "<details>\n<summary>Contents</summary>\n\n- x\n\n</details>",
    "<h1 align=center>Ferry</h1>", "<!-- a comment -->", "<!-- a comment -->\n<p>", "<!-- an unclosed comment", "<div>",
    '<a href="x"><img src="badge.svg"></a>', "<br>", "<img src='x'/>", '<?xml version="1.0"?> is how XML begins.',
    '<?xml version="1.0"?>\n<note>an example</note>\n', "<!DOCTYPE html> is the first line of a page.", "<script> is a tag.",
    "<html> is the outermost element.", "<body> is an element.", "<head> is another.", "<title>", "<style>", "<textarea>",
    "<T> is a parameter.", "<note>an example</note>", "<center>", "<table><tr><td>x</td></tr></table>", "<kbd>x</kbd>",
    "<article xmlns='http://docbook.org/ns/docbook'><para>example</para></article>", "<TEI> is an element.", "<svg/>",
]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "a.markdown",
        "a.adoc",
        "a.asc",
        "a.txt",
        "A.TXT",
        "README",
        "ChangeLog",
        "a.wiki",
        "a.mdx",
        "a.Rmd",
        "https://example.org/a/readme.rst",
    ],
)
@pytest.mark.parametrize("start", STARTS)
def test_a_text_that_begins_with_a_tag_is_a_text(start: str, name: str) -> None:
    extracted = extract(f"{start}\n\n# Ferry\n\n{PROSE}".encode(), name=name)
    expected = {
        "md": "markdown",
        "markdown": "markdown",
        "adoc": "asciidoc",
        "asc": "asciidoc",
        "mdx": "markdown",
        "Rmd": "markdown",
    }
    assert extracted.format == expected.get(name.rpartition(".")[2], "text")
    assert extracted.text.count("grandmother") == 3


def test_a_text_without_a_name_of_one_can_mention_a_tag_that_hides_what_follows() -> None:
    for tag in ("script", "SCRIPT", "style", "textarea", "title", "xmp"):
        text = f"<p align=center>Ferry</p>\n\nInsert the `<{tag}>` tag.\n\n{PROSE}"
        assert extract(text.encode()).text.count("grandmother") == 3
        assert detect(f"{text}</{tag}>".encode()) == "html"
        assert detect(f"<!DOCTYPE html>{text}".encode()) == "html"
        assert detect(f"<references><{tag.lower()}/></references>".encode()) == "xml"


PAGES = [
    "<!DOCTYPE html><p>words", "<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n<title>x</title><p>words", "<html><p>words",
    "<html>\n<!-- x --><body>words</body></html>", "<head><title>x</title></head><p>words", "<body>words</body>",
    "<!-- saved -->\n<!DOCTYPE html>\n<html lang=en><body>words", '<?xml version="1.0"?>\n<html><body><p>words</p></body></html>',
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_a_page_whatever_its_name(page: str) -> None:
    for name in ("page.txt", "page.md", "page.pdf", None):
        assert detect(page.encode(), name) == "html"


def test_xml_is_xml_whatever_its_name() -> None:
    for data in (b'<?xml version="1.0"?><note>words</note>', b'<note xmlns="urn:a">words</note>'):
        assert detect(data, "note.txt") == "xml"
        assert detect(data.replace(b"words", b"words " * 20_000)[: 64 * 1024], "note.txt") == "xml"


GREEK = "Ο μυλωνάς μετρά το νερό κάθε πρωί πριν ανοίξει τη βαριά πόρτα. "
LATIN = "The miller counts the water each morning before he opens the heavy door. "
LIMIT = 64 * 1024


def large_page(start: str, sentence: str) -> bytes:
    """Return a page with scripts, comments and styles in turn, so that some of them are across each offset."""
    parts = [
        f"<p>{sentence * 2}</p>",
        "<script>" + "var filler = '<p>';\n" * 9 + "</script>",
        "<style>" + "p { color: red }\n" * 5 + "</style>",
        f"<!-- {sentence} -->",
        f"<title>{sentence}</title><textarea>{sentence}</textarea>",
    ]
    page = start
    while len(page.encode()) < LIMIT + 6000:
        page += "".join(parts)
    return page.encode()


@pytest.mark.parametrize("sentence", [GREEK, LATIN])
@pytest.mark.parametrize(
    "start", ["<meta charset=utf-8><title>t</title>", "<center><table><tr><td>", "<!DOCTYPE html><html><body>", "<div>"]
)
def test_the_format_of_a_page_does_not_change_with_the_place_of_a_cut(start: str, sentence: str) -> None:
    page = large_page(start, sentence)
    places = [*range(LIMIT - 60, LIMIT + 60), *range(LIMIT - 3000, LIMIT + 3000, 97)]
    assert {detect(page[:end]) for end in places if end >= LIMIT} == {"html"}
    assert {detect(page[:end], "page.html") for end in places} == {"html"}
    assert {detect(page[:end], media_type="text/html") for end in places} == {"html"}
    shifted = (start.encode() + b"<!--" + b"x" * more + b"-->" + page[len(start) :] for more in range(0, 4000, 61))
    assert {detect(data) for data in shifted} == {"html"}


@pytest.mark.parametrize("tag", ["catalogue", "log"])
def test_the_format_of_xml_does_not_change_with_the_place_of_a_cut(tag: str) -> None:
    data = f"<{tag}>{'<entry>The keeper sang.</entry>' * 4000}</{tag}>".encode()
    assert {detect(data[:end]) for end in [*range(LIMIT, LIMIT + 90), len(data)]} == {"xml"}


WORDS_FIRST = b"Words before the first tag <p>The keeper climbed the stairs.</p>"


@pytest.mark.parametrize(
    ("name", "media_type", "expected"),
    [
        ("page.html", None, "html"),
        ("https://example.org/page.htm?print=1#top", None, "html"),
        ("page.txt", "text/html", "html"),
        ("readme.md", "application/xhtml+xml", "html"),
        (None, "text/html", "html"),
        ("page.html", "text/plain", "text"),
        ("page", None, "text"),
        (None, None, "text"),
    ],
)
def test_a_declared_page_that_begins_with_words_is_a_page(
    name: str | None, media_type: str | None, expected: str
) -> None:
    assert detect(WORDS_FIRST, name, media_type) == expected


def test_a_text_that_is_declared_as_a_page_is_read_with_a_warning() -> None:
    text = b"Rain if a < b, and no tag at all."
    assert extract(text, name="a.html").warnings == (
        "read as plain text: it has no tags, and its name ends with .html",
    )
    found = extract(text, content_type="text/html")
    assert (found.format, found.warnings) == (
        "text",
        ("read as plain text: it has no tags, and its type is text/html",),
    )
    assert extract(text, name="a.txt").warnings == ()
