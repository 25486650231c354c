"""Compare two implementations: answers as PROTOCOL.md regards them, and all 1,112,064 Unicode scalar values."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import canonical
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.formatting import shown_outcomes
from simhash_doc.conformance.implementation import Implementation

Request = Mapping[str, Any]
Ask = Callable[[Request], Mapping[str, Any]]
Differs = Callable[[Request], bool]
Progress = Callable[[str, int, int], None]  # what is done, the number of finished parts, and of all
Item = TypeVar("Item")
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
class Compared:
    """An answer in the form in which answers are compared.

    Attributes:
        kind: ``failed`` for a failed process, and for an answer that is nested too deeply to be one; ``unread`` for
            `unsupported` to bytes, which are optional (SD-INPUT-1); ``unsupported``, although the handshake declares
            it; ``over-limit``; ``outcome``.
        outcome: the result or error as text, the same for results that PROTOCOL.md regards as the same.
    """

    kind: str
    outcome: str = ""

    @classmethod
    def of(cls, request: Request, answer: Mapping[str, Any] | PeerError) -> Compared:
        """Return an answer to a request in this form."""
        if isinstance(answer, PeerError):
            return cls("failed")
        if "unsupported" in answer:
            return cls("unread" if _is_bytes(request) or "cuts" in request else "unsupported")
        kind = "over-limit" if answer.get("error") == "over-limit" else "outcome"
        try:
            return cls(kind, canonical(str(request["op"]), answer))
        except RecursionError:  # no result is nested that deeply
            return cls("failed")

    def agrees(self, other: Compared, *, huge: bool = False) -> bool | None:
        """Return whether two answers agree; None if they cannot be compared.

        A failed process, and `unsupported` to what is declared, agree with nothing. An implementation may limit the
        size of documents (SD-SEC-1), so `over-limit` for a huge one is not compared.
        """
        kinds = {self.kind, other.kind}
        if "failed" in kinds or "unsupported" in kinds:
            return False
        if "unread" in kinds or (huge and "over-limit" in kinds):
            return None
        return self.outcome == other.outcome


def agree(request: Request, expected: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Return True if two answers to a request agree; False also if they cannot be compared."""
    return Compared.of(request, expected).agrees(Compared.of(request, given)) is True


def _is_bytes(request: Request) -> bool:
    recipe = request.get("recipe")
    return "bytes" in request or (isinstance(recipe, dict) and "utf8" in recipe)


def swept_operations(operations: Collection[str]) -> list[str]:
    """Return the operations with which scalar values are checked, of those that are declared; empty if none can be.

    They are `fold` and `tokens`; otherwise `buckets`; otherwise `fingerprint`, which may miss a code point among others
    that agree.
    """
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


def differing(op: str, first: int, last: int, differs: Differs, *, digest: bool = False) -> Iterator[int]:
    """Yield the code points of a range at which two implementations differ, by halving it.

    Args:
        op: an operation of `BLOCKS`.
        first, last: the range.
        differs: returns True if the answers to a request differ.
        digest: True to request digests.
    """
    if not differs(block_request(op, first, last, digest=digest)):
        return
    if first == last:
        yield first
        return
    middle = (first + last) // 2
    yield from differing(op, first, middle, differs, digest=digest)
    yield from differing(op, middle + 1, last, differs, digest=digest)


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


def reporting(items: Sequence[Item], what: str, progress: Progress) -> Iterator[Item]:
    """Yield the items of some work; report before each how many were finished."""
    for number, item in enumerate(items):
        progress(what, number, len(items))
        yield item


def sweep(
    ask: Ask, op: str, blocks: Iterable[tuple[int, int]], most: int, *, digest: bool = False
) -> Iterator[Difference]:
    """Yield the code points at which an implementation differs from the reference.

    Args:
        ask: sends a request to the implementation.
        op: an operation of `BLOCKS`.
        blocks: ranges (first, last) of code points, see `blocks_of`.
        most: number of differences after which the sweep ends.
        digest: True to request digests.
    """
    reference = Adapter(Implementation())

    def differs(request: Request) -> bool:
        return not agree(request, reference.answer(request), ask(request))

    found = (code_point for block in blocks for code_point in differing(op, *block, differs, digest=digest))
    for code_point in islice(found, most):
        request = block_request(op, code_point, code_point)
        answers = reference.answer(request), ask(request)
        yield Difference(code_point, op, *shown_outcomes(op, *map(dict, answers)))


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
