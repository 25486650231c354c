"""Measures which near-duplicates are found: true pairs confirmed by `sd256`, scans, and texts with replaced words."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.corpus import Corpus, Document
from benchmarks.calibration.fingerprinting import LANES, Table, bits_of, hash_tokens, simhash
from benchmarks.calibration.pairs import sets
from benchmarks.calibration.rate_model import Rule, curves
from benchmarks.calibration.unrelated import chosen_documents, cut, fingerprint, token_numbers
from benchmarks.calibration.variants import SCHEME, tokens
from benchmarks.measuring import Results
from simhash_doc.schemes import get_schemes

CONFIRMED = [Rule(64, distance, limit) for distance in (3, 6) for limit in (None, 26, 20)]
OF_SCANS = [Rule(64, 3), Rule(64, 12), Rule(256, 26), Rule(256, 51), Rule(512, 102)]
WRONG_CHARACTERS = {
    "all": (0.0, 9.9),
    "at most 0.05": (0.0, 0.05),
    "0.05 to 0.10": (0.05, 0.1),
    "0.10 to 0.20": (0.1, 0.2),
}
LENGTHS = (20, 25, 35, 50, 100, 200, 500)  # tokens
LARGEST_SAMPLE = 1000  # passages of one language and length
SMALLEST_SAMPLE = 100
ONE_WORD = 0.0
# Of the words, replaced. 0.02, 0.06 and 0.2 are about the middle of the classes small, medium and large.
SHARES = (0.01, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3)
WITHOUT_SPACES = ("ja", "lo", "th", "zh", "zh-hant")  # a token is not a word, but two characters


def lanes_of(text: str) -> Table:
    """Return the lanes of a text that has at least one token."""
    return simhash(hash_tokens(tokens(text)), SCHEME.cap)


def fulfils(lanes: npt.NDArray[Any], rule: Rule) -> npt.NDArray[np.bool_]:
    """Return which pairs fulfil a rule.

    Args:
        lanes: array of shape (pairs, 8): the distances of each pair in each lane.
        rule: the rule; lane 0 counts, as in a published fingerprint.
    """
    found = np.asarray(lanes[:, : rule.bits // 64].sum(axis=1) <= rule.distance)
    return found if rule.confirmed is None else found & (lanes[:, :4].sum(axis=1) <= rule.confirmed)


def _row(lanes: npt.NDArray[Any], rules: Sequence[Rule]) -> dict[str, int]:
    return {"pairs": len(lanes)} | {rule.name: int(fulfils(lanes, rule).sum()) for rule in rules}


def confirmed_pairs(corpus: Corpus) -> dict[str, dict[str, int]]:
    """Return how many true pairs of each kind `sd64` finds, and how many of them a confirmation keeps."""
    divided = sets(corpus)
    listed = {**divided["edit class"], **{f"all: {name}": pairs for name, pairs in divided["group"].items()}}
    names = {one for pairs in listed.values() for pair in pairs for one in (pair.a, pair.b)}
    lanes = {one: lanes_of(corpus.documents[one].text) for one in sorted(names)}
    found = {}
    for name, pairs in listed.items():
        distances = np.array([np.bitwise_count(lanes[pair.a] ^ lanes[pair.b]) for pair in pairs]).reshape(-1, LANES)
        found[name] = _row(distances, CONFIRMED)
    return found


def scans(path: Path) -> dict[str, dict[str, int]]:
    """Return how many scanned articles each rule finds, by the share of wrong characters, and unrelated pairs.

    Args:
        path: JSON lines of the HIPE-OCRepair benchmark, with a transcription and an OCR text each.
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    sides = [
        np.array([lanes_of(row[side]["transcription_unit"]) for row in rows])
        for side in ("ocr_hypothesis", "ground_truth")
    ]
    wrong = np.array([row["ocr_hypothesis"]["quality_report"]["cer"] for row in rows])
    own = np.bitwise_count(sides[0] ^ sides[1])
    found = {}
    for name, (low, high) in WRONG_CHARACTERS.items():
        chosen = (wrong <= high) & ((wrong > low) | (low == 0))
        found[name] = _row(own[chosen], OF_SCANS)
    others = np.bitwise_count(sides[0][:, None] ^ sides[1][None])[~np.eye(len(rows), dtype=bool)]
    found["unrelated"] = _row(others, OF_SCANS)
    return found


