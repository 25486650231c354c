"""Counts the distances of all pairs of unrelated passages of one language and of about one length.

A passage is a run of consecutive tokens of a document. Two passages form a pair if they are of one language and of
different works. A work is a family of documents, with all families that the corpus knows to be related to it; each
work contributes its longest document in a language, and at most `PASSAGES` passages of one length, so that a long
novel does not outweigh everything else.

Near pairs are compared by their tokens. If the Dice coefficient of their sets of token 3-grams is at least `DICE`,
they share text (boilerplate, a licence, a quotation): they are removed from all histograms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.corpus import Corpus, Document
from benchmarks.calibration.fingerprinting import LANES, Bits, Table, bits_of, hash_tokens, positive
from benchmarks.calibration.variants import tokens
from simhash_doc.lookup.clusters import components
from simhash_doc.reference import OCCURRENCE_CAP

FULL = 0  # the length that stands for complete documents
SHORTEST_FULL = 25  # tokens of a complete document that is compared
PASSAGES = 64  # of one length and one work
DICE = 0.2
REPLICATES = 200
WIDTHS = (64, 128, 256, 512)
# A pair is compared by its tokens if one of its fingerprints is this near. All fingerprints of a width count.
NEAR = {64: 8, 128: 24, 256: 60, 512: 128}
_AT_ONCE = 1 << 16  # pairs in memory at once

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def works(corpus: Corpus) -> dict[str, str]:
    """Return the work of each document id: the smallest id of the documents that are known to be related to it.

    Documents of one family, of a true pair, or of a pair of the residue are related, directly or through others.
    """
    index = {name: at for at, name in enumerate(corpus.documents)}
    first_of_family: dict[str, str] = {}
    related = [(one.id, first_of_family.setdefault(one.docfamily, one.id)) for one in corpus.documents.values()]
    related += [(pair.a, pair.b) for pair in corpus.pairs]
    related += [(min(pair), max(pair)) for pair in corpus.residue]
    a, b = (np.array([index[name] for name in side], np.int64) for side in zip(*related, strict=True))
    labels = components(len(index), a, b).tolist()
    smallest: dict[int, str] = {}
    for name, label in sorted(zip(index, labels, strict=True)):
        smallest.setdefault(label, name)
    return {name: smallest[label] for name, label in zip(index, labels, strict=True)}


def chosen_documents(corpus: Corpus) -> dict[str, list[Document]]:
    """Return the longest document of each work, by language. Languages with one work are left out."""
    work_of = works(corpus)
    longest: dict[tuple[str, str], Document] = {}
    for one in corpus.documents.values():
        key = one.lang, work_of[one.id]
        if key not in longest or one.tokens > longest[key].tokens:
            longest[key] = one
    found: dict[str, list[Document]] = {}
    for (lang, _), one in sorted(longest.items()):
        found.setdefault(lang, []).append(one)
    return {lang: listed for lang, listed in found.items() if len(listed) > 1}


def cut(listed: Sequence[int], length: int) -> list[Sequence[int]]:
    """Return at most `PASSAGES` consecutive passages of `length` tokens, evenly spread, or the complete document."""
    if length == FULL:
        return [listed] if len(listed) >= SHORTEST_FULL else []
    number = len(listed) // length
    places = range(number) if number <= PASSAGES else [at * number // PASSAGES for at in range(PASSAGES)]
    return [listed[at * length : (at + 1) * length] for at in places]


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of one language and length, sorted by family.

    Attributes:
        lang: the language.
        ids: the numbers of the tokens of each passage.
        rows: array of shape (passages, lanes): the fingerprints.
        families: array of shape (passages,): the number of the work of each.
        sources: array of shape (works,): the number of the collection from which each work comes.
    """

    lang: str
    ids: list[Sequence[int]]
    rows: Table
    families: Integers
    sources: Integers


def passages_of(lang: str, documents: Sequence[Document], lengths: Iterable[int]) -> dict[int, Passages]:
    """Return the passages of the documents of one language, by length."""
    listed, vocabulary = token_numbers(documents)
    bits = bits_of(hash_tokens(vocabulary, LANES).hashes)
    names = list(dict.fromkeys(one.source for one in documents))
    sources = np.array([names.index(one.source) for one in documents], np.int64)
    found = {}
    for length in lengths:
        ids, families = [], []
        for family, numbers in enumerate(listed):
            for passage in cut(numbers, length):
                ids.append(passage)
                families.append(family)
        if ids:
            rows = np.array([fingerprint(bits, passage) for passage in ids], np.uint64)
            found[length] = Passages(lang, ids, rows, np.array(families, np.int64), sources)
    return found


def token_numbers(documents: Iterable[Document]) -> tuple[list[list[int]], list[str]]:
    """Return the tokens of each document as numbers, and the token of each number."""
    index: dict[str, int] = {}
    numbers = [[index.setdefault(token, len(index)) for token in tokens(one.text)] for one in documents]
    return numbers, list(index)


def fingerprint(bits: Bits, passage: Sequence[int] | Integers) -> Table:
    """Return the lanes of a passage of numbered tokens.

    Args:
        bits: array of shape (tokens, 512): the bits of the hashes of each token.
        passage: the numbers of the tokens.
    """
    distinct, counts = np.unique(np.asarray(passage), return_counts=True)
    return positive(np.minimum(counts, OCCURRENCE_CAP), bits[distinct])


