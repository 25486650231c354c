"""Floods of tokens that were chosen to collide in a hash table: the time stays near that of other tokens.

The table of the engine `native` has a hash that can be predicted, and a second structure for what collides. The other
engines have secret keys; tokens that differ in few bits, or by steps, would show a key that does not mix.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from simhash_doc.engines.base import Engine
from simhash_doc.engines.select import get_engine
from tests.engines.engines import all_engines

Integers = npt.NDArray[np.uint64]

ROOT = Path(__file__).parents[2]
TOKENS = 4000
TIMES = 4
LIMIT = 12
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)
# Of `ports/rust/src/counts.rs`.
_KEYS = np.uint64(0xFD8B_C1F6_37A4_E95D), np.uint64(0xF9E2_5B90_D46C_138B)


def rust_hash(first: Integers, second: Integers) -> Integers:
    """Return the hash of tokens as two integers: the halves of the product, each with a key, combined."""
    a, b = first ^ _KEYS[0], second ^ _KEYS[1]
    a0, a1, b0, b1 = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    middle = a1 * b0 + (a0 * b0 >> _HALF)
    other = a0 * b1 + (middle & _LOW)
    result: Integers = (a * b) ^ (a1 * b1 + (middle >> _HALF) + (other >> _HALF))
    return result


def letters(count: int, size: int, seed: int) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(ord("a"), ord("z") + 1, (count, size), np.uint8)


def _listed(rows: npt.NDArray[np.uint8]) -> list[str]:
    return [bytes(row).decode("ascii") for row in rows]


def short_of_one_slot() -> list[str]:
    """Tokens of eight letters in eight neighbouring slots of every table of up to 2^14 slots."""
    found: list[str] = []
    seed = 0
    while len(found) < TOKENS:
        drawn = letters(1 << 21, 8, seed)
        keys = drawn.view("<u8").astype(np.uint64).ravel()
        slots = rust_hash(keys, np.zeros_like(keys)) & np.uint64((1 << 14) - 1)
        found += _listed(drawn[slots < 8])
        seed += 1
    return found[:TOKENS]


def long_of_one_slot() -> list[str]:
    """Tokens of 32 letters: each first half collides with all others, and each second half, so all pairs do."""
    halves: list[list[str]] = []
    for which in range(2):
        drawn = letters(1 << 21, 16, 90 + which)
        words = drawn.view("<u8").astype(np.uint64)
        first, second = words[:, 0], words[:, 1]
        if which:
            first = (first << _HALF | first >> _HALF) ^ np.uint64(32)
        slots = rust_hash(first, second) & np.uint64((1 << 14) - 1)
        halves.append(_listed(drawn[slots == 5])[:70])
    return [first + second for first in halves[0] for second in halves[1]][:TOKENS]


def _numbered(number: int, size: int) -> str:
    return "".join(chr(ord("a") + number // 26**at % 26) for at in range(size))


FLOODS: dict[str, Callable[[], list[str]]] = {
    "short, of one slot": short_of_one_slot,
    "long, of one slot": long_of_one_slot,
    "first letters differ": lambda: [_numbered(number, 3) + "aaaaa" for number in range(TOKENS)],
    "last letters differ": lambda: ["aaaaa" + _numbered(number, 3) for number in range(TOKENS)],
    "last of long ones differ": lambda: ["q" * 40 + _numbered(number, 3) for number in range(TOKENS)],
    "syllables in steps": lambda: ["word" + chr(0xAC00 + number) + "x" for number in range(TOKENS)],
}


@cache
def flood(name: str) -> tuple[str, str]:
    """Return a text with the tokens, many times, and one of random tokens with the same lengths."""
    tokens = FLOODS[name]()
    assert len(set(tokens)) == TOKENS > 26**2
    chance = random.Random(name)
    others = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=len(token))) for token in tokens]
    texts = []
    for chosen in (tokens, others):
        repeated = chosen * TIMES
        chance.shuffle(repeated)
        texts.append(" ".join(repeated))
    return texts[0], texts[1]


def seconds(engine: Engine, text: str) -> float:
    start = time.thread_time()
    engine.measure(text, 1)
    return time.thread_time() - start


@all_engines
@pytest.mark.parametrize("kind", FLOODS)
def test_chosen_tokens_cost_at_most_a_multiple_of_others(kind: str, name: str) -> None:
    chosen, others = flood(kind)
    engine = get_engine(name)
    assert engine.measure(chosen, 1).distinct_tokens == TOKENS
    ratio = min(seconds(engine, chosen) for _ in range(5)) / min(seconds(engine, others) for _ in range(5))
    print(kind, name, round(ratio, 2))
    assert ratio < LIMIT


def test_the_keys_are_those_of_the_table() -> None:
    """Otherwise the tokens above collide nowhere."""
    source = (ROOT / "ports/rust/src/counts.rs").read_text(encoding="utf-8").replace("_", "")
    assert all(f"0x{int(key):X}" in source for key in _KEYS)
