"""The registry of schemes follows its schema and its rules."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from simhash_doc.errors import UnknownSchemeError
from simhash_doc.schemes import get_scheme

SPEC = Path(__file__).parents[2] / "spec"
sys.path.insert(0, str(SPEC))

import validate_schemes  # noqa: E402

REGISTRY: dict[str, Any] = json.loads((SPEC / "data/schemes.json").read_text(encoding="utf-8"))
SCHEMA = json.loads((SPEC / "schemas/schemes.schema.json").read_text(encoding="utf-8"))


def test_the_registry_is_valid() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(REGISTRY)
    assert validate_schemes.main([]) == 0


@pytest.mark.parametrize(
    ("scheme", "change", "fault"),
    [
        (0, {"state": "planned"}, "sd64: the state 'planned' is none of reserved, active, deprecated"),
        (0, {"bits": 96}, "sd64: 96 bits are not a positive multiple of 64"),
        (1, {"characters": 25}, "sd128: 25 characters; 128 bits need 26"),
        (1, {"id": "sd64"}, "id 'sd64' is used by 2 schemes"),
        (2, {"close": 36}, "sd256: close 36 and loose 36 do not ascend within 256 bits"),
        (2, {"state": "deprecated"}, "confirmation: 'sd256' is not an active scheme"),
        (3, {"bits": "512"}, "sd512: bits is missing or not of the type int"),
        (3, {"colour": "red"}, "sd512: the member 'colour' is unknown"),
    ],
)
def test_a_broken_rule_is_named(scheme: int, change: dict[str, Any], fault: str) -> None:
    registry = copy.deepcopy(REGISTRY)
    registry["schemes"][scheme] |= change
    assert fault in validate_schemes.faults(registry)


def test_a_confirmation_by_a_narrower_scheme_is_a_fault(tmp_path: Path) -> None:
    registry = copy.deepcopy(REGISTRY)
    registry["confirmation"] |= {"scheme": "sd64", "candidate": "sd128"}
    path = tmp_path / "schemes.json"
    path.write_text(json.dumps(registry), encoding="utf-8")
    assert validate_schemes.main([str(path)]) == 1


@pytest.mark.parametrize("name", ["SD64", "simhash-doc-64", "sd64+custom", "sd32", ""])
def test_a_scheme_is_named_by_its_short_id_only(name: str) -> None:
    with pytest.raises(UnknownSchemeError):
        get_scheme(name)
