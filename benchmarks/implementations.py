"""Measure the implementations in all languages and Python's engines on the same documents, in one run.

    python -m benchmarks.implementations                      # with generated texts
    python -m benchmarks.implementations --corpus DIRECTORY   # with the texts of a corpus, see benchmarks.bulk

Builds the benchmark program of each implementation, runs all of them in turn several times, and writes
`docs/benchmarks/implementations.json` and `implementations-tables.md`. A language without its toolchain is left out,
and reported. A program takes [SIZE] FILE..., cuts each file into documents of SIZE bytes, and prints a line with the
MB/s of each scheme: of the sum of the best times of all documents within SECONDS, an environment variable.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import tables
from benchmarks.measuring import machine
from benchmarks.texts import LANGUAGES, read_texts
from benchmarks.worst_texts import GENERATED, catalogue
from simhash_doc import set_engine
from simhash_doc.engines.select import select_engine
from simhash_doc.schemes import get_schemes

ROOT = Path(__file__).parents[1]
SOURCE, BUILD = "ports", "build/benchmarks"
CARGO = "cargo build --quiet --release --example benchmark"
PAGE, TOTAL = 10_000, 2_000_000  # bytes of a document, and of all documents of a language
WORST = (1 << 16, 1 << 18)  # bytes of the worst-case texts: time grows by the ratio if it is linear
LONG = [1 << exponent for exponent in range(16, 25, 2)]  # bytes of a text of distinct tokens
ROUNDS = 3
Choose = Callable[[list[float]], float]
Speeds = dict[str, dict[str, float]]  # MB/s per file and scheme


@dataclass(frozen=True)
class Program:
    """A benchmark program: the commands that build it, and the one that runs it."""

    build: Sequence[str]
    run: str

    @property
    def missing(self) -> str:
        """The first program that is not installed; empty if all are."""
        tools = [*(command.split()[0] for command in self.build), *([] if self.build else [self.run.split()[0]])]
        return next((tool for tool in tools if not shutil.which(tool)), "")


PROGRAMS = {
    "Rust": Program(
        [f"{CARGO} --manifest-path {SOURCE}/rust/Cargo.toml --target-dir {BUILD}/rust"],
        f"{BUILD}/rust/release/examples/benchmark",
    ),
    "C": Program(
        [f"cmake -S {SOURCE}/c -B {BUILD}/c", f"cmake --build {BUILD}/c --target benchmark"], f"{BUILD}/c/benchmark"
    ),
    "Go": Program([f"go build -C {SOURCE}/go -o ../../{BUILD}/go ./cmd/bench"], f"{BUILD}/go"),
    "Java": Program(
        [f"mvn -B -q -f {SOURCE}/java -DbuildDirectory=../../{BUILD}/java test-compile"],
        f"java -cp {BUILD}/java/classes:{BUILD}/java/test-classes io.github.simhashdoc.Benchmark",
    ),
    "JavaScript": Program([], f"node {SOURCE}/js/benchmark.mjs"),
    "Python, numba": Program([], f"{sys.executable} -m benchmarks.implementations --engine numba"),
    "Python, numpy": Program([], f"{sys.executable} -m benchmarks.implementations --engine numpy"),
}


def speeds(program: Program, files: Sequence[Path], size: int, seconds: float) -> Speeds:
    """Return the speeds that a program reports; `size` 0 takes each file as one document."""
    command = [*program.run.split(), *([str(size)] if size else []), *map(str, files)]
    if program.run.endswith("go"):
        command = [program.run, f"-size={size}", f"-seconds={seconds}", *map(str, files)]
    environment = os.environ | {"SECONDS": str(seconds)}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    lines = (line.rpartition(": ") for line in done.stdout.splitlines())
    return {Path(name).stem: dict(_rates(rates)) for name, _, rates in lines}


def _rates(text: str) -> Iterator[tuple[str, float]]:
    for scheme, rate in re.findall(r"(sd\d+) ([\d.]+) MB/s", text):
        yield scheme, float(rate)


def in_turn(
    programs: dict[str, Program], files: Sequence[Path], size: int, seconds: float, choose: Choose = statistics.median
) -> dict[str, Speeds]:
    """Return the chosen speeds of several rounds, in each of which every program runs once.

    The first file is left out: it is there for compilers that work while the program runs.
    """
    rounds: dict[str, list[Speeds]] = {name: [] for name in programs}
    for number in range(ROUNDS):
        for name, program in programs.items():
            print(f"round {number + 1} of {ROUNDS}: {name}", flush=True)
            rounds[name].append(speeds(program, files, size, seconds))
    measured = [path.stem for path in files[1:]]
    return {name: {file: _chosen(results, file, choose) for file in measured} for name, results in rounds.items()}


def _chosen(results: Sequence[Speeds], file: str, choose: Choose) -> dict[str, float]:
    return {scheme: choose([result[file][scheme] for result in results]) for scheme in results[0][file]}


def built(programs: dict[str, Program]) -> dict[str, Program]:
    """Build the programs; return those whose toolchain is installed."""
    for name, program in programs.items():
        if program.missing:
            print(f"{name} is left out: {program.missing} is not installed", file=sys.stderr)
            continue
        for command in program.build:
            subprocess.run(command.split(), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return {name: program for name, program in programs.items() if not program.missing}


def measure(programs: dict[str, Program], corpus: Path | None, folder: Path) -> dict[str, Any]:
    """Return the results, with the texts in files of a folder."""
    texts = read_texts(corpus)
    english, others = folder / "English.txt", []
    warm_up = folder / "warm-up.txt"
    warm_up.write_text("".join(texts.documents("en", PAGE, TOTAL)), encoding="utf-8")
    for language, title in LANGUAGES.items():
        path = folder / f"{title}.txt"
        path.write_text("".join(texts.documents(language, PAGE, TOTAL)), encoding="utf-8")
        others += [] if path == english else [path]
    worst: dict[str, str] = {}
    files = []
    for size in WORST:
        for number, (name, text) in enumerate(catalogue(size)):
            files.append(folder / f"{number}-{size}.txt")
            files[-1].write_text(text, encoding="utf-8")
            worst[str(number)] = name
    long = [folder / f"{size}.txt" for size in LONG]
    for size, path in zip(LONG, long, strict=True):
        path.write_text(GENERATED["random Han, unseparated"](size), encoding="utf-8")
    return {
        "machine": machine(),
        "texts": texts.origin,
        "rounds": ROUNDS,
        "english": in_turn(programs, [warm_up, english], PAGE, 1.0),
        "languages": in_turn(programs, [warm_up, *others], PAGE, 0.25),
        "worst": {"names": worst, "sizes": WORST, "speeds": in_turn(programs, [warm_up, *files], 0, 0.02, max)},
        "long": in_turn(programs, [warm_up, *long], 0, 0.25),
    }


def print_speeds(engine: str, size: int, files: Sequence[Path]) -> None:
    """Print the MB/s of an engine of the package as the programs of the other languages do."""
    set_engine(engine)
    for path in files:
        data = path.read_bytes()
        step = size or len(data)
        documents = [data[start : start + step] for start in range(0, len(data), step)]
        rates = (f"  {scheme.id} {_rate(documents, scheme.lanes):.1f} MB/s" for scheme in get_schemes().values())
        print(f"{path}:{''.join(rates)}", flush=True)


def _rate(documents: list[bytes], lanes: int) -> float:
    """Return MB/s of the fastest batch within SECONDS, an environment variable."""
    total, best = sum(map(len, documents)), float("inf")
    begun = time.perf_counter()
    while best == float("inf") or time.perf_counter() - begun < float(os.environ["SECONDS"]):
        start = time.perf_counter()
        select_engine(total).fingerprint_batch(documents, lanes)
        best = min(best, time.perf_counter() - start)
    return total / best / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--corpus", type=Path, help="directory with MANIFEST.jsonl; generated texts by default")
    parser.add_argument("--engine", help="only print the speeds of an engine of the package for [SIZE] FILE...")
    parser.add_argument("files", nargs="*", metavar="[SIZE] FILE")
    arguments = parser.parse_args()
    if arguments.engine:
        sized = arguments.files[0].isdecimal()
        size = int(arguments.files[0]) if sized else 0
        print_speeds(arguments.engine, size, [Path(name) for name in arguments.files[sized:]])
        return
    with tempfile.TemporaryDirectory() as folder:
        results = measure(built(PROGRAMS), arguments.corpus, Path(folder))
    tables.write("implementations", results)


if __name__ == "__main__":
    main()
