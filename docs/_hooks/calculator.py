"""Publish the rates of the calculator, taken from the committed results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from simhash_doc.schemes import get_schemes

RESULTS = Path(__file__).parents[1] / "benchmarks/rates.json"
FULL = "complete"  # documents of any length, which are no measured length


def on_files(files: Files, config: MkDocsConfig) -> Files:
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))
    content = json.dumps(rates(measured), separators=(",", ":"))
    files.append(File.generated(config, "assets/calculator/rates.json", content=content))
    return files


def rates(measured: dict[str, Any]) -> dict[str, Any]:
    """Return the rules, the rates of unrelated pairs, the shares of edited texts found, and recommended distances.

    Raises:
        KeyError: the results lack a figure.
    """
    schemes = get_schemes()
    rules = {}
    for rule in measured["distances"]["25"]:
        scheme, _, confirmed = rule.partition(" confirmed ")
        name = f"{scheme}, confirmed by sd256 within {confirmed}" if confirmed else scheme
        bits = schemes["sd256" if confirmed else scheme].bits
        rules[rule] = {"name": name, "bits": bits, "close": schemes[scheme].close, "loose": schemes[scheme].loose}
    recall = {}
    for length, rows in measured["replaced"].items():
        by_words = {
            row["words"]: row for row in reversed(rows.values())
        }  # of several shares with as many words the first
        ordered = [by_words[words] for words in sorted(by_words)]
        recall[length] = {
            "shares": [round(row["words"] / int(length), 4) for row in ordered],
            "found": {rule: [row[rule] for row in ordered] for rule in rules},
        }
    hits = {length: one["within"] for length, one in measured["lengths"].items() if length != FULL}
    return {
        "rules": rules,
        "hits": {length: {rule: one[rule] for rule in rules} for length, one in hits.items()},
        "recall": recall,
        "sizes": measured["collections"],
        "recommended": measured["distances"],
    }
