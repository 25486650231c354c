"""Extraction: works written for this suite, each in many formats, and the maximum distance of their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

from generators.case_builder import Draft, draft
from generators.formats import (
    boilerplate,
    html,
    office,
    office_places,
    panels,
    pdf,
    pdf_places,
    screens,
    text,
    wide_letters,
    xml,
    xml_places,
)
from generators.formats.work import Work, Written, read_work

FOLDER = "extraction"
# Bits that may differ (SD-EXTRACT-1 and following).
TOLERANCE = {"sd64": 3, "sd256": 10}
TOLERANCE_PDF = {"sd64": 6, "sd256": 18}
# Each work, and the encoding that documents of its language had before UTF-8.
WORKS = {
    "tide-mill": "cp1252",
    "protokolle": "cp1252",
    "phare": "cp1252",
    "chaguan": "gb18030",
    "madhumakkhi": "utf-16",
    "bustan": "cp1256",
}
LABELS = {"cp1252": "windows-1252", "cp1256": "windows-1256", "gb18030": "gb18030", "utf-16": "utf-8"}
BASIC = "SD-EXTRACT-1"
# The requirement about parts of each role, in a work and around it.
REQUIREMENTS = {
    "SD-EXTRACT-2": ("caption", "table"),
    "SD-EXTRACT-3": ("quote",),
    "SD-EXTRACT-4": ("footnote", "reference"),
    "SD-EXTRACT-5": (
        "metadata",
        "script",
        "style",
        "deleted text",
        "hidden text",
        "formatted as hidden",
        "hidden dialog",
        "hidden in print",
        "copy for small screens",
    ),
    "SD-EXTRACT-6": ("comments", "navigation", "sidebar", "footer", "banner"),
    "SD-EXTRACT-7": ("running head",),
}


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the vectors. `name` is the file name that an implementation gets."""

    file: str
    work: Work
    format: str
    written: Written
    comment: str
    encoding: str = "utf-8"
    declared: str | None = None
    name: str | None = None
    requirements: tuple[str, ...] = ()

    @property
    def all_requirements(self) -> tuple[str, ...]:
        roles = {part.role for part in (*self.work.parts, *self.written.around)}
        named = {requirement for requirement, about in REQUIREMENTS.items() if roles.intersection(about)}
        return tuple(sorted({BASIC, "SD-EXTRACT-8", *named, *self.requirements}, key=_number))


def _number(requirement: str) -> int:
    return int(requirement.rpartition("-")[2])


@cache
def documents() -> dict[str, Document]:
    """Return every document by its file name."""
    found = [document for name, legacy in WORKS.items() for document in _of_work(read_work(name), legacy)]
    return {
        document.file: document
        for document in (*found, *_with_boilerplate(), *_with_panels(), *_with_places(), *_with_pdf_places())
    }


def _with_boilerplate() -> Iterator[Document]:
    """Each class of boilerplate in three languages, each in another design."""
    for number, kind in enumerate(boilerplate.KINDS):
        for shift, name in enumerate(("tide-mill", ("protokolle", "phare")[number % 2], "chaguan")):
            work = read_work(name)
            design = (number + shift) % boilerplate.DESIGNS
            comment = f"a page with furniture of one class: {kind}"
            yield Document(f"{name}-with-{kind}.html", work, "html", boilerplate.page(work, kind, design), comment)


def _with_panels() -> Iterator[Document]:
    """Sections that a reader opens, in a design for each of three languages."""
    for design, name in enumerate(("tide-mill", "phare", "chaguan")):
        work = read_work(name)
        comment = "a page whose sections are in closed panels"
        yield Document(f"{name}-with-panels.html", work, "html", panels.page(work, design), comment)
    work, comment = read_work("tide-mill"), "a page whose sections are hidden on some screens, or until a script runs"
    yield Document("tide-mill-with-screens.html", work, "html", screens.page(work), comment)


def _with_places() -> Iterator[Document]:
    """Office documents and XML whose text is in many places."""
    for name, document_format, write, comment in (
        ("tide-mill", "docx", office_places.docx, "a Word document: text boxes, shapes, inserted pages, hidden text"),
        ("protokolle", "odt", office_places.odt, "a flat OpenDocument text: text boxes, objects, hidden text"),
        ("chaguan", "epub", office_places.epub, "a book with wrong media types, fallbacks and chapters to repair"),
        ("chaguan", "rtf", office_places.rtf, "Rich Text: bytes in code pages, text boxes, objects, hidden text"),
    ):
        ending = "fodt" if document_format == "odt" else document_format
        work = read_work(name)
        yield Document(f"{name}-places.{ending}", work, document_format, write(work), comment)
    for name, document_format, write, comment in (
        ("tide-mill", "jats", xml_places.jats, "an article in a harvested set, with alternatives"),
        ("protokolle", "tei", xml_places.tei, "an edition: words of a corpus, broken lines, other readings"),
        ("chaguan", "docbook", xml_places.docbook, "an article of other files, with fallbacks"),
    ):
        work = read_work(name)
        broken = ("SD-EXTRACT-7",) if document_format == "tei" else ()
        yield Document(
            f"{name}-places-{document_format}.xml", work, document_format, write(work), comment, requirements=broken
        )