def replaced_words(corpus: Corpus, lengths: Sequence[int] = LENGTHS) -> tuple[Results, Results]:
    """Return the recall after one word, and after shares of the words were replaced by others of the language.

    Each passage is one trial. Other words are drawn as often as they occur. Languages without spaces and languages with
    few passages are left out.

    Returns:
        By length and language, the passages within the thresholds of each scheme after one replaced word; in the row
        "all", means over languages. By length and share, the recall of each scheme within each distance, and of `sd64`
        confirmed by `sd256`: means over languages.
    """
    found: dict[tuple[float, int], dict[str, npt.NDArray[np.int64]]] = defaultdict(dict)
    for lang, documents in chosen_documents(corpus).items():
        if lang not in WITHOUT_SPACES:
            for key, lanes in _of_language(documents, lengths).items():
                found[key][lang] = lanes
    one_word = {str(length): _one_word(found[ONE_WORD, length]) for length in lengths}
    replaced = {
        str(length): {
            str(share): {"words": number_of(share, length)} | _replaced(found[share, length].values())
            for share in SHARES
        }
        for length in lengths
    }
    return one_word, replaced


def _of_language(
    documents: Sequence[Document], lengths: Sequence[int]
) -> dict[tuple[float, int], npt.NDArray[np.int64]]:
    """Return the distances of the passages, shape (n, lanes), by share of replaced words and by length."""
    listed, vocabulary = token_numbers(documents)
    bits = bits_of(hash_tokens(vocabulary, LANES).hashes)
    running = np.concatenate([np.array(one, np.int64) for one in listed])
    passages = {length: [passage for one in listed for passage in cut(one, length)] for length in lengths}
    found = {}
    for share in (ONE_WORD, *SHARES):
        rng = np.random.default_rng(1)
        for length, all_passages in passages.items():
            if len(all_passages) < SMALLEST_SAMPLE:
                continue
            distances = []
            for at in rng.permutation(len(all_passages))[:LARGEST_SAMPLE].tolist():
                before = np.array(all_passages[at])
                after = before.copy()
                for place in _places(rng, length, number_of(share, length)):
                    while after[place] == before[place]:
                        after[place] = rng.choice(running)
                distances.append(np.bitwise_count(fingerprint(bits, before) ^ fingerprint(bits, after)))
            found[share, length] = np.array(distances, np.int64)
    return found


def number_of(share: float, length: int) -> int:
    """Return how many of `length` words are replaced."""
    return max(1, round(share * length))


def _places(rng: np.random.Generator, length: int, number: int) -> list[int]:
    if number == 1:
        return [int(rng.integers(length))]
    return [int(place) for place in rng.choice(length, number, replace=False)]


def _one_word(by_language: dict[str, npt.NDArray[np.int64]]) -> Results:
    rows: dict[str, Results] = {}
    mean: Results = {"languages": len(by_language), "trials": sum(map(len, by_language.values()))}
    for scheme in get_schemes().values():
        rules = [Rule(scheme.bits, distance) for distance in (scheme.close, scheme.loose)]
        for lang, lanes in by_language.items():
            row = rows.setdefault(lang, {"trials": len(lanes)})
            row[scheme.id] = [int(fulfils(lanes, rule).sum()) for rule in rules]
        shares = [[fulfils(lanes, rule).mean() for lanes in by_language.values()] for rule in rules]
        mean[scheme.id] = [{"mean": round(float(np.mean(one)), 3)} for one in shares]
    return rows | {"all": mean}


def _replaced(by_language: Iterable[npt.NDArray[np.int64]]) -> Results:
    listed = list(by_language)
    found: Results = {"languages": len(listed), "trials": sum(map(len, listed))}
    for name, rules in curves().items():
        shares = [[fulfils(lanes, rule).mean() for rule in rules] for lanes in listed]
        found[name] = np.mean(shares, axis=0).round(3).tolist()
    return found
