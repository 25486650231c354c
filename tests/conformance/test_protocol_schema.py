"""The messages of the adapter are valid by the schema of the protocol."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from simhash_doc.conformance.adapter import Adapter, PackageImplementation
from simhash_doc.conformance.protocol import hello
from simhash_doc.schemes import data_path

SCHEMA = json.loads((data_path("conformance/schemas") / "protocol.schema.json").read_text(encoding="utf-8"))
A, B = "sd64:raeidodvqipge", "sd64:raeidodvqipgi"
REQUESTS: list[dict[str, Any]] = [
    {"op": "fingerprint", "text": "one two", "scheme": "sd64"},
    {"op": "fingerprint", "bytes": "6162", "scheme": "sd512"},
    {"op": "encode", "hex": "00" * 8, "scheme": "sd64", "canonical": False},
    {"op": "decode", "text": A},
    {"op": "distance", "a": A, "b": B},
    {"op": "fold", "utf16": "0041d800"},
    {"op": "tokens", "recipe": {"words": 3, "distinct": 6, "seed": 1, "letters": "ab"}},
    {"op": "tokens", "recipe": {"concat": ["a", {"scalars": [65, 70], "template": "{} "}]}, "digest": True},
    {"op": "hash_tokens", "tokens": ["a", "b"], "scheme": "sd128"},
    {"op": "buckets", "text": "one two", "scheme": "sd64"},
    {"op": "query", "entries": [["x", A], ["y", B]], "queries": [A], "distance": 3},
    {"op": "find_all", "entries": [["x", A], ["y", B]], "distance": 3},
    {"op": "trace", "text": "one two", "scheme": "sd64"},
    {"op": "extract", "document": "b25lIHR3bw==", "name": "words.txt"},
]


def validator(definition: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": SCHEMA["$defs"]})


def answer(request: dict[str, Any]) -> dict[str, Any]:
    return Adapter(PackageImplementation()).answer(request)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_handshake_is_valid_both_ways() -> None:
    for name, message in (("hello", hello("0.1.0")), ("handshake", answer(hello("0.1.0")))):
        validator(name).validate(message)
        Draft202012Validator(SCHEMA).validate({**message, "unknown": "members are to be ignored"})


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request["op"])
def test_requests_answers_and_results_are_valid(request_: dict[str, Any]) -> None:
    message = {"id": 7, **request_}
    given = json.loads(json.dumps(answer(message)))
    for name, value in (("request", message), ("answer", given), (f"results/$defs/{request_['op']}", given["result"])):
        validator(name).validate(value)
    Draft202012Validator(SCHEMA).validate(message)
    Draft202012Validator(SCHEMA).validate(given)


def test_every_operation_of_the_adapter_is_tested() -> None:
    assert {request["op"] for request in REQUESTS} == set(answer({"op": "hello"})["operations"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": 1},
        {"id": 1, "result": 1, "error": "padding"},
        {"id": 1, "unsupported": False},
        {"id": 1, "error": 5},
        {"id": "1", "result": 1},
        {"id": 1, "op": "fold"},
        {"id": 1, "op": "fold", "text": "a", "bytes": "61"},
        {"id": 1, "op": "fingerprint", "text": "a"},
        {"op": "fold", "text": "a"},
        {"protocol": 1, "name": "x"},
    ],
)
def test_invalid_messages_are_rejected(wrong: dict[str, Any]) -> None:
    assert not Draft202012Validator(SCHEMA).is_valid(wrong)
