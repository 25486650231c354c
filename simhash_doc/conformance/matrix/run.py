"""Run the matrix: every two implementations are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.formatting import outcome_text, shorten
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.judge import outcome_of
from simhash_doc.conformance.matrix.comparison import Compared, Comparison, Origin, Pair, Request
from simhash_doc.conformance.matrix.participant import Participant, common_operations
from simhash_doc.conformance.matrix.requests import Progress, ask_generated, ask_scalar_values, ask_vectors
from simhash_doc.conformance.messages import Answer
from simhash_doc.conformance.sweep import LAST

DOCUMENTS, SEED = 10_000, 1


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """What is compared besides the vectors.

    Attributes:
        documents: number of generated documents.
        seed: of the generated documents and requests.
        last: the last code point of the sweep.
    """

    documents: int = DOCUMENTS
    seed: int = SEED
    last: int = LAST


@dataclass(frozen=True, slots=True)
class Difference:
    """The smallest request found at which implementations differ, ready to be submitted as a test case.

    Attributes:
        origin: the request that was shrunk.
        request: the smallest one.
        expected: outcome of the reference.
        answers: outcome per name, shortened.
        groups: the names with equal answers; the group that agrees with the reference is first, if there is one.
        right: True if the first group agrees with the reference.
    """

    origin: str
    request: Request
    expected: Mapping[str, Any]
    answers: Mapping[str, str]
    groups: tuple[tuple[str, ...], ...]
    right: bool


@dataclass(frozen=True, slots=True)
class MatrixResult:
    """The result of a run of the matrix."""

    options: MatrixOptions
    comparison: Comparison
    asked: Sequence[Participant]
    differences: Sequence[Difference]

    @property
    def ok(self) -> bool:
        """True if every two implementations gave equal answers to each operation of both, and no process failed."""
        failed = any(participant.failures for participant in self.asked)
        pairs = [self.verdict(a, b) for a, b in self.comparison.pairs]
        return bool(pairs) and not failed and all(verdict == "equal" for verdict in pairs)

    def verdict(self, a: Participant, b: Participant) -> str:
        """Return ``equal``, ``different``, or ``not compared`` if an operation of both was never compared."""
        comparison, pair = self.comparison, (a.name, b.name)
        if any(names == pair for names, _ in comparison.different):
            return "different"
        common = common_operations(a, b)
        return "equal" if common and all(comparison.equal[pair, op] for op in common) else "not compared"


def run_matrix(
    participants: Sequence[Participant], cases: Sequence[Case], options: MatrixOptions, progress: Progress
) -> MatrixResult:
    """Send the same requests to all implementations that start, and compare every two.

    Args:
        participants: not yet started.
        cases: the vectors.
        options: what is compared besides.
        progress: called with what is compared, and the number of finished and of all parts.
    """
    comparison = Comparison([participant for participant in participants if participant.start()])
    differences: list[Difference] = []
    if comparison.pairs:
        ask_vectors(comparison, cases, progress)
        ask_scalar_values(comparison, progress, options.last)
        ask_generated(comparison, options.documents, options.seed, progress)
        differences += _differences(comparison, progress)
    for participant in comparison.participants:
        participant.finish()
    asked = [participant for participant in participants if not participant.absent]
    return MatrixResult(options, comparison, asked, differences)


def _differences(comparison: Comparison, progress: Progress) -> Iterator[Difference]:
    """Yield the differences, shrunk. One that separates several pairs is found once."""
    by_name = {participant.name: participant for participant in comparison.participants}
    found: list[Difference] = []
    for number, ((pair, op), origin) in enumerate(comparison.first.items()):
        if any(known.request["op"] == op and _separates(known, pair) for known in found):
            continue
        progress("shrinking", number, len(comparison.first))
        difference = _smallest(comparison, origin, by_name[pair[0]], by_name[pair[1]])
        found.append(difference)
        yield difference


def _separates(difference: Difference, pair: Pair) -> bool:
    return not any(set(pair) <= set(group) for group in difference.groups) and set(pair) <= set(difference.answers)


def _smallest(comparison: Comparison, origin: Origin, a: Participant, b: Participant) -> Difference:
    def differs(request: Request) -> bool:
        if not (a.declares(request) and b.declares(request)):
            return False
        first, second = (Compared.of(request, participant.answer(request)) for participant in (a, b))
        return "failed" not in (first.kind, second.kind) and first.agrees(second, huge=origin.huge) is False

    request = origin.smallest(differs) or origin.request
    answers = {p.name: p.answer(request) for p in comparison.participants if p.declares(request)}
    expected = outcome_of(Adapter(Implementation()).answer(request))
    groups: dict[Compared, list[str]] = {Compared.of(request, expected): []}
    right = next(iter(groups.values()))
    for name, answer in answers.items():
        groups.setdefault(Compared.of(request, answer), []).append(name)
    return Difference(
        origin.name,
        request,
        expected,
        {name: _shown(str(request["op"]), answer) for name, answer in answers.items()},
        tuple(map(tuple, filter(None, groups.values()))),
        bool(right),
    )


def _shown(op: str, answer: Answer | PeerError) -> str:
    return str(answer) if isinstance(answer, PeerError) else shorten(outcome_text(op, outcome_of(answer)))
