"""Check the figures of extraction/gate.json that need the shared corpus.

    python -m benchmarks.extraction.gate CORPUS_DIR

Prints each figure beside its limit. The status is 1 if one is worse. Tests check the other figures of the file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.calibration.corpus import Corpus, load
from benchmarks.extraction import encodings
from benchmarks.extraction.crossmedia import cross_media_pairs, recall
from benchmarks.extraction.peers import read
from benchmarks.extraction.sources import extracted, name_of, original
from benchmarks.measuring import parser_of
from simhash_doc_extraction import detect

GATE = Path(__file__).parents[2] / "extraction/gate.json"
SEED = 2  # of the samples of texts in many encodings
_LONGEST = 60  # seconds


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="CORPUS_DIR")
    folder: Path = parser.parse_args().folder
    corpus = load(folder)
    limits: dict[str, dict[str, float]] = json.loads(GATE.read_bytes())["corpus"]
    found = {**_recalls(corpus), **_encodings(folder), **_costs(corpus)}
    print(f"{'figure':<28} {'found':>8} {'limit':>8}")
    for name, limit in {**limits["least"], **limits["most"]}.items():
        print(f"{name:<28} {found[name]:>8} {limit:>8}")
    wrong = [name for name, limit in limits["least"].items() if found[name] < limit]
    wrong += [name for name, limit in limits["most"].items() if found[name] > limit]
    if wrong:
        sys.exit(f"worse than extraction/gate.json: {', '.join(wrong)}")


def _recalls(corpus: Corpus) -> dict[str, float]:
    pairs = cross_media_pairs(corpus)
    texts = {one: extracted(corpus.documents[one]) for pair in pairs for one in (pair.a, pair.b)}
    return {"cross-media recall": recall(pairs, texts)["loose"]}


def _encodings(folder: Path) -> dict[str, float]:
    shares = encodings.shares(list(encodings.samples(folder, SEED)), ["ours"])
    return {"encodings": shares["all"]["ours"], "encodings of capitals": shares["capitals"]["ours"]}


def _costs(corpus: Corpus) -> dict[str, float]:
    """Return the processor time and the memory of the originals that need most."""
    seconds = megabytes = 0.0
    for document in corpus.documents.values():
        if document.orig is not None:
            data, name = original(document), name_of(document)
            reading = read(data, name, detect(data, name), _LONGEST)
            seconds, megabytes = max(seconds, reading.seconds), max(megabytes, reading.megabytes)
    return {"seconds of a document": round(seconds, 2), "megabytes of a document": round(megabytes)}


if __name__ == "__main__":
    main()
