"""Measures which true pairs are still found: those confirmed by `sd256`, and scans against transcriptions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration.corpus import Corpus
from benchmarks.calibration.fingerprinting import LANES, Table, hash_tokens, simhash
from benchmarks.calibration.pairs import sets
from benchmarks.calibration.rate_model import Rule
from benchmarks.calibration.variants import SCHEME, tokens

CONFIRMED = [Rule(64, distance, limit) for distance in (3, 6) for limit in (None, 26, 20)]
OF_SCANS = [Rule(64, 3), Rule(64, 12), Rule(256, 26), Rule(256, 51), Rule(512, 102)]
WRONG_CHARACTERS = {"all": (0.0, 9.9), "at most .05": (0.0, 0.05), ".05 to .10": (0.05, 0.1), ".10 to .20": (0.1, 0.2)}


def lanes_of(text: str) -> Table:
    """Return the lanes of a text that has at least one token."""
    return simhash(hash_tokens(tokens(text)), SCHEME.cap)


def fulfils(lanes: Table, rule: Rule) -> Any:
    """Return which pairs fulfil a rule.

    Args:
        lanes: array of shape (pairs, 8): the distances of each pair in each lane.
        rule: the rule; lane 0 counts, as in a published fingerprint.
    """
    found = lanes[:, : rule.bits // 64].sum(axis=1) <= rule.distance
    return found if rule.confirmed is None else found & (lanes[:, :4].sum(axis=1) <= rule.confirmed)


def confirmed_pairs(corpus: Corpus) -> dict[str, dict[str, int]]:
    """Return how many true pairs of each kind `sd64` finds, and how many of them a confirmation keeps."""
    divided = sets(corpus)
    listed = {**divided["edit class"], **{f"all: {name}": pairs for name, pairs in divided["group"].items()}}
    names = {one for pairs in listed.values() for pair in pairs for one in (pair.a, pair.b)}
    lanes = {one: lanes_of(corpus.documents[one].text) for one in sorted(names)}
    found = {}
    for name, pairs in listed.items():
        distances = np.array([np.bitwise_count(lanes[pair.a] ^ lanes[pair.b]) for pair in pairs]).reshape(-1, LANES)
        row = {rule.name: int(fulfils(distances, rule).sum()) for rule in CONFIRMED}
        found[name] = {"pairs": len(pairs)} | row
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


def _row(distances: Table, rules: Sequence[Rule]) -> dict[str, int]:
    return {"pairs": len(distances)} | {rule.name: int(fulfils(distances, rule).sum()) for rule in rules}
