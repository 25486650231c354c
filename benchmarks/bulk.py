"""Measure fingerprints of many documents, and write the figures of the documentation.

    python -m benchmarks.bulk CORPUS_DIR                               # all
    python -m benchmarks.bulk CORPUS_DIR --gigabytes 1 memory sizes    # some parts

benchmarks/calibration/README.md describes the layout of the corpus.
`benchmarks.implementations` compares the engines in all languages and with other implementations, and
`benchmarks.worst_texts` has the texts that take longest.
"""

from __future__ import annotations

import os
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path

import psutil

from benchmarks import results
from benchmarks.measuring import Row, chosen_parts, isolated, parser_of, peak_mb, version
from benchmarks.texts import LANGUAGES, Texts, read_texts
from simhash_doc import Accumulator, fingerprint_batches, fingerprint_many, set_engine

ENGINES = ("numpy", "numba")
SIZES = (200, 1000, 10_000, 100_000, 1_000_000, 10_000_000)  # bytes of UTF-8
PAGE, PIECE = 10_000, 1_000_000  # bytes of a document, and of a piece of a large one
REPEATS = 5
_WARM_UP = "Words that load all that is loaded once, also for \u00e9 and \u6f22 need. "


def available_engines() -> list[str]:
    return [engine for engine in ENGINES if version(engine)]


def sizes(texts: Texts) -> Iterator[Row]:
    """Measure documents from 200 bytes to 10 MB, English and Chinese."""
    for language in ("en", "zh"):
        for size in SIZES:
            documents = texts.documents(language, size, max(size, 4_000_000))
            for engine in available_engines():
                rates, _ = isolated(_rates, engine, documents)
                yield {"language": LANGUAGES[language], "utf8_size": size, "engine": engine, **rates}


def _rates(engine: str, documents: list[str]) -> dict[str, float]:
    """Return MB/s of documents that are new to this process and, as a median, of the same documents again.

    The time is CPU time of one thread, so that other work on the machine does not count.
    """
    set_engine(engine)
    # Small and large documents are processed differently.
    fingerprint_many([_WARM_UP, _WARM_UP * 50_000])
    megabytes = sum(len(document.encode("utf-8")) for document in documents) / 1e6
    taken = []
    for _ in range(REPEATS):
        start = time.thread_time()
        fingerprint_many(documents)
        taken.append(time.thread_time() - start)
    return {
        "first_mb_per_second": megabytes / taken[0],
        "again_mb_per_second": megabytes / statistics.median(taken[1:]),
    }


def large(texts: Texts) -> Iterator[Row]:
    """Measure MB/s and the peak of memory for documents of 50 and 100 MB, each in a new process."""
    english = texts.by_language["en"][:20_000_000]
    for engine in available_engines():
        for name in _PIECES:
            yield {"engine": engine, "document": name, **isolated(_in_pieces, engine, name, english)[0]}


def _in_pieces(engine: str, name: str, english: str) -> Row:
    set_engine(engine)
    warm = Accumulator()
    warm.update(_WARM_UP * 50_000)
    warm.fingerprint()
    before = peak_mb()
    accumulator = Accumulator()
    size = taken = 0.0
    for piece in _PIECES[name](english):
        size += len(piece.encode("utf-8")) / 1e6
        start = time.thread_time()
        accumulator.update(piece)
        taken += time.thread_time() - start
    start = time.thread_time()
    accumulator.fingerprint()
    taken += time.thread_time() - start
    return {"mb": size, "mb_per_second": size / taken, "before_mb": before, "peak_mb": peak_mb()}


