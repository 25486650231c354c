"""Which edited passages the hashes of several projects still find when all meet equally few unrelated ones.

    pip install -e '.[bench]' datasketch rensa iscc-lib py-tlsh ssdeep-wheel
    python -m benchmarks.compare CORPUS_DIR     # some minutes

It writes docs/benchmarks/compare.json. The passages are 300 words of English documents of the calibration corpus. Half
of the documents set the limit of each hash: the largest distance that at most one of 100,000 unrelated pairs reaches.
The passages of the other half are edited and compared with themselves. What is unrelated, and what was edited, is known
by construction, so no method defines it. Rows without a speed are algorithms that `benchmarks.others` reimplements.
"""

from __future__ import annotations

import random
import string
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from benchmarks import others, results
from benchmarks.calibration.corpus import Corpus, Document, corpus_of_arguments
from benchmarks.measuring import Row, version
from benchmarks.methods import VALUES, shingles
from simhash_doc import fingerprint_many
from simhash_doc.schemes import Scheme, get_schemes

WORDS, PER_DOCUMENT, MOST_IN = 300, 4, 100_000  # words of a passage; passages of a document; pairs with one false hit
PACKAGES = ("datasketch", "iscc-lib", "py-tlsh", "rensa", "simhash", "ssdeep-wheel", "trafilatura")
Hash = Any
Passages = list[tuple[str, str]]  # each with the family of its document


@dataclass(frozen=True, slots=True)
class Method:
    """A hash of texts.

    Attributes:
        hashes: returns the hash of each text.
        distance: returns how far two hashes are from each other.
        size: bytes of a hash as it is stored; None if it varies, so that the mean length is measured.
        timed: whether the project itself computes the hash.
    """

    hashes: Callable[[Sequence[str]], list[Hash]]
    distance: Callable[[Hash, Hash], int]
    size: int | None
    timed: bool = True


def bits(a: int, b: int) -> int:
    return (a ^ b).bit_count()


def each(function: Callable[[str], Hash]) -> Callable[[Sequence[str]], list[Hash]]:
    return lambda texts: [function(text) for text in texts]


def ours(scheme: Scheme) -> Callable[[Sequence[str]], list[int]]:
    """Return a function for the fingerprints of a scheme, as integers."""
    return lambda texts: [one.value for one in fingerprint_many(texts, scheme) if one]


def iscc(width: int) -> Callable[[str], int]:
    """Return a function for the content code of a text by ISO 24138, with so many bits."""

    def code(text: str) -> int:
        from iscc_lib import gen_text_code_v0, iscc_decode

        return int.from_bytes(iscc_decode(gen_text_code_v0(text, bits=width)["iscc"])[4], "big")

    return code


def package_simhash(text: str) -> int:
    from simhash import Simhash

    try:
        return int(Simhash(text).value)
    except OverflowError:  # version 2.1.2 with NumPy 2: a window that occurs over 255 times
        return others.one_e0ng(text)


def package_trafilatura(text: str) -> int:
    from trafilatura.deduplication import Simhash

    return int(Simhash(text).hash)


def datasketch(text: str) -> list[int]:
    from datasketch import MinHash

    signature = MinHash(VALUES)
    signature.update_batch([shingle.encode() for shingle in shingles(text)])
    return list(signature.hashvalues.tolist())


def rensa(text: str) -> list[int]:
    from rensa import RMinHash

    signature = RMinHash(VALUES, seed=1)
    signature.update(list(shingles(text)))
    return list(signature.digest())


def different(a: list[int], b: list[int]) -> int:
    """Return how many values of two signatures differ: the estimated Jaccard distance, times their number."""
    return sum(x != y for x, y in zip(a, b, strict=True))


def tlsh(text: str) -> str:
    import tlsh as package

    return str(package.hash(text.encode()))


def tlsh_distance(a: str, b: str) -> int:
    import tlsh as package

    return int(package.diff(a, b))


def ssdeep(text: str) -> str:
    import ssdeep as package

    return str(package.hash(text.encode()))


def ssdeep_distance(a: str, b: str) -> int:
    import ssdeep as package

    return 100 - int(package.compare(a, b))


METHODS: dict[str, Method] = {
    "simhash-doc sd64": Method(ours(get_schemes()["sd64"]), bits, 8),
    "simhash-doc sd256": Method(ours(get_schemes()["sd256"]), bits, 32),
    "ISCC text code, 64 bits": Method(each(iscc(64)), bits, 8),
    "ISCC text code, 256 bits": Method(each(iscc(256)), bits, 32),
    "simhash": Method(each(package_simhash), bits, 8),
    "trafilatura": Method(each(package_trafilatura), bits, 8),
    "ClickHouse wordShingleSimHash": Method(each(others.clickhouse_word_shingle), bits, 8, timed=False),
    "wayback-discover-diff": Method(each(lambda text: others.wayback(text) or 0), bits, 32, timed=False),
    "MinHash, datasketch": Method(each(datasketch), different, 4 * VALUES),
    "MinHash, rensa": Method(each(rensa), different, 4 * VALUES),
    "TLSH": Method(each(tlsh), tlsh_distance, 35),
    "ssdeep": Method(each(ssdeep), ssdeep_distance, None),
}


