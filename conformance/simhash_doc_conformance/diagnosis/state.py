"""Find out whether wrong answers depend on earlier requests: a fresh process gives the right ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from simhash_doc_conformance.diagnosis.answers import plainest
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.vectors.cases import Case, same_outcome

Fresh = Callable[[Mapping[str, Any]], Mapping[str, Any]]  # answers a request with a process of its own
_REPEATED = 12  # wrong answers that are repeated, each in a process of its own


def state_finding(cases: Iterable[Case], fresh: Fresh) -> tuple[str, str] | None:
    """Repeat some wrong answers that no known bug explains; return a line if some are right, and the plainest of them.

    Known bugs depend on no earlier request.
    """
    cases = [case for case in cases if case.expected]
    repeated = cases[:: -(-len(cases) // _REPEATED) or 1]
    try:
        answers = [fresh({"op": case.op, **case.members}) for case in repeated]
    except PeerError:
        return None
    pairs = zip(repeated, answers, strict=True)
    right = [case for case, answer in pairs if same_outcome(case.op, case.expected, answer)]
    if not right:
        return None
    example = plainest(right)
    line = (
        f"Depends on earlier requests: {len(right)} of {len(repeated)} wrong answers that were repeated are right in a "
        f"fresh process, so the implementation keeps something between requests; begin with {example}"
    )
    return line, example
