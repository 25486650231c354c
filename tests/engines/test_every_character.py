"""All Unicode scalar values, each between letters, after a digit and at an end.

The engine python is compared with the reference by the full run in the step `engines`, and the other engines with it.
"""

from __future__ import annotations

import numpy as np
import pytest

from simhash_doc import fingerprint_many, set_engine
from tests.engines.engines import NUMBA_MARKS

BLOCK = 1 << 14
TOGETHER = 16  # characters in a document; a token that differs changes some of 512 signs
SOME = [range(first, first + 512) for first in (0, 0x3000, 0x1F000)]
ALL = [range(first, first + BLOCK) for first in range(0, 0x110000, BLOCK)]


@pytest.mark.parametrize(
    ("block", "engines"),
    [
        *(pytest.param(block, ["numpy"]) for block in SOME),
        *(pytest.param(block, ["numpy", "numba"], marks=NUMBA_MARKS) for block in ALL),
    ],
    ids=str,
)
def test_every_engine_gives_the_same_fingerprint(block: range, engines: list[str]) -> None:
    characters = [chr(code) for code in block if not 0xD800 <= code <= 0xDFFF]
    texts = [
        " ".join(f"x{character}y 1{character}" for character in characters[start : start + TOGETHER])
        for start in range(0, len(characters), TOGETHER)
    ]
    set_engine("python")
    expected = fingerprint_many(texts, scheme="sd512")
    for engine in engines:
        set_engine(engine)
        found = fingerprint_many(texts, scheme="sd512")
        assert np.array_equal(found.data, expected.data), engine
        assert np.array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(expected)), engine
