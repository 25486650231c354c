"""What methods find of the near-duplicates among 20,000 texts, and what they cost: this one and MinHash LSH.

    pip install datasketch rensa
    python -m benchmarks.methods CORPUS_DIR     # some minutes

It writes docs/benchmarks/methods.json. A true pair shares at least half of its shingles of three words (Jaccard), by an
exact join; an unrelated one less than a tenth. A third of the texts are copies with up to a third of their words
replaced. Each method runs in a process of its own; MinHash gets the same shingles, 128 values and the threshold .5.
"""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from math import ceil

from benchmarks import results
from benchmarks.calibration.corpus import Corpus, corpus_of_arguments
from benchmarks.measuring import Row, isolated, version
from simhash_doc import find_duplicates, fingerprint_many
from simhash_doc.lookup import find_all

TEXTS, COPIES, JACCARD, UNRELATED, VALUES = 20_000, 6_667, 0.5, 0.1, 128
LENGTHS = {"passages of 100 words": 100, "texts of 12 words": 12}
Pairs = set[tuple[int, int]]


def texts_of(corpus: Corpus, length: int) -> list[str]:
    """Return English texts of a number of words, and then copies with replaced words."""
    generator = random.Random(length)
    found: dict[str, None] = {}
    for document in corpus.documents.values():
        if document.lang == "en":
            words = document.text.split()
            found |= {" ".join(words[i : i + length]): None for i in range(0, len(words) - length, length)}
    originals = generator.sample(sorted(found), TEXTS - COPIES)
    vocabulary = [word for text in originals for word in text.split()]
    copies = []
    for text in originals[:COPIES]:
        words = text.split()
        for place in generator.sample(range(length), max(1, generator.randrange(length // 3 + 1))):
            words[place] = generator.choice(vocabulary)
        copies.append(" ".join(words))
    return originals + copies


def shingles(text: str) -> set[str]:
    words = text.lower().split()
    return {" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))}


def jaccard(a: str, b: str) -> float:
    first, second = shingles(a), shingles(b)
    return len(first & second) / len(first | second)


def true_pairs(texts: list[str]) -> Pairs:
    """Return the pairs by comparing all that share one of the rarest shingles, which every true pair does."""
    sets = [shingles(text) for text in texts]
    frequency = Counter(shingle for one in sets for shingle in one)
    rows: dict[str, list[int]] = defaultdict(list)
    for row, one in enumerate(sets):
        rarest = sorted(one, key=lambda shingle: (frequency[shingle], shingle))
        for shingle in rarest[: len(one) - ceil(JACCARD * len(one)) + 1]:
            rows[shingle].append(row)
    candidates = {pair for listed in rows.values() for pair in combinations(listed, 2)}
    return {(a, b) for a, b in candidates if len(sets[a] & sets[b]) >= JACCARD * len(sets[a] | sets[b])}


def within(scheme: str, distance: int) -> Callable[[list[str]], Pairs]:
    def find(texts: list[str]) -> Pairs:
        found = find_all(fingerprint_many(texts, scheme), distance=distance)
        return {(first, second) for first, second, _ in found}

    return find


def confirmed(texts: list[str]) -> Pairs:
    """Return the pairs of rows in each cluster."""
    clusters: dict[int, list[int]] = defaultdict(list)
    for row, cluster in enumerate(find_duplicates(texts).labels.tolist()):
        if cluster >= 0:
            clusters[cluster].append(row)
    return {pair for rows in clusters.values() for pair in combinations(rows, 2)}


def datasketch(texts: list[str]) -> Pairs:
    from datasketch import MinHash, MinHashLSH

    index, signatures = MinHashLSH(JACCARD, VALUES), []
    for row, text in enumerate(texts):
        signature = MinHash(VALUES)
        signature.update_batch([shingle.encode() for shingle in shingles(text)])
        index.insert(row, signature)
        signatures.append(signature)
    return _found(index.query(one) for one in signatures)


def rensa(texts: list[str]) -> Pairs:
    from rensa import RMinHash, RMinHashLSH

    index, signatures = RMinHashLSH(JACCARD, VALUES, 32), []  # bands of 4: half of the pairs at 0.42
    for row, text in enumerate(texts):
        signature = RMinHash(VALUES, seed=1)
        signature.update(list(shingles(text)))
        index.insert(row, signature)
        signatures.append(signature)
    return _found(index.query(one) for one in signatures)


def _found(answers: Iterator[list[int]]) -> Pairs:
    return {(min(a, b), max(a, b)) for a, answer in enumerate(answers) for b in answer if a != b}


METHODS: dict[str, tuple[Callable[[list[str]], Pairs], int]] = {  # bytes that are stored for each text
    "sd64 within 3": (within("sd64", 3), 8),
    "sd256 within 32": (within("sd256", 32), 32),
    "find_duplicates: sd256, texts compared": (confirmed, 32),
    "datasketch MinHash LSH": (datasketch, 4 * VALUES),
    "rensa MinHash LSH": (rensa, 4 * VALUES),
}


def measured(name: str, texts: list[str]) -> tuple[Pairs, float]:
    """Return the pairs that a method finds, and its processor time in seconds."""
    method = METHODS[name][0]
    method(texts[: TEXTS // 4])  # imports and compiles
    begun = time.process_time()
    return method(texts), time.process_time() - begun


def rows(corpus: Corpus) -> Iterator[Row]:
    """Measure each method with each kind of texts."""
    for kind, length in LENGTHS.items():
        texts = texts_of(corpus, length)
        truth = true_pairs(texts)
        for name, (_, stored) in METHODS.items():
            (found, seconds), peak = isolated(measured, name, texts)
            yield {
                "texts": kind,
                "method": name,
                "true": len(truth),
                "found": len(found),
                "right": len(found & truth),
                "unrelated": sum(jaccard(texts[a], texts[b]) < UNRELATED for a, b in found - truth),
                "cpu_seconds": round(seconds, 2),
                "peak_mb": round(peak),
                "bytes": stored,
            }


def main() -> None:
    versions = {name: version(name) for name in ("datasketch", "rensa")}
    results.record("methods", "rows", rows(corpus_of_arguments(__doc__)), versions=versions)


if __name__ == "__main__":
    main()
