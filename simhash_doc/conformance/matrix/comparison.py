"""Compare the answers of every two implementations, and count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from simhash_doc.conformance.cases import same_outcome
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.judge import outcome_of
from simhash_doc.conformance.matrix.participant import Participant
from simhash_doc.conformance.messages import Answer

Request = Mapping[str, Any]
Pair = tuple[str, str]
Differs = Callable[[Request], bool]
# The members of results that are objects. Others are ignored (PROTOCOL.md).
_MEMBERS = {
    "decode": ("scheme", "hex", "canonical"),
    "distance": ("distance", "similarity"),
    "trace": ("folded", "prepared", "tokens", "buckets", "fingerprint", "error"),
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request comes from.

    Attributes:
        name: for people, such as the id of a case.
        request: the request.
        smallest: given a function that returns True if two implementations differ at a request, returns the smallest
            request found at which they do; None if there is none to be found.
        huge: True if an implementation may reject the document as too long.
    """

    name: str
    request: Request
    smallest: Callable[[Differs], Request | None]
    huge: bool = False


@dataclass(slots=True)
class Comparison:
    """The implementations that take part, and the results of every two of them.

    Attributes:
        participants: all have answered the handshake.
        equal, different: number of answers per pair of names and operation.
        first: the first request per pair and operation with different answers of both.
    """

    participants: Sequence[Participant]
    equal: Counter[tuple[Pair, str]] = field(default_factory=Counter)
    different: Counter[tuple[Pair, str]] = field(default_factory=Counter)
    first: dict[tuple[Pair, str], Origin] = field(default_factory=dict)

    @property
    def pairs(self) -> list[tuple[Participant, Participant]]:
        """Every two implementations."""
        return list(combinations(self.participants, 2))

    def ask(self, origin: Origin) -> None:
        """Send a request to all that declare what it needs, and compare their answers."""
        asked = [participant for participant in self.participants if participant.declares(origin.request)]
        if len(asked) < 2:
            return
        answers = {participant.name: participant.answer(origin.request, origin.name) for participant in asked}
        for a, b in combinations(answers, 2):
            agree = agreement(origin.request, answers[a], answers[b], huge=origin.huge)
            if agree is None:
                continue
            key = ((a, b), str(origin.request["op"]))
            (self.equal if agree else self.different)[key] += 1
            if not agree and not any(isinstance(answers[name], PeerError) for name in (a, b)):
                self.first.setdefault(key, origin)


def agreement(request: Request, a: Answer | PeerError, b: Answer | PeerError, *, huge: bool = False) -> bool | None:
    """Return whether two answers agree; None if they cannot be compared.

    A failed process, and `unsupported` to a request that the handshake declares, agree with nothing. Reading bytes is
    optional (SD-INPUT-1), and so are documents over a limit (SD-SEC-1).
    """
    if isinstance(a, PeerError) or isinstance(b, PeerError):
        return False
    if "unsupported" in a or "unsupported" in b:
        return None if _is_bytes(request) else False
    if huge and "over-limit" in (a.get("error"), b.get("error")):
        return None
    op = str(request["op"])
    first, second = _known(op, a), _known(op, b)
    return same_outcome(op, first, second) and same_outcome(op, second, first)


def _is_bytes(request: Request) -> bool:
    recipe = request.get("recipe")
    return "bytes" in request or (isinstance(recipe, dict) and "utf8" in recipe)


def _known(op: str, answer: Answer) -> dict[str, Any]:
    """Return the outcome of an answer without unknown members."""
    outcome = outcome_of(answer)
    result = outcome.get("result")
    if op in _MEMBERS and isinstance(result, dict):
        return {"result": {name: result[name] for name in _MEMBERS[op] if name in result}}
    return outcome
