"""The targets of fuzzing with their seeds, with what was found, and with changed seeds, without atheris."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.targets import TARGETS, seeds

FOUND = [
    ("entries", b"a line,\rthat CSV does not allow\n"),
    ("requests", b'{"id": 1, "op": "buckets", "text": "a"}\n'),
    ("requests", b"[1]\n"),
    ("requests", b"[" * 100_000),
    ("file-names", b"a "),
    ("file-names", b"a\xc2\xa0"),
    ("file-names", b"\t"),
    ("tei", seeds("tei")[0].replace(b"<p>", b"<:>", 1)),
]
PIECES = (
    b"", b"\0", b"\xff", b"\r", b"\n", b'"', b"[", b"{", b"}", b",", b":", b"-1", b"9" * 30, b"1e999", b"null",
    b"\xed\xa0\x80",
)  # fmt: skip


@pytest.mark.parametrize(("target", "data"), FOUND)
def test_what_was_found(target: str, data: bytes) -> None:
    TARGETS[target](data)


@pytest.mark.parametrize(
    ("target", "changes"),
    [
        *((target, 1) for target in TARGETS),
        *(pytest.param(target, 20, marks=pytest.mark.slow) for target in TARGETS),
    ],
)
def test_seeds_and_changed_seeds(target: str, changes: int) -> None:
    chance = random.Random(target)
    for data in [*seeds(target), b"", chance.randbytes(300)]:
        TARGETS[target](data)
        for _ in range(changes):
            at, removed = chance.randrange(len(data) + 1), chance.choice((0, 0, 1, 1, 5, 50))
            TARGETS[target](data[:at] + chance.choice(PIECES) + data[at + removed :])
