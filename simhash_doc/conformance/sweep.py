"""Compare all 1,112,064 Unicode scalar values with the reference: digests of ranges first, then code points."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import same_result
from simhash_doc.conformance.formatting import shown_outcomes
from simhash_doc.conformance.implementation import Implementation

Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]

LAST = 0x10FFFF
SCALAR_VALUES = 1_112_064
# Code points per request. Buckets of more would be clamped, which hides differences; so would the signs of the sums of
# many tokens.
BLOCKS = {"fold": 4096, "tokens": 4096, "buckets": 64, "fingerprint": 16}
# Each code point alone; between letters; after a digit and at an end; among marks of two combining classes.
TEMPLATES = {
    "fold": "{}\na{}\u0301\u0316\n",
    "tokens": "x{}y\n1{}\n{}{}\n",
    "buckets": "x{}y\n1{}\n{}{}\na{}\u0301\u0316\n",
    "fingerprint": "x{}y 1{}",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A code point with a wrong answer. `expected` and `given` are printable."""

    code_point: int
    op: str
    expected: str
    given: str

    @property
    def name(self) -> str:
        return unicodedata.name(chr(self.code_point), "no name in this Python's database")


def ranges(found: Sequence[Difference]) -> str:
    """Return the code points of differences, adjacent ones as ranges.

    >>> ranges([Difference(code_point, "fold", "", "") for code_point in (0x41, 0x42, 0x43, 0x1F600)])
    'U+0041..U+0043 U+1F600'
    """
    spans: list[list[int]] = []
    for code_point in sorted(difference.code_point for difference in found):
        if spans and spans[-1][1] == code_point - 1:
            spans[-1][1] = code_point
        else:
            spans.append([code_point, code_point])
    return " ".join(f"U+{a:04X}" if a == b else f"U+{a:04X}..U+{b:04X}" for a, b in spans)


def swept_operations(operations: Collection[str]) -> list[str]:
    """Return the operations with which scalar values are checked, of those that are declared; empty if none can be."""
    steps = [op for op in ("fold", "tokens") if op in operations]
    return steps or [op for op in ("buckets", "fingerprint") if op in operations][:1]


def blocks_of(op: str) -> list[tuple[int, int]]:
    """Return the ranges (first, last) of code points to check; none consists of surrogates only."""
    size = BLOCKS[op]
    edges = range(0, LAST + 1, size)
    return [(first, first + size - 1) for first in edges if not 0xD800 <= first <= first + size - 1 <= 0xDFFF]


def block_request(op: str, first: int, last: int, *, digest: bool = False) -> dict[str, Any]:
    """Return the request with all scalar values of a range; with `digest`, for the digest of its result."""
    recipe = {"scalars": [first, last], "template": TEMPLATES[op]}
    if op in ("fold", "tokens"):
        return {"op": op, "recipe": recipe, **({"digest": True} if digest else {})}
    return {"op": op, "recipe": recipe, "scheme": "sd64"}


class Sweep:
    """Requests ranges of scalar values and compares the answers with those of the reference.

    Uses `fold` and `tokens` if the implementation declares them, with digests if it declares that feature; otherwise
    `buckets`; otherwise `fingerprint`, which may miss a code point among others that agree.
    """

    def __init__(self, ask: Ask, operations: frozenset[str], features: frozenset[str], most: int) -> None:
        self._ask, self._digest, self._most = ask, "digest" in features, most
        self._reference = Adapter(Implementation())
        self.operations = swept_operations(operations)
        self.wrong: Counter[str] = Counter()

    def blocks(self) -> list[tuple[int, int]]:
        """Return the ranges (first, last) to check; none consists of surrogates only. It needs an operation."""
        return blocks_of(self.operations[0])

    def check(self, first: int, last: int, operations: Iterable[str] | None = None) -> Iterator[Difference]:
        """Yield the code points of a block with wrong answers, at most `most` per operation in all.

        Args:
            first, last: the block.
            operations: some of `operations`; all by default.
        """
        for op in self.operations if operations is None else operations:
            yield from self._refined(op, first, last)

    def _refined(self, op: str, first: int, last: int) -> Iterator[Difference]:
        if self.wrong[op] >= self._most or self._agrees(op, first, last):
            return
        if first == last:
            self.wrong[op] += 1
            yield self._difference(op, first)
            return
        middle = (first + last) // 2
        yield from self._refined(op, first, middle)
        yield from self._refined(op, middle + 1, last)

    def _agrees(self, op: str, first: int, last: int) -> bool:
        request = block_request(op, first, last, digest=self._digest)
        expected, given = self._reference.answer(request), self._ask(request)
        if "result" not in expected or "result" not in given:
            return "error" in expected and expected["error"] == given.get("error")
        return same_result(op if not self._digest else "fold", expected["result"], given["result"])

    def _difference(self, op: str, code_point: int) -> Difference:
        request = block_request(op, code_point, code_point)
        expected, given = shown_outcomes(op, dict(self._reference.answer(request)), dict(self._ask(request)))
        return Difference(code_point, op, expected, given)
