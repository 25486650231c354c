"""Measure the implementations in all languages and Python's engines on the same documents, in one run.

    python -m benchmarks.implementations CORPUS_DIR

Builds the artefacts of a release, installs each into an empty project as its users do, builds the benchmark program of
the implementation there, runs all programs in turn several times, and writes `docs/benchmarks/implementations.json` and
`implementations-tables.md`. What cannot be built here is left out, and reported. A program takes [SIZE] FILE..., cuts
each file into documents of SIZE bytes, and prints a line with the MB/s of each scheme: of the sum of the best times of
all documents within SECONDS, an environment variable.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.calibration.corpus import Corpus, corpus_of_arguments
from benchmarks.measuring import machine
from benchmarks.texts import LANGUAGES, documents_of, texts_by_language
from benchmarks.worst_texts import GENERATED, catalogue

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build/benchmarks"
DIST = BUILD / "dist"
PAGE, TOTAL = 10_000, 2_000_000  # bytes of a document, and of all documents of a language
WORST = 1 << 18  # bytes of a worst-case text
LONG = [1 << exponent for exponent in range(16, 25, 2)]  # bytes of a text of distinct tokens
ROUNDS = 3
Choose = Callable[[list[float]], float]
Speeds = dict[str, dict[str, float]]  # MB/s per file and scheme


@dataclass(frozen=True)
class Program:
    """A benchmark program that uses an installed artefact.

    Attributes:
        artefact: its name for `release/build.py`; its folder is `$dist`, and the one of its source, `$port`.
        install: the shell commands that install the artefact into an empty folder, and build the program there.
        run: the command that runs it in that folder.
    """

    artefact: str
    install: str
    run: str


def _engine(name: str, artefact: str = "python", more: str = "") -> Program:
    install = f"python -m pip install --quiet --no-deps --target wheel $dist/*.whl {more}"
    script = ROOT / "benchmarks/engine_speed.py"
    # -P: the package of the repository is not found; its dependencies are those of this environment.
    return Program(artefact, install, f"env PYTHONPATH=wheel {sys.executable} -P {script} {name}")


GO_MODULE = "github.com/simhash-doc/simhash-doc/ports/go"
PROGRAMS = {
    "Rust": Program(
        "rust",
        "cargo init --quiet --vcs none --name benchmark && mkdir crate && "
        "tar -xzf $dist/*.crate -C crate --strip-components 1 && cargo add --quiet --path crate && "
        "cp $port/examples/benchmark.rs src/main.rs && cargo build --quiet --release --target-dir target",
        "target/release/benchmark",
    ),
    "C": Program(
        "c",
        "mkdir source && tar -xzf $dist/*.tar.gz -C source --strip-components 1 && "
        "cmake -S source -B source/build -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=$PWD -DCMAKE_INSTALL_LIBDIR=lib && "
        "cmake --build source/build --target install && "
        "cc -O2 $port/benchmark/benchmark.c -o benchmark "
        "$(PKG_CONFIG_PATH=lib/pkgconfig pkg-config --cflags --libs simhash-doc)",
        "./benchmark",
    ),
    "Go": Program(
        "go",
        "export GOPROXY=file://$dist GOSUMDB=off GOMODCACHE=$PWD/modules GOFLAGS=-modcacherw && "
        f"go mod init benchmark && go get {GO_MODULE} && go build -o benchmark {GO_MODULE}/cmd/bench",
        "./benchmark",
    ),
    "Java": Program(
        "java",
        "cp $(find $dist -path '*/simhash-doc/simhash-doc/*' -name '*[0-9].jar') library.jar && "
        "javac -cp library.jar -d . $port/src/test/java/io/github/simhashdoc/Benchmark.java",
        "java -cp library.jar:. io.github.simhashdoc.Benchmark",
    ),
    "JavaScript": Program(
        "js",
        "echo '{}' >package.json && npm install --silent $dist/*.tgz && cp $port/benchmark.mjs .",
        "node benchmark.mjs",
    ),
    "Python, numpy": _engine("numpy"),
    "Python, native": _engine("native", "native", "$dist/../python/*.whl"),
}


def speeds(program: Program, folder: Path, files: Sequence[Path], size: int, seconds: float) -> Speeds:
    """Return the speeds that a program reports in its folder; `size` 0 takes each file as one document."""
    command = [*program.run.split(), *([str(size)] if size else []), *map(str, files)]
    environment = os.environ | {"SECONDS": str(seconds)}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: Speeds = {}
    for line in done.stdout.splitlines():
        name, _, rates = line.rpartition(": ")
        found[Path(name).stem] = {one: float(rate) for one, rate in re.findall(r"(sd\d+) ([\d.]+) MB/s", rates)}
    return found


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
            rounds[name].append(speeds(program, folder_of(name), files, size, seconds))
    measured = [path.stem for path in files[1:]]
    return {name: {file: _chosen(found, file, choose) for file in measured} for name, found in rounds.items()}


def _chosen(measured: Sequence[Speeds], file: str, choose: Choose) -> dict[str, float]:
    return {scheme: choose([one[file][scheme] for one in measured]) for scheme in measured[0][file]}


def folder_of(name: str) -> Path:
    """Return the folder that a program was built in."""
    return BUILD / re.sub(r"\W+", "-", name)


def installed(programs: dict[str, Program]) -> dict[str, Program]:
    """Build and install the artefacts, and build the programs; return those that can be built here."""
    shutil.rmtree(BUILD, ignore_errors=True)
    found = {}
    for name, program in programs.items():
        artefact, folder = DIST / program.artefact, folder_of(name)
        folder.mkdir(parents=True)
        places = {"dist": str(artefact), "port": str(ROOT / "ports" / program.artefact)}
        build = [sys.executable, str(ROOT / "release/build.py"), "--output", str(DIST), program.artefact]
        try:
            if not artefact.exists():
                subprocess.run(build, check=True)
            subprocess.run(
                program.install, shell=True, cwd=folder, env=os.environ | places, stdout=sys.stderr, check=True
            )
        except subprocess.CalledProcessError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
        else:
            found[name] = program
    return found


def measure(programs: dict[str, Program], corpus: Corpus, folder: Path) -> dict[str, Any]:
    """Return the results, with the texts in files of a folder."""

    def written(texts: dict[str, str]) -> list[Path]:
        """Return the files of the texts, after one for compilers that work while a program runs."""
        for name, text in {"warm-up": english, **texts}.items():
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        return [folder / f"{name}.txt" for name in ("warm-up", *texts)]

    texts = texts_by_language(corpus)
    languages = {title: "".join(documents_of(texts[language], PAGE, TOTAL)) for language, title in LANGUAGES.items()}
    english = languages.pop("English")
    long = {str(size): GENERATED["random Han, unseparated"](size) for size in LONG}
    return {
        "machine": machine(),
        "rounds": ROUNDS,
        "english": in_turn(programs, written({"English": english}), PAGE, 2.0),
        "languages": in_turn(programs, written(languages), PAGE, 0.5),
        "worst": in_turn(programs, written(dict(catalogue(WORST))), 0, 0.02, max),
        "long": in_turn(programs, written(long), 0, 0.25),
        "load": round(os.getloadavg()[2], 1),  # of the last fifteen minutes
    }


def main() -> None:
    corpus = corpus_of_arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        results.write("implementations", measure(installed(PROGRAMS), corpus, Path(folder)))


if __name__ == "__main__":
    main()
