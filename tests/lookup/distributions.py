"""Fingerprints to test with: as Hypothesis strategies, and as larger seeded arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from simhash_doc.arrays import Lanes

Values = npt.NDArray[np.uint64]
LARGEST = 2**64 - 1

ANY_VALUE = st.one_of(st.sampled_from([0, 1, LARGEST, 1 << 63]), st.integers(0, LARGEST))


@st.composite
def integers(draw: st.DrawFn, lanes: int, farthest: int = 12, max_size: int = 25) -> list[int]:
    """Values a few bits from a few centres, with copies among them."""
    centre = st.integers(0, (1 << (64 * lanes)) - 1) | st.sampled_from([0, 1, 1 << 63, (1 << 64 * lanes) - 1, 255])
    centres = draw(st.lists(centre, min_size=1, max_size=4))
    flips = st.sets(st.integers(0, 64 * lanes - 1), max_size=farthest).map(lambda bits: sum(1 << bit for bit in bits))
    return draw(st.lists(st.builds(int.__xor__, st.sampled_from(centres), flips), max_size=max_size))


@st.composite
def sharing_a_block(draw: st.DrawFn, max_size: int = 30) -> list[int]:
    """Values that agree in a run of 20 bits, so that some tables have a single bucket."""
    run = ((1 << 20) - 1) << draw(st.integers(0, 44))
    shared = draw(ANY_VALUE) & run
    return [value & ~run | shared for value in draw(integers(1, 6, max_size))]


FINGERPRINTS = st.one_of(
    st.just([]),
    st.lists(ANY_VALUE, min_size=1, max_size=1),
    st.lists(ANY_VALUE, max_size=30),
    st.builds(lambda value, count: [value] * count, ANY_VALUE, st.integers(1, 10)),
    integers(1, 6, 30),
    sharing_a_block(),
)


def seeded(kind: str, n: int, seed: int = 1) -> Values:
    """Return n values of a kind: random, clustered, all equal, or sharing a block (adversarial)."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2**64, n, np.uint64)
    if kind == "clustered":
        values = values[rng.integers(0, max(1, n // 4), n)]
        for _ in range(4):
            flipped = np.uint64(1) << rng.integers(0, 64, n, np.uint64)
            values = np.where(rng.random(n) < 0.5, values ^ flipped, values)
    elif kind == "all equal":
        values = np.full(n, values[0])
    elif kind == "sharing a block":
        values = values & np.uint64(0xFFFFFFFF)
    return values


KINDS = ("random", "clustered", "all equal", "sharing a block")


def clustered_lanes(n: int, lanes: int, farthest: int, seed: int = 1) -> Values:
    """Return fingerprints up to `farthest` bits from one of n // 4, some of them copies; bits are biased."""
    rng = np.random.default_rng(seed)
    bits = rng.random((n // 4, 64 * lanes)) < rng.random(64 * lanes)
    chosen = bits[rng.integers(0, len(bits), n)]
    share = rng.integers(0, farthest + 1, n) / (64 * lanes)
    chosen ^= rng.random(chosen.shape) < share[:, None]
    return np.packbits(chosen, axis=1).view(">u8").astype(np.uint64)


def close_positions(values: Values, distance: int) -> list[tuple[int, int]]:
    """Return all pairs of positions within the distance, by comparing all."""
    rows = []
    for first in range(len(values) - 1):
        rest = np.bitwise_count(values[first + 1 :] ^ values[first]) <= distance
        rows += [(first, first + 1 + int(step)) for step in np.flatnonzero(rest)]
    return rows


def parameters() -> list[tuple[int, int]]:
    """Return (blocks, distance) for every m in 4..8 and k in 0..m-1."""
    return [(blocks, distance) for blocks in range(4, 9) for distance in range(blocks)]


def compared(rows: Lanes, distance: int) -> list[tuple[int, int, int]]:
    apart = np.bitwise_count(rows[:, None] ^ rows[None]).sum(axis=2, dtype=np.int64)
    first, second = np.nonzero(np.triu(apart <= distance, 1))
    return list(zip(first.tolist(), second.tolist(), apart[first, second].tolist(), strict=True))
