"""Measure fingerprints of many documents, and write the figures of the documentation.

    python -m benchmarks.bulk CORPUS_DIR                 # all
    python -m benchmarks.bulk CORPUS_DIR memory sizes    # some parts

benchmarks/calibration/README.md describes the layout of the corpus. `benchmarks.implementations` compares the engines
in all languages and with other implementations. The part peers needs other packages: pip install gaoya rensa simhash
"""

from __future__ import annotations

import os
import random
import re
import statistics
import string
import time
from collections.abc import Callable, Iterator

from benchmarks import results
from benchmarks.calibration.corpus import corpus_parser
from benchmarks.measuring import Row, chosen_parts, isolated, version
from benchmarks.texts import LANGUAGES, documents_of, texts_by_language
from simhash_doc import fingerprint, fingerprint_batches, fingerprint_many, set_engine
from simhash_doc.engines.python import count_tokens

SIZES = (200, 1000, 10_000, 100_000, 1_000_000, 10_000_000)  # bytes of UTF-8
PAGE = 10_000  # bytes of a document
LONG_RUN = 10**10  # bytes
_PACKAGES = ("simhash-doc-native", "gaoya", "rensa", "simhash")
_ROUNDS = 5
_SLOW = 10  # documents for a package in Python
# Its word analyzer splits at ASCII punctuation and spaces, whatever the script.
_GAOYA_TOKEN = re.compile(f"[^{re.escape(string.punctuation + string.whitespace)}]+")
_WARM_UP = "Words that load all that is loaded once, also for \u00e9 and \u6f22 need. "


def engines() -> list[str]:
    return ["numpy", *(["native"] if version("simhash-doc-native") else [])]


def sizes(texts: dict[str, str]) -> Iterator[Row]:
    """Measure documents from 200 bytes to 10 MB."""
    for size in SIZES:
        documents = documents_of(texts["en"], size, max(size, 4_000_000))
        for engine in engines():
            rate, _ = isolated(_rate, engine, documents)
            yield {"language": "English", "utf8_size": size, "engine": engine, "first_mb_per_second": rate}


def _rate(engine: str, documents: list[str]) -> float:
    """Return MB/s of documents that are new to this process, in CPU time of one thread."""
    set_engine(engine)
    # Small and large documents are processed differently.
    fingerprint_many([_WARM_UP, _WARM_UP * 50_000])
    start = time.thread_time()
    fingerprint_many(documents)
    return _megabytes(documents) / (time.thread_time() - start)


def _megabytes(documents: list[str]) -> float:
    return sum(len(document.encode("utf-8")) for document in documents) / 1e6


def processes(texts: dict[str, str]) -> Iterator[Row]:
    """Measure one worker and two on 100 MB, from a list of strings and from a column."""
    few = documents_of(texts["en"], PAGE, 10_000_000)
    documents = few * (100_000_000 // (PAGE * len(few)))
    for engine in engines():
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
    return _megabytes(documents) / (time.perf_counter() - start)


def memory(texts: dict[str, str]) -> Iterator[Row]:
    """Measure the memory of a long run through the iterator with two threads, the generator and its text included."""
    run, peak = isolated(_long_run, texts["en"])
    yield {"engine": "native", "processes": 2, **run, "rss_peak_mb": peak}


def _long_run(english: str) -> Row:
    set_engine("native")
    made = 0

    def documents() -> Iterator[str]:
        nonlocal made
        for document in _unlike_documents(english):
            yield document
            made += len(document)
            if made >= LONG_RUN:
                return

    start = time.perf_counter()
    count = sum(len(part) for part in fingerprint_batches(documents(), workers=2))
    return {"bytes": made, "documents": count, "seconds": time.perf_counter() - start}


def _unlike_documents(text: str) -> Iterator[str]:
    """Yield pieces of a text, 200 characters to 1 million, each with some unique words."""
    letters = str.maketrans("0123456789", "ghijklmnop")
    rng = random.Random(1)
    while True:
        length = min(len(text), int(200 * 5000 ** rng.random() ** 3))
        at = rng.randrange(len(text) - length + 1)
        new = " ".join(f"{rng.getrandbits(64):x}".translate(letters) for _ in range(1 + length // 500))
        yield f"{new} {text[at : at + length]}"


def peers(texts: dict[str, str]) -> Iterator[Row]:
    """Measure one text after the other, beside packages that compute other hashes of texts, in all languages."""
    from gaoya.simhash import SimHashStringIndex
    from rensa import RMinHash
    from simhash import Simhash

    set_engine("native")
    gaoya = SimHashStringIndex(analyzer="word", lowercase=True).index
    gaoya_of_lower_case = SimHashStringIndex(analyzer="word").index

    def minhash(text: str) -> None:
        RMinHash(128, seed=1).update(text.lower().split())

    hashes: dict[str, Callable[[str], object]] = {
        "simhash-doc": fingerprint,
        "gaoya": gaoya.doc2signature,
        "gaoya, str.lower": lambda text: gaoya_of_lower_case.tokenize_and_simhash(text.lower()),
        "rensa": minhash,
        "simhash": Simhash,
    }
    for language, title in LANGUAGES.items():
        documents = documents_of(texts[language], PAGE, 1_000_000)
        rounds: dict[str, list[float]] = {name: [] for name in hashes}
        for _ in range(_ROUNDS):
            for name, compute in hashes.items():
                some = documents[:_SLOW] if name == "simhash" else documents
                start = time.thread_time()
                for document in some:
                    compute(document)
                rounds[name].append(_megabytes(some) / (time.thread_time() - start))
        rates = {name: statistics.median(measured) for name, measured in rounds.items()}
        tokens = {
            "simhash-doc": sum(count_tokens(document).total() for document in documents),
            "gaoya": sum(len(_GAOYA_TOKEN.findall(document)) for document in documents),
        }
        yield {"language": title, "mb_per_second": rates, "tokens": tokens}


PARTS = {part.__name__: part for part in (sizes, processes, memory, peers)}


def main() -> None:
    options = chosen_parts(corpus_parser(__doc__), PARTS)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for the processes that are measured
    texts = texts_by_language(options.corpus)
    for part in options.parts:
        results.record("bulk", part, PARTS[part](texts), versions={name: version(name) for name in _PACKAGES})


if __name__ == "__main__":
    main()
