"""Measures how often a short text is still found after one of its words was replaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.calibration.corpus import Corpus, Document
from benchmarks.calibration.fingerprinting import LANES, bits_of, hash_tokens
from benchmarks.calibration.unrelated import chosen_documents, cut, fingerprint, token_numbers, works
from simhash_doc.schemes import get_schemes

LENGTHS = (20, 25, 35, 50, 100, 200, 500)  # tokens
LARGEST_SAMPLE = 1000  # passages of one language and length
SMALLEST_SAMPLE = 100
WITHOUT_SPACES = ("ja", "lo", "th", "zh", "zh-hant")  # a token is not a word, but two characters

Row = dict[str, Any]


def one_word_recall(corpus: Corpus, lengths: Iterable[int] = LENGTHS) -> dict[str, dict[str, Row]]:
    """Return the recall after one replaced word, by length and language.

    Each passage is one trial: one of its words, at a random place, is replaced by another word of the language, drawn
    as often as it occurs. Languages without spaces and languages with few passages are left out. The row "all" is the
    mean over languages.
    """
    results: dict[str, dict[str, Row]] = {str(length): {} for length in lengths}
    for lang, documents in chosen_documents(corpus, works(corpus)).items():
        if lang not in WITHOUT_SPACES:
            for length, row in _of_language(documents, list(lengths)):
                results[str(length)][lang] = row
    for by_language in results.values():
        by_language["all"] = _mean(list(by_language.values()))
    return results


def _of_language(documents: Sequence[Document], lengths: Sequence[int]) -> Iterable[tuple[int, Row]]:
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
            place = rng.integers(length)
            while after[place] == before[place]:
                after[place] = rng.choice(running)
            distances.append(np.bitwise_count(fingerprint(bits, before) ^ fingerprint(bits, after)))
        yield length, _row(np.array(distances))


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
