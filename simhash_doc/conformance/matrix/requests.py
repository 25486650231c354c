"""The requests of the matrix: the vectors, every Unicode scalar value, and generated documents and text forms."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from hypothesis import strategies as st

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.fuzzing.inputs import Members, inputs, long_inputs
from simhash_doc.conformance.fuzzing.run import generate, smallest
from simhash_doc.conformance.fuzzing.strategies import WITHOUT_SCHEME, Understood, requests
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.matrix.comparison import Comparison, Differs, Origin, Request
from simhash_doc.conformance.matrix.participant import common_operations
from simhash_doc.conformance.requests import request_key
from simhash_doc.conformance.sweep import LAST, block_request, blocks_of, swept_operations
from simhash_doc.schemes import get_schemes

Progress = Callable[[str, int, int], None]  # what is compared, the number of finished parts, and of all
Build = Callable[[Members], Request]

_LONG_SHARE = 20  # one long document among so many
_FORM_SHARE = 20  # one request per operation and scheme without a document for so many documents
_STEPS = ("fold", "tokens", "buckets", "fingerprint", "hash_tokens")
_FORMS = ("encode", "decode", "distance", "query", "find_all")


def ask_vectors(comparison: Comparison, cases: Iterable[Case], progress: Progress) -> None:
    """Send the requests of all cases, except those of `extract`, which has no single correct answer."""
    chosen = [case for case in cases if case.op != "extract"]
    for number, case in enumerate(chosen):
        progress("vectors", number, len(chosen))
        for other, request in enumerate(case.requests()):
            comparison.ask(_published(request_key(case.id, other), request, huge="huge" in case.flags))


def _published(name: str, request: Request, *, huge: bool) -> Origin:
    return Origin(f"vector {name}", request, lambda differs: request if differs(request) else None, huge)


def ask_scalar_values(comparison: Comparison, progress: Progress, last: int = LAST) -> None:
    """Send every Unicode scalar value up to `last`, with the operations that the sweep of each pair would use."""
    common = (common_operations(*pair) for pair in comparison.pairs)
    operations = sorted({op for declared in common for op in swept_operations(declared)})
    blocks = [(op, *block) for op in operations for block in blocks_of(op) if block[0] <= last]
    for number, (op, first, end) in enumerate(blocks):
        progress("every Unicode scalar value", number, len(blocks))
        name = f"scalar values U+{first:04X} to U+{end:04X}"
        request = block_request(op, first, end, digest=True)
        comparison.ask(Origin(name, request, partial(_smallest_block, op, first, end)))


def _smallest_block(op: str, first: int, last: int, differs: Differs) -> Request | None:
    """Return the request of the first code point of a block at which two implementations differ."""
    if not differs(block_request(op, first, last)):
        return None
    while first < last:
        middle = (first + last) // 2
        first, last = (first, middle) if differs(block_request(op, first, middle)) else (middle + 1, last)
    return block_request(op, first, last)


@dataclass(frozen=True, slots=True)
class Stage:
    """Generated values, and the requests that are built from each."""

    name: str
    strategy: st.SearchStrategy[Members]
    count: int
    builds: Sequence[Build]


def stages(documents: int) -> Iterator[Stage]:
    """Yield the stages for a number of documents: short ones, long ones, and text forms, vectors and indexes."""
    every, schemes = Understood(), list(get_schemes())
    long = documents // _LONG_SHARE
    steps = [partial(_step, op, scheme) for op, scheme in _with_schemes(_STEPS, schemes)]
    yield Stage("short documents", inputs(every.forms), documents - long, [*steps, partial(_step, "trace", "sd64")])
    first = [partial(_step, op, "sd64") for op in _STEPS if op != "hash_tokens"]
    if long:
        yield Stage("long documents", long_inputs(every.forms), long, first)
    for op, scheme in _with_schemes(_FORMS, schemes):
        count = max(1, documents // _FORM_SHARE)
        yield Stage(f"{op} {scheme}", requests(op, scheme, every), count, [partial(_form, op)])


def ask_generated(comparison: Comparison, documents: int, seed: int, progress: Progress) -> None:
    """Send the steps of generated documents, and generated requests of the other operations."""
    for stage in stages(documents):
        _ask_stage(comparison, stage, seed, progress)


def _ask_stage(comparison: Comparison, stage: Stage, seed: int, progress: Progress) -> None:
    done = 0

    def visit(members: Members) -> None:
        nonlocal done
        progress(stage.name, done, stage.count)
        done += 1
        for build in stage.builds:
            comparison.ask(Origin(f"{stage.name}, {done}", build(members), partial(_shrunk, stage, seed, build)))

    generate(stage.strategy, stage.count, seed, visit)


def _shrunk(stage: Stage, seed: int, build: Build, differs: Differs) -> Request | None:
    """Return the smallest generated request at which two implementations differ."""

    def find(members: Members) -> Request | None:
        request = build(members)
        return request if differs(request) else None

    return smallest(stage.strategy, stage.count, seed, find)


def _with_schemes(operations: Iterable[str], schemes: Sequence[str]) -> Iterator[tuple[str, str]]:
    for op in operations:
        for scheme in schemes[: 1 if op in WITHOUT_SCHEME else None]:
            yield op, scheme


def _form(op: str, members: Members) -> Request:
    return {"op": op, **members}


def _step(op: str, scheme: str, members: Members) -> Request:
    """Return the request for one step of a document. The hashes are those of the tokens that the reference finds."""
    if op == "hash_tokens":
        return {"op": op, "tokens": _tokens(json.dumps(members)), "scheme": scheme}
    return {"op": op, **members, **({} if op in WITHOUT_SCHEME else {"scheme": scheme})}


@lru_cache(maxsize=4)
def _tokens(document: str) -> list[str]:
    answer = _reference().answer({"op": "tokens", **json.loads(document)})
    return sorted(set(answer["result"]))


@lru_cache(maxsize=1)
def _reference() -> Adapter:
    return Adapter(Implementation())
