"""Tokens are compared by their bytes, and chosen tokens cannot make the table slow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import pytest
import xxhash

from simhash_doc import Accumulator, reference
from simhash_doc.bulk.compiled import counting, counts
from tests.bulk.engines import engine

P1, P2, P4 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x85EBCA77C2B2AE63
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz0123456789_", np.uint8)


def colliding_tokens(count: int) -> list[str]:
    """Return tokens of 16 letters with one and the same XXH64, found by solving for the second half.

    After both lanes the accumulator is rotl(rotl(start ^ round(first), 27) * P1 + P4 ^ round(second), 27) * P1 + P4,
    and each step can be undone: for any first half, one second half leads to the wanted value. One in four
    million consists of letters, digits and underscores.
    """
    inverse_1, inverse_2 = pow(P1, -1, 1 << 64), pow(P2, -1, 1 << 64)
    u = np.uint64
    start = u(0x27D4EB2F165667C5 + 16)

    def turned(values: npt.NDArray[np.uint64], bits: int) -> npt.NDArray[np.uint64]:
        return values << u(bits) | values >> u(64 - bits)

    allowed = np.zeros(256, bool)
    allowed[LETTERS] = True
    wanted = turned(np.array([0x0123456789ABCDEF], np.uint64), 27)
    draw = np.random.default_rng(11)
    found: list[str] = []
    while len(found) < count:
        first = LETTERS[draw.integers(0, len(LETTERS), (1 << 20, 8))].copy().view("<u8")[:, 0]
        after = turned(start ^ turned(first * u(P2), 31) * u(P1), 27) * u(P1) + u(P4)
        lane = turned((after ^ wanted) * u(inverse_1), 64 - 31) * u(inverse_2)
        good = allowed[lane.view(np.uint8).reshape(-1, 8)].all(axis=1)
        halves = zip(first[good].tolist(), lane[good].tolist(), strict=True)
        found += [(a.to_bytes(8, "little") + b.to_bytes(8, "little")).decode() for a, b in halves]
    return [token for token in found if token[0].isalpha() and token[-1].isalpha()]


@pytest.fixture(scope="module")
def colliding() -> list[str]:
    tokens = colliding_tokens(6)
    assert len(tokens) >= 3
    assert len({xxhash.xxh64_intdigest(token.encode()) for token in tokens}) == 1
    return tokens


@contextmanager
def probe_limit(limit: int) -> Iterator[None]:
    """Let tables call a search long after this many steps."""
    original = counting.Table.__init__

    def limited(self: counting.Table, entries: int, arena: int) -> None:
        original(self, entries, arena)
        self.state[counting.PROBE_LIMIT] = limit

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting.Table, "__init__", limited)
        yield


@pytest.mark.parametrize("limit", [0, 1, 256])
def test_tokens_with_one_hash_are_counted_apart(colliding: list[str], limit: int) -> None:
    text = " ".join(word for word in colliding for _ in range(9)) + " other words of the text " * 3
    with engine(fast=True), probe_limit(limit):
        made = Accumulator()
        made.update(text)
        counted = made.counts()
        assert isinstance(counted, counts.CompiledCounts)
        assert dict(counted.items()) == {
            token.encode(): count for token, count in reference.capped_counts(reference.tokens(text)).items()
        }
        assert bool(counted._table.state[counting.CAREFUL]) == (limit < 2)


def test_other_searches_are_right_after_the_table_became_careful(colliding: list[str]) -> None:
    text = " ".join(colliding) + " " + " ".join(f"word{i % 700}" for i in range(3000))
    with engine(fast=True), probe_limit(1):
        made = Accumulator("sd512")
        made.update(text)
        sums = reference.bit_sums(reference.capped_counts(reference.tokens(text)), 8)
        assert made.counts().bit_sums(8).tolist() == sums


def test_keys_of_tables_differ() -> None:
    assert len({counting.Table(8, 8).key.tobytes() for _ in range(20)}) == 20
