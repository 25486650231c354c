"""Generated requests of every operation, and the smallest of them at which something is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from simhash_doc.conformance import generated_text_forms as text_forms
from simhash_doc.conformance.generated_texts import Members, in_pieces, inputs, long_inputs, pieces
from simhash_doc.conformance.inputs import DIGITS, read_input
from simhash_doc.reference import Reference
from simhash_doc.schemes import get_scheme, get_schemes

Request = dict[str, Any]
Build = Callable[[Members], Request]
Found = TypeVar("Found")
GENERATOR = f"hypothesis {hypothesis.__version__}"
_LONG_SHARE = 5  # one long text for so many short ones
_LONG_DOCUMENTS = 20  # one long document among so many
_FORM_SHARE = 20  # one request per operation and scheme without a document for so many documents
# Bounds of the work for a smaller request after the first wrong answer; not seconds, so that results are reproducible.
_SHRINKING_REQUESTS, _SHRINKING_CHARACTERS = 500, 1_000_000
# Operations on a document.
ON_INPUTS = ("fold", "tokens", "buckets", "fingerprint", "trace")
WITHOUT_SCHEME = ("fold", "tokens")
OPERATIONS = (
    "fold", "tokens", "hash_tokens", "buckets", "fingerprint", "encode", "decode", "distance", "narrow",
    "query", "find_all", "trace",
)  # fmt: skip
# Lengths of tokens in characters: on both sides of the borders of XXH64, and of usual buffers.
_TOKEN_LENGTHS = (
    1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 35, 36, 37, 39, 40, 41, 63, 64, 65, 127, 128,
    129, 255, 256, 257, 1000, 4096, 5000,
)  # fmt: skip
_STEPS = ("fold", "tokens", "buckets", "fingerprint", "hash_tokens")
_FORMS = ("encode", "decode", "distance", "narrow", "query", "find_all")
_MISNAMED = 10  # one request in so many has the name of an unknown scheme


@dataclass(frozen=True, slots=True)
class Understood:
    """The schemes and forms of input that an implementation supports.

    Attributes:
        schemes: short ids of the schemes that it has.
        forms: the forms of input that it reads.
        pieces: those that it reads in pieces.
    """

    schemes: tuple[str, ...] = tuple(get_schemes())
    forms: frozenset[str] = frozenset({"text", *DIGITS})
    pieces: frozenset[str] = frozenset(DIGITS)


def requests(op: str, scheme: str, understood: Understood) -> st.SearchStrategy[Members]:
    """Return the members of requests of an operation, without ``op`` and ``id``; long texts are in `long_requests`."""
    known, schemes = get_scheme(scheme), understood.schemes
    named = st.integers(0, _MISNAMED).flatmap(
        lambda drawn: st.sampled_from(text_forms.UNKNOWN) if drawn == _MISNAMED else st.just(scheme)
    )
    strategies: dict[str, Any] = {
        "fold": lambda: inputs(understood.forms),
        "tokens": lambda: inputs(understood.forms),
        "buckets": lambda: _with(inputs(understood.forms), scheme=named),
        "fingerprint": lambda: _with(in_pieces(inputs(understood.forms), understood.pieces), scheme=named),
        "trace": lambda: _with(inputs(understood.forms), scheme=st.just(scheme)),
        "hash_tokens": lambda: st.fixed_dictionaries({"tokens": _tokens(), "scheme": named}),
        "encode": lambda: st.fixed_dictionaries(
            {"hex": text_forms.hex_digits(known), "scheme": named, "canonical": st.booleans()}
        ),
        "decode": lambda: st.fixed_dictionaries(
            {"text": text_forms.any_form(known)},
            optional={"scheme": text_forms.names([scheme, *(name for name in schemes if name != scheme)])},
        ),
        "distance": lambda: _distance(scheme, understood),
        "narrow": lambda: st.fixed_dictionaries(
            {"text": text_forms.any_form(known), "scheme": text_forms.names(schemes)},
        ),
        "query": lambda: text_forms.searches(known, schemes, queries=True),
        "find_all": lambda: text_forms.searches(known, schemes, queries=False),
    }
    strategy: st.SearchStrategy[Members] = strategies[op]()
    return strategy


def long_requests(op: str, scheme: str, understood: Understood) -> st.SearchStrategy[Members] | None:
    """Return requests with long texts; None for an operation that takes no text.

    Texts are read in the same way for all schemes, so only the first one of an implementation gets long ones.
    """
    if op not in ON_INPUTS or (op not in WITHOUT_SCHEME and scheme != understood.schemes[0]):
        return None
    drawn = long_inputs(understood.forms)
    if op == "fingerprint":
        drawn = in_pieces(drawn, understood.pieces)
    return drawn if op in WITHOUT_SCHEME else _with(drawn, scheme=st.just(scheme))


def _with(drawn: st.SearchStrategy[Members], **more: st.SearchStrategy[str]) -> st.SearchStrategy[Members]:
    return st.tuples(drawn, st.fixed_dictionaries(more)).map(lambda pair: {**pair[0], **pair[1]})


def _tokens() -> st.SearchStrategy[list[str]]:
    lengths = st.tuples(st.sampled_from(["a", "é", "東", "\U0001d400", "abc0_"]), st.sampled_from(_TOKEN_LENGTHS))
    long = lengths.map(lambda pair: (pair[0] * pair[1])[: pair[1]])
    return st.lists(st.one_of(pieces().filter(bool), long), max_size=8)


def _distance(scheme: str, understood: Understood) -> st.SearchStrategy[Members]:
    wide = {} if scheme == "sd64" else {"scheme": scheme}
    pairs = text_forms.pairs(get_scheme(scheme), understood.schemes)
    return pairs.map(lambda pair: {"a": pair[0], "b": pair[1], **wide})


class _ShrunkError(BaseException):
    """Ends Hypothesis. Not an `Exception`, which Hypothesis would treat as a wrong answer."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Generated values, and the requests that are built from each.

    Attributes:
        name: for people.
        strategy: of the values.
        count: number of the values.
        builds: functions that return a request from a value.
    """

    name: str
    strategy: st.SearchStrategy[Members]
    count: int
    builds: Sequence[Build]


def operation_stages(op: str, scheme: str, understood: Understood, examples: int) -> Iterator[Stage]:
    """Yield the stages of one operation and scheme: `examples` requests, and a fifth as many with long texts."""
    name, builds = f"{op} {scheme}", [partial(_form, op)]
    yield Stage(name, requests(op, scheme, understood), examples, builds)
    if (long := long_requests(op, scheme, understood)) is not None:
        yield Stage(f"long {name}", long, -(-examples // _LONG_SHARE), builds)


def document_stages(documents: int) -> Iterator[Stage]:
    """Yield the stages of a number of documents, each with all steps: short and long ones; then text forms, indexes."""
    every, schemes = Understood(), list(get_schemes())
    long = documents // _LONG_DOCUMENTS
    steps = [partial(_step, op, scheme) for op, scheme in _with_schemes(_STEPS, schemes)]
    yield Stage("short documents", inputs(every.forms), documents - long, [*steps, partial(_step, "trace", "sd64")])
    first = [partial(_step, op, "sd64") for op in _STEPS if op != "hash_tokens"]
    if long:
        yield Stage("long documents", long_inputs(every.forms), long, first)
    for op, scheme in _with_schemes(_FORMS, schemes):
        count = max(1, documents // _FORM_SHARE)
        yield Stage(f"{op} {scheme}", requests(op, scheme, every), count, [partial(_form, op)])


def _with_schemes(operations: Iterable[str], schemes: Sequence[str]) -> Iterator[tuple[str, str]]:
    for op in operations:
        for scheme in schemes[: 1 if op in WITHOUT_SCHEME else None]:
            yield op, scheme


def _form(op: str, members: Members) -> Request:
    return {"op": op, **members}


def _step(op: str, scheme: str, members: Members) -> Request:
    """Return the request for one step of a document. The hashes are those of the tokens that the reference finds."""
    if op == "hash_tokens":
        return {"op": op, "tokens": _tokens_of(json.dumps(members)), "scheme": scheme}
    return {"op": op, **members, **({} if op in WITHOUT_SCHEME else {"scheme": scheme})}


@lru_cache(maxsize=4)
def _tokens_of(document: str) -> list[str]:
    return sorted(set(Reference().tokens(read_input(json.loads(document)))))


def generate(stage: Stage, seed: int, visit: Callable[[Members], None]) -> None:
    """Call `visit` with the values of a stage. The same seed and version of Hypothesis give the same ones."""
    _run(stage, seed, visit, [Phase.generate])


def smallest(stage: Stage, build: Build, seed: int, find: Callable[[Request], Found | None]) -> Found | None:
    """Return the finding at the smallest request that has one; None if none has.

    Args:
        stage, seed: the same values as those of `generate`, up to the first with a finding.
        build: returns the request from a value.
        find: returns the finding at a request; None if it has none.
    """
    shrinking = _Shrinking(lambda members: find(build(members)))
    try:
        _run(stage, seed, shrinking.visit, [Phase.generate, Phase.shrink])
    except (_ShrunkError, AssertionError, hypothesis.errors.Flaky):
        # Flaky: the implementation does not always give the same answer. The wrong one was kept.
        if shrinking.found is None:
            raise
    shrinking.delete_characters()
    return shrinking.found


def _run(stage: Stage, seed: int, visit: Callable[[Members], None], phases: list[Phase]) -> None:
    @with_seed(seed)
    @settings(
        max_examples=stage.count,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=phases,
    )
    @given(stage.strategy)
    def test(members: Members) -> None:
        visit(members)

    with TemporaryDirectory() as scratch:
        # Hypothesis stores Unicode tables, which do not belong in the caller's directory.
        set_hypothesis_home_dir(scratch)
        try:
            test()
        finally:
            set_hypothesis_home_dir(None)


class _Shrinking(Generic[Found]):
    """Keeps the finding at the smallest value, and bounds the work for it."""

    def __init__(self, find: Callable[[Members], Found | None]) -> None:
        self._find = find
        self._requests, self._characters, self._size = 0, 0, 0
        self._members: Members = {}
        self.found: Found | None = None

    def visit(self, members: Members) -> None:
        if self._has_finding(members):
            raise AssertionError

    def delete_characters(self) -> None:
        """Delete what the text of the finding does not need: Hypothesis keeps a fragment, or takes another."""
        text = self._members.get("text", "")
        length = len(text)
        with suppress(_ShrunkError):
            while length:
                at = 0
                while at < len(text):
                    shorter = text[:at] + text[at + length :]
                    if self._has_finding({**self._members, "text": shorter}):
                        text = shorter
                    else:
                        at += length
                length //= 2

    def _has_finding(self, members: Members) -> bool:
        found, size = self._find(members), len(json.dumps(members))
        if found is None and self.found is None:
            return False
        self._requests += 1
        self._characters += size
        if self.found and (self._requests > _SHRINKING_REQUESTS or self._characters > _SHRINKING_CHARACTERS):
            raise _ShrunkError
        # Hypothesis shrinks by its own order; of equal sizes the last is the simplest.
        if found is not None and (self.found is None or size <= self._size):
            self.found, self._members, self._size = found, members, size
        return found is not None
