"""Print the measures of the code beside their targets: lines, modules on the way of four commands, climbing imports.

Lines are those of Python files, with docstrings and imports. A module is on the way of a command if one of its
functions runs, in the process of the command, its threads and the processes that it forks; what runs while a module is
imported does not count. An import climbs if it goes against the layers in pyproject.toml.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINES = {"simhash_doc": (34_000, 220), "tests": (20_000, None), "benchmarks": (4_500, None)}
ADAPTER = [sys.executable, "-m", "simhash_doc", "conformance", "adapter"]
WAYS = {
    "fingerprint note.txt": (["fingerprint", "note.txt"], 10),
    "fingerprint file.html": (["fingerprint", "file.html"], 25),
    "find-all": (["find-all", "fingerprints.txt"], 18),
    "conformance run": (
        ["conformance", "run", "--select", "cap/*", "--select", "extract/tide-mill-page-1.html", "--", *ADAPTER],
        16,
    ),
}
FILES = {
    "note.txt": "The quick brown fox jumps over the lazy dog.\n",
    "file.html": "<html><body><h1>A fox</h1><p>The quick brown fox jumps over it.</p></body></html>\n",
    "fingerprints.txt": "sd64:raeidodvqipge\nsd64:larqgiqsckcca\n",
}
# Runs in the process of a command; a forked process inherits the function, and the file is written at once.
RECORDER = """
import sys, threading
from pathlib import Path
import simhash_doc
from simhash_doc.cli import main

package, output, seen = str(Path(simhash_doc.__file__).parent), sys.argv.pop(1), set()

def record(frame, event, argument):
    path = frame.f_code.co_filename
    if event != "call" or path in seen or not path.startswith(package):
        return
    caller = frame
    while caller is not None:
        if caller.f_code.co_filename.startswith("<frozen importlib"):
            return
        caller = caller.f_back
    seen.add(path)
    with open(output, "a", encoding="utf-8") as file:
        file.write(path + "\\n")

threading.setprofile(record)
sys.setprofile(record)
main()
"""


def modules_on_the_way(command: list[str], folder: Path) -> set[str]:
    """Run a command of the package in a folder with the sample files, and return the modules on its way."""
    output = folder / "modules.txt"
    output.write_text("", encoding="utf-8")
    subprocess.run(
        [sys.executable, "-c", RECORDER, str(output), *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "SIMHASH_DOC_ENGINE": "python"},
        capture_output=True,
        check=True,
    )
    return set(output.read_text(encoding="utf-8").splitlines())


def climbing_imports() -> Iterator[str]:
    """Yield the imports that go against the layers, and those that a contract ignores."""
    import grimp

    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    depth = {f"simhash_doc.{layer}": number for number, layer in enumerate(layers)}
    graph = grimp.build_graph("simhash_doc")
    for importer in graph.modules:
        for imported in graph.find_modules_directly_imported_by(importer):
            high, low = (depth.get(".".join(name.split(".")[:2])) for name in (importer, imported))
            if high is not None and low is not None and high > low:
                yield f"{importer} -> {imported}"
    for contract in contracts:
        yield from contract.get("ignore_imports", [])


def main() -> None:
    def show(measure: str, value: int, target: int) -> None:
        print(f"{measure:<44} {value:>8,} {target:>8,}{'' if value <= target else '  over'}", flush=True)

    print(f"{'measure':<44} {'today':>8} {'target':>8}")
    for name, (most_lines, most_files) in LINES.items():
        contents = [path.read_bytes() for path in (ROOT / name).rglob("*.py")]
        show(f"{name}: lines", sum(content.count(b"\n") for content in contents), most_lines)
        if most_files is not None:
            show(f"{name}: files", len(contents), most_files)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILES.items():
            (Path(folder) / name).write_text(content, encoding="utf-8")
        for name, (command, most) in WAYS.items():
            show(f"modules on the way of {name}", len(modules_on_the_way(command, Path(folder))), most)
    climbs = list(climbing_imports())
    show("climbing imports", len(climbs), 0)
    for climb in climbs:
        print(f"  {climb}")


if __name__ == "__main__":
    main()
