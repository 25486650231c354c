"""Compare the answers of every two implementations, and count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from simhash_doc.conformance.cases import in_order
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
        answers = {
            participant.name: Compared.of(origin.request, participant.answer(origin.request, origin.name))
            for participant in asked
        }
        for a, b in combinations(answers, 2):
            agree = answers[a].agrees(answers[b], huge=origin.huge)
            if agree is None:
                continue
            key = ((a, b), str(origin.request["op"]))
            (self.equal if agree else self.different)[key] += 1
            if not agree and "failed" not in (answers[a].kind, answers[b].kind):
                self.first.setdefault(key, origin)


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer in the form in which answers are compared.

    Attributes:
        kind: ``failed`` for a failed process; ``unread`` for `unsupported` to bytes, which are optional (SD-INPUT-1);
            ``unsupported``, although the handshake declares it; ``over-limit``; ``outcome``.
        outcome: the result or error as text, the same for results that PROTOCOL.md regards as the same.
    """

    kind: str
    outcome: str = ""

    @classmethod
    def of(cls, request: Request, answer: Answer | PeerError) -> Compared:
        """Return an answer to a request in this form."""
        if isinstance(answer, PeerError):
            return cls("failed")
        if "unsupported" in answer:
            return cls("unread" if _is_bytes(request) else "unsupported")
        kind = "over-limit" if answer.get("error") == "over-limit" else "outcome"
        return cls(kind, json.dumps(_canonical(_known(str(request["op"]), answer)), sort_keys=True))

    def agrees(self, other: Compared, *, huge: bool = False) -> bool | None:
        """Return whether two answers agree; None if they cannot be compared.

        A failed process, and `unsupported` to what is declared, agree with nothing. An implementation may limit the
        size of documents (SD-SEC-1), so `over-limit` for a huge one is not compared.
        """
        kinds = {self.kind, other.kind}
        if "failed" in kinds or "unsupported" in kinds:
            return False
        if "unread" in kinds or (huge and "over-limit" in kinds):
            return None
        return self.outcome == other.outcome


def _is_bytes(request: Request) -> bool:
    recipe = request.get("recipe")
    return "bytes" in request or (isinstance(recipe, dict) and "utf8" in recipe)


def _known(op: str, answer: Answer) -> dict[str, Any]:
    """Return the outcome of an answer in order, and without unknown members."""
    outcome = outcome_of(answer)
    if "result" not in outcome:
        return outcome
    result = in_order(op, outcome["result"])
    if op in _MEMBERS and isinstance(result, dict):
        result = {name: result[name] for name in _MEMBERS[op] if name in result}
    return {"result": result}


def _canonical(value: Any) -> Any:
    """Return a value of JSON in which equal numbers are equal texts: 1.0 is 1."""
    if isinstance(value, list):
        return value if all(isinstance(item, str) for item in value) else [_canonical(item) for item in value]
    if isinstance(value, dict):
        return {name: _canonical(member) for name, member in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value
