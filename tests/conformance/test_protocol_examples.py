"""The requests of PROTOCOL.md have the answers that it shows."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from simhash_doc.conformance.adapter import Adapter, PackageImplementation
from simhash_doc.conformance.cases import same_result
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.schemes import data_path

TEXT = (data_path("conformance") / "PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (json.loads(request), json.loads(answer))
    for request, answer in re.findall(r'^> (\{"id".*)\n< (.*)$', TEXT, flags=re.MULTILINE)
]


@pytest.mark.parametrize(("request_", "shown"), EXAMPLES, ids=lambda message: str(message.get("op", "")))
def test_an_example_has_its_answer(request_: dict[str, Any], shown: dict[str, Any]) -> None:
    # The reference reads no format, so the package extracts.
    implementation = PackageImplementation() if request_["op"] == "extract" else Implementation()
    answer = Adapter(implementation).answer(request_)
    if request_["op"] in ("tokens", "query", "find_all"):
        assert same_result(request_["op"], shown["result"], answer["result"])
    else:
        assert answer == shown


def test_every_operation_has_an_example() -> None:
    operations = Adapter(Implementation()).answer({"op": "hello"})["operations"]
    assert {request["op"] for request, _ in EXAMPLES} == {*operations, "extract"}
