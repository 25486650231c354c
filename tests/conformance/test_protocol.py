"""The requests of PROTOCOL.md have the answers that it shows, and all messages are valid by the schema."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.adapters.package import PackageImplementation
from simhash_doc_conformance.protocol import hello
from simhash_doc_conformance.vectors.cases import same_result
from tests.conformance.small import schema

TEXT = (Path(__file__).parents[2] / "conformance/PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (json.loads(request), json.loads(answer))
    for request, answer in re.findall(r'^> (\{"id".*)\n< (.*)$', TEXT, flags=re.MULTILINE)
]
REQUESTS = [
    *(request for request, _ in EXAMPLES),
    {"op": "fingerprint", "bytes": "6162", "scheme": "sd512"},
    {"op": "fold", "utf16": "0041d800"},
    {"op": "tokens", "recipe": {"words": 3, "distinct": 6, "seed": 1, "letters": "ab"}},
    {"op": "tokens", "recipe": {"concat": ["a", {"scalars": [65, 70], "template": "{} "}]}, "digest": True},
]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    return Adapter(PackageImplementation()).answer(request)


def test_the_handshake_is_valid_both_ways() -> None:
    for name, message in (("hello", hello("0.1.0")), ("handshake", answer(hello("0.1.0")))):
        schema("protocol", name).validate(message)
        schema("protocol").validate({**message, "unknown": "members are to be ignored"})


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request["op"])
def test_requests_answers_and_results_are_valid(request_: dict[str, Any]) -> None:
    message = {"id": 7, **request_}
    given = json.loads(json.dumps(answer(message)))
    schema("protocol", "request").validate(message)
    schema("protocol", "answer").validate(given)
    if "result" in given:
        schema("protocol", f"results/$defs/{request_['op']}").validate(given["result"])
    schema("protocol").validate(message)
    schema("protocol").validate(given)


@pytest.mark.parametrize(("request_", "shown"), EXAMPLES, ids=lambda message: str(message.get("op", "")))
def test_an_example_has_its_answer(request_: dict[str, Any], shown: dict[str, Any]) -> None:
    # The reference reads no format, so the package extracts.
    implementation = PackageImplementation() if request_["op"] == "extract" else Implementation()
    answer = Adapter(implementation).answer(request_)
    if request_["op"] in ("tokens", "query", "find_all", "update"):
        assert same_result(request_["op"], shown["result"], answer["result"])
    else:
        assert answer == shown


def test_every_operation_has_an_example() -> None:
    assert {request["op"] for request, _ in EXAMPLES} == set(answer({"op": "hello"})["operations"])


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
    assert not schema("protocol").is_valid(wrong)
