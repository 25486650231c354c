"""Reading documents on the command line: speed, memory, and a folder with hostile ones.

    python -m benchmarks.reading

writes docs/benchmarks/reading.json and docs/benchmarks/reading-tables.md. Takes about a minute.
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

from benchmarks.measuring import machine
from tests.extract.mixed import write_mixed
from tests.extract.samples import PARAGRAPHS, html, warc

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "benchmarks"
COMMAND = [sys.executable, "-c", "from simhash_doc.cli import main; main()", "fingerprint"]
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """One command: what it read, how long it took, and the most memory of one of its processes."""

    what: str
    documents: int
    failed: int
    megabytes: float
    seconds: float
    peak_mb: float
    summary: str


def measured(what: str, *paths: Path) -> Run:
    size = sum(file.stat().st_size for path in paths for file in ([path] if path.is_file() else path.iterdir()))
    measuring = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], capture_output=True);"
        "sys.stdout.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) + '\\n' + str(done.returncode));"
        "sys.stdout.write('\\n' + str(done.stdout.count(b'\\n')) + '\\n' + done.stderr.decode())"
    )
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", measuring, *COMMAND, *map(str, paths)], capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - began
    peak, _, lines, *said = done.stdout.split("\n")
    summary = next((line for line in said if " documents: " in line), "")
    failed = int(summary.split(" failed")[0].split()[-1].replace(",", "")) if " failed" in summary else 0
    unit = 1000 if sys.platform == "linux" else 1_000_000
    return Run(what, int(lines) + failed, failed, size / MB, seconds, int(peak) / unit, summary)


def english(size: int, seed: int) -> bytes:
    """Return text of a size in bytes, of words as frequent as those of a language."""
    block = _block(seed)
    return (block * (size // len(block) + 1))[:size]


@cache
def _block(seed: int) -> bytes:
    draw = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 9))) for _ in range(20_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    return " ".join(draw.choices(words, weights, k=200_000)).encode()


def pages(count: int) -> list[tuple[str, bytes, dict[str, str]]]:
    """Return pages of about 30 kB, each another text."""
    text = english(30_000 * count, 1).decode()
    made = []
    for at in range(count):
        words = text[at * 30_000 : (at + 1) * 30_000]
        paragraphs = "".join(f"<p>{words[start : start + 600]}</p>" for start in range(0, len(words), 600))
        body = html().decode().replace(f"<p>{PARAGRAPHS[0]}</p>", paragraphs)
        made.append((f"https://example.org/{at}", body.encode(), {}))
    return made


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
        large.write_bytes(english(100 * MB, 2))
        runs = [
            measured("1,000 files of all media, a tenth of them hostile or damaged", mixed),
            measured("WARC file of 1,000 pages, 30 kB each", crawl),
            measured("3,000 plain texts, 15 kB each", small),
            measured("one plain text of 100 MB", large),
        ]
    result = {"machine": machine(), "runs": [asdict(run) for run in runs]}
    (RESULTS / "reading.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    lines = [
        "| read | documents | failed | MB | s | documents/s | peak MB of a process |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {run.what} | {run.documents:,} | {run.failed} | {run.megabytes:.1f} | {run.seconds:.1f} "
        f"| {run.documents / run.seconds:,.0f} | {run.peak_mb:.0f} |"
        for run in runs
    ]
    lines += ["", f"The summary of the first: `{runs[0].summary}`"]
    (RESULTS / "reading-tables.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
