"""The steps of the pipeline: their order, how messages name them, and the methods that belong to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a trace, or an operation that no trace shows.

    Attributes:
        title: for people.
        requirement: the general one, which a wrong result violates if it shows no other; empty for an operation.
        methods: names of the methods of `Implementation`. A mutant of one shows at the first step that has it.
        after: the steps whose results it uses.
    """

    title: str
    requirement: str
    methods: frozenset[str]
    after: tuple[str, ...]


def _step(title: str, requirement: str, methods: str, *after: str) -> Step:
    return Step(title, requirement, frozenset(methods.split()), after)


# A wrong step makes the later ones wrong.
STEPS = {
    "folded": _step("folding", "SD-FOLD-1",
        "read decode_utf8 scalar_values fold map_characters bound_nonstarters decomposed long_run nonstarter_limit "
        "compose"),
    "prepared": _step("links", "SD-LINK-1", "remove_links link_forms", "folded"),
    "tokens": _step("tokens", "SD-RUN-1",
        "link_free_tokens is_word runs is_continua split bigrams trim trim_connectors is_token tokens", "prepared"),
    "hashes": _step("hashes", "SD-HASH-1", "hash_token token_hashes"),
    "buckets": _step("counts, sums and buckets", "SD-SUM-1",
        "capped_counts cap bit_sums no_token to_buckets buckets", "tokens", "hashes"),
    "encode": _step("writing text forms", "", "text_form encode"),
    "fingerprint": _step("fingerprints", "SD-SIGN-1",
        "to_bytes fingerprint_text_form joined fingerprint_of_pieces", "buckets", "encode"),
    "decode": _step("reading text forms", "", "parse"),
    "distance": _step("distances", "", "compare parse_all differing_bits similarity", "decode"),
    "narrow": _step("narrowing", "", "narrow in_scheme", "encode", "decode"),
    "query": _step("queries", "", "check_search query search", "distance"),
    "find_all": _step("pairs", "", "check_search find_all all_pairs", "distance"),
    "update": _step("updates", "", "update changed", "query"),
    "extract": _step("extraction", "", "extract no_text assembled is_content part_text"),
    "trace": _step("trace", "", "", "fingerprint"),
}  # fmt: skip
TRACED = ("folded", "prepared", "tokens", "hashes", "buckets", "fingerprint")
# Operations on a document; what is not here has no steps before it.
ON_INPUTS = ("fold", "tokens", "buckets", "fingerprint", "trace")
ADAPTER = "adapter"  # stands for the step of an answer that says nothing about the implementation
_OF_OTHER_NAME = {"fold": "folded", "hash_tokens": "hashes"}


def step_of(op: str) -> str:
    """Return the step with which an operation ends."""
    return _OF_OTHER_NAME.get(op, op)


@cache
def methods_of(op: str) -> frozenset[str]:
    """Return the methods that an operation uses: those of its step, and of all steps before it."""
    step = STEPS[step_of(op)]
    return step.methods.union(*map(methods_of, step.after))
