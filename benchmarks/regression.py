"""Find out whether the package became slower, on any machine: compare it with work that does not change.

Each measurement has a yardstick: work of Python, numpy or bzip2 of the same kind. The two alternate in one process, and
their least CPU times are divided. Such a ratio differs between machines and minutes much less than the times do. A
measurement fails if its ratio is more than LIMIT times the recorded one, three times in a row.

    python -m benchmarks.regression            # compare with docs/benchmarks/regression.json
    python -m benchmarks.regression --record   # write that file
"""

from __future__ import annotations

import bz2
import random
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import results
from benchmarks.measuring import machine, parser_of
from benchmarks.worst_texts import ordinary_text

LIMIT = 1.5
_LEAST_ROUNDS, _LEAST_SECONDS = 5, 1.0
_ATTEMPTS = 3
_HAN = range(0x4E00, 0x5000)

Work = Callable[[], object]


def _time_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ratio(work: Work, yardstick: Work, clock: Callable[[], float] = time.process_time) -> float:
    """Return the least time of the work divided by the least time of its yardstick; each is warmed up first."""
    times: tuple[list[float], list[float]] = [], []
    while len(times[0]) <= _LEAST_ROUNDS or sum(map(sum, times)) < _LEAST_SECONDS:
        for call, taken in zip((work, yardstick), times, strict=True):
            start = clock()
            call()
            taken.append(clock() - start)
    return min(times[0][1:]) / min(times[1][1:])


def measurements(folder: Path) -> Iterator[tuple[str, Callable[[], float]]]:
    """Yield the name of each measurement and the function that returns its ratio."""
    yield from _of_engines()
    yield "extract a web page, times of html.parser", _of_a_page()
    yield from _of_search()
    yield "start the command line, times of python -c 'import numpy'", _of_starting(folder)


def _of_engines() -> Iterator[tuple[str, Callable[[], float]]]:
    from simhash_doc.engines.select import get_engine

    english = ordinary_text(400_000)
    draw = random.Random(1)
    han = "".join(map(chr, draw.choices(_HAN, [1 / (rank + 9) for rank in range(len(_HAN))], k=130_000)))
    shuffled = np.random.default_rng(1).integers(0, 2**64, 200_000, np.uint64)
    yardsticks: dict[str, tuple[str, Work]] = {
        "python": ("a Counter of words", lambda: Counter(re.findall(r"\w+", english.casefold()))),
        "numpy": ("numpy's stable sort", lambda: np.sort(shuffled, kind="stable")),
        "native": ("bzip2", lambda: bz2.compress(english[:100_000].encode())),
    }
    for name, (yardstick_name, yardstick) in yardsticks.items():
        for language, text in (("English", english), ("Chinese", han)):
            documents = [text[at : at + 10_000] for at in range(0, len(text), 10_000)]

            def measure(name: str = name, documents: list[str] = documents, yardstick: Work = yardstick) -> float:
                engine = get_engine(name)
                return ratio(lambda: engine.measure_batch(documents, 1), yardstick)

            yield f"{language} with the engine {name}, times of {yardstick_name}", measure


def _of_a_page() -> Callable[[], float]:
    from simhash_doc_extraction import extract

    words = iter(ordinary_text(120_000, seed=2).split())
    links = "".join(f'<li><a href="/{number}">{next(words)} {next(words)}</a></li>' for number in range(60))
    paragraphs = "".join(f"<p>{' '.join(next(words) for _ in range(60))}</p>" for _ in range(80))
    page = (
        f"<!DOCTYPE html><html><head><title>A page</title></head><body><nav><ul>{links}</ul></nav>"
        f"<main><article><h1>A page</h1>{paragraphs}</article></main><footer><ul>{links}</ul></footer></body></html>"
    )
    data = page.encode("utf-8")

    return lambda: ratio(lambda: extract(data, format="html"), lambda: HTMLParser().feed(page))


def _of_search() -> Iterator[tuple[str, Callable[[], float]]]:
    from simhash_doc.lookup import Corpus, find_all

    draw = np.random.default_rng(2)
    values = draw.integers(0, 2**64, 300_000, np.uint64)
    near = values[:20_000] ^ (np.uint64(1) << draw.integers(0, 64, 20_000).astype(np.uint64))
    values = np.concatenate((values, near))

    def sort() -> object:
        return np.sort(values, kind="stable")

    yield (
        "all pairs of 320,000, times of numpy's stable sort",
        lambda: ratio(lambda: find_all(values, distance=3), sort),
    )
    corpus = Corpus(distance=3)
    corpus.add_many(values)
    yield (
        "20,000 queries of 320,000 fingerprints, times of numpy's stable sort",
        lambda: ratio(lambda: corpus.find_many(near), sort),
    )


def _of_starting(folder: Path) -> Callable[[], float]:
    document = folder / "document.txt"
    document.write_text("The quick brown fox.\n", encoding="utf-8")

    def run(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    return lambda: ratio(
        lambda: run("-m", "simhash_doc", "fingerprint", str(document)),
        lambda: run("-c", "import numpy"),
        _time_of_children,
    )


def compare(measure: Callable[[], float], recorded: float | None) -> tuple[float, bool]:
    """Return the least ratio of up to three attempts, and whether it is within the limit; it is if none is recorded."""
    found = float("inf")
    for _ in range(_ATTEMPTS):
        found = min(found, measure())
        if recorded is None or found <= LIMIT * recorded:
            return found, True
    return found, False


def main(arguments: list[str] | None = None) -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--record", action="store_true", help="write the ratios of this run to the record")
    options = parser.parse_args(arguments)
    recorded: dict[str, float] = {} if options.record else results.read("regression")["ratios"]
    found: dict[str, float] = {}
    slower = []
    with TemporaryDirectory() as folder:
        for name, measure in measurements(Path(folder)):
            found[name], within = compare(measure, recorded.get(name))
            of_record = f"{found[name] / recorded[name]:.2f} of the record" if name in recorded else "no record"
            print(f"{found[name]:8.3f}  {of_record:20}  {name}", flush=True)
            if not within:
                slower.append(name)
    if options.record:
        ratios = {name: round(value, 4) for name, value in found.items()}
        results.write("regression", {"machine": machine(), "ratios": ratios})
    for name in slower:
        print(f"slower than {LIMIT} times the record: {name}", file=sys.stderr)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