def _distinct_words(english: str) -> Iterator[str]:
    words = map("".join, product("etaoinshrdlu", repeat=7))
    for _ in range(100):
        yield "".join(f"{word} " for word in islice(words, PIECE // 8))


def _random_han(english: str) -> Iterator[str]:
    draw = random.Random(1)
    for _ in range(100):
        yield "".join(map(chr, draw.choices(range(0x4E00, 0x9FFF), k=PIECE // 3)))


_PIECES: dict[str, Callable[[str], Iterator[str]]] = {
    "English": lambda english: (english[at * PIECE % len(english) :][:PIECE] for at in range(100)),
    "distinct words": _distinct_words,
    "random Han": _random_han,
    "one word": lambda english: ("a" * PIECE for _ in range(50)),
}


def processes(texts: Texts) -> Iterator[Row]:
    """Measure one worker and two on 100 MB, from a list of strings and from a column."""
    few = texts.documents("en", PAGE, 10_000_000)
    documents = few * (100_000_000 // (PAGE * len(few)))
    for engine in available_engines():
        for workers in (1, 2):
            for source in ("list", "column"):
                rate, _ = isolated(_with_workers, engine, documents, workers, source)
                yield {"engine": engine, "processes": workers, "input": source, "mb_per_second": rate}


def _with_workers(engine: str, documents: list[str], workers: int, source: str) -> float:
    import pyarrow as pa

    set_engine(engine)
    given = pa.array(documents, pa.large_string()) if source == "column" else documents
    start = time.perf_counter()
    fingerprint_many(given, workers=workers)
    return sum(len(document.encode("utf-8")) for document in documents) / 1e6 / (time.perf_counter() - start)


def memory(texts: Texts, gigabytes: float) -> Iterator[Row]:
    """Measure the memory of a long run through the iterator: the full length once, a fiftieth of it otherwise."""
    for engine in available_engines():
        for workers in (1, 2):
            size = gigabytes if (engine, workers) == (available_engines()[-1], 2) else gigabytes / 50
            made, _ = isolated(_long_run, engine, texts.by_language["en"], int(size * 1e9), workers)
            yield {"engine": engine, "processes": workers, **made}


def _long_run(engine: str, text: str, size: int, workers: int) -> Row:
    """Fingerprint `size` bytes of generated documents; return time and peak memory in MB.

    `pss` counts a page that processes share once; `rss` counts it once per process, so it is more than the run takes.
    Both are sums at one moment over this process, which has the generator and its text, and all workers.
    """
    set_engine(engine)
    peaks, over = {"pss_peak_mb": 0.0, "rss_peak_mb": 0.0}, threading.Event()
    thread = threading.Thread(target=_watch, args=(peaks, over))
    thread.start()
    made = 0

    def documents() -> Iterator[str]:
        nonlocal made
        for document in _unlike_documents(text):
            yield document
            made += len(document)
            if made >= size:
                return

    start = time.perf_counter()
    count = sum(len(part) for part in fingerprint_batches(documents(), workers=workers))
    taken = time.perf_counter() - start
    over.set()
    thread.join()
    return {"bytes": made, "documents": count, "seconds": taken, **peaks}


def _watch(peaks: dict[str, float], over: threading.Event) -> None:
    """Sample the memory of this process and its children."""
    this = psutil.Process()
    while not over.wait(0.1):
        try:
            found = [process.memory_full_info() for process in (this, *this.children(recursive=True))]
        except psutil.NoSuchProcess:
            continue
        for name in ("pss", "rss"):
            total = sum(getattr(one, name) for one in found) / 1e6
            peaks[f"{name}_peak_mb"] = max(peaks[f"{name}_peak_mb"], total)


def _unlike_documents(text: str) -> Iterator[str]:
    """Yield pieces of a text, 200 characters to 1 million, each with some unique words."""
    letters = str.maketrans("0123456789", "ghijklmnop")
    rng = random.Random(1)
    while True:
        length = min(len(text), int(200 * 5000 ** rng.random() ** 3))
        at = rng.randrange(len(text) - length + 1)
        new = " ".join(f"{rng.getrandbits(64):x}".translate(letters) for _ in range(1 + length // 500))
        yield f"{new} {text[at : at + length]}"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("corpus", type=Path, metavar="CORPUS_DIR")
    parser.add_argument("--gigabytes", type=float, default=10, help="size of the long run (default: 10)")
    parts: dict[str, Callable[[Texts], Iterator[Row]]] = {
        "sizes": sizes,
        "large": large,
        "processes": processes,
        "memory": lambda texts: memory(texts, options.gigabytes),
    }
    options = chosen_parts(parser, parts)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for the processes that are measured
    texts = read_texts(options.corpus)
    for part in options.parts:
        results.record("bulk", part, parts[part](texts), texts=texts.origin, numba=version("numba"))


if __name__ == "__main__":
    main()
