"""The examples of `spec/provenance.md` follow the schema, and the document needs no vectors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from simhash_doc import Fingerprint
from simhash_doc.provenance import METADATA_KEY, Provenance, ProvenanceCheck
from tests.commands import run

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
    assert line["scheme"] == fingerprint.scheme.id
    assert ProvenanceCheck().parse(line["provenance"], fingerprint.scheme.id, canonical=fingerprint.canonical)


def test_the_tables_name_every_member_and_the_key() -> None:
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"]) == set(OBJECTS[0])
    assert all(f"| `{name}` |" in TEXT for name in SCHEMA["properties"])
    assert f"`{METADATA_KEY.decode()}`" in TEXT


ROWS = [
    [cell.strip(" `") for cell in line.split("|")[1:-1]]
    for line in TEXT[TEXT.index("## 4.") :].splitlines()
    if line.startswith("| `")
]
COLUMNS = {name: kinds for name, *kinds, _ in ROWS}
JSON_TYPES: dict[str, type] = {"string": str, "integer": int, "number": float, "null": type(None)}


@pytest.mark.parametrize("arguments", [["fingerprint", "a.txt"], ["table", "fingerprint", "--id", "id", "texts.jsonl"]])
def test_the_commands_write_the_columns_of_the_document(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("the quick brown fox", encoding="utf-8")
    (tmp_path / "texts.jsonl").write_text('{"id": "a", "text": "the quick fox"}\n{"id": "b", "text": "1"}\n', "utf-8")
    for output in ("o.parquet", "o.jsonl", "o.csv"):
        run(*arguments, "-o", output)
    types = {"string": pa.string(), "int64": pa.int64(), "double": pa.float64(), "fixed-size binary": pa.binary(8)}
    for field in pq.read_schema("o.parquet"):
        allowed = {types[kind] for kind in re.split(" or ", COLUMNS[field.name][0]) if kind in types}
        assert field.type in allowed, field
    for line in (tmp_path / "o.jsonl").read_text(encoding="utf-8").splitlines():
        for name, value in json.loads(line).items():
            if name != "provenance":
                allowed_names = [kind for kind in re.split(" or |, or ", COLUMNS[name][1]) if kind in JSON_TYPES]
                assert isinstance(value, tuple(JSON_TYPES[kind] for kind in allowed_names)), (name, value)
    header = (tmp_path / "o.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert [name for name in header if COLUMNS[name][2] == "none"] == []
