"""Compare our text of real files with the text that other programs extract.

    python -m benchmarks.extraction.peers FOLDER

Reads the files below FOLDER, and with them the peers that are installed:

    pdftotext  PDF
    pandoc     DOCX, ODT, EPUB, RTF, Markdown, JATS, DocBook
    tika       PDF, DOCX, ODT, EPUB, RTF, JATS, TEI, DocBook

Tika has no command of its own. Put a script with this name on the PATH:
exec java -jar tika-app.jar "$@"

Prints recall and precision of our words by format, with the words of the peer
as the reference. Then it lists the worst files, and the files that take us the
most time and memory. Web pages are left out: of these, we read the article
alone. Peers make mistakes too: open a file before you mend anything.
"""

from __future__ import annotations

import gzip
import multiprocessing
import re
import shutil
import subprocess
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

from benchmarks.measuring import parser_of, peak_mb
from simhash_doc_extraction import ExtractionError, detect, extract, get_reader
from simhash_doc_extraction.pdf.pieces import UNSPACED

LEAST_WORDS = 20  # in the text of a peer: with fewer, one word decides
MOST_LETTERS = 0.25  # of the words of a peer can be single letters: with more, it has found no words
SHOWN_WORDS = 8
WORD = re.compile(rf"(?!\W)[{UNSPACED}]|[^\W{UNSPACED}]+")
_LETTER = re.compile(rf"[^\W\d_{UNSPACED}]")

_PANDOC = ("docx", "odt", "epub", "rtf", "markdown", "jats", "docbook")
_TIKA = ("pdf", "docx", "odt", "epub", "rtf", "jats", "tei", "docbook")
COMMANDS: dict[str, dict[str, list[str]]] = {
    "pdftotext": {"pdf": ["pdftotext", "-q", "-enc", "UTF-8", "-", "-"]},
    "pandoc": {name: ["pandoc", "--from", name, "--to", "plain", "--wrap", "none"] for name in _PANDOC},
    "tika": {name: ["tika", "--text", "--encoding=UTF-8"] for name in _TIKA},
}
"""Peer -> format -> the command that reads a document of this format from standard input."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Our text of a file, or why there is none; the processor time in seconds and the peak memory of the process."""

    text: str
    note: str
    seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Our words of a file beside the words of a peer."""

    path: Path
    reference: int
    ours: int
    shared: int
    missing: str
    extra: str
    note: str

    @property
    def recall(self) -> float:
        """The share of the words of the peer that we have."""
        return self.shared / self.reference

    @property
    def precision(self) -> float:
        """The share of our words that the peer has."""
        return self.shared / self.ours if self.ours else 1.0


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--peer", action="append", choices=list(COMMANDS), help="ask this peer only (repeatable)")
    parser.add_argument("--format", action="append", help="read files of this format only, such as pdf (repeatable)")
    parser.add_argument("--seconds", type=float, default=30, help="time limit for a file and a program (default: 30)")
    parser.add_argument("--worst", type=int, default=10, help="number of files in each list (default: 10)")
    options = parser.parse_args()
    peers = [name for name in options.peer or COMMANDS if shutil.which(name)]
    if not peers:
        parser.error(f"none of these is installed: {', '.join(options.peer or COMMANDS)}")
    print(f"peers: {', '.join(peers)}")
    found: dict[tuple[str, str], list[Comparison]] = defaultdict(list)
    failed: Counter[tuple[str, str]] = Counter()
    costs: list[tuple[Reading, Path]] = []
    for path, document_format, data in _documents(options.folder):
        chosen = [peer for peer in peers if document_format in COMMANDS[peer]]
        if not chosen or (options.format and document_format not in options.format):
            continue
        reading = read(data, path.name, document_format, options.seconds)
        costs.append((Reading("", reading.note, reading.seconds, reading.megabytes), path))
        for peer in chosen:
            text = _ask(COMMANDS[peer][document_format], data, options.seconds)
            if text is None:
                failed[document_format, peer] += 1
            elif comparison := compare(path, reading, text):
                found[document_format, peer].append(comparison)
    _print_shares(found, failed)
    _print_worst(found, options.worst)
    _print_costs(costs, options.worst)


def _documents(folder: Path) -> Iterator[tuple[Path, str, bytes]]:
    """Yield the files of a folder with their formats and contents, decompressed, in the order of their names."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        try:
            data = path.read_bytes()
            name = path.name
            if name.endswith(".gz"):
                data, name = gzip.decompress(data), path.stem
            yield path, detect(data, name), data
        except (OSError, EOFError) as error:
            print(f"{path}: {error}", file=sys.stderr)


