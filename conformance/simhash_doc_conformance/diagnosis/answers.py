"""Find what is wrong with the adapter: answers of a wrong type, numbers with lost digits, and no answer at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from simhash_doc_conformance.formatting import json_text, plainness
from simhash_doc_conformance.pipeline import ADAPTER
from simhash_doc_conformance.running.judge import Verdict
from simhash_doc_conformance.vectors.cases import Case

_TYPES = {dict: "an object", list: "an array", str: "a string", bool: "a Boolean", int: "a number", float: "a number"}
_TEXTS, _NUMBERS = [""], [0]  # an example of each type: an array of strings, and of numbers
# Results of the right type (PROTOCOL.md), by step of a trace and by operation. Items and members are examples.
STEP_RESULTS = {"folded": "", "prepared": "", "tokens": _TEXTS, "buckets": _NUMBERS, "fingerprint": ""}
_RESULTS: dict[str, Any] = {
    **dict.fromkeys(("fingerprint", "encode", "narrow", "fold", "extract"), ""),
    **dict.fromkeys(("tokens", "hash_tokens"), _TEXTS),
    "buckets": _NUMBERS,
    "query": [_TEXTS],
    "find_all": [_TEXTS],
    "update": [[_TEXTS]],
    "decode": {"scheme": "", "hex": "", "canonical": True},
    "distance": {"distance": 0, "similarity": 0.5},
    "trace": STEP_RESULTS,
}
_REQUIRED: dict[str, Collection[str]] = {  # members of the objects; a trace may end early
    "decode": ("scheme", "hex", "canonical"),
    "distance": ("distance", "similarity"),
    "trace": ("folded", "prepared", "tokens"),
}
_LEAST = 1 / 1024  # half of the least difference of two similarities: what is nearer is printed with too few digits


def wrong_form(case: Case, answer: Mapping[str, Any]) -> str:
    """Return how the type of a result differs from that of the operation; nothing if it does not.

    The digest of a result counts as right: the session computes it of any result of the right type.
    """
    if "result" not in answer:
        return ""
    given, expected = answer["result"], case.expected.get("result")
    right, required = _RESULTS[case.op], _REQUIRED.get(case.op, ())
    if case.members.get("digest") and type(given) is type(expected):
        right, required = expected, expected if isinstance(expected, dict) else ()
    form = form_of(right, given)
    if not form:
        form = next((f"an object without {name!r}" for name in required if name not in given), "")
    return form or _lost_digits(expected, given)


def form_of(right: Any, given: Any) -> str:
    """Return how the type of a value differs from that of an example, also in items and members; nothing if not.

    >>> form_of("", 5), form_of([""], ["a", 5])
    ('a number instead of a string', 'an array with a number instead of a string')
    """
    given_type, right_type = (_TYPES.get(type(value), "null") for value in (given, right))
    if given_type != right_type:
        return f"{given_type} instead of {right_type}"
    if isinstance(given, list):
        found = next(filter(None, (form_of(right[0], item) for item in given)), "")
        return found and f"an array with {found}"
    if isinstance(given, dict):
        wrong = ((name, form_of(right[name], given[name])) for name in right if name in given)
        return next((f"an object with {form} in {name!r}" for name, form in wrong if form), "")
    if isinstance(given, float) and isinstance(right, int) and not given.is_integer():
        return "a fraction instead of an integer"
    return ""


def _lost_digits(expected: Any, given: Any) -> str:
    """Return which number of an object was printed with too few digits."""
    if not isinstance(expected, dict) or not isinstance(given, dict):
        return ""
    for name, value in expected.items():
        if isinstance(value, float) and 0 < abs(given.get(name, value) - value) < _LEAST:
            return f"an object with too few digits in {name!r}"
    return ""


def adapter_findings(verdicts: Iterable[Verdict]) -> list[tuple[str, str]]:
    """Return lines about what is wrong with the adapter, one per fault, and the id of the plainest case of each.

    They come first: while an adapter hides the answers of an operation, nothing is known about this operation.
    """
    forms: dict[str, list[Case]] = {}
    silent: dict[str, list[Verdict]] = {}
    not_run: Counter[str] = Counter()
    answered = False
    for verdict in verdicts:
        answered |= verdict.status in ("passed", "failed")
        if verdict.step == ADAPTER and verdict.first is not None:
            forms.setdefault(verdict.first.form, []).append(verdict.case)
        elif verdict.status == "broken":
            silent.setdefault(str(verdict.kind), []).append(verdict)
        elif verdict.status == "not-run":
            not_run[verdict.case.op] += 1
    found = []
    for form, cases in forms.items():
        example = plainest(cases)
        what = "1 result is" if len(cases) == 1 else f"{len(cases)} results are"
        text = f"{what} {form} ({_operations(cases)}); begin with {example}; see PROTOCOL.md"
        found.append((f"The adapter: {text}", example))
    for kind, broken in silent.items():
        cases = [verdict.case for verdict in broken]
        example = plainest(cases)
        reason = next(verdict.reason for verdict in broken if verdict.case.id == example)
        what = "1 case has" if len(cases) == 1 else f"{len(cases)} cases have"
        text = f"{what} no answer, {kind} ({_operations(cases)})"
        stopped = [op for op in dict.fromkeys(case.op for case in cases) if not_run[op]] if answered else list(not_run)
        if stopped:
            text += f", and {sum(not_run[op] for op in stopped)} not run"
        text += f"; begin with {example}: {reason}"
        if not answered:
            text += "; write only answers to standard output, and flush it after each (PROTOCOL.md, framing)"
        elif stopped:
            text += f"; leave out what it cannot do yet with {' '.join(f'--skip op:{op}' for op in stopped)}"
        found.append((f"The adapter: {text}", example))
    return found


def plainest(cases: Iterable[Case]) -> str:
    """Return the id of the plainest case, with which to begin."""
    return min(cases, key=lambda case: (plainness(json_text(case.members)), case.id)).id


def _operations(cases: Iterable[Case]) -> str:
    return ", ".join(f"{op} {count}" for op, count in Counter(case.op for case in cases).items())
