"""Mutants of section 8: sums, buckets and bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simhash_doc.errors import BadLengthError
from simhash_doc.reference import hash_token
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import after, before, failing, mutant, table


class _Running(Implementation):
    """Adds token by token, in order of their bytes. `add` computes each partial sum."""

    add: Callable[..., int]

    def bit_sums(self, counts: dict[str, int], lanes: int = 1) -> list[int]:
        if not counts:
            return self.no_token(lanes)
        sums = [0] * (64 * lanes)
        for token in sorted(counts):
            for lane in range(lanes):
                token_hash = hash_token(token, lane)
                for bit in range(64):
                    sign = 1 if token_hash >> bit & 1 else -1
                    sums[64 * lane + bit] = self.add(sums[64 * lane + bit], sign * counts[token])
        return sums


table("SD-SUM-1", _Running, add={
    "sum-saturates": ("saturates 8-bit counters while adding tokens, not once at the end",
        lambda total, change: max(-127, min(127, total + change))),
    "sum-wraps-eight": ("uses 8-bit counters", lambda total, change: (total + change + 128) % 256 - 128),
    "sum-wraps-sixteen": ("uses 16-bit counters", lambda total, change: (total + change + 32_768) % 65_536 - 32_768),
    "sum-only-adds": ("subtracts nothing for clear bits", lambda total, change: total + max(0, change)),
})  # fmt: skip


def _rounded(bits: int) -> Callable[..., int]:
    """Return the sum of numbers of so many bits of precision."""

    def add(total: int, change: int) -> int:
        found = total + change
        shift = max(0, abs(found).bit_length() - bits)
        return int(round(found / 2**shift) * 2**shift)

    return add


table("SD-SUM-1", _Running, add={
    "sum-bfloat16": ("adds numbers of 8 bits of precision (bfloat16)", _rounded(8)),
})  # fmt: skip


def _ones(limit: int, block: int) -> Callable[..., list[int]]:
    """Return the step that counts the ones of blocks of tokens, in a counter that is 0 again at a limit."""

    def bit_sums(step: Callable[..., list[int]], counts: dict[str, int], lanes: int = 1) -> list[int]:
        sums, ordered = step(counts, lanes), list(counts.items())
        for start in range(0, len(ordered), block):
            part = dict(ordered[start : start + block])
            if (total := sum(part.values())) >= limit:
                sums = [
                    whole - (right + total) // 2 // limit * limit * 2
                    for whole, right in zip(sums, step(part, lanes), strict=True)
                ]
        return sums

    return bit_sums


table("SD-SUM-1", bit_sums={
    "ones-uint8": ("counts ones in 8 bits, and adds them after 32 tokens", _ones(2**8, 32)),
    "ones-uint16": ("counts ones in 16 bits, and adds them after 8,192 tokens", _ones(2**16, 8192)),
    "ones-int16": ("counts ones in 16 bits with a sign, and adds them after 4,096 tokens", _ones(2**15, 4096)),
})  # fmt: skip


table("SD-SUM-2", no_token={
    "no-token-zero": ("returns the all-zero fingerprint for a text without tokens", lambda lanes: [0] * (64 * lanes)),
    "no-token-ones": ("returns the fingerprint of ones for a text without tokens", lambda lanes: [1] * (64 * lanes)),
    "no-token-empty-hash": ("returns the hash of the empty string for a text without tokens",
        lambda right, lanes: right.bit_sums({"": 1}, lanes)),
    "no-token-other-error": ("reports a text without tokens under another error name",
        lambda lanes: failing(BadLengthError("the text is empty"))),
})  # fmt: skip


table("SD-BUCKET-1", to_buckets={
    "bucket-unclamped": ("does not clamp", lambda sums: list(sums)),
    "bucket-minus128": ("clamps to [-128, 127]", lambda sums: [max(-128, min(127, total)) for total in sums]),
    "bucket-wraps": ("converts sums to 8 bits without clamping, so they wrap around",
        lambda sums: [(total + 128) % 256 - 128 for total in sums]),
    "bucket-hundred": ("clamps to [-100, 100]", lambda sums: [max(-100, min(100, total)) for total in sums]),
    "bucket-scaled": ("scales sums down to 8 bits instead of clamping them",
        lambda sums: [int(total * 127 / max(127, *map(abs, sums))) for total in sums]),
})  # fmt: skip


def _lanes_reversed(buckets: Sequence[int]) -> list[int]:
    """Return the buckets of each lane in reverse order."""
    return [bucket for start in range(0, len(buckets), 64) for bucket in reversed(buckets[start : start + 64])]


mutant(
    "bucket-reversed", "SD-BUCKET-1", "lists buckets from the most significant bit down",
    buckets=after(_lanes_reversed),
    fingerprint_text_form=lambda right, given, scheme: right.text_form(
        right.to_bytes(right.buckets(given, scheme)), scheme, canonical=True),
)  # fmt: skip


table("SD-SIGN-1", to_bytes={
    "sign-tie-sets": ("sets a bit for a bucket of 0 (>= 0 instead of > 0)",
        before(lambda buckets: [bucket or 1 for bucket in buckets])),
    "sign-bits-reversed": ("makes bucket 0 the most significant bit", before(_lanes_reversed)),
    "sign-inverted": ("sets bits for negative buckets", before(lambda buckets: [-bucket for bucket in buckets])),
    "sign-above-mean": ("compares with the mean of the buckets instead of 0",
        before(lambda buckets: [bucket - sum(buckets) / len(buckets) for bucket in buckets])),
})  # fmt: skip
