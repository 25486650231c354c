"""What the wrong ports answer: which vectors kill them, and which of them an answer looks like."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case, load_cases, read_verified, same_result
from simhash_doc.conformance.extraction import fingerprint_of
from simhash_doc.conformance.inputs import read_input
from simhash_doc.conformance.mutants import Mutant, mutants
from simhash_doc.conformance.steps import Steps
from simhash_doc.resources import published

_READING = {"read", "decode_utf8", "scalar_values"}
_FOLDING = {"fold", "map_characters", "bound_nonstarters", "decomposed", "long_run", "nonstarter_limit", "compose"}
_TOKENS = {
    *_READING, *_FOLDING, "remove_links", "link_forms", "prepared_tokens", "tokens",
    "is_word", "runs", "is_continua", "split", "bigrams", "trim", "is_token",
}  # fmt: skip
_BUCKETS = {*_TOKENS, "count", "cap", "hash_token", "bit_sums", "no_token", "to_buckets", "buckets"}
_WRITING = {"encode", "base32"}
_COMPARING = {"decode", "distance", "similarity"}
# The steps that each operation goes through: a wrong port that patches none of them answers like a right one.
_STEPS_OF = {
    "fold": {*_READING, *_FOLDING},
    "tokens": _TOKENS,
    "hash_tokens": {"hash_token"},
    "buckets": _BUCKETS,
    "fingerprint": {*_BUCKETS, *_WRITING, "to_bytes", "fingerprint"},
    "encode": _WRITING,
    "decode": {"decode"},
    "distance": _COMPARING,
    "query": {*_COMPARING, "query"},
    "find_all": {*_COMPARING, "find_all"},
    "extract": {"extract", "no_text", "assembled", "is_content", "part_text"},
}


def patched(mutant: Mutant) -> set[str]:
    """Return the names of the steps that a wrong port replaces."""
    return {
        name
        for base in mutant.steps.__mro__
        if issubclass(base, Steps) and base is not Steps
        for name in vars(base)
        if hasattr(Steps, name) and not name.startswith("__")
    }


def may_differ(mutant: Mutant, op: str) -> bool:
    return bool(patched(mutant) & _STEPS_OF[op])


def digest(op: str, answer: Mapping[str, Any]) -> str:
    """Return a short name for an answer, the same for answers that count as the same."""
    result = answer.get("result")
    if isinstance(result, str) and op == "extract":
        result = str(fingerprint_of(result))  # spaces and the order of the parts make no other answer
    elif isinstance(result, list) and op == "tokens":
        result = sorted(result)
    elif isinstance(result, list) and op == "query":
        result = [sorted(found) for found in result]
    elif isinstance(result, list) and op == "find_all":
        result = sorted(sorted(pair) for pair in result)
    canonical = json.dumps([result, answer.get("error")], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def mutant_answer(mutant: Mutant, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a wrong port's answer. One that fails in a way of its own answers with that error's name."""
    steps = mutant.steps()
    if request["op"] in ("tokens", "buckets", "fingerprint"):
        _share_right_steps(steps, patched(mutant), json.dumps(request, sort_keys=True))
    try:
        return Adapter(steps).answer(request)
    except Exception as error:  # a wrong port may break on an input in any way
        return {"error": type(error).__name__}


def _share_right_steps(steps: Steps, patches: set[str], request: str) -> None:
    """Give a wrong port the results of the steps before its own, which are the same for all."""
    if not patches & _TOKENS:
        steps.tokens = lambda given: _right_steps(request)[1]  # type: ignore[method-assign]
    elif not patches & (_READING | _FOLDING):
        steps.fold = lambda text: _right_steps(request)[0]  # type: ignore[method-assign]


@lru_cache(maxsize=4)
def _right_steps(request: str) -> tuple[str, list[str]]:
    right, given = Steps(), read_input(json.loads(request))
    folded = right.fold(right.read(given))
    return folded, right.prepared_tokens(right.remove_links(folded))


def wrong_answers(row: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return, for a case as the vector files have it, the wrong ports by the digest of what they answer.

    Only the first request of a metamorphic case is asked, and a large document only of the
    wrong ports of the requirements that it is for.
    """
    if not row["expected"]:
        return {}
    request = {"id": 0, "op": row["op"], **row["input"]}
    found: dict[str, list[str]] = {}
    for mutant in mutants().values():
        too_large = "large" in row["flags"] and mutant.requirement not in row["requirements"]
        if may_differ(mutant, row["op"]) and not too_large:
            answer = mutant_answer(mutant, request)
            if not _right(row["op"], row["expected"], answer):
                found.setdefault(digest(row["op"], answer), []).append(mutant.name)
    return found


def _right(op: str, expected: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    if "error" in expected or "error" in answer:
        return expected.get("error") == answer.get("error")
    return same_result(op, expected["result"], answer["result"])


@cache
def published_wrong_answers() -> dict[str, dict[str, list[str]]]:
    """Return, by case id and digest, the wrong ports that give that answer."""
    files = read_verified(published("conformance/vectors"))
    answers: dict[str, dict[str, list[str]]] = json.loads(files["wrong-answers.json"])["answers"]
    return answers


@cache
def killers() -> dict[str, list[str]]:
    """Return, for each wrong port, the ids of the cases that tell it from a right one."""
    found: dict[str, list[str]] = {name: [] for name in mutants()}
    for case_id, answers in published_wrong_answers().items():
        for names in answers.values():
            for name in names:
                found[name].append(case_id)
    return found


def like(case: Case, answer: Mapping[str, Any]) -> list[str]:
    """Return the wrong ports that give this very answer to a case."""
    return published_wrong_answers().get(case.id, {}).get(digest(case.op, answer), [])


def first_killer(name: str) -> str | None:
    """Return the id of a case that tells a wrong port from a right one, asking it afresh; None if there is none.

    The published killers are tried first, then every case.
    """
    mutant, cases = mutants()[name], {case.id: case for case in load_cases()}
    published_first = [*killers()[name], *cases]
    for case in (cases[case_id] for case_id in dict.fromkeys(published_first)):
        if may_differ(mutant, case.op):
            answer = mutant_answer(mutant, {"id": 0, "op": case.op, **case.members})
            if not _right(case.op, case.expected, answer):
                return case.id
    return None
