"""Other libraries that extract the text of web pages."""

from __future__ import annotations

import logging
from collections.abc import Callable

from benchmarks.measuring import version
from simhash_doc.extract import extract
from simhash_doc.extract.detect import decode
from simhash_doc.extract.html.reader import read_part

Extractor = Callable[[bytes], str]


def web_page_extractors() -> dict[str, Extractor]:
    """Return the installed extractors of web pages by name."""
    extractors: dict[str, Extractor] = {"simhash_doc": lambda data: extract(data).text, "the complete page": read_part}
    if found := version("trafilatura"):
        import trafilatura

        logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
        extractors[f"trafilatura {found}, default"] = lambda data: (
            trafilatura.extract(decode(data, markup=True)[0], include_comments=False) or ""
        )
    if found := version("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        extractors[f"resiliparse {found}, main content"] = lambda data: extract_plain_text(
            decode(data, markup=True)[0], main_content=True
        )
    return extractors


def taken(take: Extractor, data: bytes) -> str:
    """Return the text that a library takes from a page. A library that fails gives no text."""
    try:
        return take(data)
    except Exception:
        return ""
