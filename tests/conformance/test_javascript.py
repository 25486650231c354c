"""The JavaScript and the Python implementation agree, beyond the published vectors."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.seams import SEAMS
from simhash_doc.conformance.steps import PackageSteps
from simhash_doc.conformance.sweep import Sweep
from tests.conformance.adapters import Conversation, require_toolchain

ADAPTER = Path(__file__).parents[2] / "conformance/implementations/js/adapter.mjs"
DOCUMENTS = 10_000
LETTERS = "etaoinshrdlu"


@pytest.fixture(scope="module")
def javascript() -> Iterator[Conversation]:
    require_toolchain("js")
    command = ["node", str(ADAPTER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Conversation(process.stdin, process.stdout)
        process.stdin.close()


def documents(seed: int) -> Iterator[str]:
    """Yield texts of seams, of words, and of both; every hundredth has thousands of words."""
    source = random.Random(seed)
    for number in range(DOCUMENTS):
        size = 3000 if number % 100 == 0 else source.randrange(1, 40)
        yield "".join(
            "".join(source.choices(LETTERS, k=source.randrange(1, 9))) + " "
            if source.random() < number % 3 / 2
            else source.choice(SEAMS)
            for _ in range(size)
        )


def test_all_scalar_values_agree(javascript: Conversation) -> None:
    hello = javascript.ask({"op": "hello", "protocol": 1})
    sweep = Sweep(javascript.ask, frozenset(hello["operations"]), frozenset(hello["features"]), most=3)
    assert [found for first, last in sweep.blocks() for found in sweep.check(first, last)] == []


def test_generated_documents_agree(javascript: Conversation) -> None:
    python = Adapter(PackageSteps())
    fingerprints = set()
    for number, text in enumerate(documents(seed=1)):
        request = {"id": number, "op": "fingerprint", "scheme": "sd64", "text": text}
        expected = python.answer(request)
        assert javascript.ask(request) == expected, text
        fingerprints.add(expected.get("result"))
    assert len(fingerprints) > DOCUMENTS * 0.8
