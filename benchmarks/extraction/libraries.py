"""Other libraries that extract the text of web pages."""

from __future__ import annotations

import logging
from collections.abc import Callable

import lxml.html

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
        for named, options in (
            ("favour precision", {"favor_precision": True}),
            ("default", {}),
            ("favour recall", {"favor_recall": True}),
        ):

            def taken(data: bytes, options: dict[str, bool] = options) -> str:
                return trafilatura.extract(decode(data, markup=True)[0], include_comments=False, **options) or ""

            extractors[f"trafilatura {found}, {named}"] = taken
    if found := version("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        extractors[f"resiliparse {found}, main content"] = lambda data: extract_plain_text(
            decode(data, markup=True)[0], main_content=True
        )
    if found := version("readability-lxml"):
        import readability

        def summary(data: bytes) -> str:
            return str(
                lxml.html.fromstring(readability.Document(decode(data, markup=True)[0]).summary()).text_content()
            )

        extractors[f"readability-lxml {found}"] = summary
    if found := version("newspaper4k"):
        extractors[f"newspaper4k {found}"] = _newspaper
    if found := version("jusText"):
        import justext

        english = justext.get_stoplist("English")
        extractors[f"jusText {found}, English"] = lambda data: "\n".join(
            paragraph.text for paragraph in justext.justext(data, english) if not paragraph.is_boilerplate
        )
        extractors[f"jusText {found}, no stop list"] = lambda data: "\n".join(
            paragraph.text
            for paragraph in justext.justext(
                data, frozenset(), length_low=0, length_high=0, stopwords_low=0, stopwords_high=0
            )
            if not paragraph.is_boilerplate
        )
    return extractors


def _newspaper(data: bytes) -> str:
    import newspaper

    article = newspaper.Article("https://example.org/", fetch_images=False)
    article.download(input_html=decode(data, markup=True)[0])
    article.parse()
    return f"{article.title}\n\n{article.text}"
