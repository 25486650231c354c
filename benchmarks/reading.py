"""Measure speed and memory of reading documents on the command line, with a folder of malicious ones.

    python -m benchmarks.reading

Writes docs/benchmarks/reading.json and docs/benchmarks/reading-tables.md. Takes some minutes.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import tables
from benchmarks.measuring import Row, isolated, machine
from benchmarks.worst_texts import ordinary_text
from tests.extract.mixed import write_mixed
from tests.extract.samples import PARAGRAPHS, html, warc

COMMAND = [sys.executable, "-c", "from simhash_doc.cli import main; main()", "fingerprint"]
MB = 1_000_000


def measured(what: str, *paths: Path, processes: int | None = None) -> Row:
    """Run the command on files or folders; None for the default number of processes.

    Returns:
        what was read; the number of documents, and of those without a fingerprint; the size of the files in MB, the
        time in seconds, and the peak memory of the largest process in MB; and the summary that the command printed.
    """
    size = sum(file.stat().st_size for path in paths for file in ([path] if path.is_file() else path.iterdir()))
    options = [] if processes is None else ["-j", str(processes)]
    start = time.perf_counter()
    (output, messages, peak), _ = isolated(_run, [*COMMAND, *options, *map(str, paths)])
    taken = time.perf_counter() - start
    summary = next((line for line in messages.splitlines() if " documents: " in line), "")
    failed = int(summary.split(" failed")[0].split()[-1].replace(",", "")) if " failed" in summary else 0
    documents = output.count("\n") + failed
    return {
        "what": what,
        "documents": documents,
        "failed": failed,
        "megabytes": size / MB,
        "seconds": taken,
        "peak_mb": peak,
        "summary": summary,
    }


def _run(command: list[str]) -> tuple[str, str, float]:
    """Return the output, the messages and the peak memory in MB of a command, in a process that starts nothing else."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    unit = 1000 if sys.platform == "linux" else 1_000_000
    return done.stdout, done.stderr, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit


def pages(count: int, seed: int = 1) -> list[tuple[str, bytes, dict[str, str]]]:
    """Return responses with different pages of about 30 kB each."""
    text = ordinary_text(30_000 * count, seed)
    responses = []
    for at in range(count):
        words = text[at * 30_000 : (at + 1) * 30_000]
        paragraphs = "".join(f"<p>{words[start : start + 600]}</p>" for start in range(0, len(words), 600))
        body = html().decode().replace(f"<p>{PARAGRAPHS[0]}</p>", paragraphs)
        responses.append((f"https://example.org/{seed}/{at}", body.encode(), {}))
    return responses


def main() -> None:
    """Measure, and write the results."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        mixed, small = root / "mixed", root / "small"
        for path in (mixed, small):
            path.mkdir()
        write_mixed(mixed, 1000)
        for at in range(3000):
            (small / f"{at}.txt").write_bytes(ordinary_text(15_000, at % 7).encode())
        crawl, large = root / "crawl.warc.gz", root / "large.txt"
        crawl.write_bytes(warc(pages(1000)))
        long_crawl = root / "long.warc.gz"
        with long_crawl.open("wb") as file:
            for seed in range(1, 11):
                file.write(warc(pages(1000, seed)))
        large.write_text(ordinary_text(MB) * 100, encoding="utf-8")
        runs = [
            measured("1,000 files in all formats, a tenth of them malicious or corrupt", mixed),
            measured("WARC file of 1,000 pages, 30 kB each, one process", crawl, processes=1),
            measured("WARC file of 1,000 pages, 30 kB each, two processes", crawl, processes=2),
            measured("WARC file of 10,000 pages, 30 kB each, two processes", long_crawl, processes=2),
            measured("3,000 plain texts, 15 kB each", small),
            measured("one plain text of 100 MB", large),
        ]
    tables.write("reading", {"machine": machine(), "runs": runs})


if __name__ == "__main__":
    main()