def _with_pdf_places() -> Iterator[Document]:
    """PDFs whose text is in many places."""
    for name in ("tide-mill", "protokolle", "phare"):
        work = read_work(name)
        comment = "a PDF with text in fields, annotations, a layer that is off and at the edges of its pages"
        requirements = ("SD-EXTRACT-7",)
        yield Document(f"{name}-places.pdf", work, "pdf", pdf_places.pdf(work), comment, requirements=requirements)


def _of_work(work: Work, legacy: str) -> Iterator[Document]:
    def made(
        ending: str,
        format_name: str,
        written: Written,
        comment: str,
        encoding: str = "utf-8",
        *requirements: str,
        declared: str | None = None,
    ) -> Document:
        return Document(
            f"{work.name}-{ending}", work, format_name, written, comment, encoding, declared, None, requirements
        )

    yield made("page-1.html", "html", html.page_one(work), "a newspaper's page: navigation, sidebar, cookies, footer")
    yield made("page-2.html", "html", html.page_two(work), "a magazine's page: menu, shares, readers' comments")
    yield made("page-3.html", "html", html.page_three(work), "a library's page: bread crumbs, notice, drop cap")
    yield made("article.xhtml", "xhtml", html.xhtml(work), "a page in XHTML with nothing around the article")
    yield made("article.epub", "epub", office.epub(work), "a book in chapters with a table of contents")
    yield made("article.docx", "docx", office.docx(work), "a Word document whose runs cut words")
    yield made("article.odt", "odt", office.odt(work), "an OpenDocument text with deleted text in its history")
    yield made("article.rtf", "rtf", office.rtf(work), "Rich Text with a header and characters as numbers")
    yield made("article.md", "markdown", text.markdown(work), "Markdown with front matter")
    if work.language == "en":
        comment = "Markdown that begins with a tag and mentions one that is never closed"
        yield made("readme.md", "markdown", text.readme(work), comment, "utf-8", "SD-EXTRACT-10")
    yield made("article.txt", "text", text.plain(work), "plain text in UTF-8")
    yield made(
        "utf-16.txt", "text", text.plain(work, "utf-16"), "plain text in UTF-16 with a mark", "utf-16", "SD-EXTRACT-9"
    )
    if legacy != "utf-16":
        label = LABELS[legacy]
        page = html.plain_page(work, legacy)
        comment = f"a page that declares {label}"
        yield made(f"{label}.html", "html", page, comment, legacy, "SD-EXTRACT-9")
        if work.language == "fr":
            mention = '<!-- <meta charset="koi8-r"> --><meta name="description" content="charset=koi8-r">'
            declared = Written(page.content.replace(b"<meta charset=", mention.encode("ascii") + b"<meta charset=", 1))
            comment = f"a page that declares {label} after a comment and a description that mention another encoding"
            yield made("mentions.html", "html", declared, comment, legacy, "SD-EXTRACT-9")
        undeclared = Written(page.content.replace(f'<meta charset="{legacy}">\n'.encode("ascii"), b""))
        archive = text.warc(work, undeclared, label)
        comment = f"a web archive whose response declares {label} in its header"
        yield made("archive.warc", "warc", archive, comment, legacy, "SD-EXTRACT-9")
    if work.language in ("fr", "zh", "ar"):
        page = html.plain_page(work, declared=legacy)
        comment = f"a page in UTF-8 that declares {LABELS[legacy]}"
        yield made("misdeclared.html", "html", page, comment, "utf-8", "SD-EXTRACT-9", declared=legacy)
    if work.language in ("fr", "zh"):
        encoding = "utf-8" if work.language == "fr" else legacy
        page = html.damaged(html.plain_page(work, encoding))
        comment = f"a page that declares {LABELS.get(encoding, encoding)}, in which three bytes are ill-formed"
        yield made("damaged.html", "html", page, comment, encoding, "SD-EXTRACT-9")
    if work.language in ("en", "zh", "ar"):
        yield made("article-jats.xml", "jats", xml.jats(work), "JATS with its front matter")
    if work.language in ("en", "fr", "hi"):
        yield made("article-tei.xml", "tei", xml.tei(work), "TEI with its header")
    if work.language in ("en", "de", "zh"):
        yield made("article-docbook.xml", "docbook", xml.docbook(work), "DocBook with its information")
    if work.language in ("en", "de", "fr"):
        written, comment = pdf.pdf(work, pdf.ONE_COLUMN), "a PDF in one column: running heads, hyphens, ligatures"
        yield made("one-column.pdf", "pdf", written, comment, "utf-8", "SD-EXTRACT-7")
        written, comment = pdf.pdf(work, pdf.THREE_COLUMNS), "a PDF in three columns: running heads, many hyphens"
        yield made("three-columns.pdf", "pdf", written, comment, "utf-8", "SD-EXTRACT-7")
        comment = "a PDF with the letters of headings and of every second paragraph set wide"
        yield made("wide-letters.pdf", "pdf", wide_letters.pdf(work), comment, "utf-8", "SD-EXTRACT-8")
    if work.language == "zh":
        comment = "a PDF in large print, whose line ends are not the text's"
        yield made("large-print.pdf", "pdf", pdf.pdf(work, pdf.FULL_WIDTH), comment, "utf-8", "SD-EXTRACT-7")