@dataclass(slots=True)
class Counts:
    """Numbers of pairs of passages. Counts of several languages are added with `+`.

    Attributes:
        histograms: by width, array of shape (width + 1,): pairs at each distance, summed over the disjoint
            fingerprints of this width that 512 bits have: 8 of 64 bits, 4 of 128, 2 of 256.
        halves: array of shape (2, 513): the histograms of 512 bits within each half of the works.
        replicates: array of shape (REPLICATES, 513): histograms of 512 bits of resampled works.
    """

    histograms: dict[int, Integers] = field(default_factory=lambda: {w: np.zeros(w + 1, np.int64) for w in WIDTHS})
    halves: Integers = field(default_factory=lambda: np.zeros((2, 513), np.int64))
    replicates: Floats = field(default_factory=lambda: np.zeros((REPLICATES, 513)))

    @property
    def pairs(self) -> int:
        """The number of unrelated pairs."""
        return int(self.histograms[512].sum())

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            {width: self.histograms[width] + other.histograms[width] for width in WIDTHS},
            self.halves + other.halves,
            self.replicates + other.replicates,
        )


@dataclass(slots=True)
class Language:
    """The counts of one language and length: pairs from different collections, and pairs from one."""

    works: int = 0
    different: Counts = field(default_factory=Counts)
    same: Counts = field(default_factory=Counts)

    @property
    def pairs(self) -> int:
        """The number of unrelated pairs."""
        return self.different.pairs + self.same.pairs

    def __add__(self, other: Language) -> Language:
        return Language(self.works + other.works, self.different + other.different, self.same + other.same)


def count(given: Passages) -> Language:
    """Count the distances of all pairs of passages of different works."""
    rng = np.random.default_rng(1)
    number = len(given.sources)
    drawn = rng.multinomial(number, np.full(number, 1 / number), REPLICATES).astype(np.float64)
    half = rng.permutation(number) % 2
    found = Language(len(np.unique(given.families)))
    source_of = given.sources[given.families]
    starts = np.searchsorted(given.families, np.arange(number + 1))
    grams: dict[int, frozenset[Any]] = {}
    for family in range(number):
        mine = np.arange(starts[family], starts[family + 1])
        if not len(mine):
            continue
        same = source_of[mine[-1] + 1 :] == given.sources[family]
        for counts, chosen in ((found.different, ~same), (found.same, same)):
            others = mine[-1] + 1 + np.flatnonzero(chosen)
            table = np.zeros((number, 513), np.int64)
            step = max(1, _AT_ONCE // len(mine))
            for begin in range(0, len(others), step):
                _add_block(given, mine, others[begin : begin + step], counts, table, grams)
            counts.histograms[512] += table.sum(axis=0)
            counts.halves[half[family]] += table[half == half[family]].sum(axis=0)
            seen = np.flatnonzero(table.any(axis=0))
            weighed = drawn[:, family + 1 :] @ table[family + 1 :, seen]
            counts.replicates[:, seen] += drawn[:, family, None] * weighed
    return found


def _add_block(
    given: Passages, mine: Integers, others: Integers, counts: Counts, table: Integers, grams: dict[int, frozenset[Any]]
) -> None:
    """Count the pairs of passages of one work with others.

    Args:
        given: the passages.
        mine: the positions of the passages of one work.
        others: the positions of passages of other works.
        counts: to which the pairs are added, except those that `table` has.
        table: array of shape (works, 513), to which the pairs are added by the other work and by their distance in
            512 bits.
        grams: the 3-grams of the passages that were needed so far.
    """
    lanes = np.bitwise_count(given.rows[mine, None] ^ given.rows[None, others]).astype(np.uint16)
    distances = {64: lanes}
    for width in WIDTHS[1:]:
        narrow = distances[width // 2]
        distances[width] = narrow[..., ::2] + narrow[..., 1::2]
    near = np.any([(distances[width] <= limit).any(axis=2) for width, limit in NEAR.items()], axis=0)
    counted = np.ones(near.shape, bool)
    for row, column in np.argwhere(near).tolist():
        pair = int(mine[row]), int(others[column])
        one, other = (grams.get(at) or grams.setdefault(at, three_grams(given.ids[at])) for at in pair)
        counted[row, column] = dice(one, other) < DICE
    for width in WIDTHS[:3]:
        counts.histograms[width] += np.bincount(distances[width][counted].ravel(), minlength=width + 1)
    of_works = np.broadcast_to(given.families[others], near.shape)[counted]
    np.add.at(table, (of_works, distances[512][counted, 0]), 1)


def three_grams(listed: Sequence[int]) -> frozenset[tuple[int, ...]]:
    """Return the set of 3-grams of a sequence of tokens."""
    return frozenset(zip(listed, listed[1:], listed[2:], strict=False))


def dice(a: frozenset[Any], b: frozenset[Any]) -> float:
    """Return the Dice coefficient of two sets, 0 if both are empty."""
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0


def count_corpus(corpus: Corpus, lengths: Sequence[int]) -> dict[int, dict[str, Language]]:
    """Return the counts of each length and language."""
    chosen = chosen_documents(corpus)
    running: dict[int, dict[str, Future[Language]]] = {length: {} for length in lengths}
    with ProcessPoolExecutor() as pool:
        for by_length in pool.map(passages_of, chosen, chosen.values(), [lengths] * len(chosen)):
            for length, given in by_length.items():
                running[length][given.lang] = pool.submit(count, given)
        return {length: {lang: one.result() for lang, one in rows.items()} for length, rows in running.items()}
