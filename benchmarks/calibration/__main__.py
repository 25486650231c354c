"""Calibrate the scheme on a corpus, and write the tables that the rationale and the documentation quote.

    python -m benchmarks.calibration CORPUS_DIR    # measure, and write docs/benchmarks/calibration.json and the tables
    python -m benchmarks.calibration --tables      # write only tables and plots, from the committed calibration.json

README.md in this folder describes the layout of the corpus, the sets of pairs and the rule of the thresholds.
Plots need matplotlib, and recall from original files needs the extra extract: pip install -e '.[bench,extract]'.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.calibration.corpus import LayoutError, load
from benchmarks.calibration.fingerprinting import extracted_table, fingerprint_files, to_tables
from benchmarks.calibration.measure import EXTRACTED, SCHEME_TABLE, measure
from benchmarks.calibration.tables import COMMAND, write
from benchmarks.measuring import peak_mb
from benchmarks.plots import FOLDER

RESULTS = FOLDER / "calibration.json"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog=COMMAND, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", nargs="?", type=Path, metavar="CORPUS_DIR")
    parser.add_argument("--tables", action="store_true", help="only write tables and plots, from calibration.json")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="the results (default: %(default)s)")
    options = parser.parse_args()
    if (options.corpus is None) != options.tables:
        parser.error("give a corpus, or --tables")
    if options.tables:
        write(json.loads(RESULTS.read_text(encoding="utf-8")))
        return 0
    start = time.perf_counter()
    try:
        corpus = load(options.corpus)
    except LayoutError as error:
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return 1
    kinds = fingerprint_files([document.path for document in corpus.documents.values()], options.workers)
    tables = to_tables(kinds)
    try:
        tables[EXTRACTED] = extracted_table(corpus, tables[SCHEME_TABLE], options.workers)
    except ModuleNotFoundError as error:
        print(f"extraction is skipped: {error}; pip install -e '.[extract]'", file=sys.stderr)
    results = {"made_by": f"{COMMAND} CORPUS_DIR", **measure(corpus, tables)}
    options.output.write_text(rendered(results), encoding="utf-8")
    print(f"{options.output}: {time.perf_counter() - start:.0f} s, peak {peak_mb():.0f} MB (this process)", flush=True)
    if options.output == RESULTS:
        write(results)
    return 0


def rendered(results: dict[str, Any]) -> str:
    """Return JSON with each list of numbers on one line."""
    return _rendered(results, "") + "\n"


def _rendered(value: Any, indent: str) -> str:
    inner = indent + " "
    if isinstance(value, dict) and any(isinstance(member, dict | list) for member in value.values()):
        members = (f"{inner}{json.dumps(name)}: {_rendered(member, inner)}" for name, member in value.items())
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(member, dict) for member in value):
        return "[\n" + ",\n".join(inner + _rendered(member, inner) for member in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