def each_document() -> Iterator[Draft]:
    """Each document gives the text of its work."""
    for document in documents().values():
        yield _draft(f"extract/{document.file}", document, document.all_requirements, document.comment)


def wrong_names() -> Iterator[Draft]:
    """The content determines the format, whatever the name."""
    for file, name in (
        ("tide-mill-page-1.html", "tide-mill.txt"),
        ("protokolle-three-columns.pdf", "protokolle.html"),
        ("phare-article.docx", "phare.pdf"),
        ("chaguan-article.epub", "chaguan"),
        ("tide-mill-article-jats.xml", "tide-mill.docx"),
    ):
        document = documents()[file]
        comment = f"{document.format} with the name {name}"
        case = _draft(f"extract/named/{file}", document, ("SD-EXTRACT-10",), comment, "name")
        yield replace(case, members={**case.members, "name": name})


def redesigns() -> Iterator[Draft]:
    """One article in three designs: the texts are pairwise similar."""
    for name in WORKS:
        first, second, third = (documents()[f"{name}-page-{n}.html"] for n in (1, 2, 3))
        for number, (one, others) in enumerate(((first, (second, third)), (second, (third,))), 1):
            same = [{"file": f"{FOLDER}/{other.file}", "name": other.file} for other in others]
            comment = "the same article in another design moves at most 3 bits"
            case = partial(draft, f"extract/redesign/{name}-{number}", "extract", "SD-EXTRACT-6", comment, "redesign")
            yield case(language=one.work.language, same=same, file=f"{FOLDER}/{one.file}", name=one.file)


def no_text() -> Iterator[Draft]:
    """A document without text is an error, never an empty text."""
    required = ("SD-EXTRACT-11", "SD-EXTRACT-13")
    comments = {
        "scan.pdf": "a PDF with only a picture",
        "empty.html": "a page without words",
        "empty.txt": "an empty file",
    }
    for file, comment in comments.items():
        case = partial(draft, f"extract/no-text/{file}", "extract", required, comment, "negative")
        yield case(file=f"{FOLDER}/{file}", name=file)


EMPTY = {
    "scan.pdf": pdf.scanned().content,
    "empty.html": b"<!DOCTYPE html>\n<html><head><title></title><script>start()</script></head><body><main></main></body></html>\n",
    "empty.txt": b"",
}
FORMAT_OF_EMPTY = {"scan.pdf": "pdf", "empty.html": "html", "empty.txt": "text"}
GENERATORS = (each_document, wrong_names, redesigns, no_text)


def format_of(file: str) -> str:
    """Return the format of a file of the vectors."""
    name = file.removeprefix(f"{FOLDER}/")
    return FORMAT_OF_EMPTY.get(name) or documents()[name].format


def tolerance(file: str) -> dict[str, int]:
    """Return the maximum distance from the text of the work, for 64 and for 256 bits."""
    return TOLERANCE_PDF if format_of(file) == "pdf" else TOLERANCE


def _draft(case_id: str, document: Document, requirements: tuple[str, ...], comment: str, *flags: str) -> Draft:
    required = (*requirements, "SD-EXTRACT-12")
    case = partial(draft, case_id, "extract", required, comment, *flags, language=document.work.language)
    return case(file=f"{FOLDER}/{document.file}", name=document.file)


def files() -> dict[str, bytes]:
    """Return every file of the documents by its path below the vectors."""
    written = {document.file: document.written.content for document in documents().values()}
    return {f"{FOLDER}/{name}": content for name, content in {**written, **EMPTY}.items()}


def truth() -> dict[str, object]:
    """Return the truth about each document: the parts of its work, the text around it, and the broken words."""
    return {
        "works": {
            name: {"language": work.language, "parts": [[part.role, part.text] for part in work.parts]}
            for name in WORKS
            for work in (read_work(name),)
        },
        "documents": {
            f"{FOLDER}/{document.file}": {
                "work": document.work.name,
                "encoding": document.encoding,
                "declared": document.declared or document.encoding,
                "around": [[part.role, part.text] for part in document.written.around],
                "broken": [list(pair) for pair in document.written.broken],
            }
            for document in documents().values()
        },
    }
