"""Find the cuts that make the answer to a text in pieces wrong."""

from __future__ import annotations

from collections.abc import Sequence

from simhash_doc_conformance.formatting import json_text
from simhash_doc_conformance.protocol import Ask
from simhash_doc_conformance.running.judge import FirstDifference
from simhash_doc_conformance.vectors.cases import Case, same_outcome
from simhash_doc_conformance.vectors.inputs import read_pieces
from simhash_doc_conformance.vectors.requirements import cite

_MOST_ASKED = 200  # requests to find the cuts
_AROUND = 12  # characters that are shown on each side of a cut


def of_pieces(case: Case, ask: Ask) -> FirstDifference | None:
    """Return the few cuts that give a wrong answer; None if the complete input has one, or there are no cuts."""
    cuts = case.members.get("cuts")
    complete = {"op": case.op, **case.members}
    complete.pop("cuts", None)
    if not cuts or not case.expected or not same_outcome(case.op, case.expected, ask(complete)):
        return None
    few = _fewest(case, cuts, ask)
    cited = cite("SD-PIECE-1")
    lines = [f"the complete input has the right answer; it is wrong if cut at {json_text(few)}; see {cited}"]
    pieces = [*map(_text, read_pieces({**complete, "cuts": few}))]
    for at, before, after in zip(few, pieces, pieces[1:], strict=False):
        lines.append(f"  around the cut at {at}: {json_text(before[-_AROUND:])} and {json_text(after[:_AROUND])}")
    return FirstDifference("fingerprint", "SD-PIECE-1", lines)


def _fewest(case: Case, cuts: Sequence[int], ask: Ask) -> list[int]:
    """Return cuts of which none can be left out: first halves of them are left out, at last single ones."""
    few, size, left = list(cuts), len(cuts) // 2, _MOST_ASKED
    while size and left:
        for at in range(0, len(few), size):
            fewer = few[:at] + few[at + size :]
            left -= 1
            wrong = not same_outcome(case.op, case.expected, ask({"op": case.op, **case.members, "cuts": fewer}))
            if fewer and wrong:
                few = fewer
                break
            if not left:
                break
        else:
            size //= 2
    return few


def _text(piece: object) -> str:
    return piece.decode("utf-8", "replace") if isinstance(piece, bytes) else str(piece)
