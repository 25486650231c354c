"""The answers of mutants: the vectors that kill them, and the mutants that answer like an implementation."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence, Set
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Any

from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import Keeping, Mutant, mutants
from simhash_doc_conformance.pipeline import STEPS, methods_of
from simhash_doc_conformance.vectors.cases import (
    Case,
    in_order,
    load_cases,
    read_verified,
    same_outcome,
    with_input,
)
from simhash_doc_conformance.vectors.extraction import bit_sums, fingerprint_of
from simhash_doc_conformance.vectors.inputs import read_input, without_recipe
from simhash_doc_conformance.vectors.published import published_path

_READING = {"read", "decode_utf8", "scalar_values"}
_FOLDING = STEPS["folded"].methods
_TOKENS = methods_of("tokens") - {"tokens"}
_PIECES = {"joined", "fingerprint_of_pieces"}
_DIGITS = 6  # of a digest: 36 bits, enough to tell the some fifty wrong answers to one case apart


def first_step(mutant: Mutant) -> str:
    """Return the first step of a trace, or else the operation, at which a mutant may differ."""
    return next(name for name, step in STEPS.items() if step.methods & patched(mutant))


@cache
def patched(mutant: Mutant) -> frozenset[str]:
    """Return the names of the steps that a mutant replaces."""
    return frozenset(
        name
        for base in mutant.implementation.__mro__
        if issubclass(base, Implementation) and base is not Implementation
        for name in vars(base)
        if hasattr(Implementation, name) and not name.startswith("__")
    )


def may_differ(mutant: Mutant, op: str) -> bool:
    """Return True if an operation uses a step that the mutant replaces."""
    return bool(patched(mutant) & methods_of(op))


def digest(op: str, answer: Mapping[str, Any]) -> str:
    """Return a short name of an answer, equal for answers that the protocol treats as equal."""
    result = answer.get("result")
    if isinstance(result, str) and op == "extract":
        # Spaces and the order of the parts do not count.
        result = (fingerprint_of(result) or "None").rpartition(":")[2]
    else:
        result = in_order(op, result)
    canonical = json.dumps([result, answer.get("error")], sort_keys=True)
    return base64.urlsafe_b64encode(hashlib.sha256(canonical.encode()).digest())[:_DIGITS].decode("ascii")


def mutant_answer(
    mutant: Mutant, request: Mapping[str, Any], before: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return a mutant's answer, after those to other requests.

    An unexpected exception becomes an error with the name of its class.
    """
    try:
        if issubclass(mutant.implementation, Keeping):
            return _kept_answer(mutant, request, before)
        in_pieces = bool(patched(mutant) & _PIECES)
        if request["op"] not in ("tokens", "buckets", "fingerprint") or (in_pieces and "cuts" in request):
            return Adapter(mutant.implementation()).answer(request)
        changed = patched(mutant) - _PIECES  # what changes a complete input
        if in_pieces and not changed:
            return _reference_answer(json.dumps(request))
        request, implementation = _expanded(json.dumps(request)), _sharing(mutant)
        if changed <= _TOKENS or not changed & methods_of("tokens"):
            given = read_input(request)
            tokens = _tokens_of(mutant, given)
            if changed <= _TOKENS and request["op"] != "tokens" and Counter(tokens) == _reference_counts(given):
                return _reference_answer(json.dumps(request))
            # Also for a mutant of a later step that asks for the tokens of a part, as in the published answers.
            implementation.tokens = lambda given: tokens  # type: ignore[method-assign]
        return Adapter(implementation).answer(request)
    except Exception as error:  # a mutant may fail on an input in any way
        return {"error": type(error).__name__}


