"""The matrix: compare every two implementations, and report it as JSON and as lines for a terminal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations, count
from typing import Any

from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.errors import CannotStartError, PeerError
from simhash_doc_conformance.formatting import json_text, outcome_text, printable, shorten
from simhash_doc_conformance.generated.requests import (
    GENERATOR,
    OPERATIONS,
    WITHOUT_SCHEME,
    Stage,
    Understood,
    generate,
    smallest,
    stages,
)
from simhash_doc_conformance.generated.sweep import (
    LAST,
    Differs,
    Progress,
    Request,
    block_request,
    blocks_of,
    differing,
    reporting,
    swept_operations,
)
from simhash_doc_conformance.pipeline import ON_INPUTS
from simhash_doc_conformance.protocol import Answer, Handshake
from simhash_doc_conformance.running.judge import outcome_of
from simhash_doc_conformance.running.session import NEEDED_FEATURES, Session, Target
from simhash_doc_conformance.vectors.cases import Case, Suite, canonical, is_about, request_key, vector_of

MOST_FAILURES = 3  # of a process, after which an implementation is asked nothing more
_FORMAT = 1
_SEED = 1  # of the generated requests
_SHARE = 20  # one long document, or request without one, for so many documents
Matrix = dict[str, Any]
Pair = tuple[str, str]


class Participant:
    """An implementation, and how its processes failed.

    Args:
        name: unique in the matrix.
        target: starts its processes.
        timeout: seconds for each answer.
        suite: version of the suite, for the handshake.

    Attributes:
        handshake: what it declares; None unless it has started.
        failures: of its processes, in words.
    """

    def __init__(self, name: str, target: Target, timeout: float, suite: str) -> None:
        self.name = name
        self.handshake: Handshake | None = None
        self.failures: list[str] = []
        self.session = Session(target, timeout, suite)

    @property
    def operations(self) -> frozenset[str]:
        """The declared operations that are compared: all except `extract`, which has no single correct answer."""
        return frozenset(self.handshake.operations if self.handshake else ()) - {"extract"}

    def start(self) -> None:
        """Start a process, and keep its handshake."""
        try:
            self.handshake = self.session.handshake
        except (CannotStartError, PeerError) as failure:
            self.failures.append(str(failure))

    def declares(self, request: Request) -> bool:
        """Return True if the operation, schemes and form of input of a request are declared."""
        if self.handshake is None or request["op"] not in self.operations:
            return False
        features = self.handshake.features
        if any(member in request and feature not in features for member, feature in NEEDED_FEATURES.items()):
            return False
        return is_about(str(request["op"]), request, self.handshake.schemes)

    def answer(self, request: Request, where: str = "shrinking") -> Answer | PeerError:
        """Return the answer to a request, or the failure of the process, which is recorded with `where`.

        After some failures no more is sent, so that an implementation that hangs does not delay the others for long.
        """
        if len(self.failures) >= MOST_FAILURES:
            return PeerError("crash", f"not asked after {MOST_FAILURES} failures")
        try:
            return self.session.send(request)
        except PeerError as failure:
            self.failures.append(f"{failure} ({where})")
            return failure

    def finish(self) -> None:
        """End the process regularly; output without a request counts as a failure."""
        try:
            self.session.close()
        except PeerError as failure:
            self.failures.append(str(failure))


def agreement(request: Request, a: Answer | PeerError, b: Answer | PeerError, *, huge: bool = False) -> bool | None:
    """Return whether two answers to a request agree; None if they cannot be compared.

    A failed process, and `unsupported` to what is declared, agree with nothing. Not compared are `unsupported` to bytes
    or pieces, which are optional (SD-INPUT-1), and `over-limit` for a huge document (SD-SEC-1).
    """
    if isinstance(a, PeerError) or isinstance(b, PeerError):
        return False
    if "unsupported" in a or "unsupported" in b:
        recipe = request.get("recipe")
        optional = {"bytes", "cuts"} & request.keys() or (isinstance(recipe, Mapping) and "utf8" in recipe)
        return None if optional else False
    if huge and "over-limit" in (a.get("error"), b.get("error")):
        return None
    op = str(request["op"])
    try:
        return canonical(op, a) == canonical(op, b)
    except RecursionError:  # no result is nested that deeply
        return False


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


class _Comparison:
    """The answers of every two implementations.

    Attributes:
        participants: all have answered the handshake.
        counts: of equal (True) and different answers per pair of names and operation.
        first: the first request per pair and operation with different answers of both.
        differences: the smallest requests found at which implementations differ, see `matrix.schema.json`.
    """

    def __init__(self, participants: Sequence[Participant]) -> None:
        self.participants = participants
        self.counts: Counter[tuple[Pair, str, bool]] = Counter()
        self.first: dict[tuple[Pair, str], Origin] = {}
        self.differences: list[dict[str, Any]] = []
        self._separated: list[tuple[Request, dict[str, Answer | PeerError]]] = []  # requests of `differences`

    def ask(self, origin: Origin) -> None:
        """Send a request to all that declare what it needs, and compare their answers."""
        request, op = origin.request, str(origin.request["op"])
        asked = [participant for participant in self.participants if participant.declares(request)]
        if len(asked) < 2:
            return
        answers = {participant.name: participant.answer(request, origin.name) for participant in asked}
        for a, b in combinations(answers, 2):
            agree = agreement(request, answers[a], answers[b], huge=origin.huge)
            if agree is None:
                continue
            self.counts[(a, b), op, agree] += 1
            if not agree and not any(isinstance(answers[name], PeerError) for name in (a, b)):
                self.first.setdefault(((a, b), op), origin)

    def shrink(self, pair: Pair, op: str, origin: Origin) -> None:
        """Add the smallest request at which a pair differs, unless a known one of the operation separates it, too."""
        for known, given in self._separated:
            answers = [given[name] for name in pair if name in given]
            if known["op"] == op and len(answers) == 2 and agreement(known, *answers) is False:
                return
        compared = [participant for participant in self.participants if participant.name in pair]

        def differs(request: Request) -> bool:
            if not all(participant.declares(request) for participant in compared):
                return False
            a, b = (participant.answer(request) for participant in compared)
            failed = isinstance(a, PeerError) or isinstance(b, PeerError)
            return not failed and agreement(request, a, b, huge=origin.huge) is False

        request = origin.smallest(differs) or origin.request
        given = {p.name: p.answer(request) for p in self.participants if p.declares(request)}
        self._separated.append((request, given))
        expected = outcome_of(Adapter(Implementation()).answer(request))
        difference = {
            "op": op,
            "found": origin.name,
            "request": shorten(json_text({name: value for name, value in request.items() if name != "op"})),
            "expected": shorten(outcome_text(op, expected)),
            "right": [name for name, answer in given.items() if agreement(request, expected, answer)],
            "answers": {name: _shown(op, answer) for name, answer in given.items()},
        }
        vector = vector_of(op, request, expected, "matrix")
        self.differences.append({**difference, "vector": vector} if vector else difference)

    def pair(self, a: Participant, b: Participant) -> dict[str, Any]:
        """Return what was compared of two implementations, see `matrix.schema.json`."""
        kinds = {"equal": True, "different": False}
        operations = {
            op: {kind: self.counts[(a.name, b.name), op, agree] for kind, agree in kinds.items()}
            for op in sorted(a.operations & b.operations)
        }
        equal, different = (sum(count[kind] for count in operations.values()) for kind in kinds)
        compared = "equal" if operations and all(count["equal"] for count in operations.values()) else "not compared"
        return {
            "names": [a.name, b.name],
            "verdict": "different" if different else compared,
            "equal": equal,
            "different": different,
            "operations": operations,
        }


def _shown(op: str, answer: Answer | PeerError) -> str:
    return str(answer) if isinstance(answer, PeerError) else shorten(outcome_text(op, outcome_of(answer)))


def _vectors(cases: Iterable[Case], progress: Progress) -> Iterator[Origin]:
    for case in reporting([case for case in cases if case.op != "extract"], "vectors", progress):
        for number, request in enumerate(case.requests()):
            name = f"vector {request_key(case.id, number)}"
            yield Origin(name, request, partial(_itself, request), huge="huge" in case.flags)


def _itself(request: Request, differs: Differs) -> Request | None:
    return request if differs(request) else None


def _scalar_values(participants: Sequence[Participant], progress: Progress, last: int) -> Iterator[Origin]:
    """Yield every Unicode scalar value up to `last`, with the operations that the sweep of each pair would use."""
    declared = [a.operations & b.operations for a, b in combinations(participants, 2)]
    operations = sorted({op for common in declared for op in swept_operations(common)})
    blocks = [(op, *block) for op in operations for block in blocks_of(op) if block[0] <= last]
    for op, first, end in reporting(blocks, "every Unicode scalar value", progress):
        name, request = f"scalar values U+{first:04X} to U+{end:04X}", block_request(op, first, end, digest=True)
        yield Origin(name, request, partial(_first_of_block, op, first, end))


def _first_of_block(op: str, first: int, last: int, differs: Differs) -> Request | None:
    """Return the request of the first code point of a block at which two implementations differ."""
    return next((block_request(op, code_point, code_point) for code_point in differing(op, first, last, differs)), None)


def _ask_generated(comparison: _Comparison, stage: Stage, progress: Progress) -> None:
    numbers = count(1)

    def visit(request: Request) -> None:
        number = next(numbers)
        progress(stage.name, number - 1, stage.count)
        comparison.ask(Origin(f"generated request {number} of {stage.name}", request, partial(_shrunk, stage)))

    generate(stage, _SEED, visit)


def _shrunk(stage: Stage, differs: Differs) -> Request | None:
    """Return the smallest generated request at which two implementations differ."""
    return smallest(stage, _SEED, partial(_itself, differs=differs))


def _stages(documents: int) -> Iterator[Stage]:
    """Yield so many documents for each step and scheme, fewer long ones, and requests without a document."""
    every = Understood()
    for op in OPERATIONS:
        with_documents = op in ON_INPUTS or op == "hash_tokens"
        for scheme in every.schemes[: 1 if op in (*WITHOUT_SCHEME, "trace") else None]:
            fewer = documents // _SHARE
            yield from stages(op, scheme, every, documents if with_documents else max(1, fewer), long=fewer)


def run_matrix(
    participants: Sequence[Participant],
    suite: Suite,
    documents: int,
    progress: Progress,
    *,
    absent: Iterable[tuple[str, str]] = (),
    last: int = LAST,
) -> Matrix:
    """Send the same requests to all implementations that start, and compare every two.

    Args:
        participants: not yet started.
        suite: the vectors.
        documents: number of generated documents for each step.
        progress: called with what is compared, and the number of finished and of all parts.
        absent: names of implementations that cannot be run here, and why.
        last: the last code point of the sweep.

    Returns:
        Values that JSON can hold; see `matrix.schema.json`.
    """
    for participant in participants:
        participant.start()
    started = [participant for participant in participants if participant.handshake]
    comparison = _Comparison(started)
    if len(started) > 1:
        for origin in chain(_vectors(suite.cases, progress), _scalar_values(started, progress, last)):
            comparison.ask(origin)
        for stage in _stages(documents):
            _ask_generated(comparison, stage, progress)
        for (names, op), origin in reporting(list(comparison.first.items()), "shrinking", progress):
            comparison.shrink(names, op, origin)
    for participant in started:
        participant.finish()
    failures = [{"name": p.name, "reason": reason} for p in participants for reason in p.failures]
    pairs = [comparison.pair(a, b) for a, b in combinations(started, 2)]
    return {
        "matrix": _FORMAT,
        "suite": {"version": suite.version, "vectors_sha256": suite.digest},
        "documents": documents,
        "seed": _SEED,
        "generator": GENERATOR,
        "ok": bool(pairs) and not failures and all(pair["verdict"] == "equal" for pair in pairs),
        "implementations": [
            {"name": p.name, "version": p.handshake.version, "language": p.handshake.language}
            | {"operations": sorted(p.handshake.operations)}
            for p in started
            if p.handshake
        ],
        "absent": [{"name": name, "reason": reason} for name, reason in absent],
        "failures": failures,
        "pairs": pairs,
        "differences": comparison.differences,
    }


def matrix_json(matrix: Matrix) -> str:
    """Return the report as ASCII text to publish."""
    return json.dumps(matrix, indent=1, ensure_ascii=True) + "\n"


def matrix_lines(matrix: Matrix) -> Iterator[str]:
    """Yield the result in lines: a line per pair, then the differences, then what could not be compared."""
    for pair in matrix["pairs"]:
        yield f"{', '.join(pair['names'])}: {_summary(pair)}"
    for difference in matrix["differences"]:
        yield from ("", *map(printable, _difference_lines(difference)))
    yield from (printable(f"{entry['name']} failed: {entry['reason']}") for entry in matrix["failures"])
    yield from (printable(f"{entry['name']} not compared: {entry['reason']}") for entry in matrix["absent"])
    yield matrix_conclusion(matrix)


def matrix_conclusion(matrix: Matrix) -> str:
    """Return the result in one sentence."""
    count, compared = len(matrix["implementations"]), sum(pair["equal"] for pair in matrix["pairs"])
    if matrix["ok"]:
        return f"{count} implementations agree: {compared:,} comparisons of two answers"
    if not matrix["pairs"]:
        return f"Nothing was compared: {count} of the implementations could be run"
    different = sum(pair["verdict"] == "different" for pair in matrix["pairs"])
    missing = sum(pair["verdict"] == "not compared" for pair in matrix["pairs"])
    return f"Of {len(matrix['pairs'])} pairs of implementations, {different} differ and {missing} were not compared"


def _difference_lines(difference: dict[str, Any]) -> Iterator[str]:
    yield f"{difference['op']}: different answers, found in {difference['found']}"
    yield f"  request  {difference['request']}"
    yield f"  expected {difference['expected']}"
    for name, answer in difference["answers"].items():
        yield f"  {name}{'' if name in difference['right'] else ' (wrong)'}: {answer}"
    if "vector" in difference:
        yield f"  as a test case: {json_text(difference['vector'])}"


def _summary(pair: dict[str, Any]) -> str:
    if pair["verdict"] == "different":
        return f"{pair['different']:,} answers differ, {pair['equal']:,} are equal"
    without = [op for op, count in pair["operations"].items() if not count["equal"]]
    if pair["verdict"] == "not compared":
        return f"not compared: {', '.join(without) or 'no operation is declared by both'}"
    return f"{pair['equal']:,} equal answers"
