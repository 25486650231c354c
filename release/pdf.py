"""The specification as one PDF: tagged (PDF/UA-1), with bookmarks, and with the ids of requirements as destinations.

The same commit gives the same bytes with the same fonts and the same WeasyPrint. `build.py` writes it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin

from release.archives import ReleaseError, spec_files, spec_version

DOCUMENTS = (
    "simhash-doc.md",
    "appendices.md",
    "search.md",
    "extraction.md",
    "provenance.md",
    "errata.md",
    "CHANGES.md",
    "LICENSE.md",
    "rationale.md",
)
_REPOSITORY = "https://github.com/simhash-doc/simhash-doc"
_CREATED = "2026-01-01T00:00:00Z"  # as the times in the archives: the version says how old it is
_STYLE = """
@page { size: A4; margin: 22mm 18mm; @bottom-center { content: counter(page); font: 8pt "DejaVu Sans"; } }
@page :first { @bottom-center { content: none; } }
html { font: 9.5pt/1.45 "DejaVu Serif", "Noto Serif", "Noto Serif CJK SC", serif; }
section { break-before: page; }
h1, h2, h3, h4, nav, header { font-family: "DejaVu Sans", "Noto Sans", sans-serif; line-height: 1.25; }
h1, h2, h3, h4 { break-after: avoid; }
h1 { font-size: 17pt; } h2 { font-size: 13pt; } h3 { font-size: 11pt; } h4 { font-size: 10pt; }
header { margin-top: 60mm; } header p.title { bookmark-level: none; font-size: 24pt; font-weight: bold; }
code, pre { font: 8pt "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace; overflow-wrap: anywhere; }
pre { background: #f3f4f5; padding: 2mm; white-space: pre-wrap; }
table { border-collapse: collapse; font-size: 8pt; width: 100%; }
th, td { border-bottom: .3pt solid #8c959f; padding: 1mm 1.5mm; text-align: left; vertical-align: top; }
a { color: #0b5563; text-decoration: none; }
nav ol { list-style: none; padding: 0; } nav li { margin: .6mm 0; }
nav li.part { font-weight: bold; margin-top: 2.5mm; }
nav a::after { content: leader(".") target-counter(attr(href), page); }
"""


def specification_pdf() -> bytes:
    """Return the PDF of all documents of the specification.

    Raises:
        ReleaseError: WeasyPrint or its library Pango is not installed, or no installed font has some character.
    """
    try:
        from weasyprint import HTML
    except (ImportError, OSError) as error:
        raise ReleaseError(f"the PDF needs the package weasyprint and the library Pango: {error}") from error
    messages = _Messages()
    logger = logging.getLogger("weasyprint")
    logger.addHandler(messages)
    try:
        pdf = HTML(string=specification_html()).write_pdf(pdf_variant="pdf/ua-1")
    finally:
        logger.removeHandler(messages)
    if messages.texts:
        raise ReleaseError(f"WeasyPrint: {messages.texts[0]} (for more characters, install the Noto fonts)")
    return bytes(pdf or b"")


class _Messages(logging.Handler):
    """Keeps the warnings of WeasyPrint: of a character without a glyph, or of a link without a target."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def specification_html() -> str:
    """Return all documents of the specification as one page with a table of contents."""
    files, version = spec_files(), spec_version()
    title = f"simhash-doc {version}: specification"
    renderer, parts, contents = _renderer(), [], []
    for name in DOCUMENTS:
        tokens = _parsed(name, files[name].decode())
        contents += [_entry(level, anchor, text) for level, anchor, text in _headings(tokens)]
        parts.append(f"<section>{renderer.renderer.render(tokens, renderer.options, {})}</section>")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="dcterms.created" content="{_CREATED}"><style>{_STYLE}</style></head><body>'
        f'<header><p class="title">simhash-doc</p><p>Specification, version {version}</p></header>'
        f"<section><nav><ol>{''.join(contents)}</ol></nav></section>{''.join(parts)}</body></html>"
    )


def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table").use(anchors_plugin, max_level=4)


def _parsed(name: str, text: str) -> list[Token]:
    """Return the tokens of a document, whose anchors and links are those of the whole PDF."""
    tokens = _renderer().parse(text)
    for token in tokens:
        if token.type == "heading_open":
            token.attrSet("id", f"{name}--{token.attrGet('id')}" if token.tag != "h1" else name)
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _target(name, str(child.attrGet("href"))))
            elif child.type == "html_inline":  # the id of a requirement is unique in all documents
                child.content = re.sub(r'^<a id="(?!SD-)', f'<a id="{name}--', child.content)
    return tokens


def _target(name: str, href: str) -> str:
    """Return where a link of a document leads: within the PDF, or to a file of this version in the repository."""
    if re.match(r"[a-z]+:", href):
        return href
    path, _, fragment = href.partition("#")
    document = path or name
    if document not in DOCUMENTS:
        return f"{_REPOSITORY}/blob/spec/v{spec_version()}/spec/{path}"
    if fragment.startswith("SD-"):
        return f"#{fragment}"
    return f"#{document}--{fragment}" if fragment else f"#{document}"


def _headings(tokens: list[Token]) -> Iterator[tuple[int, str, str]]:
    """Yield the level, the anchor and the text of each heading of the first two levels."""
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open" and heading.tag in ("h1", "h2"):
            yield int(heading.tag[1]), str(heading.attrGet("id")), re.sub(r"[`*]|\]\([^)]*\)|\[", "", content.content)


def _entry(level: int, anchor: str, text: str) -> str:
    return f'<li{" class=part" if level == 1 else ""}><a href="#{anchor}">{text}</a></li>'
