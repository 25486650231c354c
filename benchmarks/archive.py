"""Time and memory of `simhash-doc archive annotate` for 10,000 captures of real pages.

    python -m benchmarks.archive FOLDER    # some minutes; FOLDER has saved pages, *.html

It writes docs/benchmarks/archive.json: processor time of all processes, and the peak memory of the largest of them.
"""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks import results
from benchmarks.measuring import machine, parser_of, seconds

CAPTURES = 10_000


def write_crawl(pages: list[Path], crawl: Path, index: Path) -> int:
    """Write the captures, each page several times, and their CDXJ. Return the bytes of the pages."""
    size = 0
    with crawl.open("wb") as file, index.open("w", encoding="utf-8") as lines:
        writer = WARCWriter(file, gzip=True)
        for number, page in enumerate(islice(cycle(pages), CAPTURES)):
            body, url = page.read_bytes(), f"https://example.org/{number:05}"
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            dated = {"WARC-Date": "2026-01-01T00:00:00Z"}
            payload = io.BytesIO(body)
            writer.write_record(
                writer.create_warc_record(url, "response", payload, http_headers=http, warc_headers_dict=dated)
            )
            lines.write(f"org,example)/{number:05} 20260101000000 {json.dumps({'url': url})}\n")
            size += len(body)
    return size


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    pages = sorted(parser.parse_args().folder.rglob("*.html"))
    with tempfile.TemporaryDirectory() as name:
        crawl, index, output = (Path(name, file) for file in ("crawl.warc.gz", "crawl.cdxj", "annotated.cdxj"))
        size = write_crawl(pages, crawl, index)
        command = [sys.executable, "-m", "simhash_doc", "archive", "annotate", "--index", index, crawl, "-o", output]
        elapsed = seconds(lambda: subprocess.run(command, check=False))  # 1: some pages have no text
        annotated = sum(b'"simhash":' in line for line in output.read_bytes().splitlines())
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    row = {
        "captures": CAPTURES,
        "different_pages": len(pages),
        "megabytes": round(size / 1e6),
        "annotated": annotated,
        "seconds": round(elapsed),
        "cpu_seconds": round(spent.ru_utime + spent.ru_stime),
        "peak_mb": round(spent.ru_maxrss / 1000),
    }
    print(row)
    results.write("archive", {"machine": machine(), **row})


if __name__ == "__main__":
    main()