def _kept_answer(mutant: Mutant, request: Mapping[str, Any], before: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the answer of a mutant that differs after other requests only, or of a composition with one."""
    if not before and mutant.name in mutants():
        return _reference_answer(json.dumps(request))
    adapter = Adapter(mutant.implementation())
    for earlier in before:
        adapter.answer(earlier)
    return adapter.answer(request)


_REFERENCE = Implementation()
# The first steps of the reference, which most mutants share, and the methods that each uses. Mutants of a later step,
# and those that do not change the result of theirs for an input, find the results there.
_SHARED: dict[str, tuple[Callable[..., Any], Set[str]]] = {
    name: (lru_cache(maxsize=4)(getattr(_REFERENCE, name)), methods)
    for name, methods in {
        "read": _READING,
        "fold": _FOLDING - _READING,
        "remove_links": STEPS["prepared"].methods,
        "link_free_tokens": STEPS["tokens"].methods,
    }.items()
}


def _sharing(mutant: Mutant) -> Implementation:
    """Return the implementation of a mutant with the steps of the reference that it does not change."""
    implementation, changed = mutant.implementation(), patched(mutant)
    for name, (step, methods) in _SHARED.items():
        if not changed & methods:
            setattr(implementation, name, step)
    if "bit_sums" not in changed:
        implementation.bit_sums = partial(fast_bit_sums, implementation)  # type: ignore[method-assign]
    return implementation


@lru_cache(maxsize=400)  # about the mutants of one case: lists of tokens may be long
def _tokens_of(mutant: Mutant, given: str | bytes) -> list[str]:
    """Return a mutant's tokens. Consecutive cases often have the same input."""
    return _sharing(mutant).tokens(given)


@lru_cache(maxsize=4)
def _reference_counts(given: str | bytes) -> Counter[str]:
    read, fold, remove_links, cut = (step for step, _ in _SHARED.values())
    return Counter(cut(remove_links(fold(read(given)))))


@lru_cache(maxsize=4)
def _reference_answer(request: str) -> dict[str, Any]:
    return Adapter(_REFERENCE).answer(json.loads(request))


@lru_cache(maxsize=4)
def _expanded(request: str) -> dict[str, Any]:
    return without_recipe(json.loads(request))


def fast_bit_sums(implementation: Implementation, counts: Mapping[str, int], lanes: int = 1) -> list[int]:
    """Return the sums of an implementation with its hashes, or what it does without a token."""
    return bit_sums(counts, lanes, implementation.hash_token) if counts else implementation.no_token(lanes)


def wrong_answers(row: Mapping[str, Any], only: Container[str] | None = None) -> dict[str, list[str]]:
    """Return the mutants that answer a case wrongly, by the digest of their answer.

    Only the first request of a metamorphic case is used. Large documents are used only for the mutants of the
    requirements that they test.

    Args:
        row: a case, as in the vector files.
        only: names of the mutants to run; all if None.
    """
    if not row["expected"]:
        return {}
    request = {"id": 0, "op": row["op"], **row["input"]}
    before = [with_input(request, other) for other in row.get("before", ())]
    found: dict[str, list[str]] = {}
    for mutant in mutants().values():
        too_large = "large" in row["flags"] and mutant.requirement not in row["requirements"]
        left_out = too_large or (only is not None and mutant.name not in only)
        if may_differ(mutant, row["op"]) and not left_out:
            answer = mutant_answer(mutant, request, before)
            if not same_outcome(row["op"], row["expected"], answer):
                found.setdefault(digest(row["op"], answer), []).append(mutant.name)
    return found


@cache
def published_wrong_answers() -> dict[str, dict[str, list[str]]]:
    """Return the published names of mutants, by case id and digest of their answer."""
    return named_answers(read_verified(published_path("vectors"))["wrong-answers.json"])


def answers_file(answers: Mapping[str, Mapping[str, Sequence[str]]], head: Mapping[str, Any]) -> bytes:
    """Return the file of wrong answers: for each case a line, in which each digest precedes the numbers of its mutants.

    >>> answers_file({"fold/a": {"q1": ["x", "y"], "r2": ["x"]}}, {}).splitlines()[1:3]
    [b'"fold/a": "q1 0 1,r2 0"', b'}}']
    """
    used = {name for found in answers.values() for names in found.values() for name in names}
    numbers = {name: number for number, name in enumerate(sorted(used))}
    lines = ",\n".join(
        f"{json.dumps(case)}: {json.dumps(_numbered(found, numbers))}" for case, found in answers.items()
    )
    return f'{json.dumps({**head, "mutants": [*numbers]})[:-1]}, "answers": {{\n{lines}\n}}}}\n'.encode()


def _numbered(found: Mapping[str, Sequence[str]], numbers: Mapping[str, int]) -> str:
    return ",".join(" ".join([answer, *(str(numbers[name]) for name in names)]) for answer, names in found.items())


def named_answers(file: bytes) -> dict[str, dict[str, list[str]]]:
    """Return the names of mutants in a file of wrong answers, by case id and digest of their answer."""
    content = json.loads(file)
    names: list[str] = content["mutants"]
    parts = {case: [part.split() for part in found.split(",") if part] for case, found in content["answers"].items()}
    return {
        case: {answer: [names[int(number)] for number in numbers] for answer, *numbers in found}
        for case, found in parts.items()
    }


@cache
def killers() -> dict[str, list[str]]:
    """Return, for each mutant, the ids of the cases that it answers wrongly."""
    found: dict[str, list[str]] = {name: [] for name in mutants()}
    for case_id, answers in published_wrong_answers().items():
        for names in answers.values():
            for name in names:
                found[name].append(case_id)
    return found


@cache
def _cases() -> dict[str, Case]:
    return {case.id: case for case in load_cases()}


def first_killer(name: str) -> str | None:
    """Return the id of a case that a mutant answers wrongly; None if there is none.

    The mutant is run again: first on the published killers, the large ones last; then, unless it is known to be
    equivalent, on every case that is not large.
    """
    mutant, cases = mutants()[name], _cases()
    published = sorted((cases[case_id] for case_id in killers()[name]), key=lambda case: "large" in case.flags)
    others = (case for case in cases.values() if "large" not in case.flags and not mutant.equivalent)
    for case in chain(published, others):
        if may_differ(mutant, case.op):
            answer = mutant_answer(mutant, {"id": 0, "op": case.op, **case.members}, case.requests_before())
            if not same_outcome(case.op, case.expected, answer):
                return case.id
    return None
