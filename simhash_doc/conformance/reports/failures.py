"""The failures of a run by step and requirement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from simhash_doc.conformance.verdict import BAD

# The titles of steps and operations, in the order of the pipeline: a wrong step makes the later ones wrong.
STEPS = {
    "folded": "folding",
    "prepared": "links",
    "tokens": "tokens",
    "hashes": "hashes",
    "buckets": "counts, sums and buckets",
    "fingerprint": "fingerprints",
    "encode": "writing text forms",
    "decode": "reading text forms",
    "distance": "distances",
    "query": "queries",
    "find_all": "pairs",
    "extract": "extraction",
    "trace": "trace",
}
_NOT_SUPPORTED, _NO_ANSWER, _NOT_RUN = "required but not supported", "no answer", "not run"
_UNEXPECTED = "listed as known failures, but passed"
_ORDER = {title: number for number, title in enumerate([*STEPS.values(), _NOT_SUPPORTED, _NO_ANSWER, _UNEXPECTED])}


def failures(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the number of failures per step, and per requirement within it, in the order of the pipeline."""
    counts: Counter[str] = Counter()
    requirements: dict[str, Counter[str]] = {}
    for row in rows:
        if row["status"] in BAD:
            step = _step(row)
            counts[step] += 1
            requirements.setdefault(step, Counter()).update(row["requirements"])
    return [
        {
            "step": step,
            "cases": counts[step],
            "requirements": [
                {"requirement": name, "cases": count}
                for name, count in sorted(requirements[step].items(), key=lambda item: (-item[1], item[0]))
            ],
        }
        for step in sorted(counts, key=_place)
    ]


def order(row: dict[str, Any]) -> tuple[int, bool, int]:
    """Return the place of a failed case for sorting: by step of the pipeline, then by the size of its request.

    Recipes come last: a recipe is short, but describes a long text.
    """
    request = row.get("request", "")
    return _place(_step(row)), '"recipe": ' in request, len(request)


def failure_lines(found: Iterable[dict[str, Any]], most: int = 4) -> list[str]:
    """Return a line per step with the `most` frequent requirements.

    >>> failure_lines([{"step": "links", "cases": 3, "requirements": [{"requirement": "SD-LINK-2", "cases": 3}]}])
    ['links: 3 (SD-LINK-2 3)']
    """
    lines = []
    for row in found:
        named = [f"{item['requirement']} {item['cases']}" for item in row["requirements"]]
        more = f", {len(named) - most} more" if len(named) > most else ""
        lines.append(f"{row['step']}: {row['cases']} ({', '.join(named[:most])}{more})")
    return lines


def _step(row: dict[str, Any]) -> str:
    if row["status"] == "broken":
        return _NO_ANSWER
    if row["status"] == "not-run":
        return _NOT_RUN
    if row["status"] == "unexpected-pass":
        return _UNEXPECTED
    if row["status"] == "failed" and "expected" not in row:
        return _NOT_SUPPORTED
    return STEPS[row.get("step") or {"fold": "folded", "hash_tokens": "hashes"}.get(row["op"], row["op"])]


def _place(step: str) -> int:
    return _ORDER.get(step, len(_ORDER))