def read(data: bytes, name: str, document_format: str, seconds: float) -> Reading:
    """Return our text of a document, read in a process of its own."""
    get_reader(document_format)  # imported here, so that each process does not do it again
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_read, args=(there, data, name, document_format))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(seconds) else Reading("", f"over {seconds:g} s", seconds, 0.0)
    except EOFError:
        return Reading("", "the process crashed", 0.0, 0.0)
    finally:
        process.kill()
        process.join()


def _read(connection: Connection, data: bytes, name: str, document_format: str) -> None:
    text = note = ""
    start = time.process_time()
    try:
        extracted = extract(data, name=name, format=document_format)
        text, note = extracted.text, "; ".join(extracted.warnings)
    except ExtractionError as error:
        note = f"{error.code}: {error.message}"
    connection.send(Reading(text, note, time.process_time() - start, peak_mb()))


def _ask(command: list[str], data: bytes, seconds: float) -> str | None:
    """Return the text that a program prints, or None if it fails."""
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=seconds, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")


def compare(path: Path, reading: Reading, text: str) -> Comparison | None:
    """Compare our text with that of a peer, which must have at least `LEAST_WORDS` and at most `MOST_LETTERS`."""
    ours, reference = _words(reading.text), _words(text)
    letters = sum(count for word, count in reference.items() if _LETTER.fullmatch(word))
    if reference.total() < LEAST_WORDS or letters > MOST_LETTERS * reference.total():
        return None
    shared = (ours & reference).total()
    missing, extra = (_frequent(more - less) for more, less in ((reference, ours), (ours, reference)))
    return Comparison(path, reference.total(), ours.total(), shared, missing, extra, reading.note)


def _frequent(words: Counter[str]) -> str:
    return " ".join(word for word, _ in words.most_common(SHOWN_WORDS))


def _words(text: str) -> Counter[str]:
    return Counter(WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _print_shares(found: dict[tuple[str, str], list[Comparison]], failed: Counter[tuple[str, str]]) -> None:
    heads = ("format", "peer", "files", "failed", "recall", "pooled", "precision", "pooled")
    row = "{:<9} {:<10} {:>6} {:>6} {:>9} {:>7} {:>9} {:>7}"
    print(row.format(*heads))
    for document_format, peer in sorted({*found, *failed}):
        compared = found[document_format, peer]
        shares = ["", "", "", ""]
        if compared:
            shared = sum(one.shared for one in compared)
            shares = [f"{share:.3f}" for share in (
                median(one.recall for one in compared), shared / sum(one.reference for one in compared),
                median(one.precision for one in compared), shared / max(1, sum(one.ours for one in compared)),
            )]  # fmt: skip
        print(row.format(document_format, peer, len(compared), failed[document_format, peer], *shares))


def _print_worst(found: dict[tuple[str, str], list[Comparison]], count: int) -> None:
    for (document_format, peer), rows in sorted(found.items()):
        for share in ("recall", "precision"):
            worst = sorted((row for row in rows if getattr(row, share) < 1), key=lambda row: getattr(row, share))
            if worst:
                print(f"\nlowest {share}: {document_format}, {peer}")
            for row in worst[:count]:
                print(f"{getattr(row, share):.3f}  {row.reference} words  {row.path}")
                words = f"missing: {row.missing}" if share == "recall" else f"extra: {row.extra}"
                print(f"       {words}" + (f"\n       {row.note}" if row.note else ""))


def _print_costs(costs: list[tuple[Reading, Path]], count: int) -> None:
    print("\nmost time (s) and memory (MB) here")
    by_time = sorted(costs, key=lambda cost: -cost[0].seconds)[:count]
    by_memory = sorted(costs, key=lambda cost: -cost[0].megabytes)[:count]
    for reading, path in dict.fromkeys([*by_time, *by_memory]):
        print(f"{reading.seconds:6.2f} {reading.megabytes:6.0f}  {path}")


if __name__ == "__main__":
    main()
