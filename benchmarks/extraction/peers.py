"""Other libraries that take the text of a web page or of a PDF, on the same documents."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable

import lxml.html

from benchmarks.measuring import version
from simhash_doc.extract import extract
from simhash_doc.extract.decoding import decode
from simhash_doc.extract.html import read_part

Taker = Callable[[bytes], str]


def of_web_pages() -> dict[str, Taker]:
    """Return the ways of taking the text of a page: what is installed of them."""
    takers: dict[str, Taker] = {"simhash_doc": lambda data: extract(data).text, "the whole page": read_part}
    if found := version("trafilatura"):
        import trafilatura

        logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
        for named, options in (
            ("favour precision", {"favor_precision": True}),
            ("default", {}),
            ("favour recall", {"favor_recall": True}),
        ):

            def taken(data: bytes, options: dict[str, bool] = options) -> str:
                return trafilatura.extract(decode(data, markup=True)[0], include_comments=False, **options) or ""

            takers[f"trafilatura {found}, {named}"] = taken
    if found := version("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        takers[f"resiliparse {found}, main content"] = lambda data: extract_plain_text(
            decode(data, markup=True)[0], main_content=True
        )
    if found := version("readability-lxml"):
        import readability

        def summary(data: bytes) -> str:
            return str(
                lxml.html.fromstring(readability.Document(decode(data, markup=True)[0]).summary()).text_content()
            )

        takers[f"readability-lxml {found}"] = summary
    if found := version("jusText"):
        import justext

        takers[f"jusText {found}, no stop list"] = lambda data: "\n".join(
            paragraph.text
            for paragraph in justext.justext(
                data, frozenset(), length_low=0, length_high=0, stopwords_low=0, stopwords_high=0
            )
            if not paragraph.is_boilerplate
        )
    return takers


def of_pdfs() -> dict[str, Taker]:
    """Return the ways of taking the text of a PDF: what is installed of them."""
    import pypdfium2

    def plain(data: bytes) -> str:
        return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data))

    takers: dict[str, Taker] = {
        "simhash_doc": lambda data: extract(data).text,
        f"pypdfium2 {version('pypdfium2')}, as it comes": plain,
    }
    if found := version("pypdf"):
        import pypdf

        takers[f"pypdf {found}"] = lambda data: "\n".join(
            page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages
        )
    if found := version("pdfminer.six"):
        from pdfminer.high_level import extract_text

        takers[f"pdfminer.six {found}"] = lambda data: str(extract_text(io.BytesIO(data)))
    return takers
