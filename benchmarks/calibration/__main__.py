"""Calibrate the scheme on a corpus, and write the tables that the rationale and the documentation quote.

    python -m benchmarks.calibration CORPUS_DIR    # measure, and write docs/benchmarks/calibration.json and the tables

README.md in this folder describes the layout of the corpus, the sets of pairs and the rule of the thresholds.
Plots need matplotlib, and recall from original files needs the extra extract: pip install -e '.[bench,extract]'.
"""

from __future__ import annotations

import os
import sys

from benchmarks import results
from benchmarks.calibration.corpus import corpus_argument
from benchmarks.calibration.fingerprinting import extracted_table, fingerprint_files, to_tables
from benchmarks.calibration.measure import EXTRACTED, SCHEME_TABLE, measure
from benchmarks.measuring import parser_of


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("corpus", type=corpus_argument, metavar="CORPUS_DIR")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    corpus = options.corpus
    kinds = fingerprint_files([document.path for document in corpus.documents.values()], options.workers)
    tables = to_tables(kinds)
    try:
        tables[EXTRACTED] = extracted_table(corpus, tables[SCHEME_TABLE], options.workers)
    except ModuleNotFoundError as error:
        print(f"extraction is skipped: {error}; pip install -e '.[extract]'", file=sys.stderr)
    results.write("calibration", {"made_by": "python -m benchmarks.calibration CORPUS_DIR", **measure(corpus, tables)})


if __name__ == "__main__":
    main()
