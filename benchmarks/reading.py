"""Measure speed and memory of reading documents on the command line, with a folder of malicious ones.

    python -m benchmarks.reading

Writes docs/benchmarks/reading.json and docs/benchmarks/reading-tables.md. Takes some minutes.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from benchmarks.markdown import table
from benchmarks.measuring import machine
from tests.extract.mixed import write_mixed
from tests.extract.samples import PARAGRAPHS, html, warc

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "benchmarks"
COMMAND = [sys.executable, "-c", "from simhash_doc.cli import main; main()", "fingerprint"]
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the command.

    Attributes:
        what: what was read.
        documents: number of documents, with those that failed.
        failed: number of documents without a fingerprint.
        megabytes: size of the files, in MB.
        seconds: wall-clock time.
        peak_mb: peak memory of the largest process, in MB.
        summary: the summary that the command printed.
    """

    what: str
    documents: int
    failed: int
    megabytes: float
    seconds: float
    peak_mb: float
    summary: str


def measured(what: str, *paths: Path, processes: int | None = None) -> Run:
    """Run the command on files or folders, and return what was measured; None for the default number of processes."""
    size = sum(file.stat().st_size for path in paths for file in ([path] if path.is_file() else path.iterdir()))
    measuring = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], capture_output=True);"
        "sys.stdout.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) + '\\n' + str(done.returncode));"
        "sys.stdout.write('\\n' + str(done.stdout.count(b'\\n')) + '\\n' + done.stderr.decode())"
    )
    options = [] if processes is None else ["-j", str(processes)]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", measuring, *COMMAND, *options, *map(str, paths)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - start
    peak, _, lines, *messages = done.stdout.split("\n")
    summary = next((line for line in messages if " documents: " in line), "")
    failed = int(summary.split(" failed")[0].split()[-1].replace(",", "")) if " failed" in summary else 0
    unit = 1000 if sys.platform == "linux" else 1_000_000
    return Run(what, int(lines) + failed, failed, size / MB, seconds, int(peak) / unit, summary)


def english(size: int, seed: int) -> bytes:
    """Return text of `size` bytes with the word frequencies of a natural language."""
    block = _block(seed)
    return (block * (size // len(block) + 1))[:size]


@cache
def _block(seed: int) -> bytes:
    draw = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 9))) for _ in range(20_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    return " ".join(draw.choices(words, weights, k=200_000)).encode()


def pages(count: int, seed: int = 1) -> list[tuple[str, bytes, dict[str, str]]]:
    """Return responses with different pages of about 30 kB each."""
    text = english(30_000 * count, seed).decode()
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
            (small / f"{at}.txt").write_bytes(english(15_000, at % 7))
        crawl, large = root / "crawl.warc.gz", root / "large.txt"
        crawl.write_bytes(warc(pages(1000)))
        long_crawl = root / "long.warc.gz"
        with long_crawl.open("wb") as file:
            for seed in range(1, 11):
                file.write(warc(pages(1000, seed)))
        large.write_bytes(english(100 * MB, 2))
        runs = [
            measured("1,000 files in all formats, a tenth of them malicious or corrupt", mixed),
            measured("WARC file of 1,000 pages, 30 kB each, one process", crawl, processes=1),
            measured("WARC file of 1,000 pages, 30 kB each, two processes", crawl, processes=2),
            measured("WARC file of 10,000 pages, 30 kB each, two processes", long_crawl, processes=2),
            measured("3,000 plain texts, 15 kB each", small),
            measured("one plain text of 100 MB", large),
        ]
    described = machine()
    result = {"machine": described, "runs": [asdict(run) for run in runs]}
    (RESULTS / "reading.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    text = (
        "<!-- Written by `python -m benchmarks.reading`; do not edit. -->\n\n# Reading documents: tables\n\n"
        f"{described['processor']}, {described['cores']} cores, Python {described['python']}; one process per core "
        "unless a row says otherwise.\n\n"
    )
    text += table(
        ("read", "documents", "failed", "MB", "s", "documents/s", "peak MB of a process"),
        (
            (
                run.what,
                f"{run.documents:,}",
                run.failed,
                f"{run.megabytes:.1f}",
                f"{run.seconds:.1f}",
                f"{run.documents / run.seconds:,.0f}",
                f"{run.peak_mb:.0f}",
            )
            for run in runs
        ),
    )
    text += f"\nThe summary of the first run: `{runs[0].summary}`\n"
    (RESULTS / "reading-tables.md").write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
