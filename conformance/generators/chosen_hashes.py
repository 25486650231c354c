"""Tokens whose XXH64 is chosen: XXH64 of 16 bytes can be inverted, half by half.

    python -m generators.chosen_hashes      in conformance/, writes chosen_hashes.json: about three minutes

The first eight bytes are drawn. The wanted hash then decides the other eight, which are all digits or small letters once
in six million draws.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from simhash_doc.reference import hash_token
from simhash_doc_conformance.mutants.appendix_a import MASK, P1, P2, P3, P4, P5, rotl
from simhash_doc_conformance.mutants.identity import SPECIAL

FILE = Path(__file__).with_suffix(".json")
WORD = "similarity"  # its hash has many neighbours below
LANES = range(8)
_LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz0123456789", np.uint8)
_DRAWS = 1 << 20

Words = npt.NDArray[np.uint64]


def neighbours() -> dict[str, int]:
    """Return hashes that equal the hash of `WORD` in a part of the bits, or in a number computed from it."""
    value = hash_token(WORD)
    high, low = value >> 32, value % 2**32
    return {
        **{f"bit-{bit:02}": value ^ 1 << bit for bit in range(64)},
        "equal": value,
        "negative": -value & MASK,
        "complement": value ^ MASK,
        "halves-exchanged": low << 32 | high,
        "halves-xor": (high ^ 0x5A5A5A5A) << 32 | low ^ 0x5A5A5A5A,
        "halves-sum": (high + 1) << 32 | low - 1,
        "halves-31": (high + 1) << 32 | low - 31,
        "modulo-2^31-1": value - 1000 * (2**31 - 1),
        "modulo-2^61-1": value - (2**61 - 1),
    }


@cache
def chosen() -> dict[str, dict[str, str]]:
    """Return tokens by what is special about their hash, and the lane in which it is."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_bytes())
    return found


def _search(wanted: int, seed: int, number: int = 1) -> str:
    """Return a token that starts with a letter and has this hash, the first of those that a number draws."""
    acc = _unshifted(_unshifted(_unshifted(wanted, 32) * pow(P3, -1, 2**64), 29) * pow(P2, -1, 2**64), 33)
    mixed = np.uint64(rotl((acc - P4) * pow(P1, -1, 2**64), 64 - 27))
    while True:
        drawn = _drawn(number)
        half = _rotl(np.uint64((P5 + 16 + seed) & MASK) ^ _round(drawn), 27) * np.uint64(P1) + np.uint64(P4)
        rest = _rotl((half ^ mixed) * np.uint64(pow(P1, -1, 2**64)), 64 - 31) * np.uint64(pow(P2, -1, 2**64))
        for at in np.flatnonzero(np.isin(np.arange(256), _LETTERS)[rest.view(np.uint8).reshape(-1, 8)].all(axis=1)):
            token = str(drawn[at].tobytes() + rest[at].tobytes(), "ascii")
            if token[0].isalpha() and hash_token(token, seed) == wanted:
                return token
        number += 1000


@lru_cache(maxsize=64)
def _drawn(number: int) -> Words:
    """Return first halves, as a number of eight bytes each."""
    letters = _LETTERS[np.random.default_rng(number).integers(0, len(_LETTERS), (_DRAWS, 8))]
    return letters.view("<u8").reshape(-1).astype(np.uint64)


def _unshifted(value: int, bits: int) -> int:
    """Undo ``x ^ (x >> bits)``."""
    value &= MASK
    return value ^ value >> bits ^ value >> 2 * bits


def _rotl(values: Words, bits: int) -> Words:
    return values << np.uint64(bits) | values >> np.uint64(64 - bits)


def _round(values: Words) -> Words:
    return _rotl(values * np.uint64(P2), 31) * np.uint64(P1)


def main() -> None:
    """Search all tokens, and write them."""
    found = {name: {"0": _search(value, 0)} for name, value in neighbours().items()}
    found["equal"] |= {str(lane): _search(hash_token(WORD, lane), lane) for lane in LANES if lane}
    found |= {name: {str(lane): _search(value, lane) for lane in LANES} for name, value in SPECIAL.items()}
    found["0 again"] = {str(lane): _search(0, lane, number=2) for lane in LANES}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
