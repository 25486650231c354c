"""All 1,112,064 Unicode scalar values: implementations compared with the reference, or with each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.pipeline import step_of
from simhash_doc_conformance.protocol import Ask
from simhash_doc_conformance.running.judge import Verdict, broken, outcome_of, wrong
from simhash_doc_conformance.running.session import Session
from simhash_doc_conformance.vectors.cases import Case, same_outcome

Request = Mapping[str, Any]
Differs = Callable[[Request], bool]
Progress = Callable[[str, int, int], None]  # what is done, the number of finished parts, and of all
Item = TypeVar("Item")
LAST = 0x10FFFF
SCALAR_VALUES = 1_112_064
_MOST_DIFFERENCES = 50  # code points after which a sweep ends
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
# The requirement that a check of an operation names, beyond the vectors.
REQUIREMENTS = {
    "fold": "SD-FOLD-1", "tokens": "SD-RUN-1", "hash_tokens": "SD-HASH-1", "buckets": "SD-CAP-1",
    "fingerprint": "SD-SIGN-1", "encode": "SD-TEXT-1", "decode": "SD-TEXT-3", "distance": "SD-DIST-1",
    "narrow": "SD-NARROW-1", "query": "SD-LOOK-1", "find_all": "SD-LOOK-3", "update": "SD-LOOK-1",
    "trace": "SD-FOLD-1",
}  # fmt: skip


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


def reporting(items: Sequence[Item], what: str, progress: Progress) -> Iterator[Item]:
    """Yield the items of some work; report before each how many were finished."""
    for number, item in enumerate(items):
        progress(what, number, len(items))
        yield item


def sweep(ask: Ask, op: str, blocks: Iterable[tuple[int, int]], most: int, *, digest: bool = False) -> list[int]:
    """Return the code points at which an implementation differs from the reference.

    Args:
        ask: sends a request to the implementation.
        op: an operation of `BLOCKS`.
        blocks: ranges (first, last) of code points, see `blocks_of`.
        most: number of differences after which the sweep ends.
        digest: True to request digests.
    """
    reference = Adapter(Implementation())

    def differs(request: Request) -> bool:
        return not same_outcome(op, reference.answer(request), ask(request))

    found = (code_point for block in blocks for code_point in differing(op, *block, differs, digest=digest))
    return list(islice(found, most))


def sweeping(session: Session, on_progress: Progress = lambda what, done, total: None) -> Iterator[Verdict]:
    """Yield a verdict per operation with which all scalar values are compared with the reference."""
    handshake = session.declared
    for op in swept_operations(handshake.operations):
        about = "Every Unicode scalar value, alone and next to letters, digits and marks."
        case = Case(f"sweep/{op}", op, {}, {}, (REQUIREMENTS[op],), "", ("sweep",), about)
        blocks = reporting(blocks_of(op), f"every Unicode scalar value: {op}", on_progress)
        try:
            found = sweep(session.send, op, blocks, _MOST_DIFFERENCES, digest="digest" in handshake.features)
            yield _swept(case, found, session.send)
        except PeerError as failure:
            yield broken(case, failure, required=True)


def _swept(case: Case, found: Sequence[int], ask: Ask) -> Verdict:
    if not found:
        return Verdict(case, "passed", required=True, inputs=SCALAR_VALUES)
    request = block_request(case.op, found[0], found[0])
    expected = outcome_of(Adapter(Implementation()).answer(request))
    more = " or more" if len(found) >= _MOST_DIFFERENCES else ""
    reason = f"{len(found)}{more} code points differ: {ranges(found)}"
    return replace(
        wrong(case, reason, request, expected, ask(request)),
        request=f"U+{found[0]:04X} {unicodedata.name(chr(found[0]), 'no name in this Python')}",
        inputs=SCALAR_VALUES,
        step=step_of(case.op),
    )


def ranges(code_points: Iterable[int]) -> str:
    """Return code points, adjacent ones as ranges.

    >>> ranges([0x41, 0x42, 0x43, 0x1F600])
    'U+0041..U+0043 U+1F600'
    """
    spans: list[list[int]] = []
    for code_point in sorted(code_points):
        if spans and spans[-1][1] == code_point - 1:
            spans[-1][1] = code_point
        else:
            spans.append([code_point, code_point])
    return " ".join(f"U+{a:04X}" if a == b else f"U+{a:04X}..U+{b:04X}" for a, b in spans)
