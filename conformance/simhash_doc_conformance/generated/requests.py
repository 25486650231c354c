"""Generated requests of every operation, and the smallest of them at which something is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from simhash_doc.schemes import get_scheme, get_schemes
from simhash_doc_conformance.generated import text_forms
from simhash_doc_conformance.generated.texts import Members, inputs, long_inputs, pieces, with_cuts
from simhash_doc_conformance.pipeline import ON_INPUTS
from simhash_doc_conformance.vectors.inputs import DIGITS

Found = TypeVar("Found")
GENERATOR = f"hypothesis {hypothesis.__version__}"
# Bounds of the work for a smaller request after the first wrong answer; not seconds, so that results are reproducible.
_SHRINKING_REQUESTS, _SHRINKING_CHARACTERS = 500, 1_000_000
WITHOUT_SCHEME = ("fold", "tokens")
OPERATIONS = (
    "fold", "tokens", "hash_tokens", "buckets", "fingerprint", "encode", "decode", "distance", "narrow",
    "query", "find_all", "update", "trace",
)  # fmt: skip
# Lengths of tokens in characters: on both sides of the borders of XXH64, and of usual buffers.
_TOKEN_LENGTHS = (
    1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 35, 36, 37, 39, 40, 41, 63, 64, 65, 127, 128,
    129, 255, 256, 257, 1000, 4096, 5000,
)  # fmt: skip
_BATCHES = (127, 128, 129, 255, 256, 257, 1000, 1001)  # tokens at once
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


def requests(op: str, scheme: str, understood: Understood, *, long: bool = False) -> st.SearchStrategy[Members]:
    """Return requests of an operation without ``id``; with `long`, those with long texts of an operation on inputs."""
    known, schemes = get_scheme(scheme), understood.schemes
    members: st.SearchStrategy[Members]
    named = st.integers(0, _MISNAMED).flatmap(
        lambda drawn: st.sampled_from(text_forms.UNKNOWN) if drawn == _MISNAMED else st.just(scheme)
    )
    if op in ON_INPUTS:
        given = long_inputs(understood.forms) if long else inputs(understood.forms)
        given = with_cuts(given, understood.pieces) if op == "fingerprint" else given
        one = st.just(scheme) if long or op == "trace" else named
        more = st.fixed_dictionaries({} if op in WITHOUT_SCHEME else {"scheme": one})
        members = st.tuples(given, more).map(lambda pair: {**pair[0], **pair[1]})
    elif op == "hash_tokens":
        members = st.fixed_dictionaries({"tokens": _tokens(), "scheme": named})
    elif op == "encode":
        digits = text_forms.hex_digits(known)
        members = st.fixed_dictionaries({"hex": digits, "scheme": named, "canonical": st.booleans()})
    elif op == "decode":
        expected = text_forms.names([scheme, *(name for name in schemes if name != scheme)])
        members = st.fixed_dictionaries({"text": text_forms.any_form(known)}, optional={"scheme": expected})
    elif op == "narrow":
        members = st.fixed_dictionaries({"text": text_forms.any_form(known), "scheme": text_forms.names(schemes)})
    elif op == "distance":
        wide = {} if scheme == "sd64" else {"scheme": scheme}
        members = text_forms.pairs(known, schemes).map(lambda pair: {"a": pair[0], "b": pair[1], **wide})
    elif op == "update":
        members = text_forms.updates(known)
    else:
        members = text_forms.searches(known, schemes, queries=op == "query")
    return members.map(lambda drawn: {"op": op, **drawn})


def _tokens() -> st.SearchStrategy[list[str]]:
    lengths = st.tuples(st.sampled_from(["a", "é", "東", "\U0001d400", "abc0_"]), st.sampled_from(_TOKEN_LENGTHS))
    long = lengths.map(lambda pair: (pair[0] * pair[1])[: pair[1]])
    few = st.lists(st.one_of(pieces().filter(bool), long), max_size=8)
    many = st.tuples(st.sampled_from(["a", "\u0436", "word"]), st.sampled_from(_BATCHES)).map(
        lambda pair: [pair[0]] * pair[1]
    )
    return st.one_of(few, few, few, many)


class _ShrunkError(BaseException):
    """Ends Hypothesis. Not an `Exception`, which Hypothesis would treat as a wrong answer."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Generated requests.

    Attributes:
        name: for people.
        strategy: of the requests.
        count: their number.
    """

    name: str
    strategy: st.SearchStrategy[Members]
    count: int


def stages(op: str, scheme: str, understood: Understood, examples: int, long: int) -> Iterator[Stage]:
    """Yield the stages of one operation and scheme: so many requests, and so many with long texts.

    Texts are read in the same way for all schemes, so only the narrowest and the widest one of an implementation get
    long ones.
    """
    yield Stage(f"{op} {scheme}", requests(op, scheme, understood), examples)
    if long and op in ON_INPUTS and (op in WITHOUT_SCHEME or scheme in (understood.schemes[0], understood.schemes[-1])):
        yield Stage(f"long {op} {scheme}", requests(op, scheme, understood, long=True), long)


def generate(stage: Stage, seed: int, visit: Callable[[Members], None]) -> None:
    """Call `visit` with the requests of a stage. The same seed and version of Hypothesis give the same ones."""
    _run(stage, seed, visit, [Phase.generate])


def smallest(stage: Stage, seed: int, find: Callable[[Members], Found | None]) -> Found | None:
    """Return the finding at the smallest request that has one; None if none has.

    Args:
        stage, seed: the same requests as those of `generate`, up to the first with a finding.
        find: returns the finding at a request; None if it has none.
    """
    shrinking = _Shrinking(find)
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
    def test(request: Members) -> None:
        visit(request)

    with TemporaryDirectory() as scratch:
        # Hypothesis stores Unicode tables, which do not belong in the caller's directory.
        set_hypothesis_home_dir(scratch)
        try:
            test()
        finally:
            set_hypothesis_home_dir(None)


class _Shrinking(Generic[Found]):
    """Keeps the finding at the smallest request, and bounds the work for it."""

    def __init__(self, find: Callable[[Members], Found | None]) -> None:
        self._find = find
        self._requests, self._characters, self._size = 0, 0, 0
        self._request: Members = {}
        self.found: Found | None = None

    def visit(self, request: Members) -> None:
        if self._has_finding(request):
            raise AssertionError

    def delete_characters(self) -> None:
        """Delete what the text of the finding does not need: Hypothesis keeps a fragment, or takes another."""
        text = self._request.get("text", "")
        length = len(text)
        with suppress(_ShrunkError):
            while length:
                at = 0
                while at < len(text):
                    shorter = text[:at] + text[at + length :]
                    if self._has_finding({**self._request, "text": shorter}):
                        text = shorter
                    else:
                        at += length
                length //= 2

    def _has_finding(self, request: Members) -> bool:
        found, size = self._find(request), len(json.dumps(request))
        if found is None and self.found is None:
            return False
        self._requests += 1
        self._characters += size
        if self.found and (self._requests > _SHRINKING_REQUESTS or self._characters > _SHRINKING_CHARACTERS):
            raise _ShrunkError
        # Hypothesis shrinks by its own order; of equal sizes the last is the simplest.
        if found is not None and (self.found is None or size <= self._size):
            self.found, self._request, self._size = found, request, size
        return found is not None