def passages(documents: Sequence[Document]) -> Passages:
    """Return up to four passages of each document."""
    found: Passages = []
    for document in documents:
        words = document.text.split()
        starts = range(0, len(words) - WORDS + 1, WORDS)[:PER_DOCUMENT]
        found += [(" ".join(words[at : at + WORDS]), document.docfamily) for at in starts]
    return found


def halves(corpus: Corpus) -> tuple[Passages, Passages]:
    """Return the passages of one half of the English families, and of the other half."""
    documents = corpus.unrelated["en"]
    families = sorted({document.docfamily for document in documents})
    random.Random(1).shuffle(families)
    first = set(families[::2])
    return (
        passages([document for document in documents if document.docfamily in first]),
        passages([document for document in documents if document.docfamily not in first]),
    )


def unrelated(hashes: Sequence[Hash], texts: Passages, distance: Callable[[Hash, Hash], int]) -> list[int]:
    """Return the distances of all pairs of two families, sorted."""
    pairs = combinations(zip(hashes, (family for _, family in texts), strict=True), 2)
    return sorted(distance(a, b) for (a, one), (b, other) in pairs if one != other)


def limit_of(distances: Sequence[int]) -> int:
    """Return the largest distance that at most one of 100,000 sorted distances reaches: -1 if all hashes are equal."""
    return distances[len(distances) // MOST_IN] - 1


Edit = Callable[[list[str], list[str], random.Random], list[str]]


def replaced(share: float) -> Edit:
    """Return an edit that replaces a share of the words by words of another passage."""

    def edit(words: list[str], other: list[str], generator: random.Random) -> list[str]:
        new = list(words)
        for at in generator.sample(range(len(words)), round(share * len(words))):
            new[at] = generator.choice(other)
        return new

    return edit


def moved(words: list[str], _: list[str], generator: random.Random) -> list[str]:
    """Return the words with blocks of fifty of them in another order."""
    blocks = [words[at : at + 50] for at in range(0, len(words), 50)]
    generator.shuffle(blocks)
    return [word for block in blocks for word in block]


EDITS: dict[str, Edit] = {
    "5 %": replaced(0.05),
    "10 %": replaced(0.1),
    "20 %": replaced(0.2),
    "30 %": replaced(0.3),
    "capitals": lambda words, _, __: [word.upper().strip(string.punctuation) for word in words],
    "moved": moved,
    "framed": lambda words, other, _: other[:30] + words + other[-30:],
    "half": lambda words, _, __: words[: len(words) // 2],
}


def edited(texts: Passages, name: str) -> list[str]:
    """Return each passage after an edit. All methods get the same edits."""
    generator, words = random.Random(name), [text.split() for text, _ in texts]
    return [" ".join(EDITS[name](one, words[at - 1], generator)) for at, one in enumerate(words)]


def measured(name: str, first: Passages, second: Passages) -> Row:
    """Return the row of a method: its limit, false hits and found edits, its size and its speed."""
    method = METHODS[name]
    limit = limit_of(unrelated(method.hashes([text for text, _ in first]), first, method.distance))
    texts = [text for text, _ in second]
    begun = time.process_time()
    hashes = method.hashes(texts)
    seconds = time.process_time() - begun
    others_apart = unrelated(hashes, second, method.distance)
    found = {}
    for edit in EDITS:
        pairs = zip(hashes, method.hashes(edited(second, edit)), strict=True)
        found[edit] = sum(method.distance(a, b) <= limit for a, b in pairs)
    return {
        "method": name,
        "bytes": method.size or round(sum(map(len, hashes)) / len(hashes)),
        "limit": limit,
        "unrelated": [sum(one <= limit for one in others_apart), len(others_apart)],
        "mb_per_second": round(sum(len(text.encode()) for text in texts) / 1e6 / seconds, 2) if method.timed else None,
        "found": found,
    }


def rows(corpus: Corpus) -> Iterator[Row]:
    """Measure each method."""
    first, second = halves(corpus)
    for name in METHODS:
        yield {"passages": len(second), **measured(name, first, second)}


def main() -> None:
    versions = {name: version(name) for name in PACKAGES}
    results.record("compare", "rows", rows(corpus_of_arguments(__doc__)), versions=versions)


if __name__ == "__main__":
    main()
