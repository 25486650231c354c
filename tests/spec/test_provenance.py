"""The examples of `spec/provenance.md` follow the schema, and the document needs no vectors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from simhash_doc import Fingerprint
from simhash_doc.ingest.provenance import METADATA_KEY, Provenance, ProvenanceCheck

SPEC = Path(__file__).parents[2] / "spec"
TEXT = (SPEC / "provenance.md").read_text(encoding="utf-8")
SCHEMA = json.loads((SPEC / "schemas/provenance.schema.json").read_text(encoding="utf-8"))
EXAMPLES: list[dict[str, Any]] = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)]
LINES = [example for example in EXAMPLES if "provenance" in example]
OBJECTS = [example.get("provenance", example) for example in EXAMPLES]


def test_the_document_has_examples_of_each_kind() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert LINES
    for member in ("extractor", "customization"):
        assert {value[member] is None for value in OBJECTS} == {True, False}


@pytest.mark.parametrize("value", OBJECTS, ids=lambda value: value["scheme"])
def test_examples_follow_the_schema(value: dict[str, Any]) -> None:
    Draft202012Validator(SCHEMA).validate(value)
    read = Provenance.from_dict(value).to_dict()
    assert list(read) == list(value)
    assert {**value, **read} == read


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["path"])
def test_examples_of_lines_agree_with_their_fingerprints(line: dict[str, Any]) -> None:
    fingerprint = Fingerprint.parse(line["fingerprint"])
    assert line["scheme"] == fingerprint.scheme_id
    assert ProvenanceCheck().parse(line["provenance"], fingerprint.scheme_id, canonical=fingerprint.canonical)


def test_the_tables_name_every_member_and_the_key() -> None:
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"]) == set(OBJECTS[0])
    assert all(f"| `{name}` |" in TEXT for name in SCHEMA["properties"])
    assert f"`{METADATA_KEY.decode()}`" in TEXT
