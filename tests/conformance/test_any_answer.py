"""The runner has a verdict on any output of an implementation. No output raises any other exception."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.formatting import SHOWN, outcome_text, printable, shorten
from simhash_doc_conformance.protocol import CLASSES, Handshake, check_outcome, digest_of, read_handshake, read_line
from simhash_doc_conformance.running.judge import shown_outcomes
from simhash_doc_conformance.vectors.cases import same_result

TEXT = st.text(st.characters(exclude_categories=()))  # surrogates too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
# One correct result of each kind, to compare other values with.
RIGHT: dict[str, Any] = {
    "fold": "a",
    "tokens": ["a", "b"],
    "buckets": [1, -1],
    "hash_tokens": ["00"],
    "decode": {"scheme": "sd64", "hex": "00", "canonical": True},
    "distance": {"distance": 1, "similarity": 0.5},
    "narrow": "sd64:aaaaaaaaaaaaa",
    "query": [["a"], []],
    "find_all": [["a", "b"], ["c", "d"]],
    "extract": "a text of some words",
}


def failure_of(check: Callable[[], object]) -> PeerError | None:
    """Return the `PeerError` that a check raises. Any other exception is a bug of the runner."""
    try:
        check()
    except PeerError as failure:
        return failure
    return None


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
@example(b"[" * 100_000)
@example(b"1" * 10_000)
@example(b'{"a": -Infinity}')
@example(b"\xef\xbb\xbf{}")
@example('{"id": 1}'.encode("utf-16"))
def test_any_line_is_an_object_or_garbage(line: bytes) -> None:
    failure = failure_of(lambda: read_line(line))
    assert failure is None or (failure.kind == "garbage" and failure.message.isprintable())
    assert failure or isinstance(read_line(line), dict)


@given(st.dictionaries(st.sampled_from(["id", "result", "error", "unsupported"]), JSON))
def test_any_object_has_one_outcome_or_is_garbage(answer: dict[str, Any]) -> None:
    failure = failure_of(lambda: check_outcome(answer))
    assert failure is None or failure.kind == "garbage"
    assert failure or len(answer.keys() & {"result", "error", "unsupported"}) == 1


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(Handshake.__dataclass_fields__, JSON)), JSON)
def test_any_answer_to_hello_is_a_handshake_or_a_bad_one(answer: dict[str, Any], protocol: Any) -> None:
    failure = failure_of(lambda: read_handshake({**answer, "protocol": protocol}))
    assert failure is None or failure.kind == "handshake"


@pytest.mark.slow
@pytest.mark.parametrize("op", RIGHT)
@given(result=JSON | st.lists(JSON) | st.lists(st.lists(TEXT)))
def test_any_result_is_judged_and_formatted(op: str, result: Any) -> None:
    assert same_result(op, RIGHT[op], RIGHT[op])
    assert same_result(op, RIGHT[op], result) in (True, False)
    shown = shown_outcomes(op, {"result": RIGHT[op]}, {"result": result})
    assert all(text.isprintable() and len(text) < SHOWN + 60 for text in shown)
    digest_of(op, result)


def test_every_operation_of_a_class_is_compared_here() -> None:
    operations = {operation for needed in CLASSES.values() for operation in needed}
    assert operations - {"fingerprint", "encode"} == set(RIGHT)


@given(TEXT)
def test_formatted_texts_are_printable_and_distinct(text: str) -> None:
    assert printable(text).isprintable()
    assert json.loads(outcome_text("fold", {"result": text})) == text


@given(st.integers(0, 2000), st.data())
def test_a_shortened_text_contains_the_requested_position(length: int, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, max(0, length - 1)))
    text = "x" * at + "Y" * (length > 0) + "z" * (length - at - 1)
    assert "Y" in shorten(text, at) or not text
