"""The JavaScript and the Python implementation agree, beyond the published vectors."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from simhash_doc.conformance.adapter import Adapter, PackageImplementation
from simhash_doc.conformance.generated_texts import FRAGMENTS
from tests.conformance.adapters import Conversation, require_toolchain

ADAPTER = Path(__file__).parents[2] / "conformance/implementations/js/adapter.mjs"
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


def documents(seed: int, number_of_texts: int) -> Iterator[str]:
    """Yield texts of edge fragments, of words, and of both; every hundredth has thousands of words."""
    source = random.Random(seed)
    for number in range(number_of_texts):
        size = 3000 if number % 100 == 0 else source.randrange(1, 40)
        yield "".join(
            "".join(source.choices(LETTERS, k=source.randrange(1, 9))) + " "
            if source.random() < number % 3 / 2
            else source.choice(FRAGMENTS)
            for _ in range(size)
        )


@pytest.mark.parametrize("number_of_texts", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_generated_documents_agree(javascript: Conversation, number_of_texts: int) -> None:
    python = Adapter(PackageImplementation())
    fingerprints = set()
    for number, text in enumerate(documents(1, number_of_texts)):
        request = {"id": number, "op": "fingerprint", "scheme": "sd64", "text": text}
        expected = python.answer(request)
        assert javascript.ask(request) == expected, text
        fingerprints.add(expected.get("result"))
    assert len(fingerprints) > number_of_texts * 0.8
