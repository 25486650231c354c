"""Measure the time of PDFs: our text, the parts of pdfium alone, and the command pdftotext.

    python -m benchmarks.extraction.pdf_time FOLDER    # docs/benchmarks/pdf-time.json

All read each PDF below FOLDER in turn, several times, and the median of the processor time counts. The parts of pdfium
are what every reader of it pays: *pages* loads each page, *text page* also places its characters, and *text* also
returns the text of the page, which is not yet in reading order and has no marks of paragraphs. The time of pdftotext
is that of its process, which starts and reads no Python.
"""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pypdfium2

from benchmarks import results
from benchmarks.measuring import machine, parser_of, version
from simhash_doc_extraction import extract

ROUNDS = 5


def pages(data: bytes) -> None:
    """Load each page."""
    for page in pypdfium2.PdfDocument(data):
        page.close()


def text_pages(data: bytes) -> None:
    """Load each page with its characters."""
    for page in pypdfium2.PdfDocument(data):
        page.get_textpage().close()


def texts(data: bytes) -> None:
    """Return the text of each page."""
    for page in pypdfium2.PdfDocument(data):
        page.get_textpage().get_text_range()


def pdftotext(data: bytes) -> None:
    """Run the command."""
    subprocess.run(["pdftotext", "-q", "-enc", "UTF-8", "-", "-"], input=data, stdout=subprocess.DEVNULL, check=True)


READERS: dict[str, Callable[[bytes], object]] = {
    "here": extract,
    "pdfium, pages": pages,
    "pdfium, text page": text_pages,
    "pdfium, text": texts,
    "pdftotext": pdftotext,
}


def cpu_seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    files = [path.read_bytes() for path in sorted(parser.parse_args().folder.rglob("*.pdf"))]
    for read in READERS.values():  # imports
        read(files[0])
    rows = []
    for data in files:
        times: dict[str, list[float]] = {name: [] for name in READERS}
        for _ in range(ROUNDS):
            for name, read in READERS.items():
                begun = cpu_seconds()
                read(data)
                times[name].append(cpu_seconds() - begun)
        rows.append({name: median(found) for name, found in times.items()})
    total = {name: round(sum(row[name] for row in rows), 3) for name in READERS}
    results.write(
        "pdf-time",
        {
            "machine": machine(),
            "command": "python -m benchmarks.extraction.pdf_time FOLDER",
            "versions": {"pypdfium2": version("pypdfium2")},
            "files": len(files),
            "bytes": sum(map(len, files)),
            "seconds": total,
            "ratio_to_pdftotext": {name: round(one / total["pdftotext"], 2) for name, one in total.items()},
        },
    )


if __name__ == "__main__":
    main()
