"""Calibrate the scheme on a corpus, and write the tables that the rationale and the documentation quote.

    python -m benchmarks.calibration CORPUS_DIR    # measure, and write docs/benchmarks/calibration.json and the tables

README.md in this folder describes the layout of the corpus, the sets of pairs and the rule of the thresholds.
"""

from __future__ import annotations

from benchmarks import results
from benchmarks.calibration.corpus import corpus_of_arguments
from benchmarks.calibration.fingerprinting import fingerprint_documents, kinds_of
from benchmarks.calibration.measure import measure


def main() -> None:
    corpus = corpus_of_arguments(__doc__)
    measured = measure(corpus, fingerprint_documents(corpus.documents.values(), kinds_of))
    results.write("calibration", {"made_by": "python -m benchmarks.calibration CORPUS_DIR", **measured})


if __name__ == "__main__":
    main()
