"""Count the places of each format that we and other libraries read.

    python -m benchmarks.extraction.places [-o FILE]

The tests build a document for each place where a format can show a word, and where it does not (tests/extraction,
*_places.py). A library reads a place if the word is in its text. Libraries that are not installed are left out:
mammoth, docx2python, odfpy, striprtf, pypdf, pypdfium2 and the command pandoc.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.measuring import parser_of
from benchmarks.results import rendered
from simhash_doc_extraction import ExtractionError, extract

WORD = "zebrawood"
Build = Callable[[str], bytes]
Read = Callable[[bytes], str]
MODULES = ("docbook", "docx", "epub", "fb2", "jats", "mhtml", "odt", "pdf", "rtf", "tei", "xml")
"""Formats with a module of places."""


def places(document_format: str) -> tuple[dict[str, Build], dict[str, Build]]:
    """Return the builders of the places that a format shows, and of those that it does not show."""
    if document_format in ("markdown", "asciidoc"):
        light = import_module("tests.extraction.light_places")
        shown, hidden = getattr(light, document_format.upper())
        return dict(shown), dict(hidden)
    made = import_module(f"tests.extraction.{document_format}_places")
    return dict(made.SHOWN), dict(made.NOT_SHOWN)


FORMATS = (*MODULES, "markdown", "asciidoc")


def ours(document_format: str) -> Read:
    """Return our reader of a format."""

    def read(data: bytes) -> str:
        try:
            return extract(data, format=document_format).text
        except ExtractionError:
            return ""

    return read


def counts(document_format: str, read: Read) -> dict[str, int]:
    """Return how many places a library reads that are shown, and how many that are not."""
    shown, hidden = places(document_format)
    found, leaked = (sum(WORD in _text(read, build) for build in some.values()) for some in (shown, hidden))
    return {"shown": len(shown), "read": found, "not shown": len(hidden), "read all the same": leaked}


def _text(read: Read, build: Build) -> str:
    try:
        return read(build(WORD))
    except Exception:  # a library fails in its own way: it has no text of the place
        return ""


def _in_file(read: Callable[[str], str], suffix: str) -> Read:
    """Return a reader of bytes that gives the path of a file to another one."""

    def read_bytes(data: bytes) -> str:
        with tempfile.NamedTemporaryFile(suffix=suffix) as file:
            file.write(data)
            file.flush()
            return read(file.name)

    return read_bytes


def _pandoc(form: str) -> Read:
    command = ["pandoc", "--from", form, "--to", "plain", "--wrap", "none"]
    return lambda data: subprocess.run(command, input=data, capture_output=True, check=True, timeout=60).stdout.decode()


def _mammoth(data: bytes) -> str:
    return str(import_module("mammoth").extract_raw_text(io.BytesIO(data)).value)


def _docx2python(path: str) -> str:
    with import_module("docx2python").docx2python(path) as document:
        return str(document.text)


def _odfpy(data: bytes) -> str:
    document = import_module("odf.opendocument").load(io.BytesIO(data))
    return str(import_module("odf.teletype").extractText(document.text))


def _striprtf(data: bytes) -> str:
    return str(import_module("striprtf.striprtf").rtf_to_text(data.decode("cp1252", "replace")))


def _pypdf(data: bytes) -> str:
    return "\n".join(page.extract_text() for page in import_module("pypdf").PdfReader(io.BytesIO(data)).pages)


def _pdfium(data: bytes) -> str:
    pages: Any = import_module("pypdfium2").PdfDocument(data)
    return "\n".join(page.get_textpage().get_text_range() for page in pages)


OTHERS: dict[str, dict[str, tuple[str, Read]]] = {
    "docx": {
        "mammoth": ("mammoth", _mammoth),
        "docx2python": ("docx2python", _in_file(_docx2python, ".docx")),
        "pandoc": ("", _pandoc("docx")),
    },
    "odt": {"odfpy": ("odf", _odfpy), "pandoc": ("", _pandoc("odt"))},
    "rtf": {"striprtf": ("striprtf", _striprtf), "pandoc": ("", _pandoc("rtf"))},
    "pdf": {"pypdf": ("pypdf", _pypdf), "pypdfium2": ("pypdfium2", _pdfium)},
    "epub": {"pandoc": ("", _pandoc("epub"))},
    "jats": {"pandoc": ("", _pandoc("jats"))},
    "docbook": {"pandoc": ("", _pandoc("docbook"))},
    "markdown": {"pandoc": ("", _pandoc("commonmark_x"))},
}
"""Format -> library -> the module that it needs, or "" for a command of its name, and its reader."""


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("-o", "--output", type=Path, help="write the figures to FILE as JSON")
    options = parser.parse_args()
    found: dict[str, dict[str, dict[str, int]]] = {}
    for document_format in FORMATS:
        readers = {"ours": ours(document_format)}
        for name, (module, read) in OTHERS.get(document_format, {}).items():
            if find_spec(module) if module else shutil.which(name):
                readers[name] = read
        found[document_format] = {name: counts(document_format, read) for name, read in readers.items()}
        for name, row in found[document_format].items():
            print(f"{document_format:<10} {name:<12}", *(f"{key} {value}" for key, value in row.items()))
    if options.output:
        options.output.write_text(rendered(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
