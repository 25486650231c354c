"""The strategy of each operation: the members of its requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from simhash_doc.conformance.fuzzing import searches, text_forms
from simhash_doc.conformance.fuzzing.inputs import Members, inputs, long_inputs
from simhash_doc.conformance.fuzzing.texts import pieces
from simhash_doc.conformance.inputs import INPUT_FORMS
from simhash_doc.schemes import get_scheme, get_schemes

# Operations on a document.
ON_INPUTS = ("fold", "tokens", "buckets", "fingerprint", "trace")
WITHOUT_SCHEME = ("fold", "tokens")
OPERATIONS = (
    "fold", "tokens", "hash_tokens", "buckets", "fingerprint", "encode", "decode", "distance", "query", "find_all",
    "trace",
)  # fmt: skip
# Lengths of tokens in characters: on both sides of the borders of XXH64, and of usual buffers.
_TOKEN_LENGTHS = (
    1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 35, 36, 37, 39, 40, 41, 63, 64, 65, 127, 128,
    129, 255, 256, 257, 1000, 4096, 5000,
)  # fmt: skip
_MISNAMED = 10  # one request in so many has the name of an unknown scheme


@dataclass(frozen=True, slots=True)
class Understood:
    """The schemes and forms of input that an implementation supports.

    Attributes:
        schemes: short ids of the schemes that it has.
        forms: the forms of input that it reads.
    """

    schemes: tuple[str, ...] = tuple(get_schemes())
    forms: frozenset[str] = frozenset(INPUT_FORMS)


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
        "fingerprint": lambda: _with(inputs(understood.forms), scheme=named),
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
        "query": lambda: searches.searches(known, schemes, queries=True),
        "find_all": lambda: searches.searches(known, schemes, queries=False),
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
