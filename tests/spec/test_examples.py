"""The worked examples of the specification are executed, and every requirement that a file cites is in it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import simhash_doc
from simhash_doc import reference
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.vectors.requirements import DOCUMENTS, requirements

ROOT = Path(__file__).parents[2]
TEXTS = {name: (ROOT / "spec" / name).read_text(encoding="utf-8") for name in DOCUMENTS}
SPEC = TEXTS["simhash-doc.md"]
EXAMPLES: list[dict[str, Any]] = [
    json.loads(block)
    for text in TEXTS.values()
    for block in re.findall(r"```json\n(.*?)```", text, flags=re.DOTALL)
    if block.startswith('{"example"')
]
KINDS = {
    "fold", "remove_links", "tokens", "hash_tokens", "buckets", "fingerprint", "trace", "encode", "decode", "distance",
    "narrow", "query", "find_all",
}  # fmt: skip
DEFINITION_OF_KEY_WORDS = "The key words MUST, MUST NOT, SHOULD, SHOULD NOT and MAY are to be interpreted"
ADAPTER = Adapter(Implementation())
_IDENTIFIER = re.compile(r"\bSD-[A-Z]+-\d+\b")


def answer(op: str, **members: Any) -> dict[str, Any]:
    """Return the answer of the reference, with `output` in place of `result`."""
    given = ADAPTER.answer({"id": 1, "op": op, **members})
    return {"output" if name == "result" else name: value for name, value in given.items() if name != "id"}


def request(example: dict[str, Any]) -> dict[str, Any]:
    """Return the request of the protocol that an example stands for."""
    members = {name: value for name, value in example.items() if name not in ("example", "output", "error")}
    for name, form in (("input", "text"), ("input_hex", "bytes"), ("input_utf16", "utf16")):
        if name in members:
            value = members.pop(name)
            members[form] = value if form == "text" else value.replace(" ", "")
    if example["example"] == "hash_tokens":
        members["tokens"] = members.pop("text")
    if example["example"] in ("hash_tokens", "buckets", "trace"):
        members["scheme"] = "sd64"
    return {"op": example["example"], **members}


def traced(example: dict[str, Any]) -> dict[str, Any]:
    steps = answer("trace", text=example["input"], scheme="sd64")["output"]
    tokens = sorted(steps["tokens"], key=lambda token: token.encode())
    return {
        **steps,
        "tokens": tokens,
        "hashes": answer("hash_tokens", tokens=tokens, scheme="sd64")["output"],
        "hex": answer("decode", text=steps["fingerprint"])["output"]["hex"],
    }


def in_order(kind: str, result: dict[str, Any]) -> dict[str, Any]:
    """Return a result with its lists sorted where their order has no meaning."""
    if "output" not in result:
        return result
    output = result["output"]
    if kind == "tokens":
        output = sorted(output, key=lambda token: token.encode())
    elif kind == "query":
        output = [sorted(ids) for ids in output]
    elif kind == "find_all":
        output = sorted(sorted(pair) for pair in output)
    return {"output": output}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example['example']}-{EXAMPLES.index(example)}")
def test_worked_example_holds(example: dict[str, Any]) -> None:
    kind = example["example"]
    if kind == "trace":
        assert traced(example) == {name: value for name, value in example.items() if name not in ("example", "input")}
    elif kind == "remove_links":
        assert reference.remove_links(example["input"]) == example["output"]
    else:
        expected = {name: value for name, value in example.items() if name in ("output", "error")}
        assert in_order(kind, answer(**request(example))) == in_order(kind, expected)


def test_every_kind_of_example_is_in_the_specification() -> None:
    assert {example["example"] for example in EXAMPLES} == KINDS


def test_link_expression_is_the_one_of_the_reference() -> None:
    appendices = (ROOT / "spec/appendices.md").read_text(encoding="utf-8")
    (published,) = re.findall(r"```text\n(.*)\n```", appendices)
    assert published == reference.LINK.pattern


@pytest.mark.parametrize("name", DOCUMENTS)
def test_only_numbered_requirements_contain_key_words(name: str) -> None:
    body = TEXTS[name].replace(DEFINITION_OF_KEY_WORDS, "")
    for paragraph in re.split(r"\n\s*\n|\n- ", body):
        if re.search(r"\b(MUST|SHOULD|MAY|REQUIRED|SHALL|RECOMMENDED|OPTIONAL)\b", paragraph):
            assert re.search(r"\*\*SD-[A-Z]+-\d+\*\*", paragraph), paragraph


def test_requirement_identifiers_are_unique_and_linkable() -> None:
    identifiers = [
        i
        for text in TEXTS.values()
        for i in re.findall(r"^<a id=\"(?:SD-[A-Z]+-\d+)\"></a>\*\*(SD-[A-Z]+-\d+)\*\* ", text, re.MULTILINE)
    ]
    assert len(identifiers) == len(set(identifiers))
    linkable = {i for text in TEXTS.values() for i in re.findall(r'<a id="(SD-[A-Z]+-\d+)"></a>', text)}
    assert linkable == set(identifiers) == set(requirements())


def test_table_of_schemes_is_the_registry() -> None:
    for known in simhash_doc.get_schemes().values():
        spare = 5 * known.characters - known.bits
        row = f"| `{known.id}` | {known.bits} | {known.lanes} | {known.characters} | {spare} |"
        assert row in SPEC
        assert f"| {known.id} | {known.close} | {known.loose} |" in TEXTS["search.md"]


def _tracked_files() -> list[Path]:
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.decode().split("\0") if name]


def _citations(text: str) -> set[str]:
    return set(_IDENTIFIER.findall(text))


def test_every_cited_requirement_exists() -> None:
    unknown = {}
    for path in _tracked_files():
        try:
            cited = _citations(path.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, OSError):  # not text, or deleted and not committed
            continue
        if missing := cited - set(requirements()):
            unknown[str(path.relative_to(ROOT))] = sorted(missing)
    assert unknown == {}


def test_citations_are_found() -> None:
    assert _citations("(SD-FOLD-1 to SD-FOLD-5), not SD-FOLD or xSD-CAP-1") == {"SD-FOLD-1", "SD-FOLD-5"}
