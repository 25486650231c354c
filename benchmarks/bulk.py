"""Measure bulk fingerprints and other libraries in one run, and write the figures of the documentation.

    python -m benchmarks.bulk                                  # all, with generated text
    python -m benchmarks.bulk --corpus DIRECTORY               # with the texts of a corpus
    python -m benchmarks.bulk --gigabytes 1 memory languages   # some parts

Other libraries come with `pip install 'simhash-doc[bench]'`; those that are not installed are reported as left out. The
directory of a corpus has a MANIFEST.jsonl with `path` (of a UTF-8 text) and `lang` per document.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.bulk_large import large_documents
from benchmarks.bulk_memory import long_run
from benchmarks.bulk_peers import peers
from benchmarks.bulk_report import write_report
from benchmarks.bulk_stages import by_stage
from benchmarks.bulk_texts import LANGUAGES, Texts, read_texts
from benchmarks.measuring import isolated, machine, peak_mb, version

RESULTS = Path(__file__).parent.parent / "docs/benchmarks"
ENGINES = ("numpy", "numba")
SIZES = {"200 B": 200, "1 KB": 1000, "10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
SCHEMES = ("sd64", "sd128", "sd256", "sd512")
PAGE = 10_000
REPEATS = 5
_WARM_UP = "Words that load all that is loaded once, also for \u00e9 and \u6f22 need. "

Row = dict[str, Any]


def rates(engine: str, documents: list[str], scheme: str = "sd64") -> dict[str, float]:
    """Return MB/s of documents that are new to this process and, as a median, of the same documents again.

    The time is CPU time of one thread, so that other work on the machine does not count.
    """
    from simhash_doc import fingerprint_many, set_engine

    set_engine(engine)
    # Small and large documents are processed differently.
    fingerprint_many([_WARM_UP, _WARM_UP * 50_000], scheme)
    megabytes = sum(len(document.encode("utf-8")) for document in documents) / 1e6
    before = peak_mb()
    seconds = []
    for _ in range(REPEATS):
        start = time.thread_time()
        fingerprint_many(documents, scheme)
        seconds.append(time.thread_time() - start)
    again = statistics.median(seconds[1:])
    return {
        "first": megabytes / seconds[0],
        "again": megabytes / again,
        "mb": megabytes,
        "grown_mb": peak_mb() - before,
    }


def measured(engine: str, documents: list[str], *more: Any, processes: int = 3) -> Row:
    """Return the medians of `rates` over several fresh processes."""
    runs = [isolated(rates, engine, documents, *more)[0] for _ in range(processes)]
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def available_engines() -> list[str]:
    return [engine for engine in ENGINES if version(engine)]


def by_language(texts: Texts, size: int = PAGE) -> Iterator[Row]:
    for language, name in LANGUAGES.items():
        documents = texts.documents(language, size, 4_000_000)
        for engine in available_engines():
            yield {"language": name, "engine": engine, **measured(engine, documents)}


def by_size(texts: Texts) -> Iterator[Row]:
    for language in ("en", "zh"):
        for shown, size in SIZES.items():
            documents = texts.documents(language, size, max(size, 4_000_000))
            for engine in available_engines():
                made = measured(engine, documents, processes=1)
                yield {"language": LANGUAGES[language], "size": shown, "bytes": size, "engine": engine, **made}


def by_width(texts: Texts) -> Iterator[Row]:
    documents = texts.documents("en", PAGE, 4_000_000)
    for scheme in SCHEMES:
        for engine in available_engines():
            yield {"scheme": scheme, "engine": engine, **measured(engine, documents, scheme)}


def by_processes(texts: Texts) -> Iterator[Row]:
    """Measure one and two processes on 100 MB, from a list of strings, a column, and a file through the command."""
    few = texts.documents("en", PAGE, 10_000_000)
    documents = few * (100_000_000 // (PAGE * len(few)))
    for engine in available_engines():
        for workers in (1, 2):
            for source in ("list", "column", "parquet", "jsonl"):
                made = isolated(_processes, engine, documents, workers, source)[0]
                yield {"engine": engine, "processes": workers, "input": source, "rate": made}


def _processes(engine: str, documents: list[str], workers: int, source: str) -> float:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from simhash_doc import fingerprint_many, set_engine

    megabytes = sum(len(document.encode("utf-8")) for document in documents) / 1e6
    if source in ("list", "column"):
        set_engine(engine)
        given = pa.array(documents, pa.large_string()) if source == "column" else documents
        start = time.perf_counter()
        fingerprint_many(given, workers=workers)
        return megabytes / (time.perf_counter() - start)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"documents.{source}"
        table = pa.table({"id": range(len(documents)), "text": documents})
        if source == "parquet":
            pq.write_table(table, path, row_group_size=1000)
        else:
            lines = (json.dumps({"id": at, "text": text}, ensure_ascii=False) for at, text in enumerate(documents))
            path.write_text("\n".join(lines), encoding="utf-8")
        command = [*_COMMAND, "fingerprint", "--column", "text", "--id", "id", "-j", str(workers)]
        start = time.perf_counter()
        with _engine_of_children(engine):
            subprocess.run([*command, str(path), "-o", f"{folder}/out.parquet"], check=False, stderr=subprocess.DEVNULL)
        return megabytes / (time.perf_counter() - start)


_COMMAND = [sys.executable, "-c", "from simhash_doc.cli import main; main()"]


@contextmanager
def _engine_of_children(engine: str) -> Iterator[None]:
    os.environ["SIMHASH_DOC_ENGINE"] = engine
    try:
        yield
    finally:
        del os.environ["SIMHASH_DOC_ENGINE"]


def with_peers(texts: Texts) -> Iterator[Row]:
    """Measure this package and others on the same documents, in turns, in one process; medians of five."""
    for language in ("en", "zh"):
        rows, _ = isolated(_with_peers, language, texts.documents(language, PAGE, 2_000_000))
        yield from rows


def _with_peers(language: str, documents: list[str]) -> list[Row]:
    from simhash_doc import fingerprint_many, set_engine

    def ours(engine: str) -> Callable[[list[str]], object]:
        def work(some: list[str]) -> object:
            set_engine(engine)
            return fingerprint_many(some)

        return work

    found, skipped = peers(language)
    works: dict[str, Callable[[list[str]], object]] = {
        f"simhash-doc, {engine}": ours(engine) for engine in available_engines()
    }
    for name, one in found.items():
        works[name] = lambda some, one=one: [one(text) for text in some]  # type: ignore[misc]
    seconds: dict[str, list[float]] = {name: [] for name in works}
    some = dict.fromkeys(works, documents)
    for name, work in works.items():
        work(documents[:1])
        start = time.thread_time()
        work(documents[:1])
        # Slow libraries get as many documents as they process in a second.
        each = (time.thread_time() - start) if "simhash-doc" not in name else 0.0
        some[name] = documents[: max(3, int(1 / each))] if each * len(documents) > 1 else documents
    for _ in range(REPEATS):
        for name, work in works.items():
            start = time.thread_time()
            work(some[name])
            seconds[name].append(time.thread_time() - start)
    rows: list[Row] = []
    for name in works:
        megabytes = sum(len(text.encode("utf-8")) for text in some[name]) / 1e6
        rate = megabytes / statistics.median(seconds[name])
        rows.append(
            {"language": LANGUAGES[language], "library": name, "rate": rate, "first": megabytes / seconds[name][0]}
        )
    return rows + [{"language": LANGUAGES[language], "library": name, "skipped": why} for name, why in skipped.items()]


def starting(texts: Texts) -> Iterator[Row]:
    """Measure the first fingerprint of a new process, in CPU seconds over an empty one, and of the first ever."""
    code = "from simhash_doc import fingerprint_many; fingerprint_many(['some words'])"
    nothing = _seconds("pass", {})
    yield {"start": "import simhash_doc", "seconds": _seconds("import simhash_doc", {}) - nothing}
    yield {"start": "first document, numpy", "seconds": _seconds(code, {"SIMHASH_DOC_ENGINE": "numpy"}) - nothing}
    if version("numba"):
        numba = {"SIMHASH_DOC_ENGINE": "numba"}
        yield {"start": "first document, numba, compiled before", "seconds": _seconds(code, numba) - nothing}
        with tempfile.TemporaryDirectory() as cache:
            seconds = _seconds(code, numba | {"NUMBA_CACHE_DIR": cache}, 1)
        yield {"start": "first document, numba, with compiling (once a machine)", "seconds": seconds - nothing}


def _seconds(code: str, environment: dict[str, str], repeats: int = 5) -> float:
    taken = []
    for _ in range(repeats + (repeats > 1)):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], env=os.environ | environment, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(taken[-repeats:])


def memory(texts: Texts, gigabytes: float) -> Iterator[Row]:
    for engine in available_engines():
        for workers in (1, 2):
            # The full length once, with the fastest engine; memory is stable long before a fiftieth of it.
            size = gigabytes if (engine, workers) == (available_engines()[-1], 2) else gigabytes / 50
            with _engine_of_children(engine):
                made = isolated(long_run, texts.by_language["en"], int(size * 1e9), workers)[0]
            yield {"engine": engine, "processes": workers, **made}


def worst(texts: Texts) -> Iterator[Row]:
    """Measure worst-case texts, in CPU time per byte relative to ordinary text."""
    for engine in available_engines():
        yield from isolated(_worst, engine)[0]


def _worst(engine: str, size: int = 1 << 20) -> list[Row]:
    from benchmarks.worst_texts import catalogue, ordinary_seconds_per_byte, seconds_per_byte
    from simhash_doc import set_engine

    set_engine(engine)
    ordinary = ordinary_seconds_per_byte()
    rows: list[Row] = [{"engine": engine, "text": "ordinary text", "rate": 1e-6 / ordinary, "ratio": 1.0}]
    for name, text in catalogue(size):
        taken = seconds_per_byte(text)
        rows.append({"engine": engine, "text": name, "rate": 1e-6 / taken, "ratio": taken / ordinary})
    return sorted(rows, key=lambda row: -row["ratio"])


PARTS: dict[str, Callable[..., Iterator[Row]]] = {
    "languages": by_language,
    "sizes": by_size,
    "widths": by_width,
    "stages": by_stage,
    "peers": with_peers,
    "worst": worst,
    "large": large_documents,
    "processes": by_processes,
    "starting": starting,
    "memory": memory,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--corpus", type=Path, help="directory with MANIFEST.jsonl (default: generated text)")
    parser.add_argument("--gigabytes", type=float, default=10, help="size of the long run (default: 10)")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of the results")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}; expected {', '.join(PARTS)}")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for the processes that are measured
    texts = read_texts(arguments.corpus)
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / "bulk.json"
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    results |= {"machine": machine(), "texts": texts.origin, "numba": version("numba")}
    for part in arguments.parts or PARTS:
        results[part] = []
        for row in PARTS[part](texts, arguments.gigabytes) if part == "memory" else PARTS[part](texts):
            print(part, row, flush=True)
            results[part].append(row)
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write_report(results, arguments.output)


if __name__ == "__main__":
    main()
