"""All Unicode scalar values, each between letters, after a digit and at an end.

The engine python is compared with the reference by the full run in the step `engines`, and the other engines with it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from simhash_doc import fingerprint_many, set_engine
from tests.engines.engines import NATIVE_MARKS

if TYPE_CHECKING:
    from simhash_doc import Fingerprints

BLOCK = 1 << 14
TOGETHER = 16  # characters in a document; a token that differs changes some of 512 signs
SOME = [range(first, first + 512) for first in (0, 0x3000, 0x1F000)]
ALL = [range(first, first + BLOCK) for first in range(0, 0x110000, BLOCK)]


@cache
def fingerprints(block: range, engine: str) -> Fingerprints:
    """Return the fingerprints of documents with the characters of a block."""
    characters = [chr(code) for code in block if not 0xD800 <= code <= 0xDFFF]
    set_engine(engine)
    return fingerprint_many(
        (
            " ".join(f"x{character}y 1{character}" for character in characters[start : start + TOGETHER])
            for start in range(0, len(characters), TOGETHER)
        ),
        scheme="sd512",
    )


@pytest.mark.parametrize(
    ("block", "engine"),
    [
        pytest.param(block, engine, marks=[*marks, *([pytest.mark.slow] if block in ALL else [])])
        for block in (*SOME, *ALL)
        for engine, marks in (("numpy", ()), ("native", NATIVE_MARKS))
    ],
    ids=str,
)
def test_every_engine_gives_the_same_fingerprint(block: range, engine: str) -> None:
    found, expected = fingerprints(block, engine), fingerprints(block, "python")
    assert found == expected
