"""Compare generated texts with the reference, and shrink the first that fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case, same_result
from simhash_doc.conformance.edge_fragments import FRAGMENTS
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.implementation import Implementation

Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Finding:
    """The smallest text found that the implementation answers wrongly, as a case ready to be submitted."""

    case: Case
    answer: Mapping[str, Any]


class _FoundError(Exception):
    def __init__(self, finding: Finding) -> None:
        self.finding = finding


def texts() -> st.SearchStrategy[str]:
    """Return texts of edge fragments and of arbitrary characters, some of them repeated."""
    piece = st.one_of(st.sampled_from(FRAGMENTS), st.text(st.characters(exclude_categories=["Cs"]), max_size=4))
    repeated = st.tuples(piece, st.integers(1, 12)).map(lambda pair: pair[0] * pair[1])
    return st.lists(st.one_of(piece, repeated), max_size=30).map("".join)


def fuzz(ask: Ask, op: str, examples: int, seed: int) -> Finding | None:
    """Ask about generated texts. Return the smallest one that is answered wrongly; None if there is none.

    Args:
        ask: sends a request to the implementation; a failure of its process counts as a wrong answer.
        op: `fingerprint`, `tokens`, `fold` or `buckets`.
        examples: number of texts.
        seed: the same seed gives the same texts.
    """
    reference = Adapter(Implementation())

    @with_seed(seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(texts())
    def compare(text: str) -> None:
        members = {"text": text, **({"scheme": "sd64"} if op in ("fingerprint", "buckets") else {})}
        expected = {k: v for k, v in reference.answer({"id": 0, "op": op, **members}).items() if k != "id"}
        try:
            answer = ask({"op": op, **members})
        except PeerError as failure:
            answer = {"error": failure.kind}
        if "error" in expected or "result" not in answer:
            agree = expected.get("error") == answer.get("error", "unsupported")
        else:
            agree = same_result(op, expected["result"], answer["result"])
        if not agree:
            case = Case(f"fuzz/{op}-{seed}", op, members, expected, (), "", ("fuzz",), "found by fuzzing")
            raise _FoundError(Finding(case, answer))

    with TemporaryDirectory() as scratch:
        # Hypothesis stores Unicode tables, which do not belong in the caller's directory.
        set_hypothesis_home_dir(scratch)
        try:
            compare()
        except _FoundError as found:
            return found.finding
        finally:
            set_hypothesis_home_dir(None)
    return None
