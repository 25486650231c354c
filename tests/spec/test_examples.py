"""The worked examples of the specification are executed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import simhash_doc
from simhash_doc import Fingerprint, reference
from simhash_doc.errors import SpecError

SPEC = (Path(__file__).parents[2] / "spec/simhash-doc.md").read_text(encoding="utf-8")
EXAMPLES: list[dict[str, Any]] = [
    json.loads(block)
    for block in re.findall(r"```json\n(.*?)```", SPEC, flags=re.DOTALL)
    if block.startswith('{"example"')
]


def _scalar_values(text: str) -> str:
    """Join the surrogate pairs that JSON escapes write; lone ones stay."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def fold(example: dict[str, Any]) -> dict[str, Any]:
    if "input_hex" in example:
        return {"output": reference.fold(reference.decode_utf8(bytes.fromhex(example["input_hex"])))}
    return {"output": reference.fold(_scalar_values(example["input"]))}


def tokens(example: dict[str, Any]) -> dict[str, Any]:
    found = reference.tokens(_scalar_values(example["input"]))
    return {"output": sorted(found, key=lambda token: token.encode())}


def fingerprint(example: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"output": simhash_doc.fingerprint(example["input"], example["scheme"]).to_uri()}
    except SpecError as error:
        return {"error": error.error_class}


def trace(example: dict[str, Any]) -> dict[str, Any]:
    traced = simhash_doc.trace(example["input"]).as_dict()
    listed: Any = traced["tokens"]
    return {
        **{name: traced[name] for name in ("folded", "prepared", "buckets", "hex")},
        "fingerprint": f"sd64:{traced['fingerprint']}",
        "tokens": [token["token"] for token in listed],
        "hashes": [token["hashes"][0] for token in listed],
    }


def decode(example: dict[str, Any]) -> dict[str, Any]:
    try:
        parsed = Fingerprint.parse(example["input"])
    except SpecError as error:
        return {"error": error.error_class}
    return {"output": parsed.hex} | ({} if parsed.canonical else {"canonical": False})


def query(example: dict[str, Any]) -> dict[str, Any]:
    wanted = Fingerprint.parse(example["input"])
    entries = example["entries"].items()
    near = [key for key, text in entries if wanted.distance(Fingerprint.parse(text)) <= example["distance"]]
    return {"output": near}


def find_all(example: dict[str, Any]) -> dict[str, Any]:
    parsed = {key: Fingerprint.parse(text) for key, text in example["entries"].items()}
    pairs = combinations(parsed, 2)
    return {"output": [[a, b] for a, b in pairs if parsed[a].distance(parsed[b]) <= example["distance"]]}


def distance(example: dict[str, Any]) -> dict[str, Any]:
    a, b = Fingerprint.parse(example["a"]), Fingerprint.parse(example["b"])
    try:
        return {"output": {"distance": a.distance(b), "similarity": a.similarity(b)}}
    except SpecError as error:
        return {"error": error.error_class}


RUN: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "fold": fold,
    "tokens": tokens,
    "trace": trace,
    "fingerprint": fingerprint,
    "find_all": find_all,
    "decode": decode,
    "query": query,
    "distance": distance,
    "remove_links": lambda e: {"output": reference.remove_links(e["input"])},
    "hash_tokens": lambda e: {"output": [f"{reference.hash_token(token):016x}" for token in e["input"]]},
    "buckets": lambda e: {"output": simhash_doc.buckets(e["input"])},
    "encode": lambda e: {"output": reference.encode(bytes.fromhex(e["input"]))},
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example['example']}-{EXAMPLES.index(example)}")
def test_worked_example_holds(example: dict[str, Any]) -> None:
    given = {"example", "input", "input_hex", "scheme", "a", "b", "entries", "distance"}
    expected = {name: value for name, value in example.items() if name not in given}
    if example["example"] == "trace":
        expected.pop("input", None)
    assert RUN[example["example"]](example) == expected


def test_every_kind_of_example_is_in_the_specification() -> None:
    assert {example["example"] for example in EXAMPLES} == set(RUN)


def test_link_expression_is_the_one_of_the_reference() -> None:
    (published,) = re.findall(r"```text\n(.*)\n```", SPEC)
    assert published == reference.LINK.pattern


def test_only_numbered_requirements_say_must() -> None:
    body = SPEC.split("## 2. The pipeline")[1].split("## 19. References")[0]
    for paragraph in re.split(r"\n\s*\n|\n- ", body):
        if re.search(r"\bMUST\b", paragraph):
            assert re.search(r"\*\*SD-[A-Z]+-\d+\*\*", paragraph), paragraph


def test_requirement_identifiers_are_unique_and_linkable() -> None:
    identifiers = re.findall(r"\*\*(SD-[A-Z]+-\d+)\*\* ", SPEC.split("## 2. The pipeline")[1])
    assert len(identifiers) == len(set(identifiers))
    assert set(re.findall(r'<a id="(SD-[A-Z]+-\d+)"></a>', SPEC)) == set(identifiers)


def test_table_of_schemes_is_the_registry() -> None:
    for known in simhash_doc.schemes().values():
        spare = 5 * known.characters - known.bits
        row = f"| `{known.id}` | {known.bits} | {known.words} | {known.characters} | {spare} |"
        assert row in SPEC
        assert f"| {known.id} | {known.close} | {known.loose} |" in SPEC
