"""Measures how often a short text is still found after one, or a share, of its words was replaced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.corpus import Corpus, Document
from benchmarks.calibration.fingerprinting import LANES, bits_of, hash_tokens
from benchmarks.calibration.unrelated import chosen_documents, cut, fingerprint, token_numbers, works
from simhash_doc.schemes import get_schemes

LENGTHS = (20, 25, 35, 50, 100, 200, 500)  # tokens
LARGEST_SAMPLE = 1000  # passages of one language and length
SMALLEST_SAMPLE = 100
SHARES = (0.02, 0.06, 0.2)  # of the words, replaced: about the middle of the classes small, medium and large
WIDEST = get_schemes()["sd256"].loose
NARROW, CONFIRMED = 3, 20  # bits of sd64 and of sd256, the search of large collections
WITHOUT_SPACES = ("ja", "lo", "th", "zh", "zh-hant")  # a token is not a word, but two characters

Row = dict[str, Any]


def one_word_recall(corpus: Corpus, lengths: Iterable[int] = LENGTHS) -> dict[str, dict[str, Row]]:
    """Return the recall after one replaced word, by length and language.

    Each passage is one trial: one of its words, at a random place, is replaced by another word of the language, drawn
    as often as it occurs. Languages without spaces and languages with few passages are left out. The row "all" is the
    mean over languages.
    """
    results: dict[str, dict[str, Row]] = {str(length): {} for length in lengths}
    for lang, length, lanes in _distances(corpus, lengths):
        results[str(length)][lang] = _row(lanes)
    for by_language in results.values():
        by_language["all"] = _mean(list(by_language.values()))
    return results


def replaced_recall(corpus: Corpus, lengths: Iterable[int] = LENGTHS) -> dict[str, dict[str, Row]]:
    """Return the recall of sd256 after a share of the words was replaced, by length and share: means over languages.

    The passages are those of `one_word_recall`; at least one word is replaced.
    """
    results: dict[str, dict[str, Row]] = {str(length): {} for length in lengths}
    for share in SHARES:
        rows: dict[int, list[list[float]]] = {length: [] for length in lengths}
        trials: Counter[int] = Counter()
        for _, length, lanes in _distances(corpus, lengths, share):
            wide = lanes[:, : get_schemes()["sd256"].lanes].sum(axis=1)
            confirmed = (lanes[:, 0] <= NARROW) & (wide <= CONFIRMED)
            within = [float((wide <= distance).mean()) for distance in range(WIDEST + 1)]
            rows[length].append([*within, float(confirmed.mean())])
            trials[length] += len(lanes)
        for length, found in rows.items():
            *within, both = np.mean(found, axis=0).round(3).tolist()
            results[str(length)][str(share)] = {
                "languages": len(found),
                "trials": trials[length],
                "sd256": within,
                f"sd64 <= {NARROW}, sd256 <= {CONFIRMED}": both,
            }
    return results


def _distances(
    corpus: Corpus, lengths: Iterable[int], share: float = 0.0
) -> Iterator[tuple[str, int, NDArray[np.int64]]]:
    """Yield language, length and the distances of passages, shape (n, lanes), after a share of their words changed."""
    for lang, documents in chosen_documents(corpus, works(corpus)).items():
        if lang not in WITHOUT_SPACES:
            for length, lanes in _of_language(documents, list(lengths), share):
                yield lang, length, lanes


def _of_language(
    documents: Sequence[Document], lengths: Sequence[int], share: float
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    listed, vocabulary = token_numbers(documents)
    bits = bits_of(hash_tokens(vocabulary, LANES).hashes)
    running = np.concatenate([np.array(one, np.int64) for one in listed])
    rng = np.random.default_rng(1)
    for length in lengths:
        passages = [passage for one in listed for passage in cut(one, length)]
        if len(passages) < SMALLEST_SAMPLE:
            continue
        order = rng.permutation(len(passages))[:LARGEST_SAMPLE]
        distances = []
        for at in order.tolist():
            before = np.array(passages[at])
            after = before.copy()
            for place in _places(rng, length, max(1, round(share * length))):
                while after[place] == before[place]:
                    after[place] = rng.choice(running)
            distances.append(np.bitwise_count(fingerprint(bits, before) ^ fingerprint(bits, after)))
        yield length, np.array(distances, np.int64)


def _places(rng: np.random.Generator, length: int, number: int) -> list[int]:
    if number == 1:
        return [int(rng.integers(length))]
    return [int(place) for place in rng.choice(length, number, replace=False)]


def _row(lanes: Any) -> Row:
    """Return the number of trials, and those within the thresholds of each scheme, from the distances of the lanes."""
    row: Row = {"trials": len(lanes)}
    for scheme in get_schemes().values():
        found = lanes[:, : scheme.lanes].sum(axis=1)
        row[scheme.id] = [int((found <= distance).sum()) for distance in (scheme.close, scheme.loose)]
    return row


def _mean(rows: Sequence[Row]) -> Row:
    """Return the mean recall over languages, and the smallest and the largest."""
    mean: Row = {"languages": len(rows), "trials": sum(row["trials"] for row in rows)}
    for scheme in get_schemes():
        shares = np.array([[found / row["trials"] for found in row[scheme]] for row in rows])
        mean[scheme] = [
            {
                "mean": round(float(column.mean()), 3),
                "smallest": round(float(column.min()), 3),
                "largest": round(float(column.max()), 3),
            }
            for column in shares.T
        ]
    return mean
